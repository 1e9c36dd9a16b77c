#include "lib/protocol/response.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

using base::FieldReader;

// google.protobuf.Duration within what nanoseconds can say, about 292 years either way.
std::chrono::nanoseconds ToNanoseconds(std::int64_t seconds, std::int32_t nanos) {
  constexpr std::int64_t kMostSeconds = 9'000'000'000;
  return std::chrono::seconds(std::clamp(seconds, -kMostSeconds, kMostSeconds)) + std::chrono::nanoseconds(nanos);
}

// Reads messages of one buffer. Each Read… returns false at bytes that protobuf's own parser would refuse, and fault()
// says where. Fields met again replace or merge as in proto3.
class Reader {
 public:
  explicit Reader(std::string_view whole) : whole_(whole) {}

  bool ReadSotw(Response* response);
  bool ReadDelta(Response* response);
  absl::Status fault() const { return base::Error(absl::StatusCode::kDataLoss, fault_); }

 private:
  bool ReadEnvelope(const FieldReader& field, Response* response);
  bool ReadSotwEntry(std::string_view bytes, Resource* resource);
  bool ReadAny(std::string_view bytes, Resource* resource);
  bool ReadWrapper(std::string_view bytes, Resource* resource);
  bool ReadWrapperField(const FieldReader& field, Resource* resource);
  bool ReadDuration(std::string_view bytes, Resource* resource);
  bool ReadError(std::string_view bytes, ResourceError* error);
  bool ReadStatus(std::string_view bytes, ResourceError* error);
  bool ReadName(std::string_view bytes, std::string_view* name);
  bool ReadControlPlane(std::string_view bytes, Response* response);

  bool Text(std::string_view bytes, std::string_view* text);
  bool End(const FieldReader& fields, std::string_view message);
  bool Reserve(Response* response);
  std::size_t OffsetOf(std::string_view part) const {
    return part.data() == nullptr ? 0 : static_cast<std::size_t>(part.data() - whole_.data());
  }

  std::string_view whole_;
  std::string fault_;
  std::int64_t seconds_ = 0;  // of the Duration that is being merged
  std::int32_t nanos_ = 0;
};

bool Reader::Text(std::string_view bytes, std::string_view* text) {
  *text = bytes;
  if (base::IsUtf8(bytes)) return true;
  fault_ = fmt::format("text that is not UTF-8 at offset {}", OffsetOf(bytes));
  return false;
}

bool Reader::End(const FieldReader& fields, std::string_view message) {
  if (fields.ok()) return true;
  fault_ = fmt::format("malformed field at offset {}", OffsetOf(message) + fields.offset());
  return false;
}

// One quick look at the outermost fields: makes room for the resources, which are many, and meets most bad bytes.
bool Reader::Reserve(Response* response) {
  FieldReader fields(whole_);
  std::string_view bytes;
  std::size_t count = 0;
  while (fields.Next()) count += fields.Is(2, &bytes) ? 1 : 0;
  response->resources.reserve(count);
  return End(fields, whole_);
}

bool Reader::ReadSotw(Response* response) {
  if (!Reserve(response)) return false;
  FieldReader fields(whole_);
  std::string_view bytes;
  while (fields.Next()) {
    bool good = true;
    if (fields.Is(2, &bytes)) {
      good = ReadSotwEntry(bytes, &response->resources.emplace_back());
    } else if (fields.Is(6, &bytes)) {
      good = ReadControlPlane(bytes, response);
    } else if (fields.Is(7, &bytes)) {
      good = ReadError(bytes, &response->errors.emplace_back());
    } else {
      good = ReadEnvelope(fields, response);
    }
    if (!good) return false;
  }
  return true;
}

bool Reader::ReadDelta(Response* response) {
  if (!Reserve(response)) return false;
  FieldReader fields(whole_);
  std::string_view bytes;
  while (fields.Next()) {
    bool good = true;
    if (fields.Is(2, &bytes)) {
      good = ReadWrapper(bytes, &response->resources.emplace_back());
    } else if (fields.Is(6, &bytes)) {
      good = Text(bytes, &response->removed.emplace_back());
    } else if (fields.Is(7, &bytes)) {
      good = ReadControlPlane(bytes, response);
    } else if (fields.Is(8, &bytes)) {
      good = ReadName(bytes, &response->removed.emplace_back());
    } else if (fields.Is(9, &bytes)) {
      good = ReadError(bytes, &response->errors.emplace_back());
    } else {
      good = ReadEnvelope(fields, response);
    }
    if (!good) return false;
  }
  return true;
}

