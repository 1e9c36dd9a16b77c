// What yaml-cpp must not be let at, found before it reads a text. yaml-cpp 0.7 takes a quote that is never closed for
// good, and keeps every token of a flow collection that may yet turn out to be a key: 10 MB of "[" take gigabytes.
// Knows how yaml-cpp tells tokens apart; does not know what they mean, and judges nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace xdscope::format {

// A token that yaml-cpp must not reach.
struct YamlFlaw {
  std::size_t offset = 0;  // in bytes
  std::string_view rule;   // of lib/finding/reading_rules.h
  std::string_view what;   // "unterminated quote"
};

// Flow collections nest no deeper than this.
inline constexpr std::size_t kMostFlows = 100;
// yaml-cpp may hold so many tokens, of some hundred bytes each, until it knows whether a key stands there.
inline constexpr std::size_t kMostTokensHeld = 4'000'000;

// Finds the first flaw in one pass, without keeping tokens. What yaml-cpp itself refuses before that place is not
// looked for, and nothing is said of what follows it.
std::optional<YamlFlaw> FindYamlFlaw(std::string_view text);

// A flow collection that is not closed yet.
struct OpenFlow {
  char bracket = '{';
  std::size_t offset = 0;  // where it begins
};

// Finds the innermost flow collection that is open at a place; nullopt: none is.
std::optional<OpenFlow> FindOpenFlow(std::string_view text, std::size_t offset);

}  // namespace xdscope::format
