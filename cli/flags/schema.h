// --schema: more types than those that are built in.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "cli/args/flag.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"
#include "lib/schema/schema.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> SchemaFlags();

// The types that a run knows. There is one of these in a run, because opening a schema costs time, and everything that
// reads or prints messages shares the tables that were made of it.
struct LoadedTypes {
  explicit LoadedTypes(schema::Schema loaded) : schema(std::move(loaded)) {}
  LoadedTypes(const LoadedTypes&) = delete;
  LoadedTypes& operator=(const LoadedTypes&) = delete;

  schema::Schema schema;
  wire::Types types{schema};
};

// Loads the built-in types with the files of --schema on top; of those a later one wins. Fails with INVALID_ARGUMENT,
// "--schema PATH: what".
absl::StatusOr<std::unique_ptr<LoadedTypes>> LoadTypes(const config::Surroundings& surroundings);

}  // namespace xdscope::cli
