// What differs between two messages of one type, as a list of changes: what an Any, a Struct or a map holds is compared
// as what it says, not as bytes. Compares first and hides then: a secret that changed is said to have changed, and
// neither value is shown.
//
// It stands here and not in lib/wire because a change has a finding::Path and shows its values as the walk does, and
// because what is hidden depends on all that stands around a value.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/resource_wrapper.h"
#include "lib/finding/path.h"
#include "lib/format/elements.h"
#include "lib/format/output.h"
#include "lib/format/secrets.h"
#include "lib/format/walk.h"
#include "lib/wire/view.h"

namespace xdscope::format {

// A value that is not shown, in a Change.
inline constexpr std::string_view kHiddenValue = R"("[redacted]")";

// One difference. The values are compact JSON with the secrets hidden; two that look alike differ in what is hidden.
struct Change {
  finding::Path path;                 // in the new message; in the old one for what is gone
  std::optional<std::string> before;  // nullopt: it was not there
  std::optional<std::string> after;   // nullopt: it is not there any more
  bool order = false;  // the elements of a list stand in another order: the values are lists of their names
};

// Compares messages as wire::Equal() does, and hands over each change as it is found: fields by ascending number, maps
// by key, lists by index after what is gone of them (elements.h says which elements belong together). There is none
// between equal messages, and none where only the order of a list differs that has no order. In detail:
//
//   * A message that is there on one side only is one change, and so is each element of a list and entry of a map.
//   * The types with a JSON form of their own are one value, but for Struct, ListValue and Value, which are compared as
//     the JSON that they say. Any of one type are compared inside; of two types, or unreadable, they are one value.
//   * Unknown fields are compared as bytes; their path is `@unknown.NUMBER`.
//
// Takes time and memory in proportion to both messages, and time in proportion to the paths of the changes, of which it
// keeps none. Opens an Any as deep as a walk does.
class Differ {
 public:
  using OnChange = std::function<void(const Change& change)>;

  // Of `options` those count that say how values look; unknown fields are always shown. `types` must live longer.
  Differ(wire::Types& types, const WalkOptions& options, OnChange on_change);

  // Compares two messages of one type.
  void Messages(const wire::View& before, const wire::View& after) { Messages(before, after, {}); }
  // Compares what two Any hold. `response_type`: of the response that they stand in, where they are in one.
  void Anys(const base::AnyView& before, const base::AnyView& after, std::string_view response_type = {});

 private:
  // Where a comparison stands, on both sides.
  struct Places {
    WalkState before;
    WalkState after;
  };
  // A step of the path, as long as it lives.
  class Step;

  // Each takes the places outside of what it compares; Contents() and UnknownFields() those inside of the message.
  void Messages(const wire::View& before, const wire::View& after, Places at);
  void Members(const wire::View& before, const wire::View& after, Places at);
  void Field(const wire::View& before, const wire::View& after, const wire::Present* left, const wire::Present* right,
             Places at);
  void Values(const std::optional<wire::Value>& before, const std::optional<wire::Value>& after, Places at);
  void Map(const wire::Present* before, const wire::Present* after, Places at);
  void Entries(const wire::Field& map, const wire::Present* before, const wire::Present* after, Places at);
  void List(const wire::Type& parent, const wire::Present* before, const wire::Present* after, Places at);
  void Order(const Pairs& pairs, std::span<const wire::Value> before, std::span<const wire::Value> after,
             const ElementRule& rule, Places at);
  void OneValue(const wire::View& before, const wire::View& after, Places at);
  void JsonValue(const wire::View& before, const wire::View& after, Places at);
  void Any(const wire::View& before, const wire::View& after, Places at);
  void Contents(const base::AnyView& before, const base::AnyView& after, bool may_open, Places at);
  void UnknownFields(const wire::View& before, const wire::View& after, Places at);
  void Unknown(const wire::UnknownField* before, const wire::UnknownField* after, bool show_before, bool show_after);

  Places Inside(const wire::View& before, const wire::View& after, Places at);
  // Tells whether two elements of a list are equal.
  bool Same(const wire::Value& a, const wire::Value& b);
  void Report(std::optional<std::string> before, std::optional<std::string> after, bool order = false);
  // Each returns something as a walk writes it, in compact JSON.
  std::string Written(const std::function<void(Walker& walker)>& write);
  std::string Written(const wire::Value& value, WalkState at);
  std::string Written(const wire::View& message, WalkState at);
  std::string Written(const wire::UnknownField& field, bool show);
  // Returns the names of elements of a list.
  std::string NamesOf(const std::vector<wire::Value>& elements, const ElementRule& rule, WalkState at);

  wire::Types& types_;
  WalkOptions options_;
  OnChange on_change_;
  Secrets secrets_;
  ElementRules rules_;
  std::vector<finding::Path::Step> path_;
  int lists_ = 0;         // that are being compared, one in another
  bool silent_ = false;   // changes are noted, and not handed over
  bool changed_ = false;  // one was noted
  std::string text_;      // of the value that is being written
  Output out_;            // writes to text_
};

}  // namespace xdscope::format
