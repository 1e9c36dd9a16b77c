#include "lib/rules/description.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/rules/rules_schema.h"

namespace xdscope::rules {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DescriptionTest : public testing::Test {
 protected:
  MessageDescription Of(std::string_view name) { return Describe(*types_.Find(name), types_); }

  static const FieldDescription& Field(const MessageDescription& message, std::string_view name) {
    const auto found = std::find_if(message.fields.begin(), message.fields.end(),
                                    [name](const FieldDescription& field) { return field.name == name; });
    EXPECT_NE(found, message.fields.end()) << name;
    return *found;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(DescriptionTest, AMessageHasItsFieldsWithTypesAndRulesInWords) {
  const MessageDescription cluster = Of("envoy.config.cluster.v3.Cluster");
  EXPECT_EQ(cluster.resource_type, "cds");
  EXPECT_EQ(cluster.file, "envoy/config/cluster/v3/cluster.proto");
  EXPECT_EQ(Field(cluster, "name").type, "string");
  EXPECT_EQ(Field(cluster, "name").json_name, "name");
  EXPECT_THAT(Field(cluster, "name").rules, ElementsAre("must not be empty"));
  EXPECT_EQ(Field(cluster, "connect_timeout").type, "google.protobuf.Duration");
  EXPECT_EQ(Field(cluster, "connect_timeout").json_name, "connectTimeout");
  EXPECT_THAT(Field(cluster, "connect_timeout").rules,
              ElementsAre("must be greater than 0s", "must be within the range of google.protobuf.Duration"));
  EXPECT_EQ(Field(cluster, "type").oneof, "cluster_discovery_type");
  EXPECT_EQ(Field(cluster, "type").type_name, "envoy.config.cluster.v3.Cluster.DiscoveryType");
  EXPECT_EQ(Field(cluster, "health_checks").type, "repeated envoy.config.core.v3.HealthCheck");
  EXPECT_EQ(Field(cluster, "typed_extension_protocol_options").type, "map<string, google.protobuf.Any>");
}

TEST_F(DescriptionTest, ElementsAndKeysHaveRulesOfTheirOwn) {
  EXPECT_THAT(Field(Of("envoy.config.route.v3.VirtualHost"), "domains").rules,
              ElementsAre("must have at least 1 element", testing::StartsWith("each element: must ")));
}

TEST_F(DescriptionTest, AnnotationsAreSaid) {
  EXPECT_TRUE(Field(Of("envoy.config.route.v3.RouteAction"), "max_grpc_timeout").deprecated);
  EXPECT_TRUE(Field(Of("envoy.config.route.v3.RateLimit.Action"), "dynamic_metadata").disallowed);
  EXPECT_TRUE(Field(Of("envoy.config.core.v3.Http1ProtocolOptions"), "allow_custom_methods").in_progress);
  EXPECT_TRUE(Field(Of("envoy.extensions.transport_sockets.tls.v3.TlsCertificate"), "private_key").sensitive);
}

TEST_F(DescriptionTest, AnExtensionSaysWhatItIsAndWhereItBelongs) {
  const MessageDescription router = Of("envoy.extensions.filters.http.router.v3.Router");
  EXPECT_EQ(router.usual_name, "envoy.filters.http.router");
  EXPECT_EQ(router.kind, "an HTTP filter");
  ASSERT_EQ(router.uses.size(), 1);
  EXPECT_EQ(router.uses[0].message, "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter");
  EXPECT_EQ(router.uses[0].field, "typed_config");
  EXPECT_THAT(Field(Of(router.uses[0].message), "typed_config").kinds, ElementsAre("an HTTP filter"));
  EXPECT_THAT(TypesOfExtension("envoy.filters.http.router", types_),
              ElementsAre("envoy.extensions.filters.http.router.v3.Router"));
  EXPECT_THAT(TypesOfExtension("envoy.filters.http.nothing", types_), IsEmpty());
}

TEST_F(DescriptionTest, ATypeSaysWhatBecameOfIt) {
  EXPECT_EQ(Of("envoy.api.v2.Cluster").successor, "envoy.config.cluster.v3.Cluster");
  EXPECT_FALSE(Of("envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst").linked);
  EXPECT_TRUE(Of("envoy.config.cluster.v3.Cluster").linked);
}

TEST_F(DescriptionTest, ARequiredOneofIsSaid) {
  const MessageDescription match = Of("envoy.config.route.v3.RouteMatch");
  ASSERT_FALSE(match.oneofs.empty());
  EXPECT_EQ(match.oneofs[0].name, "path_specifier");
  EXPECT_TRUE(match.oneofs[0].required);
}

TEST_F(DescriptionTest, AnEnumHasItsValues) {
  const EnumDescription version = Describe(*schema_.FindEnum("envoy.config.core.v3.ApiVersion"));
  ASSERT_EQ(version.values.size(), 3);
  EXPECT_EQ(version.values[1].name, "V2");
  EXPECT_EQ(version.values[1].number, 1);
  EXPECT_TRUE(version.values[1].deprecated);
}

TEST_F(DescriptionTest, TheDocumentationOfEnvoyHasAPlaceForEachDeclaration) {
  EXPECT_EQ(LinkTo("envoy/config/cluster/v3/cluster.proto", "msg", "envoy.config.cluster.v3.Cluster"),
            "https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/cluster/v3/cluster.proto"
            "#envoy-v3-api-msg-config-cluster-v3-cluster");
  EXPECT_EQ(LinkTo("envoy/api/v2/cluster.proto", "msg", "envoy.api.v2.Cluster"), "");
  EXPECT_EQ(LinkTo("own/v3/a.proto", "msg", "own.v3.A"), "");
}

// The embedded set has no comments; one that was built with them brings them.
TEST(CommentsTest, ASchemaWithCommentsIsQuoted) {
  const schema::Schema schema = SchemaWith("// What M is.\nmessage M {\n  // What f is.\n  string f = 1;\n}");
  wire::Types types(schema);
  const MessageDescription described = Describe(*types.Find("t.M"), types);
  EXPECT_EQ(described.comment, "What M is.");
  ASSERT_EQ(described.fields.size(), 1);
  EXPECT_EQ(described.fields[0].comment, "What f is.");
}

}  // namespace
}  // namespace xdscope::rules
