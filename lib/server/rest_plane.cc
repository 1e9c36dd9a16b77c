#include "lib/server/rest_plane.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "lib/base/status.h"
#include "lib/encode/encode.h"
#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "lib/format/json_reader.h"
#include "lib/format/json_text.h"
#include "lib/format/position.h"
#include "lib/server/methods.h"
#include "lib/types/known_types.h"
#include "lib/wire/message.h"

namespace xdscope::server {
namespace {

using protocol::Received;
using protocol::ServerResponse;

std::string MessageOf(types::Api api, std::string_view name) {
  return fmt::format("{}.{}", api == types::Api::kV3 ? "envoy.service.discovery.v3" : "envoy.api.v2", name);
}

std::string Join(const std::vector<transport::Chunk>& chunks) {
  std::string bytes;
  std::size_t size = 0;
  for (const transport::Chunk& chunk : chunks) size += chunk.bytes().size();
  bytes.reserve(size);
  for (const transport::Chunk& chunk : chunks) bytes += chunk.bytes();
  return bytes;
}

}  // namespace

// One request, until it has its answer.
class RestPlane::Poll {
 public:
  using Place = std::list<std::unique_ptr<Poll>>::iterator;

  Poll(RestPlane& plane, std::unique_ptr<transport::HttpCall> call)
      : plane_(plane),
        client_{plane.options_.next_id(), call->request().peer, call->request().path, {}},
        call_(std::move(call)) {}

  void Start(Place place) {
    place_ = place;
    plane_.observer_.OnOpened(client_);
    const absl::Status status = Read();
    if (!status.ok()) return;  // refused
    Try();
    if (replied_) return;
    if (plane_.options_.hold.count() == 0) return SayUnchanged();
    held_ = plane_.clock_.After(plane_.options_.hold, [this](base::Time) { SayUnchanged(); });
    call_->WhenGone([this] { End(absl::CancelledError("the client left")); });
  }

  // Answers if there is something that the client does not have.
  void Try() {
    if (replied_) return;
    // What a session hands out counts as sent, and this may be for nothing: so each attempt has one of its own.
    protocol::ServerSession session = MakeSession();
    session.OnRequest(request_).status().IgnoreError();  // it was good before
    std::optional<ServerResponse> answer = session.Next(plane_.inventory_, plane_.clock_.Now().time_since_epoch());
    if (!answer) {
      answer.emplace();  // of names none of which exists
      answer->type_url = type_url_;
    }
    answer->version = Inventory::VersionOf(*answer);
    answer->nonce.clear();
    if (answer->version == version_) return;
    plane_.observer_.OnResponse(client_, *answer, plane_.inventory_.Compose(protocol::Variant::kSotw, *answer));
    Reply({.status = 200, .body = plane_.BodyOf(*answer, method_->api)}, absl::OkStatus());
  }

 private:
  // Finds out what is asked for. A failure has been answered.
  absl::Status Read() {
    const transport::HttpRequest& request = call_->request();
    method_ = FindMethod(request.path);
    if (!method_ || method_->variant != types::Variant::kRest) {
      return Refuse(404, base::Error(absl::StatusCode::kUnimplemented, fmt::format("no such path: {}", request.path)));
    }
    if (method_->api == types::Api::kV2 && !plane_.options_.v2) {
      return Refuse(404, absl::UnimplementedError("the v2 API is not served here"));
    }
    if (request.method != "POST") return Refuse(405, absl::UnimplementedError("only POST is served"));
    const absl::StatusOr<std::string> bytes = plane_.ReadRequest(request.body, method_->api);
    if (!bytes.ok()) return Refuse(400, bytes.status());
    type_url_ = method_->type->names(method_->api).type_url;
    request_ = *bytes;
    protocol::ServerSession session = MakeSession();
    absl::StatusOr<Received> received = session.OnRequest(request_);
    if (!received.ok()) return Refuse(400, received.status());
    client_.node_id = session.node_id();
    version_ = received->request.version;
    if (received->request.error) received->kind = Received::Kind::kNack;
    plane_.observer_.OnRequest(client_, *received);
    return absl::OkStatus();
  }

