#include "lib/transport/grpc_server_call.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include "lib/base/status.h"
#include "lib/transport/grpc_bytes.h"
#include "lib/transport/grpc_hand_over.h"
#include "lib/transport/message_slices.h"

namespace xdscope::transport {

namespace {

// A client that does not read has this long to take what was said before the end.
constexpr auto kCloseLimit = std::chrono::seconds(1);

// Turns gRPC's "ipv4:1.2.3.4:5", "ipv6:%5B::1%5D:5" and "unix:" into what a person writes.
std::string PeerName(std::string peer) {
  if (peer.starts_with("ipv4:") || peer.starts_with("ipv6:")) peer.erase(0, 5);
  for (const auto& [code, character] : {std::pair("%5B", '['), std::pair("%5D", ']')}) {
    if (const auto at = peer.find(code); at != std::string::npos) peer.replace(at, 3, 1, character);
  }
  return peer;
}

absl::Status Cut() {
  return base::Error(absl::StatusCode::kCancelled, "the client is gone");
}

}  // namespace

// The call behind a stream. It lives until its stream is gone and every operation that was started has come back.
//
// A call goes through these states, all on the loop's thread:
//   waiting   Accept() has asked gRPC for a call and none has come
//   open      a client is there: messages are read and written
//   closing   Close() was called: `closing_` has the status, which is sent after the write that is under way
//   ended     OnClosed() was told or nobody listens: `ended_` has the status, and no operation is started any more
// gRPC tells of the end twice: by kDone, whoever caused it, and by kFinish, when this side did. The first that counts
// moves the call to "ended", and what comes back later only lets go of the call.
class ServerCall : public std::enable_shared_from_this<ServerCall> {
 public:
  explicit ServerCall(std::shared_ptr<GrpcService> service) : service_(std::move(service)) {}

  void Accept();
  void Attach(ServerStreamEvents& events);
  void Write(std::vector<Chunk> message);
  void ReadNext();
  void Close(const absl::Status& status);
  // Ends the call without a word, because the server is gone.
  void Abandon();
  // Ends the call because its stream is gone; no events follow.
  void LetGo();

  const std::string& method() const { return context_.method(); }
  const std::string& peer() const { return peer_; }
  const Metadata& metadata() const { return metadata_; }

  // Each is under way at most once at a time; the value is the place of its tag.
  enum Operation : std::size_t { kAccept, kDone, kRead, kWrite, kFinish, kOperations };
  // What gRPC hands back. While its operation is under way it keeps the call alive.
  struct Tag {
    Operation operation = kAccept;
    std::shared_ptr<ServerCall> call;
  };
  // Runs on the queue's thread, which gives its hold on the call to the loop.
  static void Completed(std::shared_ptr<ServerCall> call, Operation operation, bool ok);

 private:
  void* Begin(Operation operation);
  void OnCompleted(Operation operation, bool ok, Bytes message);
  void OnAccepted(bool ok);
  void OnRead(bool ok, Bytes message);
  void OnWritten(bool ok);
  void Finish();
  void End(absl::Status status);

  const std::shared_ptr<GrpcService> service_;
  ServerStreamEvents* events_ = nullptr;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter rpc_{&context_};
  std::array<Tag, kOperations> tags_;
  std::array<bool, kOperations> under_way_{};

  std::string peer_;
  Metadata metadata_;
  grpc::ByteBuffer incoming_;
  base::Timer close_timer_;
  std::optional<absl::Status> closing_;  // what Close() said
  std::optional<absl::Status> ended_;
};

class GrpcServerStream final : public ServerStream {
 public:
  explicit GrpcServerStream(std::shared_ptr<ServerCall> call) : call_(std::move(call)) {}
  ~GrpcServerStream() override { call_->LetGo(); }

  const std::string& method() const override { return call_->method(); }
  const std::string& peer() const override { return call_->peer(); }
  const Metadata& metadata() const override { return call_->metadata(); }
  void Attach(ServerStreamEvents& events) override { call_->Attach(events); }
  void Write(std::vector<Chunk> message) override { call_->Write(std::move(message)); }
  void ReadNext() override { call_->ReadNext(); }
  void Close(const absl::Status& status) override { call_->Close(status); }

