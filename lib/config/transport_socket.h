// How a cluster of an Envoy bootstrap encrypts: its transport_socket. For the .cc files of this folder.
#pragma once

#include <string_view>

#include "lib/config/bootstrap.h"
#include "lib/config/secrets.h"
#include "lib/config/setting.h"
#include "lib/config/surroundings.h"

namespace xdscope::config {

// Puts the TLS settings of a cluster into the server's channel; without a transport socket the channel stays plaintext.
// What is demanded of the server's certificate and cannot be checked is the server's `verification`. INVALID_ARGUMENT,
// "FILE:LINE: path: what": it is no TLS, or our own certificate cannot be read.
absl::Status ReadTransportSocket(const Setting& cluster, const Surroundings& surroundings, Secrets* secrets,
                                 ServerConfig* server);

}  // namespace xdscope::config
