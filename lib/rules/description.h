// What the schema and the rules say of a message, an enum or a field, as a value: types, what PGV demands in words,
// what the API says of it, where it belongs. Knows no layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/wire/type.h"

namespace xdscope::rules {

// What is demanded of a field, and what the API says of it.
struct FieldDescription {
  std::string name;
  std::string json_name;
  std::uint32_t number = 0;
  std::string type;       // "string", "repeated envoy.config.core.v3.Address", "map<string, google.protobuf.Any>"
  std::string type_name;  // of messages and enums: the full name, which can be described too
  std::string oneof;      // empty: it is in none
  std::vector<std::string> rules;  // PGV: "must not be empty", "each element: must be at least 1"
  std::vector<std::string> kinds;  // of an Any: which extensions belong there, "a network filter"
  bool deprecated = false;
  bool disallowed = false;   // deprecated, and refused by default
  bool in_progress = false;  // marked as work in progress
  bool sensitive = false;    // never shown
  std::string comment;       // of the .proto file, where the schema has comments
};

struct OneofDescription {
  std::string name;
  bool required = false;
};

// A field that takes messages of a type in an Any.
struct Use {
  std::string message;
  std::string field;
};

struct MessageDescription {
  std::string full_name;
  std::string file;           // "envoy/config/cluster/v3/cluster.proto"
  std::string resource_type;  // "cds", where it is one
  std::string usual_name;     // of an extension: "envoy.filters.http.router"
  std::string kind;           // of an extension: "an HTTP filter"
  bool deprecated = false;
  bool in_progress = false;
  bool linked = true;     // Envoy has it
  std::string successor;  // of a v2 type: the v3 one
  std::string comment;
  std::vector<OneofDescription> oneofs;
  std::vector<FieldDescription> fields;
  std::vector<Use> uses;  // where the extension belongs
};

struct EnumValueDescription {
  std::string name;
  std::int32_t number = 0;
  bool deprecated = false;
  bool disallowed = false;
  std::string comment;
};

struct EnumDescription {
  std::string full_name;
  std::string file;
  std::string comment;
  std::vector<EnumValueDescription> values;
};

MessageDescription Describe(const wire::Type& type, wire::Types& types);
EnumDescription Describe(const google::protobuf::EnumDescriptor& descriptor);

// Returns the full names of the types whose extensions have this name by custom: "envoy.filters.http.router"; sorted.
std::vector<std::string> TypesOfExtension(std::string_view usual_name, const wire::Types& types);

// Returns where Envoy's documentation is about a declaration of a file of the API; empty for files of others. `kind`
// is "msg", "field" or "enum".
std::string LinkTo(std::string_view file, std::string_view kind, std::string_view full_name);

}  // namespace xdscope::rules
