#include "cli/workbench.h"

#include <utility>

#include "cli/print/trace.h"
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

Workbench::Workbench(const MessageOptions& options, LoadedTypes& types, Streams& streams)
    : types_(types), streams_(streams), report_(streams, options, loop_.Now()) {
  TraceSchema(types.schema, report_);
}

absl::StatusOr<std::unique_ptr<source::Source>> Workbench::MakeSource(const ConnectOptions& options) {
  absl::StatusOr<std::unique_ptr<transport::Channel>> channel = transport::ConnectGrpc(loop_, options.channel);
  if (!channel.ok()) return channel.status();
  channels_.push_back(*std::move(channel));
  return std::make_unique<source::GrpcSource>(loop_, *channels_.back(), types_.types, SourceSettings(options));
}

void Workbench::Run(const Work& work) {
  loop_.OnSignals([this](int) {
    interrupted_ = true;
    loop_.Stop();
  });
  base::Timer limit;
  if (work.max_time.count() > 0) {
    limit = loop_.After(work.max_time, [&work](base::Time) { work.out_of_time(); });
  }
  work.start();
  Tick(work);
  loop_.Run();
  tick_.Cancel();
}

// Draws progress, and comes back until the loop ends. Without a terminal there is no timer, so that a run in a script
// wakes up for nothing.
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
