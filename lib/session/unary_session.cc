#include "lib/session/unary_session.h"

#include <utility>

namespace xdscope::session {

UnarySession::UnarySession(protocol::AdsSession ads, transport::Channel& channel, std::string method,
                           base::Clock& clock, Judge judge, SessionEvents& events)
    : ads_(std::move(ads)),
      channel_(channel),
      method_(std::move(method)),
      clock_(clock),
      judge_(std::move(judge)),
      events_(events) {}

void UnarySession::Open() {
  if (open_) return;
  open_ = true;
  had_response_ = false;
  asked_.reset();
  Pump();
}

void UnarySession::Pump() {
  if (!open_ || call_) return;
  const protocol::Subscription* wanted = ads_.Find(ads_.options().only_type);
  if (wanted == nullptr || wanted->interest().is_nothing() || wanted->interest() == asked_) return;
  asked_ = wanted->interest();
  Call();
}

// To the protocol each call is a stream.
void UnarySession::Call() {
  ads_.OnStreamOpened();
  std::optional<protocol::Request> request = ads_.NextRequest();
  if (!request) return ads_.OnStreamClosed();
  events_.OnRequest(*request);
  if (!open_) return ads_.OnStreamClosed();  // given up there
  call_.emplace(channel_, method_, std::move(request->bytes),
                [this](absl::StatusOr<transport::Bytes> result) { OnDone(std::move(result)); });
}

void UnarySession::OnDone(absl::StatusOr<transport::Bytes> result) {
  call_.reset();
  if (result.ok()) {
    if (!had_response_) events_.OnConnected();
    Take(*std::move(result));
  } else {
    ads_.OnStreamClosed();
    Close(result.status());
  }
}

void UnarySession::Take(transport::Bytes bytes) {
  absl::StatusOr<protocol::Response> response = ads_.OnMessage(bytes);
  if (!response.ok()) {
    ads_.OnStreamClosed();
    events_.OnUnreadable(response.status(), bytes);
    return Close(response.status());
  }
  had_response_ = true;
  const Verdict verdict = AnswerResponse(ads_, judge_, *response);
  ads_.OnStreamClosed();
  bytes.reset();
  events_.OnResponse(*std::move(response), verdict);
  Pump();
}

void UnarySession::Finish() {
  CloseLater(absl::OkStatus());
}

void UnarySession::Cancel() {
  CloseLater(absl::CancelledError());
}

void UnarySession::CloseLater(const absl::Status& status) {
  if (!open_) return;
  open_ = false;  // nothing more is asked
  if (call_) {
    call_.reset();
    ads_.OnStreamClosed();
  }
  close_timer_ = clock_.After({}, [this, status](base::Time) { Close(status); });
}

void UnarySession::Close(const absl::Status& status) {
  open_ = false;
  events_.OnClosed(status, had_response_);
}

}  // namespace xdscope::session
