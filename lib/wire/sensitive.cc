#include "lib/wire/sensitive.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <string>

#include "lib/base/fields.h"

namespace xdscope::wire {
namespace {

// The annotated fields of the Envoy API, and those that hold secrets without an annotation; sorted.
constexpr std::string_view kSensitiveFields[] = {
    "envoy.api.v2.auth.GenericSecret.secret",
    "envoy.api.v2.auth.PrivateKeyProvider.config",
    "envoy.api.v2.auth.PrivateKeyProvider.typed_config",
    "envoy.api.v2.auth.TlsCertificate.password",
    "envoy.api.v2.auth.TlsCertificate.private_key",
    "envoy.api.v2.auth.TlsSessionTicketKeys.keys",
    "envoy.api.v2.core.GrpcService.GoogleGrpc.CallCredentials.ServiceAccountJWTAccessCredentials.json_key",
    "envoy.api.v2.core.GrpcService.GoogleGrpc.CallCredentials.access_token",
    "envoy.api.v2.core.GrpcService.GoogleGrpc.CallCredentials.google_refresh_token",
    "envoy.api.v2.core.GrpcService.GoogleGrpc.SslCredentials.private_key",
    "envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.ServiceAccountJWTAccessCredentials.json_key",
    "envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.access_token",
    "envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.google_refresh_token",
    "envoy.config.core.v3.GrpcService.GoogleGrpc.SslCredentials.private_key",
    "envoy.config.filter.http.jwt_authn.v2alpha.JwtProvider.local_jwks",
    "envoy.config.filter.network.redis_proxy.v2.RedisProtocolOptions.auth_password",
    "envoy.config.filter.network.redis_proxy.v2.RedisProxy.downstream_auth_password",
    "envoy.config.grpc_credential.v2alpha.FileBasedMetadataConfig.secret_data",
    "envoy.config.grpc_credential.v3.FileBasedMetadataConfig.secret_data",
    "envoy.config.trace.v3.ClientConfig.backend_token",
    "envoy.extensions.common.aws.v3.AssumeRoleWithWebIdentityCredentialProvider.web_identity_token_data_source",
    "envoy.extensions.common.aws.v3.CredentialsFileCredentialProvider.credentials_data_source",
    "envoy.extensions.common.aws.v3.IAMRolesAnywhereCredentialProvider.private_key",
    "envoy.extensions.common.aws.v3.InlineCredentialProvider.secret_access_key",
    "envoy.extensions.common.aws.v3.InlineCredentialProvider.session_token",
    "envoy.extensions.filters.http.api_key_auth.v3.ApiKeyAuth.credentials",
    "envoy.extensions.filters.http.api_key_auth.v3.ApiKeyAuthPerRoute.credentials",
    "envoy.extensions.filters.http.basic_auth.v3.BasicAuth.users",
    "envoy.extensions.filters.http.basic_auth.v3.BasicAuthPerRoute.users",
    "envoy.extensions.filters.http.ext_authz.v3.CheckSettings.context_extensions",
    "envoy.extensions.filters.http.jwt_authn.v3.JwtProvider.local_jwks",
    "envoy.extensions.filters.http.lua.v3.Lua.default_source_code",
    "envoy.extensions.filters.http.lua.v3.Lua.source_codes",
    "envoy.extensions.filters.http.lua.v3.LuaPerRoute.source_code",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions.Credential.auth_password",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions.Credential.auth_username",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions.auth_password",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProtocolOptions.auth_username",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.downstream_auth_password",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.downstream_auth_passwords",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.downstream_auth_username",
    "envoy.extensions.grpc_service.call_credentials.file_based_metadata.v3.FileBasedMetadataCallCredentials.secret_"
    "data",
    "envoy.extensions.transport_sockets.tls.v3.GenericSecret.secret",
    "envoy.extensions.transport_sockets.tls.v3.GenericSecret.secrets",
    "envoy.extensions.transport_sockets.tls.v3.PrivateKeyProvider.typed_config",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.password",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.pkcs12",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.private_key",
    "envoy.extensions.transport_sockets.tls.v3.TlsSessionTicketKeys.keys",
    "envoy.extensions.wasm.v3.VmConfig.code",
};
static_assert(std::is_sorted(std::begin(kSensitiveFields), std::end(kSensitiveFields)));

// Sensitive when the header of that name is.
constexpr std::string_view kHeaderValues[] = {
    "envoy.api.v2.core.HeaderValue.value",
    "envoy.config.core.v3.HeaderValue.raw_value",
    "envoy.config.core.v3.HeaderValue.value",
};

// Keys without case, '-', '_' and '.'; a key is secret when it contains one of these …
constexpr std::string_view kSecretParts[] = {"apikey",    "credential",   "passphrase",  "password",
                                             "passwd",    "privatekey",   "secret",      "accesstoken",
                                             "authtoken", "refreshtoken", "sessiontoken"};
// … or is one of these.
constexpr std::string_view kSecretKeys[] = {
    "authorization", "proxyauthorization", "cookie", "setcookie", "token", "xapikey",
    "xauthtoken",    "xamzsecuritytoken",  "bearer"};

// The numbers of the two annotations among the options of a field.
constexpr std::uint32_t kUdpaSensitive = 76569463;
constexpr std::uint32_t kXdsSensitive = 61008053;

// Reads the annotations from the bytes of the options, not through protobuf's reflection: there an option is an unknown
// field in a program without generated code for it, and an extension in one that has linked it.
bool IsAnnotated(const google::protobuf::FieldDescriptor& field) {
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

}  // namespace

bool IsInSensitiveList(std::string_view field_name) {
  return std::binary_search(std::begin(kSensitiveFields), std::end(kSensitiveFields), field_name);
}

Sensitive SensitivityOf(const google::protobuf::FieldDescriptor& field) {
  const std::string_view name = field.full_name();
  if (IsInSensitiveList(name)) return Sensitive::kYes;
  if (std::binary_search(std::begin(kHeaderValues), std::end(kHeaderValues), name)) return Sensitive::kByKey;
  return IsAnnotated(field) ? Sensitive::kYes : Sensitive::kNo;
}

// Looks for parts and not for whole names where a part is telling enough ("db_password", "x-client-secret"); "token",
// "cookie" and the like stand in too many harmless names (token_bucket) to be taken for more than themselves.
bool IsSecretKey(std::string_view key) {
  std::string plain;
  for (const char c : key) {
    if (c == '-' || c == '_' || c == '.') continue;
    plain.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  const auto is = [&](std::string_view known) { return plain == known; };
  const auto has = [&](std::string_view part) { return plain.find(part) != std::string::npos; };
  return std::any_of(std::begin(kSecretKeys), std::end(kSecretKeys), is) ||
         std::any_of(std::begin(kSecretParts), std::end(kSecretParts), has);
}

}  // namespace xdscope::wire
