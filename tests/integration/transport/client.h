// The client's side of these tests: a stream that writes down what happens to it and lets the loop go when it is over.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/loop.h"
#include "lib/transport/grpc_channel.h"

namespace xdscope::integration {

// Sends `requests` one after another, reads everything, stops the loop at the end of the stream.
class Client final : public transport::StreamEvents {
 public:
  Client(base::Loop& loop, transport::Channel& channel, const std::string& method,
         std::vector<std::string> requests = {})
      : loop_(loop), requests_(std::move(requests)), stream_(channel.OpenStream(method, *this)) {
    WriteNext();
    stream_->ReadNext();
  }

  void OnConnected() override { connected = true; }
  void OnMessage(transport::Bytes bytes) override {
    messages.push_back(std::move(bytes));
    if (cancel_after_message) stream_->Cancel();
    stream_->ReadNext();
  }
  void OnWritten() override {
    ++written;
    WriteNext();
  }
  void OnClosed(const absl::Status& status, const transport::Metadata& /*trailing*/) override {
    closed = status;
    if (--open == 0) loop_.Stop();
  }

  // Runs the loop until the stream has ended (or the test's own limit of ten seconds).
  absl::Status Run() {
    const auto limit = loop_.After(std::chrono::seconds(10), [this](base::Time) { loop_.Stop(); });
    loop_.Run();
    return closed.value_or(absl::DeadlineExceededError("the test's own limit"));
  }

  transport::Stream& stream() { return *stream_; }
  void Drop() { stream_.reset(); }

  bool connected = false;
  bool half_close = true;
  bool cancel_after_message = false;
  int written = 0;
  int open = 1;
  std::vector<transport::Bytes> messages;
  std::optional<absl::Status> closed;

 private:
  void WriteNext() {
    if (next_ < requests_.size()) {
      stream_->Write(requests_[next_++]);
    } else if (half_close) {
      stream_->WritesDone();
    }
  }

  base::Loop& loop_;
  std::vector<std::string> requests_;
  std::size_t next_ = 0;
  std::unique_ptr<transport::Stream> stream_;
};

}  // namespace xdscope::integration
