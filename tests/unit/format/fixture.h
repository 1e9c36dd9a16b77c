// What the tests of lib/format share: the built-in schema, messages from text, output as a string.
#pragma once

#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/format/json_writer.h"
#include "lib/format/output.h"
#include "lib/format/text_writer.h"
#include "lib/format/walk.h"
#include "lib/format/yaml_writer.h"
#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "lib/wire/type.h"

namespace xdscope::format {

// The built-in API, its tables, and protobuf's own messages of it.
struct Api {
  Api() : types(schema) {}

  // A message of protobuf's from text format; a failed test and no message when the text is wrong.
  std::unique_ptr<google::protobuf::Message> Parse(std::string_view full_name, std::string_view text);
  // Its bytes.
  std::string Bytes(std::string_view full_name, std::string_view text);

  schema::Schema schema = schema::Schema::Builtin();
  wire::Types types;
  google::protobuf::DynamicMessageFactory factory;
};

// One for the whole run: building the schema's types again for each test takes longer than the tests.
Api& SharedApi();

// What `write` writes.
std::string Collect(const std::function<void(Output&)>& write);

enum class Spelling { kJson, kCompact, kYaml, kText };

// The message of `full_name` that `text` says, or `bytes` are, as the walk shows it.
std::string Show(std::string_view full_name, std::string_view text, const WalkOptions& options = {},
                 Spelling spelling = Spelling::kCompact);
std::string ShowBytes(std::string_view full_name, std::string_view bytes, const WalkOptions& options = {},
                      Spelling spelling = Spelling::kCompact);
// The same as an Any of a type URL, in a response of another where that is given.
std::string ShowAny(std::string_view type_url, std::string_view bytes, const WalkOptions& options = {},
                    Spelling spelling = Spelling::kCompact, std::string_view response_type = {});

}  // namespace xdscope::format
