// Files that flags name: read whole, and checked as far as that can be done without knowing what they are for.
#pragma once

#include <string>
#include <string_view>

#include "cli/args/flag.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// Reads the file that a flag names, and nothing where it names none. Fails with INVALID_ARGUMENT, "--FLAG PATH: what".
absl::Status ReadFlagFile(const config::Surroundings& surroundings, const absl::Flag<std::string>& flag,
                          std::string* contents);

// Reads the PEM file that a flag names, and nothing where it names none. `kind` is what must stand in it
// ("CERTIFICATE", "PRIVATE KEY"). Fails with INVALID_ARGUMENT, "--FLAG PATH: what".
absl::Status ReadPem(const config::Surroundings& surroundings, const absl::Flag<std::string>& flag,
                     std::string_view kind, std::string* contents);

}  // namespace xdscope::cli
