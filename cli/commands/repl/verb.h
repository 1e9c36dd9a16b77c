// What a verb of the conversation is: a row that its execution, its help and its completion go by.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"

namespace xdscope::cli {

class Repl;

// The words behind a verb, and the options among them.
struct VerbWords {
  std::vector<std::string> words;
  std::string for_value;   // of --for
  std::string code_value;  // of --code
  bool now = false;        // --now
  bool fresh = false;      // --fresh
};

// What a word behind a verb is, as far as completion knows.
enum class Argument : std::uint8_t {
  kNothing,
  kType,      // TYPE
  kName,      // NAME, of the TYPE before it
  kExpected,  // TYPE, or `not`
  kWaiting,   // TYPE or #N of a response that waits
  kRequest,   // N of a request in the log
  kResponse,  // N of a response in the log
  kStream,    // N of a stream
  kVariantOrType,
  kAnswers,  // of auto
  kOnOff,
  kNodeKey,  // KEY=
  kOption,   // of set
  kValue,    // of the option before it
  kVerb,
  kFile,
  kCount,
  kText,
};

struct Verb {
  std::string_view name;
  std::string_view usage;    // behind the name: "TYPE [NAME...]"
  std::string_view summary;  // one line
  std::string_view example;
  Argument first;  // its first word
  Argument rest;   // and all others
  bool recorded;   // a script that does the same needs the line
  absl::Status (*run)(Repl& repl, const VerbWords& words);
};

std::span<const Verb> AllVerbs();

// Returns the options that a verb takes, as its usage says: "--now".
std::vector<std::string_view> OptionsOf(const Verb& verb);

// Finds a verb by its name or by what it alone begins with. INVALID_ARGUMENT where there is none (with the nearest), or
// several.
absl::StatusOr<const Verb*> FindVerb(std::string_view word);

}  // namespace xdscope::cli
