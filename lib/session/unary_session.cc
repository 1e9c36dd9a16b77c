#include "lib/session/unary_session.h"

#include <utility>

namespace xdscope::session {

UnarySession::UnarySession(protocol::AdsSession ads, transport::Channel& channel, std::string method,
                           base::Clock& clock, Listener listener)
    : ads_(std::move(ads)),
      channel_(channel),
      method_(std::move(method)),
      clock_(clock),
      listener_(std::move(listener)),
      expiry_(clock_, ads_, listener_) {}

void UnarySession::Open() {
  if (open_) return;
  open_ = true;
  had_response_ = false;
  by_hand_.clear();
  asked_.reset();
  Pump();
}

void UnarySession::Want(std::string_view type_url, const protocol::InterestChange& change) {
  ads_.Change(type_url, change);
  Pump();
}

absl::StatusOr<protocol::Changes> UnarySession::Answer(protocol::ResponseId id, const protocol::Verdict& verdict) {
  absl::StatusOr<protocol::Changes> changes = ads_.Answer(id, verdict);
  expiry_.Update();
  return changes;
}

void UnarySession::AskAgain() {
  asked_.reset();
  Pump();
}

void UnarySession::Adjust(const std::function<void(protocol::AdsSession& ads)>& change) {
  change(ads_);
  AskAgain();
  expiry_.Update();
}

absl::Status UnarySession::Send(std::string request) {
  if (!open_) return absl::FailedPreconditionError("no calls are made any more");
  by_hand_.push_back(std::move(request));
  Pump();
  return absl::OkStatus();
}

// A call asks for the whole interest, so one call after the one under way says everything that changed meanwhile.
void UnarySession::Pump() {
  if (!open_ || telling_ || call_) return;
  if (!by_hand_.empty()) return Call();
  const protocol::Subscription* wanted = ads_.Find(ads_.options().only_type);
  if (wanted == nullptr || wanted->interest().is_nothing() || wanted->interest() == asked_) return;
  asked_ = wanted->interest();
  Call();
}

// To the protocol each call is a stream, which lasts until the next one: a verdict on its response may still come.
void UnarySession::Call() {
  ads_.OnStreamClosed();
  ads_.OnStreamOpened();
  std::optional<protocol::Request> request = NextRequest();
  if (!request) return;
  std::string bytes = request->bytes;
  listener_(Asked{ads_.options().only_type, *std::move(request)});
  expiry_.Update();
  if (!open_) return;  // given up there
  call_.emplace(channel_, method_, std::move(bytes),
                [this](absl::StatusOr<transport::Bytes> result) { OnDone(std::move(result)); });
}

std::optional<protocol::Request> UnarySession::NextRequest() {
  if (by_hand_.empty()) return ads_.NextRequest();
  std::string bytes = std::move(by_hand_.front());
  by_hand_.pop_front();
  absl::StatusOr<protocol::Request> read = protocol::DecodeRequest(ads_.options().variant, bytes);
  protocol::Request request = read.ok() ? *std::move(read) : protocol::Request();
  ads_.OnRawRequest(bytes).IgnoreError();  // what it changes is said by the answer to the call
  request.bytes = std::move(bytes);
  return request;
}

void UnarySession::OnDone(absl::StatusOr<transport::Bytes> result) {
  call_.reset();
  if (!result.ok()) return Close(result.status());
  if (!had_response_) listener_(Connected{ads_.options().only_type});
  Take(*std::move(result));
}

void UnarySession::Take(transport::Bytes bytes) {
  absl::StatusOr<protocol::Response> response = ads_.OnMessage(bytes, MomentOf(clock_.Now()));
  if (!response.ok()) {
    listener_(Unreadable{ads_.options().only_type, response.status(), std::move(bytes)});
    return Close(response.status());
  }
  had_response_ = true;
  bytes.reset();  // the response holds them
  telling_ = true;
  listener_(*std::move(response));
  telling_ = false;
  Pump();
}

void UnarySession::Finish() {
  CloseLater(absl::OkStatus());
}

void UnarySession::Cancel() {
  CloseLater(absl::CancelledError());
}

// Tells the end by the clock, because whoever calls Finish() or Cancel() may be in the middle of something.
void UnarySession::CloseLater(const absl::Status& status) {
  if (!open_) return;
  open_ = false;  // nothing more is asked
  call_.reset();
  close_timer_ = clock_.After({}, [this, status](base::Time) { Close(status); });
}

void UnarySession::Close(const absl::Status& status) {
  open_ = false;
  const Listener listener = listener_;  // telling may destroy this
  listener(Closed{ads_.options().only_type, status, had_response_});
}

}  // namespace xdscope::session
