#include "cli/flags/connect.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/args/type_argument.h"
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

// Fills what of the options a bootstrap says besides how its main server is reached.
absl::Status ReadBootstrapOptions(const CommandLine& line, const config::Bootstrap& bootstrap, bool has_target,
                                  AskedServers asked, const config::Surroundings& surroundings, ConnectResult* result) {
  ConnectOptions& options = result->options;
  const config::ServerConfig& server = bootstrap.MainServer();
  if (!server.cluster.empty()) options.server_clusters.push_back(server.cluster);
  options.static_clusters.insert(bootstrap.static_clusters.begin(), bootstrap.static_clusters.end());
  // A TARGET takes the place of every server, so none of them is missed.
  if (!has_target) {
    options.has_ads = bootstrap.client == config::ClientKind::kGrpc || bootstrap.config_sources.contains("ads_config");
    result->notes = bootstrap.notes;
    if (asked == AskedServers::kAll) return ReadServers(line, bootstrap, surroundings, &options, &result->notes);
    std::ranges::move(bootstrap.NotesOnOtherServers(), std::back_inserter(result->notes));
  }
  result->notes.insert(result->notes.end(), server.notes.begin(), server.notes.end());
  if (!InsecureFlag()) NoteWhatIsNotVerified(server, options.channel.tls, &result->notes);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConnectResult> ReadConnectFlags(const CommandLine& line, const std::string& target, AskedServers asked,
                                               const config::Surroundings& surroundings, wire::Types& types) {
  const BootstrapFrom from = WhereBootstrapIs(target, surroundings.environment);
  if (target.empty() && !from.exists) {
    return base::Error(absl::StatusCode::kInvalidArgument, "TARGET: is missing; give HOST:PORT or --bootstrap FILE");
  }
  const auto bootstrap = ReadBootstrapOf(from, surroundings, types);
  if (!bootstrap.ok()) return bootstrap.status();
  ConnectResult result;
  ConnectOptions& options = result.options;
  absl::StatusOr<ChannelRead> channel =
      ReadChannelFlags(line, target, *bootstrap ? &(*bootstrap)->MainServer() : nullptr, surroundings);
  if (!channel.ok()) return channel.status();
  options.where = std::move(channel->where);
  options.channel = std::move(channel->channel);
  options.max_time = MaxTimeFlag();
  ReadPollFlags(&options);
  options.bootstrap = from.found;
  absl::Status status = ReadProtocolFlags(line, *bootstrap, &options);
  if (status.ok() && *bootstrap) {
    status = ReadBootstrapOptions(line, **bootstrap, !target.empty(), asked, surroundings, &result);
  }
  if (!status.ok()) return status;
  if (*bootstrap) options.bootstrap_node = (*bootstrap)->node;
  absl::StatusOr<config::Node> node = ReadNodeFlags(line, options.bootstrap_node, options.profile, surroundings, types);
  if (!node.ok()) return node.status();
  options.node = std::move(node->bytes);
  options.node_id = std::move(node->id);
  options.node_id_is_default = node->id_is_default;
  return result;
}

}  // namespace xdscope::cli
