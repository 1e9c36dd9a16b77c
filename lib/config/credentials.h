// Certificates and keys as bootstraps name them: by file, in the text itself, or by an environment variable.
// For the .cc files of this folder.
#pragma once

#include <string>
#include <vector>

#include "lib/config/bootstrap.h"
#include "lib/config/place.h"

namespace xdscope::config {

// Envoy's DataSource: filename, inline_string, inline_bytes, environment_variable. Empty when nothing stands there.
absl::StatusOr<std::string> ReadDataSource(const Place& source, const Surroundings& surroundings);

// The contents of the file that `path` names. Empty when nothing stands there.
absl::StatusOr<std::string> ReadNamedFile(const Place& path, const Surroundings& surroundings);

// Envoy's transport_socket of a cluster into the channel: its TLS settings, and SNI or the expected name as authority.
// Without a transport socket: plaintext.
absl::Status ReadTransportSocket(const Place& socket, const Surroundings& surroundings,
                                 transport::ChannelSettings* channel, std::vector<std::string>* notes);

}  // namespace xdscope::config
