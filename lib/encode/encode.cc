#include "lib/encode/encode.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/encode/encoder.h"
#include "lib/encode/scalar.h"
#include "lib/schema/nearest.h"
#include "lib/wire/message.h"

namespace xdscope::encode {

using wire::Field;
using wire::FieldKind;
using wire::kMaxDepth;
using wire::Type;
using wire::Types;
using wire::WellKnown;

using base::WireType;

namespace {

bool IsNullValue(const Field& field) {
  return field.kind == FieldKind::kEnum && field.descriptor->enum_type()->full_name() == "google.protobuf.NullValue";
}

bool IsMessageOf(const Field& field, WellKnown type) {
  return field.kind == FieldKind::kMessage && field.message().well_known() == type;
}

// Tells where null is a value of its own; elsewhere it says that the field is not set.
bool TakesNull(const Field& field) {
  return IsNullValue(field) || IsMessageOf(field, WellKnown::kValue);
}

std::string Nearest(std::string_view nearest) {
  return nearest.empty() ? std::string() : fmt::format(" (nearest: {})", nearest);
}

}  // namespace

bool Encode(const Node& value, const Type& type, const EncodeOptions& options, Types& types, Findings* findings,
            std::string* bytes) {
  Encoder encoder(options, types, findings, bytes);
  encoder.Message(value, type);
  return !encoder.failed();
}

Encoder::Bytes::Bytes(std::string& out, std::uint32_t number) : out_(out) {
  base::AppendTag(&out_, number, WireType::kBytes);
  out_.push_back('\0');
  at_ = out_.size();
}

// The length of a message is known only behind it, and stands in front of it. One byte is left free for it, which is
// enough for most; a longer length moves the message by a byte or two. Each level moves its bytes at most once, and
// levels are bounded, so that the time stays in proportion to the text.
Encoder::Bytes::~Bytes() {
  const std::size_t size = out_.size() - at_;
  if (size < 0x80) {
    out_[at_ - 1] = static_cast<char>(size);
    return;
  }
  std::string length;
  base::AppendVarint(&length, size);
  out_.replace(at_ - 1, 1, length);
}

Encoder::Deeper::Deeper(Encoder& encoder, const Node& node) : encoder_(encoder), ok_(++encoder.depth_ <= kMaxDepth) {
  if (!ok_) encoder_.Say(finding::Severity::kError, finding::kTooDeepRule, node.offset(), "nested too deeply");
}

std::size_t& Encoder::Seen::count(const Field& field) {
  if (counts_.empty()) counts_.resize(fields_.size());
  return counts_[static_cast<std::size_t>(field.index)];
}

const Field*& Encoder::Seen::member(const Field& field) {
  if (oneofs_.empty())
    oneofs_.resize(static_cast<std::size_t>(field.descriptor->containing_type()->oneof_decl_count()));
  return oneofs_[static_cast<std::size_t>(field.oneof)];
}

finding::Path Encoder::Path() const {
  finding::Path path = options_.path;
  for (const Step& step : steps_) {
    if (step.kind == StepKind::kName) path.AddField(step.name);
    if (step.kind == StepKind::kIndex) path.AddIndex(step.index);
    if (step.kind == StepKind::kKey) path.AddKey(step.name);
    // Where the value itself is an Any, whoever asks for it names its type.
    if (step.kind == StepKind::kType && &step != &steps_.front()) path.AddType(step.name);
  }
  return path;
}

void Encoder::Message(const Node& node, const Type& type) {
  if (options_.spelling == Spelling::kText) return TextMessage(node, type);
  switch (type.well_known()) {
    case WellKnown::kAny:
      return Any(node, type);
    case WellKnown::kValue:
      return StructValue(node, type);
    case WellKnown::kStruct:
      return node.is(NodeKind::kMap) ? Map(type.fields().front(), node) : Wrong(node, "expected a map");
    default:
      break;
  }
  if (node.is(NodeKind::kMap)) return Members(node, type, false);
  if (!WellKnownScalar(node, type)) Wrong(node, fmt::format("expected a map, not {}", NameOf(node.kind())));
}

// Reads the members in two passes, since of several equal keys the last one counts: the first pass finds it, the second
// writes it where it stands.
void Encoder::Members(const Node& map, const Type& type, bool in_any) {
  Seen seen(type);
  for (Children member(map); member.Next();) {
    if (in_any && member.key() == "@type") continue;
    const Field* field = type.Find(member.key());
    if (field == nullptr) {
      Unknown(type, member);
    } else if (!member.value().is(NodeKind::kNull) || (TakesNull(*field) && !field->repeated)) {
      if (Counts(*field, member, &seen)) seen.of(*field) = member.value();
    }
  }
  for (Children member(map); member.Next();) {
    const Field* field = type.Find(member.key());
    if (field == nullptr || seen.of(*field) != member.value()) continue;
    const Inside inside(*this, StepKind::kName, field->name);
    Value(*field, member.value());
  }
}

// Looks for what is odd about one more member; returns false when Envoy refuses it.
bool Encoder::Counts(const Field& field, const Children& member, Seen* seen) {
  const bool again = seen->of(field).valid();
  const Field** other = field.oneof < 0 ? nullptr : &seen->member(field);
  if (other != nullptr && *other != nullptr && (*other != &field || options_.spelling == Spelling::kJson)) {
    const Inside inside(*this, StepKind::kName, field.name);
    const bool same = *other == &field;
    Say(finding::Severity::kError, finding::kOneofRule, member.offset(), [&] {
      return same ? std::string("duplicate field")
                  : fmt::format("conflicts with {}: they are in the same oneof", (*other)->name);
    });
    return false;
  }
  if (other != nullptr) *other = &field;
  if (again) {
    const Inside inside(*this, StepKind::kName, field.name);
    Say(finding::Severity::kWarning, finding::kDuplicateKeyRule, member.offset(),
        "duplicate field; the last one counts");
  }
  return true;
}

void Encoder::Unknown(const Type& type, const Children& member) {
  const std::string_view key = member.key();
  if (options_.unknown == Unknown::kIgnore) return;
  const Inside inside(*this, StepKind::kName, key);
  const bool refuse = options_.unknown == Unknown::kRefuse || options_.spelling == Spelling::kText;
  const finding::Severity severity = refuse ? finding::Severity::kError : finding::Severity::kWarning;
  if (key == "<<" && options_.spelling == Spelling::kYaml) {
    return Say(severity, finding::kMergeKeyRule, member.offset(), "unknown field: merge keys are not applied");
  }
  Say(severity, finding::kUnknownFieldRule, member.offset(), [&] {
    std::vector<std::string> names;
    for (const Field& field : type.fields()) names.emplace_back(field.name);
    return fmt::format("no such field in {}{}", type.full_name(), Nearest(schema::NearestName(key, names)));
  });
}

void Encoder::Value(const Field& field, const Node& node) {
  if (field.map) return Map(field, node);
  if (field.repeated) return Repeated(field, node);
  const std::size_t before = out_.size();
  One(field, node);
  DropDefault(field, before);
}

// Takes back what protobuf does not write either: the default of a field that knows no absence. Behind the tag of a 0
// or of an empty text there is nothing but zeros.
void Encoder::DropDefault(const Field& field, std::size_t before) {
  if (field.has_presence || out_.size() == before) return;
  std::uint32_t tag = 0;
  const char* const end = out_.data() + out_.size();
  const char* const value = base::ReadTag(out_.data() + before, end, &tag);
  if (std::all_of(value, end, [](char c) { return c == 0; })) out_.resize(before);
}

void Encoder::Repeated(const Field& field, const Node& node) {
  if (node.is(NodeKind::kList)) {
    std::size_t index = 0;
    return Elements(field, node, &index);
  }
  Say(finding::Severity::kWarning, finding::kListExpectedRule, node.offset(),
      [&] { return fmt::format("expected a list; {} is taken as its only element", NameOf(node.kind())); });
  One(field, node);
}

// Takes lists in a list for one, as protobuf's parser does, except where a list is a value of its own.
void Encoder::Elements(const Field& field, const Node& list, std::size_t* index) {
  const bool flat = !IsMessageOf(field, WellKnown::kValue) && !IsMessageOf(field, WellKnown::kListValue);
  for (Children element(list); element.Next();) {
    const Node node = element.value();
    const Inside inside(*this, StepKind::kIndex, {}, *index);
    if (node.is(NodeKind::kList) && flat) {
      Say(finding::Severity::kWarning, finding::kListExpectedRule, node.offset(),
          "nested list; its elements are taken as elements of the outer list");
      Elements(field, node, index);
      continue;
    }
    ++*index;
    node.is(NodeKind::kNull) && !TakesNull(field) ? NullElement(field, node) : static_cast<void>(One(field, node));
  }
}

void Encoder::NullElement(const Field& field, const Node& node) {
  Say(finding::Severity::kWarning, finding::kValueRule, node.offset(), "null in a list is taken as an empty element");
  if (field.packable()) return AppendNumber(field, 0);
  base::AppendBytes(&out_, field.number, {});
}

// Of equal keys the last one counts, in YAML for Envoy, and in JSON, where it is an error, for whoever goes on reading.
// So a first pass finds the last of each, and a second one writes those.
void Encoder::Map(const Field& field, const Node& map) {
  if (!map.is(NodeKind::kMap)) return Wrong(map, fmt::format("expected a map, not {}", NameOf(map.kind())));
  absl::flat_hash_map<absl::string_view, Node> last;
  for (Children entry(map); entry.Next();) {
    const auto [found, fresh] = last.try_emplace(base::ToAbsl(entry.key()), entry.value());
    if (fresh) continue;
    const Inside inside(*this, StepKind::kKey, entry.key());
    const bool yaml = options_.spelling == Spelling::kYaml;
    Say(yaml ? finding::Severity::kWarning : finding::Severity::kError, finding::kDuplicateKeyRule, entry.offset(),
        yaml ? "duplicate key; the last one counts" : "duplicate key");
    found->second = entry.value();
  }
  for (Children entry(map); entry.Next();) {
    if (last[base::ToAbsl(entry.key())] != entry.value()) continue;
    const Inside inside(*this, StepKind::kKey, entry.key());
    MapEntry(field, entry);
  }
}

void Encoder::MapEntry(const Field& field, const Children& entry) {
  const Type& type = field.message();
  const std::size_t before = out_.size();
  bool keep = true;
  const Deeper deeper(*this, entry.value());
  if (!deeper.ok()) return;
  {
    const Bytes bytes(out_, field.number);
    const Field& value_field = *type.Find(2U);
    MapKey(*type.Find(1U), entry);
    const Node value = entry.value();
    if (!value.is(NodeKind::kNull) || TakesNull(value_field)) keep = One(value_field, value);
  }
  if (!keep) out_.resize(before);
}

// Keys are text in JSON whatever their type: one of a number or boolean is read as the value that its text spells.
void Encoder::MapKey(const Field& key_field, const Children& entry) {
  const std::string_view key = entry.key();
  if (key_field.kind == FieldKind::kString) return base::AppendBytes(&out_, key_field.number, key);
  Tree tree;
  tree.Scalar(NodeKind::kText, key, entry.offset());
  const bool odd_bool = key_field.kind == FieldKind::kBool && key != "true" && key != "false";
  const std::optional<std::uint64_t> bits = odd_bool ? std::nullopt : JsonBits(key_field, tree.root());
  if (!bits) return Wrong(tree.root(), fmt::format("invalid map key: {}", Expected(key_field, tree.root())));
  AppendNumber(key_field, *bits);
}

// Appends one value of a field, which is not null where null means absence. Returns false when it drops the value.
bool Encoder::One(const Field& field, const Node& node) {
  if (field.kind == FieldKind::kMessage) {
    SubMessage(field, node);
    return true;
  }
  if (field.packable()) return Scalar(field, node);
  return Text(field, node);
}

void Encoder::SubMessage(const Field& field, const Node& node) {
  const Deeper deeper(*this, node);
  if (!deeper.ok()) return;
  const Bytes bytes(out_, field.number);
  Message(node, field.message());
}

bool Encoder::Scalar(const Field& field, const Node& node) {
  if (field.kind == FieldKind::kEnum) return Enum(field, node);
  const std::optional<std::uint64_t> bits = JsonBits(field, node);
  if (!bits) Wrong(node, Expected(field, node));
  if (bits) AppendNumber(field, *bits);
  return bits.has_value();
}

bool Encoder::Enum(const Field& field, const Node& node) {
  std::optional<std::uint64_t> bits;
  if (node.is(NodeKind::kNull)) bits = 0;
  if (node.is(NodeKind::kText)) {
    const std::optional<std::int32_t> number = EnumNumber(field, node.text(), true);
    if (number) bits = static_cast<std::uint64_t>(std::int64_t{*number});
  }
  if (!bits) bits = JsonBits(field, node);
  if (bits) {
    AppendNumber(field, *bits);
  } else {
    UnknownEnum(field, node);
  }
  return bits.has_value();
}

void Encoder::UnknownEnum(const Field& field, const Node& node) {
  const bool named = node.is(NodeKind::kText) || node.is(NodeKind::kSymbol);
  if (!named) return Wrong(node, Expected(field, node));
  if (options_.unknown == Unknown::kIgnore) return;
  const bool refuse = options_.unknown == Unknown::kRefuse || options_.spelling == Spelling::kText;
  Say(refuse ? finding::Severity::kError : finding::Severity::kWarning, finding::kUnknownFieldRule, node.offset(), [&] {
    const google::protobuf::EnumDescriptor& type = *field.descriptor->enum_type();
    std::vector<std::string> names;
    for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
    return fmt::format("no such value in {}{}", type.full_name(), Nearest(schema::NearestName(node.text(), names)));
  });
}

bool Encoder::Text(const Field& field, const Node& node) {
  if (!node.is(NodeKind::kText)) {
    // YAML's yes, on, 010 and their like are no text unless somebody quotes them. [XDS-V010]
    const bool unquoted =
        options_.spelling == Spelling::kYaml && (node.is(NodeKind::kBool) || node.is(NodeKind::kNumber));
    Say(finding::Severity::kError, unquoted ? finding::kNumberFormRule : finding::kValueRule, node.offset(),
        Expected(field, node));
    return false;
  }
  if (field.kind == FieldKind::kString) {
    AppendText(field, node.text(), node);
    return true;
  }
  std::string decoded;
  if (!FromBase64(node.text(), &decoded)) Wrong(node, Expected(field, node));
  base::AppendBytes(&out_, field.number, decoded);
  return true;
}

void Encoder::AppendText(const Field& field, std::string_view text, const Node& node) {
  if (field.utf8 && !base::IsUtf8(text)) return Wrong(node, "invalid UTF-8");
  base::AppendBytes(&out_, field.number, text);
}

void Encoder::AppendNumber(const Field& field, std::uint64_t bits) {
  const std::size_t width = FixedWidth(field.kind);
  if (width == 0) {
    base::AppendTag(&out_, field.number, WireType::kVarint);
    return base::AppendVarint(&out_, bits);
  }
  base::AppendTag(&out_, field.number, width == 4 ? WireType::kFixed32 : WireType::kFixed64);
  for (std::size_t i = 0; i < width; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
}

}  // namespace xdscope::encode
