// A conversation with one server: protocol::AdsSession says what goes out and what came in, a transport carries it, a
// judge says which answer each response gets. Knows neither what a good response is nor who wants to know of it. The
// conversation is over one stream (stream_session.h) or one unary call after another (unary_session.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/finding/finding.h"
#include "lib/protocol/ads_session.h"
#include "lib/transport/stream.h"

namespace xdscope::session {

struct Verdict {
  enum class Answer : std::uint8_t {
    kAck,
    kNack,
    kWithhold,  // none, ever
    kLater,     // none now: whoever decides says so to Session::ads(), then calls Pump()
  };

  Answer answer = Answer::kAck;
  std::string message;  // of a NACK
  std::vector<finding::Finding> findings;
  // A NACK after which all resources but those named in `findings` are used, as gRPC does.
  bool partial = false;
};

using Judge = std::function<Verdict(const protocol::Response&)>;

// What happens in a conversation. A session may be destroyed inside OnClosed(), not inside the others.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;

  virtual void OnConnected() {}
  // Told before the request is handed to the transport.
  virtual void OnRequest(const protocol::Request& /*request*/) {}
  // A response and the answer that was decided for it (and not yet sent). One that expects no answer was not shown to
  // the judge: its verdict is kWithhold.
  virtual void OnResponse(protocol::Response response, const Verdict& verdict) = 0;
  // Bytes that are no response; OnClosed() follows with the same status.
  virtual void OnUnreadable(const absl::Status& /*status*/, const transport::Bytes& /*bytes*/) {}
  // The end; Session::Open() may be called again. `status`: OK after Finish() or where the server ended with it,
  // DATA_LOSS after OnUnreadable(), else that of the transport. `had_response`: whether one came since Open().
  virtual void OnClosed(const absl::Status& status, bool had_response) = 0;
};

class Session {
 public:
  virtual ~Session() = default;

  // Connects. After OnClosed() it may be called again: the protocol's own memory (versions, what is held) goes on, as a
  // client's does that reconnects. Whoever wants that decides when.
  virtual void Open() = 0;
  // Sends what the protocol wants sent; to be called after each change that was made through ads().
  virtual void Pump() = 0;
  // The conversation is over: sends what is still owed (the last ACK), lets it reach the server, then closes.
  // OnClosed() follows, never inside this call; responses that come until then are dropped.
  virtual void Finish() = 0;
  // Ends it at once. OnClosed() follows with CANCELLED.
  virtual void Cancel() = 0;

  virtual protocol::AdsSession& ads() = 0;
};

// Shows a response to the judge and gives his answer to `ads`. What a response does not expect is not answered.
Verdict AnswerResponse(protocol::AdsSession& ads, const Judge& judge, const protocol::Response& response);

}  // namespace xdscope::session
