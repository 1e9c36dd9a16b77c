// How Envoy talks to the endpoints of a cluster: protocols, transport sockets, filters; and the sources from which it
// asks for resources. [reference/validation.md 2.4 XDS-V078 to V080, V082, V088; 2.10]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

constexpr std::string_view kHttpOptionsName = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
constexpr std::string_view kQuicSocket = "envoy.transport_sockets.quic";
constexpr std::string_view kProxySocket = "envoy.transport_sockets.http_11_proxy";

// Returns the cluster whose options of HTTP these are; nullptr where they stand elsewhere, or below a name by which
// Envoy does not look for them. So a cluster is the one of a single message.
const Visited* ClusterOf(const Visited& options) {
  const Visited* any = &options;
  while (any->field == nullptr && any->above != nullptr) any = any->above;
  const bool found = any->key != nullptr && any->key->AsText() == kHttpOptionsName && any->above != nullptr &&
                     any->above->message.type().full_name() == "envoy.config.cluster.v3.Cluster";
  return found ? any->above : nullptr;
}

// ---- Protocols and transport sockets. [XDS-V078]

// Sockets that pass on what is inside them to another one.
constexpr std::string_view kWrappers[] = {
    "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport",
    "envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport",
    "envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport",
    "envoy.extensions.transport_sockets.tap.v3.Tap",
    "envoy.extensions.transport_sockets.tcp_stats.v3.Config",
};
constexpr std::string_view kWithoutAlpn[] = {
    "envoy.extensions.transport_sockets.alts.v3.Alts",
    "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer",
};

// Tells whether a transport socket certainly cannot agree on a protocol.
bool LacksAlpn(const View& socket, wire::Types& types) {
  const std::optional<View> config = MessageIn(socket, "typed_config");
  if (!config) return false;
  const std::string_view type = TypeInAny(*config, types);
  if (std::find(std::begin(kWithoutAlpn), std::end(kWithoutAlpn), type) != std::end(kWithoutAlpn)) return true;
  if (std::find(std::begin(kWrappers), std::end(kWrappers), type) == std::end(kWrappers)) return false;
  const absl::StatusOr<wire::Message> wrapper = wire::Open(*config, types);
  const std::optional<View> inner = wrapper.ok() ? MessageIn(wrapper->view(), "transport_socket") : std::nullopt;
  return inner && LacksAlpn(*inner, types);
}

void CheckAlpn(const Visited& at, const Visited& cluster, Context& context) {
  const std::optional<View> socket = MessageIn(cluster.message, "transport_socket");
  if (!socket || LacksAlpn(*socket, context.types)) {
    context.Add("XDS-V078", At(at, "auto_config"),
                fmt::format("auto_config needs TLS, to agree on a protocol, and the cluster's transport_socket {}",
                            socket ? "has none" : "is not set"));
    return;
  }
  std::size_t index = 0;
  for (const View& match : MessagesIn(cluster.message, "transport_socket_matches")) {
    const std::optional<View> other = MessageIn(match, "transport_socket");
    if (!other || LacksAlpn(*other, context.types)) {
      context.Add("XDS-V078", At(at, "auto_config"),
                  fmt::format("auto_config needs TLS, to agree on a protocol, and the cluster's "
                              "transport_socket_matches[{}] has none",
                              index));
      return;
    }
    ++index;
  }
}

// Goes by the names of sockets, as Envoy does.
bool IsForQuic(const View& socket, wire::Types& types) {
  const std::string_view name = socket.GetText("name");
  if (name != kProxySocket) return name == kQuicSocket;
  const std::optional<View> config = MessageIn(socket, "typed_config");
  if (!config) return false;
  const absl::StatusOr<wire::Message> proxy = wire::Open(*config, types);
  const std::optional<View> inner = proxy.ok() ? MessageIn(proxy->view(), "transport_socket") : std::nullopt;
  return inner && inner->GetText("name") == kQuicSocket;
}

constexpr std::string_view kProtocolChoices[] = {"auto_config", "explicit_http_config",
                                                 "use_downstream_protocol_config"};

void CheckProtocols(const Visited& at, Context& context) {
  const Visited* const cluster = ClusterOf(at);
  if (cluster == nullptr) return;
  bool http3 = false;
  for (const std::string_view field : kProtocolChoices) {
    const std::optional<View> choice = MessageIn(at.message, field);
    if (!choice || !Has(*choice, "http3_protocol_options")) continue;
    http3 = true;
    const std::optional<View> socket = MessageIn(cluster->message, "transport_socket");
    if (!socket || !IsForQuic(*socket, context.types)) {
      finding::Finding* const finding = context.Add(
          "XDS-V078", At(at, field), fmt::format("HTTP/3 needs a transport_socket with the name \"{}\"", kQuicSocket));
      if (finding != nullptr) finding->path.AddField("http3_protocol_options");
    }
    if (field == "auto_config" && !Has(*choice, "alternate_protocols_cache_options")) {
      context.Add("XDS-V078", At(at, field), "HTTP/3 in auto_config needs alternate_protocols_cache_options");
    }
  }
  if (Has(at.message, "auto_config")) CheckAlpn(at, *cluster, context);
  const std::optional<View> socket = MessageIn(cluster->message, "transport_socket");
  if (!http3 && socket && IsForQuic(*socket, context.types)) {
    finding::Finding* const finding =
        context.Add("XDS-V078", {at}, "the cluster's transport_socket is for QUIC, and HTTP/3 is not on");
    if (finding != nullptr) finding->severity = finding::Severity::kWarning;
  }
}

