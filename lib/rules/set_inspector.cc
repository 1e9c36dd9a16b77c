#include "lib/rules/set_inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/encode/visit.h"
#include "lib/finding/rules.h"
#include "lib/rules/reading.h"
#include "lib/schema/nearest.h"
#include "lib/types/known_types.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using finding::Finding;
using wire::View;

constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
constexpr std::string_view kListener = "envoy.config.listener.v3.Listener";
constexpr std::string_view kScope = "envoy.config.route.v3.ScopedRouteConfiguration";
constexpr std::string_view kSecret = "envoy.extensions.transport_sockets.tls.v3.Secret";
constexpr std::string_view kRoutes = "envoy.config.route.v3.RouteConfiguration";
constexpr std::string_view kManager =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
constexpr std::string_view kFile = "file ";  // in front of the path, in Reference::elsewhere
constexpr std::string_view kSecretConfig = "envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig";

std::string_view KindOf(const Member& member) {
  return base::MessageName(member.subject.type_url);
}

// Returns what people call a resource type: "cluster", or its message where it is unknown.
std::string WordFor(std::string_view type_url) {
  const types::KnownType* const known = types::FindByUrl(type_url);
  return known == nullptr ? std::string(base::MessageName(type_url)) : std::string(known->short_name);
}

std::string_view LastName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Tells whether Envoy, when it takes a resource, looks for the clusters that a message refers to: in routes, and where
// the route configuration says so. One that stands in a connection manager says so unless it says otherwise.
bool IsValidated(const Visited& at) {
  const Visited* configuration = nullptr;
  for (const Visited* above = &at; above != nullptr; above = above->above) {
    if (above->message.type().full_name() == kRoutes) configuration = above;
  }
  if (configuration == nullptr || !at.message.type().full_name().starts_with("envoy.config.route.v3.")) return false;
  const bool in_manager = configuration->above != nullptr;
  if (!Has(configuration->message, "validate_clusters")) return in_manager;
  return IsOn(configuration->message, "validate_clusters");
}

// The address of a listener in one form: "tcp 0.0.0.0:80". Empty: it has none of its own.
std::string AddressOf(const View& address) {
  const std::optional<View> socket = MessageIn(address, "socket_address");
  if (socket) {
    const std::uint64_t port = NumberIn(*socket, "port_value").value_or(0);
    if (port == 0) return {};  // any that is free
    return fmt::format("{} {}:{}", NumberIn(*socket, "protocol").value_or(0) == 1 ? "udp" : "tcp",
                       socket->GetText("address"), port);
  }
  const std::optional<View> pipe = MessageIn(address, "pipe");
  return pipe ? fmt::format("pipe {}", pipe->GetText("path")) : std::string();
}

// The key of a scope in one form.
std::string KeyOf(const View& scope) {
  std::string text;
  const std::optional<View> key = MessageIn(scope, "key");
  if (!key) return text;
  for (const View& fragment : MessagesIn(*key, "fragments")) {
    const std::string_view value = fragment.GetText("string_key");
    text += fmt::format("{}:{}", value.size(), value);
  }
  return text;
}

// A secret without a source is one of the bootstrap's.
bool IsOfBootstrap(const resource::Reference& reference) {
  return reference.origin == resource::Origin::kUnsaid && base::MessageName(reference.type_url) == kSecret;
}

finding::Related RelatedTo(const Member& other, finding::Path path, const Member& member,
                           std::span<const std::string> files) {
  finding::Related related;
  related.type_url = other.subject.type_url;
  related.resource = other.subject.name;
  related.entry = other.subject.entry;
  related.path = std::move(path);
  if (other.file != member.file) related.file = files[other.file];
  return related;
}

}  // namespace

finding::Finding* SetInspector::Add(std::string_view rule, const Member& member, finding::Path path,
                                    std::string message) {
  Finding* const finding = (*findings_)(member.file).Add(rule);
  if (finding == nullptr) return nullptr;
  finding->severity = finding::SeverityOf(rule);
  finding->type_url = member.subject.type_url;
  finding->resource = member.subject.name;
  finding->entry = member.subject.entry;
  finding->path = std::move(path);
  finding->message = std::move(message);
  return finding;
}

