// The state of one type on a client's side: what is asked for (asking.h), what is held (holding.h), which responses
// wait for their verdict, and what was exchanged on this stream. SotW and delta. Driven by AdsSession; knows nothing of
// other types, of sockets or of clocks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "lib/protocol/asking.h"
#include "lib/protocol/changes.h"
#include "lib/protocol/holding.h"
#include "lib/protocol/interest.h"
#include "lib/protocol/pending.h"
#include "lib/protocol/request.h"
#include "lib/protocol/response.h"
#include "lib/protocol/verdict.h"
#include "lib/types/known_types.h"

namespace xdscope::protocol {

class Subscription {
 public:
  // Responses that may wait for a verdict at once. Of a server that sends on and on to somebody who never answers, the
  // oldest are forgotten.
  static constexpr std::size_t kMostPending = 16;
  // Nonces of a stream that are remembered, the latest.
  static constexpr std::size_t kMostNonces = 1024;

  struct Options {
    Variant variant = Variant::kSotw;
    Wildcard wildcard = Wildcard::kLegacy;
    bool unary = false;
    bool says_refusal = false;  // unary: the next request carries the last verdict if that was a refusal
  };

  Subscription(std::string type_url, Options options);

  const std::string& type_url() const { return type_url_; }
  const types::KnownType& type() const { return *type_; }
  const Interest& interest() const { return asking_.interest(); }
  bool is_delta() const { return options_.variant == Variant::kDelta; }

  // ---- What is known of names. Names are compared in normal form.

  NameState StateOf(std::string_view name) const { return holding_.StateOf(name, asking_); }
  // The names asked for one by one that are in this state, sorted.
  std::vector<std::string> NamesIn(NameState state) const;
  std::string_view WordsAbout(std::string_view name) const { return holding_.WordsAbout(name); }
  const HeldResource* Held(std::string_view name) const { return holding_.Find(name); }
  std::size_t held_count() const { return holding_.size(); }
  std::vector<std::string_view> HeldNames() const { return holding_.Names(); }
  std::string_view Canonical(std::string_view name) const { return holding_.Canonical(name); }

  // ---- What was exchanged on this stream.

  std::uint64_t requests() const { return asking_.requests(); }
  std::uint64_t responses() const { return stream_.responses; }
  // Of the last response that was answered; empty: none was, on this stream.
  std::string_view nonce() const { return stream_.nonce; }
  // Of the response that came last; empty: none came, or it had none.
  std::string_view newest_nonce() const {
    return stream_.nonces.empty() ? std::string_view() : std::string_view(stream_.nonces.back());
  }
  // Of the response accepted last, on this stream or an earlier one; SotW says it in requests.
  std::string_view version() const { return good_version_; }
  // The last answer of this stream, in unary calls of all of them; nullopt: there was none.
  std::optional<Verdict::Kind> last_verdict() const { return last_verdict_; }

  WasAsked AskedFor(std::string_view name) const { return asking_.AskedFor(name); }
  bool AskedForEverything() const { return asking_.AskedForEverything(); }
  bool ServerKnows(std::string_view name) const { return asking_.ServerKnows(name); }
  bool AskedForNothing() const { return asking_.AskedForNothing(); }
  // With which request of the stream the server was told that nothing more is wanted; 0: it was not.
  std::uint64_t nothing_since() const { return stream_.nothing_since; }
  // Which request of the stream was the first of this type; 0: none was.
  std::uint64_t first_request() const { return stream_.first_request; }
  // Whether one of the latest kMostNonces responses had this nonce.
  bool SawNonce(std::string_view nonce) const;
  const std::deque<Pending>& pending() const { return pending_; }

  // ---- For AdsSession.

  void Change(const InterestChange& change);
  absl::Status Resubscribe(std::string_view name) { return asking_.AskAgain(name); }
  std::optional<Moment> NextExpiry() const { return holding_.NextExpiry(); }
  void OnTime(Moment now) { holding_.OnTime(now, &unsolicited_); }
  // Takes note of a request that somebody else wrote and sent, as the server will read it.
  void OnForeignRequest(const Request& request);

  // The request that was made last is request `number` of the stream, from 1, all types counted.
  void OnSent(std::uint64_t number);
  void OnStreamOpened();
  void OnStreamClosed();
  void Forget();

  // The next request that says what is wanted, if something new is to be said and the latest response has its verdict
  // (B.0-7). One that never gets one holds nothing up once a later one has.
  std::optional<Request> NextInterest();
  // Lets the next request say it though a response waits.
  void SayInterestNow() { hurries_ = true; }
  // An answer that was decided and is not yet sent.
  struct Answer {
    std::string version;
    std::string nonce;
    std::optional<RequestError> error;
  };
  // The request that carries an answer, with everything there is to say about interest.
  Request AnswerRequest(Answer answer);
  // What changed of what is held without a verdict: dropped because nothing asks for it any more, or expired. nullopt:
  // nothing has since it was last taken.
  std::optional<Changes> TakeChanges();

  void OnResponse(Pending pending);
  // Takes a waiting response out. nullopt: none with this id (nonce) waits.
  std::optional<Pending> Take(ResponseId id);
  std::optional<Pending> TakeByNonce(std::string_view nonce);
  struct Outcome {
    Answer answer;  // to be sent
    Changes changes;
  };
  // The verdict on a response that was taken out; `error` is what a refusal says.
  Outcome Apply(const Pending& pending, const Verdict& verdict, RequestError error);

 private:
  // What was exchanged on one stream; a new stream starts with a new one.
  struct Stream {
    std::uint64_t first_request = 0;
    std::uint64_t nothing_since = 0;
    std::uint64_t responses = 0;
    std::string nonce;
    ResponseId answered{};           // the latest response that was answered
    std::deque<std::string> nonces;  // in the order in which they came
    absl::flat_hash_set<std::string> nonce_set;
  };

  void SayInterest(Request* request);
  void NoteNonce(std::string_view nonce);
  void AcceptVersion(std::string_view version);

  std::string type_url_;
  const types::KnownType* type_;
  Options options_;
  Asking asking_;
  Holding holding_;
  Stream stream_;
  std::deque<Pending> pending_;
  Changes unsolicited_;
  std::string good_version_;
  std::optional<Verdict::Kind> last_verdict_;
  std::optional<RequestError> refusal_;  // what the next request says of the last response
  bool hurries_ = false;
  bool renewed_ = false;  // unary: the interest has changed since it was said last
};

}  // namespace xdscope::protocol
