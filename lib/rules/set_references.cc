// What the resources of a set refer to: other resources, filters, the kinds of secrets.
// [reference/validation.md 2.8, and XDS-V051, V057, V085, V102, V103, V210]
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/encode/visit.h"
#include "lib/rules/reading.h"
#include "lib/rules/set_inspector.h"
#include "lib/schema/nearest.h"
#include "lib/types/known_types.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using finding::Finding;
using wire::View;

constexpr std::string_view kAggregate = "envoy.extensions.clusters.aggregate.v3.ClusterConfig";
constexpr std::string_view kManager =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
constexpr std::string_view kSecretConfig = "envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig";

// Tells whether Envoy, when it takes a resource, looks for the clusters that a message refers to: in routes, and where
// the route configuration says so. One that stands in a connection manager says so unless it says otherwise.
bool IsValidated(const Visited& at) {
  const Visited* configuration = nullptr;
  for (const Visited* above = &at; above != nullptr; above = above->above) {
    if (above->message.type().full_name() == kRoutesType) configuration = above;
  }
  if (configuration == nullptr || !at.message.type().full_name().starts_with("envoy.config.route.v3.")) return false;
  const bool in_manager = configuration->above != nullptr;
  if (!Has(configuration->message, "validate_clusters")) return in_manager;
  return IsOn(configuration->message, "validate_clusters");
}

// What a secret has to be where it is referred to: the field of the reference, and that of the secret.
struct KindOfSecret {
  std::string_view reference;
  std::string_view secret;
};
constexpr KindOfSecret kKindsOfSecrets[] = {
    {"session_ticket_keys_sds_secret_config", "session_ticket_keys"},
    {"tls_certificate_sds_secret_configs", "tls_certificate"},
    {"validation_context_sds_secret_config", "validation_context"},
};

// Returns the field of a secret that has to be set for a reference; empty: any.
std::string_view WantedOfSecret(const Visited& at) {
  if (at.message.type().full_name() != kSecretConfig || at.field == nullptr) return {};
  const auto* const row = std::find_if(std::begin(kKindsOfSecrets), std::end(kKindsOfSecrets),
                                       [&](const KindOfSecret& kind) { return kind.reference == at.field->name; });
  return row == std::end(kKindsOfSecrets) ? std::string_view() : row->secret;
}

// A secret without a source is one of the bootstrap's.
bool IsOfBootstrap(const resource::Reference& reference) {
  return reference.origin == resource::Origin::kUnsaid && base::MessageName(reference.type_url) == kSecretType;
}

}  // namespace

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
      reference.type_url = fmt::format("{}{}", types::kTypeUrlPrefix, kSecretType);
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
  const bool in_aggregate = at.message.type().full_name() == kAggregate;
  const std::string_view secret = WantedOfSecret(at);
  const bool is_fine = LeadsSomewhere(reference, secret) && SecretOfOtherKind(reference, secret) == nullptr;
  if (!of_file && !in_aggregate && KindOf(member) != kScopeType && is_fine) return;
  finding::Path path = encode::PathTo(at);
  if (!field.empty() && at.message.Find(field)) path.AddField(field);
  uses_.push_back({&member, std::move(reference), std::move(path), IsValidated(at), secret, in_aggregate});
}

// ---- Configuration per filter. [XDS-V057]

