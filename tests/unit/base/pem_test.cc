#include "lib/base/pem.h"

#include <gmock/gmock.h>

#include "tests/fake/certificates.h"

namespace xdscope::base {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A key of 1024 bits, and one on a curve that Envoy does not take.
constexpr std::string_view kShortRsa = R"(-----BEGIN CERTIFICATE-----
MIIB/jCCAWegAwIBAgIURssfOnRHBPk9ce7NGkhwxo3BL8UwDQYJKoZIhvcNAQEL
BQAwEDEOMAwGA1UEAwwFc2hvcnQwIBcNMjYxMTIyMTU1MjA4WhgPMjEyNjEwMjkx
NTUyMDhaMBAxDjAMBgNVBAMMBXNob3J0MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB
iQKBgQDWEy5HXp6RnfmA75GuVOUOq8edGh6GoqO1gjcRKdbherFfcMVFbMurRCNc
77EW5izpqsTX9FtoSrj8Codi+o+VBnoDOyTW8TcMQd/grJAxXQEVUMBiBMoBsFXR
x18zFzmSBUTwOnPoKT3e6pHIszE2TxzPLM56CNd942rDKtSm7wIDAQABo1MwUTAd
BgNVHQ4EFgQUjWxs69RLMDdIF9YC690BYyDybTkwHwYDVR0jBBgwFoAUjWxs69RL
MDdIF9YC690BYyDybTkwDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOB
gQDCpO+pVhqZhHdzNaRWNKraRWM3i2ms8LNELr3jeWaH24Q4M7FKA4b5gcOwIrj+
0Rul2cYeD+0wkU3LvqUdePmvmb5458ujE0ELW0CVg3ta9VAU2cjLLmu095vixJrN
MM2533Hy2YIZN9igMO/roZFt0MiuHBHTbf9XBC6vXkOkRQ==
-----END CERTIFICATE-----
)";
constexpr std::string_view kOtherCurve = R"(-----BEGIN CERTIFICATE-----
MIIBdDCCARqgAwIBAgIUIy590ihAuhyTE97wGBniH5Z9WAkwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFY3VydmUwIBcNMjYxMTIyMTU1MjA4WhgPMjEyNjEwMjkxNTUy
MDhaMBAxDjAMBgNVBAMMBWN1cnZlMFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAECCrF
+n0Rb0vkTPN0TpNOZketJjPn5ZgwOwD61NGx9Cs9pvEGYQetjDIxJTxcL7ZLyYHh
6P8oU2n1WN1fOHEVYaNTMFEwHQYDVR0OBBYEFJUrPa0hFO6ldUXPRp2eN12Fgs8r
MB8GA1UdIwQYMBaAFJUrPa0hFO6ldUXPRp2eN12Fgs8rMA8GA1UdEwEB/wQFMAMB
Af8wCgYIKoZIzj0EAwIDSAAwRQIhANgTmyH+NyLWUmvST7qaL3kqpBa4Shq9MNwV
3uF/2DXTAiBdsLwRgd+H4Ls7fpSQeW6vcWzd5yUMh5tyDIYbxMBdkQ==
-----END CERTIFICATE-----
)";
constexpr std::string_view kRevocations = R"(-----BEGIN X509 CRL-----
MIGSMDswCgYIKoZIzj0EAwIwDTELMAkGA1UEAwwCY2EXDTI2MTEyMjE1NTIwOVoY
DzIxMjYxMDI5MTU1MjA5WjAKBggqhkjOPQQDAgNHADBEAiArxcpOg36oGL0DJVSf
ntySD0nO/c05DYcx7SNOm8veNwIgPVM5XwYRD4kAi1Fvkugh4AZn3Zk2+b1z+ydt
Hrnlhkg=
-----END X509 CRL-----
)";

