// What the flags of a command line say once they are understood: plain values, complete and checked before anything
// connects. The commands take these; nothing behind them sees a flag, the environment or a file named on the line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/args/type_argument.h"
#include "lib/config/profile.h"
#include "lib/schema/schema.h"
#include "lib/transport/settings.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {

// The answer to a response with a bad resource.
enum class OnInvalid : std::uint8_t { kAck, kNack, kPartial };

struct ConnectOptions {
  std::string where;                         // the TARGET as messages name it: "127.0.0.1:18000"
  std::vector<std::string> server_clusters;  // names of this server in config sources: its cluster in the bootstrap
  transport::ChannelSettings channel;        // target, TLS, authority, headers, time-outs, proxy; files already read
  std::chrono::milliseconds max_time{0};     // of the whole run; 0: none

  std::string node;                 // serialized envoy.config.core.v3.Node, of the same wire form in v2
  std::string node_id;              // its id, for hints
  bool node_id_is_default = false;  // nobody said an id

  types::Variant variant = types::Variant::kAds;
  types::Api api = types::Api::kV3;
  config::Profile profile;                        // the knobs of --client; the wildcard form is in each TypeRequest
  WildcardForm wildcard = WildcardForm::kLegacy;  // for types that were not typed (roots, references)
  OnInvalid on_invalid = OnInvalid::kAck;
  bool nack_all = false;     // --nack: refuse every response, once per version
  std::string nack_message;  // of every refusal; empty: what was found

  std::vector<schema::SchemaFile> schemas;  // --schema, in order: a later one wins
  int verbosity = 0;                        // -v: 1, -vv: 2
  bool quiet = false;                       // -q: the error line alone
};

enum class OutputFormat : std::uint8_t { kYaml, kJson, kNdjson, kText, kBinary, kTable, kTree, kName };
enum class JsonNames : std::uint8_t { kProto, kCamel };

struct OutputOptions {
  OutputFormat format = OutputFormat::kYaml;
  JsonNames json_names = JsonNames::kProto;
  bool show_secrets = false;
  bool emit_defaults = false;
  bool color = false;  // --color, NO_COLOR, TERM and whether stdout is a terminal, decided
  int width = 0;       // columns of the terminal that stdout is; 0: no terminal, no limit
};

}  // namespace xdscope::cli
