// What every transport::Channel promises for its streams: gRPC against a server of this process, and the channel of
// tests, whose other end is played here. What a stream does is its method, as in grpc_server.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/loop.h"
#include "lib/transport/grpc_channel.h"
#include "tests/fake/fake_channel.h"
#include "tests/integration/transport/grpc_server.h"

namespace xdscope::integration {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

class OverGrpc {
 public:
  OverGrpc() : channel_(Connect(server_.target())), unreachable_(Connect("unix:/no/such/socket")) {}

  transport::Channel& channel() { return *channel_; }
  transport::Channel& unreachable() { return *unreachable_; }
  // Lets things happen until `done` (or the test's own limit of ten seconds); false then.
  bool RunUntil(const std::function<bool()>& done) {
    const base::Time limit = loop_.Now() + std::chrono::seconds(10);
    while (!done() && loop_.Now() < limit) {
      const auto tick = loop_.After(std::chrono::milliseconds(1), [this](base::Time) { loop_.Stop(); });
      loop_.Run();
    }
    return done();
  }

 private:
  std::unique_ptr<transport::Channel> Connect(const std::string& target) {
    transport::ChannelSettings settings;
    settings.target = target;
    auto channel = transport::ConnectGrpc(loop_, std::move(settings));
    EXPECT_TRUE(channel.ok()) << channel.status();
    return *std::move(channel);
  }

  base::Loop loop_;
  const GrpcServer server_;
  std::unique_ptr<transport::Channel> channel_;
  std::unique_ptr<transport::Channel> unreachable_;
};

class OverFake {
 public:
  transport::Channel& channel() { return channel_; }
  transport::Channel& unreachable() { return unreachable_; }
  bool RunUntil(const std::function<bool()>& done) {
    while (!done() && Step()) continue;
    return done();
  }

 private:
  // Lets one thing happen; false where nothing is left to.
  bool Step() {
    for (fake::FakeStream& stream : unreachable_.streams()) {
      if (stream.dropped || stream.ended()) continue;
      stream.Close(stream.cancelled ? absl::CancelledError() : absl::UnavailableError("no such socket"));
      return true;
    }
    replies_.resize(channel_.streams().size());
    for (std::size_t i = 0; i < replies_.size(); ++i) {
      fake::FakeStream& stream = channel_.streams()[i];
      if (!stream.dropped && !stream.ended() && Step(stream, replies_[i])) return true;
    }
    return false;
  }

  // Whether the server ends the stream now: the client has cancelled it, or everything was said and read.
  static bool IsOver(const fake::FakeStream& stream, const std::deque<std::string>& replies) {
    if (stream.cancelled) return true;
    const bool idle = stream.connected && !stream.writing && stream.reading && replies.empty();
    return idle && stream.method != "/test/Refuse" && (stream.writes_done || stream.method == "/test/One");
  }

  static bool Step(fake::FakeStream& stream, std::deque<std::string>& replies) {
    const bool once = stream.method == "/test/One" && !stream.connected;
    if (once) replies.emplace_back("one");
    if (IsOver(stream, replies)) {
      stream.Close();
    } else if (!stream.connected) {
      stream.Connect();
    } else if (stream.writing) {
      if (stream.method == "/test/Echo") replies.push_back(stream.written.back());
      stream.Written();
    } else if (stream.reading && !replies.empty()) {
      if (stream.method == "/test/One") stream.Open({{"x-server", "one"}});
      const std::string reply = replies.front();
      replies.pop_front();
      stream.Deliver(reply);
    } else if (stream.reading && stream.method == "/test/Refuse") {
      stream.Close(absl::PermissionDeniedError("not you"), {{"x-why", "because"}});
    } else {
      return false;
    }
    return true;
  }

  fake::FakeChannel channel_;
  fake::FakeChannel unreachable_;
  std::vector<std::deque<std::string>> replies_;  // of each stream of channel_, not yet read by the client
};

// One stream and what is told of it. Every call says that it is under way, so that what is told inside it shows.
class Log final : public transport::StreamEvents {
 public:
  Log(transport::Channel& channel, const std::string& method) {
    Call([&] { stream_ = channel.OpenStream(method, *this); });
  }

