// What a format has to know: how to spell the events of a walk. A writer knows nothing of protobuf; the walker (walk.h)
// decides what is shown and under which key.
#pragma once

#include <cstdint>
#include <string_view>

namespace xdscope::format {

// Which forms messages have before a writer sees them.
enum class Mapping : std::uint8_t {
  // protobuf's JSON mapping: Any has "@type", maps are objects, Duration and its like are one value.
  kJson,
  // protobuf's text format: every message is its fields, a map is a list of entries, Any has one key, "[URL]".
  kText,
};

// Events come as in a JSON text: a value at the top, in an object each value after its key. All text is UTF-8. A writer
// cannot fail; what takes its output can (see Output).
class Writer {
 public:
  virtual ~Writer() = default;

  virtual Mapping mapping() const { return Mapping::kJson; }

  virtual void BeginObject() = 0;
  virtual void EndObject() = 0;
  virtual void BeginList() = 0;
  virtual void EndList() = 0;

  virtual void Key(std::string_view key) = 0;
  // Takes a key made of letters, digits and '_' only, the name of a field: it needs no escape in any format.
  virtual void NameKey(std::string_view name) { Key(name); }

  virtual void Text(std::string_view text) = 0;
  virtual void Bytes(std::string_view bytes) = 0;
  // Takes the name of an enum's value.
  virtual void Symbol(std::string_view name) { Text(name); }
  virtual void Int(std::int32_t value) = 0;
  virtual void Uint(std::uint32_t value) = 0;
  virtual void Int64(std::int64_t value) = 0;
  virtual void Uint64(std::uint64_t value) = 0;
  virtual void Float(float value) = 0;
  virtual void Double(double value) = 0;
  virtual void Bool(bool value) = 0;
  virtual void Null() = 0;

  // Takes a line for the reader, before a member of an object. Formats without comments leave it out.
  virtual void Comment(std::string_view) {}
};

// What a writer may do beside the text itself; the same for all formats.
struct Style {
  bool color = false;
};

}  // namespace xdscope::format
