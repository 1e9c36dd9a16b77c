// A finding as whoever judges files makes it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/finding/finding.h"
#include "lib/finding/rules.h"

namespace xdscope::client {

// Returns a finding of a rule, with the severity of its row.
inline finding::Finding Found(std::string_view rule, std::string message) {
  finding::Finding found;
  found.rule = rule;
  found.severity = finding::SeverityOf(rule);
  found.message = std::move(message);
  return found;
}

}  // namespace xdscope::client
