// The order of routes: those that no request comes to. [reference/validation.md 2.3 XDS-V059]
#include <fmt/format.h>

#include <array>

#include "absl/container/flat_hash_map.h"
#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

// Tells whether a match is for every path, and says nothing else.
bool TakesAll(const View& match) {
  const wire::Fields fields(match);
  return fields.known().size() == 1 && match.GetText("prefix") == "/";
}

std::string NameOf(const View& route, std::size_t index) {
  const std::string_view name = route.GetText("name");
  return name.empty() ? fmt::format("routes[{}]", index) : fmt::format("\"{}\"", name);
}

// The first route that matches is taken. CONNECT requests have no path, so no prefix takes them; a share of requests
// (runtime_fraction) leaves others.
void CheckOrder(const Visited& at, Context& context) {
  absl::flat_hash_map<std::uint64_t, std::size_t> seen;  // by what the match says
  std::optional<std::size_t> all;
  const std::vector<View> routes = MessagesIn(at.message, "routes");
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const std::optional<View> match = MessageIn(routes[i], "match");
    if (!match || Has(*match, "runtime_fraction")) continue;
    std::optional<std::size_t> before = Has(*match, "connect_matcher") ? std::nullopt : all;
    if (!before) {
      const auto [row, is_new] = seen.emplace(wire::Digest(*match, context.types), i);
      if (!is_new) before = row->second;
    }
    if (!all && TakesAll(*match)) all = i;
    if (!before) continue;
    finding::Finding* const finding =
        context.Add("XDS-V059", At(at, "routes", i),
                    fmt::format("no request comes here: {} takes them all", NameOf(routes[*before], *before)));
    if (finding == nullptr) continue;
    finding->path.AddField("match");
    finding::Path& other = finding->related.emplace().path;
    other = encode::PathTo(at);
    other.AddField("routes").AddIndex(*before);
  }
}

// ---- The table.

constexpr std::string_view kVirtualHost[] = {"envoy.config.route.v3.VirtualHost"};
constexpr std::string_view kOrderReads[] = {
    "envoy.config.route.v3.Route.match",        "envoy.config.route.v3.RouteMatch.connect_matcher",
    "envoy.config.route.v3.RouteMatch.prefix",  "envoy.config.route.v3.RouteMatch.runtime_fraction",
    "envoy.config.route.v3.VirtualHost.routes",
};

constexpr std::array kChecks = {
    Check{"XDS-V059", kVirtualHost, kOrderReads, CheckOrder},
};

}  // namespace

std::span<const Check> RouteOrderChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
