#include "lib/transport/server.h"

#include <algorithm>
#include <limits>
#include <optional>
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
#include "lib/transport/acceptor.h"
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
  // Nothing is decompressed: 1 MB of zeros would become 1 GB, past every limit. Clients that compress are told so.
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder->SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, settings.most_streams_per_connection);
  // Tokens come as metadata; gRPC's own limit is 8 kB.
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 64 << 10);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, ToInt(settings.keepalive_time.count()));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, ToInt(settings.keepalive_timeout.count()));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Clients ping as they like: gRPC's own limit of one in five minutes is stricter than what Envoy's examples set.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
}

using Connections = std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor>;

class GrpcServer final : public Server {
 public:
  GrpcServer(std::shared_ptr<GrpcService> service, Connections connections, std::string address, int port)
      : service_(std::move(service)),
        connections_(std::move(connections)),
        address_(std::move(address)),
        port_(port),
        poller_([queue = service_->queue.get()] { Poll(*queue); }) {
    for (int i = 0; i < kAccepting; ++i) AcceptStream(service_);
  }

  // Begins to take clients.
  void Accept(Listening listening, Failed failed) {
    const auto taken = [this](base::Descriptor connection) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters client;
      client.fd = std::move(connection).Release();
      connections_->HandleNewConnection(&client);
    };
    const auto tell = [this, failed = std::move(failed)](const absl::Status& why) {
      failed(base::Prefix(why, fmt::format("{}: cannot take another client", address_)));
    };
    acceptor_.emplace(service_->loop, std::move(listening), taken, tell);
  }

  // Streams are abandoned first, because a Shutdown() that has no time cancels them, and their events would reach
  // owners who are going away. The queue comes last: only it knows that every operation is back.
  ~GrpcServer() override {
    service_->stopping = true;
    acceptor_.reset();
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
    acceptor_.reset();
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
  const Connections connections_;
  const std::string address_;
  const int port_;
  std::optional<Acceptor> acceptor_;
  std::thread poller_;
  std::thread stopper_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(base::Loop& loop, const ServerSettings& settings, Handler handler,
                                                      Failed failed) {
  absl::StatusOr<Target> target = ParseListenAddress(settings.listen);
  if (!target.ok()) return target.status();
  if (const auto& tls = settings.tls) {
    const absl::Status status = CheckServerTls(tls->cert_pem, tls->key_pem, tls->client_ca_pem);
    if (!status.ok()) return status;
  }
  absl::StatusOr<Listening> listening = Listen(*target);
  if (!listening.ok()) return listening.status();

  gpr_set_log_function([](gpr_log_func_args*) {});
  auto service = std::make_shared<GrpcService>(loop);
  service->handler = std::move(handler);
  grpc::ServerBuilder builder;
  Configure(settings, &builder);
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  Connections connections =
      builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD, Credentials(settings.tls));
  builder.RegisterAsyncGenericService(service->service.get());
  service->queue = builder.AddCompletionQueue();
  service->server = builder.BuildAndStart();
  if (service->server == nullptr) {
    service->queue->Shutdown();
    return base::Error(absl::StatusCode::kUnavailable, fmt::format("{}: gRPC does not start", target->Display()));
  }
  if (listening->port != 0) target->port = std::to_string(listening->port);
  auto server =
      std::make_unique<GrpcServer>(std::move(service), std::move(connections), target->Display(), listening->port);
  server->Accept(*std::move(listening), std::move(failed));
  return server;
}

}  // namespace xdscope::transport
