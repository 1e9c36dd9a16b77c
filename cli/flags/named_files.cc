#include "cli/flags/named_files.h"

#include <fmt/format.h>

#include <utility>

namespace xdscope::cli {

absl::Status ReadFlagFile(const config::Surroundings& surroundings, std::string_view flag, const std::string& path,
                          std::string* contents) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> read = surroundings.read_file(path);
  if (!read.ok()) return base::Prefix(read.status(), fmt::format("--{} {}", flag, path));
  *contents = *std::move(read);
  return absl::OkStatus();
}

absl::Status ReadPem(const config::Surroundings& surroundings, std::string_view flag, const std::string& path,
                     std::string_view kind, std::string* contents) {
  const absl::Status status = ReadFlagFile(surroundings, flag, path, contents);
  if (!status.ok() || path.empty()) return status;
  const std::size_t begin = contents->find("-----BEGIN ");
  if (begin != std::string::npos && contents->find(fmt::format("{}-----", kind), begin) != std::string::npos) {
    return status;
  }
  return base::Error(absl::StatusCode::kInvalidArgument,
                     fmt::format("--{} {}: no {} in PEM form in it", flag, path, kind));
}

absl::StatusOr<std::vector<schema::SchemaFile>> ReadSchemaFiles(const std::vector<std::string>& paths,
                                                                const config::Surroundings& surroundings) {
  std::vector<schema::SchemaFile> files;
  for (const std::string& path : paths) {
    std::string bytes;
    const absl::Status status = ReadFlagFile(surroundings, "schema", path, &bytes);
    if (!status.ok()) return status;
    files.push_back({path, std::move(bytes)});
  }
  return files;
}

absl::StatusOr<schema::Schema> LoadSchema(const std::vector<schema::SchemaFile>& files) {
  return files.empty() ? schema::Schema::Builtin() : schema::Schema::WithFiles(files);
}

}  // namespace xdscope::cli
