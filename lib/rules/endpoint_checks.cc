// Endpoints: their addresses, localities, priorities and weights, and what is dropped on purpose.
// [reference/validation.md 2.5, and XDS-V072; 2.10]
#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

bool IsResource(const Visited& at) {
  return at.above == nullptr;
}

// ---- Addresses. [XDS-V072, V090, V096]

// An address of an endpoint, and where it stands in its load assignment.
struct EndpointAddress {
  View address;
  std::size_t locality;
  std::size_t endpoint;
  std::optional<std::size_t> additional;  // which of the additional ones; nullopt: it is the address

  finding::Path Path() const {
    finding::Path path;
    path.AddField("endpoints").AddIndex(locality).AddField("lb_endpoints").AddIndex(endpoint).AddField("endpoint");
    if (additional) path.AddField("additional_addresses").AddIndex(*additional);
    return path.AddField("address");
  }
};

void ForEachAddress(const View& assignment, const std::function<void(const EndpointAddress&)>& use) {
  const std::vector<View> localities = MessagesIn(assignment, "endpoints");
  for (std::size_t i = 0; i < localities.size(); ++i) {
    const std::vector<View> lb_endpoints = MessagesIn(localities[i], "lb_endpoints");
    for (std::size_t j = 0; j < lb_endpoints.size(); ++j) {
      const std::optional<View> endpoint = MessageIn(lb_endpoints[j], "endpoint");
      if (!endpoint) continue;
      if (const std::optional<View> address = MessageIn(*endpoint, "address")) use({*address, i, j, std::nullopt});
      std::size_t index = 0;
      for (const View& additional : MessagesIn(*endpoint, "additional_addresses")) {
        if (const std::optional<View> address = MessageIn(additional, "address")) use({*address, i, j, index});
        ++index;
      }
    }
  }
}

// Tells whether the addresses of a load assignment have to be IP addresses: in EDS, and in a static cluster.
bool HasToBeIp(const Visited& assignment) {
  if (IsResource(assignment)) return true;
  const Visited& cluster = *assignment.above;
  return cluster.message.type().full_name() == "envoy.config.cluster.v3.Cluster" && !Get(cluster, "cluster_type") &&
         NumberIn(cluster.message, "type").value_or(0) == 0;
}

void CheckIp(const Visited& at, const EndpointAddress& place, const View& socket, Context& context) {
  const std::string_view host = socket.GetText("address");
  const bool named = Has(socket, "named_port");
  if (Has(socket, "resolver_name") || host.empty() || (IsIpAddress(host) && !named)) return;
  finding::Finding* const finding = context.Add(
      "XDS-V072", {at},
      named ? fmt::format("named_port \"{}\" is for clusters that ask the DNS", socket.GetText("named_port"))
            : fmt::format("\"{}\" is no IP address", host));
  if (finding == nullptr) return;
  finding->path.Append(place.Path()).AddField("socket_address").AddField(named ? "named_port" : "address");
  if (!named) finding->help = "names are for clusters of type STRICT_DNS or LOGICAL_DNS";
}

void CheckAddresses(const Visited& at, Context& context) {
  const bool has_to_be_ip = HasToBeIp(at);
  ForEachAddress(at.message, [&](const EndpointAddress& place) {
    const std::optional<View> socket = MessageIn(place.address, "socket_address");
    if (!socket) return;
    if (has_to_be_ip) CheckIp(at, place, *socket, context);
    if (Has(*socket, "named_port") || NumberIn(*socket, "port_value").value_or(0) != 0) return;
    finding::Finding* const finding = context.Add("XDS-V096", {at}, "nobody answers at port 0");
    if (finding != nullptr) finding->path.Append(place.Path()).AddField("socket_address").AddField("port_value");
  });
}

// Returns a text that is the same for addresses that are, however they are written; empty for what has no address.
std::string AddressKey(const View& address) {
  if (const std::optional<View> pipe = MessageIn(address, "pipe")) return fmt::format("{}|", pipe->GetText("path"));
  const std::optional<View> socket = MessageIn(address, "socket_address");
  if (!socket || socket->GetText("address").empty()) return {};
  const std::string host(socket->GetText("address"));
  std::array<char, 16> bytes{};
  std::size_t size = 0;
  if (inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) {
    size = 4;
  } else if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) {
    size = bytes.size();
  }
  return fmt::format("{}|{}|{}", size == 0 ? std::string_view(host) : std::string_view(bytes.data(), size),
                     NumberIn(*socket, "port_value").value_or(0), size);
}

// Spells an address for people.
std::string SpellAddress(const View& address) {
  const std::optional<View> socket = MessageIn(address, "socket_address");
  if (!socket) return fmt::format("\"{}\"", MessageIn(address, "pipe")->GetText("path"));
  const std::string_view host = socket->GetText("address");
  const std::uint64_t port = NumberIn(*socket, "port_value").value_or(0);
  return host.find(':') == std::string_view::npos ? fmt::format("{}:{}", host, port)
                                                  : fmt::format("[{}]:{}", host, port);
}

