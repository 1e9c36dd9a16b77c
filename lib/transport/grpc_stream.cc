#include "lib/transport/grpc_stream.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include "lib/base/status.h"
#include "lib/transport/grpc_bytes.h"
#include "lib/transport/grpc_hand_over.h"
#include "lib/transport/inflate.h"

namespace xdscope::transport {
namespace {

absl::Status ToStatus(const grpc::Status& status) {
  return base::Error(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

// The call behind a stream: lives until the stream is gone and every operation that was started has come back.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(std::shared_ptr<GrpcConnection> connection, StreamEvents& events)
      : connection_(std::move(connection)), events_(&events) {}

  void Start(const std::string& method);
  void Write(std::string bytes);
  void ReadNext();
  void WritesDone();
  void Cancel();
  // Forgets the stream, which is gone: no events follow, and what is under way is cancelled.
  void Abandon();

  // Each is under way at most once at a time; the value is the place of its tag.
  enum Operation : std::size_t { kStart, kRead, kWrite, kWritesDone, kFinish, kOperations };
  // What gRPC hands back. While its operation is under way it keeps the call alive.
  struct Tag {
    Operation operation = kStart;
    std::shared_ptr<Call> call;
  };
  // Runs on the queue's thread, which gives its hold on the call to the loop.
  static void Completed(std::shared_ptr<Call> call, Operation operation, bool ok);

 private:
  void* Begin(Operation operation);
  bool UnderWay(Operation operation) const { return under_way_[operation]; }
  absl::StatusOr<Bytes> TakeMessage();
  void OnCompleted(Operation operation, bool ok, absl::StatusOr<Bytes> message);
  void OnStarted(bool ok);
  void OnRead(bool ok, absl::StatusOr<Bytes> message);
  void OnFinished();
  void TellHeaders();
  void SendHeld();
  void Finish();

  const std::shared_ptr<GrpcConnection> connection_;
  StreamEvents* events_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> rpc_;
  std::array<Tag, kOperations> tags_;
  std::array<bool, kOperations> under_way_{};

  base::Timer connect_timer_;
  bool connected_ = false;
  bool headers_told_ = false;
  bool cancelled_ = false;
  bool finished_ = false;
  // What was asked for before there was a connection.
  std::optional<std::string> held_write_;
  bool held_read_ = false;
  bool held_writes_done_ = false;

  grpc::ByteBuffer incoming_;
  MessageTaker taker_;  // for the queue's thread alone
  grpc::Status status_;
  std::optional<absl::Status> own_status_;  // where we ended the stream for a reason of ours
  absl::Status refused_;                    // why we did not take its last message
};

// Returns the tag for an operation that starts now. The tag holds the call, so that gRPC never writes into one that is
// gone: a stream may be destroyed while a read is under way, and the read comes back all the same.
void* Call::Begin(Operation operation) {
  under_way_[operation] = true;
  tags_[operation] = Tag{operation, shared_from_this()};
  HandOver(&tags_[operation]);
  return &tags_[operation];
}

void Call::Start(const std::string& method) {
  for (const auto& [name, value] : connection_->headers) context_.AddMetadata(name, value);
  if (!connection_->authority.empty()) context_.set_authority(connection_->authority);
  context_.set_wait_for_ready(!connection_->fail_fast);
  rpc_ = grpc::GenericStub(connection_->channel).PrepareCall(&context_, method, connection_->queue.get());
  // The limit is for connecting alone. A deadline of gRPC's would count for the whole stream, which has no end.
  const auto timeout = connection_->connect_timeout;
  if (timeout.count() > 0) {
    connect_timer_ = connection_->loop.After(timeout, [this, timeout](base::Time) {
      own_status_ = base::Error(absl::StatusCode::kDeadlineExceeded,
                                fmt::format("{}: no connection within {:g}s", connection_->target,
                                            std::chrono::duration<double>(timeout).count()));
      Cancel();
    });
  }
  rpc_->StartCall(Begin(kStart));
}

void Call::Write(std::string bytes) {
  held_write_ = std::move(bytes);
  SendHeld();
}

void Call::ReadNext() {
  held_read_ = true;
  SendHeld();
}

void Call::WritesDone() {
  held_writes_done_ = true;
  SendHeld();
}

// Starts what was asked for, as far as it can start now. gRPC takes one read and one write at a time, and none before
// the call is started; what has to wait is held here, so that callers need not know.
void Call::SendHeld() {
  if (!connected_ || cancelled_ || UnderWay(kFinish) || finished_) return;
  if (held_read_ && !UnderWay(kRead)) {
    held_read_ = false;
    rpc_->Read(&incoming_, Begin(kRead));
  }
  if (UnderWay(kWrite)) return;
  if (held_write_) {
    const grpc::Slice slice(held_write_->data(), held_write_->size());
    held_write_.reset();
    rpc_->Write(grpc::ByteBuffer(&slice, 1), Begin(kWrite));
  } else if (held_writes_done_) {
    held_writes_done_ = false;
    rpc_->WritesDone(Begin(kWritesDone));
  }
}

void Call::Cancel() {
  if (cancelled_ || finished_) return;
  cancelled_ = true;
  context_.TryCancel();
  // Otherwise one of these comes back, failed, and leads to the end.
  if (!UnderWay(kStart) && !UnderWay(kRead)) Finish();
}

void Call::Abandon() {
  events_ = nullptr;
  connect_timer_.Cancel();
  if (!finished_) context_.TryCancel();
}

void Call::Finish() {
  if (UnderWay(kFinish) || finished_) return;
  rpc_->Finish(&status_, Begin(kFinish));
}

absl::StatusOr<Bytes> Call::TakeMessage() {
  const std::size_t most = connection_->max_message;
  if (incoming_.Length() > most) return TooLarge(incoming_.Length(), most, "");
  Bytes message = taker_.Take(&incoming_);
  if (!IsGzip(*message)) return message;
  absl::StatusOr<std::string> unpacked = Gunzip(*message, most);
  if (!unpacked.ok()) return unpacked.status();
  return std::make_shared<const std::string>(*std::move(unpacked));
}

// The message is put together here, on the queue's thread: for a large one that is a copy of megabytes, during which
// the loop can go on.
void Call::Completed(std::shared_ptr<Call> call, Operation operation, bool ok) {
  absl::StatusOr<Bytes> message = Bytes();
  if (operation == kRead && ok) message = call->TakeMessage();
  base::Loop& loop = call->connection_->loop;
  loop.Post([call = std::move(call), operation, ok, message = std::move(message)]() mutable {
    call->OnCompleted(operation, ok, std::move(message));
  });
}

void Call::OnCompleted(Operation operation, bool ok, absl::StatusOr<Bytes> message) {
  under_way_[operation] = false;
  if (events_ == nullptr) return;
  switch (operation) {
    case kStart:
      return OnStarted(ok);
    case kRead:
      return OnRead(ok, std::move(message));
    case kWrite:
      // A write that failed says nothing that the end of the stream, which the next read finds, does not say better.
      if (!ok || cancelled_) return;
      SendHeld();
      return events_->OnWritten();
    case kFinish:
      return OnFinished();
    default:
      return;
  }
}

void Call::OnStarted(bool ok) {
  connect_timer_.Cancel();
  if (!ok || cancelled_) return Finish();
  connected_ = true;
  SendHeld();
  events_->OnConnected();
}

// A read that failed is how a client hears of the end; the status comes from Finish() alone.
void Call::OnRead(bool ok, absl::StatusOr<Bytes> message) {
  if (!ok || cancelled_) return Finish();
  TellHeaders();
  if (!message.ok()) {
    refused_ = message.status();
    return Cancel();
  }
  if (events_ != nullptr) events_->OnMessage(*std::move(message));
}

void Call::OnFinished() {
  finished_ = true;
  if (connected_) TellHeaders();
  if (events_ == nullptr) return;
  // Our own status counts only if the connection did not come at the last moment.
  absl::Status status = own_status_ && !status_.ok() ? *own_status_ : ToStatus(status_);
  if (!refused_.ok()) status = refused_;
  std::exchange(events_, nullptr)->OnClosed(status, ToMetadata(context_.GetServerTrailingMetadata()));
}

void Call::TellHeaders() {
  if (std::exchange(headers_told_, true)) return;
  const Metadata initial = ToMetadata(context_.GetServerInitialMetadata());
  if (!initial.empty()) events_->OnOpened(initial);
}

class GrpcStream final : public Stream {
 public:
  explicit GrpcStream(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  ~GrpcStream() override { call_->Abandon(); }

  void Write(std::string bytes) override { call_->Write(std::move(bytes)); }
  void ReadNext() override { call_->ReadNext(); }
  void WritesDone() override { call_->WritesDone(); }
  void Cancel() override { call_->Cancel(); }

 private:
  const std::shared_ptr<Call> call_;
};

}  // namespace

GrpcConnection::~GrpcConnection() = default;

std::unique_ptr<Stream> OpenGrpcStream(std::shared_ptr<GrpcConnection> connection, const std::string& method,
                                       StreamEvents& events) {
  auto call = std::make_shared<Call>(std::move(connection), events);
  call->Start(method);
  return std::make_unique<GrpcStream>(std::move(call));
}

void CompleteOperation(void* tag, bool ok) {
  TakeOver(tag);
  auto* done = static_cast<Call::Tag*>(tag);
  // The tag is part of the call that it holds, so the hold is moved out before anything can let go of the call.
  Call::Completed(std::move(done->call), done->operation, ok);
}

}  // namespace xdscope::transport
