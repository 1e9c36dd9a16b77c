#include "lib/server/rest_plane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "lib/schema/schema.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/fake_http_call.h"
#include "tests/fake/messages.h"

namespace xdscope::server {
namespace {

using fake::kCds;
using fake::kEds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kClusters[] = "/v3/discovery:clusters";
constexpr char kEndpoints[] = "/v3/discovery:endpoints";

files::ResourcePtr Make(std::string_view type_url, std::string name, std::string version) {
  files::FileResource resource{std::string(type_url), std::move(name), std::move(version), {}, {}, "a.yaml:1"};
  resource.payload = fake::Payload(resource.name);
  return std::make_shared<const files::FileResource>(std::move(resource));
}

// What is told of clients.
class Log final : public Observer {
 public:
  void OnRequest(const ClientStream& client, const protocol::Received& received) override {
    nodes.push_back(client.node_id);
    refused += received.kind == protocol::Received::Kind::kNack ? 1 : 0;
  }
  void OnClosed(const ClientStream&, const absl::Status& status) override { closed.push_back(status); }

  std::vector<std::string> nodes;
  int refused = 0;
  std::vector<absl::Status> closed;
};

class RestPlaneTest : public ::testing::Test {
 protected:
  void Serve(RestPlane::Options options = {}) {
    options.next_id = [this] { return ++ids_; };
    plane_.emplace(clock_, inventory_, log_, types_, std::move(options));
  }
  void Change(const std::vector<files::ResourcePtr>& resources) {
    inventory_.Set(resources);
    plane_->Push();
    clock_.Advance({});
  }
  fake::FakeClient& Post(const char* path, std::string body, std::string method = "POST") {
    fake::FakeClient& client = clients_.emplace_back();
    plane_->Take(client.Call(std::move(method), path, std::move(body)));
    clock_.Advance({});
    return client;
  }
  // The version in a body.
  static std::string VersionIn(const std::string& body) {
    constexpr std::string_view kKey = R"("version_info":")";
    const std::size_t begin = body.find(kKey) + kKey.size();
    return body.substr(begin, body.find('"', begin) - begin);
  }
  static std::string WithVersion(const std::string& version, const std::string& names = "") {
    return R"({"version_info":")" + version + R"(","resource_names":[)" + names + "]}";
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  Inventory inventory_;
  Log log_;
  std::uint64_t ids_ = 0;
  std::deque<fake::FakeClient> clients_;  // outlive the plane, which holds their calls
  std::optional<RestPlane> plane_;
};

// XDS-R01, XDS-R11: the path says the type.
TEST_F(RestPlaneTest, AnswersAPostWithAllOfTheType) {
  Serve();
  Change({Make(kCds, "a", "1"), Make(kCds, "b", "1")});
  const fake::FakeClient& client = Post(kClusters, R"({"node":{"id":"n"}})");
  EXPECT_EQ(client.status(), 200);
  EXPECT_THAT(client.body(), StartsWith(R"({"version_info":")"));
  EXPECT_THAT(client.body(),
              HasSubstr(R"({"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"a"})"));
  EXPECT_THAT(client.body(), Not(HasSubstr("nonce")));  // XDS-R05
  EXPECT_TRUE(client.dropped);
  EXPECT_EQ(log_.nodes, std::vector<std::string>{"n"});
}

// XDS-R10
TEST_F(RestPlaneTest, ReadsEitherSpelling) {
  Serve();
  Change({Make(kEds, "a", "1"), Make(kEds, "b", "1")});
  for (const char* body : {R"({"resource_names":["b"]})", R"({"resourceNames":["b"],"fieldOfTomorrow":1})"}) {
    const fake::FakeClient& client = Post(kEndpoints, body);
    EXPECT_THAT(client.body(), HasSubstr(R"("cluster_name":"b")"));
    EXPECT_THAT(client.body(), Not(HasSubstr(R"("cluster_name":"a")")));
  }
}

// XDS-R02, XDS-R09
TEST_F(RestPlaneTest, AnEqualVersionIsNotModified) {
  Serve();
  Change({Make(kCds, "a", "1")});
  const std::string version = VersionIn(Post(kClusters, "{}").body());
  const fake::FakeClient& second = Post(kClusters, WithVersion(version));
  EXPECT_EQ(second.status(), 304);
  EXPECT_EQ(second.body(), "");
  Change({Make(kCds, "a", "2")});
  EXPECT_EQ(Post(kClusters, WithVersion(version)).status(), 200);
}

TEST_F(RestPlaneTest, TheVersionOfNamesIsThatOfTheseResources) {
  Serve();
  Change({Make(kEds, "a", "1"), Make(kEds, "b", "1")});
  const std::string version = VersionIn(Post(kEndpoints, WithVersion("", R"("a")")).body());
  EXPECT_EQ(Post(kEndpoints, WithVersion(version, R"("a","b")")).status(), 200);
  Change({Make(kEds, "a", "1"), Make(kEds, "b", "2")});
  EXPECT_EQ(Post(kEndpoints, WithVersion(version, R"("a")")).status(), 304);
}

TEST_F(RestPlaneTest, WhatDoesNotExistIsAnEmptyAnswer) {
  Serve();
  Change({Make(kEds, "a", "1")});
  const fake::FakeClient& client = Post(kEndpoints, WithVersion("", R"("x")"));
  EXPECT_EQ(client.status(), 200);
  EXPECT_THAT(client.body(), Not(HasSubstr("resources")));
  EXPECT_EQ(Post(kEndpoints, WithVersion(VersionIn(client.body()), R"("x")")).status(), 304);
}

// XDS-R09: a long poll.
TEST_F(RestPlaneTest, ARequestIsHeldUntilSomethingChanges) {
  Serve({.hold = seconds(30), .next_id = {}});
  Change({Make(kCds, "a", "1")});
  const std::string version = VersionIn(Post(kClusters, "{}").body());
  const fake::FakeClient& held = Post(kClusters, WithVersion(version));
  clock_.Advance(seconds(29));
  EXPECT_FALSE(held.reply);
  Change({Make(kCds, "a", "1"), Make(kEds, "a", "1")});
  EXPECT_FALSE(held.reply);  // of another type
  Change({Make(kCds, "a", "2")});
  EXPECT_EQ(held.status(), 200);
}

TEST_F(RestPlaneTest, AHeldRequestEndsWithItsTimeOrItsClient) {
  Serve({.hold = seconds(30), .next_id = {}});
  Change({Make(kCds, "a", "1")});
  const std::string version = VersionIn(Post(kClusters, "{}").body());
  const fake::FakeClient& patient = Post(kClusters, WithVersion(version));
  fake::FakeClient& other = Post(kClusters, WithVersion(version));
  other.Leave();
  EXPECT_TRUE(other.dropped);
  EXPECT_TRUE(absl::IsCancelled(log_.closed.back()));
  clock_.Advance(seconds(30));
  EXPECT_EQ(patient.status(), 304);
}

TEST_F(RestPlaneTest, RefusesWhatItDoesNotServe) {
  Serve();
  Change({Make(kCds, "a", "1")});
  EXPECT_EQ(Post("/v3/discovery:nothing", "{}").status(), 404);
  EXPECT_EQ(Post("/v3/discovery:virtual-hosts", "{}").status(), 404);  // XDS-R12
  EXPECT_EQ(Post("/envoy.service.cluster.v3.ClusterDiscoveryService/FetchClusters", "{}").status(), 404);
  EXPECT_EQ(Post("/v2/discovery:clusters", "{}").status(), 404);
  const fake::FakeClient& get = Post(kClusters, "", "GET");
  EXPECT_EQ(get.status(), 405);
  EXPECT_EQ(get.reply->headers, (transport::Metadata{{"allow", "POST"}}));
  EXPECT_EQ(get.body(), "{\"error\":\"only POST is served\"}\n");
}

TEST_F(RestPlaneTest, SaysWhereABodyIsBroken) {
  Serve();
  EXPECT_EQ(Post(kClusters, "{\n \"node\": 1}").body(), "{\"error\":\"2:10: node: expected a map, not a number\"}\n");
  EXPECT_EQ(Post(kClusters, "").status(), 400);
  EXPECT_EQ(Post(kClusters, "{} {}").body(), "{\"error\":\"something follows the request\"}\n");
  EXPECT_EQ(Post(kClusters, std::string(1000, '[')).status(), 400);
  EXPECT_EQ(Post(kClusters, R"({"type_url":"type.googleapis.com/a.B"})").status(), 400);
}

TEST_F(RestPlaneTest, ServesV2OnRequest) {
  Serve({.v2 = true, .next_id = {}});
  Change({Make(fake::kCdsV2, "a", "1")});
  EXPECT_THAT(Post("/v2/discovery:clusters", "{}").body(),
              HasSubstr(R"("@type":"type.googleapis.com/envoy.api.v2.Cluster")"));
}

TEST_F(RestPlaneTest, HearsARefusal) {
  Serve();
  Post(kClusters, R"({"error_detail":{"code":13,"message":"no"}})");
  EXPECT_EQ(log_.refused, 1);
}

}  // namespace
}  // namespace xdscope::server
