#include "cli/flags/schema.h"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/args/flag_types.h"

using xdscope::cli::ListFlag;

// Type, name, default, form and text of each flag.
#define SCHEMA_FLAGS(FLAG)                                                                                \
  FLAG(ListFlag, schema, {}, List("FILE"),                                                                \
       "More types, over the built-in ones: a descriptor set, or a program with the types compiled into " \
       "it (Envoy, istiod, any C++ or Go server). Repeats.")

SCHEMA_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {SCHEMA_FLAGS(XDSCOPE_FLAG_ROW)};

}  // namespace

std::span<const FlagRow> SchemaFlags() {
  return kRows;
}

absl::StatusOr<std::vector<schema::SchemaFile>> ReadSchemaFlag(const config::Surroundings& surroundings) {
  std::vector<schema::SchemaFile> files;
  for (const std::string& path : absl::GetFlag(FLAGS_schema).values) {
    absl::StatusOr<std::string> bytes = surroundings.read_file(path);
    if (!bytes.ok()) return base::Prefix(bytes.status(), fmt::format("--schema {}", path));
    files.push_back({path, *std::move(bytes)});
  }
  return files;
}

}  // namespace xdscope::cli
