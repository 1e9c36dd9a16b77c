// JSON objects member by member, for the forms of a report that are JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/format/json_writer.h"
#include "lib/format/output.h"
#include "lib/format/text.h"

namespace xdscope::cli {

class JsonMembers {
 public:
  JsonMembers(format::Output& out, format::JsonWriter::Layout layout) : writer_(out, layout) {}

  void Text(std::string_view key, std::string_view text) {
    std::string space;
    writer_.NameKey(key);
    writer_.Text(format::Repaired(text, space));
  }
  // Leaves out what is empty.
  void Optional(std::string_view key, std::string_view text) {
    if (!text.empty()) Text(key, text);
  }
  void Number(std::string_view key, std::size_t number) {
    writer_.NameKey(key);
    writer_.Uint(static_cast<std::uint32_t>(number));
  }
  // These begin an object or a list; without a key, as an element.
  void Object(std::string_view key = {}) {
    if (!key.empty()) writer_.NameKey(key);
    writer_.BeginObject();
  }
  void List(std::string_view key = {}) {
    if (!key.empty()) writer_.NameKey(key);
    writer_.BeginList();
  }
  void EndObject() { writer_.EndObject(); }
  void EndList() { writer_.EndList(); }

 private:
  format::JsonWriter writer_;
};

// Returns an output that adds to a text, which must outlive it. Flush() it at the end.
inline format::Output OutputInto(std::string* text) {
  return format::Output([text](std::string_view chunk) {
    text->append(chunk);
    return absl::OkStatus();
  });
}

}  // namespace xdscope::cli
