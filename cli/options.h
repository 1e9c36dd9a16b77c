// What a command line says once it is understood: plain values, complete and checked before anything connects. The
// commands take these; nothing behind them sees a flag, the environment or a file named on the line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/config/profile.h"
#include "lib/schema/schema.h"
#include "lib/transport/settings.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {

// How "everything" is said to the server.
enum class WildcardForm : std::uint8_t { kLegacy, kExplicit };

// The answer to a response with a bad resource.
enum class OnInvalid : std::uint8_t { kAck, kNack, kPartial };

// One TYPE of the line; the same TYPE given twice is one of these.
struct TypeRequest {
  std::string word;                           // as first typed, without names: "cds"; for messages
  std::string type_url;                       // with its prefix, of the API version asked for
  const types::KnownType* known = nullptr;    // nullptr: a type of its own, over an aggregated stream only
  std::vector<std::string> names;             // as typed, in that order, no name twice, no "*"
  bool everything = false;                    // no names at all, or "*" among them
  WildcardForm form = WildcardForm::kLegacy;  // when `everything`: legacy cannot be said beside names
};

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

struct FetchOptions {
  std::chrono::milliseconds wait{15000};  // for the first response of each type, and for a name
  std::chrono::milliseconds settle{300};  // quiet that ends a delta wildcard
  bool follow = false;                    // references; decided (--follow, --no-follow, or no TYPE at all)
  bool fail_on_absent = false;            // names that were only referred to count too (exit 1)
  bool raw = false;                       // the responses as they came
  std::string out_dir;                    // where files go in place of stdout; empty: nowhere
};

struct FetchSettings {
  ConnectOptions connect;
  OutputOptions output;
  FetchOptions fetch;
  std::vector<TypeRequest> types;  // in the order typed; none: the whole configuration, roots LDS and CDS
};

}  // namespace xdscope::cli
