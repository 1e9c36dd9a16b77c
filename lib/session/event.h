// What happens in a conversation, as one value that is handed on as it is. `stream` names the conversation: the type
// URL of a stream of one type, else empty.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "lib/base/clock.h"
#include "lib/protocol/changes.h"
#include "lib/protocol/request.h"
#include "lib/protocol/response.h"
#include "lib/transport/stream.h"

namespace xdscope::session {

// There is a connection, and the stream or call is on it.
struct Connected {
  std::string stream;
};

// A request; told before it is handed to the transport.
struct Asked {
  std::string stream;
  protocol::Request request;
};

// Bytes that are no response; a Closed with the same status follows.
struct Unreadable {
  std::string stream;
  absl::Status status;
  transport::Bytes bytes;
};

// The answer to a request that said a version: there is nothing newer (REST, XDS-R02).
struct Unchanged {
  std::string stream;
};

// What is held changed although nobody gave a verdict: something expired, or nothing asks for it any more.
struct Changed {
  protocol::Changes changes;
};

// The end of a stream or of a series of calls.
struct Closed {
  std::string stream;
  // OK after Finish() or where the server ended it so, DATA_LOSS after Unreadable, else that of the transport.
  absl::Status status;
  bool had_response = false;  // since it was opened
  // It is opened again by itself after this time; nullopt: it is over.
  std::optional<base::Duration> reopens_in = {};
  bool of_call = false;  // a call failed, or the calls were ended: there was no stream
};

// A response as it came waits for Session::Answer() if it expects one.
using Event = std::variant<Connected, Asked, protocol::Response, Unchanged, Unreadable, Changed, Closed>;

// A session may be destroyed while it tells of its end (a Closed that is not opened again), at no other event.
using Listener = std::function<void(Event event)>;

}  // namespace xdscope::session
