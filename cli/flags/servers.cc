#include "cli/flags/servers.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/flags/channel.h"

namespace xdscope::cli {
namespace {

using config::Bootstrap;
using config::ServerConfig;
using config::ServerList;

// Envoy's config sources and the types that they are for; the first that is there is for all other types, too.
struct ConfigSource {
  std::string_view name;
  std::string_view type;  // empty: those that say `ads`
};
constexpr std::array kConfigSources = {ConfigSource{"ads_config", ""}, ConfigSource{"cds_config", "cds"},
                                       ConfigSource{"lds_config", "lds"}};

class Reader {
 public:
  Reader(const CommandLine& line, const Bootstrap& bootstrap, const config::Surroundings& surroundings,
         ConnectOptions* options, std::vector<std::string>* notes)
      : line_(line), bootstrap_(bootstrap), surroundings_(surroundings), options_(*options), notes_(*notes) {}

  absl::Status Read() {
    for (const ServerConfig& server : bootstrap_.servers) {
      if (!server.status.ok()) notes_.push_back(fmt::format("{}; it is not asked", base::Message(server.status)));
    }
    bootstrap_.client == config::ClientKind::kGrpc ? ReadGrpc() : ReadEnvoy();
    if (!status_.ok()) return status_;
    const bool one = options_.sources.size() == 1 && options_.sources[0].size() == 1;
    const bool all = std::ranges::all_of(options_.routes, [](const source::Route& route) { return route.source == 0; });
    if (one && all) {
      options_.sources.clear();
      options_.routes.clear();
      options_.source_names.clear();
    }
    return absl::OkStatus();
  }

 private:
  void ReadEnvoy() {
    std::optional<std::uint32_t> rest;
    std::vector<std::string_view> roots;
    bool has_root = false;
    for (const ConfigSource& source : kConfigSources) {
      const auto row = bootstrap_.config_sources.find(source.name);
      if (row == bootstrap_.config_sources.end()) continue;
      const auto file = bootstrap_.files.find(source.name);
      const bool is_file = file != bootstrap_.files.end();
      const std::optional<std::uint32_t> number = is_file ? AddFile(file->second) : Add(row->second);
      if (!rest && !is_file) rest = number;
      if (number && !is_file) Name(source.name == "ads_config" ? "ads" : "", *number);
      if (source.type.empty()) continue;
      has_root = true;
      if (number) roots.push_back(source.type);
      const std::string_view url = types::FindByWord(source.type)->names(options_.api).type_url;
      options_.routes.push_back({.type_url = std::string(url), .source = number});
    }
    options_.routes.push_back({.source = rest});
    if (has_root) options_.roots = std::move(roots);
  }

  // Names of an authority that the bootstrap does not have are asked of nobody, as gRPC has it (gRFC A47).
  void ReadGrpc() {
    const std::optional<std::uint32_t> all = Add(bootstrap_.config_sources.at("xds_servers"));
    if (all) Name("ads", *all);
    options_.routes.push_back({.source = all});
    if (bootstrap_.authorities.empty()) return;
    options_.routes.back().authority = "";
    for (const auto& [authority, servers] : bootstrap_.authorities) {
      const std::optional<std::uint32_t> own = Add(servers);
      if (!authority.empty()) options_.routes.push_back({.authority = authority, .source = own});
      if (authority.empty() && own != all) {
        notes_.push_back("authorities[\"\"]: is not asked: names without an authority are asked of xds_servers");
      }
    }
  }

  // How config sources call a source.
  void Name(const std::string& name, std::uint32_t number) {
    if (!name.empty()) options_.source_names.try_emplace(name, number);
    const ServerOptions& server = options_.sources[number].servers.front();
    if (!server.cluster.empty()) options_.source_names.try_emplace(fmt::format("cluster {}", server.cluster), number);
    options_.source_names.try_emplace(fmt::format("target {}", server.channel.target), number);
  }

  std::optional<std::uint32_t> AddFile(const config::FileConfig& file) {
    ServerOptions made;
    made.where = file.path;
    made.path = file.path;
    made.said_at = file.where;
    made.api = options_.api;
    options_.sources.push_back({{std::move(made)}});
    return static_cast<std::uint32_t>(options_.sources.size() - 1);
  }

  // Adds the servers of a list, equal lists once; nullopt where none of them can be asked.
  std::optional<std::uint32_t> Add(const ServerList& list) {
    const auto [known, is_new] = numbers_.try_emplace(list);
    if (!is_new) return known->second;
    SourceOptions source;
    for (const std::size_t server : list) {
      if (bootstrap_.servers[server].status.ok()) source.servers.push_back(OptionsOf(bootstrap_.servers[server]));
    }
    if (source.servers.empty()) return std::nullopt;
    known->second = static_cast<std::uint32_t>(options_.sources.size());
    options_.sources.push_back(std::move(source));
    return known->second;
  }

  ServerOptions OptionsOf(const ServerConfig& server) {
    ServerOptions made;
    absl::StatusOr<ChannelRead> read = ReadChannelFlags(line_, {}, &server, surroundings_);
    status_.Update(read.status());
    if (!read.ok()) return made;
    made.where = std::move(read->where);
    made.channel = std::move(read->channel);
    made.said_at = server.where;
    made.cluster = server.cluster;
    made.more_targets = server.more_targets;
    const bool may_vary = server.variant != types::Variant::kRest;
    made.variant = may_vary && line_.Given("variant") ? options_.variant : server.variant;
    made.api = line_.Given("api") ? options_.api : server.api;
    NoteOnce(server, made);
    return made;
  }

  // A server may stand in many lists.
  void NoteOnce(const ServerConfig& server, const ServerOptions& made) {
    if (!noted_.insert(&server).second) return;
    notes_.insert(notes_.end(), server.notes.begin(), server.notes.end());
    if (!InsecureFlag()) NoteWhatIsNotVerified(server, made.channel.tls, &notes_);
  }

  const CommandLine& line_;
  const Bootstrap& bootstrap_;
  const config::Surroundings& surroundings_;
  ConnectOptions& options_;
  std::vector<std::string>& notes_;
  std::map<ServerList, std::optional<std::uint32_t>> numbers_;
  std::set<const ServerConfig*> noted_;
  absl::Status status_;
};

}  // namespace

absl::Status ReadServers(const CommandLine& line, const Bootstrap& bootstrap, const config::Surroundings& surroundings,
                         ConnectOptions* options, std::vector<std::string>* notes) {
  return Reader(line, bootstrap, surroundings, options, notes).Read();
}

void NoteWhatIsNotVerified(const ServerConfig& server, const std::optional<transport::Tls>& tls,
                           std::vector<std::string>* notes) {
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

}  // namespace xdscope::cli
