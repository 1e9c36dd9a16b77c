// What has changed of the names of one type: what is held, lost, absent or refused after a verdict was given, after the
// interest changed, or after time has passed. A value that is handed on; whoever counts names, keeps contents or prints
// goes by it and polls nobody.
#pragma once

#include <string>
#include <vector>

namespace xdscope::protocol {

// A name that the server does not have, with its own words where it gave any, else ours.
struct Absence {
  std::string name;
  std::string words;

  friend bool operator==(const Absence&, const Absence&) = default;
};

struct Changes {
  std::string type_url;
  // Canonical names of what was accepted, new or said again. What is said again may be left out where everything was
  // asked for (a wildcard) and not the name besides: nobody waits for it.
  std::vector<std::string> held = {};
  // Names asked for that are answered by something held under another name: aliases, and globs that cover it.
  std::vector<std::string> answered = {};
  std::vector<std::string> lost = {};     // canonical names that were held and are no longer
  std::vector<Absence> absent = {};       // asked for by name; the server says that there is no such resource
  std::vector<std::string> refused = {};  // asked for by name; the response that was to answer them was refused

  bool empty() const { return held.empty() && answered.empty() && lost.empty() && absent.empty() && refused.empty(); }
};

}  // namespace xdscope::protocol
