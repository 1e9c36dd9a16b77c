#include "cli/commands/fetch/fetch.h"

#include <fmt/format.h>

#include <optional>

#include "cli/commands/fetch/conclusion.h"
#include "cli/commands/fetch/out_dir.h"
#include "cli/console/report.h"
#include "cli/flags/named_files.h"
#include "cli/print/resources.h"
#include "cli/print/trace.h"
#include "cli/print/words.h"
#include "lib/base/loop.h"
#include "lib/client/fetch.h"
#include "lib/schema/schema.h"
#include "lib/transport/grpc_channel.h"
#include "lib/wire/type.h"

namespace xdscope::cli {
namespace {

client::JudgePolicy PolicyOf(const ConnectOptions& options) {
  using OnInvalidPolicy = client::JudgePolicy::OnInvalid;
  client::JudgePolicy policy;
  policy.on_invalid = options.on_invalid == OnInvalid::kNack      ? OnInvalidPolicy::kNack
                      : options.on_invalid == OnInvalid::kPartial ? OnInvalidPolicy::kPartial
                                                                  : OnInvalidPolicy::kAck;
  policy.nack_all = options.nack_all;
  policy.nack_message = options.nack_message;
  return policy;
}

source::XdsSource::Settings SourceOf(const ConnectOptions& options) {
  source::XdsSource::Settings settings;
  settings.variant = options.variant;
  settings.api = options.api;
  settings.session.wildcard =
      options.wildcard == WildcardForm::kExplicit ? protocol::Wildcard::kExplicit : protocol::Wildcard::kLegacy;
  settings.session.node_in_every_request = !options.profile.node_on_first_message_only;
  settings.session.nack_code = options.profile.nack_code;
  settings.session.error_limit = options.profile.max_error_bytes;
  settings.session.node = options.node;
  return settings;
}

// What the line asks for; the roots when it names nothing.
std::vector<client::Want> WantsOf(const FetchSettings& settings) {
  std::vector<client::Want> wants;
  for (const TypeRequest& type : settings.types) {
    wants.push_back({type.type_url, type.names, type.everything, type.form == WildcardForm::kExplicit});
  }
  if (!wants.empty()) return wants;
  const bool starred = settings.connect.wildcard == WildcardForm::kExplicit;
  for (const char* root : {"cds", "lds"}) {
    const std::string_view url = types::FindByWord(root)->names(settings.connect.api).type_url;
    wants.push_back({std::string(url), {}, true, starred});
  }
  return wants;
}

resource::ThisServer ThisServerOf(const ConnectOptions& options) {
  return {options.server_clusters, {options.where, options.channel.target}};
}

client::FetchSettings ClientSettings(const FetchSettings& settings) {
  client::FetchSettings made;
  made.wants = WantsOf(settings);
  made.follow = settings.fetch.follow;
  made.starred = settings.connect.wildcard == WildcardForm::kExplicit;
  made.wait = settings.fetch.wait;
  made.settle = settings.fetch.settle;
  made.keep_responses = settings.fetch.raw;
  made.judge = PolicyOf(settings.connect);
  made.this_server = ThisServerOf(settings.connect);
  made.source = SourceOf(settings.connect);
  return made;
}

// One run: everything that lives while the loop runs.
class Run {
 public:
  Run(const FetchSettings& settings, Streams& streams, schema::Schema schema)
      : settings_(settings),
        streams_(streams),
        schema_(std::move(schema)),
        report_(streams, settings.connect, loop_.Now()),
        trace_(report_, types_, settings.output, settings.connect.api, types::IsDelta(settings.connect.variant)) {}

  int Execute() {
    trace_.Schema(schema_);
    auto channel = transport::ConnectGrpc(loop_, settings_.connect.channel);
    if (!channel.ok()) return report_.Fail({.cause = Cause::kSettings, .status = channel.status()});
    client::Fetch fetch(loop_, **channel, types_, ClientSettings(settings_), Listen());
    fetch_ = &fetch;
    loop_.OnSignals([this](int) {
      interrupted_ = true;
      loop_.Stop();
    });
    base::Timer limit;
    if (settings_.connect.max_time.count() > 0) {
      limit = loop_.After(settings_.connect.max_time, [&](base::Time) { fetch.Stop(); });
    }
    fetch.Start();
    Tick();
    loop_.Run();
    if (!code_) Conclude();
    if (streams_.leave) streams_.leave(*code_);
    return *code_;
  }

