// What is wrong, or doubtful, and where: one value for every layer that judges. A server that breaks a rule of the
// protocol, bytes that do not decode, a file that is misspelled, later a violated PGV rule: each is a Finding. It is
// data and never a reason to stop reading; what follows from it is decided by whoever judges. Knows no layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/finding/path.h"

namespace xdscope::finding {

// Says how bad a finding is: kError stands for what Envoy or the protocol refuses, kWarning for what is taken and
// hardly meant, kInfo for what a person debugging wants to know.
enum class Severity : std::uint8_t { kInfo, kWarning, kError };

// A place in a text. Lines and columns count from 1, columns count characters; line 0 means that they are not known. Of
// a binary file `column` is the number of the byte, from 1, and `line` is 0.
struct Position {
  int line = 0;
  int column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// Another place that a finding is about: the filter chain that has the same match, the cluster of the nearest name.
struct Related {
  std::string_view type_url = {};
  std::string resource = {};
  std::optional<std::size_t> entry = {};
  Path path = {};
  std::string file = {};  // empty: the same
  Position position = {};
};

// One thing that is wrong. Only `message` is always there; the rest as far as whoever found it knows.
struct Finding {
  std::string_view rule = {};  // the id of a row in the tables of rules.h: "XDS-S016"
  Severity severity = Severity::kError;
  std::string type_url = {};  // of the resource or response; empty: it is about neither
  std::string resource = {};  // the resource's name; empty: the response or file as a whole, or one without a name
  std::optional<std::size_t> entry = {};  // which resource of its response or file, from 0
  Path path = {};                         // from the resource (of a file: from the document) to the field
  std::size_t offset = 0;                 // where it stands in its text, in bytes; only readers of texts set it
  Position position = {};                 // the same as line and column, once somebody has asked for them
  std::string message = {};               // one fact, lower case, no advice
  std::string value = {};                 // what stands there, as compact JSON without secrets; empty: nothing to show
  // What becomes of it; empty: what the row of the rule says.
  std::string_view effect = {};
  std::string help = {};  // what to do about it, where that is known: one line
  std::optional<Related> related = {};
  std::string option = {};  // what the schema demands there: "envoy.type.v3.TokenBucket.fill_interval {…}"
  std::size_t more = 0;     // how many others of this rule are not kept (sample.h)
};

// "error", "warning" or "info".
std::string_view WordOf(Severity severity);

// "message [RULE]"; the message alone where no rule is broken.
std::string ToText(const Finding& finding);

}  // namespace xdscope::finding
