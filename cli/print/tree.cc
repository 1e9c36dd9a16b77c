#include "cli/print/tree.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "cli/print/words.h"
#include "lib/protocol/names.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

using Key = std::pair<std::string, std::string>;  // type URL and name

constexpr std::size_t kMaxLevels = 100;

// Builds the tree in two passes. The first finds every reference, and with that which resources have something above
// them; the second walks down from those that have not. References may form circles and meet again, so a resource shows
// what is below it at the first place only, which also bounds the work by the number of references. Chains of
// references may be as long as a server likes, so a tree ends at kMaxLevels, and what is below is passed over without
// recursion.
class TreeBuilder {
 public:
  TreeBuilder(const resource::Snapshot& snapshot, resource::ReferenceFinder& references, const WasAsked& was_asked)
      : snapshot_(snapshot), was_asked_(was_asked) {
    for (const auto& [type_url, state] : snapshot.types()) {
      for (const auto& [name, held] : state.resources) AddReferences({type_url, name}, held, references);
    }
  }

  Tree Build() {
    Tree tree;
    for (const auto& [type_url, state] : snapshot_.types()) {
      for (const auto& [name, held] : state.resources) {
        const Key key{type_url, name};
        if (IsListener(type_url) || !referred_.contains(key)) tree.roots.push_back(NodeOf(key, 1));
      }
    }
    AddUnreached(&tree.roots);
    tree.missing = missing_.size();
    return tree;
  }

 private:
  static bool IsListener(std::string_view type_url) {
    const types::KnownType* known = types::FindByUrl(type_url);
    return known != nullptr && known->short_name == "lds";
  }

  // What a line says of a resource that did not come.
  std::string NoteOnAbsent(const resource::Reference& reference) {
    if (reference.origin == resource::Origin::kStatic) return "(static)";
    if (reference.origin == resource::Origin::kElsewhere) return fmt::format("(elsewhere: {})", reference.elsewhere);
    if (!was_asked_(reference.type_url, reference.name)) return "(not fetched)";
    missing_.emplace(reference.type_url, reference.name);
    return "(missing)";
  }

  void AddReferences(const Key& key, const resource::Resource& held, resource::ReferenceFinder& references) {
    if (!held.message.ok()) return;
    std::vector<resource::Reference> found = references.Find(key.first, held.message->view(), held.name);
    for (const resource::Reference& reference : found) {
      if (reference.name.empty()) {
        NoteAll(reference.type_url);
      } else if (const Key target = TargetOf(reference); target != key) {
        referred_.insert(target);
        const std::vector<Key>& members = MembersOf(target);
        referred_.insert(members.begin(), members.end());
      }
    }
    if (!found.empty()) references_.emplace(key, std::move(found));
  }

  // Notes that everything of a type is referred to.
  void NoteAll(const std::string& type_url) {
    if (!all_referred_.insert(type_url).second) return;
    const auto type = snapshot_.types().find(type_url);
    if (type == snapshot_.types().end()) return;
    for (const auto& [name, held] : type->second.resources) referred_.emplace(type_url, name);
  }

  // Returns what a reference means. v2 messages refer to types that a server may send in v3 and the reverse, so it goes
  // to what is held under its type in either version.
  Key TargetOf(const resource::Reference& reference) const {
    const types::KnownType* known = types::FindByUrl(reference.type_url);
    if (known != nullptr && snapshot_.Find(reference.type_url, reference.name) == nullptr) {
      for (const types::ApiNames* names : {&known->v3, &known->v2}) {
        const std::string url(names->type_url);
        if (snapshot_.Find(url, reference.name) != nullptr) return {url, reference.name};
      }
    }
    return {reference.type_url, reference.name};
  }

  format::TreeNode NodeOf(const Key& key, std::size_t level) {
    format::TreeNode node{.label = ResourceWord(key.first, key.second), .note = {}, .children = {}};
    const auto found = references_.find(key);
    if (found == references_.end()) {
      reached_.insert(key);
      return node;
    }
    if (!reached_.insert(key).second) {
      node.note = "(see above)";
      return node;
    }
    if (level == kMaxLevels) {
      node.note = "…";
      PassOver(key);
      return node;
    }
    for (const resource::Reference& reference : found->second) AddChild(key, reference, level + 1, &node);
    return node;
  }

