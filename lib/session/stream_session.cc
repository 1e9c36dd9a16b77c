#include "lib/session/stream_session.h"

#include <utility>

namespace xdscope::session {

StreamSession::StreamSession(protocol::AdsSession ads, transport::Channel& channel, std::string method,
                             base::Clock& clock, Listener listener)
    : ads_(std::move(ads)),
      channel_(channel),
      method_(std::move(method)),
      clock_(clock),
      listener_(std::move(listener)),
      expiry_(clock_, ads_, listener_) {}

void StreamSession::Open() {
  if (stream_ != nullptr) return;
  connected_ = telling_ = writing_ = finishing_ = half_closed_ = had_response_ = false;
  by_hand_.clear();
  end_.reset();
  stream_ = channel_.OpenStream(method_, *this);
  stream_->ReadNext();
}

void StreamSession::OnConnected() {
  connected_ = true;
  ads_.OnStreamOpened();
  listener_(Connected{ads_.options().only_type});
  Pump();
}

void StreamSession::Want(std::string_view type_url, const protocol::InterestChange& change) {
  ads_.Change(type_url, change);
  Pump();
}

absl::StatusOr<protocol::Changes> StreamSession::Answer(protocol::ResponseId id, const protocol::Verdict& verdict) {
  absl::StatusOr<protocol::Changes> changes = ads_.Answer(id, verdict);
  Pump();
  expiry_.Update();
  return changes;
}

void StreamSession::Adjust(const std::function<void(protocol::AdsSession& ads)>& change) {
  change(ads_);
  Pump();
  expiry_.Update();
}

absl::Status StreamSession::Send(std::string request) {
  if (stream_ == nullptr || end_) return absl::FailedPreconditionError("the stream is not open");
  by_hand_.push_back(std::move(request));
  Pump();
  return absl::OkStatus();
}

// What was written by hand goes after what is due, so that an answer given before it leaves before it.
std::optional<protocol::Request> StreamSession::NextRequest() {
  std::optional<protocol::Request> request = ads_.NextRequest();
  if (request || by_hand_.empty()) return request;
  std::string bytes = std::move(by_hand_.front());
  by_hand_.pop_front();
  request.emplace();
  const absl::StatusOr<protocol::Request> read = protocol::DecodeRequest(ads_.options().variant, bytes);
  if (read.ok()) *request = *read;
  const absl::StatusOr<protocol::Changes> changes = ads_.OnRawRequest(bytes);
  if (changes.ok() && !changes->empty()) listener_(Changed{*changes});
  request->bytes = std::move(bytes);
  return request;
}

// One request at a time: what changes while one is on its way is said by the next in one piece.
void StreamSession::Pump() {
  if (!connected_ || telling_ || writing_ || half_closed_ || end_) return;
  std::optional<protocol::Request> request = NextRequest();
  if (request) {
    writing_ = true;
    std::string bytes = request->bytes;
    listener_(Asked{ads_.options().only_type, *std::move(request)});
    stream_->Write(std::move(bytes));
    expiry_.Update();
  } else if (finishing_) {
    half_closed_ = true;
    FinishWithin(kFinishLimit);
    stream_->WritesDone();
  }
}

void StreamSession::OnWritten() {
  writing_ = false;
  Pump();
}

// The next message is asked for when this one has been dealt with: a server that floods is held back by its own
// transport and fills no memory of ours.
void StreamSession::OnMessage(transport::Bytes bytes) {
  if (!finishing_ && !end_) Take(std::move(bytes));
  if (end_) return;
  Pump();
  stream_->ReadNext();
}

// While a response is told nothing is sent: the listener may answer it, want other types because of it and want more of
// its own, and all of that shall leave in the protocol's order, the answer first and with the new interest in it.
void StreamSession::Take(transport::Bytes bytes) {
  absl::StatusOr<protocol::Response> response = ads_.OnMessage(bytes, MomentOf(clock_.Now()));
  if (!response.ok()) {
    listener_(Unreadable{ads_.options().only_type, response.status(), std::move(bytes)});
    return End(response.status());
  }
  had_response_ = true;
  bytes.reset();  // the response holds them
  telling_ = true;
  listener_(*std::move(response));
  telling_ = false;
}

// Half-closes once all that is owed was written, so that a server reads the last ACK before it sees the end. A stream
// that has no connection yet owes nothing.
void StreamSession::Finish() {
  if (stream_ == nullptr || finishing_ || end_) return;
  finishing_ = true;
  if (!connected_) return End(absl::OkStatus());
  FinishWithin(kWriteLimit);
  Pump();
}

void StreamSession::FinishWithin(base::Duration limit) {
  finish_timer_ = clock_.After(limit, [this](base::Time) { End(absl::OkStatus()); });
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
  const Listener listener = listener_;  // telling may destroy this
  listener(Closed{ads_.options().only_type, end_.value_or(status), had_response_});
}

}  // namespace xdscope::session
