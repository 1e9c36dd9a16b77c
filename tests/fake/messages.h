// The bytes of xDS messages for tests, put together field by field: discovery requests and responses as a peer writes
// them, and small resources to put into them. It knows field numbers and nothing else: no schema, no generated code and
// none of the code under test but the one function that appends a field.
//
//   Sotw({.type_url = kCds, .version = "1", .nonce = "n1", .resources = Named({"a", "b"})})
//   Delta({.type_url = kEds, .nonce = "n2", .resources = Named({"a@1"}), .removed = {"b"}})
//   SotwRequest({.type_url = kEds, .version = "1", .nonce = "n1", .names = {"a"}})
//
// Messages of protobuf's text format are in tests/fake/text_messages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xdscope::fake {

inline constexpr std::string_view kLds = "type.googleapis.com/envoy.config.listener.v3.Listener";
inline constexpr std::string_view kRds = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";
inline constexpr std::string_view kVhds = "type.googleapis.com/envoy.config.route.v3.VirtualHost";
inline constexpr std::string_view kCds = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
inline constexpr std::string_view kCdsV2 = "type.googleapis.com/envoy.api.v2.Cluster";
inline constexpr std::string_view kEds = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";
inline constexpr std::string_view kSds = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
inline constexpr std::string_view kRtds = "type.googleapis.com/envoy.service.runtime.v3.Runtime";
inline constexpr std::string_view kWrapper = "type.googleapis.com/envoy.service.discovery.v3.Resource";

// ---- Fields.

// A length-delimited field: a string, bytes or a message.
std::string Field(std::uint32_t number, std::string_view bytes);
// A varint field: a bool, an enum or an integer.
std::string Number(std::uint32_t number, std::uint64_t value);
// A google.protobuf.Any.
std::string Any(std::string_view type_url, std::string_view value);

// ---- Resources.

// A resource that has its name in field 1, as all known types but VHDS have, and more bytes behind it.
std::string Payload(std::string_view name, std::string_view more = {});
// A ConfigSource: "over this stream", or a file.
std::string AdsSource();
std::string FileSource(std::string_view path);
std::string ClusterSource(std::string_view cluster);  // gRPC
std::string SelfSource();
// A Cluster that takes its endpoints from a ConfigSource, by its own name or by `service_name`.
std::string EdsCluster(std::string_view name, std::string_view config_source, std::string_view service_name = {});

// ---- Responses.

// One resource of a response.
struct Resource {
  std::string name = {};                    // of the wrapper, and of the payload where none is given
  std::string version = {};                 // of the wrapper
  std::optional<std::string> payload = {};  // nullopt: Payload(name)
  std::string_view type_url = {};           // empty: the response's
  std::vector<std::string> aliases = {};
  std::optional<int> ttl_seconds = {};
  bool wrapped = false;     // SotW: in a Resource; delta: always
  bool has_payload = true;  // false: a heartbeat, or the answer that a name does not exist
};

// A server's word about a name that it cannot give.
struct ResourceError {
  std::string name = {};
  int code = 5;
  std::string message = "for a reason";
};

struct Response {
  std::string_view type_url = {};
  std::string version = {};
  std::string nonce = {};
  std::vector<Resource> resources = {};
  std::vector<std::string> removed = {};  // delta
  std::vector<ResourceError> errors = {};
  std::string control_plane = {};
};

// A DiscoveryResponse and a DeltaDiscoveryResponse. Empty strings are not written, as protobuf does.
std::string Sotw(const Response& response);
std::string Delta(const Response& response);

// Resources that are a name, or a name and a version: "a@1".
std::vector<Resource> Named(const std::vector<std::string>& names);
// Resources that are these bytes; in SotW nothing else says their name.
std::vector<Resource> Payloads(const std::vector<std::string>& payloads);

// The wrapper of a resource (envoy.service.discovery.v3.Resource), as it stands in a delta response.
std::string Wrapper(const Resource& resource, std::string_view type_url);

// ---- Requests.

struct Request {
  std::string_view type_url = {};
  std::string version = {};  // SotW
  std::string nonce = {};
  std::vector<std::string> names = {};                                     // delta: subscribed
  std::vector<std::string> unsubscribe = {};                               // delta
  std::vector<std::pair<std::string, std::string>> initial_versions = {};  // delta: name and version
  std::optional<std::pair<int, std::string>> error = {};                   // code and message: a NACK
  std::string node = {};                                                   // a Node's bytes; empty: none
};

// A DiscoveryRequest and a DeltaDiscoveryRequest.
std::string SotwRequest(const Request& request);
std::string DeltaRequest(const Request& request);

// A Node with an id and client features.
std::string Node(std::string_view id, const std::vector<std::string>& features = {});

}  // namespace xdscope::fake
