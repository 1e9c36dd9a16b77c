// --schema: more types than those that are built in.
#pragma once

#include <span>
#include <vector>

#include "cli/args/flag.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"
#include "lib/schema/schema.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> SchemaFlags();

// Reads the files that --schema names, in order. Fails with INVALID_ARGUMENT, "--schema PATH: what".
absl::StatusOr<std::vector<schema::SchemaFile>> ReadSchemaFlag(const config::Surroundings& surroundings);

}  // namespace xdscope::cli