void SetInspector::Inspect(std::span<const std::string> files, std::span<const Member> members,
                           const SampleOf& findings) {
  findings_ = &findings;
  files_ = files;
  Index(members);
  CheckTypes(members);
  CheckNames(members);
  CheckSubscriptions(members);
  CheckAddresses(members);
  CheckScopes(members);
  CheckFilterKeys(members);
  for (const Use& use : uses_) CheckReference(use);
}

void SetInspector::Index(std::span<const Member> members) {
  by_type_.clear();
  searched_ = 0;
  uses_.clear();
  scoped_routes_from_.clear();
  for (const Member& member : members) {
    by_type_[base::ToAbsl(KindOf(member))].all.insert(base::ToAbsl(member.subject.name));
  }
  for (const Member& member : members) FindUses(member);
  // Scopes name route configurations; where these come from is said beside the source of the scopes.
  for (Use& use : uses_) {
    if (KindOf(*use.from) == kScope && use.reference.elsewhere.empty()) use.reference.elsewhere = scoped_routes_from_;
  }
}

// Secrets refer to nothing, and what is sensitive is not shown.
void SetInspector::FindUses(const Member& member) {
  encode::Visit(member.resource, types_, [&](const Visited& at) {
    if (at.message.type().is_secret()) return false;
    if (at.field != nullptr && at.field->sensitive == wire::Sensitive::kYes) return false;
    const wire::WellKnown kind = at.message.type().well_known();
    if (kind != wire::WellKnown::kNone) return kind == wire::WellKnown::kAny || kind == wire::WellKnown::kTypedStruct;
    for (const resource::ReferenceRow* row : rows_.Of(at.message.type())) {
      for (resource::Reference& reference : resource::ReferencesOf(*row, at.message, member.subject.name, {})) {
        if (row->source_only) {
          scoped_routes_from_ = reference.elsewhere;
          continue;
        }
        AddUse(member, std::move(reference), at, row->name_field);
      }
    }
    // A secret without a source is one of the bootstrap's. [XDS-V102]
    if (at.message.type().full_name() == kSecretConfig && !Has(at.message, "sds_config")) {
      resource::Reference reference;
      reference.type_url = fmt::format("{}{}", types::kTypeUrlPrefix, kSecret);
      reference.name = at.message.GetText("name");
      AddUse(member, std::move(reference), at, "name");
    }
    return true;
  });
}

// Most references lead somewhere, and need not be kept.
void SetInspector::AddUse(const Member& member, resource::Reference reference, const Visited& at,
                          std::string_view field) {
  const bool of_file = reference.elsewhere.starts_with(kFile);
  if (!of_file && KindOf(member) != kScope && LeadsSomewhere(reference)) return;
  finding::Path path = encode::PathTo(at);
  if (!field.empty() && at.message.Find(field)) path.AddField(field);
  uses_.push_back({&member, std::move(reference), std::move(path), IsValidated(at)});
}

// ---- One file. [XDS-V006, V007]

// The resources of a response are of the type of the first one.
void SetInspector::CheckTypes(std::span<const Member> members) {
  std::map<std::size_t, std::string_view> first;
  for (const Member& member : members) {
    const auto [row, is_new] = first.emplace(member.file, KindOf(member));
    if (is_new || row->second == KindOf(member)) continue;
    Add("XDS-V006", member, {},
        fmt::format("is a {}, and the first resource of the file a {}", KindOf(member), row->second));
  }
}

void SetInspector::CheckNames(std::span<const Member> members) {
  absl::flat_hash_set<std::tuple<std::size_t, absl::string_view, absl::string_view>> seen;
  for (const Member& member : members) {
    if (member.subject.name.empty()) continue;
    if (seen.emplace(member.file, base::ToAbsl(KindOf(member)), base::ToAbsl(member.subject.name)).second) continue;
    Add("XDS-V007", member, {}, fmt::format("\"{}\" stands in the file twice", member.subject.name));
  }
}

// ---- Files that config sources point to. [XDS-V004, V005]

