#include "cli/flags/files.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/args/usage_error.h"
#include "cli/flags/channel.h"
#include "cli/flags/messages.h"
#include "cli/flags/node.h"
#include "cli/flags/protocol.h"
#include "lib/files/folder.h"
#include "lib/transport/target.h"

namespace xdscope::cli {
namespace {

// Flags about connecting, asking and answering that say something of files too.
constexpr std::array<std::string_view, 3> kOfFilesToo = {"target", "max-time", "api"};

absl::Status CheckFlags(const CommandLine& line, std::string_view target) {
  for (const std::span<const FlagRow> rows : {ConnectionFlags(), NodeFlags(), ProtocolFlags()}) {
    for (const FlagRow& row : rows) {
      if (!line.Given(row.name) || std::ranges::find(kOfFilesToo, row.name) != kOfFilesToo.end()) continue;
      return UsageError(fmt::format("--{}", row.name),
                        fmt::format("has no effect on files, and the TARGET is one: {}", target));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool NamesFiles(const std::string& target, const base::Files& files) {
  if (target == "-") return true;
  if (target.empty() || transport::ParseTarget(target).ok() || transport::HasScheme(target)) return false;
  return files.Stamp(target).ok() || target.find('/') != std::string::npos ||
         files::IsDiscoveryFile(base::NameOf(target));
}

absl::StatusOr<ConnectOptions> ReadFileFlags(const CommandLine& line, const std::string& target,
                                             const config::Surroundings& surroundings, wire::Types& types) {
  const absl::Status status = CheckFlags(line, target);
  if (!status.ok()) return status;
  const absl::StatusOr<types::Api> api = ReadApiFlag();
  if (!api.ok()) return api.status();
  ConnectOptions options;
  absl::StatusOr<config::Node> node = ReadNodeFlags(line, {}, options.profile, surroundings, types);
  if (!node.ok()) return node.status();
  options.node = std::move(node->bytes);
  options.path = target == "-" ? std::string(base::kStdin) : target;
  options.where = options.path;
  options.api = *api;
  options.max_time = MaxTimeFlag();
  options.verbosity = Verbosity();
  options.quiet = IsQuiet();
  return options;
}

}  // namespace xdscope::cli
