#include "lib/protocol/request.h"

#include <algorithm>

#include "envoy/service/discovery/v3/discovery.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "lib/base/fields.h"
#include "lib/base/status.h"

namespace xdscope::protocol {
namespace {

using SotwMessage = envoy::service::discovery::v3::DiscoveryRequest;
using DeltaMessage = envoy::service::discovery::v3::DeltaDiscoveryRequest;

// The order of initial_resource_versions, a map, must not depend on its hashes.
std::string Serialize(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

template <typename Message>
void FillCommon(const Request& request, Message* message) {
  message->set_type_url(request.type_url);
  message->set_response_nonce(request.nonce);
  if (!request.error) return;
  message->mutable_error_detail()->set_code(request.error->code);
  message->mutable_error_detail()->set_message(request.error->message);
}

std::string SotwBytes(const Request& request) {
  SotwMessage message;
  FillCommon(request, &message);
  message.set_version_info(request.version);
  for (const std::string& name : request.names) message.add_resource_names(name);
  return Serialize(message);
}

std::string DeltaBytes(const Request& request) {
  DeltaMessage message;
  FillCommon(request, &message);
  for (const std::string& name : request.names) message.add_resource_names_subscribe(name);
  for (const std::string& name : request.unsubscribe) message.add_resource_names_unsubscribe(name);
  for (const auto& [name, version] : request.initial_versions) {
    (*message.mutable_initial_resource_versions())[name] = version;
  }
  return Serialize(message);
}

// Reads a request in place: protobuf's own parser would say on stderr what it does not like.
class Reader {
 public:
  explicit Reader(Request* request) : request_(*request) {}

  bool ReadSotw(std::string_view bytes);
  bool ReadDelta(std::string_view bytes);

 private:
  bool ReadError(std::string_view bytes);
  bool ReadInitialVersion(std::string_view bytes);
  bool ReadNode() { return request_.has_node = true; }

  static bool Text(std::string_view bytes, std::string* text) {
    *text = bytes;
    return base::IsUtf8(bytes);
  }

  Request& request_;
};

bool Reader::ReadSotw(std::string_view bytes) {
  base::FieldReader fields(bytes);
  std::string_view value;
  bool good = true;
  while (good && fields.Next()) {
    if (fields.Is(1, &value)) good = Text(value, &request_.version);
    if (fields.Is(2, &value)) good = ReadNode();
    if (fields.Is(3, &value)) good = Text(value, &request_.names.emplace_back());
    if (fields.Is(4, &value)) good = Text(value, &request_.type_url);
    if (fields.Is(5, &value)) good = Text(value, &request_.nonce);
    if (fields.Is(6, &value)) good = ReadError(value);
  }
  return good && fields.ok();
}

bool Reader::ReadDelta(std::string_view bytes) {
  base::FieldReader fields(bytes);
  std::string_view value;
  bool good = true;
  while (good && fields.Next()) {
    if (fields.Is(1, &value)) good = ReadNode();
    if (fields.Is(2, &value)) good = Text(value, &request_.type_url);
    if (fields.Is(3, &value)) good = Text(value, &request_.names.emplace_back());
    if (fields.Is(4, &value)) good = Text(value, &request_.unsubscribe.emplace_back());
    if (fields.Is(5, &value)) good = ReadInitialVersion(value);
    if (fields.Is(6, &value)) good = Text(value, &request_.nonce);
    if (fields.Is(7, &value)) good = ReadError(value);
  }
  std::sort(request_.initial_versions.begin(), request_.initial_versions.end());
  return good && fields.ok();
}

bool Reader::ReadError(std::string_view bytes) {
  if (!request_.error) request_.error.emplace();
  base::FieldReader fields(bytes);
  std::string_view value;
  bool good = true;
  while (good && fields.Next()) {
    if (fields.Is(2, &value)) good = Text(value, &request_.error->message);
    if (fields.number() != 1 || fields.type() != base::WireType::kVarint) continue;
    request_.error->code = static_cast<int>(static_cast<std::uint32_t>(fields.value()));
  }
  return good && fields.ok();
}

bool Reader::ReadInitialVersion(std::string_view bytes) {
  auto& [name, version] = request_.initial_versions.emplace_back();
  base::FieldReader fields(bytes);
  std::string_view value;
  bool good = true;
  while (good && fields.Next()) {
    if (fields.Is(1, &value)) good = Text(value, &name);
    if (fields.Is(2, &value)) good = Text(value, &version);
  }
  return good && fields.ok();
}

Request::Kind KindOf(const Request& request) {
  if (request.nonce.empty()) return Request::Kind::kInterest;
  return request.error ? Request::Kind::kNack : Request::Kind::kAck;
}

}  // namespace

void EncodeRequest(Variant variant, std::string_view node, Request* request) {
  request->bytes = variant == Variant::kSotw ? SotwBytes(*request) : DeltaBytes(*request);
  if (!request->has_node) return;
  // As it stands: a v2 node has fields that v3 has not, and the order of fields means nothing.
  constexpr std::uint32_t kSotwNode = 2;
  constexpr std::uint32_t kDeltaNode = 1;
  base::AppendBytes(&request->bytes, variant == Variant::kSotw ? kSotwNode : kDeltaNode, node);
}

absl::StatusOr<Request> DecodeRequest(Variant variant, std::string bytes) {
  Request request;
  Reader reader(&request);
  const bool good = variant == Variant::kSotw ? reader.ReadSotw(bytes) : reader.ReadDelta(bytes);
  if (!good) return base::Error(absl::StatusCode::kDataLoss, "no discovery request");
  request.kind = KindOf(request);
  request.bytes = std::move(bytes);
  return request;
}

}  // namespace xdscope::protocol
