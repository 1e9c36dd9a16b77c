#include "tests/integration/transport/grpc_server.h"

#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

namespace xdscope::integration {
namespace {

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  (void)buffer.Dump(&slices);
  std::string text;
  for (const auto& slice : slices) text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return text;
}

grpc::ByteBuffer ToBuffer(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

}  // namespace

class GrpcServer::Service final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

  template <typename Change>
  void Note(Change change) {
    const std::lock_guard lock(mutex);
    change(arrived);
    changed.notify_all();
  }

  std::string response;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  Arrived arrived;
};

class GrpcServer::Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  Reactor(Service* service, grpc::GenericCallbackServerContext* context)
      : service_(service), method_(context->method()) {
    service_->Note([context](Arrived& arrived) {
      arrived.headers.clear();
      for (const auto& [name, value] : context->client_metadata()) {
        arrived.headers.emplace_back(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
      }
      arrived.authority = context->host();
    });
    if (method_ == "/test/Refuse") {
      context->AddTrailingMetadata("x-why", "because");
      Finish(grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "not you"));
    } else if (method_ == "/test/One") {
      context->AddInitialMetadata("x-server", "one");
      out_ = ToBuffer("only");
      StartWriteAndFinish(&out_, {}, grpc::Status::OK);
    } else {
      StartRead(&in_);
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) return OnHalfClose();
    const std::string message = ToString(in_);
    service_->Note([&message](Arrived& arrived) { arrived.messages.push_back(message); });
    const std::optional<std::string> answer = Answer(message);
    if (!answer) return StartRead(&in_);
    out_ = ToBuffer(*answer);
    StartWrite(&out_);
  }

  void OnWriteDone(bool ok) override {
    if (ok) StartRead(&in_);
  }

  void OnCancel() override {
    service_->Note([](Arrived& arrived) { ++arrived.cancelled; });
    FinishOnce(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    service_->Note([](Arrived& arrived) { ++arrived.done; });
    delete this;
  }

 private:
  std::optional<std::string> Answer(const std::string& message) {
    if (method_ == "/test/Echo") return message;
    if (method_ == "/test/Big") return std::string(std::stoul(message), 'x');
    const bool first = method_.ends_with("Xds") && !std::exchange(responded_, true);
    return first ? std::optional(service_->response) : std::nullopt;
  }

  void OnHalfClose() {
    service_->Note([](Arrived& arrived) { ++arrived.half_closes; });
    if (!method_.starts_with("/test/Deaf")) FinishOnce(grpc::Status::OK);
  }

  void FinishOnce(const grpc::Status& status) {
    if (!finished_.exchange(true)) Finish(status);
  }

  Service* const service_;
  const std::string method_;
  grpc::ByteBuffer in_;
  grpc::ByteBuffer out_;
  bool responded_ = false;
  std::atomic<bool> finished_{false};
};

grpc::ServerGenericBidiReactor* GrpcServer::Service::CreateReactor(grpc::GenericCallbackServerContext* context) {
  return new Reactor(this, context);
}

GrpcServer::GrpcServer(std::shared_ptr<grpc::ServerCredentials> credentials, const std::string& address,
                       std::string response)
    : service_(std::make_unique<Service>()) {
  service_->response = std::move(response);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, std::move(credentials), &port_);
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterCallbackGenericService(service_.get());
  server_ = builder.BuildAndStart();
}

GrpcServer::~GrpcServer() {
  server_->Shutdown(std::chrono::system_clock::now());
}

Arrived GrpcServer::arrived() const {
  const std::lock_guard lock(service_->mutex);
  return service_->arrived;
}

bool GrpcServer::WaitUntilDone(int streams) const {
  std::unique_lock lock(service_->mutex);
  return service_->changed.wait_for(lock, std::chrono::seconds(5),
                                    [this, streams] { return service_->arrived.done >= streams; });
}

}  // namespace xdscope::integration