  protocol::ServerSession MakeSession() const {
    protocol::ServerSession::Options options;
    options.only_type = type_url_;
    return protocol::ServerSession(std::move(options));
  }

  absl::Status Refuse(int status, const absl::Status& why) {
    transport::HttpReply reply{.status = status, .body = transport::ErrorBody(base::Message(why))};
    if (status == 405) reply.headers.emplace_back("allow", "POST");
    Reply(std::move(reply), why);
    return why;
  }

  void SayUnchanged() {
    plane_.observer_.OnUnchanged(client_, type_url_);
    Reply({.status = 304}, absl::OkStatus());
  }

  // Answers, later where answers are delayed.
  void Reply(transport::HttpReply reply, const absl::Status& why) {
    replied_ = true;
    held_ = plane_.clock_.After(plane_.options_.delay, [this, why, late = std::move(reply)](base::Time) mutable {
      call_->Reply(std::move(late));
      End(why);
    });
  }

  void End(const absl::Status& why) {
    plane_.observer_.OnClosed(client_, why);
    plane_.polls_.erase(place_);  // and so this
  }

  RestPlane& plane_;
  ClientStream client_;
  std::unique_ptr<transport::HttpCall> call_;
  Place place_;
  std::optional<Method> method_;
  std::string type_url_;
  std::string version_;  // that the client has
  std::string request_;
  base::Timer held_;  // until it is answered
  bool replied_ = false;
};

RestPlane::RestPlane(base::Clock& clock, Inventory& inventory, Observer& observer, wire::Types& types, Options options)
    : clock_(clock), inventory_(inventory), observer_(observer), types_(types), options_(std::move(options)) {}

RestPlane::~RestPlane() = default;

void RestPlane::Take(std::unique_ptr<transport::HttpCall> call) {
  polls_.push_back(std::make_unique<Poll>(*this, std::move(call)));
  polls_.back()->Start(std::prev(polls_.end()));
}

void RestPlane::Push() {
  bodies_.clear();
  for (const auto& poll : polls_) poll->Try();
}

// INVALID_ARGUMENT, "LINE:COLUMN: what". Fields that the schema does not have are no reason to refuse a client.
absl::StatusOr<std::string> RestPlane::ReadRequest(std::string_view text, types::Api api) {
  encode::Findings findings(1);
  format::JsonReader reader(text, &findings);
  encode::Tree tree;
  std::string bytes;
  if (reader.Value(&tree)) {
    const wire::Type* type = types_.Find(MessageOf(api, "DiscoveryRequest"));
    if (type == nullptr) return absl::InvalidArgumentError("the schema has no DiscoveryRequest");
    encode::EncodeOptions options;
    options.unknown = encode::Unknown::kIgnore;
    encode::Encode(tree.root(), *type, options, types_, &findings, &bytes);
    if (findings.errors() == 0 && reader.Peek() != 0)
      return absl::InvalidArgumentError("something follows the request");
  }
  if (findings.errors() == 0) return bytes;
  const finding::Finding& first = findings.all().front();
  const std::size_t offsets[] = {first.offset};
  const finding::Position position = format::PositionsOf(text, offsets).front();
  return base::Error(absl::StatusCode::kInvalidArgument,
                     fmt::format("{}:{}: {}{}", position.line, position.column,
                                 first.path.empty() ? "" : finding::ToText(first.path) + ": ", first.message));
}

transport::Bytes RestPlane::BodyOf(const ServerResponse& answer, types::Api api) {
  const std::string key = fmt::format("{} {} {}", answer.wrapped, answer.version, answer.type_url);
  if (const auto known = bodies_.find(key); known != bodies_.end()) return known->second;
  const std::string bytes = Join(inventory_.Compose(protocol::Variant::kSotw, answer));
  const wire::Type* type = types_.Find(MessageOf(api, "DiscoveryResponse"));
  const absl::StatusOr<wire::Message> message = wire::Decode(bytes, *type);
  auto body = std::make_shared<const std::string>(message.ok() ? format::JsonText(message->view(), types_) : "");
  if (answer.all) bodies_.emplace(key, body);
  return body;
}

}  // namespace xdscope::server