// ---- Filters of upstream connections. [XDS-V079, V088]

constexpr std::string_view kCodec = "envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec";

void CheckHttpFilters(const Visited& at, Context& context) {
  const std::vector<View> filters = MessagesIn(at.message, "http_filters");
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const bool last = i + 1 == filters.size();
    const bool codec = TypeOfExtension(filters[i], context.types) == kCodec;
    if (codec == last) continue;
    const std::string_view name = filters[i].GetText("name");
    context.Add("XDS-V079", At(at, "http_filters", i),
                last ? fmt::format("\"{}\" is the last upstream filter, and not an UpstreamCodec", name)
                     : fmt::format("\"{}\" is an UpstreamCodec, and more upstream filters follow", name));
  }
}

void CheckFilterSource(const Visited& at, Context& context) {
  if (!Has(at.message, "typed_config") || !Has(at.message, "config_discovery")) return;
  context.Add("XDS-V088", {at},
              fmt::format("\"{}\" has a typed_config and a config_discovery", at.message.GetText("name")));
}

// ---- Fields that came before HttpProtocolOptions. [XDS-V080]

// Those of a cluster that HttpProtocolOptions takes the place of.
constexpr std::string_view kReplaced[] = {"common_http_protocol_options", "http2_protocol_options",
                                          "http_protocol_options", "protocol_selection",
                                          "upstream_http_protocol_options"};

void CheckReplaced(const Visited& at, Context& context) {
  const Visited* const cluster = ClusterOf(at);
  if (cluster == nullptr) return;
  const std::optional<View> common = MessageIn(at.message, "common_http_protocol_options");
  if (common && Has(*common, "max_requests_per_connection") && Has(cluster->message, "max_requests_per_connection")) {
    finding::Finding* const finding = context.Add("XDS-V080", At(at, "common_http_protocol_options"),
                                                  "max_requests_per_connection is set in the cluster too");
    if (finding != nullptr) finding->path.AddField("max_requests_per_connection");
  }
  for (const std::string_view field : kReplaced) {
    if (!Has(cluster->message, field)) continue;
    finding::Finding* const finding =
        context.Add("XDS-V080", At(*cluster, field), fmt::format("HttpProtocolOptions take the place of {}", field));
    if (finding != nullptr) finding->severity = finding::Severity::kWarning;
  }
}

bool HasHttpOptions(const Visited& cluster) {
  const wire::Field* const map = cluster.message.type().Find("typed_extension_protocol_options");
  for (const wire::Present& present : cluster.fields->known()) {
    if (present.field != map) continue;
    const auto entries = wire::SortedMap(present);
    return std::any_of(entries.begin(), entries.end(),
                       [](const wire::MapEntry& entry) { return entry.key.AsText() == kHttpOptionsName; });
  }
  return false;
}

void CheckBothProtocols(const Visited& at, Context& context) {
  constexpr std::uint64_t kUseDownstream = 1;
  if (!Has(at.message, "http_protocol_options") || !Has(at.message, "http2_protocol_options")) return;
  if (NumberIn(at.message, "protocol_selection").value_or(0) == kUseDownstream || HasHttpOptions(at)) return;
  context.Add("XDS-V080", At(at, "http2_protocol_options"),
              "http_protocol_options and http2_protocol_options together need protocol_selection "
              "USE_DOWNSTREAM_PROTOCOL");
}

// ---- Sources of resources. [XDS-V082]

// Of ApiConfigSource.ApiType.
constexpr std::uint64_t kRest = 1;
constexpr std::uint64_t kV2 = 1;  // of ApiVersion

