#include "tests/fake/messages.h"

#include "lib/base/fields.h"

namespace xdscope::fake {
namespace {

// A string field as protobuf writes it: nothing where it is empty.
std::string Text(std::uint32_t number, std::string_view text) {
  return text.empty() ? std::string() : Field(number, text);
}

std::string Texts(std::uint32_t number, const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) bytes += Field(number, text);
  return bytes;
}

// A google.rpc.Status.
std::string Status(int code, std::string_view message) {
  return Number(1, static_cast<std::uint64_t>(code)) + Text(2, message);
}

std::string PayloadOf(const Resource& resource) {
  return resource.payload ? *resource.payload : Payload(resource.name);
}

std::string AnyOf(const Resource& resource, std::string_view type_url) {
  return Any(resource.type_url.empty() ? type_url : resource.type_url, PayloadOf(resource));
}

std::string SotwEntry(const Resource& resource, std::string_view type_url) {
  return resource.wrapped ? Any(kWrapper, Wrapper(resource, type_url)) : AnyOf(resource, type_url);
}

std::string Errors(std::uint32_t number, const std::vector<ResourceError>& errors) {
  std::string bytes;
  for (const ResourceError& error : errors) {
    bytes += Field(number, Field(1, Text(1, error.name)) + Field(2, Status(error.code, error.message)));
  }
  return bytes;
}

}  // namespace

std::string Field(std::uint32_t number, std::string_view bytes) {
  std::string field;
  base::AppendBytes(&field, number, bytes);
  return field;
}

std::string Number(std::uint32_t number, std::uint64_t value) {
  std::string field;
  base::AppendTag(&field, number, base::WireType::kVarint);
  base::AppendVarint(&field, value);
  return field;
}

std::string Any(std::string_view type_url, std::string_view value) {
  return Text(1, type_url) + Text(2, value);
}

std::string Payload(std::string_view name, std::string_view more) {
  return Field(1, name).append(more);
}

std::string AdsSource() {
  return Field(3, "");
}

std::string FileSource(std::string_view path) {
  return Field(1, path);
}

std::string ClusterSource(std::string_view cluster) {
  return Field(2, Field(4, Field(1, Field(1, cluster))));
}

std::string SelfSource() {
  return Field(5, "");
}

std::string EdsCluster(std::string_view name, std::string_view config_source, std::string_view service_name) {
  return Payload(name, Field(3, Field(1, config_source) + Text(2, service_name)));
}

std::string Wrapper(const Resource& resource, std::string_view type_url) {
  std::string bytes = Text(1, resource.version);
  if (resource.has_payload) bytes += Field(2, AnyOf(resource, type_url));
  bytes += Text(3, resource.name) + Texts(4, resource.aliases);
  if (resource.ttl_seconds) bytes += Field(6, Number(1, static_cast<std::uint64_t>(*resource.ttl_seconds)));
  return bytes;
}

std::string Sotw(const Response& response) {
  std::string bytes = Text(1, response.version);
  for (const Resource& resource : response.resources) bytes += Field(2, SotwEntry(resource, response.type_url));
  bytes += Text(4, response.type_url) + Text(5, response.nonce);
  if (!response.control_plane.empty()) bytes += Field(6, Field(1, response.control_plane));
  return bytes + Errors(7, response.errors);
}

std::string Delta(const Response& response) {
  std::string bytes = Text(1, response.version);
  for (const Resource& resource : response.resources) bytes += Field(2, Wrapper(resource, response.type_url));
  bytes += Text(4, response.type_url) + Text(5, response.nonce) + Texts(6, response.removed);
  if (!response.control_plane.empty()) bytes += Field(7, Field(1, response.control_plane));
  return bytes + Errors(9, response.errors);
}

std::vector<Resource> Named(const std::vector<std::string>& names) {
  std::vector<Resource> resources;
  resources.reserve(names.size());
  for (const std::string& name : names) {
    const std::size_t at = name.find('@');
    resources.push_back({.name = name.substr(0, at), .version = at == std::string::npos ? "" : name.substr(at + 1)});
  }
  return resources;
}

std::vector<Resource> Payloads(const std::vector<std::string>& payloads) {
  std::vector<Resource> resources;
  resources.reserve(payloads.size());
  for (const std::string& payload : payloads) resources.push_back({.payload = payload});
  return resources;
}

std::string SotwRequest(const Request& request) {
  std::string bytes = Text(1, request.version) + Text(2, request.node) + Texts(3, request.names) +
                      Text(4, request.type_url) + Text(5, request.nonce);
  if (request.error) bytes += Field(6, Status(request.error->first, request.error->second));
  return bytes;
}

std::string DeltaRequest(const Request& request) {
  std::string bytes =
      Text(1, request.node) + Text(2, request.type_url) + Texts(3, request.names) + Texts(4, request.unsubscribe);
  for (const auto& [name, version] : request.initial_versions) bytes += Field(5, Field(1, name) + Field(2, version));
  bytes += Text(6, request.nonce);
  if (request.error) bytes += Field(7, Status(request.error->first, request.error->second));
  return bytes;
}

std::string Node(std::string_view id, const std::vector<std::string>& features) {
  return Text(1, id) + Texts(10, features);
}

}  // namespace xdscope::fake
