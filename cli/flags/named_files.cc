#include "cli/flags/named_files.h"

#include <fmt/format.h>

#include <utility>

namespace xdscope::cli {

absl::Status ReadFlagFile(const config::Surroundings& surroundings, const absl::Flag<std::string>& flag,
                          std::string* contents) {
  const std::string path = absl::GetFlag(flag);
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> read = surroundings.read_file(path, config::kMostOfFile);
  if (!read.ok()) return base::Prefix(read.status(), fmt::format("--{} {}", FlagName(flag), path));
  *contents = *std::move(read);
  return absl::OkStatus();
}

absl::Status ReadPem(const config::Surroundings& surroundings, const absl::Flag<std::string>& flag,
                     std::string_view kind, std::string* contents) {
  const absl::Status status = ReadFlagFile(surroundings, flag, contents);
  if (!status.ok() || absl::GetFlag(flag).empty()) return status;
  const std::size_t begin = contents->find("-----BEGIN ");
  if (begin != std::string::npos && contents->find(fmt::format("{}-----", kind), begin) != std::string::npos) {
    return status;
  }
  return base::Error(absl::StatusCode::kInvalidArgument,
                     fmt::format("--{} {}: no {} in PEM form in it", FlagName(flag), absl::GetFlag(flag), kind));
}

}  // namespace xdscope::cli
