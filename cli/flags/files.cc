#include "cli/flags/files.h"

#include <algorithm>
#include <array>
#include <optional>
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

absl::Status CheckReadAgain(std::string_view target) {
  return target == "-" ? UsageError("-", "standard input is read once, by fetch") : absl::OkStatus();
}

absl::StatusOr<ConnectResult> ReadTargetFlags(const CommandLine& line, const std::string& target, TargetKind kind,
                                              const config::Surroundings& surroundings, wire::Types& types,
                                              AskedServers asked) {
  if (kind == TargetKind::kServers) return ReadConnectFlags(line, target, asked, surroundings, types);
  absl::StatusOr<ConnectOptions> options = ReadFileFlags(line, target, surroundings, types);
  if (!options.ok()) return options.status();
  return ConnectResult{*std::move(options), {}};
}

namespace {

absl::Status CheckRequest(const TypeRequest& request, const ConnectOptions& options) {
  if (!options.profile.asks_for_everything && request.want.everything) {
    return UsageError(request.word,
                      fmt::format("--client grpc never asks for everything; give names, as in {}:NAME", request.word));
  }
  const std::optional<ServerOptions> server = ServerFor(options, request.want.type_url);
  if (!server) return UsageError(request.word, "the bootstrap asks nobody for it; give HOST:PORT to ask there");
  return CheckVariant(request, server->variant, server->api);
}

}  // namespace

absl::Status CheckAsked(std::span<const TypeRequest> requests, const ConnectOptions& options) {
  if (!options.path.empty()) return absl::OkStatus();
  const client::JudgePolicy& policy = options.policy;
  if (!policy.nack_message.empty() && !policy.nack_all && policy.on_invalid == client::JudgePolicy::OnInvalid::kAck) {
    return UsageError("--nack-message", "nothing would be refused: give --nack, or --on-invalid nack");
  }
  if (!options.profile.asks_for_everything && requests.empty()) {
    return UsageError("--client grpc", "never asks for everything; give names, as in lds:NAME");
  }
  if (requests.empty() && options.roots.empty()) {
    return UsageError("TYPE", "the bootstrap asks nobody for listeners or clusters; name a TYPE");
  }
  for (const TypeRequest& request : requests) {
    const absl::Status status = CheckRequest(request, options);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
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
