#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/commands/describe/printer.h"

namespace xdscope::cli {
namespace {

using rules::EnumDescription;
using rules::FieldDescription;
using rules::MessageDescription;

// Appends a text of several lines, each moved in.
void AppendMovedIn(std::string_view text, std::size_t by, std::string* out) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    fmt::format_to(std::back_inserter(*out), "{}{}\n", std::string(by, ' '), text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

// What is to be known of a field beside its type, in few words.
std::vector<std::string> RemarksOn(const FieldDescription& field) {
  std::vector<std::string> remarks;
  if (!field.oneof.empty()) remarks.push_back(fmt::format("one of {}", field.oneof));
  remarks.insert(remarks.end(), field.rules.begin(), field.rules.end());
  if (!field.kinds.empty()) remarks.push_back(fmt::format("{} belongs here", fmt::join(field.kinds, ", or ")));
  if (field.disallowed) {
    remarks.emplace_back("deprecated, refused by default");
  } else if (field.deprecated) {
    remarks.emplace_back("deprecated");
  }
  if (field.in_progress) remarks.emplace_back("work in progress");
  if (field.sensitive) remarks.emplace_back("a secret: never shown");
  return remarks;
}

std::string TitleOf(const MessageDescription& message) {
  return message.resource_type.empty() ? message.full_name
                                       : fmt::format("{} ({})", message.full_name, message.resource_type);
}

void AppendFacts(const MessageDescription& message, std::string* out) {
  const auto line = [out](std::string_view text) { fmt::format_to(std::back_inserter(*out), "  {}\n", text); };
  AppendMovedIn(message.comment, 2, out);
  if (!message.kind.empty()) {
    line(fmt::format("{}{}", message.kind, message.usual_name.empty() ? "" : ", usually named " + message.usual_name));
  }
  if (message.deprecated) line("deprecated");
  if (message.in_progress) line("work in progress");
  if (!message.linked) line("in the API, and not in Envoy");
  if (!message.successor.empty()) line(fmt::format("of the v2 API; now {}", message.successor));
  for (const rules::OneofDescription& oneof : message.oneofs) {
    if (oneof.required) line(fmt::format("one of {} must be set", oneof.name));
  }
  for (const rules::Use& use : message.uses) line(fmt::format("used in {}.{}", use.message, use.field));
  if (const std::string link = rules::LinkTo(message.file, "msg", message.full_name); !link.empty()) line(link);
}

}  // namespace

std::string TextOf(const MessageDescription& message) {
  std::string text = TitleOf(message) + "\n";
  AppendFacts(message, &text);
  std::size_t width = 0;
  for (const FieldDescription& field : message.fields) width = std::max(width, field.name.size());
  constexpr std::size_t kWidest = 40;
  width = std::min(width, kWidest);
  if (!message.fields.empty()) text += "\n";
  for (const FieldDescription& field : message.fields) {
    const std::vector<std::string> remarks = RemarksOn(field);
    fmt::format_to(std::back_inserter(text), "  {:<{}}  {}{}{}\n", field.name, width, field.type,
                   remarks.empty() ? "" : "  # ", fmt::join(remarks, "; "));
  }
  return text;
}

std::string TextOf(const FieldDescription& field, const MessageDescription& message) {
  std::string text = fmt::format("{}.{}: {}\n", message.full_name, field.name, field.type);
  AppendMovedIn(field.comment, 2, &text);
  for (const std::string& remark : RemarksOn(field)) fmt::format_to(std::back_inserter(text), "  {}\n", remark);
  fmt::format_to(std::back_inserter(text), "  number {}, in JSON also {}\n", field.number, field.json_name);
  const std::string name = fmt::format("{}.{}", message.full_name, field.name);
  if (const std::string link = rules::LinkTo(message.file, "field", name); !link.empty()) {
    fmt::format_to(std::back_inserter(text), "  {}\n", link);
  }
  return text;
}

std::string TextOf(const EnumDescription& values) {
  std::string text = values.full_name + "\n";
  AppendMovedIn(values.comment, 2, &text);
  if (const std::string link = rules::LinkTo(values.file, "enum", values.full_name); !link.empty()) {
    fmt::format_to(std::back_inserter(text), "  {}\n", link);
  }
  text += "\n";
  for (const rules::EnumValueDescription& value : values.values) {
    fmt::format_to(std::back_inserter(text), "  {} = {}{}\n", value.name, value.number,
                   value.disallowed   ? "  # deprecated, refused by default"
                   : value.deprecated ? "  # deprecated"
                                      : "");
    AppendMovedIn(value.comment, 6, &text);
  }
  return text;
}

std::string TextOf(const finding::Rule& rule) {
  std::string text = fmt::format("{} ({}{})\n  {}\n", rule.id, finding::WordOf(rule.severity),
                                 rule.client == finding::Client::kGrpc    ? ", gRPC"
                                 : rule.client == finding::Client::kEnvoy ? ", Envoy"
                                                                          : "",
                                 rule.text);
  if (!rule.about.empty()) fmt::format_to(std::back_inserter(text), "  {}\n", rule.about);
  if (!rule.effect.empty()) fmt::format_to(std::back_inserter(text), "  {}\n", rule.effect);
  return text;
}

}  // namespace xdscope::cli
