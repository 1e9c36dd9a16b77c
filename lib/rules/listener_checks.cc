// Listeners: addresses, kinds of listeners, their sockets, and filters that are discovered.
// [reference/validation.md 2.2 XDS-V020 to V023, V032 to V034, V037]
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "lib/rules/check.h"
#include "lib/rules/listener.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

constexpr std::string_view kListener[] = {"envoy.config.listener.v3.Listener"};

// ---- Addresses. [XDS-V020 to V023, V032, V033, V037]

bool IsIpv4Compatible(std::string_view address) {
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, std::string(address).c_str(), bytes.data()) != 1) return false;
  constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::equal(kMapped.begin(), kMapped.end(), bytes.begin()) ||
         std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; });
}

// `below`: the path from the place to the address.
void CheckAddress(const View& address, const Place& place, const finding::Path& below, Context& context) {
  const std::optional<View> socket = MessageIn(address, "socket_address");
  if (!socket || Has(*socket, "resolver_name")) return;
  const std::string_view ip = socket->GetText("address");
  if (!ip.empty() && !IsIpAddress(ip)) {
    finding::Finding* const finding =
        context.Add("XDS-V022", place, fmt::format("\"{}\" is no IP address: listeners never resolve names", ip));
    if (finding != nullptr) finding->path.Append(below).AddField("socket_address").AddField("address");
  } else if (IsOn(*socket, "ipv4_compat") && !IsIpv4Compatible(ip)) {
    finding::Finding* const finding =
        context.Add("XDS-V023", place, fmt::format("ipv4_compat needs :: or an IPv4-mapped address, and not {}", ip));
    if (finding != nullptr) finding->path.Append(below).AddField("socket_address").AddField("ipv4_compat");
  }
}

void CheckAddresses(const Visited& at, Context& context) {
  const Listener listener(at.message);
  if (listener.api && listener.internal) {
    context.Add("XDS-V021", At(at, "api_listener"), "a listener is an api_listener or an internal_listener, not both");
  }
  if (listener.api || listener.internal) return;
  if (!listener.address) {
    context.Add("XDS-V020", {at}, "has no address");
    return;
  }
  CheckAddress(*listener.address, At(at, "address"), {}, context);
  const Socket socket = SocketOf(*listener.address);
  std::size_t index = 0;
  for (const View& additional : MessagesIn(at.message, "additional_addresses")) {
    const Place place = At(at, "additional_addresses", index++);
    const std::optional<View> address = MessageIn(additional, "address");
    if (!address) continue;
    if (SocketOf(*address) != socket) {
      context.Add("XDS-V023", place, "the addresses of a listener are all TCP or all UDP");
    }
    CheckAddress(*address, place, finding::Path().AddField("address"), context);
  }
}

// An api_listener is what gRPC's clients want, so it is not wrong in itself.
void CheckApiListener(const Visited& at, Context& context) {
  if (Listener(at.message).api && !Has(at.message, "internal_listener")) {
    context.Add("XDS-V021", At(at, "api_listener"),
                "an api_listener from LDS is for clients of gRPC: Envoy ignores it");
  }
}

// The fields that an internal listener has no use for, when they are set.
constexpr std::string_view kNotInternal[] = {"enable_reuse_port", "tcp_backlog_size", "tcp_fast_open_queue_length",
                                             "socket_options"};
// The same, when they are true.
constexpr std::string_view kNotInternalIfOn[] = {"enable_mptcp", "freebind", "transparent"};

void CheckInternal(const Visited& at, Context& context) {
  const Listener listener(at.message);
  const auto unsupported = [&](std::string_view field) {
    context.Add("XDS-V032", At(at, field), fmt::format("an internal listener has no {}", field));
  };
  if (!listener.internal) {
    if (listener.address && Has(*listener.address, "envoy_internal_address")) {
      context.Add("XDS-V032", At(at, "address"), "an envoy_internal_address is for clusters: use internal_listener");
    }
    return;
  }
  if (listener.address || !ListOf(at.message, "additional_addresses").empty()) unsupported("address");
  for (const std::string_view field : kNotInternal) {
    if (Has(at.message, field)) unsupported(field);
  }
  for (const std::string_view field : kNotInternalIfOn) {
    if (IsOn(at.message, field)) unsupported(field);
  }
  const std::optional<View> balance = MessageIn(at.message, "connection_balance_config");
  if (balance && Has(*balance, "exact_balance")) unsupported("connection_balance_config");
}

