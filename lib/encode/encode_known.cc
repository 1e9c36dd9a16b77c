// The half of the JSON mapping that knows Any and the types with a form of their own.
#include <fmt/format.h>

#include <utility>

#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/encode/encoder.h"
#include "lib/encode/scalar.h"
#include "lib/wire/message.h"

namespace xdscope::encode {

using wire::Field;
using wire::kMaxAnyDepth;
using wire::Type;
using wire::WellKnown;

namespace {

// Members of google.protobuf.Value.
constexpr std::uint32_t kNull = 1;
constexpr std::uint32_t kNumber = 2;
constexpr std::uint32_t kText = 3;
constexpr std::uint32_t kBool = 4;
constexpr std::uint32_t kObject = 5;
constexpr std::uint32_t kList = 6;

// Types whose JSON form in an Any stands below "value".
bool HasOwnForm(const Type& type) {
  return type.well_known() != WellKnown::kNone && type.well_known() != WellKnown::kTypedStruct &&
         type.well_known() != WellKnown::kEmpty;
}

}  // namespace

// Returns false when the type has no form but its members.
bool Encoder::WellKnownScalar(const Node& node, const Type& type) {
  switch (type.well_known()) {
    case WellKnown::kDuration:
    case WellKnown::kTimestamp:
      TimeOf(node, type.well_known() == WellKnown::kDuration);
      return true;
    case WellKnown::kFieldMask:
      FieldMask(node, type);
      return true;
    case WellKnown::kListValue: {
      std::size_t index = 0;
      node.is(NodeKind::kList) ? Elements(type.fields().front(), node, &index) : Wrong(node, "expected a list");
      return true;
    }
    case WellKnown::kWrapper:
      if (!node.is(NodeKind::kNull)) One(type.fields().front(), node);
      return true;
    default:
      return false;
  }
}

void Encoder::TimeOf(const Node& node, bool duration) {
  if (node.is(NodeKind::kNull)) return;
  std::optional<Seconds> time;
  if (node.is(NodeKind::kText)) time = duration ? DurationOf(node.text()) : TimestampOf(node.text());
  if (!time) {
    return Wrong(
        node, duration ? "expected a duration such as \"1.5s\"" : "expected a time such as \"2024-01-01T00:00:00Z\"");
  }
  const std::int64_t parts[] = {time->seconds, time->nanos};
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (parts[i] == 0) continue;
    base::AppendTag(&out_, i + 1, base::WireType::kVarint);
    base::AppendVarint(&out_, static_cast<std::uint64_t>(parts[i]));
  }
}

void Encoder::FieldMask(const Node& node, const Type& type) {
  const Field& paths = type.fields().front();
  if (!node.is(NodeKind::kText)) return Wrong(node, Expected(paths, node));
  std::string_view text = node.text();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    AppendText(paths, SnakePath(text.substr(0, comma)), node);
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
    if (text.empty()) AppendText(paths, {}, node);  // one more behind a comma at the end
  }
}

void Encoder::StructValue(const Node& node, const Type& type) {
  switch (node.kind()) {
    case NodeKind::kNull:
      return AppendNumber(*type.Find(kNull), 0);
    case NodeKind::kBool:
      return AppendNumber(*type.Find(kBool), node.text() == "true" ? 1 : 0);
    case NodeKind::kNumber: {
      const std::optional<std::uint64_t> bits = JsonBits(*type.Find(kNumber), node);
      return bits ? AppendNumber(*type.Find(kNumber), *bits) : Wrong(node, "number out of range");
    }
    case NodeKind::kText:
    case NodeKind::kSymbol:
      return AppendText(*type.Find(kText), node.text(), node);
    case NodeKind::kMap:
      return SubMessage(*type.Find(kObject), node);
    case NodeKind::kList:
      return SubMessage(*type.Find(kList), node);
  }
}

void Encoder::Any(const Node& node, const Type& any) {
  if (!node.is(NodeKind::kMap)) return Wrong(node, fmt::format("expected a map, not {}", NameOf(node.kind())));
  Node url;
  for (Children member(node); member.Next();) {
    if (member.key() != "@type") continue;
    const bool yaml = options_.spelling == Spelling::kYaml;
    if (url.valid()) {
      Say(yaml ? finding::Severity::kWarning : finding::Severity::kError, finding::kDuplicateKeyRule, member.offset(),
          "duplicate @type");
    }
    url = member.value();
  }
  if (!url.valid()) {
    if (!node.empty()) Say(finding::Severity::kError, finding::kNoTypeUrlRule, node.offset(), "has no @type");
    return;
  }
  if (node.Find("@value").valid() && node.Find("@error").valid()) return UnopenedAny(node, url.text());
  const Type* type = AnyType(url);
  base::AppendBytes(&out_, any.fields().front().number, url.text());
  if (type == nullptr) return;
  if (any_depth_ == kMaxAnyDepth) {
    return Say(finding::Severity::kError, finding::kTooDeepRule, node.offset(), "nested too deeply");
  }
  const Inside inside(*this, StepKind::kType, type->full_name());
  const Bytes bytes(out_, 2);
  const int depth = std::exchange(depth_, 0);
  ++any_depth_;
  AnyPayload(node, *type);
  --any_depth_;
  depth_ = depth;
}

// Returns the type that an @type names; nullptr when there is none, which becomes a finding.
const Type* Encoder::AnyType(const Node& url) {
  const std::string_view text = url.text();
  if (url.is(NodeKind::kText) && text.empty()) {
    Say(finding::Severity::kError, finding::kNoTypeUrlRule, url.offset(), "@type is empty");
    return nullptr;
  }
  const bool named = url.is(NodeKind::kText) && text.find('/') != std::string_view::npos && !text.ends_with('/');
  if (!named) {
    Say(finding::Severity::kError, finding::kTypeUrlFormRule, url.offset(),
        "@type is not a type URL such as \"type.googleapis.com/envoy.config.cluster.v3.Cluster\"");
    return nullptr;
  }
  const Type* type = types_.Find(text);
  if (type == nullptr) {
    const bool kept = options_.keep_unknown_types && !steps_.empty();
    Say(kept ? finding::Severity::kWarning : finding::Severity::kError, finding::kUnknownTypeRule, url.offset(),
        [&] { return types_.WhyUnknown(text); });
  }
  return type;
}

void Encoder::AnyPayload(const Node& node, const Type& type) {
  if (!HasOwnForm(type)) return Members(node, type, true);
  Node value;
  for (Children member(node); member.Next();) {
    if (member.key() == "@type") continue;
    if (member.key() == "value") {
      value = member.value();
    } else {
      const Inside inside(*this, StepKind::kName, member.key());
      Say(finding::Severity::kError, finding::kUnknownFieldRule, member.offset(),
          [&] { return fmt::format("unknown field: an Any of {} has only \"value\"", type.full_name()); });
    }
  }
  if (!value.valid()) return;
  const Inside inside(*this, StepKind::kName, "value");
  Message(value, type);
}

// What our own writers make of an Any that they cannot open: its bytes as they were.
void Encoder::UnopenedAny(const Node& node, std::string_view url) {
  const Node value = node.Find("@value");
  std::string bytes;
  const bool decoded = value.is(NodeKind::kText) && FromBase64(value.text(), &bytes);
  if (!decoded) {
    const Inside inside(*this, StepKind::kName, "@value");
    return Wrong(value, "expected base64");
  }
  base::AppendBytes(&out_, 1, url);
  base::AppendBytes(&out_, 2, bytes);
}

}  // namespace xdscope::encode
