// A conversation with one server: protocol::AdsSession says what goes out and what came in, a transport carries it.
// What comes is told and then the conversation goes on; whoever judges gives his verdict at once, later or never. Knows
// neither what a good response is nor who wants to know of it. The conversation is over one stream (stream_session.h)
// or one unary call after another (unary_session.h); reopening_session.h opens either again.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/protocol/ads_session.h"
#include "lib/session/event.h"

namespace xdscope::session {

class Session {
 public:
  virtual ~Session() = default;

  // Connects. After a Closed it may be called again: the protocol's own memory (versions, what is held) goes on, as a
  // client's does that reconnects.
  virtual void Open() = 0;
  // Changes the interest in a type and sends what has to be said for it; before Open() it only takes note.
  virtual void Want(std::string_view type_url, const protocol::InterestChange& change) = 0;
  // Gives the verdict on a response, sends what is to be sent for it and returns what it changed. Inside a listener the
  // sending waits until the listener returns, so that an interest that the response leads to goes out with the answer.
  // NOT_FOUND: the response waits for none (see protocol::AdsSession::Answer).
  virtual absl::StatusOr<protocol::Changes> Answer(protocol::ResponseId id, const protocol::Verdict& verdict) = 0;
  // The conversation is over: sends what is still owed (the last ACK), lets it reach the server, then closes. Closed
  // follows, never inside this call; responses that come until then are dropped.
  virtual void Finish() = 0;
  // Ends it at once. Closed follows with CANCELLED.
  virtual void Cancel() = 0;

  // What the protocol remembers, for whoever shows it.
  virtual const protocol::AdsSession& ads() const = 0;

  // Whether something that was to be sent is not sent yet: it is connecting, or the transport is slow.
  virtual bool IsBusy() const = 0;

  // ---- For a person who takes the protocol into his own hands.

  // Lets `change` alter what the protocol remembers (a name that is to be said again, another node, nothing held any
  // more) and sends what has to be said for that.
  virtual void Adjust(const std::function<void(protocol::AdsSession& ads)>& change) = 0;
  // Sends a request exactly as it is, right or wrong, after those that are due. The protocol takes note of it as a
  // server would; a Changed follows where that was a verdict. FAILED_PRECONDITION: no stream is open or being opened.
  virtual absl::Status Send(std::string request) = 0;
};

}  // namespace xdscope::session
