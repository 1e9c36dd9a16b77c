#include "lib/finding/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace xdscope::finding {
namespace {

bool IsIdentifier(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '@';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain);
}

// Prints one path step after another.
class Printer {
 public:
  explicit Printer(bool types) : types_(types) {}

  void operator()(const Path::Field& field) {
    if (!IsIdentifier(field.name)) return PrintKey(field.name);
    if (!text_.empty()) text_.push_back('.');
    text_.append(field.name);
  }
  void operator()(const Path::Index& index) { fmt::format_to(std::back_inserter(text_), "[{}]", index.value); }
  void operator()(const Path::Key& key) { PrintKey(key.text); }
  void operator()(const Path::Type& type) {
    if (types_) fmt::format_to(std::back_inserter(text_), "<{}>", type.name.substr(type.name.rfind('.') + 1));
  }

  std::string Take() { return std::move(text_); }

 private:
  void PrintKey(std::string_view key) {
    text_.append("[\"");
    for (const char c : key) {
      if (c == '"' || c == '\\') text_.push_back('\\');
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned>(c));
      } else {
        text_.push_back(c);
      }
    }
    text_.append("\"]");
  }

  bool types_;
  std::string text_;
};

std::string Printed(const Path& path, bool types) {
  Printer printer(types);
  for (const Path::Step& step : path.steps()) std::visit(printer, step);
  return printer.Take();
}

}  // namespace

Path& Path::AddField(std::string_view name) {
  steps_.emplace_back(Field{std::string(name)});
  return *this;
}

Path& Path::AddIndex(std::size_t index) {
  steps_.emplace_back(Index{index});
  return *this;
}

Path& Path::AddKey(std::string_view key) {
  steps_.emplace_back(Key{std::string(key)});
  return *this;
}

Path& Path::AddType(std::string_view full_name) {
  steps_.emplace_back(Type{std::string(full_name)});
  return *this;
}

void Path::HideKeys(std::string_view text) {
  for (Step& step : steps_) {
    if (Key* key = std::get_if<Key>(&step)) key->text = text;
  }
}

Path& Path::Append(const Path& below) {
  steps_.insert(steps_.end(), below.steps_.begin(), below.steps_.end());
  return *this;
}

std::string ToText(const Path& path) {
  return Printed(path, false);
}

std::string ToTypedText(const Path& path) {
  return Printed(path, true);
}

}  // namespace xdscope::finding
