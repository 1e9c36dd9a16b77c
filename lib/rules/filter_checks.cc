// Chains of filters: the last one is terminal, and no other. [reference/validation.md 2.2 XDS-V031, 2.3 XDS-V040, V041]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>

#include "lib/rules/check.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

// Whether a filter ends its chain, as far as its type tells it.
enum class Ending : std::uint8_t { kTerminal, kNot, kUnknown };

// A family of filters: the package of its types, those that end a chain, and those whose configuration decides.
struct Family {
  std::string_view package;
  std::span<const std::string_view> terminal;
  std::span<const std::string_view> unknown;
};

constexpr std::string_view kTerminalNetwork[] = {
    "direct_response.v3.Config",
    "dubbo_proxy.v3.DubboProxy",
    "echo.v3.Echo",
    "generic_proxy.v3.GenericProxy",
    "http_connection_manager.v3.EnvoyMobileHttpConnectionManager",
    "http_connection_manager.v3.HttpConnectionManager",
    "redis_proxy.v3.RedisProxy",
    "tcp_proxy.v3.TcpProxy",
    "thrift_proxy.v3.ThriftProxy",
};
// Extensions that load somebody's code, contrib ones, and new ones.
constexpr std::string_view kUnknownNetwork[] = {
    "client_ssl_auth.", "dynamic_modules.", "golang.",        "match_delegate.", "reverse_tunnel.",
    "rocketmq_proxy.",  "sip_proxy.",       "meta_protocol.", "wasm.",
};
constexpr Family kNetwork = {"envoy.extensions.filters.network.", kTerminalNetwork, kUnknownNetwork};

constexpr std::string_view kTerminalHttp[] = {"router.v3.Router", "upstream_codec.v3.UpstreamCodec"};
constexpr std::string_view kUnknownHttp[] = {
    "composite.", "dynamic_modules.", "file_server.", "golang.", "mcp_router.", "match_delegate.", "wasm.",
};
constexpr Family kHttp = {"envoy.extensions.filters.http.", kTerminalHttp, kUnknownHttp};

Ending EndingOf(std::string_view type, const Family& family) {
  if (!type.starts_with(family.package)) return Ending::kUnknown;
  type.remove_prefix(family.package.size());
  if (std::find(family.terminal.begin(), family.terminal.end(), type) != family.terminal.end()) {
    return Ending::kTerminal;
  }
  const bool unknown = std::any_of(family.unknown.begin(), family.unknown.end(),
                                   [type](std::string_view prefix) { return type.starts_with(prefix); });
  return unknown ? Ending::kUnknown : Ending::kNot;
}

// Reports the filters of a list that end the chain too early, and a last one that does not. An empty list is taken.
void CheckEnding(const Visited& at, std::string_view list, const Family& family, std::string_view rule,
                 Context& context) {
  const std::vector<View> filters = MessagesIn(at.message, list);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const bool last = i + 1 == filters.size();
    const std::string_view type = TypeOfExtension(filters[i], context.types);
    const bool known = !type.empty() && context.types.Find(type) != nullptr;
    const Ending ending = known ? EndingOf(type, family) : Ending::kUnknown;
    if (ending != (last ? Ending::kNot : Ending::kTerminal)) continue;
    const std::string_view name = filters[i].GetText("name");
    const Place place = {at, at.message.type().Find(list), i};
    context.Add(rule, place,
                last ? fmt::format("\"{}\" is the last filter, and does not end the chain", name)
                     : fmt::format("\"{}\" ends the chain, and more filters follow", name));
  }
}

void CheckNetworkFilters(const Visited& at, Context& context) {
  CheckEnding(at, "filters", kNetwork, "XDS-V031", context);
}

void CheckHttpFilters(const Visited& at, Context& context) {
  CheckEnding(at, "http_filters", kHttp, "XDS-V040", context);
}

// Envoy takes two filters of one name; the configuration per route cannot tell them apart, and gRPC refuses them.
void CheckFilterNames(const Visited& at, Context& context) {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const View& filter : MessagesIn(at.message, "http_filters")) {
    const std::string_view name = filter.GetText("name");
    if (!name.empty() && !names.insert(name).second) {
      context.Add("XDS-V041", {at, at.message.type().Find("http_filters"), index},
                  fmt::format("\"{}\" is the name of another HTTP filter too", name));
    }
    ++index;
  }
}

constexpr std::string_view kFilterChain[] = {"envoy.config.listener.v3.FilterChain"};
constexpr std::string_view kManager[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"};
constexpr std::string_view kChainReads[] = {
    "envoy.config.listener.v3.Filter.name",
    "envoy.config.listener.v3.Filter.typed_config",
    "envoy.config.listener.v3.FilterChain.filters",
};
constexpr std::string_view kManagerReads[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.http_filters",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.name",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.typed_config",
};

constexpr std::array kChecks = {
    Check{"XDS-V031", kFilterChain, kChainReads, CheckNetworkFilters},
    Check{"XDS-V040", kManager, kManagerReads, CheckHttpFilters},
    Check{"XDS-V041", kManager, kManagerReads, CheckFilterNames},
};

}  // namespace

std::span<const Check> FilterChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
