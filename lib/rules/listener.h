// What checks of listeners ask again and again: their kinds, by the sockets that they listen on.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/rules/reading.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// The kind of socket that an address asks for.
enum class Socket : std::uint8_t { kStream, kDatagram };

inline Socket SocketOf(const wire::View& address) {
  const std::optional<wire::View> socket = MessageIn(address, "socket_address");
  return socket && NumberIn(*socket, "protocol").value_or(0) == 1 ? Socket::kDatagram : Socket::kStream;
}

// What checks of listeners ask again and again.
struct Listener {
  explicit Listener(const wire::View& listener)
      : view(listener),
        address(MessageIn(listener, "address")),
        internal(Has(listener, "internal_listener")),
        api(Has(listener, "api_listener")) {
    const std::optional<wire::View> udp_config = MessageIn(listener, "udp_listener_config");
    udp = !internal && address && SocketOf(*address) == Socket::kDatagram;
    quic = udp && udp_config && Has(*udp_config, "quic_options");
  }

  const wire::View& view;
  std::optional<wire::View> address;
  bool internal;
  bool api;  // the form for clients of gRPC: Envoy takes none from LDS
  bool udp;
  bool quic;
};

}  // namespace xdscope::rules