// A static cluster may have an endpoint twice.
void CheckSameAddress(const Visited& at, Context& context) {
  if (!IsResource(at)) return;
  absl::flat_hash_map<std::string, EndpointAddress> seen;
  ForEachAddress(at.message, [&](const EndpointAddress& place) {
    const std::string key = AddressKey(place.address);
    if (key.empty()) return;
    const auto [first, is_new] = seen.emplace(key, place);
    if (is_new) return;
    finding::Finding* const finding =
        context.Add("XDS-V090", {at},
                    fmt::format("{} is in the list already, at {}", SpellAddress(place.address),
                                finding::ToText(first->second.Path())));
    if (finding != nullptr) finding->path.Append(place.Path());
  });
}

// ---- Localities, as gRPC reads them. [XDS-V091, V092]

using LocalityName = std::tuple<std::string_view, std::string_view, std::string_view>;

struct Priority {
  std::map<LocalityName, std::size_t> localities;  // and where they stand
  std::uint64_t weight = 0;
};

// gRPC passes over localities without a weight.
void CheckWeight(const Visited& at, const View& locality, std::size_t index, Context& context) {
  const bool weighted = NumberIn(locality, "load_balancing_weight").value_or(0) > 0;
  if (!weighted) {
    context.Add("XDS-V092", At(at, "endpoints", index), "has no load_balancing_weight, and gets no load from gRPC");
  } else if (!Has(locality, "locality")) {
    finding::Finding* const finding = context.Add("XDS-V092", At(at, "endpoints", index), "has no locality");
    if (finding != nullptr) finding->severity = finding::Severity::kError;
  }
}

LocalityName NameOf(const View& locality) {
  return {locality.GetText("region"), locality.GetText("zone"), locality.GetText("sub_zone")};
}

