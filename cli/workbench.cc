#include "cli/workbench.h"

#include <utility>

#include "lib/source/grpc_source.h"
#include "lib/transport/grpc_channel.h"

namespace xdscope::cli {
namespace {

source::GrpcSource::Settings SourceSettings(const ConnectOptions& options) {
  source::GrpcSource::Settings settings;
  settings.variant = options.variant;
  settings.api = options.api;
  settings.session.wildcard = options.wildcard;
  settings.session.node_in_every_request = !options.profile.node_on_first_message_only;
  settings.session.nack_code = options.profile.nack_code;
  settings.session.error_limit = options.profile.max_error_bytes;
  settings.session.node = options.node;
  return settings;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Workbench>> Workbench::Make(const ConnectOptions& options, bool show_secrets,
                                                           Streams& streams) {
  absl::StatusOr<schema::Schema> schema =
      options.schemas.empty() ? schema::Schema::Builtin() : schema::Schema::WithFiles(options.schemas);
  if (!schema.ok()) return schema.status();
  std::unique_ptr<Workbench> bench(new Workbench(options, show_secrets, streams, *std::move(schema)));
  bench->trace_.Schema(bench->schema_);
  return bench;
}

Workbench::Workbench(const ConnectOptions& options, bool show_secrets, Streams& streams, schema::Schema schema)
    : options_(options),
      streams_(streams),
      schema_(std::move(schema)),
      report_(streams, options, loop_.Now()),
      trace_(report_, types_, show_secrets, options.api, types::IsDelta(options.variant)) {}

absl::StatusOr<std::unique_ptr<source::Source>> Workbench::MakeSource() {
  absl::StatusOr<std::unique_ptr<transport::Channel>> channel = transport::ConnectGrpc(loop_, options_.channel);
  if (!channel.ok()) return channel.status();
  channel_ = *std::move(channel);
  return std::make_unique<source::GrpcSource>(loop_, *channel_, types_, SourceSettings(options_));
}

void Workbench::Run(const Work& work) {
  loop_.OnSignals([this](int) {
    interrupted_ = true;
    loop_.Stop();
  });
  base::Timer limit;
  if (options_.max_time.count() > 0) {
    limit = loop_.After(options_.max_time, [&work](base::Time) { work.out_of_time(); });
  }
  work.start();
  Tick(work);
  loop_.Run();
  tick_.Cancel();
}

// Draws progress, and comes back until the loop ends.
void Workbench::Tick(const Work& work) {
  if (!streams_.err.terminal) return;
  tick_ = loop_.After(Progress::kEvery, [this, &work](base::Time now) {
    report_.progress().Show(work.state(), work.waiting_for(), now);
    Tick(work);
  });
}

void Workbench::BeginOutput() {
  tick_.Cancel();
  loop_.OnSignals({});
  report_.progress().Clear();
}

int Workbench::Leave(int code) const {
  if (streams_.leave) streams_.leave(code);
  return code;
}

}  // namespace xdscope::cli
