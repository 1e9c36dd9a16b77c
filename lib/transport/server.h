// A gRPC server of raw bytes, for any method: streams in, bytes out. Knows method names and metadata; does not know
// what the bytes mean. Everything here belongs to the loop's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/loop.h"
#include "lib/transport/stream.h"

namespace xdscope::transport {

struct ServerTls {
  std::string cert_pem;       // the server's certificate and the chain above it
  std::string key_pem;        // its key
  std::string client_ca_pem;  // who must have signed a client's certificate; empty = clients need none
};

struct ServerSettings {
  std::string listen = "127.0.0.1:0";  // "HOST:PORT" (port 0 = any), "[::1]:0", "unix:/path"
  std::optional<ServerTls> tls;        // nullopt = plaintext
  // Further streams of a connection wait in the client. Envoy opens one per resource where a type has its own method.
  int most_streams_per_connection = 100'000;
  std::size_t largest_message = 64u << 20;  // that a client may send
  std::chrono::milliseconds keepalive_time = std::chrono::seconds(60);
  std::chrono::milliseconds keepalive_timeout = std::chrono::seconds(20);
};

// A piece of a message that many streams may share: it is not copied, and is kept alive until it was sent.
struct Chunk {
  Bytes buffer;
  std::size_t offset = 0;
  std::size_t size = std::string::npos;  // cut at the end of the buffer

  std::string_view bytes() const { return std::string_view(*buffer).substr(offset, size); }
};

// What happens on one stream of a client. Every call may destroy the stream it is about.
class ServerStreamEvents {
 public:
  virtual ~ServerStreamEvents() = default;

  // Answers one ReadNext() with the message that came.
  virtual void OnMessage(Bytes message) = 0;
  // Answers a ReadNext() when the client will send nothing more. It still reads, unless the stream broke, which
  // OnClosed() then says next.
  virtual void OnHalfClosed() = 0;
  // Tells that the last Write() has been given to the operating system (or fits into its buffers): the next one may
  // follow.
  virtual void OnWritten() = 0;
  // Tells the end; nothing follows. The status is what Close() was given when this side closed the stream, and
  // CANCELLED when the client reset it, the connection broke or the client did not read in time what was to be sent
  // before the end.
  virtual void OnClosed(const absl::Status& status) = 0;
};

class ServerStream {
 public:
  // Ends the stream, as Close() had said or else with CANCELLED; no event follows.
  virtual ~ServerStream() = default;

  virtual const std::string& method() const = 0;  // "/package.Service/Method"
  virtual const std::string& peer() const = 0;    // "127.0.0.1:5432", "[::1]:5432", "unix:"
  virtual const Metadata& metadata() const = 0;   // the client's headers

  // Sends events to `events` from now on, which must outlive the stream. There are none before. May be called once.
  virtual void Attach(ServerStreamEvents& events) = 0;

  // Sends one message, made of these pieces. Demands that OnWritten() came for the one before. When the stream breaks
  // OnWritten() does not come.
  virtual void Write(std::vector<Chunk> message) = 0;
  // Asks for one more message: the answer is OnMessage(), OnHalfClosed() or, where the stream breaks, OnClosed().
  // Demands that the answer to the one before came, and was no OnHalfClosed(). Until it is called the peer is held
  // back. The end of the stream is told without it.
  virtual void ReadNext() = 0;
  // Ends the stream with this status, after the message that is being written, if the client takes that within a
  // second; OnClosed() follows, later. The other calls do nothing from here on.
  virtual void Close(const absl::Status& status) = 0;
};

class Server {
 public:
  // Takes a new stream. Whoever serves nothing by that name closes it with UNIMPLEMENTED.
  using Handler = std::function<void(std::unique_ptr<ServerStream> stream)>;

  // Is told that the server can take no more clients, and why: RESOURCE_EXHAUSTED, "127.0.0.1:18000: cannot take
  // another client: Too many open files". Streams that are open go on.
  using Failed = std::function<void(const absl::Status& why)>;

  // Listens, and hands each new stream to `handler` on the loop. gRPC's own log is switched off for the whole program.
  // INVALID_ARGUMENT: an address, a certificate or a key that can never work; UNAVAILABLE: the system does not let us
  // listen, with its reason ("127.0.0.1:18000: Address already in use"). The loop must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(base::Loop& loop, const ServerSettings& settings,
                                                       Handler handler, Failed failed);

  // Cuts off what is still open; no event follows. Waits for no client, and streams may be destroyed later.
  virtual ~Server() = default;

  // Says where the server listens, with the port it got: "127.0.0.1:18000", "unix:/path".
  virtual const std::string& address() const = 0;
  virtual int port() const = 0;  // 0 for unix

  // Takes no more streams, closes those that are open with UNAVAILABLE "the server is going away" (each is told by
  // OnClosed()) and cuts off after `grace` what has not ended by then. Runs `stopped` on the loop when all is over. May
  // be called once.
  virtual void Stop(std::chrono::milliseconds grace, std::function<void()> stopped) = 0;
};

}  // namespace xdscope::transport