 private:
  const std::shared_ptr<ServerCall> call_;
};

// Returns the tag for an operation that starts now; it keeps the call alive until the operation is back.
void* ServerCall::Begin(Operation operation) {
  under_way_[operation] = true;
  tags_[operation] = Tag{operation, shared_from_this()};
  HandOver(&tags_[operation]);
  return &tags_[operation];
}

// kDone has to be asked for before the call comes: later gRPC no longer takes it.
void ServerCall::Accept() {
  context_.AsyncNotifyWhenDone(Begin(kDone));
  grpc::ServerCompletionQueue* queue = service_->queue.get();
  service_->service->RequestCall(&context_, &rpc_, queue, queue, Begin(kAccept));
}

// ---- What the owner asks for.

// A call may have ended before somebody listens. That is told later, because no event may come inside of this call.
void ServerCall::Attach(ServerStreamEvents& events) {
  events_ = &events;
  if (!ended_) return;
  service_->loop.Post([self = shared_from_this()] {
    if (self->events_ != nullptr) std::exchange(self->events_, nullptr)->OnClosed(*self->ended_);
  });
}

void ServerCall::Write(std::vector<Chunk> message) {
  if (closing_ || ended_) return;
  rpc_.Write(ToBuffer(std::move(message)), Begin(kWrite));
}

void ServerCall::ReadNext() {
  if (closing_ || ended_ || under_way_[kRead]) return;
  rpc_.Read(&incoming_, Begin(kRead));
}

void ServerCall::Close(const absl::Status& status) {
  if (closing_ || ended_) return;
  closing_ = status;
  close_timer_ = service_->loop.After(kCloseLimit, [this](base::Time) { context_.TryCancel(); });
  if (!under_way_[kWrite]) Finish();  // else OnWritten() does it: gRPC takes no Finish() beside a Write()
}

void ServerCall::Finish() {
  const auto code = static_cast<grpc::StatusCode>(closing_->code());
  rpc_.Finish(grpc::Status(code, std::string(base::Message(*closing_))), Begin(kFinish));
}

void ServerCall::LetGo() {
  events_ = nullptr;
  Close(base::Error(absl::StatusCode::kCancelled, "the server ended the stream"));
}

void ServerCall::Abandon() {
  events_ = nullptr;
  close_timer_.Cancel();
  ended_ = Cut();
}

// ---- What comes back.

void ServerCall::Completed(std::shared_ptr<ServerCall> call, Operation operation, bool ok) {
  Bytes message;
  if (operation == kRead && ok) message = MessageTaker().Take(&call->incoming_);
  // Of a call that never came the end does not come either, so its tag would hold the call for ever.
  if (operation == kAccept && !ok) call->tags_[kDone].call.reset();
  base::Loop& loop = call->service_->loop;
  loop.Post([call = std::move(call), operation, ok, message = std::move(message)]() mutable {
    call->OnCompleted(operation, ok, std::move(message));
  });
}

void ServerCall::OnCompleted(Operation operation, bool ok, Bytes message) {
  under_way_[operation] = false;
  if (ended_) return;
  switch (operation) {
    case kAccept:
      return OnAccepted(ok);
    case kRead:
      return OnRead(ok, std::move(message));
    case kWrite:
      return OnWritten(ok);
    case kFinish:
      return End(ok ? *closing_ : Cut());
    default:
      // kDone: either what Finish() started is over, which kFinish says itself, or the client has gone.
      if (!under_way_[kFinish]) End(Cut());
  }
}

void ServerCall::OnAccepted(bool ok) {
  if (!ok) return;
  service_->open.insert(this);
  AcceptStream(service_);  // so that as many calls wait for a client as before
  if (service_->stopping) return Close(base::Error(absl::StatusCode::kUnavailable, "the server is going away"));
  peer_ = PeerName(context_.peer());
  metadata_ = ToMetadata(context_.client_metadata());
  service_->handler(std::make_unique<GrpcServerStream>(shared_from_this()));
}

void ServerCall::OnRead(bool ok, Bytes message) {
  if (closing_ || events_ == nullptr) return;
  if (ok) {
    events_->OnMessage(std::move(message));
  } else {
    events_->OnHalfClosed();
  }
}

// A write that failed says nothing that the end of the stream does not say better.
void ServerCall::OnWritten(bool ok) {
  if (closing_) return Finish();
  if (ok && events_ != nullptr) events_->OnWritten();
}

void ServerCall::End(absl::Status status) {
  close_timer_.Cancel();
  service_->open.erase(this);
  ended_ = std::move(status);
  if (events_ != nullptr) std::exchange(events_, nullptr)->OnClosed(*ended_);
}

// ---- All calls of a server.

GrpcService::GrpcService(base::Loop& on) : loop(on), service(std::make_unique<grpc::AsyncGenericService>()) {}
GrpcService::~GrpcService() = default;

void AcceptStream(std::shared_ptr<GrpcService> service) {
  if (!service->stopping) std::make_shared<ServerCall>(std::move(service))->Accept();
}

namespace {

// Closes some of the streams and leaves the others to later tasks.
void CloseSome(const std::shared_ptr<std::vector<std::weak_ptr<ServerCall>>>& calls, base::Loop& loop,
               const absl::Status& status) {
  constexpr int kAtOnce = 500;
  for (int i = 0; i < kAtOnce && !calls->empty(); ++i) {
    if (const std::shared_ptr<ServerCall> call = calls->back().lock()) call->Close(status);
    calls->pop_back();
  }
  if (!calls->empty()) loop.Post([=, &loop] { CloseSome(calls, loop, status); });
}

}  // namespace

void CloseStreams(const GrpcService& service, const absl::Status& status) {
  auto calls = std::make_shared<std::vector<std::weak_ptr<ServerCall>>>();
  for (ServerCall* call : service.open) calls->push_back(call->weak_from_this());
  CloseSome(calls, service.loop, status);
}

void AbandonStreams(GrpcService* service) {
  for (ServerCall* call : std::exchange(service->open, {})) call->Abandon();
}

void CompleteServerOperation(void* tag, bool ok) {
  TakeOver(tag);
  auto* done = static_cast<ServerCall::Tag*>(tag);
  // The tag is part of the call that it holds, so the hold is moved out before anything can let go of the call.
  ServerCall::Completed(std::move(done->call), done->operation, ok);
}

}  // namespace xdscope::transport
