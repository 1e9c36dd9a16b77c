// Certificates and keys as bootstraps name them: by file, in the text itself, or by an environment variable.
// For the .cc files of this folder.
#pragma once

#include <string>
#include <vector>

#include "lib/config/setting.h"
#include "lib/config/surroundings.h"
#include "lib/transport/settings.h"

namespace xdscope::config {

// Reads one PEM text as a setting names it; returns nothing where no setting stands. INVALID_ARGUMENT, "FILE:LINE:
// path: what".
using PemReader = absl::StatusOr<std::string>(const Setting& source, const Surroundings& surroundings);

// Reads Envoy's DataSource: filename, inline_string, inline_bytes, environment_variable.
PemReader ReadDataSource;
// Reads the file that the setting's text names.
PemReader ReadNamedFile;

// Reads the roots, our own certificate and its key with one of the above, whose errors it returns.
absl::StatusOr<transport::Tls> ReadTls(PemReader* read, const Setting& ca, const Setting& certificate,
                                       const Setting& key, const Surroundings& surroundings);

// Puts Envoy's transport_socket of a cluster into the channel: its TLS settings, and SNI or the expected name as
// authority. Without a transport socket the channel stays plaintext. Adds to `notes` what cannot be followed.
absl::Status ReadTransportSocket(const Setting& socket, const Surroundings& surroundings,
                                 transport::ChannelSettings* channel, std::vector<std::string>* notes);

}  // namespace xdscope::config
