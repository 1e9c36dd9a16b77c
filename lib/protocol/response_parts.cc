#include "lib/protocol/response_parts.h"

#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"

namespace xdscope::protocol {
namespace {

// Field numbers of A.7.
constexpr std::uint32_t kRemoved = 6;  // of the delta response

constexpr std::uint32_t kEntryVersion = 1;  // of Resource
constexpr std::uint32_t kEntryPayload = 2;
constexpr std::uint32_t kEntryName = 3;
constexpr std::uint32_t kEntryAlias = 4;
constexpr std::uint32_t kEntryTtl = 6;

constexpr std::string_view kWrapperTypeUrl = "type.googleapis.com/envoy.service.discovery.v3.Resource";

void AppendTtl(std::string* entry, std::chrono::nanoseconds ttl) {
  if (ttl.count() <= 0) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ttl);
  std::string duration;
  const auto append = [&duration](std::uint32_t field, std::int64_t value) {
    if (value == 0) return;
    base::AppendTag(&duration, field, base::WireType::kVarint);
    base::AppendVarint(&duration, static_cast<std::uint64_t>(value));
  };
  append(1, seconds.count());
  append(2, (ttl - seconds).count());
  base::AppendBytes(entry, kEntryTtl, duration);
}

std::string AsResource(std::string_view entry) {
  std::string bytes;
  bytes.reserve(entry.size() + 8);
  base::AppendBytes(&bytes, base::kResponseResourcesField, entry);
  return bytes;
}

}  // namespace

std::string EncodeSotwEntry(std::string_view type_url, std::string_view payload) {
  std::string bytes;
  bytes.reserve(type_url.size() + payload.size() + 24);
  base::AppendAny(&bytes, base::kResponseResourcesField, {type_url, payload});
  return bytes;
}

std::string EncodeWrappedEntry(std::string_view name, std::chrono::nanoseconds ttl, std::string_view type_url,
                               std::string_view payload) {
  std::string wrapper;
  wrapper.reserve(name.size() + type_url.size() + payload.size() + 40);
  base::AppendBytes(&wrapper, kEntryName, name);
  base::AppendAny(&wrapper, kEntryPayload, {type_url, payload});
  AppendTtl(&wrapper, ttl);
  return EncodeSotwEntry(kWrapperTypeUrl, wrapper);
}

std::string EncodeDeltaEntry(const DeltaEntry& entry) {
  std::string bytes;
  bytes.reserve(entry.payload.size() + entry.name.size() + entry.version.size() + entry.type_url.size() + 32);
  base::AppendBytes(&bytes, kEntryVersion, entry.version);
  base::AppendBytes(&bytes, kEntryName, entry.name);
  for (const std::string& alias : entry.aliases) base::AppendBytes(&bytes, kEntryAlias, alias);
  base::AppendAny(&bytes, kEntryPayload, {entry.type_url, entry.payload});
  AppendTtl(&bytes, entry.ttl);
  return AsResource(bytes);
}

std::string EncodeHeartbeat(std::string_view name, std::string_view version, std::chrono::nanoseconds ttl) {
  std::string bytes;
  base::AppendBytes(&bytes, kEntryVersion, version);
  base::AppendBytes(&bytes, kEntryName, name);
  AppendTtl(&bytes, ttl);
  return AsResource(bytes);
}

std::string EncodeUnresolved(std::string_view alias) {
  std::string bytes;
  base::AppendBytes(&bytes, kEntryName, alias);
  base::AppendBytes(&bytes, kEntryAlias, alias);
  return AsResource(bytes);
}

std::string SotwEnvelope(std::string_view version, std::string_view type_url, std::string_view nonce) {
  std::string bytes;
  base::AppendBytes(&bytes, base::kResponseVersionField, version);
  base::AppendBytes(&bytes, base::kResponseTypeUrlField, type_url);
  base::AppendBytes(&bytes, base::kResponseNonceField, nonce);
  return bytes;
}

std::string DeltaEnvelope(std::string_view system_version, std::string_view type_url, std::string_view nonce,
                          std::span<const std::string> removed) {
  std::string bytes = SotwEnvelope(system_version, type_url, nonce);
  for (const std::string& name : removed) base::AppendBytes(&bytes, kRemoved, name);
  return bytes;
}

}  // namespace xdscope::protocol
