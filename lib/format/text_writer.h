// protobuf's text format, with every Any that can be opened expanded: what protobuf's own TextFormat parser reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/format/colors.h"
#include "lib/format/output.h"
#include "lib/format/writer.h"

namespace xdscope::format {

class TextWriter final : public Writer {
 public:
  // `out` must live longer. The value at the top is a message: its fields, each on its line.
  explicit TextWriter(Output& out, Style style = {}) : out_(out), color_(style.color) {}

  Mapping mapping() const override { return Mapping::kText; }

  void BeginObject() override;
  void EndObject() override;
  void BeginList() override { lists_.push_back(key_); }
  void EndList() override { lists_.pop_back(); }
  void Key(std::string_view key) override { key_ = key; }
  void Text(std::string_view text) override;
  void Bytes(std::string_view bytes) override;
  void Symbol(std::string_view name) override { Scalar(name, kWordColor); }
  void Int(std::int32_t value) override { Int64(value); }
  void Uint(std::uint32_t value) override { Uint64(value); }
  void Int64(std::int64_t value) override;
  void Uint64(std::uint64_t value) override;
  void Float(float value) override;
  void Double(double value) override;
  void Bool(bool value) override { Scalar(value ? "true" : "false", kWordColor); }
  void Null() override { Scalar("NULL_VALUE", kWordColor); }
  void Comment(std::string_view text) override;

 private:
  // The key of the next value on a new line: in a list each element has the key of the list.
  void KeyLine();
  void Scalar(std::string_view text, std::string_view color);
  template <typename T>
  void Real(T value);
  void Color(std::string_view code) {
    if (color_) out_.Append(code);
  }

  Output& out_;
  bool color_;
  std::size_t level_ = 0;  // messages that are open, the one at the top included
  std::string key_;
  std::vector<std::string> lists_;         // keys of the lists that are open
  std::vector<std::size_t> lists_around_;  // how many lists are open around each message
};

}  // namespace xdscope::format
