// Messages of a schema, written in protobuf's text format and turned into bytes by protobuf itself.
#pragma once

#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <string_view>

#include "lib/schema/schema.h"

namespace xdscope::fake {

class TextMessages {
 public:
  // `schema` has to live as long.
  explicit TextMessages(const schema::Schema& schema) : schema_(schema) {}

  // The message that `text` says, of a type given by its full name or a type URL. A type that the schema does not have
  // and a text that is wrong fail the test; nullptr then.
  std::unique_ptr<google::protobuf::Message> Parse(std::string_view type, std::string_view text);
  // Its bytes, the same in every run: maps are sorted by key. Empty when Parse() fails.
  std::string Bytes(std::string_view type, std::string_view text);
  // What protobuf reads from `bytes`, in text format; "error" when it refuses them.
  std::string Text(std::string_view type, std::string_view bytes);

 private:
  std::unique_ptr<google::protobuf::Message> New(std::string_view type);

  const schema::Schema& schema_;
  google::protobuf::DynamicMessageFactory factory_;
};

}  // namespace xdscope::fake
