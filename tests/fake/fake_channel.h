// A channel whose streams go nowhere: a test sees what was asked of them and says what happens. Streams hold both sides
// to the contract of lib/transport/stream.h.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/transport/stream.h"

namespace xdscope::fake {

// The peer's end of one stream; lives as long as its channel.
class FakeStream {
 public:
  FakeStream(std::string method_name, transport::StreamEvents& events)
      : method(std::move(method_name)), events_(&events) {}

  // ---- What happens.
  void Connect() { Events().OnConnected(); }
  // Demands that a message was asked for.
  void Deliver(std::string message) {
    EXPECT_TRUE(std::exchange(reading, false)) << "nobody reads";
    Events().OnMessage(std::make_shared<const std::string>(std::move(message)));
  }
  // The write that is under way is done.
  void Written() {
    EXPECT_TRUE(std::exchange(writing, false)) << "nothing was written";
    Events().OnWritten();
  }
  // Demands that somebody waits for the end, or has cancelled.
  void Close(const absl::Status& status = absl::OkStatus()) {
    EXPECT_TRUE(reading || cancelled) << "nobody would hear of the end";
    std::exchange(events_, nullptr)->OnClosed(status, {});
  }

  // ---- What was asked for.
  const std::string method;
  std::vector<std::string> written;
  bool writing = false;
  bool reading = false;
  bool writes_done = false;
  bool cancelled = false;
  bool dropped = false;  // its owner has destroyed it

 private:
  friend class FakeChannel;

  transport::StreamEvents& Events() {
    EXPECT_NE(events_, nullptr) << "the stream has ended";
    EXPECT_FALSE(dropped) << "the stream is gone";
    return *events_;
  }

  transport::StreamEvents* events_;
};

class FakeChannel final : public transport::Channel {
 public:
  std::unique_ptr<transport::Stream> OpenStream(const std::string& method, transport::StreamEvents& events) override {
    return std::make_unique<Handle>(streams_.emplace_back(method, events));
  }

  // All that were ever opened, oldest first.
  std::deque<FakeStream>& streams() { return streams_; }
  FakeStream& last() { return streams_.back(); }

 private:
  class Handle final : public transport::Stream {
   public:
    explicit Handle(FakeStream& stream) : stream_(stream) {}
    ~Handle() override { stream_.dropped = true; }

    void Write(std::string bytes) override {
      if (stream_.cancelled) return;
      EXPECT_FALSE(std::exchange(stream_.writing, true)) << "two writes at once";
      EXPECT_FALSE(stream_.writes_done) << "a write after the last";
      stream_.written.push_back(std::move(bytes));
    }
    void ReadNext() override {
      if (stream_.cancelled) return;
      EXPECT_FALSE(std::exchange(stream_.reading, true)) << "two reads at once";
    }
    void WritesDone() override { stream_.writes_done = true; }
    void Cancel() override { stream_.cancelled = true; }

   private:
    FakeStream& stream_;
  };

  std::deque<FakeStream> streams_;
};

}  // namespace xdscope::fake
