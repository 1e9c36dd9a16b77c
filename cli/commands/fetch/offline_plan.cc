#include "cli/commands/fetch/offline_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/commands/fetch/file_name.h"
#include "cli/print/words.h"
#include "lib/format/redact.h"
#include "lib/resource/local_sources.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

using resource::Reference;
using resource::Resource;

constexpr std::string_view kScopes = "srds";

// How Envoy takes the resources of a type by file.
enum class Share : std::uint8_t { kOneFile, kFileEach, kNone };

std::string_view ShortName(std::string_view type_url) {
  const types::KnownType* known = types::FindByUrl(type_url);
  return known == nullptr ? std::string_view() : known->short_name;
}

std::string UrlOf(std::string_view short_name) {
  return std::string(types::FindByWord(short_name)->v3.type_url);
}

Share ShareOf(std::string_view type_url) {
  const types::KnownType* known = types::FindByUrl(type_url);
  if (known == nullptr) return Share::kFileEach;
  if (known->named_by_wrapper()) return Share::kNone;
  return known->full_state || known->short_name == kScopes ? Share::kOneFile : Share::kFileEach;
}

// Ranks files in the order of their writing: a proxy that runs on the folder meanwhile never meets a name before its
// file.
int WritingRank(const OfflineFile& file) {
  const std::string_view type = ShortName(file.type_url);
  return type == "lds" ? 3 : type == "cds" ? 2 : type == kScopes ? 1 : 0;
}

// Tells whether a resource has anything that would be redacted. Compares messages and not bytes, which a rewriting may
// order anew.
bool HoldsSecret(const OfflineFile& file, const OfflineEntry& entry, format::Redactor& redactor, wire::Types& types) {
  const std::string redacted = redactor.Payload(entry.type_url, entry.payload, file.type_url);
  const auto whole = wire::Open(entry.type_url, entry.payload, types);
  const auto hidden = wire::Open(entry.type_url, redacted, types);
  if (!whole.ok() || !hidden.ok()) return redacted != entry.payload;
  return !wire::Equal(whole->view(), hidden->view(), types);
}

// Makes the plan in passes, because files refer to one another: first every file gets its name, then resources are
// rewritten so that their sources lead to those names, and only then is known which files have a reader and what was
// left without one. Rewriting a resource may put another into it (routes into scopes, virtual hosts into routes), so
// EntryOf() calls itself; the depth is two, since neither of those refers back.
class Planner {
 public:
  Planner(const resource::Snapshot& snapshot, const OfflineRequest& request, wire::Types& types)
      : snapshot_(snapshot),
        request_(request),
        types_(types),
        sources_(types, request.this_server, [this](const Reference& to) { return FileOf(to); }) {}

  OfflinePlan Plan() {
    NameFiles();
    for (const auto& [key, path] : paths_) AddFile(key.first, key.second, path);
    DropUnused();
    NoteUnwritten();
    MarkSecrets();
    std::stable_sort(plan_.files.begin(), plan_.files.end(),
                     [](const OfflineFile& a, const OfflineFile& b) { return WritingRank(a) < WritingRank(b); });
    return std::move(plan_);
  }

 private:
  using Key = std::pair<std::string, std::string>;  // type and name; no name: all of the type

  // Names every file, before anything is rewritten.
  void NameFiles() {
    std::map<std::string, std::set<std::string>> names;
    for (const auto& [type_url, name] : request_.absent) names[type_url].insert(name);
    for (const auto& [type_url, state] : snapshot_.types()) {
      names[type_url].insert("");  // a type that has one file has it even where nothing came
      for (const auto& [name, resource] : state.resources) names[type_url].insert(name);
    }
    FileNames folders;
    for (const auto& [type_url, of_type] : names) {
      if (ShareOf(type_url) == Share::kOneFile && of_type.contains("")) {
        paths_[{type_url, ""}] = fmt::format("{}.{}", TypeWord(type_url), request_.ending);
      }
      if (ShareOf(type_url) != Share::kFileEach) continue;
      const std::string folder = folders.New(TypeWord(type_url));
      FileNames files;
      for (const std::string& name : of_type) {
        if (name.empty()) continue;  // no file source can name it
        paths_[{type_url, name}] = fmt::format("{}/{}.{}", folder, files.New(name), request_.ending);
      }
    }
  }

  std::optional<std::string> FileOf(const Reference& to) {
    if (IsRoutesOfScopes(to)) return std::nullopt;  // they stand in the scopes
    const auto found = paths_.find({to.type_url, to.name});
    if (found == paths_.end()) return std::nullopt;
    used_.insert(found->first);
    return fmt::format("{}/{}", request_.folder, found->second);
  }

  static bool IsRoutesOfScopes(const Reference& to) { return to.name.empty() && ShortName(to.type_url) == "rds"; }

  // Returns the resource as it stands in a file.
  OfflineEntry EntryOf(const std::string& type_url, const Resource& resource) {
    OfflineEntry entry{resource.name, type_url, std::string(resource.payload)};
    if (!resource.type_url.empty()) entry.type_url = resource.type_url;
    if (!resource.message.ok()) return entry;
    resource::LocalResource local = sources_.Rewrite(resource.message->view(), resource.name);
    if (local.bytes) entry.payload = *std::move(local.bytes);
    for (const Reference& left : local.left) NoteLeft(left);
    for (const std::string& source : local.unknown)
      plan_.not_by_file.insert(fmt::format("{} (stays as it is)", source));
    const std::string_view type = ShortName(type_url);
    if (type == kScopes) PutRoutesInto(entry);
    if (type == "rds") PutVirtualHostsInto(entry);
    return entry;
  }

