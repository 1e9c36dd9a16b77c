#include "cli/flags/connect.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/flags/channel.h"
#include "cli/flags/node.h"
#include "cli/flags/protocol.h"
#include "cli/flags/servers.h"

namespace xdscope::cli {

TargetAndTypes SplitWords(const CommandLine& line) {
  TargetAndTypes words{TargetFlag(), line.words};
  // An empty word is a variable that nobody set. It is left to be refused as a TYPE: the bootstrap's server is not what
  // was meant.
  const bool has_target = !words.types.empty() && !words.types.front().empty() && !IsTypeWord(words.types.front());
  if (!words.target.empty() || !has_target) return words;
  words.target = std::move(words.types.front());
  words.types.erase(words.types.begin());
  return words;
}

namespace {

const config::ServerConfig* MainServerOf(const std::optional<config::Bootstrap>& bootstrap) {
  return bootstrap ? bootstrap->MainServer() : nullptr;
}

// Refuses what was typed about connecting where nothing is connected to.
absl::Status CheckFlagsOfFiles(const CommandLine& line, const config::FileConfig& file) {
  constexpr std::array<std::string_view, 3> kOfFilesToo = {"target", "max-time", "bootstrap"};
  for (const FlagRow& row : ConnectionFlags()) {
    if (!line.Given(row.name) || std::ranges::find(kOfFilesToo, row.name) != kOfFilesToo.end()) continue;
    return UsageError(fmt::format("--{}", row.name),
                      fmt::format("has no effect on files, and the bootstrap names no server: {}", file.where));
  }
  return absl::OkStatus();
}

// Reads how the one server is reached that is there unless a bootstrap says more: `target`, or the main server of the
// bootstrap. Where that knows files alone, there is none.
absl::Status ReadMainServer(const CommandLine& line, const std::string& target,
                            const std::optional<config::Bootstrap>& bootstrap, AskedServers asked,
                            const config::Surroundings& surroundings, ConnectOptions* options) {
  const config::ServerConfig* const server = MainServerOf(bootstrap);
  if (target.empty() && server == nullptr) {
    const config::FileConfig& file = bootstrap->files.begin()->second;
    options->where = file.path;
    if (asked == AskedServers::kAll) return CheckFlagsOfFiles(line, file);
    return base::Error(
        absl::StatusCode::kInvalidArgument,
        fmt::format("{}: is a file, and the bootstrap names no control plane: give it as TARGET", file.where));
  }
  absl::StatusOr<ChannelRead> channel = ReadChannelFlags(line, target, server, surroundings);
  if (!channel.ok()) return channel.status();
  options->where = std::move(channel->where);
  options->channel = std::move(channel->channel);
  return absl::OkStatus();
}

// Fills what of the options a bootstrap says besides how its main server is reached.
absl::Status ReadBootstrapOptions(const CommandLine& line, const config::Bootstrap& bootstrap, bool has_target,
                                  AskedServers asked, const config::Surroundings& surroundings, ConnectResult* result) {
  ConnectOptions& options = result->options;
  const config::ServerConfig* const server = bootstrap.MainServer();
  if (server != nullptr && !server->cluster.empty()) options.server_clusters.push_back(server->cluster);
  options.static_clusters.insert(bootstrap.static_clusters.begin(), bootstrap.static_clusters.end());
  // A TARGET takes the place of every server, so none of them is missed.
  if (!has_target) {
    options.has_ads = bootstrap.client == config::ClientKind::kGrpc || bootstrap.config_sources.contains("ads_config");
    result->notes = bootstrap.notes;
    if (asked == AskedServers::kAll) return ReadServers(line, bootstrap, surroundings, &options, &result->notes);
    std::ranges::move(bootstrap.NotesOnOtherServers(), std::back_inserter(result->notes));
  }
  if (server == nullptr) return absl::OkStatus();
  result->notes.insert(result->notes.end(), server->notes.begin(), server->notes.end());
  if (!InsecureFlag()) NoteWhatIsNotVerified(*server, options.channel.tls, &result->notes);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConnectResult> ReadConnectFlags(const CommandLine& line, const std::string& target, AskedServers asked,
                                               const config::Surroundings& surroundings, wire::Types& types) {
  const BootstrapFrom from = WhereBootstrapIs(target, surroundings.environment);
  if (target.empty() && !from.exists) {
    const auto meant = std::ranges::find_if(line.words, LooksLikeTarget);
    if (meant != line.words.end()) return UsageError(*meant, "the TARGET stands before the TYPEs");
    return base::Error(absl::StatusCode::kInvalidArgument, "TARGET: is missing; give HOST:PORT or --bootstrap FILE");
  }
  const auto bootstrap = ReadBootstrapOf(from, surroundings, types);
  if (!bootstrap.ok()) return bootstrap.status();
  ConnectResult result;
  ConnectOptions& options = result.options;
  absl::Status status = ReadMainServer(line, target, *bootstrap, asked, surroundings, &options);
  options.max_time = MaxTimeFlag();
  ReadPollFlags(&options);
  options.bootstrap = from.found;
  if (status.ok()) status = ReadProtocolFlags(line, *bootstrap, &options);
  if (status.ok() && *bootstrap) {
    status = ReadBootstrapOptions(line, **bootstrap, !target.empty(), asked, surroundings, &result);
  }
  if (!status.ok()) return status;
  if (*bootstrap) options.bootstrap_node = (*bootstrap)->node;
  absl::StatusOr<config::Node> node = ReadNodeFlags(line, options.bootstrap_node, options.profile, surroundings, types);
  if (!node.ok()) return node.status();
  if (!node->note.empty()) result.notes.push_back(std::move(node->note));
  options.node = std::move(node->bytes);
  options.node_id = std::move(node->id);
  options.node_id_is_default = node->id_is_default;
  return result;
}

}  // namespace xdscope::cli
