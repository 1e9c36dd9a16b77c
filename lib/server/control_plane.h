// The control plane behind `serve`: takes streams and unary calls of every discovery method, answers them from an
// inventory, pushes what changes and keeps alive what has a time to live; on request it does so badly. Knows methods,
// streams and the time; what a request means is protocol::ServerSession's business, where resources come from its
// owner's.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/clock.h"
#include "lib/protocol/server_session.h"
#include "lib/resource/references.h"
#include "lib/server/inventory.h"
#include "lib/server/methods.h"
#include "lib/transport/server.h"
#include "lib/wire/type.h"

namespace xdscope::server {

// One stream or call of a client, for whoever writes down what happens.
struct ClientStream {
  std::uint64_t id = 0;  // from 1, in the order in which they came
  std::string peer;
  std::string method;   // as called
  std::string node_id;  // empty until a request had a node
};

// Told of everything that happens; every function does nothing by default. Must not change the server.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void OnOpened(const ClientStream&) {}
  virtual void OnRequest(const ClientStream&, const protocol::Received&) {}
  virtual void OnResponse(const ClientStream&, const protocol::ServerResponse&,
                          std::span<const transport::Chunk> /*message*/) {}
  // The client has this version already, and waited as long as it is let wait (REST).
  virtual void OnUnchanged(const ClientStream&, std::string_view /*type_url*/) {}
  // `status` says why: OK when the client had said all, CANCELLED when it left, else what the server closed it with.
  virtual void OnClosed(const ClientStream&, const absl::Status& /*status*/) {}
};

// What a server may do wrong, for clients to be tried against. By default nothing.
struct Faults {
  std::chrono::milliseconds delay{0};  // each response is on its way for so long; requests are read meanwhile
  std::uint64_t close_after = 0;       // a stream is closed with UNAVAILABLE after so many responses; 0: never
  bool drop_nonce = false;             // responses have an empty nonce, so that no answer to one can be told
  bool resend_refused = false;         // what was refused is said again at once, as it was
};

class ControlPlane {
 public:
  struct Options {
    bool v2 = false;  // serve the v2 methods too
    Faults faults = {};
  };

  // All must outlive it; so must the loop that its streams belong to.
  ControlPlane(base::Clock& clock, Inventory& inventory, Observer& observer, wire::Types& types, Options options);
  // Ends every stream.
  ~ControlPlane();

  // Numbers a client that came another way, among those that came here.
  std::uint64_t NextId() { return ++last_id_; }

  // Takes a stream that transport::Server hands over.
  void Take(std::unique_ptr<transport::ServerStream> stream);

  // Tells every stream what concerns it of a change of the inventory. Says endpoints of changed clusters again, since
  // their client waits for them (XDS-S083).
  void Push(std::span<const TypeChange> changes);

 private:
  class Conversation;
  class Refusal;

  std::vector<std::string> EndpointsOf(const TypeChange& clusters, std::string* type_url);
  // Calls the heartbeat of a conversation that was `before` off, and sets it to `next`.
  void SetHeartbeat(Conversation* conversation, std::optional<base::Time> before, std::optional<base::Time> next);
  void SetTimer();
  void OnHeartbeat(base::Time now);

  base::Clock& clock_;
  Inventory& inventory_;
  Observer& observer_;
  wire::Types& types_;
  Options options_;
  std::uint64_t last_id_ = 0;
  // Whose heartbeat is due when, and a timer for the first.
  std::set<std::pair<base::Time, Conversation*>> heartbeats_;
  base::Timer timer_;
  std::optional<base::Time> timer_at_;
  std::list<std::unique_ptr<Conversation>> conversations_;
  std::list<std::unique_ptr<Refusal>> refusals_;
};

}  // namespace xdscope::server
