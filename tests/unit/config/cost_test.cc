// Many small repeated things of every kind that settings have. A reader that looks at all of them for each one of them
// would go on for minutes here.
#include <gtest/gtest.h>

#include <string>

#include "lib/base/fields.h"
#include "lib/config/bootstrap.h"
#include "lib/config/node.h"

namespace xdscope::config {
namespace {

constexpr int kMany = 10'000;

class Cost : public testing::Test {
 protected:
  // Reads a text that is well formed.
  Bootstrap Read(const std::string& text) {
    const absl::StatusOr<Document> document = ParseDocument(text, "f");
    EXPECT_TRUE(document.ok()) << document.status();
    if (!document.ok()) return {};
    absl::StatusOr<Bootstrap> bootstrap = ReadBootstrap(*document, types_, {});
    EXPECT_TRUE(bootstrap.ok()) << bootstrap.status();
    return bootstrap.ok() ? *std::move(bootstrap) : Bootstrap();
  }

  const schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

// One after another, `many` pieces separated by commas.
template <typename Piece>
std::string ManyOf(int many, const Piece& piece) {
  std::string all;
  for (int i = 0; i < many; ++i) all += (i == 0 ? "" : ",\n") + std::string(piece(std::to_string(i)));
  return all;
}

TEST_F(Cost, ClustersAndTheirEndpointsAreReadOnce) {
  const Bootstrap bootstrap =
      Read(R"({"dynamic_resources": {"ads_config": {"api_type": "GRPC", "grpc_services": [)" +
           ManyOf(kMany, [](const std::string&) { return R"({"envoy_grpc": {"cluster_name": "xds"}})"; }) +
           R"(]}}, "static_resources": {"clusters": [)" +
           ManyOf(kMany, [](const std::string& i) { return R"({"name": "c)" + i + "\"}"; }) +
           R"(, {"name": "xds", "hosts": [)" +
           ManyOf(kMany, [](const std::string& i) { return R"({"pipe": {"path": "/c)" + i + "\"}}"; }) + "]}]}}");
  EXPECT_EQ(bootstrap.static_clusters.size(), kMany + std::size_t{1});
  ASSERT_EQ(bootstrap.servers.size(), 1U);
  EXPECT_EQ(bootstrap.servers[0].more_targets.size(), kMany - std::size_t{1});
}

TEST_F(Cost, EqualServersOfManyAuthoritiesAreFoundByHash) {
  const Bootstrap bootstrap =
      Read(R"({"xds_servers": [{"server_uri": "a:1", "channel_creds": [{"type": "insecure"}]}], "authorities": {)" +
           ManyOf(kMany,
                  [](const std::string& i) {
                    return "\"" + i +
                           R"(": {"xds_servers": [{"server_uri": "a:1", "channel_creds": [{"type": "google_default"}]},
                                                 {"server_uri": "b)" +
                           i + R"(:1", "channel_creds": [{"type": "tls"}]}]})";
                  }) +
           "}}");
  EXPECT_EQ(bootstrap.servers.size(), static_cast<std::size_t>(kMany) + 2);
  EXPECT_EQ(bootstrap.authorities.size(), static_cast<std::size_t>(kMany));
}

TEST_F(Cost, ClustersThatAreAliasesOfOne) {
  std::string text =
      "dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: x}}]}}\n"
      "static_resources:\n  clusters:\n  - &x {name: x, hosts: [{pipe: {path: /x}}]}\n";
  for (int i = 0; i < kMany; ++i) text += "  - *x\n";
  EXPECT_EQ(Read(text).MainServer()->channel.target, "unix:/x");
}

TEST_F(Cost, MetadataAndFeaturesOfANode) {
  constexpr int kMore = 10 * kMany;  // looking at a key or a feature costs little
  const std::string text =
      "{\"metadata\": {" + ManyOf(kMore, [](const std::string& i) { return "\"k" + i + "\": 1"; }) +
      "}, \"client_features\": [" + ManyOf(kMore, [](const std::string& i) { return "\"f" + i + "\""; }) + "]}";
  const absl::StatusOr<Document> document = ParseDocument(text, "f");
  ASSERT_TRUE(document.ok()) << document.status();
  const absl::StatusOr<std::string> base = EncodeNode(*document, types_);
  ASSERT_TRUE(base.ok()) << base.status();
  NodeOverrides overrides;
  for (int i = 0; i < kMore; ++i) {
    overrides.metadata.emplace_back("k" + std::to_string(2 * i), std::string("\x08\0", 2));
    overrides.client_features.push_back("f" + std::to_string(2 * i));
  }
  const Node node = MakeNode(*base, overrides, ProfileOf(ClientKind::kStrict), "1");
  std::size_t features = 0;
  std::size_t members = 0;
  base::FieldReader fields(node.bytes);
  while (fields.Next()) {
    if (fields.number() == 10) ++features;
    if (fields.number() != 3) continue;
    for (base::FieldReader member(fields.bytes()); member.Next();) ++members;
  }
  EXPECT_EQ(members, static_cast<std::size_t>(kMore) * 3 / 2);
  EXPECT_EQ(features, static_cast<std::size_t>(kMore) * 3 / 2 + 1);
}

}  // namespace
}  // namespace xdscope::config
