// The client's half of a discovery stream, as a value: response bytes go in, request bytes come out. It knows nonces,
// versions, interest and what is owed (reference/protocol.md B); it knows no socket, thread, time or schema, and not
// whether a response is good: that is told to it.
//
//   session.SetInterest(kClusterTypeUrl, Interest::Everything());
//   session.OnStreamOpened();
//   while (auto request = session.NextRequest()) stream.Write(request->bytes);
//   auto response = session.OnMessage(bytes);   // a fact, not yet a verdict
//   session.Ack(response->id);                  // or Nack(), Withhold(), or nothing yet
//
// An aggregated stream is a session with many types; a stream of one type is the same with Options::only_type; a unary
// call (or a REST poll) is a stream with one request and one response.
//
// What a server got wrong is found where neither time nor schema nor other streams are needed for it, and reported in
// Response::findings; which rules those are is said in inspection.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/protocol/interest.h"
#include "lib/protocol/request.h"
#include "lib/protocol/response.h"
#include "lib/protocol/subscription.h"

namespace xdscope::protocol {

struct Circumstances;

class AdsSession {
 public:
  struct Options {
    Variant variant = Variant::kSotw;
    Wildcard wildcard = Wildcard::kLegacy;
    bool node_in_every_request = true;                            // false: in the first of a stream only (B.0-2)
    int nack_code = 13;                                           // INTERNAL, as Envoy; gRPC says 3 (B.3)
    std::size_t error_limit = 4096;                               // bytes of a NACK's text
    std::string node;                                             // a serialized Node
    std::function<TypeTraits(std::string_view type_url)> traits;  // none: nothing is known of any type
    // The one type of a stream of its own method; empty: the stream is aggregated.
    std::string only_type;
    // One answer per request, no nonce owed, and the answer speaks for every name asked (cli.md, E.2).
    bool unary = false;
  };

  explicit AdsSession(Options options);
  AdsSession(AdsSession&&) = default;
  AdsSession& operator=(AdsSession&&) = default;

  // Declares the whole interest in a type; what has to be said for it comes out of NextRequest().
  void SetInterest(std::string_view type_url, Interest interest);

  // Nonces belong to a stream (B.0-6), versions and what is held do not (B.1-11). Responses that wait for a verdict are
  // forgotten with their stream.
  void OnStreamOpened();
  void OnStreamClosed();
  // Forgets versions and all that is held, as if there had been no stream before. Interest stays.
  void Forget();

  // What has to be sent now, if anything; ask until there is nothing. Answers go before other requests (B.1-16),
  // answers in the order in which they were given, types in the order in which they were first mentioned. Nothing while
  // no stream is open. What was handed out counts as sent.
  std::optional<Request> NextRequest();

  // Takes a response. DATA_LOSS: the bytes are no discovery response; the session is as it was.
  absl::StatusOr<Response> OnMessage(Bytes bytes);

  // The verdict on a response, once. NOT_FOUND: no response of this id waits for one (answered already, its stream is
  // gone, or it never expected an answer).
  absl::Status Ack(ResponseId id);
  absl::Status Nack(ResponseId id, std::string_view message);
  // A NACK that applies all resources but those named in `refused`, as gRPC does: the new version counts as accepted
  // where at least one resource was good or there was none (B.1-3, K17).
  absl::Status NackPartly(ResponseId id, std::string_view message, std::span<const std::string_view> refused);
  // Never answers this one; what is said later goes on from the last answered response.
  absl::Status Withhold(ResponseId id);

  // See Subscription. NOT_FOUND also: nothing is known of the type.
  absl::Status Resubscribe(std::string_view type_url, std::string_view name);
  absl::Status OnExpired(std::string_view type_url, std::string_view name);

  // Takes note of a request that was written by hand and sent outside NextRequest(), as the server will read it: names
  // become the interest, a nonce with or without error_detail is the verdict on the response that has it.
  // DATA_LOSS: the bytes are no discovery request (it still counts as sent).
  absl::Status OnRawRequest(std::string bytes);

  // The state of a type, by its URL or by its message name; nullptr: it was never mentioned. Valid as long as the
  // session.
  const Subscription* Find(std::string_view type_url) const;
  // All types ever mentioned, in that order.
  const std::deque<Subscription>& subscriptions() const { return subscriptions_; }

  const Options& options() const { return options_; }
  bool stream_is_open() const { return stream_.open; }

 private:
  struct Stream {
    bool open = false;
    bool node_sent = false;
    std::uint64_t requests = 0;
    std::string control_plane;
  };
  struct Answer {
    Subscription* subscription = nullptr;
    Verdict verdict;
  };

  Subscription* FindMutable(std::string_view type_url);
  Subscription* FindSpoken(std::string_view said_type_url);
  Subscription& Obtain(std::string_view type_url);
  TypeTraits TraitsOf(std::string_view type_url) const;
  Request Finish(Request request);
  Circumstances Now() const;
  std::optional<std::pair<Subscription*, Pending>> Take(ResponseId id);
  void Queue(Subscription* subscription, Verdict verdict);
  RequestError ErrorOf(std::string_view message) const;
  void NoteVerdict(Subscription* subscription, const Request& request);

  Options options_;
  bool wrapping_announced_ = false;  // features of the node
  bool ttl_announced_ = false;
  Stream stream_;
  std::uint64_t responses_ = 0;  // of all streams
  std::deque<Subscription> subscriptions_;
  std::deque<Answer> answers_;
};

}  // namespace xdscope::protocol
