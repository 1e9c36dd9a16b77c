#include "lib/source/rest_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/status.h"
#include "lib/protocol/request.h"
#include "lib/protocol/response.h"
#include "lib/schema/schema.h"
#include "tests/fake/messages.h"

namespace xdscope::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kWhere = "http://h:1/v3/discovery:clusters";
constexpr std::string_view kCluster = R"("@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster")";

class RestBody : public testing::Test {
 protected:
  absl::StatusOr<protocol::Response> Read(const std::string& text) {
    const auto bytes =
        ReadRestBody(kWhere, text, types_, [this](std::string_view what) { remarks_.emplace_back(what); });
    if (!bytes.ok()) return bytes.status();
    return protocol::ReadResponse(protocol::Variant::kSotw, std::make_shared<const std::string>(*bytes));
  }
  std::string Failure(const std::string& text) {
    const auto response = Read(text);
    EXPECT_EQ(response.status().code(), absl::StatusCode::kDataLoss);
    return std::string(base::Message(response.status()));
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  std::vector<std::string> remarks_;
};

// XDS-R01, XDS-R10, XDS-R13, XDS-R14: names of the .proto files, the node in it.
TEST_F(RestBody, ARequestIsWrittenInProtoNames) {
  protocol::Request request;
  request.type_url = fake::kCds;
  request.version = "7";
  request.names = {"a", "b"};
  request.has_node = true;
  protocol::EncodeRequest(protocol::Variant::kSotw,
                          "\n\x01n\x12\x01"
                          "c",
                          &request);
  EXPECT_EQ(*WriteRestRequest(request.bytes, types::Api::kV3, types_),
            R"({"version_info":"7","node":{"id":"n","cluster":"c"},"resource_names":["a","b"],)"
            R"("type_url":"type.googleapis.com/envoy.config.cluster.v3.Cluster"})");
  EXPECT_EQ(WriteRestRequest("\xff", types::Api::kV2, types_).status().code(), absl::StatusCode::kInvalidArgument);
}

// XDS-R10: either spelling, "@type" at the end; XDS-R16: no type URL.
TEST_F(RestBody, IsReadInEitherSpelling) {
  for (const std::string head : {R"({"version_info":"3",)", R"({"versionInfo":"3",)"}) {
    const auto response = Read(head + R"("resources":[{"name":"a","connectTimeout":"1s",)" + std::string(kCluster) +
                               R"(},{"name":"b","connect_timeout":"1s",)" + std::string(kCluster) + "}]}");
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->version, "3");
    EXPECT_EQ(response->said_type_url, "");
    ASSERT_THAT(response->resources, SizeIs(2));
    EXPECT_EQ(response->resources[0].type_url, fake::kCds);
    EXPECT_EQ(response->resources[0].payload.size(), response->resources[1].payload.size());
  }
  EXPECT_THAT(remarks_, IsEmpty());
}

// XDS-R05
TEST_F(RestBody, KeepsWhatElseItSays) {
  const auto response = Read(R"({"nonce":"n","typeUrl":"t","controlPlane":{"identifier":"me"}})");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->nonce, "n");
  EXPECT_EQ(response->said_type_url, "t");
  EXPECT_EQ(response->control_plane, "me");
  EXPECT_TRUE(Read("{}").ok());
}

TEST_F(RestBody, AWrapperStaysAround) {
  const auto response = Read(R"({"resources":[{"@type":"type.googleapis.com/envoy.service.discovery.v3.Resource",)"
                             R"("name":"w","ttl":"5s","resource":{"name":"a",)" +
                             std::string(kCluster) + "}}]}");
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_THAT(response->resources, SizeIs(1));
  EXPECT_TRUE(response->resources[0].wrapped);
  EXPECT_EQ(response->resources[0].name, "w");
}

TEST_F(RestBody, SaysWhereItIsBroken) {
  EXPECT_EQ(Failure("<html>no\x1b</html>"),
            std::string(kWhere) + R"(:1:1: expected a value, not '<'; the body begins "<html>no\x1b</html>")");
  EXPECT_THAT(Failure("{\"resources\":[\n{\"name\":3," + std::string(kCluster) + "}]}"),
              StartsWith(std::string(kWhere) + ":2:9: resources[0].name: "));
  EXPECT_EQ(Failure(""), std::string(kWhere) + ":1:1: is empty");
  EXPECT_THAT(Failure("[]"), HasSubstr("is no discovery response"));
  EXPECT_THAT(Failure("{} {}"), HasSubstr("extra document"));
  EXPECT_THAT(Failure(std::string(200, '[')), HasSubstr("nested too deeply"));
}

TEST_F(RestBody, TheHeadOfABrokenOneEndsBeforeResources) {
  const std::string failure = Failure(R"({"version_info":"1","resources":[{"private_key":"secret")");
  EXPECT_THAT(failure, HasSubstr(R"(begins "{"version_info":"1","resources":[…")"));
  EXPECT_THAT(failure, Not(HasSubstr("secret")));
}

TEST_F(RestBody, RemarksOnWhatItLeavesOut) {
  ASSERT_TRUE(Read(R"({"resources":[{"name":"a","nmae":1,)" + std::string(kCluster) + "}]}").ok());
  EXPECT_THAT(remarks_, ElementsAre(StartsWith(std::string(kWhere) + ":1:27: resources[0].nmae: no such field")));
}

}  // namespace
}  // namespace xdscope::source