 private:
  client::Fetch::Listener Listen() {
    client::Fetch::Listener listener;
    listener.request = [this](const protocol::Request& request) { trace_.Request(request); };
    listener.response = [this](const protocol::Response& response, const source::Update&,
                               const session::Verdict& verdict) { trace_.Response(response, verdict); };
    // Prints while the server is still saying goodbye: its last acknowledgement is on the way.
    listener.decided = [this] { loop_.Post([this] { Conclude(); }); };
    listener.done = [this] { loop_.Stop(); };
    return listener;
  }

  // Draws progress, and comes back until the loop ends.
  void Tick() {
    if (!streams_.err.terminal) return;
    tick_ = loop_.After(Progress::kEvery, [this](base::Time now) {
      report_.progress().Show(Got(), Missing(), now);
      Tick();
    });
  }

  std::string Got() const {
    std::string got;
    for (const auto& [type_url, state] : fetch_->outcome().snapshot.types()) {
      got += fmt::format("{}{} {}", got.empty() ? "" : ", ", state.resources.size(), TypeWord(type_url));
    }
    return fmt::format("{}{}{}", got.empty() ? "connecting" : got, got.empty() ? "" : ", ",
                       got.empty() ? std::string() : SizeWords(fetch_->outcome().bytes));
  }

  std::string Missing() const {
    std::string missing;
    for (const client::Fetch::Waiting& waiting : fetch_->waiting()) {
      if (!missing.empty()) missing += ", ";
      missing += TypeWord(waiting.type_url);
      if (waiting.open_names > 0) missing += fmt::format(" ({})", CountWords(waiting.open_names, "name"));
    }
    return missing;
  }

  // Says how it went, once. From here on Ctrl-C ends the process: whoever reads stdout may be slow.
  void Conclude() {
    tick_.Cancel();
    loop_.OnSignals({});
    report_.progress().Clear();
    code_ = interrupted_ ? report_.Fail({.cause = Cause::kInterrupted, .status = absl::CancelledError("interrupted")})
                         : Print(fetch_->outcome());
  }

  int Print(const client::Outcome& outcome) {
    if (!settings_.fetch.out_dir.empty() && outcome.response_count > 0) return PrintFiles(outcome);
    if (settings_.fetch.raw) {
      RenderRaw(RawMessages(outcome), settings_.output, types_, streams_.out);
    } else if (outcome.response_count > 0) {
      Render(outcome.snapshot, settings_.output, ThisServerOf(settings_.connect), types_, streams_.out);
    }
    return ReportOutcome(outcome, settings_, report_);
  }

  int PrintFiles(const client::Outcome& outcome) {
    const auto notes = WriteOutDir(outcome, settings_, ThisServerOf(settings_.connect), types_, streams_);
    if (!notes.ok()) {
      report_.Say(base::Message(notes.status()));
      return ToInt(ExitCode::kSource);
    }
    const int code = ReportOutcome(outcome, settings_, report_);
    for (const std::string& note : *notes) report_.Note(note);
    return code;
  }

  std::vector<RawMessage> RawMessages(const client::Outcome& outcome) const {
    const bool delta = types::IsDelta(settings_.connect.variant);
    const bool v3 = settings_.connect.api == types::Api::kV3;
    const std::string_view type =
        v3 ? (delta ? "envoy.service.discovery.v3.DeltaDiscoveryResponse"
                    : "envoy.service.discovery.v3.DiscoveryResponse")
           : (delta ? "envoy.api.v2.DeltaDiscoveryResponse" : "envoy.api.v2.DiscoveryResponse");
    std::vector<RawMessage> messages;
    for (const client::RawResponse& response : outcome.responses) messages.push_back({type, *response.bytes});
    return messages;
  }

  const FetchSettings& settings_;
  Streams& streams_;
  schema::Schema schema_;
  wire::Types types_{schema_};
  base::Loop loop_;
  Report report_;
  Trace trace_;
  client::Fetch* fetch_ = nullptr;
  base::Timer tick_;
  bool interrupted_ = false;
  std::optional<int> code_;  // once all is said
};

}  // namespace

int RunFetch(const FetchSettings& settings, Streams& streams) {
  absl::StatusOr<schema::Schema> schema = LoadSchema(settings.connect.schemas);
  if (!schema.ok()) return ReportUsage(schema.status(), streams);
  return Run(settings, streams, *std::move(schema)).Execute();
}

}  // namespace xdscope::cli
