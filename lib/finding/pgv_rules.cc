#include "lib/finding/pgv_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace xdscope::finding {
namespace {

struct Option {
  std::string_view name;
  std::string_view text;
};

// Families that have the same rules.
struct Group {
  std::span<const std::string_view> families;
  std::span<const Option> options;
};

constexpr std::string_view kNumbers[] = {"float",  "double", "int32",   "int64",   "uint32",   "uint64",
                                         "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64"};
constexpr Option kNumberOptions[] = {
    {"const", "A number is the one that its field demands."},
    {"lt", "A number is less than the bound of its field."},
    {"lte", "A number is at most the bound of its field."},
    {"gt", "A number is greater than the bound of its field."},
    {"gte", "A number is at least the bound of its field."},
    {"in", "A number is one of those that its field allows."},
    {"not_in", "A number is none of those that its field forbids."},
};
constexpr std::string_view kTimes[] = {"duration", "timestamp"};
constexpr Option kTimeOptions[] = {
    {"required", "A time is set where its field demands one."},
    {"valid", "A duration is within the range of google.protobuf.Duration where its field has bounds."},
    {"const", "A time is the one that its field demands."},
    {"lt", "A time is less than the bound of its field."},
    {"lte", "A time is at most the bound of its field."},
    {"gt", "A time is greater than the bound of its field."},
    {"gte", "A time is at least the bound of its field."},
    {"in", "A time is one of those that its field allows."},
    {"not_in", "A time is none of those that its field forbids."},
};
constexpr std::string_view kBool[] = {"bool"};
constexpr Option kBoolOptions[] = {{"const", "A boolean is the one that its field demands."}};
constexpr std::string_view kString[] = {"string"};
constexpr Option kStringOptions[] = {
    {"const", "A text is the one that its field demands."},
    {"len", "A text has as many characters as its field demands."},
    {"min_len", "A text has at least as many characters as its field demands."},
    {"max_len", "A text has at most as many characters as its field allows."},
    {"len_bytes", "A text has as many bytes as its field demands."},
    {"min_bytes", "A text has at least as many bytes as its field demands."},
    {"max_bytes", "A text has at most as many bytes as its field allows."},
    {"pattern", "The whole of a text matches the pattern of its field."},
    {"prefix", "A text begins as its field demands."},
    {"suffix", "A text ends as its field demands."},
    {"contains", "A text contains what its field demands."},
    {"not_contains", "A text does not contain what its field forbids."},
    {"in", "A text is one of those that its field allows."},
    {"not_in", "A text is none of those that its field forbids."},
    {"email", "A text is an e-mail address."},
    {"hostname", "A text is a host name."},
    {"ip", "A text is an IP address."},
    {"ipv4", "A text is an IPv4 address."},
    {"ipv6", "A text is an IPv6 address."},
    {"uri", "A text is an absolute URI."},
    {"uri_ref", "A text is a URI reference."},
    {"address", "A text is a host name or an IP address."},
    {"uuid", "A text is a UUID."},
    {"well_known_regex", "A text is fit for the name, or the value, of an HTTP header."},
};
constexpr std::string_view kBytes[] = {"bytes"};
constexpr Option kBytesOptions[] = {
    {"const", "Bytes are those that their field demands."},
    {"len", "There are as many bytes as their field demands."},
    {"min_len", "There are at least as many bytes as their field demands."},
    {"max_len", "There are at most as many bytes as their field allows."},
    {"pattern", "The whole of the bytes matches the pattern of their field."},
    {"prefix", "Bytes begin as their field demands."},
    {"suffix", "Bytes end as their field demands."},
    {"contains", "Bytes contain what their field demands."},
    {"in", "Bytes are one of those texts that their field allows."},
    {"not_in", "Bytes are none of those texts that their field forbids."},
    {"ip", "Bytes are an IP address."},
    {"ipv4", "Bytes are an IPv4 address."},
    {"ipv6", "Bytes are an IPv6 address."},
};
constexpr std::string_view kEnum[] = {"enum"};
constexpr Option kEnumOptions[] = {
    {"const", "An enum value is the one that its field demands."},
    {"defined_only", "An enum value has a name in the schema."},
    {"in", "An enum value is one of those that its field allows."},
    {"not_in", "An enum value is none of those that its field forbids."},
};
constexpr std::string_view kMessage[] = {"message"};
constexpr Option kMessageOptions[] = {{"required", "A message is set where its field demands one."}};
constexpr std::string_view kOneof[] = {"oneof"};
constexpr Option kOneofOptions[] = {{"required", "One of the fields of a oneof is set where that is demanded."}};
constexpr std::string_view kRepeated[] = {"repeated"};
constexpr Option kRepeatedOptions[] = {
    {"min_items", "A list has at least as many elements as its field demands."},
    {"max_items", "A list has at most as many elements as its field allows."},
    {"unique", "A list has each element once."},
};
constexpr std::string_view kMap[] = {"map"};
constexpr Option kMapOptions[] = {
    {"min_pairs", "A map has at least as many entries as its field demands."},
    {"max_pairs", "A map has at most as many entries as its field allows."},
};
constexpr std::string_view kAny[] = {"any"};
constexpr Option kAnyOptions[] = {
    {"required", "An Any is set where its field demands one."},
    {"in", "The type of an Any is one of those that its field allows."},
    {"not_in", "The type of an Any is none of those that its field forbids."},
};

constexpr Group kGroups[] = {
    {kNumbers, kNumberOptions}, {kTimes, kTimeOptions}, {kBool, kBoolOptions},         {kString, kStringOptions},
    {kBytes, kBytesOptions},    {kEnum, kEnumOptions},  {kMessage, kMessageOptions},   {kOneof, kOneofOptions},
    {kMap, kMapOptions},        {kAny, kAnyOptions},    {kRepeated, kRepeatedOptions},
};

// The rows and the texts of their ids.
struct Table {
  std::deque<std::string> ids;
  std::vector<Rule> rows;
};

Table MakeTable() {
  Table table;
  for (const Group& group : kGroups) {
    for (const std::string_view family : group.families) {
      for (const Option& option : group.options) {
        const std::string& id = table.ids.emplace_back(fmt::format("pgv.{}.{}", family, option.name));
        table.rows.push_back({id, Severity::kError, option.text});
      }
    }
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
  return table;
}

}  // namespace

std::span<const Rule> PgvRules() {
  static const Table table = MakeTable();
  return table.rows;
}

std::string_view PgvRule(std::string_view family, std::string_view rule) {
  const Rule* found = FindRule(fmt::format("pgv.{}.{}", family, rule));
  return found == nullptr ? std::string_view() : found->id;
}

}  // namespace xdscope::finding
