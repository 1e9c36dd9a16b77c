// Files that flags name: read whole, and checked as far as that can be done without knowing what they are for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"
#include "lib/config/bootstrap.h"
#include "lib/schema/schema.h"

namespace xdscope::cli {

// The file that --FLAG names; nothing where `path` is empty. INVALID_ARGUMENT, "--FLAG PATH: what".
absl::Status ReadFlagFile(const config::Surroundings& surroundings, std::string_view flag, const std::string& path,
                          std::string* contents);

// The PEM file that --FLAG names; nothing where `path` is empty. `kind`: what must stand in it ("CERTIFICATE", "PRIVATE
// KEY"). INVALID_ARGUMENT, "--FLAG PATH: what".
absl::Status ReadPem(const config::Surroundings& surroundings, std::string_view flag, const std::string& path,
                     std::string_view kind, std::string* contents);

// What --schema names. INVALID_ARGUMENT, "--schema PATH: what".
absl::StatusOr<std::vector<schema::SchemaFile>> ReadSchemaFiles(const std::vector<std::string>& paths,
                                                                const config::Surroundings& surroundings);
// The built-in schema with these on top.
absl::StatusOr<schema::Schema> LoadSchema(const std::vector<schema::SchemaFile>& files);

}  // namespace xdscope::cli
