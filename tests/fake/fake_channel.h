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
  void Connect() {
    EXPECT_FALSE(std::exchange(connected, true)) << "connected twice";
    Events().OnConnected();
  }
  // The server's headers, which come with its first message or its end.
  void Open(const transport::Metadata& initial) { Events().OnOpened(initial); }
  // Demands that a message was asked for.
  void Deliver(std::string message) {
    ExpectAlive();
    EXPECT_TRUE(std::exchange(reading, false)) << "nobody reads";
    Events().OnMessage(std::make_shared<const std::string>(std::move(message)));
  }
  // The write that is under way is done.
  void Written() {
    ExpectAlive();
    EXPECT_TRUE(std::exchange(writing, false)) << "nothing was written";
    Events().OnWritten();
  }
  // Ends as both sides wanted it: OK, or CANCELLED where this one has cancelled.
  void Close() { Close(cancelled ? absl::CancelledError() : absl::OkStatus()); }
  // Demands that somebody waits for the end, or has cancelled.
  void Close(const absl::Status& status, const transport::Metadata& trailing = {}) {
    EXPECT_TRUE(reading || cancelled) << "nobody would hear of the end";
    EXPECT_TRUE(connected || !status.ok()) << "there was no connection";
    transport::StreamEvents& events = Events();
    events_ = nullptr;
    events.OnClosed(status, trailing);
  }
  bool ended() const { return events_ == nullptr; }

  // ---- What was asked for.
  const std::string method;
  std::vector<std::string> written;
  bool connected = false;
  bool writing = false;
  bool reading = false;
  bool writes_done = false;
  bool cancelled = false;
  bool dropped = false;  // its owner has destroyed it

 private:
  friend class FakeChannel;

  void ExpectAlive() const {
    EXPECT_TRUE(connected) << "there is no connection yet";
    EXPECT_FALSE(cancelled) << "it was cancelled: only its end may follow";
  }
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
