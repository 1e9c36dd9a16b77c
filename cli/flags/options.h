// What the flags of a command line say once they are understood: plain values, complete and checked before anything
// connects. The commands take these; nothing behind them sees a flag, the environment or a file named on the line.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/client/judge.h"
#include "lib/config/profile.h"
#include "lib/format/document.h"
#include "lib/protocol/subscription.h"
#include "lib/resource/reference_rows.h"
#include "lib/session/place.h"
#include "lib/source/routed_source.h"
#include "lib/transport/settings.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {

// How much a run says on stderr, and what it calls its source there.
struct MessageOptions {
  std::string where;   // the TARGET or folder as messages name it: "127.0.0.1:18000"
  int verbosity = 0;   // -v: 1, -vv: 2
  bool quiet = false;  // -q: the error line alone
};

// One of several servers.
struct ServerOptions {
  std::string where;    // as messages name it
  std::string said_at;  // "FILE:LINE: path" of the part of the bootstrap that names it
  std::string cluster;  // its name in config sources; empty: it has none
  transport::ChannelSettings channel;
  std::string path;                       // of the file that is read in place of a server; empty: a server
  std::vector<std::string> more_targets;  // further addresses of the same server, tried in this order after the first
  types::Variant variant = types::Variant::kAds;
  types::Api api = types::Api::kV3;
};

// Servers that stand in for one another, in the order in which they are tried; at least one.
struct SourceOptions {
  std::vector<ServerOptions> servers;

  // How many addresses they have together.
  std::size_t size() const;
  // Returns a server by the number of its address, with that address alone.
  ServerOptions At(std::size_t address) const;
};

struct ConnectOptions : MessageOptions {
  std::string path;                          // the file or folder that is asked in place of a server; empty: a server
  bool any_write = false;                    // files are read again however they change, not as Envoy does
  std::vector<std::string> server_clusters;  // names of this server in config sources: its cluster in the bootstrap
  transport::ChannelSettings channel;        // target, TLS, authority, headers, time-outs, proxy; files already read
  std::chrono::milliseconds max_time{0};     // of the whole run; 0: none
  std::chrono::milliseconds poll{0};         // REST: from an answer to the next request
  bool error_detail = false;                 // REST: the request after a refusal says why

  std::string bootstrap_node;       // of the bootstrap, serialized as `node` is; empty: it has none
  std::string node;                 // serialized envoy.config.core.v3.Node, of the same wire form in v2
  std::string node_id;              // its id, for hints
  bool node_id_is_default = false;  // nobody said an id

  types::Variant variant = types::Variant::kAds;
  types::Api api = types::Api::kV3;
  config::Profile profile;  // the knobs of --client; whether "everything" is said as "*" is in each TypeRequest
  protocol::Wildcard wildcard = protocol::Wildcard::kLegacy;  // for types that were not typed (roots, references)
  client::JudgePolicy policy;                                 // --on-invalid, --nack, --nack-message

  // Where the options come from a bootstrap that nobody named: "FILE (VARIABLE)".
  std::string bootstrap;
  bool has_ads = true;                                   // `ads` in config sources means somebody
  std::set<std::string, std::less<>> static_clusters;    // of the bootstrap
  std::vector<std::string_view> roots = {"cds", "lds"};  // what is asked for where nobody names a TYPE
  // Of a bootstrap with several servers: all of them, who is asked for what, and how config sources call them ("ads",
  // "cluster xds"). None: the one server above is asked for everything.
  std::vector<SourceOptions> sources;
  std::vector<source::Route> routes;
  std::map<std::string, std::uint32_t, std::less<>> source_names;
};

// Returns how config sources call the servers of these options; files are called nothing.
resource::ThisServer ThisServerOf(const ConnectOptions& options);

// Returns the options as they are for the server at this place, which is then the only one.
ConnectOptions OptionsAt(const ConnectOptions& options, session::Place place);

// How the server at this place is spoken to.
struct Speech {
  types::Api api = types::Api::kV3;
  bool delta = false;
};
Speech SpeechAt(const ConnectOptions& options, session::Place place);
// Returns the name of the server at this place, for messages.
std::string WhereOf(const ConnectOptions& options, session::Place place);

// Returns the one server that is asked where there are not several.
ServerOptions MainServerOf(const ConnectOptions& options);

// Returns the first server that is asked for a type; nullopt: nobody is.
std::optional<ServerOptions> ServerFor(const ConnectOptions& options, std::string_view type_url);

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
