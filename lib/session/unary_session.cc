#include "lib/session/unary_session.h"

#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "absl/hash/hash.h"
#include "lib/base/status.h"
#include "lib/finding/rules.h"

namespace xdscope::session {

UnarySession::UnarySession(protocol::AdsSession ads, transport::Channel& channel, std::string method,
                           base::Clock& clock, Options options, Listener listener)
    : ads_(std::move(ads)),
      channel_(channel),
      method_(std::move(method)),
      clock_(clock),
      options_(std::move(options)),
      listener_(std::move(listener)),
      expiry_(clock_, ads_, listener_) {}

void UnarySession::Open() {
  if (open_) return;
  open_ = true;
  connected_ = false;
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

void UnarySession::SetPolling(std::optional<Polling> polling) {
  options_.polling = std::move(polling);
  Rest();
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
  poll_timer_.Cancel();
  ads_.OnStreamClosed();
  ads_.OnStreamOpened();
  std::optional<protocol::Request> request = NextRequest();
  if (!request) return;
  std::string bytes = request->bytes;
  said_version_ = request->version;
  said_names_ = absl::HashOf(request->names);
  listener_(Asked{ads_.options().only_type, *std::move(request)});
  expiry_.Update();
  if (!open_) return;  // given up there
  call_.emplace(
      channel_, method_, std::move(bytes), [this] { OnConnected(); },
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

void UnarySession::OnConnected() {
  if (!std::exchange(connected_, true)) listener_(Connected{ads_.options().only_type});
}

void UnarySession::OnDone(absl::StatusOr<transport::Bytes> result) {
  call_.reset();
  if (result.ok() && *result == nullptr && !options_.empty_is_unchanged) {
    result = base::Error(absl::StatusCode::kInternal, "the call ended without an answer");
  }
  if (!result.ok()) return Close(result.status());
  const absl::Status status = Take(*std::move(result));
  if (!status.ok()) return Close(status);
  Pump();
  Rest();
}

// Tells what came. A failure says why it is no response.
absl::Status UnarySession::Take(transport::Bytes bytes) {
  const std::string& stream = ads_.options().only_type;
  Event event = Unchanged{stream};
  if (bytes != nullptr) {
    absl::StatusOr<protocol::Response> response = ads_.OnMessage(bytes, MomentOf(clock_.Now()));
    if (!response.ok()) {
      listener_(Unreadable{stream, response.status(), std::move(bytes)});
      return response.status();
    }
    bytes.reset();  // the response holds them
    if (options_.empty_is_unchanged) CheckIsNew(&*response);
    event = *std::move(response);
  }
  had_response_ = true;
  telling_ = true;
  listener_(std::move(event));
  telling_ = false;
  return absl::OkStatus();
}

// A server that repeats itself makes every client read it all again, with every poll (XDS-R09).
void UnarySession::CheckIsNew(protocol::Response* response) {
  std::uint64_t heard = absl::HashOf(said_names_, response->resources.size());
  for (const protocol::Resource& resource : response->resources) heard = absl::HashOf(heard, resource.entry);
  const bool is_new = std::exchange(heard_, heard) != heard || said_version_ != response->version;
  if (is_new || said_version_.empty()) return;
  constexpr std::string_view kRule = "XDS-R09";
  response->findings.push_back({.rule = kRule,
                                .severity = finding::SeverityOf(kRule),
                                .type_url = response->type_url,
                                .message = fmt::format("the request said version '{}' and is answered with 200 and "
                                                       "what came before: a 304 would do",
                                                       said_version_)});
}

// Waits for the next poll, counted from now on, if no call is under way.
void UnarySession::Rest() {
  poll_timer_.Cancel();
  if (!open_ || call_ || !had_response_ || !options_.polling) return;
  const auto extra = std::chrono::duration<double>(options_.polling->every) * options_.polling->chance();
  poll_timer_ = clock_.After(options_.polling->every + std::chrono::duration_cast<base::Duration>(extra),
                             [this](base::Time) { AskAgain(); });
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
  poll_timer_.Cancel();
  close_timer_ = clock_.After({}, [this, status](base::Time) { Close(status); });
}

void UnarySession::Close(const absl::Status& status) {
  open_ = false;
  poll_timer_.Cancel();
  const Listener listener = listener_;  // telling may destroy this
  listener(Closed{ads_.options().only_type, status, had_response_, std::nullopt, true});
}

}  // namespace xdscope::session
