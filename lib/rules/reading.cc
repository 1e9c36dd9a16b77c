#include "lib/rules/reading.h"

#include "lib/base/type_url.h"
#include "lib/rules/text_forms.h"
#include "lib/wire/message.h"

namespace xdscope::rules {

std::optional<wire::View> MessageIn(const wire::View& view, std::string_view field) {
  const std::optional<wire::Value> value = view.Get(field);
  if (!value || value->field->kind != wire::FieldKind::kMessage) return std::nullopt;
  return value->AsMessage();
}

std::vector<wire::View> MessagesIn(const wire::View& view, std::string_view field) {
  std::vector<wire::View> messages;
  for (const wire::Value& value : ListOf(view, field)) messages.push_back(value.AsMessage());
  return messages;
}

std::vector<std::string_view> TextsIn(const wire::View& view, std::string_view field) {
  std::vector<std::string_view> texts;
  for (const wire::Value& value : ListOf(view, field)) texts.push_back(value.AsText());
  return texts;
}

std::optional<std::uint64_t> NumberIn(const wire::View& view, std::string_view field) {
  const std::optional<wire::Value> value = view.Get(field);
  if (!value) return std::nullopt;
  if (value->field->kind != wire::FieldKind::kMessage) return value->AsUint();
  const std::optional<wire::Value> wrapped = value->AsMessage().Get(1U);
  return wrapped ? wrapped->AsUint() : 0;
}

bool IsOn(const wire::View& view, std::string_view field) {
  return NumberIn(view, field).value_or(0) != 0;
}

std::string_view TypeInAny(const wire::View& any, wire::Types& types) {
  const std::string_view url = any.GetText("type_url");
  const wire::Type* const type = types.Find(url);
  if (type == nullptr || type->well_known() != wire::WellKnown::kTypedStruct) return base::MessageName(url);
  const absl::StatusOr<wire::Message> spelled = wire::Open(any, types);
  if (!spelled.ok()) return {};
  // The text stands in the bytes of the Any, unless these had to be merged.
  return spelled->owns() ? std::string_view() : base::MessageName(spelled->view().GetText("type_url"));
}

std::string_view TypeOfExtension(const wire::View& extension, wire::Types& types) {
  const std::optional<wire::View> config = MessageIn(extension, "typed_config");
  return config ? TypeInAny(*config, types) : std::string_view();
}

bool IsIpAddress(std::string_view text) {
  return IsIpv4(text) || IsIpv6(text.substr(0, text.find('%')));
}

}  // namespace xdscope::rules
