#include "cli/flags/connect.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/args/type_argument.h"
#include "cli/flags/channel.h"
#include "cli/flags/node.h"
#include "cli/flags/protocol.h"

namespace xdscope::cli {

namespace {

// Says what Envoy does not verify where its bootstrap does not ask for it, as people expect more of the word TLS.
void NoteWhatIsNotVerified(const config::ServerConfig& server, const ConnectOptions& options,
                           std::vector<std::string>* notes) {
  const std::optional<transport::Tls>& tls = options.channel.tls;
  if (!tls || server.tls_where.empty()) return;
  const bool pinned = !tls->certificate_hashes.empty() || !tls->key_hashes.empty();
  if (tls->insecure) {
    notes->push_back(
        fmt::format("{}: the server's certificate is not verified, because the bootstrap does not ask for "
                    "it; --cacert FILE verifies it",
                    server.tls_where));
  } else if (!tls->check_host && tls->names.empty() && !pinned) {
    notes->push_back(
        fmt::format("{}: the name in the server's certificate is not verified, because the bootstrap does "
                    "not ask for it; --authority NAME verifies it",
                    server.tls_where));
  }
}

}  // namespace

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
  if (*bootstrap && !InsecureFlag()) {
    NoteWhatIsNotVerified((*bootstrap)->MainServer(), result.options, &result.notes);
  }
  const std::string from_bootstrap = *bootstrap ? (*bootstrap)->node : std::string();
  absl::StatusOr<config::Node> node = ReadNodeFlags(line, from_bootstrap, result.options.profile, surroundings, types);
  if (!node.ok()) return node.status();
  result.options.node = std::move(node->bytes);
  result.options.node_id = std::move(node->id);
  result.options.node_id_is_default = node->id_is_default;
  return result;
}

}  // namespace xdscope::cli
