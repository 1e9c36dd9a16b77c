// JSON, indented by two blanks as jq does or all on one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/format/colors.h"
#include "lib/format/output.h"
#include "lib/format/writer.h"

namespace xdscope::format {

class JsonWriter final : public Writer {
 public:
  enum class Layout : std::uint8_t { kIndented, kCompact };

  // `out` must live longer. Nothing is written around the values: lines between JSON texts are the caller's.
  JsonWriter(Output& out, Layout layout, Style style = {}) : out_(out), layout_(layout), color_(style.color) {}

  void BeginObject() override { Begin('{'); }
  void EndObject() override { End('}'); }
  void BeginList() override { Begin('['); }
  void EndList() override { End(']'); }
  void Key(std::string_view key) override;
  void NameKey(std::string_view name) override;
  void Text(std::string_view text) override;
  void Bytes(std::string_view bytes) override;
  void Int(std::int32_t value) override;
  void Uint(std::uint32_t value) override;
  void Int64(std::int64_t value) override;
  void Uint64(std::uint64_t value) override;
  void Float(float value) override;
  void Double(double value) override;
  void Bool(bool value) override { Word(value ? "true" : "false"); }
  void Null() override { Word("null"); }
  // Writes a value that is JSON already, as it is.
  void Json(std::string_view value);

 private:
  void Begin(char bracket);
  void End(char bracket);
  // Writes what stands before a value: nothing after a key, else as before a key.
  void BeforeValue();
  // Writes comma, line break and indentation, and makes room for `more` bytes behind them.
  char* NextLine(std::size_t more);
  char* Indent(char* to) const;
  void Word(std::string_view word);
  template <typename T>
  void Number(T value);
  template <typename T>
  void Quoted(T value);
  template <typename T>
  void Real(T value);
  void Color(std::string_view code) {
    if (color_) out_.Append(code);
  }

  Output& out_;
  Layout layout_;
  bool color_;
  bool first_ = true;      // nothing stands in the innermost object or list yet
  bool after_key_ = true;  // the next value follows on the same line
  std::size_t level_ = 0;
};

}  // namespace xdscope::format
