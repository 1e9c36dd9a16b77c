// Connections that fail or nearly do: TLS in all its ways, and peers that are no gRPC servers. For each the stream's
// own error and what Probe() finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lib/transport/probe.h"
#include "tests/fake/certificates.h"
#include "tests/integration/transport/client.h"
#include "tests/integration/transport/grpc_server.h"
#include "tests/integration/transport/raw_server.h"

namespace xdscope::integration {
namespace {

using fake::Authority;
using fake::KeyAndCertificate;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using transport::CertificateProblem;
using transport::Peer;
using transport::Probe;
using transport::Tls;

// One authority for all tests of this program.
const Authority& Ours() {
  static const Authority authority("ours");
  return authority;
}

std::shared_ptr<grpc::ServerCredentials> ServerTls(const KeyAndCertificate& own, const std::string& client_ca = "") {
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({own.key_pem, own.certificate_pem});
  if (!client_ca.empty()) {
    options.pem_root_certs = client_ca;
    options.client_certificate_request = GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  }
  return grpc::SslServerCredentials(options);
}

class Peers : public testing::Test {
 protected:
  static transport::ChannelSettings Settings(const std::string& target, std::optional<Tls> tls = std::nullopt) {
    transport::ChannelSettings settings;
    settings.target = target;
    settings.tls = std::move(tls);
    settings.connect_timeout = std::chrono::seconds(3);
    return settings;
  }
  static Tls Trusting(const Authority& authority) {
    Tls tls;
    tls.ca_pem = authority.pem();
    return tls;
  }

  // What becomes of one echo.
  absl::Status Echo(const transport::ChannelSettings& settings) {
    auto channel = transport::ConnectGrpc(loop_, settings);
    if (!channel.ok()) return channel.status();
    Client client(loop_, **channel, "/test/Echo", {"x"});
    absl::Status status = client.Run();
    if (status.ok() && client.messages.size() != 1) status = absl::InternalError("no echo");
    return status;
  }

  base::Loop loop_;
  const KeyAndCertificate good_ = Ours().Sign("DNS:localhost,IP:127.0.0.1");
};

TEST_F(Peers, TlsWithAKnownAuthorityWorksByNameAndByAddress) {
  const GrpcServer server(ServerTls(good_));
  EXPECT_EQ(Echo(Settings(server.target(), Trusting(Ours()))), absl::OkStatus());
  EXPECT_EQ(Echo(Settings("localhost:" + std::to_string(server.port()), Trusting(Ours()))), absl::OkStatus());
  const auto seen = Probe(Settings(server.target(), Trusting(Ours())));
  EXPECT_EQ(seen.peer, Peer::kTls);
  EXPECT_EQ(seen.problem, CertificateProblem::kNone);
  EXPECT_TRUE(seen.handshake_done);
  EXPECT_EQ(seen.alpn, "h2");
}

TEST_F(Peers, AnUnknownAuthority) {
  const GrpcServer server(ServerTls(good_));
  const Authority other("other");
  EXPECT_EQ(Echo(Settings(server.target(), Trusting(other))).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target(), Trusting(other))).problem, CertificateProblem::kUnknownAuthority);
  EXPECT_EQ(Echo(Settings(server.target(), Tls{})).code(), absl::StatusCode::kUnavailable);  // the system's
  EXPECT_EQ(Probe(Settings(server.target(), Tls{})).problem, CertificateProblem::kUnknownAuthority);
}

TEST_F(Peers, AnExpiredCertificateAndOneOfTomorrow) {
  const GrpcServer expired(ServerTls(Ours().Sign("IP:127.0.0.1", -10, -1)));
  EXPECT_EQ(Echo(Settings(expired.target(), Trusting(Ours()))).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(expired.target(), Trusting(Ours()))).problem, CertificateProblem::kExpired);
  const GrpcServer early(ServerTls(Ours().Sign("IP:127.0.0.1", 1, 2)));
  EXPECT_EQ(Probe(Settings(early.target(), Trusting(Ours()))).problem, CertificateProblem::kNotYetValid);
}

TEST_F(Peers, ACertificateForAnotherNameUntilTheAuthoritySaysSo) {
  const GrpcServer server(ServerTls(Ours().Sign("DNS:xds.example.com,IP:10.0.0.1")));
  auto settings = Settings(server.target(), Trusting(Ours()));
  EXPECT_EQ(Echo(settings).code(), absl::StatusCode::kUnavailable);
  const auto seen = Probe(settings);
  EXPECT_EQ(seen.problem, CertificateProblem::kWrongName);
  EXPECT_THAT(seen.names, ElementsAre("xds.example.com", "10.0.0.1"));
  settings.authority = "xds.example.com";
  EXPECT_EQ(Echo(settings), absl::OkStatus());
  EXPECT_EQ(server.arrived().authority, "xds.example.com");
  EXPECT_EQ(Probe(settings).problem, CertificateProblem::kNone);
}

