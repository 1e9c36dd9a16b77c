#include "cli/commands/describe/subject.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "cli/args/nearest.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/rules/description.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

const finding::Rule* FindRuleOf(std::string_view name) {
  if (const finding::Rule* rule = finding::FindRule(name)) return rule;
  return finding::FindRule(absl::AsciiStrToUpper(base::ToAbsl(name)));
}

// Returns the messages whose last part is `name`, in any case; of v2 and v3 the v3 ones alone.
std::vector<std::string> Named(std::string_view name, const wire::Types& types) {
  std::vector<std::string> all;
  for (const std::string& message : types.schema().MessageNames()) {
    const std::string_view last = std::string_view(message).substr(message.rfind('.') + 1);
    if (absl::EqualsIgnoreCase(base::ToAbsl(last), base::ToAbsl(name))) all.push_back(message);
  }
  std::vector<std::string> newest;
  std::ranges::copy_if(all, std::back_inserter(newest),
                       [](const std::string& message) { return message.find(".v3") != std::string::npos; });
  return newest.empty() ? all : newest;
}

// Of several messages of one name the one that is a resource type is meant.
std::vector<std::string> Preferred(std::vector<std::string> names) {
  const auto resource = std::ranges::find_if(names, [](const std::string& name) { return types::FindByUrl(name); });
  return resource == names.end() ? names : std::vector{*resource};
}

// Returns the messages that a name without fields may mean.
std::vector<std::string> MessagesOf(std::string_view name, const wire::Types& types) {
  if (types.schema().FindMessage(name) != nullptr) return {std::string(name)};
  if (const types::KnownType* known = types::FindByWord(name)) return {std::string(known->v3.message())};
  return Preferred(Named(name, types));
}

// Follows the names of fields from a message; nullopt where one of them has none.
std::optional<FieldSubject> Follow(const wire::Type& from, std::string_view fields) {
  const wire::Type* message = &from;
  while (true) {
    const std::size_t dot = fields.find('.');
    const wire::Field* const field = message->Find(fields.substr(0, dot));
    if (field == nullptr) return std::nullopt;
    if (dot == std::string_view::npos) return FieldSubject{message, field};
    const wire::Field* value = field->map ? field->message().Find(2U) : field;
    if (value->kind != wire::FieldKind::kMessage) return std::nullopt;
    message = &value->message();
    fields.remove_prefix(dot + 1);
  }
}

std::string NearestField(const wire::Type& message, std::string_view name) {
  std::vector<std::string_view> names;
  for (const wire::Field& field : message.fields()) names.push_back(field.name);
  const std::string_view nearest = Nearest(name, names);
  return nearest.empty() ? std::string() : std::string(message.full_name()) + "." + std::string(nearest);
}

// Takes the names of fields off, one after the other, until what is left is a message.
std::optional<Subject> FindField(std::string_view name, wire::Types& types) {
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0; dot = name.rfind('.', dot - 1)) {
    const std::vector<std::string> messages = MessagesOf(name.substr(0, dot), types);
    if (messages.size() != 1) continue;
    const wire::Type& message = *types.Find(messages.front());
    const std::string_view fields = name.substr(dot + 1);
    if (const auto field = Follow(message, fields)) return Subject(*field);
    return Subject(Unknown{{}, NearestField(message, fields.substr(0, fields.find('.')))});
  }
  return std::nullopt;
}

}  // namespace

Subject FindSubject(std::string_view name, wire::Types& types) {
  if (const finding::Rule* rule = FindRuleOf(name)) return rule;
  name = base::MessageName(name);
  if (const auto* values = types.schema().FindEnum(name)) return values;
  if (const std::vector<std::string> extension = rules::TypesOfExtension(name, types); !extension.empty()) {
    Messages messages;
    for (const std::string& type : extension) messages.push_back(types.Find(type));
    return messages;
  }
  std::vector<std::string> messages = MessagesOf(name, types);
  if (messages.size() == 1) return Messages{types.Find(messages.front())};
  if (!messages.empty()) return Unknown{std::move(messages), {}};
  if (const std::optional<Subject> field = FindField(name, types)) return *field;
  return Unknown{{}, types.schema().Nearest(name)};
}

}  // namespace xdscope::cli
