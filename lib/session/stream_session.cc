#include "lib/session/stream_session.h"

#include <utility>

namespace xdscope::session {

StreamSession::StreamSession(protocol::AdsSession ads, transport::Channel& channel, std::string method,
                             base::Clock& clock, Judge judge, SessionEvents& events)
    : ads_(std::move(ads)),
      channel_(channel),
      method_(std::move(method)),
      clock_(clock),
      judge_(std::move(judge)),
      events_(events) {}

void StreamSession::Open() {
  if (stream_ != nullptr) return;
  connected_ = writing_ = finishing_ = half_closed_ = had_response_ = false;
  end_.reset();
  stream_ = channel_.OpenStream(method_, *this);
  stream_->ReadNext();
}

void StreamSession::OnConnected() {
  connected_ = true;
  ads_.OnStreamOpened();
  events_.OnConnected();
  Pump();
}

// One request at a time: what changes while one is on its way is said by the next in one piece.
void StreamSession::Pump() {
  if (!connected_ || writing_ || half_closed_ || end_) return;
  std::optional<protocol::Request> request = ads_.NextRequest();
  if (request) {
    writing_ = true;
    events_.OnRequest(*request);
    stream_->Write(std::move(request->bytes));
  } else if (finishing_) {
    half_closed_ = true;
    stream_->WritesDone();
  }
}

void StreamSession::OnWritten() {
  writing_ = false;
  Pump();
}

void StreamSession::OnMessage(transport::Bytes bytes) {
  if (!finishing_ && !end_) Take(std::move(bytes));
  if (end_) return;
  Pump();
  stream_->ReadNext();
}

void StreamSession::Take(transport::Bytes bytes) {
  absl::StatusOr<protocol::Response> response = ads_.OnMessage(bytes);
  if (!response.ok()) {
    events_.OnUnreadable(response.status(), bytes);
    return End(response.status());
  }
  had_response_ = true;
  const Verdict verdict = AnswerResponse(ads_, judge_, *response);
  bytes.reset();  // the response holds them
  events_.OnResponse(*std::move(response), verdict);
}

void StreamSession::Finish() {
  if (stream_ == nullptr || finishing_ || end_) return;
  finishing_ = true;
  if (!connected_) return End(absl::OkStatus());
  finish_timer_ = clock_.After(kFinishLimit, [this](base::Time) { End(absl::OkStatus()); });
  Pump();
}

void StreamSession::Cancel() {
  if (stream_ != nullptr && !end_) End(absl::CancelledError());
}

void StreamSession::End(const absl::Status& as) {
  end_ = as;
  stream_->Cancel();
}

void StreamSession::OnClosed(const absl::Status& status, const transport::Metadata& /*trailing*/) {
  finish_timer_.Cancel();
  stream_.reset();
  if (std::exchange(connected_, false)) ads_.OnStreamClosed();
  const absl::Status why = end_.value_or(status);
  events_.OnClosed(why, had_response_);
}

}  // namespace xdscope::session
