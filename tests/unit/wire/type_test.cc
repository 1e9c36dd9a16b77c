#include "lib/wire/type.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/extension_set.h>
#include <google/protobuf/wire_format_lite.h>

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
      ASSERT_EQ(field.kind == FieldKind::kMessage, descriptor.message_type() != nullptr) << descriptor.full_name();
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

// The udpa annotation among the options of a field.
std::string AnnotatedOptions() {
  std::string options;
  base::AppendTag(&options, 76569463, base::WireType::kVarint);
  base::AppendVarint(&options, 1);
  return options;
}

// A file with one field that has the annotation, as bytes: as a schema from outside brings it.
std::string AnnotatedFile() {
  google::protobuf::FileDescriptorProto file;
  file.set_name("annotated.proto");
  auto* message = file.add_message_type();
  message->set_name("Annotated");
  for (const auto& [name, number] : {std::pair("secret", 1), std::pair("plain", 2)}) {
    auto* field = message->add_field();
    field->set_name(name);
    field->set_number(number);
    field->set_label(google::protobuf::FieldDescriptorProto::LABEL_OPTIONAL);
    field->set_type(google::protobuf::FieldDescriptorProto::TYPE_STRING);
  }
  EXPECT_TRUE(message->mutable_field(0)->mutable_options()->ParseFromString(AnnotatedOptions()));
  return file.SerializeAsString();
}

void ExpectTheAnnotationIsSeen() {
  google::protobuf::FileDescriptorProto file;
  ASSERT_TRUE(file.ParseFromString(AnnotatedFile()));
  google::protobuf::DescriptorPool pool;
  const auto* built = pool.BuildFile(file);
  ASSERT_NE(built, nullptr);
  const auto* message = built->FindMessageTypeByName("Annotated");
  EXPECT_EQ(SensitivityOf(*message->FindFieldByName("secret")), Sensitive::kYes);
  EXPECT_EQ(SensitivityOf(*message->FindFieldByName("plain")), Sensitive::kNo);
}

// What the generated code of udpa/annotations/sensitive.proto does when a program links it: from then on the annotation
// is an extension and no unknown field.
TEST(Sensitivity, IsReadWithAndWithoutGeneratedCodeForTheAnnotation) {
  ExpectTheAnnotationIsSeen();
  using google::protobuf::internal::ExtensionSet;
  const auto* options = &google::protobuf::FieldOptions::default_instance();
  ExtensionSet::RegisterExtension(options, 76569463, google::protobuf::internal::WireFormatLite::TYPE_BOOL, false,
                                  false, nullptr);
  google::protobuf::FieldOptions known;
  ASSERT_TRUE(known.ParseFromString(AnnotatedOptions()));
  ASSERT_TRUE(known.unknown_fields().empty()) << "the extension is not registered: this test shows nothing";
  ExpectTheAnnotationIsSeen();
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
