// What a flag is, and how one is declared: once, with its type, name, default, form and text together. The tokeniser,
// help, the man pages and the completions go by the rows; absl::GetFlag(FLAGS_name) reads the value.
//
// Flags of two commands that have one name and different types are two Abseil flags; one of them has a name of its own
// there: FLAG(ListFlag, validate_output, {}, List("FORM").As("output"), "…").
//
// A list of flags is a macro that takes what is to be made of each: GREETING_FLAGS(FLAG), which has for each flag a
//   FLAG(std::string, to_whom, "world", Value("NAME").Letter('t'), "Who is greeted.")
// GREETING_FLAGS(XDSCOPE_DEFINE_FLAG), outside of any namespace, defines the Abseil flags;
// constexpr std::array kRows = {GREETING_FLAGS(XDSCOPE_FLAG_ROW)} are their rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"

namespace xdscope::cli {

enum class Shape : std::uint8_t {
  kSwitch,  // --flag, --no-flag
  kValue,   // --flag VALUE; the last one counts
  kList,    // --flag VALUE, again and again
  kCount,   // -v, -vv
};

struct FlagRow {
  std::string_view name;  // with dashes: "node-id"
  char letter = 0;        // 'o' of -o; 0: none
  Shape shape = Shape::kSwitch;
  std::string_view value;          // "FILE", "ads|delta-ads": what help calls the value; empty for switches
  std::string_view shown_default;  // in place of the flag's own default, where that says nothing to a person
  std::string_view text;           // what help prints beside the flag
  std::string_view behind = {};    // the name of the Abseil flag, with dashes; empty: the same

  // The forms of a flag, each without a name and a text.
  static constexpr FlagRow Switch(std::string_view shown_default = {}) {
    return {{}, 0, Shape::kSwitch, {}, shown_default, {}};
  }
  static constexpr FlagRow Value(std::string_view value, std::string_view shown_default = {}) {
    return {{}, 0, Shape::kValue, value, shown_default, {}};
  }
  static constexpr FlagRow List(std::string_view value) { return {{}, 0, Shape::kList, value, {}, {}}; }
  static constexpr FlagRow Count() { return {{}, 0, Shape::kCount, {}, {}, {}}; }

  constexpr FlagRow Letter(char new_letter) const {
    FlagRow row = *this;
    row.letter = new_letter;
    return row;
  }
  // Gives the flag another name than the Abseil flag has.
  constexpr FlagRow As(std::string_view shown_name) const {
    FlagRow row = *this;
    row.name = shown_name;
    return row;
  }
  constexpr FlagRow Named(std::string_view flag, std::string_view new_text) const {
    FlagRow row = *this;
    (row.name.empty() ? row.name : row.behind) = flag;
    row.text = new_text;
    return row;
  }
};

// Turns "node_id" into "node-id", as a template argument, so that the text lives as long as the program.
template <std::size_t kSize>
struct DashedName {
  char text[kSize];
  consteval DashedName(const char (&name)[kSize]) : text() {  // NOLINT: a literal becomes one by itself
    for (std::size_t i = 0; i < kSize; ++i) text[i] = name[i] == '_' ? '-' : name[i];
  }
};
template <DashedName kName>
constexpr std::string_view kDashed{kName.text, sizeof(kName.text) - 1};

// Returns the name of an Abseil flag as a person writes it: "node-id".
template <typename T>
std::string FlagName(const absl::Flag<T>& flag) {
  std::string name(absl::GetFlagReflectionHandle(flag).Name());
  for (char& c : name) c = c == '_' ? '-' : c;
  return name;
}

}  // namespace xdscope::cli

#define XDSCOPE_DEFINE_FLAG(type, name, default_value, form, text) ABSL_FLAG(type, name, default_value, text);
#define XDSCOPE_FLAG_ROW(type, name, default_value, form, text) \
  ::xdscope::cli::FlagRow::form.Named(::xdscope::cli::kDashed<#name>, text),
