#include "lib/transport/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xdscope::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::TestWithParam;
using ::testing::ValuesIn;
using Family = Target::Family;
using Security = Target::Security;

struct Good {
  std::string text;
  Family family;
  std::string host;
  std::string port;
  bool is_local;
  std::string grpc;
  std::string display;
  Security security = Security::kUnsaid;
};

class GoodTarget : public TestWithParam<Good> {};

TEST_P(GoodTarget, IsTakenApart) {
  const absl::StatusOr<Target> target = ParseTarget(GetParam().text);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->family, GetParam().family);
  EXPECT_EQ(target->host, GetParam().host);
  EXPECT_EQ(target->port, GetParam().port);
  EXPECT_EQ(target->is_local, GetParam().is_local);
  EXPECT_EQ(target->grpc, GetParam().grpc);
  EXPECT_EQ(target->Display(), GetParam().display);
  EXPECT_EQ(target->security, GetParam().security);
}

TEST(Target, APasswordInAUrlIsRefusedAndNotRepeated) {
  const absl::StatusOr<Target> target = ParseTarget("http://u:secret@h/");
  EXPECT_THAT(target.status().ToString(), HasSubstr("has a user or a password"));
  EXPECT_THAT(target.status().ToString(), testing::Not(HasSubstr("secret")));
}

TEST(Target, OfRestHasAPrefix) {
  const absl::StatusOr<Target> target = ParseTarget("https://h:8443/a/b/");
  ASSERT_TRUE(target.ok());
  EXPECT_TRUE(target->rest);
  EXPECT_EQ(target->prefix, "/a/b");
  EXPECT_EQ(target->HostPort(), "h:8443");
  EXPECT_FALSE(ParseTarget("h:1")->rest);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, GoodTarget,
    ValuesIn(std::vector<Good>{
        {"xds.example.com:443", Family::kTcp, "xds.example.com", "443", false, "dns:///xds.example.com:443",
         "xds.example.com:443"},
        {"localhost:1", Family::kTcp, "localhost", "1", true, "dns:///localhost:1", "localhost:1"},
        {"a.localhost:1", Family::kTcp, "a.localhost", "1", true, "dns:///a.localhost:1", "a.localhost:1"},
        {"127.8.9.1:80", Family::kTcp, "127.8.9.1", "80", true, "ipv4:127.8.9.1:80", "127.8.9.1:80"},
        {"10.0.0.1:80", Family::kTcp, "10.0.0.1", "80", false, "ipv4:10.0.0.1:80", "10.0.0.1:80"},
        {"[::1]:80", Family::kTcp, "::1", "80", true, "ipv6:[::1]:80", "[::1]:80"},
        {"[2001:db8::1]:80", Family::kTcp, "2001:db8::1", "80", false, "ipv6:[2001:db8::1]:80", "[2001:db8::1]:80"},
        {"[::ffff:127.0.0.1]:80", Family::kTcp, "::ffff:127.0.0.1", "80", true, "ipv6:[::ffff:127.0.0.1]:80",
         "[::ffff:127.0.0.1]:80"},
        {"dns:///h:1", Family::kTcp, "h", "1", false, "dns:///h:1", "h:1"},
        {"dns:h:1", Family::kTcp, "h", "1", false, "dns:///h:1", "h:1"},
        {"dns:1", Family::kTcp, "dns", "1", false, "dns:///dns:1", "dns:1"},
        {"http://h", Family::kTcp, "h", "80", false, "", "http://h:80", Security::kPlaintext},
        {"http://[::1]:8080/", Family::kTcp, "::1", "8080", true, "", "http://[::1]:8080", Security::kPlaintext},
        {"https://xds.example.com/a/b/", Family::kTcp, "xds.example.com", "443", false, "",
         "https://xds.example.com:443/a/b", Security::kTls},
        {"ipv4:1.2.3.4:5", Family::kTcp, "1.2.3.4", "5", false, "ipv4:1.2.3.4:5", "1.2.3.4:5"},
        {"ipv6:[::2]:5", Family::kTcp, "::2", "5", false, "ipv6:[::2]:5", "[::2]:5"},
        {"grpc://h:1", Family::kTcp, "h", "1", false, "dns:///h:1", "h:1", Security::kPlaintext},
        {"grpcs://localhost:1", Family::kTcp, "localhost", "1", true, "dns:///localhost:1", "localhost:1",
         Security::kTls},
        {"unix:/run/x.sock", Family::kUnix, "/run/x.sock", "", true, "unix:/run/x.sock", "unix:/run/x.sock"},
        {"unix:///run/x.sock", Family::kUnix, "/run/x.sock", "", true, "unix:/run/x.sock", "unix:/run/x.sock"},
        {"unix:here", Family::kUnix, "here", "", true, "unix:here", "unix:here"},
        {"unix:/a b%", Family::kUnix, "/a b%", "", true, "unix:/a%20b%25", "unix:/a b%"},
        {"unix-abstract:x", Family::kUnixAbstract, "x", "", true, "unix-abstract:x", "unix-abstract:x"},
    }));

struct Bad {
  std::string text;
  std::string why;
};

class BadTarget : public TestWithParam<Bad> {};

TEST_P(BadTarget, IsInvalidAndSaysWhy) {
  const absl::StatusOr<Target> target = ParseTarget(GetParam().text);
  EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(target.status().message()), HasSubstr(GetParam().text + ": " + GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(Forms, BadTarget,
                         ValuesIn(std::vector<Bad>{
                             {"", "no host"},
                             {"http://", "no host"},
                             {"http://h:", "no port"},
                             {"http://h:80x/", "'80x' is not a port"},
                             {"http://h/a?b", "a prefix is a path"},
                             {"http://h/a b", "a prefix is a path"},
                             {"xds.example.com", "no port: expected HOST:PORT"},
                             {"xds.example.com:", "no port"},
                             {"::1", "no port"},
                             {"[::1]", "no port"},
                             {"[::1", "no port"},
                             {"grpc://h", "no port"},
                             {":80", "no host"},
                             {"h:http", "'http' is not a port"},
                             {"h:65536", "'65536' is not a port"},
                             {"h:-1", "'-1' is not a port"},
                             {"h/path:1", "'h/path' is not a host"},
                             {"me@h:1", "'me@h' is not a host"},
                             {"[h]x:1", "no port"},
                             {"[a:b]:1", "'a:b' is not a host"},
                             {"ipv4:h:1", "'h' is not an IPv4 address"},
                             {"ipv6:1.2.3.4:1", "'1.2.3.4' is not an IPv6 address"},
                             {"unix:", "no path"},
                             {"xds:///h:1", "unknown scheme 'xds'"},
                             {"ftp://h:1", "unknown scheme 'ftp'"},
                             {"unix:/" + std::string(107, 'x'), "a socket's path has at most 107 bytes"},
                         }));

}  // namespace
}  // namespace xdscope::transport
