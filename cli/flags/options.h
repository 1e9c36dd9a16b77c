// What the flags of a command line say once they are understood: plain values, complete and checked before anything
// connects. The commands take these; nothing behind them sees a flag, the environment or a file named on the line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/client/judge.h"
#include "lib/config/profile.h"
#include "lib/format/document.h"
#include "lib/protocol/subscription.h"
#include "lib/resource/reference_rows.h"
#include "lib/transport/settings.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {

// How much a run says on stderr, and what it calls its source there.
struct MessageOptions {
  std::string where;   // the TARGET or folder as messages name it: "127.0.0.1:18000"
  int verbosity = 0;   // -v: 1, -vv: 2
  bool quiet = false;  // -q: the error line alone
};

struct ConnectOptions : MessageOptions {
  std::string path;                          // the file or folder that is asked in place of a server; empty: a server
  bool any_write = false;                    // files are read again however they change, not as Envoy does
  std::vector<std::string> server_clusters;  // names of this server in config sources: its cluster in the bootstrap
  transport::ChannelSettings channel;        // target, TLS, authority, headers, time-outs, proxy; files already read
  std::chrono::milliseconds max_time{0};     // of the whole run; 0: none
  std::chrono::milliseconds poll{0};         // REST: from an answer to the next request
  bool error_detail = false;                 // REST: the request after a refusal says why

  std::string node;                 // serialized envoy.config.core.v3.Node, of the same wire form in v2
  std::string node_id;              // its id, for hints
  bool node_id_is_default = false;  // nobody said an id

  types::Variant variant = types::Variant::kAds;
  types::Api api = types::Api::kV3;
  config::Profile profile;  // the knobs of --client; whether "everything" is said as "*" is in each TypeRequest
  protocol::Wildcard wildcard = protocol::Wildcard::kLegacy;  // for types that were not typed (roots, references)
  client::JudgePolicy policy;                                 // --on-invalid, --nack, --nack-message
};

// Returns how config sources call the server of these options; files are called nothing.
inline resource::ThisServer ThisServerOf(const ConnectOptions& options) {
  if (!options.path.empty()) return {};
  const bool any_rest = options.variant == types::Variant::kRest && options.server_clusters.empty();
  return {options.server_clusters, {options.where, options.channel.target}, any_rest};
}

// The form in which resources are printed.
enum class Layout : std::uint8_t { kDocuments, kTable, kTree, kNames };

struct OutputOptions {
  Layout layout = Layout::kDocuments;
  format::DocumentFormat format = format::DocumentFormat::kYaml;  // of documents
  format::WalkOptions walk;                                       // --json-names, --show-secrets, --emit-defaults
  format::Style style;  // --color, NO_COLOR, TERM and whether stdout is a terminal, decided
  int width = 0;        // columns of the terminal that stdout is; 0: no terminal, no limit
};

}  // namespace xdscope::cli