  // Returns what is held of what a reference means, in the order of names.
  std::vector<Key> HeldTargets(const resource::Reference& reference) const {
    if (!reference.name.empty()) {
      const Key target = TargetOf(reference);
      return snapshot_.Find(target.first, target.second) == nullptr ? std::vector<Key>() : std::vector<Key>{target};
    }
    std::vector<Key> targets;
    if (const auto type = snapshot_.types().find(reference.type_url); type != snapshot_.types().end()) {
      for (const auto& [name, held] : type->second.resources) targets.emplace_back(type->first, name);
    }
    return targets;
  }

  // Returns what is held of what a glob of xdstp names stands for, in the order of names.
  const std::vector<Key>& MembersOf(const Key& glob) {
    static const std::vector<Key> kNone;
    if (!protocol::IsGlob(glob.second)) return kNone;
    const auto type = snapshot_.types().find(glob.first);
    if (type == snapshot_.types().end()) return kNone;
    std::map<std::string, std::vector<Key>>& by_glob = members_[glob.first];
    if (by_glob.empty()) {
      for (const auto& [name, held] : type->second.resources) {
        if (protocol::IsXdstp(name)) by_glob[protocol::GlobOver(name)].emplace_back(glob.first, name);
      }
    }
    return by_glob[glob.second];
  }

  // Takes note of all that is below a resource, so that it does not become roots of its own.
  void PassOver(const Key& key) {
    std::vector<Key> open = {key};
    while (!open.empty()) {
      const auto found = references_.find(open.back());
      open.pop_back();
      if (found == references_.end()) continue;
      for (const resource::Reference& reference : found->second) {
        if (reference.name.empty() && !passed_types_.insert(reference.type_url).second) continue;
        for (Key& target : HeldTargets(reference)) {
          if (passed_over_.insert(target).second) open.push_back(std::move(target));
        }
      }
    }
  }

  void AddChild(const Key& parent, const resource::Reference& reference, std::size_t level, format::TreeNode* node) {
    if (reference.name.empty()) return AddAll(reference, level, node);
    const Key target = TargetOf(reference);
    if (target == parent) return;
    if (snapshot_.Find(target.first, target.second) != nullptr) {
      node->children.push_back(NodeOf(target, level));
      return;
    }
    const std::vector<Key>& members = MembersOf(target);
    for (const Key& member : members) node->children.push_back(NodeOf(member, level));
    if (!members.empty()) return;
    node->children.push_back(
        {.label = ResourceWord(target.first, target.second), .note = NoteOnAbsent(reference), .children = {}});
  }

  // Adds what a reference to everything of a type leads to: scopes, virtual hosts.
  void AddAll(const resource::Reference& reference, std::size_t level, format::TreeNode* node) {
    const std::vector<Key> targets = HeldTargets(reference);
    const bool shown = !shown_types_.insert(reference.type_url).second;
    if (shown || targets.empty()) {
      const bool asked = was_asked_(reference.type_url, "");
      const std::string_view note = !targets.empty() ? "(see above)" : asked ? "(none)" : "(not fetched)";
      node->children.push_back(
          {.label = ResourceWord(reference.type_url, ""), .note = std::string(note), .children = {}});
      return;
    }
    for (const Key& target : targets) node->children.push_back(NodeOf(target, level));
  }

  // Adds resources that refer to one another in a circle, to which no root leads.
  void AddUnreached(std::vector<format::TreeNode>* roots) {
    for (const auto& [type_url, state] : snapshot_.types()) {
      for (const auto& [name, held] : state.resources) {
        const Key key{type_url, name};
        if (!reached_.contains(key) && !passed_over_.contains(key)) roots->push_back(NodeOf(key, 1));
      }
    }
  }

  const resource::Snapshot& snapshot_;
  const WasAsked& was_asked_;
  std::set<Key> missing_;
  std::map<std::string, std::map<std::string, std::vector<Key>>> members_;  // by type and glob
  std::map<Key, std::vector<resource::Reference>> references_;
  std::set<Key> referred_;
  std::set<Key> reached_;
  std::set<Key> passed_over_;
  std::set<std::string> all_referred_;  // types of which everything is referred to
  std::set<std::string> shown_types_;   // … and is shown
  std::set<std::string> passed_types_;  // … and is passed over
};

}  // namespace

Tree TreeOf(const resource::Snapshot& snapshot, resource::ReferenceFinder& references, const WasAsked& was_asked) {
  return TreeBuilder(snapshot, references, was_asked).Build();
}

}  // namespace xdscope::cli