void AddLocality(const Visited& at, const View& endpoints, std::size_t index,
                 std::map<std::uint64_t, Priority>* priorities, Context& context) {
  const std::uint64_t weight = NumberIn(endpoints, "load_balancing_weight").value_or(0);
  const std::optional<View> locality = MessageIn(endpoints, "locality");
  if (weight == 0 || !locality) return;
  const std::uint64_t number = NumberIn(endpoints, "priority").value_or(0);
  Priority& priority = (*priorities)[number];
  const auto [first, is_new] = priority.localities.emplace(NameOf(*locality), index);
  if (!is_new) {
    context.Add("XDS-V091", At(at, "endpoints", index),
                fmt::format("endpoints[{}] is the same locality of priority {}", first->second, number));
    return;
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const bool fitted = priority.weight <= kMost;
  priority.weight += weight;
  if (fitted && priority.weight > kMost) {
    context.Add("XDS-V091", At(at, "endpoints", index),
                fmt::format("the weights of priority {} add up to more than {}", number, kMost));
  }
}

void CheckLocalities(const Visited& at, Context& context) {
  if (!IsResource(at)) return;
  std::map<std::uint64_t, Priority> priorities;
  std::size_t index = 0;
  for (const View& endpoints : MessagesIn(at.message, "endpoints")) {
    CheckWeight(at, endpoints, index, context);
    AddLocality(at, endpoints, index, &priorities, context);
    ++index;
  }
  std::uint64_t next = 0;
  for (const auto& [number, priority] : priorities) {
    if (number != next) {
      context.Add("XDS-V091", At(at, "endpoints", priority.localities.begin()->second),
                  fmt::format("priority {} has no locality, and priority {} has one", next, number));
    }
    next = number + 1;
  }
}

// ---- The rest. [XDS-V093, V094, V096]

void CheckDrops(const Visited& at, Context& context) {
  constexpr std::array<std::uint64_t, 3> kDenominators = {100, 10000, 1000000};
  const std::vector<View> drops = MessagesIn(at.message, "drop_overloads");
  if (drops.size() > 1) {
    context.Add("XDS-V093", At(at, "drop_overloads"),
                fmt::format("has {} categories, and Envoy takes one", drops.size()));
  }
  for (std::size_t i = 0; i < drops.size(); ++i) {
    const std::optional<View> percent = MessageIn(drops[i], "drop_percentage");
    if (!percent) continue;
    const std::uint64_t denominator = NumberIn(*percent, "denominator").value_or(0);
    const std::uint64_t numerator = NumberIn(*percent, "numerator").value_or(0);
    if (denominator >= kDenominators.size() || numerator <= kDenominators[denominator]) continue;
    finding::Finding* const finding =
        context.Add("XDS-V093", At(at, "drop_overloads", i),
                    fmt::format("{} of {} is more than all", numerator, kDenominators[denominator]));
    if (finding != nullptr) finding->path.AddField("drop_percentage");
  }
}

void CheckDiscovered(const Visited& at, Context& context) {
  if (!Has(at.message, "leds_cluster_locality_config") || MessagesIn(at.message, "lb_endpoints").empty()) return;
  context.Add("XDS-V094", At(at, "leds_cluster_locality_config"), "there are lb_endpoints too");
}

// Of HealthStatus: UNHEALTHY, DRAINING, TIMEOUT.
bool IsOut(const View& lb_endpoint) {
  const std::uint64_t status = NumberIn(lb_endpoint, "health_status").value_or(0);
  return status >= 2 && status <= 4;
}

void CheckHealth(const Visited& at, Context& context) {
  std::size_t endpoints = 0;
  for (const View& locality : MessagesIn(at.message, "endpoints")) {
    for (const View& lb_endpoint : MessagesIn(locality, "lb_endpoints")) {
      if (!IsOut(lb_endpoint)) return;
      ++endpoints;
    }
  }
  if (endpoints > 0) context.Add("XDS-V096", {at}, "none of the endpoints is healthy");
}

void CheckUnusedWeights(const Visited& at, Context& context) {
  if (IsResource(at) || at.above->message.type().full_name() != "envoy.config.cluster.v3.Cluster") return;
  if (Get(*at.above, "load_balancing_policy")) return;  // most policies bring their own
  const std::optional<View> common = MessageIn(at.above->message, "common_lb_config");
  if (common && Has(*common, "locality_weighted_lb_config")) return;
  std::size_t index = 0;
  for (const View& locality : MessagesIn(at.message, "endpoints")) {
    if (NumberIn(locality, "load_balancing_weight")) {
      finding::Finding* const finding =
          context.Add("XDS-V096", At(at, "endpoints", index),
                      "the weight of a locality counts where common_lb_config has a locality_weighted_lb_config");
      if (finding != nullptr) finding->path.AddField("load_balancing_weight");
      return;
    }
    ++index;
  }
}

// ---- The table.

constexpr std::string_view kAssignment[] = {"envoy.config.endpoint.v3.ClusterLoadAssignment"};
constexpr std::string_view kPolicy[] = {"envoy.config.endpoint.v3.ClusterLoadAssignment.Policy"};
constexpr std::string_view kLocality[] = {"envoy.config.endpoint.v3.LocalityLbEndpoints"};

constexpr std::string_view kAddressReads[] = {
    "envoy.config.core.v3.Address.pipe",
    "envoy.config.core.v3.Address.socket_address",
    "envoy.config.core.v3.SocketAddress.address",
    "envoy.config.core.v3.SocketAddress.named_port",
    "envoy.config.core.v3.SocketAddress.port_value",
    "envoy.config.endpoint.v3.ClusterLoadAssignment.endpoints",
    "envoy.config.endpoint.v3.Endpoint.additional_addresses",
    "envoy.config.endpoint.v3.Endpoint.address",
    "envoy.config.endpoint.v3.Endpoint.AdditionalAddress.address",
    "envoy.config.endpoint.v3.LbEndpoint.endpoint",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.lb_endpoints",
};
constexpr std::string_view kLocalityReads[] = {
    "envoy.config.core.v3.Locality.region",
    "envoy.config.core.v3.Locality.sub_zone",
    "envoy.config.core.v3.Locality.zone",
    "envoy.config.endpoint.v3.ClusterLoadAssignment.endpoints",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.load_balancing_weight",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.locality",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.priority",
};
constexpr std::string_view kDropReads[] = {
    "envoy.config.endpoint.v3.ClusterLoadAssignment.Policy.drop_overloads",
    "envoy.config.endpoint.v3.ClusterLoadAssignment.Policy.DropOverload.drop_percentage",
    "envoy.type.v3.FractionalPercent.denominator",
    "envoy.type.v3.FractionalPercent.numerator",
};
constexpr std::string_view kDiscoveredReads[] = {
    "envoy.config.endpoint.v3.LocalityLbEndpoints.lb_endpoints",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.leds_cluster_locality_config",
};
constexpr std::string_view kHealthReads[] = {
    "envoy.config.endpoint.v3.ClusterLoadAssignment.endpoints",
    "envoy.config.endpoint.v3.LbEndpoint.health_status",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.lb_endpoints",
};
constexpr std::string_view kWeightReads[] = {
    "envoy.config.cluster.v3.Cluster.common_lb_config",
    "envoy.config.cluster.v3.Cluster.load_balancing_policy",
    "envoy.config.cluster.v3.Cluster.CommonLbConfig.locality_weighted_lb_config",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.load_balancing_weight",
};

constexpr std::array kChecks = {
    Check{"XDS-V072", kAssignment, kAddressReads, CheckAddresses},
    Check{"XDS-V090", kAssignment, kAddressReads, CheckSameAddress},
    Check{"XDS-V091", kAssignment, kLocalityReads, CheckLocalities},
    Check{"XDS-V093", kPolicy, kDropReads, CheckDrops},
    Check{"XDS-V094", kLocality, kDiscoveredReads, CheckDiscovered},
    Check{"XDS-V096", kAssignment, kHealthReads, CheckHealth},
    Check{"XDS-V096", kAssignment, kWeightReads, CheckUnusedWeights},
};

}  // namespace

std::span<const Check> EndpointChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
