// Checks of what PGV cannot say: each is a row of a table, a function that looks at one message of a resource and the
// ids of the rules that it looks for. Their severities and texts are in the tables of lib/finding/rules.h.
// [reference/validation.md 2, 3]
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/encode/visit.h"
#include "lib/finding/finding.h"
#include "lib/rules/report.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// What a check works with.
struct Context {
  wire::Types& types;
  Report& report;

  // Makes a finding with the severity of its rule, for the check to fill in: nullptr where there are enough of it.
  finding::Finding* Add(std::string_view rule, const Place& place, std::string message);
};

struct Check {
  std::string_view id;  // of the rule; a check that finds breaches of several names the first
  // The messages that it looks at, by full name; empty: all of them.
  std::span<const std::string_view> messages;
  // The fields that it reads, "MESSAGE.field": where a schema has not got one of them, the check is off.
  std::span<const std::string_view> reads;
  void (*run)(const encode::Visited& at, Context& context);
};

// Returns all checks of single resources.
std::span<const Check> AllChecks();

// The checks by subject, each table in a file of its own.
std::span<const Check> AnyChecks();
std::span<const Check> BalancingChecks();
std::span<const Check> BootstrapChecks();
std::span<const Check> ClusterChecks();
std::span<const Check> EndpointChecks();
std::span<const Check> FilterChainChecks();
std::span<const Check> FilterChecks();
std::span<const Check> GrpcChecks();
std::span<const Check> GrpcTlsChecks();
std::span<const Check> HttpChecks();
std::span<const Check> ListenerChecks();
std::span<const Check> RouteChecks();
std::span<const Check> RouteOrderChecks();
std::span<const Check> TlsChecks();
std::span<const Check> UpstreamChecks();
std::span<const Check> ValueChecks();

// Finds the present value of a field of the message that is visited; nullopt where it is not set.
std::optional<wire::Value> Get(const encode::Visited& at, std::string_view field);

}  // namespace xdscope::rules
