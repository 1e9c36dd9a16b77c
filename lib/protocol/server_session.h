// The server's half of a discovery stream, as a value: request bytes go in, what is to be sent comes out as a
// description, because the bodies are built once and shared by all streams (response_parts.h). It knows nonces, what
// was asked for and what was sent (reference/protocol.md B and C); it knows no socket, thread, time or schema.
//
//   auto received = session.OnRequest(bytes);                       // a fact for the log; or why the stream must end
//   while (stream can take a message) if (auto answer = session.Next(cache, now)) stream.Write(BytesOf(*answer));
//
// Next() is called after a request, after a change of the cache, after a message was written and at NextHeartbeat(),
// but only when the stream can take one: so pushes coalesce, and a client that never reads costs one message.
//
// It breaks none of the rules of C that a server without resource errors can break, but for two: see Next() on
// XDS-S080; and times to live are said in delta to clients too that did not announce them (XDS-S058).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/protocol/features.h"
#include "lib/protocol/pending.h"
#include "lib/protocol/request.h"
#include "lib/protocol/resource_cache.h"
#include "lib/protocol/response.h"
#include "lib/protocol/server_subscription.h"

namespace xdscope::protocol {

// What a request was. A delta request may be a verdict and change the interest at once, and so may a SotW one.
struct Received {
  enum class Kind : std::uint8_t {
    kFirst,           // of its type on this stream
    kSubscription,    // no verdict; what is wanted has changed
    kResubscription,  // no verdict; what is wanted is said again, and is owed again (D5; Envoy, when a cluster warms)
    kAck,
    kNack,
    // SotW: of an older nonce than the last. What it asks for is noted and not answered before the next request that is
    // not stale, which says it again (B.1-6).
    kStale,
  };

  Kind kind = Kind::kFirst;
  std::string type_url;  // the conversation it belongs to; what the request says itself is in `request`
  Request request;       // names, version, nonce, error …; its own `kind` knows the fields only
  // How the names that are asked for one by one have changed, and whether everything is asked for.
  std::size_t added = 0;
  std::size_t removed = 0;
  bool wildcard = false;
};

// One response to be sent.
struct ServerResponse {
  std::string type_url;  // as the client spells it
  std::string version;   // SotW: version_info; delta: system_version_info
  std::string nonce;
  std::shared_ptr<const TypeSnapshot> snapshot;  // what the indices are of; empty where nothing is known of the type
  bool all = false;                              // every resource of them; `resources` is empty then
  std::vector<std::uint32_t> resources;          // else these, ascending
  std::vector<std::string> removed;              // delta: removed_resources, sorted
  std::vector<std::string> unresolved;           // VHDS: aliases nothing goes by; see EncodeUnresolved()
  bool heartbeat = false;                        // nothing is new: what it names lives on
  bool payloads = true;                          // false: entries of name, version and time to live alone
  bool wrapped = false;                          // SotW: what has a time to live comes in a wrapper that says it

  std::size_t resource_count() const { return all ? snapshot->resources.size() : resources.size(); }
};

class ServerSession {
 public:
  struct Options {
    Variant variant = Variant::kSotw;
    // The type of a stream of its own method, by its URL; empty: the stream is aggregated.
    std::string only_type;
    // What one client may make the session remember.
    std::size_t most_types = 1000;
    std::size_t most_names = 1'000'000;  // of all types together, asked for or announced
    // A fault: says what was refused again at once, without end if it is refused again (XDS-S032).
    bool resend_refused = false;
  };

  explicit ServerSession(Options options);
  ServerSession(ServerSession&&) = default;
  ServerSession& operator=(ServerSession&&) = default;

  // Takes a request. After an error the stream has to be closed with it: DATA_LOSS the bytes are no request;
  // INVALID_ARGUMENT no type URL on an aggregated stream (XDS-S093), another type than that of the stream's method;
  // RESOURCE_EXHAUSTED more types or names than the options allow.
  absl::StatusOr<Received> OnRequest(std::string bytes);

  // What has to be sent now, if anything; what was handed out counts as sent. Types in the order of make-before-break
  // (C.8): what is new or changed as CDS, EDS, LEDS, LDS, RDS, SRDS, VHDS, SDS, RTDS, ECDS, others; what a delta client
  // is told to drop, and a SotW response of LDS or CDS that only drops something, after all of these, as LDS, SRDS,
  // RDS, VHDS …, CDS. A SotW change of CDS that adds and drops at once goes in one message: a cluster that is dropped
  // is gone before the routes (XDS-S080) unless the cache keeps it a while.
  //
  // A named SotW subscription of another type than LDS and CDS is not answered while none of its names exists; a unary
  // call is: whoever serves one takes "nothing" for an empty response.
  //
  // When nothing else is due, a heartbeat for what has a time to live, at half of it: in delta, and in SotW for clients
  // that announced both wrappers and times to live; others are told of none. `now` never goes back.
  std::optional<ServerResponse> Next(const ResourceCache& cache, Moment now);

  // Returns when Next() will have a heartbeat, as of its last call; nullopt: it has none before something else happens.
  std::optional<Moment> NextHeartbeat() const;

  // Says these names again with the next answer, where the client is subscribed to them and they exist: the cluster
  // that they belong to has changed, and waits for them (XDS-S083).
  void Resend(std::string_view type_url, std::span<const std::string> names);

  // Returns the id in the Node of the first request that had one (B.0-2), cut to kLongestNodeId; empty before. The rest
  // of a Node may be megabytes, and is not kept.
  const std::string& node_id() const { return node_id_; }
  static constexpr std::size_t kLongestNodeId = 256;
  std::uint64_t requests() const { return requests_; }
  std::uint64_t responses() const { return responses_; }

 private:
  void KeepNode(const Request& request);
  std::size_t NameCount() const;
  absl::StatusOr<ServerSubscription*> SubscriptionOf(const Request& request);
  void TakeVerdict(ServerSubscription* subscription, std::uint64_t number, const Request& request) const;
  Received TakeSotw(ServerSubscription* subscription, Request request);
  Received TakeDelta(ServerSubscription* subscription, Request request);
  bool SaysTtl() const;
  ServerResponse Finish(ServerSubscription* subscription, ServerSubscription::Delivery delivery);

  Options options_;
  std::deque<ServerSubscription> subscriptions_;  // in the order in which they were first mentioned
  bool has_node_ = false;
  std::string node_id_;
  Features features_;
  std::uint64_t requests_ = 0;
  std::uint64_t responses_ = 0;
};

}  // namespace xdscope::protocol