void SetInspector::CheckSubscriptions(std::span<const Member> members) {
  std::vector<InFile> by_file(files_.size());
  for (const Member& member : members) {
    InFile& file = by_file[member.file];
    if (file.first == nullptr) {
      file.first = &member;
    } else if (file.second == nullptr) {
      file.second = &member;
    }
    if (file.other == nullptr && KindOf(member) != KindOf(*file.first)) file.other = &member;
  }
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < files_.size(); ++i) by_name.emplace(LastName(files_[i]), i);
  for (const Use& use : uses_) {
    if (!use.reference.elsewhere.starts_with(kFile)) continue;
    const auto file = by_name.find(LastName(std::string_view(use.reference.elsewhere).substr(kFile.size())));
    if (file == by_name.end()) continue;
    by_file[file->second].first == nullptr ? CheckEmpty(use, file->second)
                                           : CheckSubscription(use, by_file[file->second]);
  }
}

// Envoy counts an empty update of endpoints and routes, and refuses one of secrets. [validation.md 2.1]
void SetInspector::CheckEmpty(const Use& use, std::size_t file) {
  if (use.reference.name.empty()) return;
  Finding* const finding = (*findings_)(file).Add("XDS-V004");
  if (finding == nullptr) return;
  const bool secret = base::MessageName(use.reference.type_url) == kSecret;
  finding->severity = secret ? finding::Severity::kError : finding::Severity::kWarning;
  finding->message =
      fmt::format("holds nothing, and {} \"{}\" is expected", WordFor(use.reference.type_url), use.reference.name);
}

// A subscription to EDS, RDS, SDS or ECDS is for one name; one to SRDS is for all.
void SetInspector::CheckSubscription(const Use& use, const InFile& in_file) {
  const bool of_type = KindOf(*in_file.first) == base::MessageName(use.reference.type_url);
  if (const Member* const member = of_type ? in_file.other : in_file.first; member != nullptr) {
    Add("XDS-V006", *member, {},
        fmt::format("is a {}, and the file is subscribed to as {}", KindOf(*member), WordFor(use.reference.type_url)));
    return;
  }
  if (use.reference.name.empty()) return;
  if (in_file.second != nullptr) {
    Add("XDS-V004", *in_file.second, {},
        fmt::format("is another resource in the file of {} \"{}\", which holds one", WordFor(use.reference.type_url),
                    use.reference.name));
    return;
  }
  const Member& only = *in_file.first;
  if (only.subject.name == use.reference.name) return;
  Finding* const finding = Add("XDS-V005", only, {},
                               fmt::format("is \"{}\", where \"{}\" is wanted", only.subject.name, use.reference.name));
  if (finding != nullptr) finding->related = RelatedTo(*use.from, use.path, only, files_);
}

// ---- All. [XDS-V024, V061]

void SetInspector::CheckAddresses(std::span<const Member> members) {
  std::map<std::string, std::pair<const Member*, finding::Path>> seen;
  for (const Member& member : members) {
    if (KindOf(member) != kListener || Has(member.resource, "api_listener")) continue;
    std::vector<std::pair<std::string, finding::Path>> addresses;
    if (const std::optional<View> address = MessageIn(member.resource, "address")) {
      addresses.emplace_back(AddressOf(*address), finding::Path().AddField("address"));
    }
    std::size_t index = 0;
    for (const View& additional : MessagesIn(member.resource, "additional_addresses")) {
      finding::Path path = finding::Path().AddField("additional_addresses").AddIndex(index++);
      if (const auto address = MessageIn(additional, "address")) addresses.emplace_back(AddressOf(*address), path);
    }
    for (auto& [address, path] : addresses) {
      if (address.empty()) continue;
      const auto [row, is_new] = seen.emplace(address, std::pair(&member, path));
      if (is_new) continue;
      const auto& [other, other_path] = row->second;
      Finding* const finding = Add(
          "XDS-V024", member, std::move(path),
          fmt::format("{} is the address of \"{}\" too", address.substr(address.find(' ') + 1), other->subject.name));
      if (finding != nullptr) finding->related = RelatedTo(*other, other_path, member, files_);
    }
  }
}

void SetInspector::CheckScopes(std::span<const Member> members) {
  std::map<std::string, const Member*> seen;
  for (const Member& member : members) {
    if (KindOf(member) != kScope) continue;
    const auto [row, is_new] = seen.emplace(KeyOf(member.resource), &member);
    if (is_new) continue;
    Add("XDS-V061", member, finding::Path().AddField("key"),
        fmt::format("scopes \"{}\" and \"{}\" have the same key", row->second->subject.name, member.subject.name));
  }
}

// ---- Configuration per filter. [XDS-V057]