TEST_F(Peers, InsecureTakesAnyCertificate) {
  const GrpcServer server(ServerTls(Ours().Sign("DNS:elsewhere", -10, -1)));
  Tls tls;
  tls.insecure = true;
  EXPECT_EQ(Echo(Settings(server.target(), tls)), absl::OkStatus());
  EXPECT_EQ(Probe(Settings(server.target(), tls)).problem, CertificateProblem::kNone);
}

TEST_F(Peers, NamesAreComparedInPlaceOfTheHost) {
  const GrpcServer server(ServerTls(Ours().Sign("DNS:xds.example.com,URI:spiffe://mesh/plane")));
  auto settings = Settings(server.target(), Trusting(Ours()));
  settings.tls->check_host = false;
  EXPECT_EQ(Echo(settings), absl::OkStatus()) << "any name will do";
  settings.tls->names = {{.kind = transport::NameMatcher::Kind::kUri, .text = "spiffe://mesh/plane"}};
  EXPECT_EQ(Echo(settings), absl::OkStatus());
  EXPECT_EQ(Probe(settings).problem, CertificateProblem::kNone);
  settings.tls->names = {{.kind = transport::NameMatcher::Kind::kUri, .text = "spiffe://mesh/other"}};
  EXPECT_EQ(Echo(settings).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(settings).problem, CertificateProblem::kWrongName);
  settings.tls = Trusting(Authority("other"));
  settings.tls->check_host = false;
  EXPECT_EQ(Echo(settings).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(settings).problem, CertificateProblem::kUnknownAuthority);
}

TEST_F(Peers, AKnownCertificateNeedsNoAuthority) {
  const GrpcServer server(ServerTls(Ours().Sign("DNS:elsewhere", -10, -1)));
  Tls tls;
  tls.check_chain = false;
  tls.check_host = false;
  tls.certificate_hashes = {std::string(32, 'x')};
  EXPECT_EQ(Echo(Settings(server.target(), tls)).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target(), tls)).problem, CertificateProblem::kWrongHash);
}

TEST_F(Peers, TheNameOfTheHandshakeIsCheckedAsTheHostIs) {
  const GrpcServer server(ServerTls(Ours().Sign("DNS:xds.example.com")));
  auto settings = Settings(server.target(), Trusting(Ours()));
  settings.tls->sni = "xds.example.com";
  settings.authority = "cluster";
  EXPECT_EQ(Echo(settings), absl::OkStatus());
  EXPECT_EQ(server.arrived().authority, "cluster");
  EXPECT_EQ(Probe(settings).problem, CertificateProblem::kNone);
  settings.authority.clear();
  EXPECT_EQ(Echo(settings), absl::OkStatus());
  EXPECT_EQ(server.arrived().authority, "xds.example.com");
  settings.tls->sni = "elsewhere.example.com";
  EXPECT_EQ(Echo(settings).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(settings).problem, CertificateProblem::kWrongName);
}

TEST_F(Peers, MutualTls) {
  const GrpcServer server(ServerTls(good_, Ours().pem()));
  const KeyAndCertificate client = Ours().Sign("DNS:client");
  Tls tls = Trusting(Ours());
  EXPECT_EQ(Echo(Settings(server.target(), tls)).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target(), tls)).problem, CertificateProblem::kClientRequired);
  tls.cert_pem = client.certificate_pem;
  tls.key_pem = client.key_pem;
  EXPECT_EQ(Echo(Settings(server.target(), tls)), absl::OkStatus());
  EXPECT_EQ(Probe(Settings(server.target(), tls)).problem, CertificateProblem::kNone);
  Tls insecure = tls;
  insecure.ca_pem.clear();
  insecure.insecure = true;
  EXPECT_EQ(Echo(Settings(server.target(), insecure)), absl::OkStatus());
  const KeyAndCertificate stranger = Authority("other").Sign("DNS:client");
  tls.cert_pem = stranger.certificate_pem;
  tls.key_pem = stranger.key_pem;
  EXPECT_EQ(Echo(Settings(server.target(), tls)).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target(), tls)).problem, CertificateProblem::kClientRefused);
}

TEST_F(Peers, PlaintextToATlsPort) {
  const GrpcServer server(ServerTls(good_));
  EXPECT_EQ(Echo(Settings(server.target())).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target())).peer, Peer::kTls);
}

