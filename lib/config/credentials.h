// Certificates and keys as bootstraps name them: by file, in the text itself, or by an environment variable.
// For the .cc files of this folder.
#pragma once

#include <string>

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

// Reads who may have signed the server's certificate, with one of the above, whose errors it returns; leaves what is
// there where no setting stands. INVALID_ARGUMENT also for authorities that are there and empty, and for revoked
// certificates among them.
absl::Status ReadAuthorities(PemReader* read, const Setting& source, const Surroundings& surroundings,
                             transport::Tls* tls);

// Reads our own certificate and its key with one of the above, whose errors it returns.
absl::Status ReadIdentity(PemReader* read, const Setting& certificate, const Setting& key,
                          const Surroundings& surroundings, transport::Tls* tls);

}  // namespace xdscope::config