// Finds the connection managers that use a route configuration of a set, by its name, and what their filters are
// called.
void SetInspector::CheckFilterKeys(std::span<const Member> members) {
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> by_routes;
  for (const Member& member : members) {
    if (KindOf(member) != kListener) continue;
    encode::Visit(member.resource, types_, [&](const Visited& at) {
      if (at.message.type().full_name() != kManager) return true;
      std::set<std::string, std::less<>> names;
      for (const View& filter : MessagesIn(at.message, "http_filters")) names.emplace(filter.GetText("name"));
      if (const std::optional<View> inline_routes = MessageIn(at.message, "route_config")) {
        CheckKeys(member, *inline_routes, encode::PathTo(at).AddField("route_config"), names);
      }
      if (const std::optional<View> rds = MessageIn(at.message, "rds")) {
        by_routes[std::string(rds->GetText("route_config_name"))].merge(names);
      }
      return true;
    });
  }
  for (const Member& member : members) {
    const auto names = by_routes.find(member.subject.name);
    if (KindOf(member) == kRoutes && names != by_routes.end()) CheckKeys(member, member.resource, {}, names->second);
  }
}

void SetInspector::CheckKeys(const Member& member, const View& routes, const finding::Path& root,
                             const std::set<std::string, std::less<>>& filters) {
  encode::Visit(routes, types_, [&](const Visited& at) {
    for (const wire::Present& present : at.fields->known()) {
      if (present.field->name != "typed_per_filter_config") continue;
      for (const wire::MapEntry& entry : wire::SortedMap(present)) {
        const std::string key(entry.key.AsText());
        if (filters.contains(key)) continue;
        finding::Path path = root;
        path.Append(encode::PathTo(at)).AddField(present.field->name).AddKey(key);
        Add("XDS-V057", member, std::move(path),
            fmt::format("\"{}\" is the name of no HTTP filter where these routes are used", key));
      }
    }
    return true;
  });
}

// ---- References. [XDS-V051, V102, V210]

// A set without any resource of a type says nothing of that type: it comes from somewhere else. Names of the xdstp form
// and globs are told by their servers.
bool SetInspector::LeadsSomewhere(const resource::Reference& reference) const {
  if (reference.name.empty() || !reference.elsewhere.empty() || reference.name.starts_with("xdstp:")) return true;
  if (IsOfBootstrap(reference)) return options_.known_secrets.contains(reference.name);
  const std::string_view kind = base::MessageName(reference.type_url);
  const auto of_type = by_type_.find(base::ToAbsl(kind));
  if (of_type == by_type_.end() || of_type->second.all.contains(reference.name)) return true;
  return kind == kCluster && options_.known_clusters.contains(reference.name);
}

void SetInspector::CheckReference(const Use& use) {
  const resource::Reference& reference = use.reference;
  if (LeadsSomewhere(reference)) return;
  const std::string_view kind = base::MessageName(reference.type_url);
  if (IsOfBootstrap(reference)) {
    Add("XDS-V102", *use.from, use.path,
        fmt::format("\"{}\" has no sds_config, so it has to be a static secret of the bootstrap", reference.name));
    return;
  }
  const std::string_view rule = kind == kCluster ? "XDS-V051" : kind == kSecret ? "XDS-V102" : "XDS-V210";
  Finding* const finding =
      Add(rule, *use.from, use.path,
          fmt::format("{} \"{}\" is in none of the files", WordFor(reference.type_url), reference.name));
  if (finding == nullptr) return;
  const bool refused = kind == kCluster && use.validated;
  finding->severity = refused || options_.strict ? finding::Severity::kError : finding::Severity::kWarning;
  finding->value = fmt::format("\"{}\"", reference.name);
  if (const std::string nearest = NearestTo(reference); !nearest.empty()) {
    finding->help = fmt::format("the nearest name is \"{}\"", nearest);
  }
}

std::string SetInspector::NearestTo(const resource::Reference& reference) {
  if (searched_++ >= kMostSearched) return {};
  Names& names = by_type_[base::ToAbsl(base::MessageName(reference.type_url))];
  if (names.sorted.empty()) {
    for (const absl::string_view name : names.all) names.sorted.emplace_back(name);
    std::sort(names.sorted.begin(), names.sorted.end());
  }
  return schema::NearestName(reference.name, names.sorted);
}

}  // namespace xdscope::rules
