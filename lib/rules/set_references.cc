// What the resources of a set refer to: other resources, filters, the kinds of secrets.
// [reference/validation.md 2.8, and XDS-V051, V057, V085, V102, V103, V210]
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

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

}  // namespace

// Secrets refer to nothing, and what is sensitive is not shown.
void SetInspector::FindUses(const Member& member) {
  encode::Visit(member.resource, types_, [&](const Visited& at) {
    if (at.message.type().is_secret()) return false;
    if (at.field != nullptr && at.field->sensitive == wire::Sensitive::kYes) return false;
    for (const resource::ReferenceRow* row : rows_.Of(at.message.type())) {
      for (resource::Reference& reference : resource::ReferencesOf(*row, at.message, member.subject.name, {})) {
        if (row->source_only) {
          scoped_routes_from_ = reference.elsewhere;
          continue;
        }
        finding::Path path = encode::PathTo(at);
        if (!row->name_field.empty() && Has(at.message, row->name_field)) path.AddField(row->name_field);
        uses_.push_back({&member, std::move(reference), std::move(path), IsValidated(at), WantedOfSecret(at),
                         at.message.type().full_name() == kAggregate});
      }
    }
    // A secret without a source is one of the bootstrap's. [XDS-V102]
    if (at.message.type().full_name() == kSecretConfig && !Has(at.message, "sds_config")) {
      resource::Reference reference;
      reference.type_url = fmt::format("{}{}", types::kTypeUrlPrefix, kSecretType);
      reference.name = at.message.GetText("name");
      uses_.push_back({&member, std::move(reference), encode::PathTo(at).AddField("name"), true, WantedOfSecret(at)});
    }
    return true;
  });
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

void SetInspector::CheckReferences() {
  for (const Use& use : uses_) {
    CheckReference(use);
    CheckKindOfSecret(use);
  }
}

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

// Of discovered secrets Envoy refuses one that has to be a certificate and is none. What else is of the wrong kind it
// takes for an empty one.
void SetInspector::CheckKindOfSecret(const Use& use) {
  if (use.secret.empty() || use.reference.origin == resource::Origin::kUnsaid) return;
  const auto secrets = by_type_.find(kSecretType);
  if (secrets == by_type_.end()) return;
  const auto found = secrets->second.find(use.reference.name);
  if (found == secrets->second.end()) return;
  const Member& secret = *found->second.front();
  if (Has(secret.resource, use.secret)) return;
  Finding* const finding =
      Add("XDS-V103", *use.from, use.path, fmt::format("secret \"{}\" is no {}", use.reference.name, use.secret));
  if (finding == nullptr) return;
  if (use.secret != "tls_certificate") {
    finding->severity = finding::Severity::kWarning;
    finding->effect = "Envoy takes it as if the secret had nothing in it";
  }
  finding->related = RelatedTo(secret, {}, *use.from, files_);
}

// A set without any resource of a type says nothing of that type: it comes from somewhere else. Names of the xdstp form
// and globs are told by their servers.
void SetInspector::CheckReference(const Use& use) {
  const resource::Reference& reference = use.reference;
  const std::string_view kind = base::MessageName(reference.type_url);
  if (reference.name.empty() || !reference.elsewhere.empty()) return;
  if (reference.name.starts_with("xdstp:")) return;
  const auto of_type = by_type_.find(kind);
  if (kind == kSecretType && reference.origin == resource::Origin::kUnsaid) return CheckStaticSecret(use);
  if (of_type == by_type_.end() || options_.where.empty() || of_type->second.contains(reference.name)) return;
  if (kind == kClusterType && options_.known_clusters.contains(reference.name)) return;
  const std::string_view rule = kind == kClusterType ? "XDS-V051" : kind == kSecretType ? "XDS-V102" : "XDS-V210";
  Finding* const finding =
      Add(rule, *use.from, use.path,
          fmt::format("\"{}\" is none of the {} {}", reference.name, PluralFor(reference.type_url), options_.where));
  if (finding == nullptr) return;
  const bool refused = kind == kClusterType && use.validated;
  finding->severity = refused || options_.strict ? finding::Severity::kError : finding::Severity::kWarning;
  finding->value = fmt::format("\"{}\"", reference.name);
  std::vector<std::string> names;
  for (const auto& [name, members] : of_type->second) names.push_back(name);
  if (const std::string nearest = schema::NearestName(reference.name, names); !nearest.empty()) {
    finding->help = fmt::format("the nearest name is \"{}\"", nearest);
    finding->related = RelatedTo(*of_type->second.find(nearest)->second.front(), {}, *use.from, files_);
  }
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
