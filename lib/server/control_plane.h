// The control plane behind `serve`: takes streams and unary calls of every discovery method, answers them from an
// inventory, and pushes what changes. Knows methods and streams; what a request means is protocol::ServerSession's
// business, where resources come from its owner's.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

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
  // `status` says why: OK when the client had said all, CANCELLED when it left, else what the server closed it with.
  virtual void OnClosed(const ClientStream&, const absl::Status& /*status*/) {}
};

class ControlPlane {
 public:
  struct Options {
    bool v2 = false;  // serve the v2 methods too
  };

  // All must outlive it; so must the loop that its streams belong to.
  ControlPlane(Inventory& inventory, Observer& observer, wire::Types& types, Options options);
  // Ends every stream.
  ~ControlPlane();

  // Takes a stream that transport::Server hands over.
  void Take(std::unique_ptr<transport::ServerStream> stream);

  // Tells every stream what concerns it of a change of the inventory. Says endpoints of changed clusters again, since
  // their client waits for them (XDS-S083).
  void Push(std::span<const TypeChange> changes);

 private:
  class Conversation;
  class Refusal;

  std::vector<std::string> EndpointsOf(const TypeChange& clusters, std::string* type_url);

  Inventory& inventory_;
  Observer& observer_;
  wire::Types& types_;
  Options options_;
  std::uint64_t last_id_ = 0;
  std::list<std::unique_ptr<Conversation>> conversations_;
  std::list<std::unique_ptr<Refusal>> refusals_;
};

}  // namespace xdscope::server
