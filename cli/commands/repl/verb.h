// What a verb of the conversation is: a row that its execution, its help and later its completion go by.
#pragma once

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

struct Verb {
  std::string_view name;
  std::string_view usage;    // behind the name: "TYPE [NAME...]"
  std::string_view summary;  // one line
  std::string_view example;
  absl::Status (*run)(Repl& repl, const VerbWords& words);
};

std::span<const Verb> AllVerbs();

// Finds a verb by its name or by what it alone begins with. INVALID_ARGUMENT where there is none (with the nearest), or
// several.
absl::StatusOr<const Verb*> FindVerb(std::string_view word);

}  // namespace xdscope::cli