// Finds the connection managers that use a route configuration of a set, by its name, and what their filters are
// called.
void SetInspector::CheckFilterKeys(std::span<const Member> members) {
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> by_routes;
  for (const Member& member : members) {
    if (KindOf(member) != kListenerType) continue;
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
    if (KindOf(member) == kRoutesType && names != by_routes.end())
      CheckKeys(member, member.resource, {}, names->second);
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

// ---- References. [XDS-V051, V102, V103, V210]

// Envoy looks for static secrets of one kind among those of that kind alone.
void SetInspector::CheckStaticSecret(const Use& use) {
  const std::string& name = use.reference.name;
  const auto known = options_.known_secrets.find(name);
  if (known == options_.known_secrets.end()) {
    Add("XDS-V102", *use.from, use.path,
        fmt::format("\"{}\" has no sds_config, so it has to be a static secret of the bootstrap", name));
  } else if (!use.secret.empty() && known->second != use.secret) {
    Add("XDS-V103", *use.from, use.path,
        fmt::format("static secret \"{}\" is a {}, and a {} is wanted", name, known->second, use.secret));
  }
}

// Returns the discovered secret that a reference leads to, where the field `secret` of it is not set; nullptr: it
// is what it has to be, or not known.
const Member* SetInspector::SecretOfOtherKind(const resource::Reference& reference, std::string_view secret) const {
  if (secret.empty() || reference.origin == resource::Origin::kUnsaid) return nullptr;
  const Member* const found = Find(kSecretType, reference.name);
  return found == nullptr || Has(found->resource, secret) ? nullptr : found;
}

// Of discovered secrets Envoy refuses one that has to be a certificate and is none. What else is of the wrong kind it
// takes for an empty one.
void SetInspector::CheckKindOfSecret(const Use& use) {
  const Member* const secret = SecretOfOtherKind(use.reference, use.secret);
  if (secret == nullptr) return;
  Finding* const finding =
      Add("XDS-V103", *use.from, use.path, fmt::format("secret \"{}\" is no {}", use.reference.name, use.secret));
  if (finding == nullptr) return;
  if (use.secret != "tls_certificate") {
    finding->severity = finding::Severity::kWarning;
    finding->effect = "Envoy takes it as if the secret had nothing in it";
  }
  finding->related = RelatedTo(*secret, {}, *use.from, files_);
}

// A set without any resource of a type says nothing of that type: it comes from somewhere else. Names of the xdstp form
// and globs are told by their servers.
bool SetInspector::LeadsSomewhere(const resource::Reference& reference, std::string_view secret) const {
  if (reference.name.empty() || !reference.elsewhere.empty() || reference.name.starts_with("xdstp:")) return true;
  if (IsOfBootstrap(reference)) {
    const auto known = options_.known_secrets.find(reference.name);
    return known != options_.known_secrets.end() && (secret.empty() || known->second == secret);
  }
  if (options_.where.empty()) return true;
  const std::string_view kind = base::MessageName(reference.type_url);
  if (!by_type_.contains(base::ToAbsl(kind)) || Find(kind, reference.name) != nullptr) return true;
  return kind == kClusterType && options_.known_clusters.contains(reference.name);
}

void SetInspector::CheckReference(const Use& use) {
  const resource::Reference& reference = use.reference;
  if (LeadsSomewhere(reference, use.secret)) return;
  if (IsOfBootstrap(reference)) return CheckStaticSecret(use);
  const std::string_view kind = base::MessageName(reference.type_url);
  const std::string_view rule = kind == kClusterType ? "XDS-V051" : kind == kSecretType ? "XDS-V102" : "XDS-V210";
  Finding* const finding =
      Add(rule, *use.from, use.path,
          fmt::format("\"{}\" is none of the {} {}", reference.name, PluralFor(reference.type_url), options_.where));
  if (finding == nullptr) return;
  const bool refused = kind == kClusterType && use.validated;
  finding->severity = refused || options_.strict ? finding::Severity::kError : finding::Severity::kWarning;
  finding->value = fmt::format("\"{}\"", reference.name);
  if (const std::string nearest = NearestTo(reference); !nearest.empty()) {
    finding->help = fmt::format("the nearest name is \"{}\"", nearest);
    finding->related = RelatedTo(*Find(kind, nearest), {}, *use.from, files_);
  }
}

std::string SetInspector::NearestTo(const resource::Reference& reference) {
  if (searched_++ >= kMostSearched) return {};
  Names& names = by_type_[base::ToAbsl(base::MessageName(reference.type_url))];
  if (names.sorted.empty()) {
    for (const auto& [name, member] : names.all) names.sorted.emplace_back(name);
    std::sort(names.sorted.begin(), names.sorted.end());
  }
  return schema::NearestName(reference.name, names.sorted);
}

// ---- Aggregate clusters. [XDS-V085]

// Goes from one aggregate cluster to the next until it comes back to one that it has seen. A cluster that contains
// itself is found where that cluster is judged by itself.
void SetInspector::CheckAggregates() {
  for (const Use& use : uses_) {
    const bool aggregate = use.in_aggregate && use.reference.name != use.from->subject.name;
    if (aggregate) members_of_[use.from->subject.name].push_back(&use);
  }
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  std::map<std::string_view, State> states;
  struct Stand {
    std::string_view name;
    std::size_t next = 0;  // of its members
  };
  std::vector<Stand> way;
  for (const auto& [start, uses] : members_of_) {
    if (states[start] == State::kNew) way.push_back({start});
    while (!way.empty()) {
      Stand& here = way.back();
      states[here.name] = State::kOpen;
      const std::vector<const Use*>& members = members_of_[here.name];
      if (here.next == members.size()) {
        states[here.name] = State::kDone;
        way.pop_back();
        continue;
      }
      const Use& use = *members[here.next++];
      const auto found = members_of_.find(use.reference.name);
      if (found == members_of_.end()) continue;
      const State state = states[found->first];
      if (state == State::kNew) way.push_back({found->first});
      if (state != State::kOpen) continue;
      Add("XDS-V085", *use.from, use.path,
          fmt::format("aggregate cluster \"{}\" leads back to itself by \"{}\"", found->first, here.name));
    }
  }
}

}  // namespace xdscope::rules
