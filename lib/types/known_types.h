// Which resource types xDS has: one row per type, in the order in which they are printed. Knows names (short names,
// type URLs, services, methods, REST paths, where a resource's name stands) and what the protocol does with the type;
// has no behaviour and knows no schema. A test checks it against the annotations of the Envoy API. A type that is not
// here works everywhere by its type URL.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace xdscope::types {

// Transport and resource version.
enum class Api : std::uint8_t { kV3, kV2 };

// How a type is asked for: over gRPC all types on one stream (SotW, delta), a stream per type, or a unary call per
// type; or an HTTP request with JSON per type.
enum class Variant : std::uint8_t { kAds, kDeltaAds, kSotw, kDelta, kUnary, kRest };

constexpr bool IsAggregated(Variant variant) {
  return variant == Variant::kAds || variant == Variant::kDeltaAds;
}
constexpr bool IsDelta(Variant variant) {
  return variant == Variant::kDeltaAds || variant == Variant::kDelta;
}
// Each request has one response, and there is no stream.
constexpr bool IsUnary(Variant variant) {
  return variant == Variant::kUnary || variant == Variant::kRest;
}

inline constexpr std::string_view kTypeUrlPrefix = "type.googleapis.com/";

// What a type is called in one API version. All empty when the type does not exist there.
struct ApiNames {
  std::string_view type_url;  // with kTypeUrlPrefix
  std::string_view service;   // "envoy.service.cluster.v3.ClusterDiscoveryService"

  constexpr bool exists() const { return !type_url.empty(); }
  // Returns the message's full name.
  constexpr std::string_view message() const {
    return exists() ? type_url.substr(kTypeUrlPrefix.size()) : std::string_view();
  }
};

// In which order an aggregated stream sends its types, so that nothing points to what is not there (make-before-break,
// reference/protocol.md C.8). Types that are not known go last in either direction.
struct PushOrder {
  int arrival = 10;    // of what is new or changed: what is pointed to goes first
  int departure = 10;  // of what is gone: what points goes first
};

// A row. One with its defaults alone stands for every type that is not known.
struct KnownType {
  std::string_view short_name = {};  // "cds"
  std::string_view plural = {};      // "clusters": the word of the REST path, or what it would be
  ApiNames v3 = {};
  ApiNames v2 = {};
  std::string_view sotw_method = {};   // "StreamClusters"; empty: the type has no such method
  std::string_view delta_method = {};  // "DeltaClusters"
  std::string_view unary_method = {};  // "FetchClusters"; a type has REST exactly when it has this
  std::string_view name_field = {};    // field 1 of the payload; empty: named by its wrapper alone (VHDS, LEDS)
  bool full_state = false;             // a SotW response holds every resource: what is missing is gone (LDS, CDS)
  PushOrder push_order = {};
  // VHDS: names are asked for by alias, and an entry without payload answers one; it is never a heartbeat (K3).
  bool on_demand = false;

  constexpr bool known() const { return !short_name.empty(); }
  constexpr const ApiNames& names(Api api) const { return api == Api::kV3 ? v3 : v2; }
  constexpr bool delta_only() const { return known() && sotw_method.empty(); }
  constexpr bool named_by_wrapper() const { return known() && name_field.empty(); }
};

// Returns the rows: LDS RDS SRDS VHDS CDS EDS LEDS SDS RTDS ECDS.
std::span<const KnownType> KnownTypes();

// Finds a row by short name or plural, in any case, '-' and '_' alike: `cds`, `CDS`, `clusters`, `scoped_routes`.
// nullptr: none.
const KnownType* FindByWord(std::string_view word);

// Whether a response of this type holds every resource, so that what is missing is gone: LDS and CDS in SotW.
bool SaysAll(Variant variant, std::string_view type_url);

// Finds a row by type URL with any prefix, or by message name; v3 or v2. Returns nullptr where there is none.
const KnownType* FindByUrl(std::string_view type_url);
// Does the same, but returns the row of defaults where there is none.
const KnownType& RowOf(std::string_view type_url);

// Returns the type URL of a known type in the other API version; empty where it does not exist there, or the type is
// not known.
std::string_view OtherVersion(std::string_view type_url);

// Returns a place in the output order: 0 for LDS … 9 for ECDS, 10 for all others.
std::size_t OutputRank(std::string_view type_url);

// Returns the path of a method, "/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters"; for the aggregated
// variants the method of AggregatedDiscoveryService, for REST RestPath(). Empty: there is no such method.
std::string Method(const KnownType& type, Variant variant, Api api);
// Returns the method of AggregatedDiscoveryService. Demands IsAggregated(variant).
std::string_view AdsMethod(Variant variant, Api api);

// Returns the REST path, "/v3/discovery:clusters"; empty where the type has no REST form.
std::string RestPath(const KnownType& type, Api api);

// Returns the name that a resource's own bytes hold, read in place; empty when they hold none. For a known type the
// text in its name field (the last occurrence, as protobuf reads it), whatever characters it is made of; for an unknown
// one field 1 if that is text without control characters, which a message there nearly always has; for types that are
// named by their wrapper always empty.
std::string_view NameInPayload(const KnownType& type, std::string_view payload);
std::string_view NameInPayload(std::string_view type_url, std::string_view payload);

}  // namespace xdscope::types
