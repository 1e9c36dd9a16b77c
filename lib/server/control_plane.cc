#include "lib/server/control_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/base/status.h"
#include "lib/types/known_types.h"
#include "lib/wire/message.h"

namespace xdscope::server {

using protocol::Received;
using protocol::ServerResponse;

// One stream or unary call of a client. What the client is told is decided by the session, one answer at a time: the
// next is asked for when the stream can take it. So a slow client gets the newest state in place of a queue of old
// ones, and costs no memory.
class ControlPlane::Conversation final : public transport::ServerStreamEvents {
 public:
  using Place = std::list<std::unique_ptr<Conversation>>::iterator;

  Conversation(ControlPlane& plane, ClientStream client, const Method& method,
               std::unique_ptr<transport::ServerStream> stream)
      : plane_(plane),
        client_(std::move(client)),
        method_(method),
        session_(OptionsOf(method, plane.options_.faults)),
        stream_(std::move(stream)) {}
  ~Conversation() override { SetHeartbeat(std::nullopt); }

  void Start(Place place) {
    place_ = place;
    plane_.observer_.OnOpened(client_);
    stream_->Attach(*this);
    stream_->ReadNext();
  }

  void Resend(std::string_view type_url, std::span<const std::string> names) { session_.Resend(type_url, names); }

  // Sends the next answer, if there is one and the stream can take it.
  void Pump() {
    if (busy_ || closed_) return;
    std::optional<ServerResponse> answer = session_.Next(plane_.inventory_, Now());
    if (answer) {
      Write(*std::move(answer));
    } else if (half_closed_) {
      Close(absl::OkStatus());  // the client has all, and will ask for nothing more
    } else {
      const std::optional<protocol::Moment> next = session_.NextHeartbeat();
      SetHeartbeat(next ? std::optional(base::Time(*next)) : std::nullopt);
    }
  }

  // Runs when a heartbeat is due, which the plane has forgotten.
  void OnHeartbeat() {
    heartbeat_.reset();
    Pump();
  }

 private:
  static protocol::ServerSession::Options OptionsOf(const Method& method, const Faults& faults) {
    protocol::ServerSession::Options options;
    options.variant = method.protocol_variant();
    options.resend_refused = faults.resend_refused;
    if (method.type != nullptr) options.only_type = method.type->names(method.api).type_url;
    return options;
  }

  protocol::Moment Now() const { return plane_.clock_.Now().time_since_epoch(); }

  void SetHeartbeat(std::optional<base::Time> next) {
    plane_.SetHeartbeat(this, std::exchange(heartbeat_, next), next);
  }

  void OnMessage(transport::Bytes message) override {
    if (closed_) return;
    absl::StatusOr<Received> received = session_.OnRequest(*message);
    if (!received.ok()) return Close(received.status());
    client_.node_id = session_.node_id();
    plane_.observer_.OnRequest(client_, *received);
    if (!types::IsDelta(method_.variant) && types::RowOf(received->type_url).delta_only()) {  // XDS-S037
      return Close(base::Error(absl::StatusCode::kInvalidArgument,
                               fmt::format("{} exists in delta variants only", received->type_url)));
    }
    if (method_.unary()) return AnswerCall(*received);
    Pump();
    if (!closed_) stream_->ReadNext();
  }

  void OnHalfClosed() override {
    half_closed_ = true;
    if (method_.unary()) return Close(base::Error(absl::StatusCode::kInvalidArgument, "a request is missing"));
    Pump();
  }

  void OnWritten() override {
    busy_ = false;
    if (method_.unary()) return Close(absl::OkStatus());
    const std::uint64_t most = plane_.options_.faults.close_after;
    if (most > 0 && session_.responses() >= most) {
      return Close(
          base::Error(absl::StatusCode::kUnavailable, fmt::format("closed on purpose after response {}", most)));
    }
    Pump();
  }

  void OnClosed(const absl::Status& status) override {
    plane_.observer_.OnClosed(client_, status);
    plane_.conversations_.erase(place_);  // and so this
  }

  // Writes the one answer of a Fetch… method, which is due even where there is nothing to tell.
  void AnswerCall(const Received& received) {
    std::optional<ServerResponse> answer = session_.Next(plane_.inventory_, Now());
    if (!answer) {
      answer.emplace();
      answer->type_url = received.type_url;
      const auto snapshot = plane_.inventory_.Find(received.type_url);
      if (snapshot != nullptr) answer->version = snapshot->version;
    }
    Write(*std::move(answer));
  }

  // Puts the message together at once even where it is delayed: the inventory may change meanwhile.
  void Write(ServerResponse answer) {
    const Faults& faults = plane_.options_.faults;
    if (faults.drop_nonce) answer.nonce.clear();
    std::vector<transport::Chunk> chunks = plane_.inventory_.Compose(method_.protocol_variant(), answer);
    busy_ = true;
    if (faults.delay.count() == 0) return Send(answer, std::move(chunks));
    delayed_ = plane_.clock_.After(faults.delay, [this, late = std::move(answer), message = std::move(chunks)](
                                                     base::Time) mutable { Send(late, std::move(message)); });
  }

  void Send(const ServerResponse& answer, std::vector<transport::Chunk> chunks) {
    plane_.observer_.OnResponse(client_, answer, chunks);
    stream_->Write(std::move(chunks));
  }

  void Close(const absl::Status& status) {
    closed_ = true;
    delayed_.Cancel();
    SetHeartbeat(std::nullopt);
    stream_->Close(status);
  }