bool Reader::ReadEnvelope(const FieldReader& field, Response* response) {
  std::string_view bytes;
  if (field.Is(1, &bytes)) return Text(bytes, &response->version);
  if (field.Is(4, &bytes)) return Text(bytes, &response->said_type_url);
  if (field.Is(5, &bytes)) return Text(bytes, &response->nonce);
  return true;
}

bool Reader::ReadSotwEntry(std::string_view bytes, Resource* resource) {
  Resource any;
  if (!ReadAny(bytes, &any)) return false;
  if (!IsWrapperUrl(any.type_url)) {
    *resource = std::move(any);
    resource->entry = bytes;
    resource->has_payload = true;
    return true;
  }
  // The wrapper is payload as far as the response goes: bad bytes in it spoil this entry alone.
  if (!ReadWrapper(any.payload, resource)) {
    *resource = Resource();
    resource->wrapped = true;
    resource->unreadable = true;
    resource->type_url = any.type_url;
    resource->payload = any.payload;
    fault_.clear();
  }
  resource->entry = bytes;
  return true;
}

bool Reader::ReadAny(std::string_view bytes, Resource* resource) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(1, &value)) {
      if (!Text(value, &resource->type_url)) return false;
    } else if (fields.Is(2, &value)) {
      resource->payload = value;
    }
  }
  return End(fields, bytes);
}

bool Reader::ReadWrapper(std::string_view bytes, Resource* resource) {
  resource->wrapped = true;
  resource->entry = bytes;
  seconds_ = 0;
  nanos_ = 0;
  FieldReader fields(bytes);
  while (fields.Next()) {
    if (!ReadWrapperField(fields, resource)) return false;
  }
  return End(fields, bytes);
}

bool Reader::ReadWrapperField(const FieldReader& field, Resource* resource) {
  if (field.type() != base::WireType::kBytes) return true;
  switch (field.number()) {
    case 1:
      return Text(field.bytes(), &resource->version);
    case 2:
      resource->has_payload = true;
      return ReadAny(field.bytes(), resource);
    case 3:
      return Text(field.bytes(), &resource->name);
    case 4:
      return Text(field.bytes(), &resource->aliases.emplace_back());
    case 6:
      return ReadDuration(field.bytes(), resource);
    case 8:
      return ReadName(field.bytes(), &resource->structured_name);
    default:
      return true;
  }
}

bool Reader::ReadDuration(std::string_view bytes, Resource* resource) {
  FieldReader fields(bytes);
  while (fields.Next()) {
    if (fields.type() != base::WireType::kVarint) continue;
    if (fields.number() == 1) seconds_ = static_cast<std::int64_t>(fields.value());
    if (fields.number() == 2) nanos_ = static_cast<std::int32_t>(static_cast<std::uint32_t>(fields.value()));
  }
  resource->ttl = ToNanoseconds(seconds_, nanos_);
  return End(fields, bytes);
}

bool Reader::ReadError(std::string_view bytes, ResourceError* error) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(1, &value) && !ReadName(value, &error->name)) return false;
    if (fields.Is(2, &value) && !ReadStatus(value, error)) return false;
  }
  return End(fields, bytes);
}

bool Reader::ReadStatus(std::string_view bytes, ResourceError* error) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.number() == 1 && fields.type() == base::WireType::kVarint) {
      error->code = static_cast<int>(static_cast<std::uint32_t>(fields.value()));
    } else if (fields.Is(2, &value) && !Text(value, &error->message)) {
      return false;
    }
  }
  return End(fields, bytes);
}

// ResourceName: the name; its constraints are not ours.
bool Reader::ReadName(std::string_view bytes, std::string_view* name) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(1, &value) && !Text(value, name)) return false;
  }
  return End(fields, bytes);
}

bool Reader::ReadControlPlane(std::string_view bytes, Response* response) {
  return ReadName(bytes, &response->control_plane);  // its identifier is field 1 as well
}

}  // namespace

bool IsWrapperUrl(std::string_view type_url) {
  if (!type_url.ends_with(".Resource")) return false;  // nearly all
  const std::string_view message = MessageName(type_url);
  return message == "envoy.service.discovery.v3.Resource" || message == "envoy.api.v2.Resource";
}

absl::StatusOr<Response> ReadResponse(Variant variant, Bytes bytes) {
  Response response;
  response.bytes = std::move(bytes);
  Reader reader(*response.bytes);
  const bool good = variant == Variant::kSotw ? reader.ReadSotw(&response) : reader.ReadDelta(&response);
  if (!good) return reader.fault();
  return response;
}

}  // namespace xdscope::protocol
