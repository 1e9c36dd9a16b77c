// Server, with our own channel as its client.
#include "lib/transport/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "tests/fake/certificates.h"
#include "tests/integration/transport/client.h"
#include "tests/integration/transport/server_host.h"

namespace xdscope::integration {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using transport::Chunk;
using namespace std::chrono_literals;

transport::ServerSettings Listening(const std::string& address) {
  transport::ServerSettings settings;
  settings.listen = address;
  return settings;
}

class GrpcServerSide : public testing::Test {
 protected:
  std::unique_ptr<transport::Channel> Connect(const Host& host, std::optional<transport::Tls> tls = {}) {
    transport::ChannelSettings settings;
    settings.target = host.target();
    settings.tls = std::move(tls);
    settings.headers = {{"x-token", "secret"}};
    auto channel = transport::ConnectGrpc(loop_, std::move(settings));
    EXPECT_TRUE(channel.ok()) << channel.status();
    return *std::move(channel);
  }

  absl::Status StartError(const transport::ServerSettings& settings) {
    return transport::Server::Start(
               loop_, settings, [](auto) {}, [](const absl::Status&) {})
        .status();
  }

  base::Loop loop_;
};

TEST_F(GrpcServerSide, MessagesComeBackWholeAndInOrder) {
  Host host(loop_);
  const auto channel = Connect(host);
  Client client(loop_, *channel, "/test/Echo", {"one", "", std::string(3'000'000, 'x')});
  EXPECT_TRUE(client.Run().ok());
  ASSERT_EQ(client.messages.size(), 3U);
  EXPECT_EQ(*client.messages[0], "one");
  EXPECT_EQ(*client.messages[1], "");
  EXPECT_EQ(*client.messages[2], std::string(3'000'000, 'x'));
  ASSERT_TRUE(host.RunUntil([&] { return host.visits[0]->closed.has_value(); }));
  EXPECT_TRUE(host.visits[0]->closed->ok());
  EXPECT_TRUE(host.visits[0]->half_closed);
}

TEST_F(GrpcServerSide, AStreamKnowsItsMethodPeerAndMetadata) {
  Host host(loop_);
  EXPECT_EQ(host.target(), "127.0.0.1:" + std::to_string(host.server->port()));
  const auto channel = Connect(host);
  Client client(loop_, *channel, "/test/Refuse");
  EXPECT_EQ(client.Run(), absl::PermissionDeniedError("not you"));
  ASSERT_EQ(host.visits.size(), 1U);
  EXPECT_EQ(host.visits[0]->method, "/test/Refuse");
  EXPECT_THAT(host.visits[0]->peer, StartsWith("127.0.0.1:"));
  EXPECT_THAT(host.visits[0]->metadata, Contains(Pair("x-token", "secret")));
}

TEST_F(GrpcServerSide, SharedPiecesReachSeveralStreamsUncopied) {
  Host host(loop_);
  std::string bytes(20'000'000, 'a');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>('a' + i / 1000 % 26);
  const auto buffer = std::make_shared<const std::string>(std::move(bytes));
  const auto head = std::make_shared<const std::string>("head");
  // A small piece, two neighbours, a tail that says more than there is, and nothing.
  host.push = {Chunk{head},
               Chunk{buffer, 0, 7'000'000},
               Chunk{buffer, 7'000'000, 1000},
               Chunk{buffer, 7'001'000},
               Chunk{head, 4},
               Chunk{}};
  const auto channel = Connect(host);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<Client>(loop_, *channel, "/test/Push"));
  for (const auto& client : clients) {
    while (!client->closed) (void)client->Run();
    EXPECT_EQ(*client->closed, absl::AbortedError("enough"));  // after the message that was being written
    ASSERT_EQ(client->messages.size(), 1U);
    EXPECT_EQ(*client->messages[0], "head" + *buffer);
  }
  host.push.clear();
  EXPECT_TRUE(host.RunUntil([&] { return buffer.use_count() == 1; }));  // all is let go
}

TEST_F(GrpcServerSide, ThousandsOfSmallPiecesKeepTheirOrder) {
  Host host(loop_);
  std::string expected;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = std::to_string(i) + std::string(i % 500 == 0 ? 10'000 : 3, '.');
    expected += text;
    host.push.push_back({std::make_shared<const std::string>(text)});
  }
  const auto channel = Connect(host);
  Client client(loop_, *channel, "/test/Push");
  (void)client.Run();
  ASSERT_EQ(client.messages.size(), 1U);
  EXPECT_EQ(*client.messages[0], expected);
}

