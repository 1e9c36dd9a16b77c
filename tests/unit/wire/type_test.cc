#include "lib/wire/type.h"

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
      ASSERT_EQ(field.kind == FieldKind::kMessage, descriptor.message_type() != nullptr) << descriptor.full_name();
    }
  }
}

TEST_F(TypeTest, AnEnumValueHasTheFirstNameDeclaredForIt) {
  const Field& policy = *TypeOf(kCluster).Find("lb_policy");
  EXPECT_EQ(policy.EnumName(0), "ROUND_ROBIN");
  EXPECT_EQ(policy.EnumName(12345), "");
}

TEST_F(TypeTest, AnUnknownTypeIsSaidWithTheNearestName) {
  EXPECT_EQ(types_.WhyUnknown("type.googleapis.com/envoy.config.cluster.v3.Clustre"),
            "unknown type envoy.config.cluster.v3.Clustre (nearest: envoy.config.cluster.v3.Cluster)");
  EXPECT_EQ(types_.WhyUnknown("x/com.example.Widget"), "unknown type com.example.Widget");
}

TEST_F(TypeTest, OnlySoManyUnknownNamesAreSearched) {
  constexpr char kMisspelled[] = "unknown type envoy.config.cluster.v3.Clustre";
  constexpr char kNearest[] = " (nearest: envoy.config.cluster.v3.Cluster)";
  EXPECT_EQ(types_.WhyUnknown("envoy.config.cluster.v3.Clustre"), std::string(kMisspelled) + kNearest);
  for (std::size_t i = 1; i < Types::kMostSearched; ++i) types_.WhyUnknown("n" + std::to_string(i));
  EXPECT_EQ(types_.WhyUnknown("envoy.config.cluster.v3.Clustr"), "unknown type envoy.config.cluster.v3.Clustr");
  EXPECT_EQ(types_.WhyUnknown("envoy.config.cluster.v3.Clustre"), std::string(kMisspelled) + kNearest);
}

}  // namespace
}  // namespace xdscope::wire