  void NoteLeft(const Reference& left) {
    const Share share = ShareOf(left.type_url);
    if (left.origin == resource::Origin::kElsewhere) {
      plan_.elsewhere.insert(left);
    } else if (share != Share::kNone && !IsRoutesOfScopes(left)) {
      plan_.unfetched.insert(left);
    } else if (ShortName(left.type_url) == "leds") {
      plan_.not_by_file.insert(fmt::format("{} (stays as it is)", ResourceWord(left.type_url, left.name)));
    }
  }

  // Puts the route configuration that came into a scope, in place of its name.
  void PutRoutesInto(OfflineEntry& scope) {
    const auto decoded = wire::Open(scope.type_url, scope.payload, types_);
    if (!decoded.ok()) return;
    const std::string name(decoded->view().GetText("route_configuration_name"));
    if (name.empty()) return;
    const std::string rds = UrlOf("rds");
    const Resource* routes = snapshot_.Find(rds, name);
    if (routes == nullptr && !request_.absent.contains({rds, name})) {
      plan_.unfetched.insert({rds, name, resource::Origin::kHere, {}, {}});
      return;
    }
    std::string in_place;
    if (routes != nullptr) {
      in_place = EntryOf(rds, *routes).payload;
    } else {
      base::AppendBytes(&in_place, 1, name);  // envoy.config.route.v3.RouteConfiguration.name
    }
    scope.payload =
        resource::WithInPlace(decoded->view(), "route_configuration_name", "route_configuration", {in_place});
    in_scopes_.insert(name);
  }

  // Puts the virtual hosts that came into a route configuration with VHDS, which then asks for no more. Names of
  // virtual hosts begin with that of their route configuration.
  void PutVirtualHostsInto(OfflineEntry& routes) {
    const auto decoded = wire::Open(routes.type_url, routes.payload, types_);
    if (!decoded.ok()) return;
    const auto source = resource::MessageAt(decoded->view(), "vhds.config_source");
    if (!source || !resource::LeadsHere(*source, request_.this_server)) return;
    std::vector<std::string_view> hosts;
    if (const auto vhds = snapshot_.types().find(UrlOf("vhds")); vhds != snapshot_.types().end()) {
      const std::string prefix = routes.name + "/";
      const auto& all = vhds->second.resources;
      for (auto host = all.lower_bound(prefix); host != all.end() && host->first.starts_with(prefix); ++host) {
        hosts.push_back(host->second.payload);
      }
    }
    routes.payload = resource::WithInPlace(decoded->view(), "vhds", "virtual_hosts", hosts);
    with_hosts_[routes.name] = hosts.size();
  }

  void AddFile(const std::string& type_url, const std::string& name, const std::string& path) {
    OfflineFile file{path, type_url, {}, {}};
    if (const auto state = snapshot_.types().find(type_url); state != snapshot_.types().end()) {
      file.version = state->second.version;
      const auto& held = state->second.resources;
      const auto first = name.empty() ? held.begin() : held.find(name);
      const auto last = name.empty() || first == held.end() ? held.end() : std::next(first);
      for (auto at = first; at != last; ++at) file.entries.push_back(EntryOf(type_url, at->second));
    }
    plan_.files.push_back(std::move(file));
  }

  // Drops files of route configurations that scopes alone name: they stand in the scopes, and the file would have no
  // reader.
  void DropUnused() {
    const std::string rds = UrlOf("rds");
    std::set<std::string> unused;
    for (const std::string& name : in_scopes_) {
      if (!used_.contains({rds, name})) unused.insert(paths_[{rds, name}]);
    }
    std::erase_if(plan_.files, [&](const OfflineFile& file) { return unused.contains(file.path); });
  }

  void NoteUnwritten() {
    if (!in_scopes_.empty()) {
      plan_.not_by_file.insert(fmt::format("{} of scopes (now in srds.{})",
                                           CountWords(in_scopes_.size(), "route configuration"), request_.ending));
    }
    for (const auto& [name, hosts] : with_hosts_) {
      plan_.not_by_file.insert(
          fmt::format("vhds of {} ({})", ResourceWord(UrlOf("rds"), name), hosts == 0 ? "left out" : "now in it"));
    }
  }

  void MarkSecrets() {
    format::Redactor redactor(types_);
    for (OfflineFile& file : plan_.files) {
      file.secret = std::any_of(file.entries.begin(), file.entries.end(),
                                [&](const OfflineEntry& entry) { return HoldsSecret(file, entry, redactor, types_); });
    }
  }

  const resource::Snapshot& snapshot_;
  const OfflineRequest& request_;
  wire::Types& types_;
  resource::LocalSources sources_;
  OfflinePlan plan_;
  std::map<Key, std::string> paths_;
  std::set<Key> used_;                             // what some config source leads to
  std::set<std::string> in_scopes_;                // route configurations
  std::map<std::string, std::size_t> with_hosts_;  // route configurations, and how many virtual hosts they got
};

}  // namespace

OfflinePlan PlanOffline(const resource::Snapshot& snapshot, const OfflineRequest& request, wire::Types& types) {
  return Planner(snapshot, request, types).Plan();
}

}  // namespace xdscope::cli
