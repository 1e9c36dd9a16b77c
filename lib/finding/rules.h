// The tables of rules: one row for each rule that a finding can name. Findings take the severity from here unless they
// know better; documents and `describe` print the text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lib/finding/finding.h"

namespace xdscope::finding {

// Which clients a rule is about: who refuses, or does not do, what breaks it.
enum class Client : std::uint8_t { kBoth, kEnvoy, kGrpc };

// One row: a rule that a finding can name.
struct Rule {
  std::string_view id;  // "XDS-S016"
  Severity severity = Severity::kError;
  std::string_view text;  // what holds where the rule is kept, one line
  Client client = Client::kBoth;
  std::string_view effect = {};  // what becomes of a resource that breaks it: "Envoy refuses the listener"; one line
  std::string_view about = {};   // more for whoever wants to know, a paragraph
};

// Returns what a server owes its clients (reference/protocol.md C), as far as somebody here looks for it; sorted by id.
std::span<const Rule> ProtocolRules();
// Returns how discovery files are to be written (reference/validation.md), as far as the readers look for it; sorted by
// id.
std::span<const Rule> ReadingRules();

// Returns what Envoy and gRPC demand of resources beyond PGV (reference/validation.md 2 and 3), as far as lib/rules
// looks for it; sorted by id.
std::span<const Rule> ConfigRules();

// Finds the row of an id in any of the tables; nullptr when there is none.
const Rule* FindRule(std::string_view id);

// Returns true for a rule whose breach makes a resource bad, so that a client may refuse it; what breaks another is for
// the eye only.
bool MakesBad(std::string_view id);

// Returns the severity of the row of an id; kError where there is no such row.
Severity SeverityOf(std::string_view id);

}  // namespace xdscope::finding
