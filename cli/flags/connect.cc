#include "cli/flags/connect.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/args/type_argument.h"
#include "cli/flags/channel.h"
#include "cli/flags/node.h"
#include "cli/flags/protocol.h"

namespace xdscope::cli {

TargetAndTypes SplitWords(const CommandLine& line) {
  TargetAndTypes words{TargetFlag(), line.words};
  if (!words.target.empty() || words.types.empty() || IsTypeWord(words.types.front())) return words;
  words.target = std::move(words.types.front());
  words.types.erase(words.types.begin());
  return words;
}

absl::StatusOr<ConnectResult> ReadConnectFlags(const CommandLine& line, const std::string& target,
                                               const config::Surroundings& surroundings, wire::Types& types) {
  if (target.empty() && !HasBootstrap()) {
    return base::Error(absl::StatusCode::kInvalidArgument, "TARGET: is missing; give HOST:PORT or --bootstrap FILE");
  }
  const auto bootstrap = ReadBootstrapFlag(surroundings, types);
  if (!bootstrap.ok()) return bootstrap.status();
  ConnectResult result;
  if (*bootstrap) {
    const config::ServerConfig& server = (*bootstrap)->MainServer();
    result.notes = server.notes;
    // A TARGET takes the place of every server, so none of them is missed.
    if (target.empty()) std::ranges::move((*bootstrap)->NotesOnOtherServers(), std::back_inserter(result.notes));
    if (!server.cluster.empty()) result.options.server_clusters.push_back(server.cluster);
  }
  absl::Status status = ReadChannelFlags(line, target, *bootstrap, surroundings, &result.options);
  if (status.ok()) status = ReadProtocolFlags(line, *bootstrap, &result.options);
  if (!status.ok()) return status;
  const std::string from_bootstrap = *bootstrap ? (*bootstrap)->node : std::string();
  absl::StatusOr<config::Node> node = ReadNodeFlags(from_bootstrap, result.options.profile, surroundings, types);
  if (!node.ok()) return node.status();
  result.options.node = std::move(node->bytes);
  result.options.node_id = std::move(node->id);
  result.options.node_id_is_default = node->id_is_default;
  return result;
}

}  // namespace xdscope::cli
