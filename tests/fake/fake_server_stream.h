// Streams of clients that are not there: a test sees what was sent and says what happens. They hold both sides to the
// contract of lib/transport/server.h.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/transport/server.h"

namespace xdscope::fake {

// The client's end of one stream.
class FakeServerStream {
 public:
  explicit FakeServerStream(std::string method_name) : method(std::move(method_name)) {}

  // ---- What happens.
  void Deliver(std::string message) {
    EXPECT_TRUE(std::exchange(reading, false)) << "nobody reads";
    Events().OnMessage(std::make_shared<const std::string>(std::move(message)));
  }
  void HalfClose() {
    EXPECT_TRUE(std::exchange(reading, false)) << "nobody reads";
    Events().OnHalfClosed();
  }
  void Written() {
    EXPECT_TRUE(std::exchange(writing, false)) << "nothing was written";
    Events().OnWritten();
  }
  // As it was closed, or because the client left.
  void End() { End(closed.value_or(absl::CancelledError("the client left"))); }
  void End(const absl::Status& status) { std::exchange(events_, nullptr)->OnClosed(status); }

  // ---- What was asked for.
  const std::string method;
  std::vector<std::string> written;
  bool writing = false;
  bool reading = false;
  std::optional<absl::Status> closed;
  bool dropped = false;  // its owner has destroyed it

 private:
  friend class FakeServerStreams;

  transport::ServerStreamEvents& Events() {
    EXPECT_NE(events_, nullptr) << "the stream has ended";
    return *events_;
  }

  transport::ServerStreamEvents* events_ = nullptr;
};

class FakeServerStreams {
 public:
  std::unique_ptr<transport::ServerStream> Open(const std::string& method) {
    return std::make_unique<Handle>(streams_.emplace_back(method));
  }
  FakeServerStream& last() { return streams_.back(); }

 private:
  class Handle final : public transport::ServerStream {
   public:
    explicit Handle(FakeServerStream& stream) : stream_(stream) {}
    ~Handle() override { stream_.dropped = true; }

    const std::string& method() const override { return stream_.method; }
    const std::string& peer() const override { return peer_; }
    const transport::Metadata& metadata() const override { return metadata_; }
    void Attach(transport::ServerStreamEvents& events) override { stream_.events_ = &events; }
    void Write(std::vector<transport::Chunk> message) override {
      if (stream_.closed) return;
      EXPECT_FALSE(std::exchange(stream_.writing, true)) << "two writes at once";
      std::string bytes;
      for (const transport::Chunk& chunk : message) bytes += chunk.buffer->substr(chunk.offset, chunk.size);
      stream_.written.push_back(std::move(bytes));
    }
    void ReadNext() override {
      if (stream_.closed) return;
      EXPECT_FALSE(std::exchange(stream_.reading, true)) << "two reads at once";
    }
    void Close(const absl::Status& status) override {
      EXPECT_FALSE(stream_.closed.has_value()) << "closed twice";
      stream_.closed = status;
    }

   private:
    FakeServerStream& stream_;
    std::string peer_ = "127.0.0.1:5000";
    transport::Metadata metadata_;
  };

  std::deque<FakeServerStream> streams_;
};

}  // namespace xdscope::fake
