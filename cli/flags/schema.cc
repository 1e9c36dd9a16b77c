#include "cli/flags/schema.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/args/flag_types.h"

using xdscope::cli::ListFlag;

// Type, name, default, form and text of each flag.
#define SCHEMA_FLAGS(FLAG)                                                                                \
  FLAG(ListFlag, schema, {}, List("FILE"),                                                                \
       "Add types to the built-in ones, from a descriptor set or from a program with the types compiled " \
       "into it (Envoy, istiod, any C++ or Go server). Repeats.")

SCHEMA_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {SCHEMA_FLAGS(XDSCOPE_FLAG_ROW)};

// A program with the types compiled into it, and its debug symbols, may have hundreds of megabytes.
constexpr std::size_t kMostOfSchema = 1 << 30;

absl::StatusOr<std::vector<schema::SchemaFile>> ReadFiles(const config::Surroundings& surroundings) {
  std::vector<schema::SchemaFile> files;
  for (const std::string& path : absl::GetFlag(FLAGS_schema).values) {
    absl::StatusOr<std::string> bytes = surroundings.read_file(path, kMostOfSchema);
    if (!bytes.ok()) return base::Prefix(bytes.status(), fmt::format("--schema {}", path));
    files.push_back({path, *std::move(bytes)});
  }
  return files;
}

}  // namespace

std::span<const FlagRow> SchemaFlags() {
  return kRows;
}

absl::StatusOr<std::unique_ptr<LoadedTypes>> LoadTypes(const config::Surroundings& surroundings) {
  absl::StatusOr<std::vector<schema::SchemaFile>> files = ReadFiles(surroundings);
  if (!files.ok()) return files.status();
  if (files->empty()) return std::make_unique<LoadedTypes>(schema::Schema::Builtin());
  absl::StatusOr<schema::Schema> schema = schema::Schema::WithFiles(*std::move(files));
  if (!schema.ok()) return schema.status();
  return std::make_unique<LoadedTypes>(*std::move(schema));
}

}  // namespace xdscope::cli
