#include "lib/wire/type.h"

#include "lib/wire/sensitive.h"
#include "tests/unit/wire/fixture.h"

namespace xdscope::wire {
namespace {

class TypeTest : public WireTest {};

TEST_F(TypeTest, AFieldIsFoundByNumberByNameAndByJsonName) {
  const Type& cluster = TypeOf(kCluster);
  const Field* field = cluster.Find(4U);
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->name, "connect_timeout");
  EXPECT_EQ(cluster.Find("connect_timeout"), field);
  EXPECT_EQ(cluster.Find("connectTimeout"), field);
  EXPECT_EQ(cluster.Find("connect_Timeout"), nullptr);
  EXPECT_EQ(cluster.Find(99999U), nullptr);
}

TEST_F(TypeTest, AnyPrefixOfATypeUrlFindsTheSameTable) {
  const Type* type = types_.Find(kCluster);
  EXPECT_EQ(types_.Find("type.googleapis.com/envoy.config.cluster.v3.Cluster"), type);
  EXPECT_EQ(types_.Find("example.com/a/envoy.config.cluster.v3.Cluster"), type);
  EXPECT_EQ(types_.Find("type.googleapis.com/no.such.Type"), nullptr);
}

TEST_F(TypeTest, FieldsStandInTheOrderOfTheirNumbers) {
  for (const std::string& name : schema_.MessageNames()) {
    const Type& type = TypeOf(name);
    for (std::size_t i = 1; i < type.fields().size(); ++i) {
      ASSERT_LT(type.fields()[i - 1].number, type.fields()[i].number) << name;
    }
  }
}

TEST_F(TypeTest, EveryFieldOfEveryTypeAgreesWithItsDescriptor) {
  for (const std::string& name : schema_.MessageNames()) {
    const Type& type = TypeOf(name);
    for (const Field& field : type.fields()) {
      const auto& descriptor = *field.descriptor;
      ASSERT_EQ(type.Find(field.number), &field);
      ASSERT_EQ(field.repeated, descriptor.is_repeated()) << descriptor.full_name();
      ASSERT_EQ(field.map, descriptor.is_map()) << descriptor.full_name();
      ASSERT_EQ(field.has_presence, descriptor.has_presence()) << descriptor.full_name();
      ASSERT_EQ(field.kind == Kind::kMessage, descriptor.message_type() != nullptr) << descriptor.full_name();
    }
  }
}

TEST_F(TypeTest, AnEnumValueHasTheFirstNameDeclaredForIt) {
  const Field& policy = *TypeOf(kCluster).Find("lb_policy");
  EXPECT_EQ(policy.EnumName(0), "ROUND_ROBIN");
  EXPECT_EQ(policy.EnumName(12345), "");
}

// Without this a new API could add annotated fields that the built-in list does not know, and a --schema that lacks the
// annotations would then show them.
TEST_F(TypeTest, EveryAnnotatedFieldIsInTheBuiltInList) {
  int annotated = 0;
  for (const std::string& name : schema_.MessageNames()) {
    for (const Field& field : TypeOf(name).fields()) {
      if (field.sensitive != Sensitive::kYes) continue;
      EXPECT_TRUE(IsInSensitiveList(field.descriptor->full_name())) << field.descriptor->full_name();
      ++annotated;
    }
  }
  EXPECT_GE(annotated, 38);
}

TEST_F(TypeTest, SecretsAreSensitiveAndTheirNeighboursAreNot) {
  const Type& certificate = TypeOf("envoy.extensions.transport_sockets.tls.v3.TlsCertificate");
  EXPECT_EQ(certificate.Find("private_key")->sensitive, Sensitive::kYes);
  EXPECT_EQ(certificate.Find("password")->sensitive, Sensitive::kYes);
  EXPECT_EQ(certificate.Find("certificate_chain")->sensitive, Sensitive::kNo);
  EXPECT_EQ(TypeOf("envoy.config.core.v3.HeaderValue").Find("value")->sensitive, Sensitive::kByKey);
  EXPECT_EQ(TypeOf("envoy.config.core.v3.HeaderValue").Find("key")->sensitive, Sensitive::kNo);
}

TEST(SecretKey, IsToldByItsNameInAnySpelling) {
  for (const char* key : {"authorization", "Authorization", "X-Api-Key", "cookie", "Set-Cookie", "client_secret",
                          "clientSecret", "db.password", "private-key", "proxy-authorization"}) {
    EXPECT_TRUE(IsSecretKey(key)) << key;
  }
  for (const char* key : {"", "content-type", "x-request-id", "host", "key", "token_bucket", "path"}) {
    EXPECT_FALSE(IsSecretKey(key)) << key;
  }
}

}  // namespace
}  // namespace xdscope::wire