TEST_F(GrpcServerSide, AHalfClosedStreamStaysOpenUntilTheServerEndsIt) {
  Host host(loop_);
  const auto channel = Connect(host);
  Client client(loop_, *channel, "/test/Deaf", {"x"});
  ASSERT_TRUE(host.RunUntil([&] { return !host.visits.empty() && host.visits[0]->half_closed; }));
  EXPECT_FALSE(client.closed);
  EXPECT_THAT(host.visits[0]->messages, ElementsAre("x"));
  host.visits[0]->stream->Write({Chunk{std::make_shared<const std::string>("bye")}});
  host.visits[0]->stream->Close(absl::OkStatus());
  EXPECT_TRUE(client.Run().ok());
  EXPECT_EQ(client.messages.size(), 1U);
}

TEST_F(GrpcServerSide, TheServerHearsThatAClientCancelledOrVanished) {
  Host host(loop_);
  auto channel = Connect(host);
  Client cancels(loop_, *channel, "/test/Mute");
  Client vanishes(loop_, *channel, "/test/Mute");
  ASSERT_TRUE(host.RunUntil([&] { return host.visits.size() == 2; }));
  cancels.stream().Cancel();
  ASSERT_TRUE(host.RunUntil([&] { return cancels.closed.has_value(); }));
  vanishes.Drop();
  channel.reset();
  ASSERT_TRUE(host.RunUntil([&] { return host.visits[0]->closed && host.visits[1]->closed; }));
  EXPECT_EQ(host.visits[0]->closed->code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(host.visits[1]->closed->code(), absl::StatusCode::kCancelled);
}

TEST_F(GrpcServerSide, AStreamThatIsThrownAwayIsCancelled) {
  Host host(loop_);
  const auto channel = Connect(host);
  Client client(loop_, *channel, "/test/Drop");
  EXPECT_EQ(client.Run().code(), absl::StatusCode::kCancelled);
}

TEST_F(GrpcServerSide, ARequestThatIsTooLargeEndsItsStreamOnly) {
  transport::ServerSettings settings;
  settings.largest_message = 1000;
  Host host(loop_, settings);
  const auto channel = Connect(host);
  Client large(loop_, *channel, "/test/Echo", {std::string(1001, 'x')});
  EXPECT_EQ(large.Run().code(), absl::StatusCode::kResourceExhausted);
  Client small(loop_, *channel, "/test/Echo", {std::string(1000, 'x')});
  EXPECT_TRUE(small.Run().ok());
}

TEST_F(GrpcServerSide, AClientThatDoesNotReadIsNotWrittenTo) {
  Host host(loop_);
  host.push = {Chunk{std::make_shared<const std::string>(5'000'000, 'x')}};
  const auto channel = Connect(host);
  Client client(loop_, *channel, "/test/Mute");  // any other method would be read
  ASSERT_TRUE(host.RunUntil([&] { return host.visits.size() == 1; }));
  struct Reader final : transport::StreamEvents {
    void OnMessage(transport::Bytes) override {}
    void OnWritten() override {}
    void OnClosed(const absl::Status& status, const transport::Metadata&) override { closed = status; }
    std::optional<absl::Status> closed;
  } reader;
  const auto stream = channel->OpenStream("/test/Flood", reader);  // never reads
  ASSERT_TRUE(host.RunUntil([&] { return host.visits.size() == 2; }));
  (void)host.RunUntil([deadline = loop_.Now() + 300ms, this] { return loop_.Now() > deadline; });
  EXPECT_LE(host.visits[1]->written, 1);
  // Nor does it keep the end of its stream away.
  host.visits[1]->stream->Close(absl::OkStatus());
  EXPECT_TRUE(host.RunUntil([&] { return host.visits[1]->closed.has_value(); }));
  EXPECT_EQ(host.visits[1]->closed->code(), absl::StatusCode::kCancelled);
}

// ---- Many.

TEST_F(GrpcServerSide, TenThousandStreamsOfOneClient) {
  Host host(loop_);
  const auto channel = Connect(host);
  constexpr std::size_t kMany = 10'000;
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kMany; ++i) clients.push_back(std::make_unique<Client>(loop_, *channel, "/test/Deaf"));
  ASSERT_TRUE(host.RunUntil([&] { return host.visits.size() == kMany; })) << host.visits.size();
  // One more gets its turn at once.
  const base::Time start = loop_.Now();
  Client another(loop_, *channel, "/test/Echo", {"x"});
  EXPECT_TRUE(another.Run().ok());
  EXPECT_LT(loop_.Now() - start, 2s);
  for (const auto& visit : host.visits) {
    if (visit->stream != nullptr) visit->stream->Close(absl::OkStatus());
  }
  EXPECT_TRUE(host.RunUntil([&] {
    return std::all_of(clients.begin(), clients.end(), [](const auto& client) { return client->closed.has_value(); });
  }));
}

