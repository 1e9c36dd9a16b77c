#include "lib/session/reopening_session.h"

#include <utility>

namespace xdscope::session {

// A server that does not know the method, or does not let us in, says the same the next time: a person should know.
bool ReopeningSession::ReopensAfter(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kInvalidArgument:
      return false;
    default:
      return true;
  }
}

ReopeningSession::ReopeningSession(const Make& make, base::Clock& clock, Options options, Listener listener)
    : clock_(clock),
      options_(std::move(options)),
      listener_(std::move(listener)),
      back_off_(options_.back_off),
      session_(make([this](Event event) { On(std::move(event)); })) {}

void ReopeningSession::On(Event event) {
  if (auto* closed = std::get_if<Closed>(&event)) return OnClosed(std::move(*closed));
  const bool answered = std::holds_alternative<protocol::Response>(event) || std::holds_alternative<Unchanged>(event);
  if (answered) back_off_.Reset();
  listener_(std::move(event));
}

// Reckons the wait before it tells of the end, so that whoever listens can say when it goes on. The listener may
// destroy this session when told, but then the timer dies with it.
void ReopeningSession::OnClosed(Closed closed) {
  const Listener listener = listener_;  // telling may destroy this
  if (!ending_ && options_.reopens(closed.status)) {
    closed.reopens_in = back_off_.Next(options_.chance(), clock_.Now());
    waiting_ = true;
    timer_ = clock_.After(*closed.reopens_in, [this](base::Time) {
      waiting_ = false;
      session_->Open();
    });
  }
  listener(std::move(closed));
}

// Ends the wait for opening again; the end is told later, never inside the call. False: it does not wait.
bool ReopeningSession::StopWaiting(const absl::Status& status) {
  if (!std::exchange(waiting_, false)) return false;
  timer_ = clock_.After({}, [this, status](base::Time) {
    const Listener listener = listener_;
    listener(Closed{ads().options().only_type, status, false});
  });
  return true;
}

void ReopeningSession::Finish() {
  ending_ = true;
  if (!StopWaiting(absl::OkStatus())) session_->Finish();
}

void ReopeningSession::Cancel() {
  ending_ = true;
  if (!StopWaiting(absl::CancelledError())) session_->Cancel();
}

}  // namespace xdscope::session
