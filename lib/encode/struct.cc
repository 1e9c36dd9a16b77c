// A google.protobuf.Struct as the JSON text it stands for: a tree, which the one JSON mapping reads. [XDS-V128]
#include "lib/encode/struct.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "lib/encode/encode.h"
#include "lib/encode/tree.h"
#include "lib/finding/reading_rules.h"

namespace xdscope::encode {

using wire::Elements;
using wire::Fields;
using wire::MapEntry;
using wire::Message;
using wire::Present;
using wire::Type;
using wire::Types;
using wire::Value;
using wire::View;

namespace {

void AddValue(const View& value, Tree* tree);

void AddMember(const MapEntry& entry, Tree* tree) {
  tree->Key(entry.key.bytes, 0);
  AddValue(entry.value.AsMessage(), tree);
}

void AddStruct(const View& structure, Tree* tree) {
  tree->Open(NodeKind::kMap, 0);
  for (const Fields fields(structure); const Present& present : fields.known()) {
    for (const MapEntry& entry : SortedMap(present)) AddMember(entry, tree);
  }
  tree->Close();
}

void AddList(const View& list, Tree* tree) {
  tree->Open(NodeKind::kList, 0);
  for (const Fields fields(list); const Present& present : fields.known()) {
    for (Elements elements(present); elements.Next();) AddValue(elements.value().AsMessage(), tree);
  }
  tree->Close();
}

void AddNumber(double number, Tree* tree) {
  // Those that JSON has no number for stand in quotes there.
  if (std::isnan(number)) return tree->Scalar(NodeKind::kText, "NaN", 0);
  if (std::isinf(number)) return tree->Scalar(NodeKind::kText, number > 0 ? "Infinity" : "-Infinity", 0);
  tree->Scalar(NodeKind::kNumber, tree->Keep(fmt::format("{}", number)), 0);
}

// The members of google.protobuf.Value. An empty one is what protobuf prints as null.
void AddValue(const View& value, Tree* tree) {
  const Fields fields(value);
  if (fields.known().empty()) return tree->Scalar(NodeKind::kNull, {}, 0);
  const Value member = Single(fields.known().front());
  switch (member.field->number) {
    case 2:
      return AddNumber(member.AsDouble(), tree);
    case 3:
      return tree->Scalar(NodeKind::kText, member.bytes, 0);
    case 4:
      return tree->Scalar(NodeKind::kBool, member.AsBool() ? "true" : "false", 0);
    case 5:
      return AddStruct(member.AsMessage(), tree);
    case 6:
      return AddList(member.AsMessage(), tree);
    default:
      return tree->Scalar(NodeKind::kNull, {}, 0);
  }
}

// The outermost "@type" is no member: the type is known.
Tree TreeOf(const View& structure) {
  Tree tree;
  tree.Open(NodeKind::kMap, 0);
  for (const Fields fields(structure); const Present& present : fields.known()) {
    for (const MapEntry& entry : SortedMap(present)) {
      if (entry.key.bytes != "@type") AddMember(entry, &tree);
    }
  }
  tree.Close();
  return tree;
}

}  // namespace

absl::StatusOr<Message> FromStruct(const View& structure, const Type& type, Types& types) {
  const Tree tree = TreeOf(structure);
  EncodeOptions options;
  options.unknown = Unknown::kRefuse;
  Findings findings;
  std::string bytes;
  if (Encode(tree.root(), type, options, types, &findings, &bytes)) return DecodeOwned(std::move(bytes), type);
  for (const finding::Finding& finding : findings.all()) {
    if (finding.severity != finding::Severity::kError) continue;
    const bool unknown_type = finding.rule == finding::kUnknownTypeRule;
    return base::Error(unknown_type ? absl::StatusCode::kNotFound : absl::StatusCode::kInvalidArgument,
                       fmt::format(".{}: {}", finding::ToText(finding.path), finding.message));
  }
  return base::Error(absl::StatusCode::kInvalidArgument, "the Struct does not fit");
}

absl::StatusOr<Message> FromTypedStruct(const View& typed_struct, Types& types) {
  const std::string_view url = typed_struct.GetText("type_url");
  const Type* type = types.Find(url);
  if (type == nullptr) return base::Error(absl::StatusCode::kNotFound, fmt::format("unknown type \"{}\"", url));
  const std::optional<Value> value = typed_struct.Get("value");
  if (!value) return DecodeOwned(std::string(), *type);
  return FromStruct(value->AsMessage(), *type, types);
}

}  // namespace xdscope::encode
