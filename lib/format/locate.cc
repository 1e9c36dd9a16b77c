#include "lib/format/locate.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "lib/base/status.h"
#include "lib/encode/tree.h"
#include "lib/format/json_reader.h"
#include "lib/format/position.h"
#include "lib/format/text_reader.h"
#include "lib/format/yaml_reader.h"

namespace xdscope::format {
namespace {

using encode::Children;
using encode::Node;
using encode::NodeKind;
using finding::Path;

// How it works: the paths of all findings become one tree, and one search goes down the text's tree and the paths' tree
// together. Positions are looked up here and not remembered while reading, since rules look at wire bytes, which have
// none, and most files have no finding at all.
//
// A text may spell a field by its proto name or its JSON name, so both are looked for.
std::string CamelCase(std::string_view name) {
  std::string camel;
  bool upper = false;
  for (const char c : name) {
    if (c != '_') camel.push_back(upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    upper = c == '_';
  }
  return camel;
}

// A value, and where what names it begins: its key, or in a list the value itself.
struct Written {
  Node value;
  std::size_t offset;
};

// The paths of one document as a tree: paths that begin with the same steps share them.
class PathTree {
 public:
  using Id = std::uint32_t;
  static constexpr Id kRoot = 0;

  struct Branch {
    const Path::Step* step = nullptr;  // none at the root
    std::vector<Id> below;
    std::vector<std::size_t> ends;  // the paths that end here
  };

  PathTree() : branches_(1) {}

  // The path must outlive the tree.
  void Add(const Path& path, std::size_t number) {
    Id at = kRoot;
    for (const Path::Step& step : path.steps()) {
      if (!std::holds_alternative<Path::Type>(step)) at = Below(at, step);
    }
    branches_[at].ends.push_back(number);
  }
  const Branch& at(Id id) const { return branches_[id]; }

 private:
  using Key = std::tuple<Id, std::size_t, std::string_view, std::size_t>;

  Id Below(Id parent, const Path::Step& step) {
    Key key{parent, step.index(), {}, 0};
    if (const auto* field = std::get_if<Path::Field>(&step)) std::get<2>(key) = field->name;
    if (const auto* entry = std::get_if<Path::Key>(&step)) std::get<2>(key) = entry->text;
    if (const auto* index = std::get_if<Path::Index>(&step)) std::get<3>(key) = index->value;
    const auto [found, fresh] = ids_.try_emplace(key, static_cast<Id>(branches_.size()));
    if (fresh) {
      branches_.push_back({&step, {}, {}});
      branches_[parent].below.push_back(found->second);
    }
    return found->second;
  }

  std::vector<Branch> branches_;
  std::map<Key, Id> ids_;
};

// Follows all paths of a document at once. At each branch of the tree of paths it goes through the members or elements
// of the value there once, however many steps lead on, and looks each of them up among the steps; following one path
// after another would go through a list of n elements for each of n paths. In text proto a list is several members of
// one name, so a branch may stand at several values.
class Search {
 public:
  // `begin`: where the text of the tree begins in the whole.
  Search(const PathTree& paths, bool text, std::vector<std::optional<std::size_t>>* offsets, std::size_t begin = 0)
      : paths_(paths), text_(text), offsets_(*offsets), begin_(begin) {}

  // Keeps what is still to visit in a list of its own: a path is as long as whoever made it liked, and our stack is
  // not.
  void From(const Node& root) {
    open_.push_back({PathTree::kRoot, {{root, root.offset()}}, false});
    while (!open_.empty()) {
      const Stand here = std::move(open_.back());
      open_.pop_back();
      Visit(here);
    }
  }

 private:
  // A branch and the values that it stands for. `stuck`: the text went no further before it.
  struct Stand {
    PathTree::Id branch;
    std::vector<Written> values;
    bool stuck;
  };
  // The steps that lead on from a branch, by what they look for, and what was found for each.
  struct Steps {
    absl::flat_hash_map<std::string, std::vector<std::size_t>> fields;  // by their names here
    absl::flat_hash_map<absl::string_view, std::size_t> keys;
    absl::flat_hash_map<std::size_t, std::size_t> indexes;
    std::vector<std::vector<Written>> found;
  };

  void Visit(const Stand& here) {
    const PathTree::Branch& branch = paths_.at(here.branch);
    for (const std::size_t path : branch.ends) offsets_[path] = begin_ + here.values.front().offset;
    if (branch.below.empty()) return;
    Steps steps;
    steps.found.resize(branch.below.size());
    if (!here.stuck) Find(here, branch, &steps);
    for (std::size_t i = 0; i < branch.below.size(); ++i) {
      const bool found = !steps.found[i].empty();
      const bool stuck = here.stuck || (!found && !IsUnspoken(*paths_.at(branch.below[i]).step));
      // Where nothing was found there is either one value, or nothing to find below and the first says where.
      std::vector<Written> values = found ? std::move(steps.found[i]) : std::vector<Written>{here.values.front()};
      open_.push_back({branch.below[i], std::move(values), stuck});
    }
  }

  void Find(const Stand& here, const PathTree::Branch& branch, Steps* steps) const {
    for (std::size_t i = 0; i < branch.below.size(); ++i) {
      const Path::Step& step = *paths_.at(branch.below[i]).step;
      if (const auto* field = std::get_if<Path::Field>(&step)) {
        steps->fields[field->name].push_back(i);
        const std::string camel = text_ ? field->name : CamelCase(field->name);
        if (camel != field->name) steps->fields[camel].push_back(i);
      }
      if (const auto* key = std::get_if<Path::Key>(&step)) steps->keys[base::ToAbsl(key->text)] = i;
      if (const auto* index = std::get_if<Path::Index>(&step)) steps->indexes[index->value] = i;
    }
    if (!steps->fields.empty()) FindFields(here, steps);
    if (!steps->keys.empty()) FindKeys(here, steps);
    if (!steps->indexes.empty()) FindIndexes(here, steps);
  }

  // Of JSON's equal keys the last one counts; in text proto all of them do.
  void FindFields(const Stand& here, Steps* steps) const {
    for (Children member(Opened(here.values.back().value), encode::Hidden::kShow); member.Next();) {
      const auto wanted = steps->fields.find(base::ToAbsl(member.key()));
      if (wanted == steps->fields.end()) continue;
      for (const std::size_t i : wanted->second) {
        if (!text_) steps->found[i].clear();
        steps->found[i].push_back({member.value(), member.offset()});
      }
    }
  }

  // An entry of a map is a message with a key and a value in text proto; there the first of equal keys counts.
  void FindKeys(const Stand& here, Steps* steps) const {
    const auto find = [steps](std::string_view key) -> std::vector<Written>* {
      const auto wanted = steps->keys.find(base::ToAbsl(key));
      return wanted == steps->keys.end() ? nullptr : &steps->found[wanted->second];
    };
    for (const Written& place : here.values) {
      if (text_) {
        const Node key = place.value.Find("key");
        std::vector<Written>* found = key.valid() ? find(key.text()) : nullptr;
        if (found == nullptr || !found->empty()) continue;
        const Node value = place.value.Find("value");
        *found = {{value.valid() ? value : place.value, place.offset}};
      } else if (place.value.is(NodeKind::kMap)) {
        for (Children member(place.value); member.Next();) {
          if (std::vector<Written>* found = find(member.key())) *found = {{member.value(), member.offset()}};
        }
      }
    }
  }

  // The n-th element of a list, or the n-th member of the name; one value may stand in place of a list.
  void FindIndexes(const Stand& here, Steps* steps) const {
    const auto find = [steps](std::size_t index, Written written) {
      const auto wanted = steps->indexes.find(index);
      if (wanted != steps->indexes.end()) steps->found[wanted->second] = {written};
    };
    std::size_t index = 0;
    const bool list = here.values.size() == 1 && here.values.front().value.is(NodeKind::kList);
    if (!list) {
      for (const Written& written : here.values) find(index++, written);
      return;
    }
    for (Children element(here.values.front().value); element.Next();) {
      find(index++, {element.value(), element.offset()});
    }
  }

  // Returns true for names that the JSON forms of Struct and its like leave out.
  bool IsUnspoken(const Path::Step& step) const {
    const auto* field = std::get_if<Path::Field>(&step);
    return !text_ && field != nullptr &&
           (field->name == "fields" || field->name == "struct_value" || field->name == "list_value" ||
            field->name == "values");
  }

  // Returns what stands in an expanded Any of text proto; any other value as it is.
  Node Opened(Node node) const {
    while (text_ && node.is(NodeKind::kMap)) {
      Children first(node);
      if (!first.Next() || !first.key().starts_with('[')) break;
      node = first.value();
    }
    return node;
  }

  const PathTree& paths_;
  bool text_;
  std::vector<std::optional<std::size_t>>& offsets_;  // by path; none where the document is missing
  std::size_t begin_;
  std::vector<Stand> open_;
};

// The trees of a text's documents, one after another.
class Documents {
 public:
  Documents(std::string_view text, Format format) : json_(text, &findings_), text_(text, &findings_), format_(format) {
    if (format == Format::kYaml) yaml_.emplace(text, &findings_);
  }

  // Returns false when there are no more. A broken document comes as far as it goes.
  bool Next(encode::Tree* tree) {
    do {
      if (!NextOne(tree)) return false;
    } while (format_ == Format::kYaml && tree->root().is(NodeKind::kNull));  // that is none to Read() either
    return true;
  }

 private:
  bool NextOne(encode::Tree* tree) {
    tree->Clear();
    if (done_) return false;
    if (format_ == Format::kJson) {
      done_ = json_.Peek() == 0 || !json_.Value(tree);
    } else if (format_ == Format::kYaml) {
      done_ = !yaml_->Next(tree);
    } else {
      done_ = !text_.Next(tree);
    }
    return tree->root().valid();
  }

  encode::Findings findings_{1};
  JsonReader json_;
  TextReader text_;
  std::optional<YamlReader> yaml_;
  Format format_;
  bool done_ = false;
};

// Turns places into positions; a place that is not known has none.
std::vector<finding::Position> PositionsOfPlaces(std::string_view text,
                                                 const std::vector<std::optional<std::size_t>>& places) {
  std::vector<std::size_t> offsets;
  for (const std::optional<std::size_t>& place : places) offsets.push_back(place.value_or(0));
  std::vector<finding::Position> positions = PositionsOf(text, offsets);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) positions[i] = {};
  }
  return positions;
}

}  // namespace

