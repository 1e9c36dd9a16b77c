// YAML in block style, for readers of YAML 1.1 and 1.2 alike: what a person reads, and what Envoy and every YAML
// library read back to the same values as the JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/format/colors.h"
#include "lib/format/output.h"
#include "lib/format/writer.h"

namespace xdscope::format {

class YamlWriter final : public Writer {
 public:
  // `out` must live longer. Each value at the top is a whole document and ends with a line end; "---" between documents
  // is the caller's.
  explicit YamlWriter(Output& out, Style style = {}) : out_(out), color_(style.color) {}

  void BeginObject() override { Begin(false); }
  void EndObject() override { End("{}"); }
  void BeginList() override { Begin(true); }
  void EndList() override { End("[]"); }
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
  void Bool(bool value) override { Scalar(value ? "true" : "false", kWordColor); }
  void Null() override { Scalar("null", kWordColor); }

 private:
  // An object or list that is open.
  struct Frame {
    bool list = false;
    bool empty = true;
    std::size_t column = 0;  // of its keys or dashes
  };
  // What stands before the next value.
  enum class Before : std::uint8_t { kNothing, kKey, kDash };

  void Begin(bool list);
  void End(std::string_view empty);
  // Goes to where the next key or dash of the innermost frame stands.
  void NextLine();
  // Writes the dash when the value is in a list, and the blank when it follows on the line of its key.
  void BeforeScalar();
  void AfterValue();
  void AfterKey() {
    out_.Append(':');
    before_ = Before::kKey;
  }
  // A value of one line that needs no quotes.
  void Scalar(std::string_view text, std::string_view color);
  template <typename T>
  void Real(T value);
  void Color(std::string_view code) {
    if (color_) out_.Append(code);
  }

  Output& out_;
  bool color_;
  Before before_ = Before::kNothing;
  std::vector<Frame> frames_;
};

}  // namespace xdscope::format
