#include "lib/format/binary_place.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/wire/message.h"

namespace xdscope::format {
namespace {

using finding::Path;
using wire::FieldKind;

// Follows a path step by step, as far as there is something.
class Walk {
 public:
  Walk(const wire::View& root, wire::Types& types) : types_(types), at_(root), place_(root.bytes().data()) {}

  bool Take(const Path::Step& step) {
    if (const auto* field = std::get_if<Path::Field>(&step)) return Enter(field->name);
    if (!list_) return false;
    const auto* index = std::get_if<Path::Index>(&step);
    return index != nullptr ? Pick(index->value) : Pick(std::get<Path::Key>(step).text);
  }
  const char* place() const { return place_; }

 private:
  bool Enter(std::string_view name) {
    if (!at_ || !OpenAnys()) return false;
    const wire::Fields fields(*at_);
    const auto known = fields.known();
    const auto found = std::find_if(known.begin(), known.end(),
                                    [name](const wire::Present& present) { return present.field->name == name; });
    if (found == known.end()) return false;
    place_ = found->first;
    list_.reset();
    if (found->field->repeated) {
      list_ = *found;
      at_.reset();
    } else {
      Stand(wire::Single(*found));
    }
    return true;
  }

  bool Pick(std::size_t index) {
    wire::Elements elements(*list_);
    for (std::size_t i = 0; elements.Next(); ++i) {
      if (i < index) continue;
      if (!elements.value().bytes.empty()) place_ = elements.value().bytes.data();
      Stand(elements.value());
      return true;
    }
    return false;
  }

  bool Pick(std::string_view key) {
    if (!list_->field->map) return false;
    for (const wire::MapEntry& entry : wire::SortedMap(*list_)) {
      if (wire::KeyText(entry.key) != key) continue;
      if (!entry.key.bytes.empty()) place_ = entry.key.bytes.data();
      Stand(entry.value);
      return true;
    }
    return false;
  }

  void Stand(const wire::Value& value) {
    list_.reset();
    at_.reset();
    if (value.field->kind == FieldKind::kMessage) at_ = value.AsMessage();
  }

  // Goes into what Anys hold.
  bool OpenAnys() {
    while (at_->type().well_known() == wire::WellKnown::kAny) {
      const absl::StatusOr<wire::Message> opened = wire::Open(*at_, types_);
      if (!opened.ok() || opened->owns()) return false;  // its own bytes stand nowhere else
      at_ = opened->view();
    }
    return true;
  }

  wire::Types& types_;
  std::optional<wire::View> at_;       // nullopt: at no message
  std::optional<wire::Present> list_;  // of which an element or entry is to be picked
  const char* place_;
};

}  // namespace

std::size_t OffsetIn(const wire::View& root, const finding::Path& path, wire::Types& types) {
  Walk walk(root, types);
  for (const Path::Step& step : path.steps()) {
    if (!std::holds_alternative<Path::Type>(step) && !walk.Take(step)) break;
  }
  return static_cast<std::size_t>(walk.place() - root.bytes().data());
}

}  // namespace xdscope::format
