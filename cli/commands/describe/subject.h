// What a person means by a name: a message, a field of one, an enum, or a rule. Knows the schema and the tables of
// rules; prints nothing.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/finding/rules.h"
#include "lib/wire/type.h"

namespace google::protobuf {
class EnumDescriptor;
}  // namespace google::protobuf

namespace xdscope::cli {

struct FieldSubject {
  const wire::Type* message;
  const wire::Field* field;
};

// A name that may mean several things; empty: it means none.
struct Unknown {
  std::vector<std::string> candidates;
  std::string nearest;  // a name that is known and looks alike; may be empty
};

// Several where an extension has several: Cors and CorsPolicy, which is for routes.
using Messages = std::vector<const wire::Type*>;

using Subject =
    std::variant<Messages, FieldSubject, const google::protobuf::EnumDescriptor*, const finding::Rule*, Unknown>;

// Finds what is meant by: the id of a rule; the full name of a message or an enum, or a type URL; the short name of a
// resource type; the usual name of an extension; the last part of a message's name, where one alone of the newest
// version has it. Each name of a message may have the names of fields behind it: "cds.load_assignment.endpoints".
Subject FindSubject(std::string_view name, wire::Types& types);

}  // namespace xdscope::cli
