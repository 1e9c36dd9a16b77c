// A stream of messages to a server, and the channel it is opened on: bytes out, events in. Knows method names and
// metadata; does not know what the bytes mean. Everything here belongs to the loop's thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace xdscope::transport {

using Bytes = std::shared_ptr<const std::string>;

// Names in lower case; values of names that end in "-bin" are raw bytes. In the order of the wire where that is known.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// What happens on one stream. Every call may destroy the stream it is about.
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;

  // Tells that there is a connection and the call is on it. Is not called for a stream that fails before.
  virtual void OnConnected() {}
  // Tells the server's headers, which most servers send with their first message, right before that message or, where
  // there is none, before OnClosed(). Is not called when the server sent none.
  virtual void OnOpened(const Metadata& /*initial*/) {}
  // Answers one ReadNext() with the message that came.
  virtual void OnMessage(Bytes message) = 0;
  // Tells that the last Write() has been given to the operating system: the next one may follow.
  virtual void OnWritten() = 0;
  // Tells the end; nothing follows. `status` is the server's own, or: UNAVAILABLE no connection, with the cause (or
  // lost later), DEADLINE_EXCEEDED no connection in time, CANCELLED after Cancel(), OUT_OF_RANGE a message
  // larger than the limit, DATA_LOSS a compressed one that is damaged.
  virtual void OnClosed(const absl::Status& status, const Metadata& trailing) = 0;
};

class Stream {
 public:
  // Ends the stream at once; no event follows.
  virtual ~Stream() = default;

  // Sends one message. Demands that OnWritten() came for the one before; may be called before OnConnected(). When the
  // stream breaks OnWritten() does not come.
  virtual void Write(std::string bytes) = 0;
  // Asks for one more message: the answer is OnMessage() or, where nothing follows, OnClosed(). Demands that the answer
  // to the one before came; may be called before OnConnected(). Until it is called the peer is held back, so whoever
  // wants to hear of the end keeps one outstanding.
  virtual void ReadNext() = 0;
  // Says that nothing more will be written, after what has been.
  virtual void WritesDone() = 0;
  // Ends the stream from this side; OnClosed() follows, later (CANCELLED, unless it had ended before). The other calls
  // do nothing from here on.
  virtual void Cancel() = 0;
};

class Channel {
 public:
  // Its streams must be gone before. Does not wait for the peer.
  virtual ~Channel() = default;

  // Opens a stream of `method` ("/package.Service/Method"); connects first where there is no connection. Never fails
  // here: what goes wrong comes as OnClosed(). `events` must outlive the stream.
  virtual std::unique_ptr<Stream> OpenStream(const std::string& method, StreamEvents& events) = 0;
};

}  // namespace xdscope::transport
