#include "cli/connect_flags.h"

#include <utility>

#include "cli/connection_flags.h"
#include "cli/node_flags.h"
#include "cli/protocol_flags.h"
#include "cli/type_argument.h"

namespace xdscope::cli {

Words SplitWords(const CommandLine& line) {
  Words words{TargetFlag(), line.words};
  if (!words.target.empty() || words.types.empty() || IsTypeWord(words.types.front())) return words;
  words.target = std::move(words.types.front());
  words.types.erase(words.types.begin());
  return words;
}

absl::StatusOr<ConnectResult> ReadConnectFlags(const CommandLine& line, const std::string& target,
                                               const Streams& streams) {
  if (target.empty() && !HasBootstrap()) {
    return base::Error(absl::StatusCode::kInvalidArgument, "TARGET: is missing; give HOST:PORT or --bootstrap FILE");
  }
  const auto bootstrap = ReadBootstrapFlag(streams);
  if (!bootstrap.ok()) return bootstrap.status();
  ConnectResult result;
  if (*bootstrap) {
    const config::Server& server = (*bootstrap)->MainServer();
    result.notes = server.notes;
    if (!server.cluster.empty()) result.options.server_clusters.push_back(server.cluster);
  }
  absl::Status status = ReadChannelFlags(line, target, *bootstrap, streams, &result.options);
  if (status.ok()) status = ReadProtocolFlags(line, *bootstrap, streams, &result.options);
  if (!status.ok()) return status;
  const std::string from_bootstrap = *bootstrap ? (*bootstrap)->node : std::string();
  absl::StatusOr<config::Node> node = ReadNodeFlags(from_bootstrap, result.options.profile, streams);
  if (!node.ok()) return node.status();
  result.options.node = std::move(node->bytes);
  result.options.node_id = std::move(node->id);
  result.options.node_id_is_default = node->id_is_default;
  return result;
}

}  // namespace xdscope::cli