TEST_F(GrpcServerSide, AHundredClientsAtOnce) {
  Host host(loop_);
  std::vector<std::unique_ptr<transport::Channel>> channels;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 100; ++i) {
    channels.push_back(Connect(host));
    clients.push_back(
        std::make_unique<Client>(loop_, *channels.back(), "/test/Echo", std::vector<std::string>{std::to_string(i)}));
  }
  for (int i = 0; i < 100; ++i) {
    Client& client = *clients[static_cast<std::size_t>(i)];
    while (!client.closed) (void)client.Run();
    EXPECT_TRUE(client.closed->ok());
    ASSERT_EQ(client.messages.size(), 1U);
    EXPECT_EQ(*client.messages[0], std::to_string(i));
  }
  for (auto& client : clients) client->Drop();
}

// ---- The end.

TEST_F(GrpcServerSide, StopTellsEveryoneAndWaitsForNoOne) {
  Host host(loop_);
  host.push = {Chunk{std::make_shared<const std::string>(5'000'000, 'x')}};
  const auto channel = Connect(host);
  Client reads(loop_, *channel, "/test/Deaf");
  Client mute(loop_, *channel, "/test/Mute");
  ASSERT_TRUE(host.RunUntil([&] { return host.visits.size() == 2; }));
  bool stopped = false;
  const base::Time start = loop_.Now();
  host.server->Stop(500ms, [&] { stopped = true; });
  ASSERT_TRUE(host.RunUntil([&] { return stopped && reads.closed && mute.closed; }));
  EXPECT_LT(loop_.Now() - start, 3s);
  EXPECT_EQ(*reads.closed, absl::UnavailableError("the server is going away"));
  EXPECT_EQ(*mute.closed, absl::UnavailableError("the server is going away"));
  for (const auto& visit : host.visits) EXPECT_EQ(visit->closed->code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcServerSide, StopCutsOffAClientThatDoesNotRead) {
  Host host(loop_);
  host.push = {Chunk{std::make_shared<const std::string>(50'000'000, 'x')}};
  const auto channel = Connect(host);
  struct Reader final : transport::StreamEvents {
    void OnMessage(transport::Bytes) override {}
    void OnWritten() override {}
    void OnClosed(const absl::Status&, const transport::Metadata&) override {}
  } reader;
  const auto stream = channel->OpenStream("/test/Flood", reader);
  ASSERT_TRUE(host.RunUntil([&] { return host.visits.size() == 1; }));
  bool stopped = false;
  const base::Time start = loop_.Now();
  host.server->Stop(200ms, [&] { stopped = true; });
  ASSERT_TRUE(host.RunUntil([&] { return stopped && host.visits[0]->closed; }));
  EXPECT_LT(loop_.Now() - start, 3s);
}

TEST_F(GrpcServerSide, DestroyedWithOpenStreams) {
  auto host = std::make_unique<Host>(loop_);
  const auto channel = Connect(*host);
  Client client(loop_, *channel, "/test/Deaf", {"x"});
  client.half_close = false;
  ASSERT_TRUE(host->RunUntil([&] { return !host->visits.empty() && !host->visits[0]->messages.empty(); }));
  const base::Time start = loop_.Now();
  host->server.reset();
  EXPECT_LT(loop_.Now() - start, 2s);
  EXPECT_FALSE(host->visits[0]->closed);
  host.reset();  // its streams after it
  EXPECT_FALSE(client.Run().ok());
}

// ---- Addresses.

TEST_F(GrpcServerSide, AnAddressInUseIsSaidToBe) {
  Host host(loop_);
  const absl::Status status = StartError(Listening(host.target()));
  EXPECT_EQ(status, absl::UnavailableError(host.target() + ": address already in use"));
}

TEST_F(GrpcServerSide, AddressesThatCannotWork) {
  for (const std::string listen : {"", "18000", "127.0.0.1", "127.0.0.1:http", "unix:", "grpcs://a:1"}) {
    EXPECT_EQ(StartError(Listening(listen)).code(), absl::StatusCode::kInvalidArgument) << listen;
  }
  EXPECT_EQ(StartError(Listening("192.0.2.1:0")).code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(StartError(Listening("unix:/no/such/folder/socket")).message()),
              HasSubstr("no such file or directory"));
}

TEST_F(GrpcServerSide, UnixSocketsAndAllAddresses) {
  const std::string file = "/tmp/xdscope server test %" + std::to_string(getpid());
  const std::string path = "unix:" + file;
  {
    Host host(loop_, Listening(path));
    EXPECT_EQ(host.target(), path);
    const auto channel = Connect(host);
    Client client(loop_, *channel, "/test/Echo", {"x"});
    EXPECT_TRUE(client.Run().ok());
    EXPECT_EQ(StartError(Listening(path)), absl::UnavailableError(path + ": address already in use"));
  }
  EXPECT_NE(access(file.c_str(), F_OK), 0) << "the socket's file goes with the server";
  std::ofstream(file) << "of a person";
  EXPECT_EQ(StartError(Listening(path)), absl::UnavailableError(path + ": address already in use"));
  EXPECT_EQ(unlink(file.c_str()), 0) << "a file that is no socket stays";
  Host everywhere(loop_, Listening(":0"));
  transport::ChannelSettings settings;
  settings.target = "127.0.0.1:" + std::to_string(everywhere.server->port());
  const auto channel = transport::ConnectGrpc(loop_, settings);
  Client client(loop_, **channel, "/test/Echo", {"x"});
  EXPECT_TRUE(client.Run().ok());
}

// ---- TLS.

class GrpcServerTls : public GrpcServerSide {
 protected:
  transport::ServerSettings Settings(const std::string& client_ca = "") {
    transport::ServerSettings settings;
    settings.tls = transport::ServerTls{server_.certificate_pem, server_.key_pem, client_ca};
    return settings;
  }

  const fake::Authority authority_{"the authority"};
  const fake::KeyAndCertificate server_ = authority_.Sign("DNS:localhost,IP:127.0.0.1");
};

TEST_F(GrpcServerTls, ServesOverTls) {
  Host host(loop_, Settings());
  const auto channel = Connect(host, transport::Tls{authority_.pem(), "", ""});
  Client client(loop_, *channel, "/test/Echo", {"x"});
  EXPECT_TRUE(client.Run().ok());
  EXPECT_EQ(client.messages.size(), 1U);
}

TEST_F(GrpcServerTls, AsksForTheCertificateOfAClient) {
  const fake::Authority clients("of clients");
  const fake::KeyAndCertificate known = clients.Sign("DNS:client");
  const fake::KeyAndCertificate unknown = authority_.Sign("DNS:client");
  Host host(loop_, Settings(clients.pem()));
  const auto run = [&](const std::string& certificate, const std::string& key) {
    const auto channel = Connect(host, transport::Tls{authority_.pem(), certificate, key});
    return Client(loop_, *channel, "/test/Echo", {"x"}).Run();
  };
  EXPECT_TRUE(run(known.certificate_pem, known.key_pem).ok());
  EXPECT_EQ(run("", "").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(run(unknown.certificate_pem, unknown.key_pem).code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcServerTls, BadCertificatesAreRefusedInWords) {
  const auto error = [this](const std::string& certificate, const std::string& key, const std::string& ca) {
    transport::ServerSettings settings;
    settings.tls = transport::ServerTls{certificate, key, ca};
    return StartError(std::move(settings));
  };
  const fake::KeyAndCertificate other = authority_.Sign("DNS:other");
  EXPECT_EQ(error("", "", ""), absl::InvalidArgumentError("server certificate: none is given"));
  EXPECT_EQ(error("x", server_.key_pem, ""),
            absl::InvalidArgumentError("server certificate: no PEM certificate in it"));
  EXPECT_EQ(error(server_.certificate_pem, "", ""), absl::InvalidArgumentError("server certificate: it needs its key"));
  EXPECT_EQ(error(server_.certificate_pem, fake::EncryptedKey(), ""),
            absl::InvalidArgumentError("server key: it is encrypted"));
  EXPECT_EQ(error(server_.certificate_pem, other.key_pem, ""),
            absl::InvalidArgumentError("server key: it does not belong to the server certificate"));
  EXPECT_EQ(error(server_.certificate_pem, server_.key_pem, "x"),
            absl::InvalidArgumentError("client certificate authorities: no PEM certificate in them"));
}

}  // namespace
}  // namespace xdscope::integration
