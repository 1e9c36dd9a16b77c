// The mapping of protobuf's text format: every message is its fields, whatever its type. It has no leniencies.
#include <fmt/format.h>

#include <utility>

#include "lib/base/fields.h"
#include "lib/encode/encoder.h"
#include "lib/encode/scalar.h"
#include "lib/wire/message.h"

namespace xdscope::encode {

using wire::Field;
using wire::FieldKind;
using wire::kMaxAnyDepth;
using wire::Type;
using wire::WellKnown;

void Encoder::TextMessage(const Node& node, const Type& type) {
  if (!node.is(NodeKind::kMap)) {
    return Wrong(node, fmt::format("expected a message in {{ }}, not {}", NameOf(node.kind())));
  }
  Seen seen(type);
  for (Children member(node); member.Next();) {
    const std::string_view key = member.key();
    if (key.starts_with('[') && type.well_known() == WellKnown::kAny) {
      TextAny(member, type);
      continue;
    }
    const Field* field = type.Find(key);
    // JSON's names are not known here.
    if (field == nullptr || field->name != key) {
      Unknown(type, member);
    } else {
      TextMember(*field, member, &seen);
    }
  }
}

void Encoder::TextMember(const Field& field, const Children& member, Seen* seen) {
  const Inside inside(*this, StepKind::kName, field.name);
  const Node node = member.value();
  if (field.repeated) {
    if (!node.is(NodeKind::kList)) return TextElement(field, node, seen);
    for (Children element(node); element.Next();) TextElement(field, element.value(), seen);
    return;
  }
  if (seen->of(field).valid()) {
    return Say(finding::Severity::kError, finding::kDuplicateKeyRule, member.offset(), "duplicate field");
  }
  seen->of(field) = node;
  if (field.oneof >= 0) {
    const Field*& other = seen->member(field);
    if (other != nullptr) {
      return Say(finding::Severity::kError, finding::kOneofRule, member.offset(),
                 [&] { return fmt::format("conflicts with {}: they are in the same oneof", other->name); });
    }
    other = &field;
  }
  const std::size_t before = out_.size();
  TextOne(field, node);
  DropDefault(field, before);
}

void Encoder::TextElement(const Field& field, const Node& node, Seen* seen) {
  const std::size_t index = seen->count(field)++;
  const Node key = field.map ? node.Find("key") : Node();
  const bool by_key = key.valid() && !key.is(NodeKind::kMap) && !key.is(NodeKind::kList);
  const Inside inside(*this, by_key ? StepKind::kKey : StepKind::kIndex, by_key ? key.text() : std::string_view(),
                      index);
  TextOne(field, node);
}

void Encoder::TextOne(const Field& field, const Node& node) {
  if (field.kind == FieldKind::kMessage) return SubMessage(field, node);
  if (field.kind == FieldKind::kEnum && node.is(NodeKind::kSymbol)) return TextEnum(field, node);
  if (field.packable()) {
    const std::optional<std::uint64_t> bits = TextBits(field, node);
    return bits ? AppendNumber(field, *bits) : Wrong(node, Expected(field, node));
  }
  if (!node.is(NodeKind::kText)) {
    return Wrong(node, fmt::format("expected text in quotes, not {}", NameOf(node.kind())));
  }
  AppendText(field, node.text(), node);
}

void Encoder::TextEnum(const Field& field, const Node& node) {
  const std::optional<std::int32_t> number = EnumNumber(field, node.text(), false);
  if (!number) return UnknownEnum(field, node);
  AppendNumber(field, static_cast<std::uint64_t>(std::int64_t{*number}));
}

// `[type.googleapis.com/NAME] { … }`
void Encoder::TextAny(const Children& expanded, const Type& any) {
  std::string_view url = expanded.key().substr(1);
  if (url.ends_with(']')) url.remove_suffix(1);
  Tree tree;
  tree.Scalar(NodeKind::kText, url, expanded.offset());
  const Type* type = AnyType(tree.root());
  if (type == nullptr) return base::AppendBytes(&out_, any.fields().front().number, url);
  if (!url.starts_with("type.googleapis.com/") && !url.starts_with("type.googleprod.com/")) {
    Say(finding::Severity::kWarning, finding::kTypeUrlFormRule, expanded.offset(),
        "protobuf expands only type.googleapis.com/ URLs");
  }
  if (any_depth_ == kMaxAnyDepth) {
    return Say(finding::Severity::kError, finding::kTooDeepRule, expanded.offset(), "nested too deeply");
  }
  base::AppendBytes(&out_, any.fields().front().number, url);
  const Inside inside(*this, StepKind::kType, type->full_name());
  const Bytes bytes(out_, 2);
  const int depth = std::exchange(depth_, 0);
  ++any_depth_;
  TextMessage(expanded.value(), *type);
  --any_depth_;
  depth_ = depth;
}

}  // namespace xdscope::encode