void CheckSocketOptions(const Visited& at, Context& context) {
  const Listener listener(at.message);
  if (!listener.address || listener.internal) return;
  if (IsOn(at.message, "enable_mptcp")) {
    if (listener.udp) context.Add("XDS-V033", At(at, "enable_mptcp"), "enable_mptcp is for TCP");
    if (!Has(*listener.address, "socket_address")) {
      context.Add("XDS-V033", At(at, "enable_mptcp"), "enable_mptcp is for IP addresses");
    }
  }
  if (listener.quic && Has(at.message, "connection_balance_config")) {
    context.Add("XDS-V033", At(at, "connection_balance_config"), "QUIC has no connection_balance_config");
  }
  const bool no_reuse = Has(at.message, "enable_reuse_port") && !IsOn(at.message, "enable_reuse_port");
  if (listener.udp && no_reuse) {
    context.Add("XDS-V033", At(at, "enable_reuse_port"), "UDP with more than one worker needs enable_reuse_port");
  }
}

void CheckName(const Visited& at, Context& context) {
  if (at.message.GetText("name").empty()) {
    context.Add("XDS-V037", {at}, "has no name: Envoy makes one up, and no update can replace it");
  }
}

// ---- Filters. [XDS-V034]

constexpr std::string_view kExtensionSource[] = {"envoy.config.core.v3.ExtensionConfigSource"};

void CheckDiscovery(const Visited& at, Context& context) {
  if (IsOn(at.message, "apply_default_config_without_warming") && !Has(at.message, "default_config")) {
    context.Add("XDS-V034", At(at, "apply_default_config_without_warming"),
                "apply_default_config_without_warming needs a default_config");
  }
}

void CheckUdpDiscovery(const Visited& at, Context& context) {
  if (!Listener(at.message).udp || Listener(at.message).quic) return;
  std::size_t index = 0;
  for (const View& filter : MessagesIn(at.message, "listener_filters")) {
    if (Has(filter, "config_discovery")) {
      context.Add("XDS-V034", At(at, "listener_filters", index), "a UDP listener filter has no config_discovery");
    }
    ++index;
  }
}

constexpr std::string_view kListenerReads[] = {
    "envoy.config.core.v3.Address.envoy_internal_address",
    "envoy.config.core.v3.Address.socket_address",
    "envoy.config.core.v3.SocketAddress.address",
    "envoy.config.core.v3.SocketAddress.ipv4_compat",
    "envoy.config.core.v3.SocketAddress.protocol",
    "envoy.config.core.v3.SocketAddress.resolver_name",
    "envoy.config.listener.v3.AdditionalAddress.address",
    "envoy.config.listener.v3.Listener.additional_addresses",
    "envoy.config.listener.v3.Listener.address",
    "envoy.config.listener.v3.Listener.api_listener",
    "envoy.config.listener.v3.Listener.connection_balance_config",
    "envoy.config.listener.v3.Listener.enable_mptcp",
    "envoy.config.listener.v3.Listener.enable_reuse_port",
    "envoy.config.listener.v3.Listener.freebind",
    "envoy.config.listener.v3.Listener.internal_listener",
    "envoy.config.listener.v3.Listener.name",
    "envoy.config.listener.v3.Listener.socket_options",
    "envoy.config.listener.v3.Listener.tcp_backlog_size",
    "envoy.config.listener.v3.Listener.tcp_fast_open_queue_length",
    "envoy.config.listener.v3.Listener.transparent",
    "envoy.config.listener.v3.Listener.udp_listener_config",
    "envoy.config.listener.v3.UdpListenerConfig.quic_options",
};
constexpr std::string_view kUdpReads[] = {
    "envoy.config.listener.v3.Listener.listener_filters",
    "envoy.config.listener.v3.ListenerFilter.config_discovery",
    "envoy.config.listener.v3.UdpListenerConfig.quic_options",
};
constexpr std::string_view kDiscoveryReads[] = {
    "envoy.config.core.v3.ExtensionConfigSource.apply_default_config_without_warming",
    "envoy.config.core.v3.ExtensionConfigSource.default_config",
};

constexpr std::array kChecks = {
    Check{"XDS-V020", kListener, kListenerReads, CheckAddresses},
    Check{"XDS-V021", kListener, kListenerReads, CheckApiListener},
    Check{"XDS-V032", kListener, kListenerReads, CheckInternal},
    Check{"XDS-V033", kListener, kListenerReads, CheckSocketOptions},
    Check{"XDS-V034", kExtensionSource, kDiscoveryReads, CheckDiscovery},
    Check{"XDS-V034", kListener, kUdpReads, CheckUdpDiscovery},
    Check{"XDS-V037", kListener, kListenerReads, CheckName},
};

}  // namespace

std::span<const Check> ListenerChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