void CheckApiSource(const Visited& at, Context& context) {
  // Where loads are reported to: without services it is the server of the ADS stream, as Istio has it.
  if (at.field != nullptr && at.field->name == "load_stats_config") return;
  const std::size_t names = TextsIn(at.message, "cluster_names").size();
  const std::size_t services = MessagesIn(at.message, "grpc_services").size();
  const bool rest = NumberIn(at.message, "api_type").value_or(0) == kRest;
  if (names == 0 && services == 0) {
    context.Add("XDS-V082", {at}, fmt::format("has no {}", rest ? "cluster_names" : "grpc_services"));
  } else if (!rest && names > 0) {
    context.Add("XDS-V082", At(at, "cluster_names"), "cluster_names is for REST: gRPC has grpc_services");
  } else if (!rest && services > 1) {
    context.Add("XDS-V082", At(at, "grpc_services"), fmt::format("has {} gRPC services, and one is meant", services));
  } else if (rest && services > 0) {
    context.Add("XDS-V082", At(at, "grpc_services"), "grpc_services is for gRPC: REST has cluster_names");
  } else if (rest && names > 1) {
    context.Add("XDS-V082", At(at, "cluster_names"), fmt::format("has {} clusters, and one is meant", names));
  } else if (rest && !Has(at.message, "refresh_delay")) {
    context.Add("XDS-V082", {at}, "REST needs a refresh_delay");
  }
  if (NumberIn(at.message, "transport_api_version").value_or(0) == kV2) {
    context.Add("XDS-V082", At(at, "transport_api_version"), "Envoy does not speak version 2 any more");
  }
}

// Virtual hosts on demand are asked for one by one, which delta streams can do alone.
void CheckVhdsSource(const Visited& at, Context& context) {
  constexpr std::uint64_t kDeltaGrpc = 3;
  const std::optional<View> source = MessageIn(at.message, "config_source");
  if (!source || Has(*source, "ads")) return;
  const std::optional<View> api = MessageIn(*source, "api_config_source");
  if (api && NumberIn(*api, "api_type").value_or(0) == kDeltaGrpc) return;
  context.Add("XDS-V082", At(at, "config_source"), "virtual hosts come by a delta stream: DELTA_GRPC or ads");
}

// ---- The table.

constexpr std::string_view kCluster[] = {"envoy.config.cluster.v3.Cluster"};
constexpr std::string_view kFilter[] = {"envoy.config.cluster.v3.Filter"};
constexpr std::string_view kHttpOptions[] = {kHttpOptionsName};
constexpr std::string_view kVhds[] = {"envoy.config.route.v3.Vhds"};
constexpr std::string_view kVhdsReads[] = {
    "envoy.config.core.v3.ApiConfigSource.api_type",
    "envoy.config.core.v3.ConfigSource.ads",
    "envoy.config.core.v3.ConfigSource.api_config_source",
    "envoy.config.route.v3.Vhds.config_source",
};
constexpr std::string_view kApiSource[] = {"envoy.config.core.v3.ApiConfigSource"};

constexpr std::string_view kProtocolReads[] = {
    "envoy.config.cluster.v3.Cluster.transport_socket",
    "envoy.config.cluster.v3.Cluster.transport_socket_matches",
    "envoy.config.cluster.v3.Cluster.typed_extension_protocol_options",
    "envoy.config.cluster.v3.Cluster.TransportSocketMatch.transport_socket",
    "envoy.config.core.v3.TransportSocket.typed_config",
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.auto_config",
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.explicit_http_config",
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.use_downstream_protocol_config",
};
constexpr std::string_view kHttpFilterReads[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.typed_config",
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.http_filters",
};
constexpr std::string_view kFilterReads[] = {
    "envoy.config.cluster.v3.Filter.config_discovery",
    "envoy.config.cluster.v3.Filter.typed_config",
};
constexpr std::string_view kReplacedReads[] = {
    "envoy.config.cluster.v3.Cluster.max_requests_per_connection",
    "envoy.config.core.v3.HttpProtocolOptions.max_requests_per_connection",
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.common_http_protocol_options",
};
constexpr std::string_view kBothReads[] = {
    "envoy.config.cluster.v3.Cluster.http2_protocol_options",
    "envoy.config.cluster.v3.Cluster.http_protocol_options",
    "envoy.config.cluster.v3.Cluster.protocol_selection",
    "envoy.config.cluster.v3.Cluster.typed_extension_protocol_options",
};
constexpr std::string_view kApiReads[] = {
    "envoy.config.core.v3.ApiConfigSource.api_type",
    "envoy.config.core.v3.ApiConfigSource.cluster_names",
    "envoy.config.core.v3.ApiConfigSource.grpc_services",
    "envoy.config.core.v3.ApiConfigSource.refresh_delay",
    "envoy.config.core.v3.ApiConfigSource.transport_api_version",
};

constexpr std::array kChecks = {
    Check{"XDS-V078", kHttpOptions, kProtocolReads, CheckProtocols},
    Check{"XDS-V079", kHttpOptions, kHttpFilterReads, CheckHttpFilters},
    Check{"XDS-V080", kHttpOptions, kReplacedReads, CheckReplaced},
    Check{"XDS-V080", kCluster, kBothReads, CheckBothProtocols},
    Check{"XDS-V082", kApiSource, kApiReads, CheckApiSource},
    Check{"XDS-V082", kVhds, kVhdsReads, CheckVhdsSource},
    Check{"XDS-V088", kFilter, kFilterReads, CheckFilterSource},
};

}  // namespace

std::span<const Check> UpstreamChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
