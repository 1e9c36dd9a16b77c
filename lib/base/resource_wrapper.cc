#include "lib/base/resource_wrapper.h"

#include <algorithm>

namespace xdscope::base {
namespace {

constexpr std::uint32_t kAnyTypeUrl = 1;
constexpr std::uint32_t kAnyValue = 2;

// Fields of Resource.
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kResource = 2;
constexpr std::uint32_t kName = 3;
constexpr std::uint32_t kAliases = 4;
constexpr std::uint32_t kTtl = 6;
constexpr std::uint32_t kResourceName = 8;

std::chrono::nanoseconds ToNanoseconds(std::int64_t seconds, std::int32_t nanos) {
  constexpr std::int64_t kMostSeconds = 9'000'000'000;
  return std::chrono::seconds(std::clamp(seconds, -kMostSeconds, kMostSeconds)) + std::chrono::nanoseconds(nanos);
}

}  // namespace

bool IsResourceWrapper(std::string_view type_url) {
  if (!type_url.ends_with(".Resource")) return false;                         // nearly all
  const std::string_view message = type_url.substr(type_url.rfind('/') + 1);  // npos + 1 is 0
  return message == "envoy.service.discovery.v3.Resource" || message == "envoy.api.v2.Resource";
}

std::size_t EnvelopeReader::OffsetOf(std::string_view part) const {
  return part.data() == nullptr ? 0 : static_cast<std::size_t>(part.data() - buffer_.data());
}

bool EnvelopeReader::ReadText(std::string_view bytes, std::string_view* text) {
  *text = bytes;
  if (IsUtf8(bytes)) return true;
  fault_ = "text that is not UTF-8 at offset " + std::to_string(OffsetOf(bytes));
  return false;
}

bool EnvelopeReader::AtEnd(const FieldReader& fields, std::string_view message) {
  if (fields.ok()) return true;
  fault_ = "malformed field at offset " + std::to_string(OffsetOf(message) + fields.offset());
  return false;
}

bool EnvelopeReader::ReadAny(std::string_view bytes, AnyView* any) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(kAnyTypeUrl, &value)) {
      if (!ReadText(value, &any->type_url)) return false;
    } else if (fields.Is(kAnyValue, &value)) {
      any->value = value;
    }
  }
  return AtEnd(fields, bytes);
}

bool EnvelopeReader::ReadWrapper(std::string_view bytes, ResourceWrapper* wrapper) {
  Duration ttl;
  FieldReader fields(bytes);
  while (fields.Next()) {
    if (fields.type() == WireType::kBytes && !ReadWrapperField(fields, &ttl, wrapper)) return false;
  }
  return AtEnd(fields, bytes);
}

bool EnvelopeReader::ReadWrapperField(const FieldReader& field, Duration* ttl, ResourceWrapper* wrapper) {
  switch (field.number()) {
    case kVersion:
      return ReadText(field.bytes(), &wrapper->version);
    case kResource:
      if (!wrapper->resource) wrapper->resource.emplace();
      return ReadAny(field.bytes(), &*wrapper->resource);
    case kName:
      return ReadText(field.bytes(), &wrapper->name);
    case kAliases:
      return ReadText(field.bytes(), &wrapper->aliases.emplace_back());
    case kTtl:
      if (!ReadDuration(field.bytes(), ttl)) return false;
      wrapper->ttl = ToNanoseconds(ttl->seconds, ttl->nanos);
      return true;
    case kResourceName:
      return ReadName(field.bytes(), &wrapper->structured_name);
    default:
      return true;
  }
}

bool EnvelopeReader::ReadDuration(std::string_view bytes, Duration* duration) {
  FieldReader fields(bytes);
  while (fields.Next()) {
    if (fields.type() != WireType::kVarint) continue;
    if (fields.number() == 1) duration->seconds = static_cast<std::int64_t>(fields.value());
    if (fields.number() == 2) {
      duration->nanos = static_cast<std::int32_t>(static_cast<std::uint32_t>(fields.value()));
    }
  }
  return AtEnd(fields, bytes);
}

bool EnvelopeReader::ReadName(std::string_view bytes, std::string_view* name) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(1, &value) && !ReadText(value, name)) return false;
  }
  return AtEnd(fields, bytes);
}

void AppendAny(std::string* out, std::uint32_t number, const AnyView& any) {
  std::string bytes;
  bytes.reserve(any.type_url.size() + any.value.size() + 16);
  AppendBytes(&bytes, kAnyTypeUrl, any.type_url);
  if (!any.value.empty()) AppendBytes(&bytes, kAnyValue, any.value);
  AppendBytes(out, number, bytes);
}

}  // namespace xdscope::base
