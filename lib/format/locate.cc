#include "lib/format/locate.h"

#include <charconv>
#include <optional>
#include <utility>

#include "lib/encode/tree.h"
#include "lib/format/json_reader.h"
#include "lib/format/text_reader.h"
#include "lib/format/yaml_reader.h"

namespace xdscope::format {
namespace {

using encode::Children;
using encode::Node;
using encode::NodeKind;

// A step of a path: a name, an index, a key of a map.
struct Step {
  enum class Kind : std::uint8_t { kName, kIndex, kKey } kind;
  std::string name;
  std::size_t index = 0;
};

// `"key"]` with the escapes of JSON, behind its '['; moves behind the ']'.
std::string TakeKey(std::string_view* path) {
  std::string key;
  path->remove_prefix(1);
  while (!path->empty() && path->front() != '"') {
    if (path->front() == '\\' && path->size() > 1) path->remove_prefix(1);
    if (path->front() == 'u' && path->size() > 4 && key.size() < key.max_size()) {
      unsigned code = 0;
      const bool escape = path->data()[-1] == '\\';
      const auto [end, error] = std::from_chars(path->data() + 1, path->data() + 5, code, 16);
      if (escape && error == std::errc() && end == path->data() + 5) {
        key.push_back(static_cast<char>(code));
        path->remove_prefix(5);
        continue;
      }
    }
    key.push_back(path->front());
    path->remove_prefix(1);
  }
  path->remove_prefix(
      std::min(path->size(), path->find(']') == std::string_view::npos ? path->size() : path->find(']') + 1));
  return key;
}

std::vector<Step> StepsOf(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    if (path.front() == '.') path.remove_prefix(1);
    if (path.starts_with("[\"")) {
      path.remove_prefix(1);
      steps.push_back({Step::Kind::kKey, TakeKey(&path)});
    } else if (path.starts_with('[')) {
      const std::size_t end = std::min(path.find(']'), path.size() - 1);
      Step step{Step::Kind::kKey, std::string(path.substr(1, end - 1))};
      const auto [at, error] = std::from_chars(path.data() + 1, path.data() + end, step.index);
      if (error == std::errc() && at == path.data() + end) step.kind = Step::Kind::kIndex;
      steps.push_back(std::move(step));
      path.remove_prefix(end + 1);
    } else {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      steps.push_back({Step::Kind::kName, std::string(path.substr(0, end))});
      path.remove_prefix(end);
    }
  }
  return steps;
}

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
struct Place {
  Node value;
  std::size_t offset;
};

// Follows one path. In text proto a list is several members of one name, and so several values at once.
class Walk {
 public:
  Walk(const Node& root, bool text) : text_(text), here_{{root, root.offset()}} {}

  // Goes on as far as the text does; returns where that is.
  std::size_t To(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (!Go(step) && !IsUnspoken(step)) break;
    }
    return here_.front().offset;
  }

 private:
  bool Go(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kName:
        return ToName(step.name);
      case Step::Kind::kIndex:
        return ToIndex(step.index);
      case Step::Kind::kKey:
        return ToKey(step.name);
    }
    return false;
  }

  // Names that the JSON forms of Struct and its like leave out.
  bool IsUnspoken(const Step& step) const {
    return !text_ && step.kind == Step::Kind::kName &&
           (step.name == "fields" || step.name == "struct_value" || step.name == "list_value" || step.name == "values");
  }

  // Of JSON's equal keys the last one counts; in text proto all of them do.
  bool ToName(const std::string& name) {
    const std::string camel = CamelCase(name);
    std::vector<Place> next;
    for (Children member(Opened(here_.back().value), encode::Hidden::kShow); member.Next();) {
      if (member.key() != name && (text_ || member.key() != camel)) continue;
      if (!text_) next.clear();
      next.push_back({member.value(), member.offset()});
    }
    return Take(std::move(next));
  }

  bool ToIndex(std::size_t index) {
    const Place first = here_.front();
    if (here_.size() == 1 && first.value.is(NodeKind::kList)) {
      std::size_t i = 0;
      for (Children element(first.value); element.Next(); ++i) {
        if (i == index) return Take({{element.value(), element.offset()}});
      }
      return false;
    }
    // The n-th member of the name; or one value in place of a list.
    return index < here_.size() && Take({here_[index]});
  }

  bool ToKey(const std::string& key) {
    for (const Place& place : here_) {
      std::vector<Place> next = text_ ? TextEntry(place, key) : Entry(place.value, key);
      if (!next.empty()) return Take(std::move(next));
    }
    return false;
  }

  static std::vector<Place> Entry(const Node& map, const std::string& key) {
    std::vector<Place> found;
    for (Children member(map); map.is(NodeKind::kMap) && member.Next();) {
      if (member.key() == key) found = {{member.value(), member.offset()}};
    }
    return found;
  }

  // An entry of a map is a message with a key and a value there.
  static std::vector<Place> TextEntry(const Place& entry, const std::string& key) {
    const Node entry_key = entry.value.Find("key");
    if (!entry_key.valid() || entry_key.text() != key) return {};
    const Node value = entry.value.Find("value");
    return {{value.valid() ? value : entry.value, entry.offset}};
  }

  // What stands in an expanded Any of text proto.
  Node Opened(Node node) const {
    while (text_ && node.is(NodeKind::kMap)) {
      Children first(node);
      if (!first.Next() || !first.key().starts_with('[')) break;
      node = first.value();
    }
    return node;
  }

  bool Take(std::vector<Place> next) {
    if (next.empty()) return false;
    here_ = std::move(next);
    return true;
  }

  bool text_;
  std::vector<Place> here_;
};

// The trees of a text's documents, one after another.
class Documents {
 public:
  Documents(std::string_view text, Format format) : json_(text, &problems_), text_(text, &problems_), format_(format) {
    if (format == Format::kYaml) yaml_.emplace(text, &problems_);
  }

  // False: no more. A broken document comes as far as it goes.
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

  encode::Problems problems_{1};
  JsonReader json_;
  TextReader text_;
  std::optional<YamlReader> yaml_;
  Format format_;
  bool done_ = false;
};

}  // namespace

std::vector<Position> Locate(std::string_view text, Format format, std::span<const FieldPath> paths) {
  std::vector<Position> positions(paths.size());
  if (format == Format::kBinary || paths.empty()) return positions;
  std::size_t last = 0;
  for (const FieldPath& path : paths) last = std::max(last, path.document);
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> found;  // which path each offset is of
  Documents documents(text, format);
  encode::Tree tree;
  for (std::size_t document = 0; document <= last && documents.Next(&tree); ++document) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].document != document) continue;
      offsets.push_back(Walk(tree.root(), format == Format::kText).To(StepsOf(paths[i].path)));
      found.push_back(i);
    }
  }
  const std::vector<Position> places = PositionsOf(text, offsets);
  for (std::size_t i = 0; i < found.size(); ++i) positions[found[i]] = places[i];
  return positions;
}

}  // namespace xdscope::format
