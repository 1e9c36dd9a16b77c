#include "lib/transport/server_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/sha.h>
#include <openssl/x509.h>

#include <string>

#include "tests/fake/certificates.h"

namespace xdscope::transport {
namespace {

using Kind = NameMatcher::Kind;
using How = NameMatcher::How;

const fake::Authority& Ours() {
  static const fake::Authority authority("ours");
  return authority;
}

Certificate Signed(const std::string& names) {
  return ReadCertificate(Ours().Sign(names).certificate_pem);
}

std::string HashOf(unsigned char* bytes, int size) {
  std::string hash(SHA256_DIGEST_LENGTH, '\0');
  SHA256(bytes, static_cast<std::size_t>(size), reinterpret_cast<unsigned char*>(hash.data()));
  OPENSSL_free(bytes);
  return hash;
}

// Settings that ask for nothing but what a test adds.
Tls Asking() {
  Tls tls;
  tls.check_host = false;
  return tls;
}

TEST(ServerCertificate, HasNamesOfFourKinds) {
  std::string names;
  const Certificate certificate = Signed("DNS:a.example,URI:spiffe://x/y,email:m@x,IP:1.2.3.4,IP:::1,RID:1.2.3");
  for (const CertificateName& name : NamesOf(*certificate)) {
    names += std::to_string(static_cast<int>(name.kind)) + " " + name.text + "; ";
  }
  EXPECT_EQ(names, "1 a.example; 2 spiffe://x/y; 3 m@x; 4 1.2.3.4; 4 ::1; ");
}

TEST(ServerCertificate, TextThatIsNoneIsNone) {
  EXPECT_EQ(ReadCertificate("no PEM"), nullptr);
  EXPECT_EQ(ReadCertificate(""), nullptr);
}

// The cases of Envoy's own tests among them.
TEST(Matches, AnExactDnsNameTakesWildcardsOfTheCertificate) {
  const auto matches = [](const std::string& wanted, const std::string& held) {
    return Matches({Kind::kDns, How::kExact, wanted}, {Kind::kDns, held});
  };
  for (const auto& [wanted, held] : {std::pair{"lyft.com", "lyft.com"},
                                     {"LYFT.com", "lyft.COM"},
                                     {"a.lyft.com", "*.lyft.com"},
                                     {"a.LYFT.com", "*.lyft.COM"},
                                     {"foobar.lyft.com", "foo*.lyft.com"},
                                     {"foo-bar.lyft.com", "*-bar.lyft.com"},
                                     {"foobar.lyft.com", "f*r.lyft.com"}}) {
    EXPECT_TRUE(matches(wanted, held)) << wanted << " " << held;
  }
  for (const auto& [wanted, held] : {std::pair{"a.b.lyft.com", "*.lyft.com"},
                                     {"foo.test.com", "*.lyft.com"},
                                     {"lyft.com", "*.lyft.com"},
                                     {"alyft.com", "*.lyft.com"},
                                     {"a.lyft.com", "*lyft.com"},
                                     {"lyft.com", ""},
                                     {"", "*"},
                                     {"com", "*"},
                                     {"xn--a.lyft.com", "xn--*.lyft.com"},
                                     {"foobar.lyft.com", "f*b*r.lyft.com"},
                                     {"*.lyft.com", "a.lyft.com"},
                                     {"ab.lyft.com", "abc*.lyft.com"},
                                     {"a.lyft.com.", "*.lyft.com"}}) {
    EXPECT_FALSE(matches(wanted, held)) << wanted << " " << held;
  }
}

TEST(Matches, OtherMatchersTakeTheTextAsItIs) {
  const CertificateName uri = {Kind::kUri, "spiffe://Cluster/ns/a"};
  EXPECT_TRUE(Matches({Kind::kUri, How::kExact, "spiffe://Cluster/ns/a"}, uri));
  EXPECT_FALSE(Matches({Kind::kUri, How::kExact, "spiffe://cluster/ns/a"}, uri));
  EXPECT_TRUE(Matches({Kind::kUri, How::kExact, "spiffe://cluster/ns/a", true}, uri));
  EXPECT_FALSE(Matches({Kind::kDns, How::kExact, "spiffe://Cluster/ns/a"}, uri));
  EXPECT_TRUE(Matches({Kind::kAny, How::kPrefix, "spiffe://C"}, uri));
  EXPECT_FALSE(Matches({Kind::kAny, How::kPrefix, "spiffe://c"}, uri));
  EXPECT_TRUE(Matches({Kind::kAny, How::kPrefix, "SPIFFE", true}, uri));
  EXPECT_TRUE(Matches({Kind::kUri, How::kSuffix, "/ns/a"}, uri));
  EXPECT_FALSE(Matches({Kind::kUri, How::kSuffix, "/ns"}, uri));
  EXPECT_TRUE(Matches({Kind::kUri, How::kContains, "CLUSTER", true}, uri));
  EXPECT_FALSE(Matches({Kind::kUri, How::kContains, "CLUSTER"}, uri));
  EXPECT_TRUE(Matches({Kind::kUri, How::kRegex, "spiffe://.*/ns/[ab]"}, uri));
  EXPECT_FALSE(Matches({Kind::kUri, How::kRegex, "spiffe://"}, uri)) << "a regular expression is for the whole name";
  EXPECT_FALSE(Matches({Kind::kUri, How::kRegex, "("}, uri));
  EXPECT_FALSE(Matches({Kind::kDns, How::kPrefix, "a"}, {Kind::kDns, "*.lyft.com"}));
}

TEST(Matches, ANameWithANulIsAnotherName) {
  const std::string held("a.example\0.evil.example", 23);
  EXPECT_FALSE(Matches({Kind::kDns, How::kExact, "a.example"}, {Kind::kDns, held}));
}

TEST(CompareCertificate, TheHost) {
  const Certificate certificate = Signed("DNS:*.example.com,IP:127.0.0.1");
  const Tls tls;
  EXPECT_EQ(CompareCertificate(*certificate, "a.example.com", tls), Mismatch::kNone);
  EXPECT_EQ(CompareCertificate(*certificate, "127.0.0.1", tls), Mismatch::kNone);
  EXPECT_EQ(CompareCertificate(*certificate, "127.0.0.2", tls), Mismatch::kName);
  EXPECT_EQ(CompareCertificate(*certificate, "example.org", tls), Mismatch::kName);
  EXPECT_EQ(CompareCertificate(*certificate, "", tls), Mismatch::kName);
  EXPECT_EQ(CompareCertificate(*certificate, "example.org", Asking()), Mismatch::kNone);
}

TEST(CompareCertificate, OneOfTheNamesIsEnoughAndOneIsNeeded) {
  const Certificate certificate = Signed("DNS:a,URI:spiffe://x");
  Tls tls = Asking();
  tls.names = {{Kind::kDns, How::kExact, "b"}};
  EXPECT_EQ(CompareCertificate(*certificate, "a", tls), Mismatch::kName);
  tls.names.push_back({Kind::kUri, How::kExact, "spiffe://x"});
  EXPECT_EQ(CompareCertificate(*certificate, "a", tls), Mismatch::kNone);
  tls.check_host = true;
  EXPECT_EQ(CompareCertificate(*certificate, "b", tls), Mismatch::kName) << "both are asked for";
}

TEST(CompareCertificate, TheHashOfTheCertificateOrOfItsKey) {
  const Certificate certificate = Signed("DNS:a");
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate.get(), &bytes);
  const std::string hash = HashOf(bytes, size);
  bytes = nullptr;
  const int key_size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.get()), &bytes);
  const std::string key_hash = HashOf(bytes, key_size);

  Tls tls = Asking();
  tls.certificate_hashes = {std::string(32, 'x'), hash};
  EXPECT_EQ(CompareCertificate(*certificate, "", tls), Mismatch::kNone);
  tls.certificate_hashes = {key_hash};
  EXPECT_EQ(CompareCertificate(*certificate, "", tls), Mismatch::kHash);
  tls.key_hashes = {key_hash};
  EXPECT_EQ(CompareCertificate(*certificate, "", tls), Mismatch::kNone) << "either will do";
  tls.key_hashes = {hash};
  EXPECT_EQ(CompareCertificate(*certificate, "", tls), Mismatch::kHash);
  tls.insecure = true;
  EXPECT_EQ(CompareCertificate(*certificate, "", tls), Mismatch::kNone);
}

TEST(CheckRegex, SaysWhatIsWrong) {
  EXPECT_TRUE(CheckRegex("a.*").ok());
  EXPECT_EQ(CheckRegex("(").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace xdscope::transport
