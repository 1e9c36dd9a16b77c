// A resource of a set, and how the checks of sets speak of one. [reference/validation.md 2.8]
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "lib/finding/finding.h"
#include "lib/rules/report.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// Its texts and bytes belong to somebody else and outlive the judging.
struct Member {
  std::size_t file = 0;  // its place among the files of the set
  Subject subject;
  wire::View resource;
};

// The types that are checked as sets, by their full names.
inline constexpr std::string_view kClusterType = "envoy.config.cluster.v3.Cluster";
inline constexpr std::string_view kEndpointsType = "envoy.config.endpoint.v3.ClusterLoadAssignment";
inline constexpr std::string_view kListenerType = "envoy.config.listener.v3.Listener";
inline constexpr std::string_view kRoutesType = "envoy.config.route.v3.RouteConfiguration";
inline constexpr std::string_view kScopeType = "envoy.config.route.v3.ScopedRouteConfiguration";
inline constexpr std::string_view kSecretType = "envoy.extensions.transport_sockets.tls.v3.Secret";

// Returns the full name of a member's type.
std::string_view KindOf(const Member& member);

// Each returns what people call a resource type, or its message where it is unknown: "cds"; "clusters".
std::string WordFor(std::string_view type_url);
std::string PluralFor(std::string_view type_url);

// Returns a place in another resource, for a finding about `member`. `files` are the names of the set's files.
finding::Related RelatedTo(const Member& other, finding::Path path, const Member& member,
                           std::span<const std::string> files);

}  // namespace xdscope::rules