std::vector<finding::Position> Locate(std::string_view text, Format format, std::span<const FieldPath> paths) {
  if (format == Format::kBinary) return std::vector<finding::Position>(paths.size());
  std::map<std::size_t, PathTree> by_document;
  for (std::size_t i = 0; i < paths.size(); ++i) by_document[paths[i].document].Add(paths[i].path, i);
  std::vector<std::optional<std::size_t>> places(paths.size());
  Documents documents(text, format);
  encode::Tree tree;
  std::size_t next = 0;  // document to read
  for (const auto& [document, wanted] : by_document) {
    bool there = true;
    for (; there && next <= document; ++next) there = documents.Next(&tree);
    if (!there) break;
    Search(wanted, format == Format::kText, &places).From(tree.root());
  }
  return PositionsOfPlaces(text, places);
}

std::vector<finding::Position> LocateInJson(std::string_view text, std::span<const PathInValue> paths) {
  std::map<std::size_t, PathTree> by_value;
  for (std::size_t i = 0; i < paths.size(); ++i) by_value[paths[i].offset].Add(paths[i].path, i);
  std::vector<std::optional<std::size_t>> places(paths.size());
  encode::Tree tree;
  for (const auto& [offset, wanted] : by_value) {
    encode::Findings findings(1);
    JsonReader reader(text.substr(offset), &findings);
    tree.Clear();
    if (reader.Value(&tree)) Search(wanted, false, &places, offset).From(tree.root());
  }
  return PositionsOfPlaces(text, places);
}

}  // namespace xdscope::format
