#include "lib/source/rest_channel.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/format/printable.h"
#include "lib/source/rest_body.h"
#include "lib/transport/http_status.h"

namespace xdscope::source {
namespace {

constexpr int kOk = 200;
constexpr int kNotModified = 304;

constexpr std::uint32_t kRequestVersionField = 1;  // of both versions [A.7]

// Says where a redirect leads, of all else how the body begins.
absl::Status FailureOf(const transport::HttpAnswer& answer) {
  for (const auto& [name, value] : answer.headers) {
    if (name != "location" || answer.status / 100 != 3) continue;
    return transport::HttpError(answer.status, fmt::format(" to {}", format::Printable(value)));
  }
  return transport::HttpError(answer.status, answer.body->empty() ? "" : fmt::format(": {}", HeadOf(*answer.body)));
}

}  // namespace

// One request and its answer. Nothing is told inside a call of its owner.
class RestChannel::Exchange final : public transport::Stream {
 public:
  Exchange(RestChannel& channel, std::string path, transport::StreamEvents& events)
      : channel_(channel), path_(std::move(path)), events_(events) {}

  void Write(std::string bytes) override { request_ = std::move(bytes); }

  void WritesDone() override {
    if (cancelled_) return;
    says_version_ = !base::FindBytes(request_, kRequestVersionField).value_or(std::string_view()).empty();
    absl::StatusOr<std::string> json = WriteRestRequest(request_, channel_.settings_.api, channel_.types_);
    if (!json.ok()) return EndLater(json.status());
    exchange_ = channel_.client_->Post(
        path_, *std::move(json),
        {.connected = [this] { OnConnected(); },
         .done = [this](absl::StatusOr<transport::HttpAnswer> answer) { OnDone(std::move(answer)); }});
  }

  void ReadNext() override {
    reads_ = true;
    if (ended_) later_ = channel_.clock_.After({}, [this](base::Time) { Tell(); });
  }

  void Cancel() override {
    if (std::exchange(cancelled_, true)) return;
    exchange_.reset();
    message_.reset();
    if (!ended_) ended_ = absl::CancelledError();
    reads_ = true;
    later_ = channel_.clock_.After({}, [this](base::Time) { Tell(); });
  }

 private:
  void OnConnected() {
    const std::weak_ptr<bool> alive = alive_;
    events_.OnConnected();
    if (!alive.expired()) events_.OnWritten();
  }

  void OnDone(absl::StatusOr<transport::HttpAnswer> answer) {
    ended_ = answer.ok() ? Take(*answer) : answer.status();
    answer = absl::CancelledError();  // the body goes before what it became is told
    if (reads_) Tell();
  }

  void EndLater(const absl::Status& status) {
    ended_ = status;
    later_ = channel_.clock_.After({}, [this](base::Time) {
      if (reads_) Tell();
    });
  }

  // Makes the message of an answer that has one, and returns how the stream ends.
  absl::Status Take(const transport::HttpAnswer& answer) {
    channel_.settings_.answered(path_, answer);
    if (answer.status == kNotModified) {
      return says_version_
                 ? absl::OkStatus()
                 : base::Error(absl::StatusCode::kInternal, fmt::format("{}, though the request said no version",
                                                                        transport::HttpWords(kNotModified)));
    }
    if (answer.status != kOk) return FailureOf(answer);
    absl::StatusOr<std::string> bytes =
        ReadRestBody(channel_.settings_.url + path_, *answer.body, channel_.types_, channel_.settings_.remark);
    if (!bytes.ok()) return bytes.status();
    message_ = std::make_shared<const std::string>(*std::move(bytes));
    return absl::OkStatus();
  }

  // Tells the message, and once somebody reads on, the end.
  void Tell() {
    reads_ = false;
    if (message_ != nullptr) return events_.OnMessage(std::exchange(message_, nullptr));
    const absl::Status status = *ended_;
    events_.OnClosed(status, {});
  }

  RestChannel& channel_;
  const std::string path_;
  transport::StreamEvents& events_;
  std::string request_;
  std::unique_ptr<transport::HttpExchange> exchange_;
  transport::Bytes message_;           // to be told
  std::optional<absl::Status> ended_;  // to be told after it
  bool says_version_ = false;
  bool reads_ = false;
  bool cancelled_ = false;
  base::Timer later_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

RestChannel::RestChannel(base::Clock& clock, std::unique_ptr<transport::HttpClient> client, wire::Types& types,
                         Settings settings)
    : clock_(clock), client_(std::move(client)), types_(types), settings_(std::move(settings)) {}

std::unique_ptr<transport::Stream> RestChannel::OpenStream(const std::string& method, transport::StreamEvents& events) {
  return std::make_unique<Exchange>(*this, method, events);
}

}  // namespace xdscope::source