class PemTest : public testing::Test {
 protected:
  fake::Authority authority_{"ca"};
  fake::KeyAndCertificate own_ = authority_.Sign("DNS:a");
  fake::KeyAndCertificate other_ = authority_.Sign("DNS:b");
};

TEST_F(PemTest, AChainHasReadableCertificates) {
  EXPECT_TRUE(CheckCertificateChain(own_.certificate_pem + authority_.pem()).ok());
  EXPECT_TRUE(CheckCertificateChain(own_.key_pem + "words between them\n" + own_.certificate_pem).ok());
  EXPECT_EQ(Message(CheckCertificateChain("")), "there is no PEM certificate in it");
  EXPECT_EQ(Message(CheckCertificateChain("[redacted]")), "there is no PEM certificate in it");
  EXPECT_EQ(Message(CheckCertificateChain(own_.key_pem)), "there is no PEM certificate in it");
  EXPECT_EQ(Message(CheckCertificateChain(own_.certificate_pem + "-----BEGIN CERTIFICATE-----\nAAAA\n"
                                                                 "-----END CERTIFICATE-----\n")),
            "a certificate in it cannot be read");
  EXPECT_EQ(Message(CheckCertificateChain(own_.certificate_pem.substr(0, 200))), "a certificate in it cannot be read");
}

TEST_F(PemTest, AKeyIsLongEnoughAndOnACurveThatEnvoyKnows) {
  EXPECT_EQ(Message(CheckCertificateChain(kShortRsa)), "an RSA key has 2048 bits at least, and this one has 1024");
  EXPECT_EQ(Message(CheckCertificateChain(kOtherCurve)),
            "the key of the certificate is on none of the curves P-256, P-384 and P-521");
  EXPECT_TRUE(CheckAuthorities(kShortRsa).ok());
}

TEST_F(PemTest, AKeyIsThere) {
  EXPECT_TRUE(CheckPrivateKey(own_.key_pem, false).ok());
  EXPECT_TRUE(CheckPrivateKey(own_.certificate_pem + own_.key_pem, false).ok());
  EXPECT_EQ(Message(CheckPrivateKey("key-data", false)), "there is no PEM private key in it");
  EXPECT_EQ(Message(CheckPrivateKey(own_.certificate_pem, true)), "there is no PEM private key in it");
}

TEST_F(PemTest, AnEncryptedKeyNeedsAPassword) {
  EXPECT_TRUE(CheckPrivateKey(fake::EncryptedKey(), true).ok());
  EXPECT_EQ(Message(CheckPrivateKey(fake::EncryptedKey(), false)),
            "the private key is encrypted, and there is no password");
}

TEST_F(PemTest, AKeyBelongsToItsCertificate) {
  EXPECT_TRUE(BelongTogether(own_.certificate_pem + other_.certificate_pem, own_.key_pem));
  EXPECT_FALSE(BelongTogether(other_.certificate_pem + own_.certificate_pem, own_.key_pem));
  EXPECT_TRUE(BelongTogether(own_.certificate_pem, fake::EncryptedKey()));
  EXPECT_TRUE(BelongTogether("", own_.key_pem));
}

TEST_F(PemTest, ACertificateIsValidForATime) {
  EXPECT_THAT(WhyNotValid(own_.certificate_pem), IsEmpty());
  EXPECT_THAT(WhyNotValid(authority_.Sign("DNS:a", -3, -2).certificate_pem), StartsWith("it expired on 20"));
  EXPECT_THAT(WhyNotValid(authority_.Sign("DNS:a", 2, 3).certificate_pem), StartsWith("it is not valid before 20"));
  EXPECT_THAT(WhyNotValid("none"), IsEmpty());
}

TEST_F(PemTest, RevocationsAreAList) {
  EXPECT_TRUE(CheckRevocations(kRevocations).ok());
  EXPECT_THAT(Message(CheckRevocations(authority_.pem())), HasSubstr("no PEM list"));
}

}  // namespace
}  // namespace xdscope::base
