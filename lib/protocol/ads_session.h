// The client's half of a discovery stream, as a value: response bytes go in, request bytes come out. It knows nonces,
// versions, interest and what is owed (reference/protocol.md B); it knows no socket, thread, time or schema, and not
// whether a response is good: that is told to it.
//
//   session.SetInterest(kClusterTypeUrl, Interest::Everything());
//   session.OnStreamOpened();
//   while (auto request = session.NextRequest()) stream.Write(request->bytes);
//   auto response = session.OnMessage(bytes);      // a fact, not yet a verdict
//   session.Answer(response->id, Verdict::Ack());  // or another verdict, later, or never
//
// An aggregated stream is a session with many types; a stream of one type is the same with Options::only_type; a unary
// call (or a REST poll) is a stream with one request and one response.
//
// What a server got wrong is found where neither time nor schema nor other streams are needed for it, and reported in
// Response::findings; which rules those are is said in checks.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/protocol/features.h"
#include "lib/protocol/interest.h"
#include "lib/protocol/request.h"
#include "lib/protocol/response.h"
#include "lib/protocol/subscription.h"

namespace xdscope::protocol {

struct StreamContext;

class AdsSession {
 public:
  // Of a NACK's text: where Envoy's ends (B.3), for every client.
  static constexpr std::size_t kMostErrorBytes = 4096;

  struct Options {
    Variant variant = Variant::kSotw;
    Wildcard wildcard = Wildcard::kLegacy;
    bool node_in_every_request = true;  // false: in the first of a stream only (B.0-2)
    int nack_code = 13;                 // INTERNAL, as Envoy; gRPC says 3 (B.3)
    std::string node;                   // a serialized Node
    // The one type of a stream of its own method; empty: the stream is aggregated.
    std::string only_type;
    // One answer per request, no nonce owed, and the answer speaks for every name asked (cli.md, E.2).
    bool unary = false;
    // Unary: the next request after a refusal carries it, which nothing in the protocol asks for (XDS-R04).
    bool unary_says_refusal = false;
  };

  explicit AdsSession(Options options);
  AdsSession(AdsSession&&) = default;
  AdsSession& operator=(AdsSession&&) = default;
  AdsSession& operator=(const AdsSession&) = delete;

  // Changes the interest in a type; what has to be said for it comes out of NextRequest().
  void Change(std::string_view type_url, const InterestChange& change);
  // Declares the whole interest in a type, whatever it was. Costs as much as both interests are long.
  void SetInterest(std::string_view type_url, const Interest& interest);

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

  // What NextRequest() would hand out now: where `accepted` is set, once that response had an ACK; where no stream is
  // open, once one was. Costs as much as all that is held.
  std::optional<Request> Preview(std::optional<ResponseId> accepted = std::nullopt) const;

  // Takes a response that arrived at this moment, from which times to live count. DATA_LOSS: the bytes are no discovery
  // response; the session is as it was.
  absl::StatusOr<Response> OnMessage(Bytes bytes, Moment now = {});

  // Gives the verdict on a response, once; what is to be sent for it comes out of NextRequest(). Returns what it
  // changed. NOT_FOUND: no response of this id waits for one (it was answered already, its stream is gone, it never
  // expected an answer, or too many came after it).
  absl::StatusOr<Changes> Answer(ResponseId id, const Verdict& verdict);

  // Another node, from the next request that says it on.
  void SetNode(std::string node);

  // Lets the next request say the interest in a type though a response waits for its verdict.
  void SayInterestNow(std::string_view type_url);

  // Says a name again. NOT_FOUND: it is not asked for, or nothing is known of the type.
  absl::Status Resubscribe(std::string_view type_url, std::string_view name);

  // When the next resource expires that has a time to live; nullopt: none does.
  std::optional<Moment> NextExpiry() const;
  // Drops what has expired by `now`.
  void OnTime(Moment now);
  // What has changed without a verdict, one type after another: names that expired, or that nothing asks for any more
  // since the last request; ask until there is nothing.
  std::optional<Changes> NextChanges();

  // Takes note of a request that was written by hand and sent outside NextRequest(), as the server will read it: names
  // become the interest, a nonce with or without error_detail is the verdict on the response that has it. Returns what
  // the verdict changed; nothing where it was none. DATA_LOSS: the bytes are no discovery request (it still counts as
  // sent).
  absl::StatusOr<Changes> OnRawRequest(std::string bytes);

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
  struct DueAnswer {
    std::size_t subscription = 0;  // its place
    Subscription::Answer answer;
  };

  // For Preview() alone: the copy looks into what waits in the original.
  AdsSession(const AdsSession&) = default;

  Subscription* FindMutable(std::string_view type_url);
  Subscription* FindSpoken(std::string_view said_type_url);
  Subscription& Obtain(std::string_view type_url);
  Request Finish(Subscription* subscription, Request request);
  StreamContext Context() const;
  RequestError ErrorOf(const Verdict& verdict) const;

  Options options_;
  Features features_;  // of the node
  Stream stream_;
  std::uint64_t responses_ = 0;  // of all streams
  std::deque<Subscription> subscriptions_;
  std::deque<DueAnswer> answers_;
};

}  // namespace xdscope::protocol
