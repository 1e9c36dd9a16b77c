#include "lib/protocol/request.h"

#include <algorithm>

#include "lib/base/fields.h"
#include "lib/base/status.h"

namespace xdscope::protocol {
namespace {

// Field numbers (A.7). v2 and v3 have the same, SotW and delta have not.
namespace sotw {
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kNode = 2;
constexpr std::uint32_t kNames = 3;
constexpr std::uint32_t kTypeUrl = 4;
constexpr std::uint32_t kNonce = 5;
constexpr std::uint32_t kError = 6;
}  // namespace sotw
namespace delta {
constexpr std::uint32_t kNode = 1;
constexpr std::uint32_t kTypeUrl = 2;
constexpr std::uint32_t kSubscribe = 3;
constexpr std::uint32_t kUnsubscribe = 4;
constexpr std::uint32_t kInitialVersions = 5;
constexpr std::uint32_t kNonce = 6;
constexpr std::uint32_t kError = 7;
}  // namespace delta
constexpr std::uint32_t kErrorCode = 1;  // of google.rpc.Status
constexpr std::uint32_t kErrorMessage = 2;
constexpr std::uint32_t kKey = 1;  // of a map's entry
constexpr std::uint32_t kValue = 2;

// Writes the fields of one request in ascending order, as protobuf does: what is empty is left out, but for elements of
// lists.
class Writer {
 public:
  void Text(std::uint32_t number, std::string_view text) {
    if (!text.empty()) base::AppendBytes(&bytes_, number, text);
  }
  void Texts(std::uint32_t number, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) base::AppendBytes(&bytes_, number, text);
  }
  // The node was written by protobuf or by ours and goes as it is: a v2 node has fields that v3 has not.
  void Node(std::uint32_t number, bool has_node, std::string_view node) {
    if (has_node) base::AppendBytes(&bytes_, number, node);
  }
  void Error(std::uint32_t number, const std::optional<RequestError>& error);
  void Versions(std::uint32_t number, std::vector<std::pair<std::string_view, std::string_view>> versions);

  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

void Writer::Error(std::uint32_t number, const std::optional<RequestError>& error) {
  if (!error) return;
  Writer status;
  if (error->code != 0) {
    base::AppendTag(&status.bytes_, kErrorCode, base::WireType::kVarint);
    base::AppendVarint(&status.bytes_, static_cast<std::uint64_t>(std::int64_t{error->code}));
  }
  status.Text(kErrorMessage, error->message);
  base::AppendBytes(&bytes_, number, status.bytes_);
}

// A map has no order of its own; sorted, the same entries give the same bytes.
void Writer::Versions(std::uint32_t number, std::vector<std::pair<std::string_view, std::string_view>> versions) {
  std::sort(versions.begin(), versions.end());
  for (const auto& [name, version] : versions) {
    Writer entry;
    base::AppendBytes(&entry.bytes_, kKey, name);
    base::AppendBytes(&entry.bytes_, kValue, version);
    base::AppendBytes(&bytes_, number, entry.bytes_);
  }
}

std::string SotwBytes(const Request& request, std::string_view node) {
  Writer writer;
  writer.Text(sotw::kVersion, request.version);
  writer.Node(sotw::kNode, request.has_node, node);
  writer.Texts(sotw::kNames, request.names);
  writer.Text(sotw::kTypeUrl, request.type_url);
  writer.Text(sotw::kNonce, request.nonce);
  writer.Error(sotw::kError, request.error);
  return writer.Take();
}

std::string DeltaBytes(const Request& request, std::string_view node) {
  Writer writer;
  writer.Node(delta::kNode, request.has_node, node);
  writer.Text(delta::kTypeUrl, request.type_url);
  writer.Texts(delta::kSubscribe, request.names);
  writer.Texts(delta::kUnsubscribe, request.unsubscribe);
  writer.Versions(delta::kInitialVersions, {request.initial_versions.begin(), request.initial_versions.end()});
  writer.Text(delta::kNonce, request.nonce);
  writer.Error(delta::kError, request.error);
  return writer.Take();
}

// Reads a request in place.
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
    if (fields.Is(sotw::kVersion, &value)) good = Text(value, &request_.version);
    if (fields.Is(sotw::kNode, &value)) good = ReadNode();
    if (fields.Is(sotw::kNames, &value)) good = Text(value, &request_.names.emplace_back());
    if (fields.Is(sotw::kTypeUrl, &value)) good = Text(value, &request_.type_url);
    if (fields.Is(sotw::kNonce, &value)) good = Text(value, &request_.nonce);
    if (fields.Is(sotw::kError, &value)) good = ReadError(value);
  }
  return good && fields.ok();
}

bool Reader::ReadDelta(std::string_view bytes) {
  base::FieldReader fields(bytes);
  std::string_view value;
  bool good = true;
  while (good && fields.Next()) {
    if (fields.Is(delta::kNode, &value)) good = ReadNode();
    if (fields.Is(delta::kTypeUrl, &value)) good = Text(value, &request_.type_url);
    if (fields.Is(delta::kSubscribe, &value)) good = Text(value, &request_.names.emplace_back());
    if (fields.Is(delta::kUnsubscribe, &value)) good = Text(value, &request_.unsubscribe.emplace_back());
    if (fields.Is(delta::kInitialVersions, &value)) good = ReadInitialVersion(value);
    if (fields.Is(delta::kNonce, &value)) good = Text(value, &request_.nonce);
    if (fields.Is(delta::kError, &value)) good = ReadError(value);
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
    if (fields.Is(kErrorMessage, &value)) good = Text(value, &request_.error->message);
    if (fields.number() != kErrorCode || fields.type() != base::WireType::kVarint) continue;
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
    if (fields.Is(kKey, &value)) good = Text(value, &name);
    if (fields.Is(kValue, &value)) good = Text(value, &version);
  }
  return good && fields.ok();
}

Request::Kind KindOf(const Request& request) {
  if (request.nonce.empty()) return Request::Kind::kInterest;
  return request.error ? Request::Kind::kNack : Request::Kind::kAck;
}

}  // namespace

void EncodeRequest(Variant variant, std::string_view node, Request* request) {
  request->bytes = variant == Variant::kSotw ? SotwBytes(*request, node) : DeltaBytes(*request, node);
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

std::string WithType(Variant variant, std::string_view bytes, std::string_view type_url) {
  const std::uint32_t number = variant == Variant::kSotw ? sotw::kTypeUrl : delta::kTypeUrl;
  std::string changed;
  base::FieldReader fields(bytes);
  while (fields.Next()) {
    if (fields.number() == number) {
      base::AppendBytes(&changed, number, type_url);
    } else {
      changed.append(fields.raw());
    }
  }
  return changed;
}

}  // namespace xdscope::protocol
