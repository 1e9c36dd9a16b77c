// What of the whole API is hidden, held against lists that a person has read: a new API cannot bring a secret past
// them. XDSCOPE_UPDATE_GOLDEN=1 writes the list of what is hidden anew.
#include "lib/wire/sensitive.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/extension_set.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lib/base/fields.h"
#include "lib/wire/secret_names.h"
#include "tests/unit/wire/fixture.h"

namespace xdscope::wire {
namespace {

const std::string kHidden = "tests/unit/wire/sensitive_fields.txt";
const std::string kHarmless = "tests/unit/wire/harmless_fields.txt";

// The lines of a file without comments.
std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  EXPECT_FALSE(lines.empty()) << path;
  return lines;
}

std::string HowWord(Sensitive how) {
  switch (how) {
    case Sensitive::kNo:
      return "no";
    case Sensitive::kYes:
      return "always";
    case Sensitive::kByLabel:
      return "by label";
    case Sensitive::kByEntry:
      return "by key";
    case Sensitive::kKeysToo:
      return "keys too";
    case Sensitive::kOfSecrets:
      return "of secrets";
  }
  return "";
}

class SensitiveTest : public WireTest {
 protected:
  template <typename Do>
  void ForEachField(const Do& todo) {
    for (const std::string& name : schema_.MessageNames()) {
      for (const Field& field : TypeOf(name).fields()) todo(TypeOf(name), field);
    }
  }
};

// True when the values are text in one form or another, so that they could be a secret.
bool MayBeText(const Field& field) {
  if (field.map) return MayBeText(*field.message().Find(2U));
  if (field.kind == FieldKind::kString || field.kind == FieldKind::kBytes) return true;
  if (field.kind != FieldKind::kMessage) return false;
  const std::string_view type = field.message().full_name();
  for (const std::string_view end : {"DataSource", "StringValue", "BytesValue", ".Any", ".Struct", ".Value"}) {
    if (type.ends_with(end)) return true;
  }
  return false;
}

// True for a field with a name like a secret's. Asks for more than the rule that hides does.
bool IsNamedLikeASecret(const Field& field) {
  static const std::regex telling(
      ".*(secret|token|passw|passphrase|pwd|credential|private|jwk|jwt|hmac|signature|bearer|cookie|nonce|salt).*|"
      "(.*_)?(keys?|auth|authorization|code|script|key_data|configuration)");
  return MayBeText(field) && std::regex_match(std::string(field.name), telling);
}

// True for the value of a pair: a message with a name, which may be that of a header.
bool IsValueBesideAName(const Type& type, const Field& field) {
  const auto is_text = [&](const char* name) { return type.Find(name) != nullptr && MayBeText(*type.Find(name)); };
  if (!is_text("key") && !is_text("name") && !is_text("header_name")) return false;
  for (const char* value : {"value", "raw_value", "string_value", "default_value", "string_match", "exact_match"}) {
    if (field.name == value) return field.kind == FieldKind::kMessage || MayBeText(field);
  }
  return false;
}

TEST_F(SensitiveTest, EveryFieldThatLooksLikeASecretIsHiddenOrListedAsHarmless) {
  const std::vector<std::string> lines = Lines(kHarmless);
  std::set<std::string> harmless(lines.begin(), lines.end());
  ForEachField([&](const Type& type, const Field& field) {
    if (!IsNamedLikeASecret(field) && !IsValueBesideAName(type, field)) return;
    const std::string name = field.descriptor->full_name();
    if (field.sensitive == Sensitive::kYes || field.sensitive == Sensitive::kByLabel) return;
    EXPECT_EQ(harmless.erase(name), 1u) << name << " looks like a secret; is it one?";
  });
  EXPECT_EQ(harmless, std::set<std::string>()) << "in " << kHarmless << ", and hidden or not there";
}

TEST_F(SensitiveTest, WhatIsHiddenIsWhatTheListSays) {
  std::vector<std::string> hidden;
  ForEachField([&](const Type&, const Field& field) {
    if (field.sensitive == Sensitive::kNo) return;
    hidden.push_back(field.descriptor->full_name() + " " + HowWord(field.sensitive));
  });
  std::sort(hidden.begin(), hidden.end());
  if (std::getenv("XDSCOPE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream file(kHidden);
    file << "# The fields of the Envoy API that are hidden, and when: sensitive_test.cc writes and reads it.\n";
    for (const std::string& line : hidden) file << line << "\n";
  }
  EXPECT_EQ(hidden, Lines(kHidden));
}

// Without this a new API could add annotated fields that the built-in table does not know.
TEST_F(SensitiveTest, EveryAnnotatedFieldIsInTheBuiltInTable) {
  int annotated = 0;
  ForEachField([&](const Type&, const Field& field) {
    const std::string options = field.descriptor->options().SerializePartialAsString();
    base::FieldReader reader(options);
    bool is = false;
    while (reader.Next()) is = is || reader.number() == 76569463 || reader.number() == 61008053;
    if (!is) return;
    EXPECT_TRUE(IsInSensitiveTable(*field.descriptor)) << field.descriptor->full_name();
    ++annotated;
  });
  EXPECT_GE(annotated, 38);
}

TEST_F(SensitiveTest, SecretsAreSensitiveAndTheirNeighboursAreNot) {
  const Type& certificate = TypeOf("envoy.extensions.transport_sockets.tls.v3.TlsCertificate");
  EXPECT_EQ(certificate.Find("private_key")->sensitive, Sensitive::kYes);
  EXPECT_EQ(certificate.Find("password")->sensitive, Sensitive::kYes);
  EXPECT_EQ(certificate.Find("certificate_chain")->sensitive, Sensitive::kNo);
  EXPECT_TRUE(certificate.guards_unknown());
  EXPECT_EQ(TypeOf("envoy.config.core.v3.HeaderValue").Find("value")->sensitive, Sensitive::kByLabel);
  EXPECT_EQ(TypeOf("envoy.config.core.v3.HeaderValue").Find("key")->sensitive, Sensitive::kNo);
  EXPECT_FALSE(TypeOf(kCluster).guards_unknown());
}

TEST_F(SensitiveTest, ATypeMayHoldSecretsWhenSomethingBelowItDoes) {
  for (const char* type :
       {"envoy.config.listener.v3.Listener", "envoy.config.cluster.v3.Cluster", "envoy.config.core.v3.TransportSocket",
        "envoy.config.core.v3.HeaderValueOption", "google.protobuf.Struct", "google.protobuf.Value",
        "envoy.service.discovery.v3.DiscoveryResponse", "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
        "envoy.config.endpoint.v3.ClusterLoadAssignment"}) {
    EXPECT_TRUE(types_.MayHoldSecrets(TypeOf(type))) << type;
  }
  for (const char* type : {"google.protobuf.StringValue", "google.protobuf.Duration", "envoy.type.v3.Int64Range",
                           "envoy.config.core.v3.Locality"}) {
    EXPECT_FALSE(types_.MayHoldSecrets(TypeOf(type))) << type;
  }
}

// ---- Schemas from outside.

using google::protobuf::FieldDescriptorProto;

// A field of a message in a file that somebody gives.
struct Given {
  std::string name;
  int number;
  FieldDescriptorProto::Type type = FieldDescriptorProto::TYPE_STRING;
  std::string type_name = {};
};

schema::Schema WithMessage(const std::string& package, const std::string& name, const std::vector<Given>& fields) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("given.proto");
  file.set_package(package);
  file.set_syntax("proto3");
  auto* message = file.add_message_type();
  message->set_name(name);
  for (const Given& given : fields) {
    auto* field = message->add_field();
    field->set_name(given.name);
    field->set_number(given.number);
    field->set_label(FieldDescriptorProto::LABEL_OPTIONAL);
    field->set_type(given.type);
    if (!given.type_name.empty()) field->set_type_name(given.type_name);
    if (given.type_name.starts_with(".google.protobuf.")) file.add_dependency("google/protobuf/any.proto");
  }
  google::protobuf::FileDescriptorSet set;
  *set.add_file() = file;
  auto schema = schema::Schema::WithFiles({{"given.pb", set.SerializeAsString()}});
  EXPECT_TRUE(schema.ok()) << schema.status();
  return schema.ok() ? *std::move(schema) : schema::Schema::Builtin();
}

constexpr char kTls[] = "envoy.extensions.transport_sockets.tls.v3";

TEST(GivenSchema, HidesByNumberWhatItCallsByAnotherName) {
  const schema::Schema schema = WithMessage(kTls, "TlsCertificate", {{"color", 2}, {"chain", 1}, {"password", 30}});
  Types types(schema);
  const Type* type = types.Find(std::string(kTls) + ".TlsCertificate");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->Find("color")->sensitive, Sensitive::kYes);
  EXPECT_EQ(type->Find("chain")->sensitive, Sensitive::kNo);
  EXPECT_FALSE(type->Find("chain")->public_in_secret);
  EXPECT_EQ(type->Find("password")->sensitive, Sensitive::kYes);
  EXPECT_TRUE(type->guards_unknown());
}