  void Write(std::string bytes) {
    Call([&] { stream_->Write(std::move(bytes)); });
  }
  void ReadNext() {
    Call([&] { stream_->ReadNext(); });
  }
  void WritesDone() {
    Call([&] { stream_->WritesDone(); });
  }
  void Cancel() {
    Call([&] { stream_->Cancel(); });
  }
  void Drop() { stream_.reset(); }

  // Calls off the stream when this is told.
  void DropAt(std::string event) { drop_at_ = std::move(event); }

  bool Told(std::string_view event) const { return testing::Value(events, Contains(event)); }
  bool closed() const { return !events.empty() && events.back().starts_with("closed"); }

  std::vector<std::string> events;
  transport::Metadata initial;
  transport::Metadata trailing;
  absl::Status status;

 private:
  template <typename What>
  void Call(const What& what) {
    calling_ = true;
    what();
    calling_ = false;
  }

  void Note(std::string event) {
    EXPECT_FALSE(calling_) << event << " was told inside a call";
    EXPECT_FALSE(closed()) << event << " was told after the end";
    events.push_back(std::move(event));
    if (events.back() == drop_at_) Drop();
  }

  void OnConnected() override { Note("connected"); }
  void OnOpened(const transport::Metadata& metadata) override {
    initial = metadata;
    Note("opened");
  }
  void OnMessage(transport::Bytes message) override { Note("message " + *message); }
  void OnWritten() override { Note("written"); }
  void OnClosed(const absl::Status& as, const transport::Metadata& metadata) override {
    status = as;
    trailing = metadata;
    Note("closed");
  }

  bool calling_ = false;
  std::string drop_at_;
  std::unique_ptr<transport::Stream> stream_;
};

template <typename Peer>
class ChannelContract : public ::testing::Test {
 protected:
  // Lets things happen until this was told of the stream.
  bool Await(const Log& log, const std::string& event) {
    return peer_.RunUntil([&] { return log.Told(event); });
  }

