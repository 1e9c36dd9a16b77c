#include "lib/protocol/subscription.h"

#include <algorithm>
#include <utility>

#include "lib/base/status.h"

namespace xdscope::protocol {

Subscription::Subscription(std::string type_url, Options options)
    : type_url_(std::move(type_url)),
      type_(&types::RowOf(type_url_)),
      options_(options),
      asking_(options.variant, options.wildcard),
      holding_({.full_state = type_->full_state && options.variant == Variant::kSotw, .answers_all = options.unary}) {}

// ---- What is known.

std::vector<std::string> Subscription::NamesIn(NameState state) const {
  std::vector<std::string> result;
  for (const std::string& name : interest().names()) {
    if (StateOf(name) == state) result.push_back(name);
  }
  return result;
}

bool Subscription::SawNonce(std::string_view nonce) const {
  return stream_.nonce_set.contains(base::ToAbsl(nonce));
}

// A server may make up a new nonce every millisecond for weeks: only the latest are kept to find one that comes again.
void Subscription::NoteNonce(std::string_view nonce) {
  if (nonce.empty() || !stream_.nonce_set.emplace(nonce).second) return;
  stream_.nonces.emplace_back(nonce);
  if (stream_.nonces.size() <= kMostNonces) return;
  stream_.nonce_set.erase(stream_.nonces.front());
  stream_.nonces.pop_front();
}

// ---- Interest.

void Subscription::Change(const InterestChange& change) {
  const Asking::Effect effect = asking_.Change(change);
  if (!effect.changed) return;
  for (const std::string& name : effect.dropped) holding_.ForgetRemarkOn(name);
  renewed_ = true;
  // A call that repeats the version asks for news only, and names that were added are none to many a server; see
  // AcceptVersion().
  if (options_.unary) good_version_.clear();
}

std::optional<Request> Subscription::NextInterest() {
  const bool hurries = std::exchange(hurries_, false);
  const bool waits = !hurries && !options_.unary && !pending_.empty() && pending_.back().id > stream_.answered;
  if (waits || !asking_.HasNews()) return std::nullopt;
  Request request;
  request.kind = asking_.IsFirst() ? Request::Kind::kFirst : Request::Kind::kInterest;
  if (!is_delta()) {
    request.version = good_version_;
    request.nonce = stream_.nonce;
  }
  request.error = refusal_;
  if (refusal_) request.kind = Request::Kind::kNack;
  SayInterest(&request);
  return request;
}

Request Subscription::AnswerRequest(Answer answer) {
  Request request;
  request.kind = answer.error ? Request::Kind::kNack : Request::Kind::kAck;
  request.nonce = std::move(answer.nonce);
  if (!is_delta()) request.version = std::move(answer.version);
  request.error = std::move(answer.error);
  SayInterest(&request);
  return request;
}

// Writes the interest into a request, on resuming with the versions of what is held (B.2-16), and drops what nothing
// asks for from now on.
void Subscription::SayInterest(Request* request) {
  request->type_url = type_url_;
  const bool first = asking_.IsFirst();
  Asking::TakenBack taken = asking_.Say(request);
  taken.everything |= first;  // the interest may have changed between two streams
  renewed_ = false;
  for (const std::string& name : request->unsubscribe) holding_.MarkAmbiguous(name);
  holding_.DropUnasked(taken, asking_, &unsolicited_);
  if (!first || !is_delta()) return;
  for (const std::string_view name : HeldNames()) {
    const HeldResource* held = Held(name);
    if (!held->version.empty()) request->initial_versions.emplace_back(name, held->version);
  }
}

void Subscription::OnForeignRequest(const Request& request) {
  const Asking::TakenBack taken = asking_.OnForeignRequest(request);
  holding_.DropUnasked(taken, asking_, &unsolicited_);
}

std::optional<Changes> Subscription::TakeChanges() {
  if (unsolicited_.empty()) return std::nullopt;
  unsolicited_.type_url = type_url_;
  return std::exchange(unsolicited_, {});
}

// ---- Responses.

void Subscription::OnResponse(Pending pending) {
  stream_.responses++;
  NoteNonce(pending.nonce);
  asking_.OnResponse(pending, type_->full_state);
  pending_.push_back(std::move(pending));
  if (pending_.size() > kMostPending) pending_.pop_front();
}

std::optional<Pending> Subscription::Take(ResponseId id) {
  const auto found =
      std::find_if(pending_.begin(), pending_.end(), [id](const Pending& pending) { return pending.id == id; });
  if (found == pending_.end()) return std::nullopt;
  Pending taken = std::move(*found);
  pending_.erase(found);
  return taken;
}

std::optional<Pending> Subscription::TakeByNonce(std::string_view nonce) {
  if (nonce.empty()) return std::nullopt;
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [nonce](const Pending& pending) { return pending.nonce == nonce; });
  return found == pending_.end() ? std::nullopt : Take(found->id);
}

// ---- Verdicts.

// A call whose names have changed since asks for them as for the first time (B.1-11): the version stays unsaid.
void Subscription::AcceptVersion(std::string_view version) {
  if (!options_.unary || !renewed_) good_version_ = version;
}

// What is answered follows from what was applied: an ACK and a partial NACK with something good in it say the new
// version, any other NACK the one accepted before (B.1-3). The nonce is that of the response in each case, also where a
// later response was answered first: a person may do that, and the server shall see it as it is.
Subscription::Outcome Subscription::Apply(const Pending& pending, const Verdict& verdict, RequestError error) {
  Outcome outcome;
  outcome.changes.type_url = type_url_;
  const bool refused = verdict.kind != Verdict::Kind::kAck;
  switch (verdict.kind) {
    case Verdict::Kind::kAck:
      holding_.Accept(pending, asking_, &outcome.changes);
      AcceptVersion(pending.version);
      break;
    case Verdict::Kind::kNack:
      holding_.Refuse(pending, asking_, &outcome.changes);
      break;
    case Verdict::Kind::kPartly:
      if (holding_.AcceptPartly(pending, verdict.refused, asking_, &outcome.changes)) AcceptVersion(pending.version);
      break;
  }
  stream_.nonce = pending.nonce;
  last_verdict_ = verdict.kind;
  stream_.answered = std::max(stream_.answered, pending.id);
  outcome.answer = {good_version_, stream_.nonce, std::nullopt};
  refusal_.reset();
  if (refused && options_.says_refusal) refusal_ = error;
  if (refused) outcome.answer.error = std::move(error);
  return outcome;
}

// ---- The stream.

void Subscription::OnSent(std::uint64_t number) {
  if (stream_.first_request == 0) stream_.first_request = number;
  if (!asking_.AskedForNothing()) stream_.nothing_since = 0;
  if (asking_.AskedForNothing() && stream_.nothing_since == 0) stream_.nothing_since = number;
}

void Subscription::OnStreamOpened() {
  holding_.OnStreamOpened();
}

// A unary call is over with its answer, whose verdict may come at any time; on a stream nobody could be told of it.
void Subscription::OnStreamClosed() {
  stream_ = {};
  asking_.OnStreamClosed();
  if (options_.unary) return;
  pending_.clear();
  last_verdict_.reset();
}

void Subscription::Forget() {
  good_version_.clear();
  refusal_.reset();
  holding_.Forget();
}

}  // namespace xdscope::protocol
