#include "lib/protocol/response.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"
#include "lib/base/status.h"

namespace xdscope::protocol {
namespace {

using base::FieldReader;

// Reads a response. Each Read… returns false at bytes that protobuf's own parser would refuse, and fault() says where.
class Reader {
 public:
  explicit Reader(std::string_view whole) : whole_(whole), parts_(whole) {}

  bool ReadSotw(Response* response);
  bool ReadDelta(Response* response);
  absl::Status fault() const {
    return base::Error(absl::StatusCode::kDataLoss,
                       TooMany() ? fmt::format("{} resources and names; a response of {} bytes may have {}", count_,
                                               whole_.size(), MostParts(whole_.size()))
                                 : parts_.fault());
  }

 private:
  bool ReadEnvelope(const FieldReader& field, Response* response);
  bool ReadSotwEntry(std::string_view bytes, Resource* resource);
  bool ReadWrapper(std::string_view bytes, Resource* resource);
  bool ReadError(std::string_view bytes, ResourceError* error);
  bool ReadStatus(std::string_view bytes, ResourceError* error);
  bool Reserve(Response* response);
  bool TooMany() const { return count_ > MostParts(whole_.size()); }

  std::string_view whole_;
  base::EnvelopeReader parts_;
  std::size_t count_ = 0;  // of fields of the response and aliases of its resources
};

// One quick look at the outermost fields: makes room for the resources, which are many, and meets most bad bytes.
bool Reader::Reserve(Response* response) {
  FieldReader fields(whole_);
  std::string_view bytes;
  std::size_t resources = 0;
  while (fields.Next()) {
    ++count_;
    resources += fields.Is(base::kResponseResourcesField, &bytes) ? 1 : 0;
  }
  if (TooMany()) return false;
  response->resources.reserve(resources);
  return parts_.AtEnd(fields, whole_);
}

bool Reader::ReadSotw(Response* response) {
  if (!Reserve(response)) return false;
  FieldReader fields(whole_);
  std::string_view bytes;
  while (fields.Next()) {
    bool good = true;
    if (fields.Is(base::kResponseResourcesField, &bytes)) {
      good = ReadSotwEntry(bytes, &response->resources.emplace_back());
    } else if (fields.Is(6, &bytes)) {
      good = parts_.ReadName(bytes, &response->control_plane);
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
    if (fields.Is(base::kResponseResourcesField, &bytes)) {
      good = ReadWrapper(bytes, &response->resources.emplace_back());
    } else if (fields.Is(6, &bytes)) {
      good = parts_.ReadText(bytes, &response->removed.emplace_back());
    } else if (fields.Is(7, &bytes)) {
      good = parts_.ReadName(bytes, &response->control_plane);
    } else if (fields.Is(8, &bytes)) {
      good = parts_.ReadName(bytes, &response->removed.emplace_back());
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
  if (field.Is(base::kResponseVersionField, &bytes)) return parts_.ReadText(bytes, &response->version);
  if (field.Is(base::kResponseTypeUrlField, &bytes)) return parts_.ReadText(bytes, &response->said_type_url);
  if (field.Is(base::kResponseNonceField, &bytes)) return parts_.ReadText(bytes, &response->nonce);
  return true;
}

bool Reader::ReadSotwEntry(std::string_view bytes, Resource* resource) {
  base::AnyView any;
  if (!parts_.ReadAny(bytes, &any)) return false;
  if (!base::IsResourceWrapper(any.type_url)) {
    resource->type_url = any.type_url;
    resource->payload = any.value;
    resource->has_payload = true;
  } else if (!ReadWrapper(any.value, resource)) {
    if (TooMany()) return false;
    // The wrapper is payload as far as the response goes: bad bytes in it spoil this entry alone.
    resource->wrapped = true;
    resource->unreadable = true;
    resource->type_url = any.type_url;
    resource->payload = any.value;
    parts_.ClearFault();
  }
  resource->entry = bytes;
  return true;
}

bool Reader::ReadWrapper(std::string_view bytes, Resource* resource) {
  base::ResourceWrapper wrapper;
  if (!parts_.ReadWrapper(bytes, &wrapper)) return false;
  count_ += wrapper.aliases.size();
  if (TooMany()) return false;
  resource->wrapped = true;
  resource->entry = bytes;
  resource->name = wrapper.name;
  resource->structured_name = wrapper.structured_name;
  resource->version = wrapper.version;
  resource->aliases = std::move(wrapper.aliases);
  resource->ttl = wrapper.ttl;
  resource->has_payload = wrapper.resource.has_value();
  if (!wrapper.resource) return true;
  resource->type_url = wrapper.resource->type_url;
  resource->payload = wrapper.resource->value;
  return true;
}

bool Reader::ReadError(std::string_view bytes, ResourceError* error) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(1, &value) && !parts_.ReadName(value, &error->name)) return false;
    if (fields.Is(2, &value) && !ReadStatus(value, error)) return false;
  }
  return parts_.AtEnd(fields, bytes);
}

bool Reader::ReadStatus(std::string_view bytes, ResourceError* error) {
  FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.number() == 1 && fields.type() == base::WireType::kVarint) {
      error->code = static_cast<int>(static_cast<std::uint32_t>(fields.value()));
    } else if (fields.Is(2, &value) && !parts_.ReadText(value, &error->message)) {
      return false;
    }
  }
  return parts_.AtEnd(fields, bytes);
}

}  // namespace

bool TakesAway(const ResourceError& error) {
  constexpr int kNotFound = 5;  // google.rpc.Code
  constexpr int kPermissionDenied = 7;
  return error.code == kNotFound || error.code == kPermissionDenied;
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
