#include "lib/wire/sensitive.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "lib/base/fields.h"
#include "lib/wire/secret_names.h"

namespace xdscope::wire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// What is known of a message: by number its fields that are sensitive, and what those depend on.
struct Row {
  std::string_view message;
  std::array<std::uint8_t, 8> numbers;  // 0: no more
  Sensitive how = Sensitive::kYes;
  Label label = {};
};

// The matchers of xDS name what they read in a TypedExtensionConfig `input`, in the first field of the message in its
// Any: HttpRequestHeaderMatchInput.header_name.
constexpr Label kInput = {{1, 2, 2, 1}};

// The annotated fields of the Envoy API, those that hold secrets without an annotation, and those that hold one where
// the name of a header says so. Code and configuration of what people load into a proxy count: keys stand there. Rows
// with kNo are what the names would wrongly say of a field. The names of all these fields are in
// tests/unit/wire/sensitive_fields.txt. Sorted.
constexpr Row kRows[] = {
    {"envoy.api.v2.DeltaDiscoveryRequest", {5}, Sensitive::kNo},
    {"envoy.api.v2.DeltaDiscoveryResponse", {2}, Sensitive::kOfSecrets, {{4}, true}},
    {"envoy.api.v2.DiscoveryResponse", {2}, Sensitive::kOfSecrets, {{4}, true}},
    {"envoy.api.v2.auth.GenericSecret", {1}},
    {"envoy.api.v2.auth.PrivateKeyProvider", {2, 3}},
    {"envoy.api.v2.auth.TlsCertificate", {2, 3}},
    {"envoy.api.v2.auth.TlsSessionTicketKeys", {1}},
    {"envoy.api.v2.core.GrpcService.GoogleGrpc.CallCredentials", {1, 3}},
    {"envoy.api.v2.core.GrpcService.GoogleGrpc.CallCredentials.GoogleIAMCredentials", {1}},
    {"envoy.api.v2.core.GrpcService.GoogleGrpc.CallCredentials.ServiceAccountJWTAccessCredentials", {1}},
    {"envoy.api.v2.core.GrpcService.GoogleGrpc.SslCredentials", {2}},
    {"envoy.api.v2.core.HeaderValue", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.api.v2.ratelimit.RateLimitDescriptor.Entry", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.api.v2.route.HeaderMatcher", {4, 5, 6, 9, 10, 11}, Sensitive::kByLabel, {{1}}},
    {"envoy.api.v2.route.QueryParameterMatcher", {3, 5}, Sensitive::kByLabel, {{1}}},
    {"envoy.config.common.matcher.v3.Matcher.MatcherList.Predicate.SinglePredicate",
     {2, 3},
     Sensitive::kByLabel,
     kInput},
    {"envoy.config.common.matcher.v3.Matcher.MatcherTree", {2, 3, 4}, Sensitive::kByLabel, kInput},
    {"envoy.config.common.matcher.v3.Matcher.MatcherTree.MatchMap", {1}, Sensitive::kKeysToo},
    {"envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials", {1, 3}},
    {"envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.GoogleIAMCredentials", {1}},
    {"envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.ServiceAccountJWTAccessCredentials", {1}},
    {"envoy.config.core.v3.GrpcService.GoogleGrpc.SslCredentials", {2}},
    {"envoy.config.core.v3.HeaderValue", {2, 3}, Sensitive::kByLabel, {{1}}},
    {"envoy.config.core.v3.KeyValue", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.config.core.v3.KeyValuePair", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.config.core.v3.QueryParameter", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.config.filter.http.ext_authz.v2.CheckSettings", {1}},
    {"envoy.config.filter.http.header_to_metadata.v2.Config.KeyValuePair", {3}, Sensitive::kByLabel, {{2}}},
    {"envoy.config.filter.http.jwt_authn.v2alpha.JwtProvider", {4}},
    {"envoy.config.filter.http.lua.v2.Lua", {1}},
    {"envoy.config.filter.network.redis_proxy.v2.RedisProtocolOptions", {1}},
    {"envoy.config.filter.network.redis_proxy.v2.RedisProxy", {6}},
    {"envoy.config.grpc_credential.v2alpha.FileBasedMetadataConfig", {1}},
    {"envoy.config.grpc_credential.v3.FileBasedMetadataConfig", {1}},
    {"envoy.config.route.v3.CookieMatcher", {2}},
    {"envoy.config.route.v3.HeaderMatcher", {4, 6, 9, 10, 11, 12, 13}, Sensitive::kByLabel, {{1}}},
    {"envoy.config.route.v3.QueryParameterMatcher", {5}, Sensitive::kByLabel, {{1}}},
    {"envoy.config.trace.v3.ClientConfig", {3}},
    {"envoy.config.trace.v3.LightstepConfig", {4}},
    {"envoy.extensions.access_loggers.dynamic_modules.v3.DynamicModuleAccessLog", {3}},
    {"envoy.extensions.bootstrap.dynamic_modules.v3.DynamicModuleBootstrapExtension", {3}},
    {"envoy.extensions.common.aws.v3.AssumeRoleWithWebIdentityCredentialProvider", {1}},
    {"envoy.extensions.common.aws.v3.CredentialsFileCredentialProvider", {1}},
    {"envoy.extensions.common.aws.v3.IAMRolesAnywhereCredentialProvider", {4}},
    {"envoy.extensions.common.aws.v3.InlineCredentialProvider", {2, 3}},
    {"envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.extensions.config.validators.dynamic_modules.v3.DynamicModuleConfigValidator", {3}},
    {"envoy.extensions.filters.common.jwks.v3.JwtHandshakeValidator", {3}},
    {"envoy.extensions.filters.http.api_key_auth.v3.ApiKeyAuth", {1}},
    {"envoy.extensions.filters.http.api_key_auth.v3.ApiKeyAuthPerRoute", {1}},
    {"envoy.extensions.filters.http.api_key_auth.v3.Credential", {1}},
    {"envoy.extensions.filters.http.aws_eventstream_parser.v3.AwsEventstreamParser.HeaderKeyValuePair",
     {3},
     Sensitive::kByLabel,
     {{2}}},
    {"envoy.extensions.filters.http.aws_lambda.v3.Credentials", {2, 3}},
    {"envoy.extensions.filters.http.basic_auth.v3.BasicAuth", {1}},
    {"envoy.extensions.filters.http.basic_auth.v3.BasicAuthPerRoute", {1}},
    {"envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilter", {3}},
    {"envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilterPerRoute", {3}},
    {"envoy.extensions.filters.http.ext_authz.v3.CheckSettings", {1}},
    {"envoy.extensions.filters.http.gcp_authn.v3.Audience.IAMAccessToken", {2}},
    {"envoy.extensions.filters.http.header_to_metadata.v3.Config.KeyValuePair", {3}, Sensitive::kByLabel, {{2}}},
    {"envoy.extensions.filters.http.json_to_metadata.v3.JsonToMetadata.KeyValuePair", {3}, Sensitive::kByLabel, {{2}}},
    {"envoy.extensions.filters.http.jwt_authn.v3.JwtProvider", {4}},
    {"envoy.extensions.filters.http.lua.v3.Lua", {1, 2, 3}},
    {"envoy.extensions.filters.http.lua.v3.LuaPerRoute", {3}},
    {"envoy.extensions.filters.http.oauth2.v3.OAuth2Credentials.CookieNames", {1, 2, 4, 5}, Sensitive::kNo},
    {"envoy.extensions.filters.http.thrift_to_metadata.v3.KeyValuePair", {3}, Sensitive::kByLabel, {{2}}},
    {"envoy.extensions.filters.listener.dynamic_modules.v3.DynamicModuleListenerFilter", {3}},
    {"envoy.extensions.filters.network.dynamic_modules.v3.DynamicModuleNetworkFilter", {3}},
    {"envoy.extensions.filters.network.generic_proxy.matcher.v3.KeyValueMatchEntry", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions", {1, 2}},
    {"envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions.Credential", {2, 3}},
    {"envoy.extensions.filters.network.redis_proxy.v3.RedisProxy", {6, 7, 9}},
    {"envoy.extensions.filters.network.thrift_proxy.filters.header_to_metadata.v3.HeaderToMetadata.KeyValuePair",
     {3},
     Sensitive::kByLabel,
     {{2}}},
    {"envoy.extensions.filters.network.thrift_proxy.filters.payload_to_metadata.v3.PayloadToMetadata.KeyValuePair",
     {3},
     Sensitive::kByLabel,
     {{2}}},
    {"envoy.extensions.filters.udp.dynamic_modules.v3.DynamicModuleUdpListenerFilter", {3}},
    {"envoy.extensions.formatter.dynamic_modules.v3.DynamicModuleFormatter", {3}},
    {"envoy.extensions.grpc_service.call_credentials.access_token.v3.AccessTokenCredentials", {1}},
    {"envoy.extensions.grpc_service.call_credentials.file_based_metadata.v3.FileBasedMetadataCallCredentials", {1}},
    {"envoy.extensions.grpc_service.call_credentials.google_iam.v3.GoogleIamCredentials", {1}},
    {"envoy.extensions.grpc_service.call_credentials.google_refresh_token.v3.GoogleRefreshTokenCredentials", {1}},
    {"envoy.extensions.grpc_service.call_credentials.service_account_jwt_access.v3.ServiceAccountJwtAccessCredentials",
     {1}},
    {"envoy.extensions.health_checkers.dynamic_modules.v3.DynamicModuleHealthCheck", {3}},
    {"envoy.extensions.http.early_header_mutation.dynamic_modules.v3.DynamicModuleEarlyHeaderMutation", {3}},
    {"envoy.extensions.http.header_formatters.dynamic_modules.v3.DynamicModuleHeaderFormatter", {3}},
    {"envoy.extensions.http.injected_credentials.oauth2.v3.OAuth2.EndpointParameter", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.extensions.load_balancing_policies.dynamic_modules.v3.DynamicModulesLoadBalancerConfig", {3}},
    {"envoy.extensions.matching.http.dynamic_modules.v3.DynamicModuleDataInput", {3}},
    {"envoy.extensions.matching.input_matchers.dynamic_modules.v3.DynamicModuleMatcher", {3}},
    {"envoy.extensions.router.cluster_specifiers.dynamic_modules.v3.DynamicModuleClusterSpecifier", {3}},
    {"envoy.extensions.router.cluster_specifiers.lua.v3.LuaConfig", {1}},
    {"envoy.extensions.router.route_specifiers.dynamic_modules.v3.DynamicModuleRouteSpecifier", {3}},
    {"envoy.extensions.stat_sinks.dynamic_modules.v3.DynamicModuleStatsSink", {3}},
    {"envoy.extensions.string_matcher.lua.v3.Lua", {1}},
    {"envoy.extensions.tracers.dynamic_modules.v3.DynamicModuleTracer", {3}},
    {"envoy.extensions.transport_sockets.dynamic_modules.v3.DynamicModuleTransportSocket", {3}},
    {"envoy.extensions.transport_sockets.tls.cert_validator.dynamic_modules.v3.DynamicModuleCertValidatorConfig", {3}},
    {"envoy.extensions.transport_sockets.tls.handshakers.dynamic_modules.v3.DynamicModuleTlsHandshaker", {3}},
    {"envoy.extensions.transport_sockets.tls.v3.GenericSecret", {1, 2}},
    {"envoy.extensions.transport_sockets.tls.v3.PrivateKeyProvider", {3}},
    {"envoy.extensions.transport_sockets.tls.v3.TlsCertificate", {2, 3, 8}},
    {"envoy.extensions.transport_sockets.tls.v3.TlsSessionTicketKeys", {1}},
    {"envoy.extensions.wasm.v3.EnvironmentVariables", {2}},
    {"envoy.extensions.wasm.v3.PluginConfig", {4}},
    {"envoy.extensions.wasm.v3.VmConfig", {3, 4}},
    {"envoy.service.discovery.v3.DeltaDiscoveryRequest", {5}, Sensitive::kNo},
    {"envoy.service.discovery.v3.DeltaDiscoveryResponse", {2}, Sensitive::kOfSecrets, {{4}, true}},
    {"envoy.service.discovery.v3.DiscoveryResponse", {2}, Sensitive::kOfSecrets, {{4}, true}},
    {"envoy.type.matcher.v3.FilterStateMatcher", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.type.tracing.v2.CustomTag.Environment", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.type.tracing.v2.CustomTag.Header", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.type.tracing.v3.CustomTag.Environment", {2}, Sensitive::kByLabel, {{1}}},
    {"envoy.type.tracing.v3.CustomTag.Header", {2}, Sensitive::kByLabel, {{1}}},
    {"google.protobuf.Struct", {1}, Sensitive::kByEntry},
    {"grpc.gcp.HandshakerResult", {3}},
    {"opentelemetry.proto.common.v1.KeyValue", {2}, Sensitive::kByLabel, {{1}}},
    {"xds.type.matcher.v3.Matcher.MatcherList.Predicate.SinglePredicate", {2, 3}, Sensitive::kByLabel, kInput},
    {"xds.type.matcher.v3.Matcher.MatcherTree", {2, 3, 4}, Sensitive::kByLabel, kInput},
    {"xds.type.matcher.v3.Matcher.MatcherTree.MatchMap", {1}, Sensitive::kKeysToo},
};
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const Row& a, const Row& b) { return a.message < b.message; }));

// What is shown inside a Secret, and of the Resource around one in a response. Certificates are public, and so is what
// a peer is verified with. Sorted.
constexpr Row kPublicInSecret[] = {
    {"envoy.api.v2.Resource", {1, 3, 4}},
    {"envoy.api.v2.auth.PrivateKeyProvider", {1}},
    {"envoy.api.v2.auth.Secret", {1, 4}},
    {"envoy.api.v2.auth.TlsCertificate", {1, 4, 5}},
    {"envoy.extensions.transport_sockets.tls.v3.PrivateKeyProvider", {1, 4}},
    {"envoy.extensions.transport_sockets.tls.v3.Secret", {1, 4}},
    {"envoy.extensions.transport_sockets.tls.v3.TlsCertificate", {1, 4, 5, 7, 9}},
    {"envoy.service.discovery.v3.Resource", {1, 3, 4, 6, 7, 8}},
};
static_assert(std::is_sorted(std::begin(kPublicInSecret), std::end(kPublicInSecret),
                             [](const Row& a, const Row& b) { return a.message < b.message; }));

template <typename Table>
const Row* FindRow(const Table& table, std::string_view message) {
  const auto* const end = std::end(table);
  const auto* const row = std::lower_bound(
      std::begin(table), end, message, [](const Row& each, std::string_view wanted) { return each.message < wanted; });
  return row != end && row->message == message ? row : nullptr;
}

// Returns the row that has the field; nullptr when there is none.
template <typename Table>
const Row* FindRow(const Table& table, const FieldDescriptor& field) {
  const Row* row = FindRow(table, field.containing_type()->full_name());
  const bool has =
      row != nullptr && std::find(row->numbers.begin(), row->numbers.end(), field.number()) != row->numbers.end();
  return has ? row : nullptr;
}

// The numbers of the two annotations among the options of a field.
constexpr std::uint32_t kUdpaSensitive = 76569463;
constexpr std::uint32_t kXdsSensitive = 61008053;

// Reads the annotations from the bytes of the options, not through protobuf's reflection: there an option is an unknown
// field in a program without generated code for it, and an extension in one that has linked it.
bool IsAnnotated(const FieldDescriptor& field) {
  const google::protobuf::FieldOptions& options = field.options();
  if (&options == &google::protobuf::FieldOptions::default_instance()) return false;
  const std::string bytes = options.SerializePartialAsString();
  base::FieldReader reader(bytes);
  bool sensitive = false;
  while (reader.Next()) {
    const bool ours = reader.number() == kUdpaSensitive || reader.number() == kXdsSensitive;
    if (ours && reader.type() == base::WireType::kVarint && reader.value() != 0) sensitive = true;
  }
  return sensitive;
}

// Returns true when the values of the field are text or bytes, or a message that stands for them.
bool HoldsText(const FieldDescriptor& field) {
  const FieldDescriptor& value = field.is_map() ? *field.message_type()->map_value() : field;
  const Descriptor* message = value.message_type();
  if (message == nullptr) return value.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  constexpr std::string_view kTexts[] = {"AsyncDataSource", "BytesValue", "DataSource", "StringValue"};
  return std::find(std::begin(kTexts), std::end(kTexts), message->name()) != std::end(kTexts);
}

}  // namespace

Sensitive SensitivityOf(const FieldDescriptor& field) {
  if (const Row* row = FindRow(kRows, field)) return row->how;
  if (IsAnnotated(field)) return Sensitive::kYes;
  if (!HoldsText(field)) return Sensitive::kNo;
  if (IsSecretField(field.name())) return Sensitive::kYes;
  const bool has_keys = field.is_map() && field.message_type()->map_key()->type() == FieldDescriptor::TYPE_STRING;
  return has_keys ? Sensitive::kByEntry : Sensitive::kNo;
}

bool IsInSensitiveTable(const FieldDescriptor& field) {
  const Row* row = FindRow(kRows, field);
  return row != nullptr && row->how == Sensitive::kYes;
}

Label LabelOf(std::string_view message) {
  const Row* row = FindRow(kRows, message);
  return row == nullptr ? Label() : row->label;
}

bool IsSecretType(std::string_view message) {
  return message == "envoy.extensions.transport_sockets.tls.v3.Secret" || message == "envoy.api.v2.auth.Secret";
}

bool IsPublicInSecret(const FieldDescriptor& field) {
  return FindRow(kPublicInSecret, field) != nullptr;
}

}  // namespace xdscope::wire