TEST_F(Peers, TlsToAPlaintextPort) {
  const GrpcServer server;
  EXPECT_EQ(Echo(Settings(server.target(), Trusting(Ours()))).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target(), Trusting(Ours()))).peer, Peer::kPlaintextHttp2);
  EXPECT_EQ(Probe(Settings(server.target())).peer, Peer::kPlaintextHttp2);
}

TEST_F(Peers, AWebServer) {
  const RawServer server("HTTP/1.1 400 Bad Request\r\n\r\n", RawServer::After::kClose);
  EXPECT_EQ(Echo(Settings(server.target())).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target())).peer, Peer::kHttp1);
  EXPECT_EQ(Probe(Settings(server.target(), Trusting(Ours()))).peer, Peer::kHttp1);
}

TEST_F(Peers, Garbage) {
  const RawServer server("SSH-2.0-OpenSSH_9.2 and more\r\n", RawServer::After::kHold);
  EXPECT_EQ(Echo(Settings(server.target())).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target()), std::chrono::milliseconds(200)).peer, Peer::kOther);
}

TEST_F(Peers, OneThatClosesAtOnce) {
  const RawServer server("", RawServer::After::kClose);
  EXPECT_EQ(Echo(Settings(server.target())).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Probe(Settings(server.target())).peer, Peer::kClosed);
}

TEST_F(Peers, OneThatIsSilentRunsIntoTheConnectTimeout) {
  const RawServer server("", RawServer::After::kHold);
  auto settings = Settings(server.target());
  settings.connect_timeout = std::chrono::milliseconds(200);
  const base::Time start = loop_.Now();
  const absl::Status status = Echo(settings);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no connection within 0.2s"));
  EXPECT_LT(loop_.Now() - start, std::chrono::seconds(2));
  EXPECT_EQ(Probe(settings, std::chrono::milliseconds(200)).peer, Peer::kSilent);
  settings.tls.emplace().insecure = true;
  EXPECT_EQ(Probe(settings, std::chrono::milliseconds(200)).peer, Peer::kSilent);
}

TEST_F(Peers, NobodyThere) {
  std::string target;
  { target = GrpcServer().target(); }  // free again
  const auto seen = Probe(Settings(target));
  EXPECT_EQ(seen.peer, Peer::kRefused);
  EXPECT_EQ(seen.address, target);
  EXPECT_EQ(seen.detail, "Connection refused");
  EXPECT_EQ(Probe(Settings(std::string(64, 'x') + ".invalid:1")).peer, Peer::kUnresolved);  // asks no name server
  EXPECT_EQ(Probe(Settings("unix:/no/such/socket")).peer, Peer::kUnresolved);
}

TEST_F(Peers, AProxyIsAskedForTheTarget) {
  const RawServer proxy("HTTP/1.1 403 Forbidden\r\n\r\n", RawServer::After::kClose);
  auto settings = Settings("xds.example.com:443");
  settings.http_proxy = "http://user:word@" + proxy.target();
  EXPECT_EQ(Echo(settings).code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(proxy.received(), StartsWith("CONNECT xds.example.com:443 HTTP/1."));
  EXPECT_THAT(proxy.received(), HasSubstr("Basic dXNlcjp3b3Jk"));
}

TEST_F(Peers, ALocalTargetNeedsNoProxy) {
  const GrpcServer server;
  const RawServer proxy("HTTP/1.1 403 Forbidden\r\n\r\n", RawServer::After::kClose);
  auto settings = Settings(server.target());
  settings.http_proxy = "http://" + proxy.target();
  EXPECT_EQ(Echo(settings), absl::OkStatus());
  EXPECT_EQ(proxy.received(), "");
}

TEST_F(Peers, WithoutFailFastAStreamWaitsForTheServerToCome) {
  int port = 0;
  { port = GrpcServer().port(); }
  auto settings = Settings("127.0.0.1:" + std::to_string(port));
  settings.fail_fast = false;
  settings.connect_timeout = std::chrono::milliseconds(300);
  EXPECT_EQ(Echo(settings).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(Peers, ACancelWhileConnectingEndsAtOnce) {
  const RawServer server("", RawServer::After::kHold);
  const base::Time start = loop_.Now();
  {
    auto channel = transport::ConnectGrpc(loop_, Settings(server.target()));
    Client client(loop_, **channel, "/test/Echo", {"x"});
    const auto cancel = loop_.After(std::chrono::milliseconds(20), [&](base::Time) { client.stream().Cancel(); });
    EXPECT_EQ(client.Run().code(), absl::StatusCode::kCancelled);
  }
  EXPECT_LT(loop_.Now() - start, std::chrono::milliseconds(500));
}

}  // namespace
}  // namespace xdscope::integration
