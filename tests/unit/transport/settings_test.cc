// What ConnectGrpc() refuses before anything connects.
#include "lib/transport/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/transport/grpc_channel.h"
#include "lib/transport/tls.h"
#include "tests/fake/certificates.h"

namespace xdscope::transport {
namespace {

using ::testing::HasSubstr;

const fake::Authority& Ours() {
  static const fake::Authority authority("ours");
  return authority;
}

absl::Status Connect(ChannelSettings settings) {
  base::Loop loop;
  if (settings.target.empty()) settings.target = "127.0.0.1:1";
  return ConnectGrpc(loop, std::move(settings)).status();
}

absl::Status WithHeader(const std::string& name, const std::string& value) {
  ChannelSettings settings;
  settings.headers = {{name, value}};
  return Connect(settings);
}

absl::Status WithTls(const Tls& tls) {
  ChannelSettings settings;
  settings.tls = tls;
  return Connect(settings);
}

TEST(ChannelSettings, ATargetWithoutAPortIsInvalid) {
  ChannelSettings settings;
  settings.target = "localhost";
  EXPECT_EQ(Connect(settings).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ChannelSettings, HeadersThatGrpcWouldAbortOnAreInvalid) {
  EXPECT_TRUE(WithHeader("X-Good", "value").ok());
  EXPECT_TRUE(WithHeader("x-raw-bin", std::string("\0\n\xff", 3)).ok());
  for (const auto* name : {"", ":path", "a b", "\xc3\xa4"}) {
    EXPECT_EQ(WithHeader(name, "x").code(), absl::StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(WithHeader("x", "a\nb").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WithHeader("x", "\xc3\xa4").code(), absl::StatusCode::kInvalidArgument);
}

TEST(ChannelSettings, TextThatIsNoCertificateIsInvalid) {
  const auto own = Ours().Sign("DNS:client");
  EXPECT_EQ(WithTls({"no PEM", "", ""}),
            absl::InvalidArgumentError("certificate authorities: no PEM certificate in them"));
  EXPECT_EQ(WithTls({Ours().pem(), "no PEM", own.key_pem}),
            absl::InvalidArgumentError("client certificate: no PEM certificate in it"));
  EXPECT_EQ(WithTls({Ours().pem(), own.certificate_pem, "no PEM"}),
            absl::InvalidArgumentError("client key: no PEM private key in it"));
}

TEST(ChannelSettings, ACertificateNeedsItsOwnKeyAndTheReverse) {
  const auto own = Ours().Sign("DNS:client");
  const auto other = Ours().Sign("DNS:client");
  EXPECT_EQ(WithTls({Ours().pem(), own.certificate_pem, ""}),
            absl::InvalidArgumentError("client certificate: it needs its key"));
  EXPECT_EQ(WithTls({Ours().pem(), "", own.key_pem}),
            absl::InvalidArgumentError("client key: it needs its certificate"));
  EXPECT_EQ(WithTls({Ours().pem(), own.certificate_pem, other.key_pem}),
            absl::InvalidArgumentError("client key: it does not belong to the client certificate"));
  EXPECT_TRUE(WithTls({Ours().pem(), own.certificate_pem, own.key_pem}).ok());
}

TEST(ChannelSettings, AnEncryptedKeyIsInvalidAndNobodyIsAskedForAPassword) {
  const auto own = Ours().Sign("DNS:client");
  EXPECT_EQ(WithTls({Ours().pem(), own.certificate_pem, fake::EncryptedKey()}),
            absl::InvalidArgumentError("client key: it is encrypted"));
}

TEST(CheckedTls, InsecureNeedsNoAuthorities) {
  Tls tls;
  tls.insecure = true;
  const absl::StatusOr<Tls> checked = CheckedTls(tls);
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->ca_pem, "");
}

TEST(CheckedTls, TheAuthoritiesThatAreGivenAreTheOnlyOnes) {
  Tls tls;
  tls.ca_pem = Ours().pem();
  const absl::StatusOr<Tls> checked = CheckedTls(tls);
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->ca_pem, Ours().pem());
}

}  // namespace
}  // namespace xdscope::transport
