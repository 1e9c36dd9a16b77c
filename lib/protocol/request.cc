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

template <typename Message>
void ReadCommon(const Message& message, Request* request) {
  request->type_url = message.type_url();
  request->nonce = message.response_nonce();
  request->has_node = message.has_node();
  if (message.has_error_detail()) {
    request->error = RequestError{message.error_detail().code(), message.error_detail().message()};
  }
  request->kind = Request::Kind::kInterest;
  if (!request->nonce.empty()) request->kind = request->error ? Request::Kind::kNack : Request::Kind::kAck;
}

bool ReadSotw(const std::string& bytes, Request* request) {
  SotwMessage message;
  if (!message.ParseFromString(bytes)) return false;
  ReadCommon(message, request);
  request->version = message.version_info();
  request->names.assign(message.resource_names().begin(), message.resource_names().end());
  return true;
}

bool ReadDelta(const std::string& bytes, Request* request) {
  DeltaMessage message;
  if (!message.ParseFromString(bytes)) return false;
  ReadCommon(message, request);
  request->names.assign(message.resource_names_subscribe().begin(), message.resource_names_subscribe().end());
  request->unsubscribe.assign(message.resource_names_unsubscribe().begin(), message.resource_names_unsubscribe().end());
  const auto& versions = message.initial_resource_versions();
  request->initial_versions.assign(versions.begin(), versions.end());
  std::sort(request->initial_versions.begin(), request->initial_versions.end());
  return true;
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
  const bool good = variant == Variant::kSotw ? ReadSotw(bytes, &request) : ReadDelta(bytes, &request);
  if (!good) return base::Error(absl::StatusCode::kDataLoss, "no discovery request");
  request.bytes = std::move(bytes);
  return request;
}

}  // namespace xdscope::protocol
