#include "lib/format/difference.h"

#include <algorithm>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/format/json_writer.h"
#include "lib/format/text.h"
#include "lib/wire/message.h"
#include "lib/wire/said.h"

namespace xdscope::format {
namespace {

using finding::Path;
using wire::FieldKind;
using wire::WellKnown;

// Elements that have other bytes may say the same, and to find out costs what both are long. In lists in lists, each of
// which asks that for itself, it would be asked of the innermost as often as there are lists around it: below this many
// only elements with the same bytes count as equal, and a change in front of others may show more than it has to.
constexpr int kListsCompared = 8;

std::vector<wire::Value> All(const wire::Present* present) {
  std::vector<wire::Value> values;
  if (present == nullptr) return values;
  for (wire::Elements elements(*present); elements.Next();) values.push_back(elements.value());
  return values;
}

std::optional<wire::Value> One(const wire::Present* present) {
  return present == nullptr ? std::nullopt : std::optional(wire::Single(*present));
}

// Tells whether the JSON form of a type leaves out the names of its fields.
bool HasNamelessFields(WellKnown type) {
  return type == WellKnown::kStruct || type == WellKnown::kListValue;
}

std::string NumbersOf(const std::vector<wire::UnknownField>& fields) {
  std::string numbers = "[";
  for (const wire::UnknownField& field : fields) {
    if (numbers.size() > 1) numbers.push_back(',');
    numbers.append(std::to_string(field.number));
  }
  numbers.push_back(']');
  return numbers;
}

bool SameBits(const wire::Value& a, const wire::Value& b) {
  return a.bits == b.bits && a.bytes == b.bytes;
}

}  // namespace

class Differ::Step {
 public:
  // The step is made in its place: g++ 12 sees a text without a length where a variant is moved.
  template <typename Part>
  Step(Differ& differ, Part part) : path_(differ.path_) {
    path_.emplace_back(std::move(part));
  }
  ~Step() { path_.pop_back(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  std::vector<Path::Step>& path_;
};

Differ::Differ(wire::Types& types, const WalkOptions& options, OnChange on_change)
    : types_(types),
      options_(options),
      on_change_(std::move(on_change)),
      secrets_(types, options.show_secrets),
      out_([this](std::string_view chunk) {
        text_.append(chunk);
        return absl::OkStatus();
      }) {
  options_.emit_defaults = false;
  options_.unknown_fields = true;
}

void Differ::Anys(const base::AnyView& before, const base::AnyView& after, std::string_view response_type) {
  const WalkState state = secrets_.InResponse(response_type);
  Contents(before, after, true, {state, state});
}

void Differ::Messages(const wire::View& before, const wire::View& after, Places at) {
  if (before.bytes() == after.bytes()) return;
  switch (before.type().well_known()) {
    case WellKnown::kAny:
      return Any(before, after, at);
    case WellKnown::kValue:
      return JsonValue(before, after, at);
    case WellKnown::kDuration:
    case WellKnown::kTimestamp:
    case WellKnown::kFieldMask:
    case WellKnown::kWrapper:
      return OneValue(before, after, at);
    default:
      return Members(before, after, at);
  }
}

// Goes through the fields of both side by side, since both are sorted by number.
void Differ::Members(const wire::View& before, const wire::View& after, Places at) {
  at = Inside(before, after, at);
  wire::Said old_fields(before), new_fields(after);
  while (old_fields.current() != nullptr || new_fields.current() != nullptr) {
    const wire::Present* left = old_fields.current();
    const wire::Present* right = new_fields.current();
    if (left != nullptr && right != nullptr && left->field != right->field) {
      (left->field->number < right->field->number ? right : left) = nullptr;
    }
    Field(before, after, left, right, at);
    if (left != nullptr) old_fields.Next();
    if (right != nullptr) new_fields.Next();
  }
  if (old_fields.has_unknown() || new_fields.has_unknown()) UnknownFields(before, after, at);
}

void Differ::Field(const wire::View& before, const wire::View& after, const wire::Present* left,
                   const wire::Present* right, Places at) {
  const wire::Field& field = *(left != nullptr ? left : right)->field;
  at = {secrets_.Below(before, field, at.before), secrets_.Below(after, field, at.after)};
  if (Secrets::NamesType(before, field)) at.before.hidden = at.after.hidden = false;
  std::optional<Step> step;
  if (!HasNamelessFields(before.type().well_known())) step.emplace(*this, Path::Field{std::string(field.name)});
  if (field.map) return Map(left, right, at);
  if (field.repeated) return List(before.type(), left, right, at);
  Values(One(left), One(right), at);
}

void Differ::Values(const std::optional<wire::Value>& before, const std::optional<wire::Value>& after, Places at) {
  if (before && after) {
    if (before->field->kind == FieldKind::kMessage) return Messages(before->AsMessage(), after->AsMessage(), at);
    if (SameBits(*before, *after)) return;
  }
  Report(before ? std::optional(Written(*before, at.before)) : std::nullopt,
         after ? std::optional(Written(*after, at.after)) : std::nullopt);
}

// Where not even the keys are shown, the map is one value.
void Differ::Map(const wire::Present* before, const wire::Present* after, Places at) {
  const wire::Field& map = *(before != nullptr ? before : after)->field;
  const bool hidden = map.sensitive == wire::Sensitive::kKeysToo && (at.before.hidden || at.after.hidden);
  if (!hidden || silent_) return Entries(map, before, after, at);
  silent_ = true;
  changed_ = false;
  Entries(map, before, after, at);
  silent_ = false;
  if (!changed_) return;
  const std::string value(kHiddenValue);
  Report(before != nullptr ? std::optional(value) : std::nullopt,
         after != nullptr ? std::optional(value) : std::nullopt);
}

void Differ::Entries(const wire::Field& map, const wire::Present* before, const wire::Present* after, Places at) {
  using Sorted = decltype(wire::SortedMap(*before));
  const Sorted old_entries = before != nullptr ? wire::SortedMap(*before) : Sorted();
  const Sorted new_entries = after != nullptr ? wire::SortedMap(*after) : Sorted();
  auto left = old_entries.begin();
  auto right = new_entries.begin();
  while (left != old_entries.end() || right != new_entries.end()) {
    const bool is_old = right == new_entries.end() || (left != old_entries.end() && !wire::KeyLess(*right, *left));
    const bool is_new = left == old_entries.end() || (right != new_entries.end() && !wire::KeyLess(*left, *right));
    const wire::Value& key = is_old ? left->key : right->key;
    const Step step(*this, Path::Key{wire::KeyText(key)});
    Values(is_old ? std::optional(left->value) : std::nullopt, is_new ? std::optional(right->value) : std::nullopt,
           {secrets_.BelowKey(map, key.bytes, at.before), secrets_.BelowKey(map, key.bytes, at.after)});
    if (is_old) ++left;
    if (is_new) ++right;
  }
}

void Differ::List(const wire::Type& parent, const wire::Present* before, const wire::Present* after, Places at) {
  const std::vector<wire::Value> old_ones = All(before);
  const std::vector<wire::Value> new_ones = All(after);
  const ElementRule& rule = rules_.Of(parent, *(before != nullptr ? before : after)->field);
  const Pairs pairs = PairLists<wire::Value>(
      old_ones, new_ones, [this](const wire::Value& a, const wire::Value& b) { return Same(a, b); },
      [&](const wire::Value& element) { return rule.IdentityOf(element, types_); });
  if (pairs.reordered && rule.ordered) Order(pairs, old_ones, new_ones, rule, at);
  ++lists_;
  for (const Pair& pair : pairs.rows) {
    const Step step(*this, Path::Index{pair.after ? *pair.after : *pair.before});
    Values(pair.before ? std::optional(old_ones[*pair.before]) : std::nullopt,
           pair.after ? std::optional(new_ones[*pair.after]) : std::nullopt, at);
  }
  --lists_;
}

// Says in which order those stood, and stand, that are on both sides.
void Differ::Order(const Pairs& pairs, std::span<const wire::Value> before, std::span<const wire::Value> after,
                   const ElementRule& rule, Places at) {
  std::vector<std::size_t> old_order;
  std::vector<wire::Value> old_ones, new_ones;
  for (const Pair& pair : pairs.rows) {
    if (!pair.before || !pair.after) continue;
    old_order.push_back(*pair.before);
    new_ones.push_back(after[*pair.after]);
  }
  std::sort(old_order.begin(), old_order.end());
  for (const std::size_t index : old_order) old_ones.push_back(before[index]);
  Report(NamesOf(old_ones, rule, at.before), NamesOf(new_ones, rule, at.after), true);
}

void Differ::OneValue(const wire::View& before, const wire::View& after, Places at) {
  if (wire::Equal(before, after, types_)) return;
  Report(Written(before, at.before), Written(after, at.after));
}

// Looks into objects and lists; all else is one value, of whatever kind.
void Differ::JsonValue(const wire::View& before, const wire::View& after, Places at) {
  const std::optional<wire::Value> left = wire::KindOf(before);
  const std::optional<wire::Value> right = wire::KindOf(after);
  const Places inside = Inside(before, after, at);
  const bool same_kind = left && right && left->field == right->field;
  const bool both_empty = !left && !right;
  if (same_kind && left->field->kind == FieldKind::kMessage) {
    Messages(left->AsMessage(), right->AsMessage(), inside);
  } else if (!both_empty && !(same_kind && SameBits(*left, *right))) {
    Report(Written(before, at.before), Written(after, at.after));
  }
  UnknownFields(before, after, inside);
}

void Differ::Any(const wire::View& before, const wire::View& after, Places at) {
  const bool may_open = Secrets::MayOpen(at.before) && Secrets::MayOpen(at.after);
  at = Inside(before, after, at);
  Contents(wire::PartsOf(before), wire::PartsOf(after), may_open, at);
  at.before.hidden = at.after.hidden = true;  // what stands beside the two fields of an Any is in no walk
  UnknownFields(before, after, at);
}

// Two URLs may name one type: then what they hold is compared inside, and the URLs beside that.
void Differ::Contents(const base::AnyView& before, const base::AnyView& after, bool may_open, Places at) {
  const bool same_url = before.type_url == after.type_url;
  if (same_url && before.value == after.value) return;
  if (may_open && base::MessageName(before.type_url) == base::MessageName(after.type_url)) {
    const absl::StatusOr<wire::Message> left = wire::Open(before.type_url, before.value, types_);
    const absl::StatusOr<wire::Message> right = wire::Open(after.type_url, after.value, types_);
    if (left.ok() && right.ok()) {
      if (!same_url) {
        const Step step(*this, Path::Field{"@type"});
        Report(Written([&](Walker&) { AppendJsonString(out_, before.type_url); }),
               Written([&](Walker&) { AppendJsonString(out_, after.type_url); }));
      }
      return Messages(left->view(), right->view(),
                      {secrets_.InsideAny(left->view(), at.before), secrets_.InsideAny(right->view(), at.after)});
    }
  }
  Report(Written([&](Walker& walker) { walker.Any(before.type_url, before.value, at.before); }),
         Written([&](Walker& walker) { walker.Any(after.type_url, after.value, at.after); }));
}

void Differ::UnknownFields(const wire::View& before, const wire::View& after, Places at) {
  const std::vector<wire::UnknownField> old_ones = wire::UnknownFields(before);
  const std::vector<wire::UnknownField> new_ones = wire::UnknownFields(after);
  if (old_ones.empty() && new_ones.empty()) return;
  const Pairs pairs = PairLists<wire::UnknownField>(
      old_ones, new_ones, [](const auto& a, const auto& b) { return a.raw == b.raw; },
      [](const auto& field) { return std::optional(Identity{.text = {}, .number = field.number}); });
  const bool show_before = secrets_.ShowsUnknown(before, at.before);
  const bool show_after = secrets_.ShowsUnknown(after, at.after);
  const Step step(*this, Path::Field{"@unknown"});
  if (pairs.reordered) Report(NumbersOf(old_ones), NumbersOf(new_ones), true);
  for (const Pair& pair : pairs.rows) {
    const wire::UnknownField* left = pair.before ? &old_ones[*pair.before] : nullptr;
    const wire::UnknownField* right = pair.after ? &new_ones[*pair.after] : nullptr;
    if (left != nullptr && right != nullptr && left->number != right->number) {
      Unknown(left, nullptr, show_before, show_after);
      left = nullptr;
    }
    Unknown(left, right, show_before, show_after);
  }
}

void Differ::Unknown(const wire::UnknownField* before, const wire::UnknownField* after, bool show_before,
                     bool show_after) {
  if (before != nullptr && after != nullptr && before->raw == after->raw) return;
  const Step step(*this, Path::Field{std::to_string((before != nullptr ? before : after)->number)});
  Report(before != nullptr ? std::optional(Written(*before, show_before)) : std::nullopt,
         after != nullptr ? std::optional(Written(*after, show_after)) : std::nullopt);
}

Differ::Places Differ::Inside(const wire::View& before, const wire::View& after, Places at) {
  return {secrets_.Inside(before, at.before), secrets_.Inside(after, at.after)};
}

bool Differ::Same(const wire::Value& a, const wire::Value& b) {
  if (SameBits(a, b)) return true;
  if (a.field->kind != FieldKind::kMessage || lists_ >= kListsCompared) return false;
  return wire::Equal(a.AsMessage(), b.AsMessage(), types_);
}

void Differ::Report(std::optional<std::string> before, std::optional<std::string> after, bool order) {
  changed_ = true;
  if (silent_) return;
  on_change_({.path = Path(path_), .before = std::move(before), .after = std::move(after), .order = order});
}

std::string Differ::Written(const std::function<void(Walker& walker)>& write) {
  text_.clear();
  JsonWriter writer(out_, JsonWriter::Layout::kCompact);
  Walker walker(types_, options_, writer);
  write(walker);
  (void)out_.Flush();  // a string takes everything
  return std::move(text_);
}

std::string Differ::Written(const wire::Value& value, WalkState at) {
  if (value.field->kind == FieldKind::kMessage) return Written(value.AsMessage(), at);
  if (at.hidden) return std::string(kHiddenValue);
  return Written([&](Walker& walker) { walker.Value(value, at); });
}

std::string Differ::Written(const wire::View& message, WalkState at) {
  const bool one_value = message.type().well_known() == WellKnown::kWrapper || Secrets::Vanishes(message);
  if (at.hidden && one_value) return std::string(kHiddenValue);
  return Written([&](Walker& walker) { walker.Message(message, at); });
}

std::string Differ::Written(const wire::UnknownField& field, bool show) {
  if (!show) return std::string(kHiddenValue);
  return Written([&](Walker& walker) { walker.UnknownValue(field, true); });
}

// A name is shown where the walk would show it.
std::string Differ::NamesOf(const std::vector<wire::Value>& elements, const ElementRule& rule, WalkState at) {
  std::string names = "[";
  for (const wire::Value& element : elements) {
    const std::optional<wire::Value> name = rule.NameOf(element);
    if (!name) continue;
    const wire::View message = element.AsMessage();
    if (names.size() > 1) names.push_back(',');
    names.append(Written(*name, secrets_.Below(message, *name->field, secrets_.Inside(message, at))));
  }
  names.push_back(']');
  return names;
}

}  // namespace xdscope::format