TEST(GivenSchema, HidesAFieldThatLedToSecretsAndLeadsElsewhere) {
  const schema::Schema schema = WithMessage("envoy.config.core.v3", "TransportSocket",
                                            {{"name", 1}, {"typed_config", 3, FieldDescriptorProto::TYPE_BYTES}});
  Types types(schema);
  const Type* type = types.Find("envoy.config.core.v3.TransportSocket");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->Find("typed_config")->sensitive, Sensitive::kYes);
  EXPECT_EQ(type->Find("name")->sensitive, Sensitive::kNo);
}

TEST(GivenSchema, GuardsWhatItLeavesOut) {
  const schema::Schema schema = WithMessage("envoy.config.core.v3", "TransportSocket", {{"name", 1}});
  Types types(schema);
  EXPECT_TRUE(types.Find("envoy.config.core.v3.TransportSocket")->guards_unknown());
}

// ---- Annotations.

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
  for (const auto& [name, number] : {std::pair("hushed", 1), std::pair("plain", 2)}) {
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
  EXPECT_EQ(SensitivityOf(*message->FindFieldByName("hushed")), Sensitive::kYes);
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

// ---- Names.

bool IsSecretKey(std::string_view key) {
  return SecrecyOfKey(key) == KeySecrecy::kSecret;
}
bool IsSecretHeader(std::string_view name) {
  return SecrecyOfKey(name) != KeySecrecy::kHarmless;
}

TEST(SecretNames, AKeyIsToldByItsWordsInAnySpelling) {
  for (const char* key :
       {"authorization",       "Authorization", "X-Api-Key",   "cookie",        "Set-Cookie",
        "client_secret",       "clientSecret",  "db.password", "private-key",   "proxy-authorization",
        "x-vault-token",       "PRIVATE-TOKEN", "jwt",         "pwd",           "hmac-key",
        "x-hub-signature-256", "xapikey",       "accessToken", "APIKey",        "x.auth/token",
        "awsSecretAccessKey",  "cookie2",       "signing_key", "session token", "x-goog-iap-jwt-assertion",
        "passwords",           "credentials",   "db_pass"}) {
    EXPECT_TRUE(IsSecretKey(key)) << key;
    EXPECT_TRUE(IsSecretHeader(key)) << key;
  }
  for (const char* key : {"", "-", "1", "content-type", "x-request-id", "host", "token_bucket", "path", "max_tokens",
                          "tokens_per_fill", "x-envoy-retry-on", "idempotency-key", "Sec-WebSocket-Key", "cache_key",
                          "page_token", "keyboard", "monkey", "authority", "envoy.filters.http.jwt_authn"}) {
    EXPECT_FALSE(IsSecretKey(key)) << key;
    EXPECT_FALSE(IsSecretHeader(key)) << key;
  }
}

TEST(SecretNames, WhatEndsInKeyIsASecretInAHeaderAlone) {
  for (const char* name : {"key", "x-functions-key", "Ocp-Apim-Key", "x_key", "x-auth"}) {
    EXPECT_TRUE(IsSecretHeader(name)) << name;
    EXPECT_FALSE(IsSecretKey(name)) << name;
  }
}

TEST(SecretNames, AFieldIsToldByWhatItsNameEndsIn) {
  for (const char* name :
       {"secret_access_key", "session_token", "access_token", "private_key_pem", "secret_data", "token",
        "web_identity_token_data_source", "auth_passwords", "db_pass", "tokens", "local_jwks", "authorization_token"}) {
    EXPECT_TRUE(IsSecretField(name)) << name;
  }
  for (const char* name : {"", "data", "data_source", "requested_token_type", "token_path", "access_token_file", "key",
                           "runtime_key", "secret_name", "credentials_profile", "signature_algorithms", "cookie"}) {
    EXPECT_FALSE(IsSecretField(name)) << name;
  }
}

}  // namespace
}  // namespace xdscope::wire
