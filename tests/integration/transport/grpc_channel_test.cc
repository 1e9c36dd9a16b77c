// What only gRPC has beyond channel_contract_test.cc: sizes, headers, sockets, what the server hears.
#include "lib/transport/grpc_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/integration/transport/client.h"
#include "tests/integration/transport/grpc_server.h"

namespace xdscope::integration {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

transport::ChannelSettings Plaintext(const std::string& target) {
  transport::ChannelSettings settings;
  settings.target = target;
  return settings;
}

class GrpcChannel : public testing::Test {
 protected:
  std::unique_ptr<transport::Channel> Connect(transport::ChannelSettings settings) {
    auto channel = transport::ConnectGrpc(loop_, std::move(settings));
    EXPECT_TRUE(channel.ok()) << channel.status();
    return *std::move(channel);
  }

  base::Loop loop_;
};

TEST_F(GrpcChannel, MessagesComeBackWholeAndInOrder) {
  const GrpcServer server;
  const auto channel = Connect(Plaintext(server.target()));
  Client client(loop_, *channel, "/test/Echo", {"one", "", "three"});
  EXPECT_TRUE(client.Run().ok());
  EXPECT_TRUE(client.connected);
  ASSERT_EQ(client.messages.size(), 3U);
  EXPECT_EQ(*client.messages[0], "one");
  EXPECT_EQ(*client.messages[1], "");
  EXPECT_EQ(*client.messages[2], "three");
}

TEST_F(GrpcChannel, AMessageOfFiftyMegabytesHasNoLimit) {
  const GrpcServer server;
  const auto channel = Connect(Plaintext(server.target()));
  Client client(loop_, *channel, "/test/Big", {"50000000"});
  EXPECT_TRUE(client.Run().ok());
  ASSERT_EQ(client.messages.size(), 1U);
  EXPECT_EQ(*client.messages[0], std::string(50'000'000, 'x'));
}

TEST_F(GrpcChannel, HeadersAuthorityAndUserAgentArriveAtTheServer) {
  const GrpcServer server;
  auto settings = Plaintext(server.target());
  settings.headers = {{"X-Token", "secret"}, {"x-raw-bin", std::string("\0\xff", 2)}};
  settings.authority = "xds.example.com";
  settings.user_agent = "xdscope/9";
  const auto channel = Connect(settings);
  Client client(loop_, *channel, "/test/Echo");
  EXPECT_TRUE(client.Run().ok());
  const Arrived arrived = server.arrived();
  EXPECT_THAT(arrived.headers, Contains(Pair("x-token", "secret")));
  EXPECT_THAT(arrived.headers, Contains(Pair("x-raw-bin", std::string("\0\xff", 2))));
  EXPECT_THAT(arrived.headers, Contains(Pair("user-agent", HasSubstr("xdscope/9"))));
  EXPECT_EQ(arrived.authority, "xds.example.com");
}

TEST_F(GrpcChannel, ARefusedPortFailsAtOnceWithItsCause) {
  int port = 0;
  { port = GrpcServer().port(); }  // free again
  const auto channel = Connect(Plaintext("127.0.0.1:" + std::to_string(port)));
  const base::Time start = loop_.Now();
  Client client(loop_, *channel, "/test/Echo");
  const absl::Status status = client.Run();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("onnection refused"));
  EXPECT_FALSE(client.connected);
  EXPECT_LT(loop_.Now() - start, std::chrono::milliseconds(500));
}

TEST_F(GrpcChannel, ANameWithoutAnAddressFailsAtOnce) {
  // A label of more than 63 letters: no name server is asked.
  const auto channel = Connect(Plaintext(std::string(64, 'x') + ".invalid:1"));
  Client client(loop_, *channel, "/test/Echo");
  EXPECT_EQ(client.Run().code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcChannel, UnixSocketsByPathAndByAbstractName) {
  const std::string name = "/tmp/xdscope transport test %" + std::to_string(getpid());
  const GrpcServer path(grpc::InsecureServerCredentials(),
                        "unix:/tmp/xdscope%20transport%20test%20%25" + std::to_string(getpid()));
  const auto channel = Connect(Plaintext("unix:" + name));
  Client client(loop_, *channel, "/test/Echo", {"x"});
  EXPECT_TRUE(client.Run().ok());
  const std::string abstract_name = "unix-abstract:xdscope-test-" + std::to_string(getpid());
  const GrpcServer abstract(grpc::InsecureServerCredentials(), abstract_name);
  const auto second = Connect(Plaintext(abstract_name));
  Client other(loop_, *second, "/test/Echo", {"x"});
  EXPECT_TRUE(other.Run().ok());
}

TEST_F(GrpcChannel, TenStreamsAtOnceDoNotMeet) {
  const GrpcServer server;
  const auto channel = Connect(Plaintext(server.target()));
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 10; ++i) {
    const std::string text(static_cast<std::size_t>(i) * 1000, static_cast<char>('a' + i));
    clients.push_back(std::make_unique<Client>(loop_, *channel, "/test/Echo", std::vector<std::string>{text, text}));
  }
  for (int i = 0; i < 10; ++i) {
    Client& client = *clients[static_cast<std::size_t>(i)];
    while (!client.closed) (void)client.Run();  // another one's end stops the loop as well
    EXPECT_TRUE(client.closed->ok());
    ASSERT_EQ(client.messages.size(), 2U);
    EXPECT_EQ(*client.messages[1], std::string(static_cast<std::size_t>(i) * 1000, static_cast<char>('a' + i)));
  }
}

TEST_F(GrpcChannel, CancelEndsTheStreamAndTheServerHearsOfIt) {
  const GrpcServer server;
  const auto channel = Connect(Plaintext(server.target()));
  Client client(loop_, *channel, "/test/Echo", {"x"});
  client.half_close = false;
  client.cancel_after_message = true;
  EXPECT_EQ(client.Run().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(server.WaitUntilDone(1));
  EXPECT_EQ(server.arrived().cancelled, 1);
}

TEST_F(GrpcChannel, AStreamThatIsDroppedIsCancelledAndSaysNothingMore) {
  const GrpcServer server;
  auto channel = Connect(Plaintext(server.target()));
  Client client(loop_, *channel, "/test/Deaf", {"x"});
  client.half_close = false;
  const auto drop = loop_.After(std::chrono::milliseconds(50), [&](base::Time) {
    client.Drop();
    loop_.Stop();
  });
  loop_.Run();
  EXPECT_FALSE(client.closed.has_value());
  EXPECT_TRUE(server.WaitUntilDone(1));
  channel.reset();
}

}  // namespace
}  // namespace xdscope::integration
