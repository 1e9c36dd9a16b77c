#include "lib/format/elements.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace xdscope::format {
namespace {

using wire::FieldKind;

// The API's own words are the reason for each row; what they do not say is not here. Lists whose order is said to
// matter (filters, routes), or not spoken of, have one.
constexpr UnorderedList kUnordered[] = {
    // "Domain search order": the exact name, then the longest wildcard, wherever they stand in the list.
    {"envoy.config.route.v3.VirtualHost", "domains", "", ""},
    {"envoy.api.v2.route.VirtualHost", "domains", "", ""},
    // Load goes by weights and priorities. "One can have multiple LocalityLbEndpoints for a locality, but only if they
    // have different priorities", so that the two tell them apart.
    {"envoy.config.endpoint.v3.ClusterLoadAssignment", "endpoints", "locality", "priority"},
    {"envoy.api.v2.ClusterLoadAssignment", "endpoints", "locality", "priority"},
    // "The group of endpoints belonging to the locality", of which each has a weight and none a place.
    {"envoy.config.endpoint.v3.LocalityLbEndpoints", "lb_endpoints", "endpoint.address", ""},
    {"envoy.api.v2.endpoint.LocalityLbEndpoints", "lb_endpoints", "endpoint.address", ""},
    // "The most specific value in any of the configured filter chains that matches"; of ports and sources "at least
    // one".
    {"envoy.config.listener.v3.FilterChainMatch", "prefix_ranges", "", ""},
    {"envoy.config.listener.v3.FilterChainMatch", "source_prefix_ranges", "", ""},
    {"envoy.config.listener.v3.FilterChainMatch", "source_ports", "", ""},
    {"envoy.config.listener.v3.FilterChainMatch", "server_names", "", ""},
    {"envoy.config.listener.v3.FilterChainMatch", "application_protocols", "", ""},
    // The certificate "matches one of the specified values", "one of the specified matchers".
    {"envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext", "verify_certificate_spki", "", ""},
    {"envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext", "verify_certificate_hash", "", ""},
    {"envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext", "match_typed_subject_alt_names", "", ""},
    {"envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext", "match_subject_alt_names", "", ""},
};

// The fields that name an element of a list, as they name resources.
constexpr std::string_view kNameFields[] = {"name", "cluster_name"};

bool IsText(FieldKind kind) {
  return kind == FieldKind::kString || kind == FieldKind::kBytes;
}

// Returns the way along a path of singular fields; nullopt where the type (of an older schema) lacks one of them.
std::optional<ElementRule::Way> WayAlong(const wire::Field& list, std::string_view path) {
  ElementRule::Way way;
  const wire::Field* at = &list;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = at->kind == FieldKind::kMessage ? at->message().Find(path.substr(0, dot)) : nullptr;
    if (at == nullptr || at->repeated) return std::nullopt;
    way.push_back(at);
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return way;
}

ElementRule UnorderedRule(const UnorderedList& row, const wire::Field& list) {
  ElementRule rule{.ordered = false, .ways = {}};
  for (const std::string_view path : {row.way, row.second}) {
    if (path.empty() && !rule.ways.empty()) break;
    std::optional<ElementRule::Way> way = WayAlong(list, path);
    if (!way) return {};
    rule.ways.push_back(*std::move(way));
  }
  return rule;
}

ElementRule NamedRule(const wire::Field& list) {
  if (list.kind != FieldKind::kMessage) return {};
  for (const std::string_view name : kNameFields) {
    const wire::Field* field = list.message().Find(name);
    if (field == nullptr || field->kind != FieldKind::kString || field->repeated) continue;
    return {.ordered = true, .ways = {{field}}};
  }
  return {};
}

std::optional<wire::Value> ValueAt(const wire::Value& element, const ElementRule::Way& way) {
  std::optional<wire::Value> value = element;
  for (const wire::Field* field : way) {
    value = value->AsMessage().Get(*field);
    if (!value) break;
  }
  return value;
}

using Places = absl::flat_hash_map<Identity, std::size_t>;

// Returns where each identity stands; nullopt where two are the same.
std::optional<Places> PlacesOf(std::span<const Identity> identities) {
  Places places;
  places.reserve(identities.size());
  for (std::size_t i = 0; i < identities.size(); ++i) {
    if (!places.emplace(identities[i], i).second) return std::nullopt;
  }
  return places;
}

}  // namespace

Pairs PairByIndex(std::size_t first, std::size_t before, std::size_t after) {
  Pairs pairs;
  for (std::size_t i = 0; i < std::max(before, after); ++i) {
    pairs.rows.push_back({.before = i < before ? std::optional(first + i) : std::nullopt,
                          .after = i < after ? std::optional(first + i) : std::nullopt});
  }
  return pairs;
}

// What is gone comes first, then the new list in its order.
Pairs PairByIdentity(std::size_t first, std::span<const Identity> before, std::span<const Identity> after) {
  const std::optional<Places> old_places = PlacesOf(before);
  const std::optional<Places> new_places = PlacesOf(after);
  if (!old_places || !new_places) return PairByIndex(first, before.size(), after.size());
  Pairs pairs;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!new_places->contains(before[i])) pairs.rows.push_back({.before = first + i, .after = std::nullopt});
  }
  std::size_t furthest = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto old = old_places->find(after[i]);
    const bool is_new = old == old_places->end();
    pairs.rows.push_back({.before = is_new ? std::nullopt : std::optional(first + old->second), .after = first + i});
    if (is_new) continue;
    pairs.reordered = pairs.reordered || old->second < furthest;
    furthest = std::max(furthest, old->second);
  }
  return pairs;
}

// What is not set counts as its default, which is a good identity as long as it does not repeat; an empty text is none.
std::optional<Identity> ElementRule::IdentityOf(const wire::Value& element, wire::Types& types) const {
  if (ways.empty()) return std::nullopt;
  Identity identity;
  for (const Way& way : ways) {
    const std::optional<wire::Value> value = ValueAt(element, way);
    const FieldKind kind = way.empty() ? element.field->kind : way.back()->kind;
    if (IsText(kind)) {
      if (!value || value->bytes.empty()) return std::nullopt;
      identity.text = value->bytes;
      continue;
    }
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
    std::uint64_t number = 0;
    if (value) number = kind == FieldKind::kMessage ? wire::Digest(value->AsMessage(), types) : value->bits;
    identity.number = identity.number * kFactor + number;
  }
  return identity;
}

std::optional<wire::Value> ElementRule::NameOf(const wire::Value& element) const {
  return ordered && !ways.empty() ? ValueAt(element, ways.front()) : std::nullopt;
}

const ElementRule& ElementRules::Of(const wire::Type& parent, const wire::Field& list) {
  const auto [entry, added] = rules_.try_emplace(&list);
  if (!added) return entry->second;
  const auto* row = std::find_if(std::begin(kUnordered), std::end(kUnordered), [&](const UnorderedList& unordered) {
    return unordered.message == parent.full_name() && unordered.field == list.name;
  });
  entry->second = row == std::end(kUnordered) ? NamedRule(list) : UnorderedRule(*row, list);
  return entry->second;
}

std::span<const UnorderedList> UnorderedLists() {
  return kUnordered;
}

}  // namespace xdscope::format