  ControlPlane& plane_;
  ClientStream client_;
  Method method_;
  protocol::ServerSession session_;
  std::unique_ptr<transport::ServerStream> stream_;
  Place place_;
  std::optional<base::Time> heartbeat_;  // when the plane calls OnHeartbeat()
  base::Timer delayed_;                  // the message that is on its way
  bool busy_ = false;                    // a message is being written, or delayed
  bool half_closed_ = false;
  bool closed_ = false;
};

// A stream that is closed at once. Its status is sent only while somebody holds the stream, so this does until the end.
class ControlPlane::Refusal final : public transport::ServerStreamEvents {
 public:
  using Place = std::list<std::unique_ptr<Refusal>>::iterator;

  Refusal(ControlPlane& plane, std::unique_ptr<transport::ServerStream> stream)
      : plane_(plane), stream_(std::move(stream)) {}

  void Send(Place place, const absl::Status& status) {
    place_ = place;
    stream_->Attach(*this);
    stream_->Close(status);
  }

 private:
  void OnMessage(transport::Bytes) override {}
  void OnHalfClosed() override {}
  void OnWritten() override {}
  void OnClosed(const absl::Status&) override { plane_.refusals_.erase(place_); }  // and so this

  ControlPlane& plane_;
  std::unique_ptr<transport::ServerStream> stream_;
  Place place_;
};

ControlPlane::ControlPlane(base::Clock& clock, Inventory& inventory, Observer& observer, wire::Types& types,
                           Options options)
    : clock_(clock), inventory_(inventory), observer_(observer), types_(types), options_(options) {}

ControlPlane::~ControlPlane() = default;

void ControlPlane::Take(std::unique_ptr<transport::ServerStream> stream) {
  ClientStream client{++last_id_, stream->peer(), stream->method(), {}};
  std::optional<Method> method = FindMethod(client.method);
  if (method && method->variant == types::Variant::kRest) method.reset();  // a path is no method of gRPC
  if (!method || (method->api == types::Api::kV2 && !options_.v2)) {
    const std::string why = !method ? fmt::format("no such method: {}", client.method)
                                    : fmt::format("{}: the v2 API is not served here", client.method);
    const absl::Status status = base::Error(absl::StatusCode::kUnimplemented, why);
    observer_.OnOpened(client);
    observer_.OnClosed(client, status);
    refusals_.push_back(std::make_unique<Refusal>(*this, std::move(stream)));
    return refusals_.back()->Send(std::prev(refusals_.end()), status);
  }
  conversations_.push_back(std::make_unique<Conversation>(*this, std::move(client), *method, std::move(stream)));
  conversations_.back()->Start(std::prev(conversations_.end()));
}

// Returns the names of the endpoints that the changed clusters ask for; their type is that of the clusters' API
// version.
std::vector<std::string> ControlPlane::EndpointsOf(const TypeChange& clusters, std::string* type_url) {
  std::vector<std::string> names;
  resource::ReferenceFinder finder(types_);
  for (const std::string& name : clusters.changed) {
    const FileResource* cluster = inventory_.Find(clusters.type_url, name);
    if (cluster == nullptr) continue;
    const absl::StatusOr<wire::Message> message = wire::Open(cluster->type_url, cluster->payload, types_);
    if (!message.ok()) continue;
    for (const resource::Reference& reference : finder.Find(clusters.type_url, message->view(), name)) {
      const types::KnownType* type = types::FindByUrl(reference.type_url);
      if (type == nullptr || type->short_name != "eds" || reference.name.empty()) continue;
      *type_url = reference.type_url;
      names.push_back(reference.name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void ControlPlane::SetHeartbeat(Conversation* conversation, std::optional<base::Time> before,
                                std::optional<base::Time> next) {
  if (before == next) return;
  if (before) heartbeats_.erase({*before, conversation});
  if (next) heartbeats_.emplace(*next, conversation);
  SetTimer();
}

void ControlPlane::SetTimer() {
  const std::optional<base::Time> first =
      heartbeats_.empty() ? std::nullopt : std::optional(heartbeats_.begin()->first);
  if (first == timer_at_) return;
  timer_at_ = first;
  timer_ = first ? clock_.At(*first, [this](base::Time now) { OnHeartbeat(now); }) : base::Timer();
}

void ControlPlane::OnHeartbeat(base::Time now) {
  std::vector<Conversation*> due;
  while (!heartbeats_.empty() && heartbeats_.begin()->first <= now) {
    due.push_back(heartbeats_.extract(heartbeats_.begin()).value().second);
  }
  timer_at_.reset();
  SetTimer();
  for (Conversation* conversation : due) conversation->OnHeartbeat();
}

void ControlPlane::Push(std::span<const TypeChange> changes) {
  // An Envoy that gets a changed cluster warms it and waits for its endpoints, which have not changed and would not be
  // sent. (XDS-S083)
  for (const TypeChange& change : changes) {
    const types::KnownType* type = types::FindByUrl(change.type_url);
    if (type == nullptr || type->short_name != "cds" || change.changed.empty()) continue;
    std::string endpoints;
    const std::vector<std::string> names = EndpointsOf(change, &endpoints);
    for (const auto& conversation : conversations_) conversation->Resend(endpoints, names);
  }
  for (const auto& conversation : conversations_) conversation->Pump();
}

}  // namespace xdscope::server