  Peer peer_;
};

struct PeerNames {
  template <typename Peer>
  static std::string GetName(int) {
    return std::is_same_v<Peer, OverGrpc> ? "Grpc" : "Fake";
  }
};
using Peers = ::testing::Types<OverFake, OverGrpc>;
TYPED_TEST_SUITE(ChannelContract, Peers, PeerNames);

TYPED_TEST(ChannelContract, AMessageIsWrittenAndAnsweredAndTheStreamEndsAfterBoth) {
  Log log(this->peer_.channel(), "/test/Echo");
  log.Write("one");
  log.ReadNext();
  ASSERT_TRUE(this->Await(log, "message one"));
  ASSERT_TRUE(this->Await(log, "written"));
  log.Write("two");
  log.ReadNext();
  ASSERT_TRUE(this->Await(log, "message two"));
  log.WritesDone();
  log.ReadNext();
  ASSERT_TRUE(this->Await(log, "closed"));
  EXPECT_EQ(log.events.front(), "connected");
  EXPECT_TRUE(log.status.ok()) << log.status;
}

TYPED_TEST(ChannelContract, AMessageWaitsUntilItIsAskedFor) {
  Log log(this->peer_.channel(), "/test/Echo");
  log.Write("one");
  ASSERT_TRUE(this->Await(log, "written"));
  log.WritesDone();
  EXPECT_THAT(log.events, ElementsAre("connected", "written"));
  log.ReadNext();
  ASSERT_TRUE(this->Await(log, "message one"));
  EXPECT_FALSE(log.closed());
  log.ReadNext();
  EXPECT_TRUE(this->Await(log, "closed"));
}

TYPED_TEST(ChannelContract, TheServersHeadersComeBeforeItsFirstMessageAndOnce) {
  Log log(this->peer_.channel(), "/test/One");
  log.ReadNext();
  ASSERT_TRUE(this->peer_.RunUntil([&] { return log.events.size() >= 3; }));
  log.ReadNext();
  ASSERT_TRUE(this->Await(log, "closed"));
  EXPECT_EQ(log.events[0], "connected");
  EXPECT_EQ(log.events[1], "opened");
  EXPECT_THAT(log.events[2], testing::StartsWith("message"));
  EXPECT_EQ(log.events.size(), 4U);
  EXPECT_THAT(log.initial, Contains(Pair("x-server", "one")));
}

TYPED_TEST(ChannelContract, ARefusalKeepsItsCodeTextAndTrailers) {
  Log log(this->peer_.channel(), "/test/Refuse");
  log.ReadNext();
  ASSERT_TRUE(this->Await(log, "closed"));
  EXPECT_TRUE(log.Told("connected"));
  EXPECT_EQ(log.status, absl::PermissionDeniedError("not you"));
  EXPECT_THAT(log.trailing, Contains(Pair("x-why", "because")));
}

TYPED_TEST(ChannelContract, WhereNobodyListensTheStreamIsUnavailableAndWasNeverConnected) {
  Log log(this->peer_.unreachable(), "/test/Echo");
  log.Write("one");
  log.ReadNext();
  ASSERT_TRUE(this->Await(log, "closed"));
  EXPECT_THAT(log.events, ElementsAre("closed"));
  EXPECT_EQ(log.status.code(), absl::StatusCode::kUnavailable);
}

TYPED_TEST(ChannelContract, CancelEndsAStreamThatNobodyReadsAndNothingElseFollows) {
  Log log(this->peer_.channel(), "/test/Echo");
  ASSERT_TRUE(this->Await(log, "connected"));
  log.Cancel();
  log.Cancel();
  log.Write("one");
  log.ReadNext();
  log.WritesDone();
  ASSERT_TRUE(this->Await(log, "closed"));
  EXPECT_THAT(log.events, ElementsAre("connected", "closed"));
  EXPECT_EQ(log.status.code(), absl::StatusCode::kCancelled);
}

TYPED_TEST(ChannelContract, CancelEndsAStreamThatIsNotYetConnected) {
  Log log(this->peer_.channel(), "/test/Echo");
  log.ReadNext();
  log.Cancel();
  ASSERT_TRUE(this->Await(log, "closed"));
  EXPECT_THAT(log.events, ElementsAre("closed"));
  EXPECT_EQ(log.status.code(), absl::StatusCode::kCancelled);
}

TYPED_TEST(ChannelContract, AnyEventMayDestroyTheStreamAndThenNothingFollows) {
  for (const std::string event : {"connected", "written", "message one", "closed"}) {
    Log log(this->peer_.channel(), "/test/Echo");
    log.DropAt(event);
    log.Write("one");
    if (event == "message one") log.ReadNext();
    if (event == "closed") log.Cancel();
    ASSERT_TRUE(this->Await(log, event));
    Log other(this->peer_.channel(), "/test/Echo");
    other.Write("two");
    other.ReadNext();
    ASSERT_TRUE(this->Await(other, "message two"));
    EXPECT_EQ(log.events.back(), event);
  }
}

TYPED_TEST(ChannelContract, TheStreamsOfAChannelDoNotMeet) {
  Log first(this->peer_.channel(), "/test/Echo");
  Log second(this->peer_.channel(), "/test/Mute");
  Log third(this->peer_.channel(), "/test/Echo");
  second.Write("two");
  second.ReadNext();
  third.Write("three");
  third.ReadNext();
  first.Write("one");
  first.ReadNext();
  ASSERT_TRUE(this->Await(first, "message one"));
  ASSERT_TRUE(this->Await(third, "message three"));
  EXPECT_FALSE(first.Told("message three"));
  EXPECT_FALSE(third.Told("message one"));
  EXPECT_FALSE(second.closed());
}

}  // namespace
}  // namespace xdscope::integration
