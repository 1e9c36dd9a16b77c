// A session and its server in the notation of reference/protocol.md B: requests are read from their bytes and written
// as one line, responses are built from their parts.
//
//   SotW   "V=X R=[foo,bar] N=A T=EDS err{…} node"
//   delta  "T=CDS +[a,b] -[c] init{a:1} N=2 err{…} node"      (empty parts are left out, but for the first +[])
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/protocol/ads_session.h"

namespace xdscope::protocol::testing {

inline constexpr std::string_view kLds = "type.googleapis.com/envoy.config.listener.v3.Listener";
inline constexpr std::string_view kRds = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";
inline constexpr std::string_view kCds = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
inline constexpr std::string_view kCdsV2 = "type.googleapis.com/envoy.api.v2.Cluster";
inline constexpr std::string_view kEds = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";
inline constexpr std::string_view kRtds = "type.googleapis.com/envoy.service.runtime.v3.Runtime";
inline constexpr std::string_view kVhds = "type.googleapis.com/envoy.config.route.v3.VirtualHost";

// A resource that says its name in field 1.
std::string Payload(std::string_view name, std::string_view content = "");

// A Node with an id and client features.
std::string Node(const std::vector<std::string>& features = {});

// One entry of a response.
struct Entry {
  std::string name;
  std::string version = {};  // of the wrapper
  std::vector<std::string> aliases = {};
  std::optional<int> ttl_seconds = {};
  bool wrapped = false;  // SotW
  bool has_payload = true;
  std::string payload_name = {};  // empty: the same as name
  std::string type_url = {};      // empty: the response's
};

// What a server says.
struct Words {
  std::string_view type_url;
  std::string version;
  std::string nonce;
  std::vector<Entry> entries;
  std::vector<std::string> removed = {};                 // delta
  std::vector<std::pair<std::string, int>> errors = {};  // name and code
  std::string control_plane = {};
};

std::string SotwBytes(const Words& words);
std::string DeltaBytes(const Words& words);

// Entries that have nothing but a name (SotW) or "name@version" (delta).
std::vector<Entry> Entries(const std::vector<std::string>& names);

// The request as a line, from its bytes.
std::string Line(Variant variant, const Request& request);

class Conversation {
 public:
  explicit Conversation(AdsSession::Options options);
  // An aggregated stream with a node of id n1 in its first request only.
  static AdsSession::Options Sotw();
  static AdsSession::Options Delta();

  AdsSession& operator*() { return session_; }
  AdsSession* operator->() { return &session_; }
  const Subscription& operator[](std::string_view type_url) const { return *session_.Find(type_url); }

  // All that is to be sent now.
  std::vector<std::string> Sent();
  // Lets the session hear a response; it stays without a verdict.
  Response Hear(const Words& words);
  // Hears and ACKs, and gives back what is sent then.
  std::vector<std::string> Accept(const Words& words);
  std::vector<std::string> Refuse(const Words& words, std::string_view message = "no");
  // The rules that a response breaks, in order, each as "XDS-S016 error 'name'", and ACKs it.
  std::vector<std::string> Findings(const Words& words);

 private:
  Variant variant_;
  AdsSession session_;
};

// A conversation whose stream is open, in which this is wanted and nothing was sent yet.
Conversation Start(AdsSession::Options options, std::string_view type_url, const Interest& interest);

}  // namespace xdscope::protocol::testing
