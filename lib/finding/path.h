// A path from a message to something below it, as a value: fields, indexes of lists, keys of maps. Every layer that
// says where something stands (decoding, readers, rules, differences) builds one of these, and only ToText() prints it.
// Knows no schema.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace xdscope::finding {

class Path {
 public:
  struct Field {
    std::string name;  // as in the .proto file
    friend bool operator==(const Field&, const Field&) = default;
  };
  struct Index {
    std::size_t value = 0;
    friend bool operator==(const Index&, const Index&) = default;
  };
  struct Key {
    std::string text;  // a map's key; numbers and booleans as JSON writes them
    friend bool operator==(const Key&, const Key&) = default;
  };
  // What the Any holds to which the path leads so far. It is for people: nothing is found by it.
  struct Type {
    std::string name;  // full
    friend bool operator==(const Type&, const Type&) = default;
  };
  using Step = std::variant<Field, Index, Key, Type>;

  Path() = default;
  explicit Path(std::vector<Step> steps) : steps_(std::move(steps)) {}

  // Each adds one step at the end and returns the path itself, so that steps can be chained.
  Path& AddField(std::string_view name);
  Path& AddIndex(std::size_t index);
  Path& AddKey(std::string_view key);
  Path& AddType(std::string_view full_name);
  // Puts `text` in the place of every key.
  void HideKeys(std::string_view text);
  // Adds all steps of `below` at the end.
  Path& Append(const Path& below);

  bool empty() const { return steps_.empty(); }
  const std::vector<Step>& steps() const { return steps_; }
  friend bool operator==(const Path&, const Path&) = default;

 private:
  std::vector<Step> steps_;
};

// Prints `resources[0].filter_metadata["a.b"]`; an empty path is an empty text. A field name that is no identifier is
// printed like a key. Quotes, backslashes and control characters of keys are escaped as in JSON.
// Types are left out.
std::string ToText(const Path& path);
// Prints the same with the types, without their packages: `filters[0].typed_config<TcpProxy>.cluster`.
std::string ToTypedText(const Path& path);

}  // namespace xdscope::finding
