// Sessions over gRPC: what of them arrives at a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/session/stream_session.h"
#include "lib/session/unary_session.h"
#include "tests/fake/messages.h"
#include "tests/integration/transport/client.h"
#include "tests/integration/transport/grpc_server.h"

namespace xdscope::integration {
namespace {

using fake::kCds;

// A fetch in little: asks, accepts, finishes when the response is there, lets the loop go when it is over.
class Fetch {
 public:
  explicit Fetch(base::Loop& loop) : loop_(loop) {}

  session::Listener listener() {
    return [this](session::Event event) {
      if (const auto* response = std::get_if<protocol::Response>(&event)) {
        EXPECT_TRUE(session->Answer(response->id, protocol::Verdict::Ack()).ok());
        session->Finish();
      } else if (const auto* end = std::get_if<session::Closed>(&event)) {
        closed = end->status;
        had_response = end->had_response;
        loop_.Stop();
      }
    };
  }

  session::Session* session = nullptr;
  absl::Status closed = absl::UnknownError("not yet");
  bool had_response = false;

 private:
  base::Loop& loop_;
};

class SessionOverGrpc : public testing::Test {
 protected:
  // Returns how long it took.
  base::Duration Run(const std::string& method, bool unary = false) {
    transport::ChannelSettings settings;
    settings.target = server_.target();
    const auto channel = transport::ConnectGrpc(loop_, settings);
    protocol::AdsSession::Options options;
    options.unary = unary;
    if (unary) options.only_type = kCds;
    protocol::AdsSession ads(std::move(options));
    ads.SetInterest(kCds, protocol::Interest::Everything());
    std::unique_ptr<session::Session> session;
    if (unary) {
      session = std::make_unique<session::UnarySession>(std::move(ads), **channel, method, loop_,
                                                        session::UnarySession::Options{}, fetch_.listener());
    } else {
      session = std::make_unique<session::StreamSession>(std::move(ads), **channel, method, loop_, fetch_.listener());
    }
    fetch_.session = session.get();
    const base::Time start = loop_.Now();
    session->Open();
    loop_.Run();
    return loop_.Now() - start;
  }

  // The last request that arrived at the server, whose streams have ended.
  protocol::Request LastArrived() {
    EXPECT_TRUE(server_.WaitUntilDone(1));
    const Arrived arrived = server_.arrived();
    auto request =
        protocol::DecodeRequest(protocol::Variant::kSotw, arrived.messages.empty() ? "" : arrived.messages.back());
    return request.ok() ? *std::move(request) : protocol::Request();
  }

  base::Loop loop_;
  const GrpcServer server_{
      grpc::InsecureServerCredentials(), "127.0.0.1:0",
      fake::Sotw({.type_url = kCds, .version = "7", .nonce = "n7", .resources = fake::Named({"a", "b"})})};
  Fetch fetch_{loop_};
};

TEST_F(SessionOverGrpc, TheLastAckArrivesAndThenTheServerIsNotWaitedFor) {
  const base::Duration took = Run("/test/Xds");
  EXPECT_TRUE(fetch_.closed.ok()) << fetch_.closed;
  EXPECT_TRUE(fetch_.had_response);
  EXPECT_LT(took, session::StreamSession::kFinishLimit);
  EXPECT_EQ(LastArrived().nonce, "n7");
  EXPECT_EQ(server_.arrived().cancelled, 0);
}

TEST_F(SessionOverGrpc, TheLastAckArrivesAtAServerThatIgnoresTheHalfClose) {
  Run("/test/DeafXds");
  EXPECT_TRUE(fetch_.closed.ok()) << fetch_.closed;
  EXPECT_EQ(LastArrived().nonce, "n7");
  EXPECT_EQ(server_.arrived().cancelled, 1);
}

TEST_F(SessionOverGrpc, AUnaryCallIsOneRequestAndOneResponse) {
  Run("/test/Xds", true);
  EXPECT_TRUE(fetch_.closed.ok()) << fetch_.closed;
  EXPECT_TRUE(fetch_.had_response);
  EXPECT_EQ(server_.arrived().messages.size(), 1U);
}

TEST_F(SessionOverGrpc, AMethodThatIsNotThereEndsTheSession) {
  Run("/test/Refuse");
  EXPECT_EQ(fetch_.closed.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_FALSE(fetch_.had_response);
}

}  // namespace
}  // namespace xdscope::integration
