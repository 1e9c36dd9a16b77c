// Which elements of two lists belong together, so that one inserted in the middle is one difference and does not make
// all behind it differ. What both lists begin and end with is set aside. What is left goes by names, or by what else
// tells elements apart; where those are missing or repeat, by index. Takes time in proportion to the two lists: it
// looks for no longest common part.
//
// Knows of the API which lists have no order; knows neither paths nor secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "lib/base/status.h"
#include "lib/wire/view.h"

namespace xdscope::format {

// What an element goes by. Those of two elements are equal where the two are one and the same thing, changed or not.
struct Identity {
  std::string_view text;
  std::uint64_t number = 0;

  friend bool operator==(const Identity&, const Identity&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const Identity& identity) {
    return H::combine(std::move(hash), base::ToAbsl(identity.text), identity.number);
  }
};

// An element of the old list and the one of the new list that it became.
struct Pair {
  std::optional<std::size_t> before;  // nullopt: it is new
  std::optional<std::size_t> after;   // nullopt: it is gone
};

struct Pairs {
  std::vector<Pair> rows;  // without those of both ends, which are the same
  bool reordered = false;  // they go by identities, and stand in another order than before
};

// Pair the elements between equal ends; `first` is the index of the first one on both sides. Identities that repeat are
// none, and the elements go by index.
Pairs PairByIndex(std::size_t first, std::size_t before, std::size_t after);
Pairs PairByIdentity(std::size_t first, std::span<const Identity> before, std::span<const Identity> after);

// Pairs two lists. `same` tells whether two elements are equal, `identify` returns what one goes by, if anything.
template <typename Element, typename Same, typename Identify>
Pairs PairLists(std::span<const Element> before, std::span<const Element> after, const Same& same,
                const Identify& identify) {
  std::size_t first = 0;
  while (first < before.size() && first < after.size() && same(before[first], after[first])) ++first;
  before = before.subspan(first);
  after = after.subspan(first);
  while (!before.empty() && !after.empty() && same(before.back(), after.back())) {
    before = before.first(before.size() - 1);
    after = after.first(after.size() - 1);
  }
  const auto all_identified = [&identify](std::span<const Element> elements, std::vector<Identity>* found) {
    for (const Element& element : elements) {
      const std::optional<Identity> identity = identify(element);
      if (!identity) return false;
      found->push_back(*identity);
    }
    return true;
  };
  std::vector<Identity> old_ones, new_ones;
  const bool identified = all_identified(before, &old_ones) && all_identified(after, &new_ones);
  return identified ? PairByIdentity(first, old_ones, new_ones) : PairByIndex(first, before.size(), after.size());
}

// How the elements of a list are told apart.
struct ElementRule {
  using Way = std::vector<const wire::Field*>;  // from the element down to a field; empty: the element itself

  bool ordered = true;    // false: the API reads the list as a set
  std::vector<Way> ways;  // to what an element goes by; none: there is no such thing

  std::optional<Identity> IdentityOf(const wire::Value& element, wire::Types& types) const;
  // Returns the name of an element; nullopt where elements have none.
  std::optional<wire::Value> NameOf(const wire::Value& element) const;
};

// The rules of lists, each found once.
class ElementRules {
 public:
  // Returns the rule of a repeated field of `parent` that is no map.
  const ElementRule& Of(const wire::Type& parent, const wire::Field& list);

 private:
  absl::node_hash_map<const wire::Field*, ElementRule> rules_;  // a rule stays where it is
};

// A list that the API reads as a set.
struct UnorderedList {
  std::string_view message;  // full name
  std::string_view field;
  std::string_view way;     // to what an element goes by: "endpoint.address"; empty: the element itself
  std::string_view second;  // what else it goes by, if anything
};
std::span<const UnorderedList> UnorderedLists();

}  // namespace xdscope::format
