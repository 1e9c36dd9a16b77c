#include "lib/transport/server.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "lib/base/status.h"
#include "lib/transport/grpc_server_call.h"
#include "lib/transport/listening.h"
#include "lib/transport/tls.h"

namespace xdscope::transport {
namespace {

// As many streams may begin at once without one having to wait for the loop.
constexpr int kAccepting = 16;

std::shared_ptr<grpc::ServerCredentials> Credentials(const std::optional<ServerTls>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  const bool ask = !tls->client_ca_pem.empty();
  grpc::SslServerCredentialsOptions options(ask ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                                : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  options.pem_key_cert_pairs.push_back({tls->key_pem, tls->cert_pem});
  options.pem_root_certs = tls->client_ca_pem;
  return grpc::SslServerCredentials(options);
}

int ToInt(std::int64_t value) {
  return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
}

void Configure(const ServerSettings& settings, grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(ToInt(static_cast<std::int64_t>(settings.largest_message)));
  builder->SetMaxSendMessageSize(-1);
  // Two servers on one port would each get some of the clients.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, settings.most_streams_per_connection);
  // Tokens come as metadata; gRPC's own limit is 8 kB.
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 64 << 10);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, ToInt(settings.keepalive_time.count()));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, ToInt(settings.keepalive_timeout.count()));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Clients ping as they like: gRPC's own limit of one in five minutes is stricter than what Envoy's examples set.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
}

class GrpcServer final : public Server {
 public:
  GrpcServer(std::shared_ptr<GrpcService> service, std::string address, int port)
      : service_(std::move(service)),
        address_(std::move(address)),
        port_(port),
        poller_([queue = service_->queue.get()] { Poll(*queue); }) {
    for (int i = 0; i < kAccepting; ++i) AcceptStream(service_);
  }

  // Streams are abandoned first, because a Shutdown() that has no time cancels them, and their events would reach
  // owners who are going away. The queue comes last: only it knows that every operation is back.
  ~GrpcServer() override {
    service_->stopping = true;
    AbandonStreams(service_.get());
    if (stopper_.joinable()) stopper_.join();
    service_->server->Shutdown(std::chrono::system_clock::now());
    service_->queue->Shutdown();
    poller_.join();
  }

  const std::string& address() const override { return address_; }
  int port() const override { return port_; }

  // gRPC's way to stop waits, and the loop must not: one thread waits in its place.
  void Stop(std::chrono::milliseconds grace, std::function<void()> stopped) override {
    if (std::exchange(service_->stopping, true)) return;
    CloseStreams(*service_, base::Error(absl::StatusCode::kUnavailable, "the server is going away"));
    stopper_ = std::thread([service = service_, grace, stopped = std::move(stopped)] {
      service->server->Shutdown(std::chrono::system_clock::now() + grace);
      service->loop.Post(stopped);
    });
  }

 private:
  static void Poll(grpc::ServerCompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) CompleteServerOperation(tag, ok);
  }

  const std::shared_ptr<GrpcService> service_;
  const std::string address_;
  const int port_;
  std::thread poller_;
  std::thread stopper_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(base::Loop& loop, ServerSettings settings, Handler handler) {
  absl::StatusOr<Target> target = ParseListenAddress(settings.listen);
  if (!target.ok()) return target.status();
  if (const auto& tls = settings.tls) {
    const absl::Status status = CheckServerTls(tls->cert_pem, tls->key_pem, tls->client_ca_pem);
    if (!status.ok()) return status;
  }
  if (const absl::Status status = TryToListen(*target); !status.ok()) return status;

  gpr_set_log_function([](gpr_log_func_args*) {});
  auto service = std::make_shared<GrpcService>(loop);
  service->handler = std::move(handler);
  grpc::ServerBuilder builder;
  Configure(settings, &builder);
  const bool tcp = target->family == Target::Family::kTcp;
  int port = 0;
  builder.AddListeningPort(tcp ? target->Display() : target->grpc, Credentials(settings.tls), &port);
  builder.RegisterAsyncGenericService(service->service.get());
  service->queue = builder.AddCompletionQueue();
  service->server = builder.BuildAndStart();
  if (service->server == nullptr || port == 0) {
    service->queue->Shutdown();
    return base::Error(absl::StatusCode::kUnavailable, fmt::format("{}: cannot listen", target->Display()));
  }
  if (tcp) target->port = std::to_string(port);
  return std::make_unique<GrpcServer>(std::move(service), target->Display(), tcp ? port : 0);
}

}  // namespace xdscope::transport
