#include "cli/workbench.h"

#include <algorithm>
#include <random>
#include <utility>

#include "cli/print/trace.h"
#include "lib/files/folder.h"
#include "lib/files/folder_reader.h"
#include "lib/files/folder_watch.h"
#include "lib/source/fallback_source.h"
#include "lib/source/file_source.h"
#include "lib/source/grpc_source.h"
#include "lib/source/rest_channel.h"
#include "lib/source/routed_source.h"
#include "lib/transport/grpc_channel.h"
#include "lib/transport/http_client.h"

namespace xdscope::cli {
namespace {

// How long a run whose --max-time is over may take to say goodbye and print what came.
constexpr std::chrono::milliseconds kLastWords{500};

// How long a loop may leave a signal alone.
constexpr std::chrono::seconds kPatience{2};

source::GrpcSource::Settings SourceSettings(const ConnectOptions& options, types::Variant variant, types::Api api) {
  source::GrpcSource::Settings settings;
  settings.variant = variant;
  settings.api = api;
  settings.session.wildcard = options.wildcard;
  settings.session.node_in_every_request = !options.profile.node_on_first_message_only;
  settings.session.nack_code = options.profile.nack_code;
  settings.session.node = options.node;
  settings.session.unary_says_refusal = options.error_detail;
  return settings;
}

std::function<double()> Chance() {
  return [engine = std::minstd_rand(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<>()(engine);
  };
}

session::ReopeningSession::Options ReopeningAs(const config::Profile& profile) {
  session::ReopeningSession::Options options;
  options.back_off = {profile.backoff_first, profile.backoff_most, profile.backoff_factor, profile.backoff_jitter};
  options.chance = Chance();
  return options;
}

// After a failure REST goes on at first as after an answer, then ever more slowly (XDS-R18).
void PollOn(const ConnectOptions& options, source::GrpcSource::Settings* settings) {
  constexpr std::chrono::milliseconds kMost = std::chrono::seconds(30);
  settings->polling = PollingOf(options);
  settings->reopening->back_off = {
      .first = options.poll, .most = std::max(options.poll, kMost), .factor = 2, .jitter = 0.2};
}

// What reads the files of a source, on a thread of its own: a pipe may wait for its writer for ever.
struct FileReading {
  FileReading(const std::string& path, Workbench& bench)
      : types(bench.types().schema()),
        folder(path, *bench.streams().files, types, files::Strictness::kLenient),
        watch(bench.loop(), folder, [this](const files::FolderReader::Reading& reading) { source->Take(reading); }) {}

  wire::Types types;  // of that thread
  files::Folder folder;
  files::FolderWatch watch;
  source::FileSource* source = nullptr;
};

}  // namespace

session::Polling PollingOf(const ConnectOptions& options) {
  return {.every = options.poll, .chance = Chance()};
}

Workbench::Workbench(const MessageOptions& options, LoadedTypes& types, Streams& streams)
    : types_(types),
      streams_(streams),
      report_(streams, options, loop_.Now()),
      watchdog_([this](Watchdog::Reason reason) { End(reason); }) {
  TraceSchema(types.schema, report_);
}

// The source owns what reads for it.
absl::StatusOr<std::unique_ptr<source::Source>> Workbench::MakeFileSource(const std::string& path, bool any_write,
                                                                          Life life) {
  using Rule = files::FolderWatch::Rule;
  auto files = std::make_shared<FileReading>(path, *this);
  const auto watch = [files, any_write](bool on) {
    return files->watch.Watch(!on ? Rule::kNever : any_write ? Rule::kAnyWrite : Rule::kMoves);
  };
  const absl::Status watching = watch(life == Life::kOverTime);
  if (!watching.ok()) return watching;
  using Readings = source::FileSource::Life;
  const Readings readings = life == Life::kOnce ? Readings::kOneReading : Readings::kManyReadings;
  auto source = std::make_unique<source::FileSource>(
      loop_, types_.types, [files] { files->watch.Read(); }, readings, watch);
  files->source = source.get();
  return source;
}

absl::StatusOr<std::unique_ptr<transport::Channel>> Workbench::MakeRestChannel(const ServerOptions& server) {
  absl::StatusOr<std::unique_ptr<transport::HttpClient>> client = transport::ConnectHttp(loop_, server.channel);
  if (!client.ok()) return client.status();
  source::RestChannel::Settings settings;
  settings.url = server.where;
  settings.api = server.api;
  settings.remark = [this](std::string_view what) { report_.NoteSome("remarks on bodies", what); };
  settings.answered = [this](std::string_view path, const transport::HttpAnswer& answer) {
    TraceAnswer(path, answer, report_);
  };
  return std::make_unique<source::RestChannel>(loop_, *std::move(client), types_.types, std::move(settings));
}

absl::StatusOr<std::unique_ptr<source::Source>> Workbench::MakeSource(const ConnectOptions& options, Life life) {
  TraceServers(options, report_);
  if (!options.path.empty()) return MakeFileSource(options.path, options.any_write, life);
  if (options.sources.empty()) return MakeServer(options, MainServerOf(options), life);
  std::vector<std::unique_ptr<source::Source>> sources;
  for (const SourceOptions& servers : options.sources) {
    auto made = MakeFallback(options, servers, life);
    if (!made.ok()) return made.status();
    sources.push_back(*std::move(made));
  }
  return std::make_unique<source::RoutedSource>(std::move(sources), options.routes);
}

absl::StatusOr<std::unique_ptr<source::Source>> Workbench::MakeServer(const ConnectOptions& options,
                                                                      const ServerOptions& server, Life life) {
  const bool rest = server.variant == types::Variant::kRest;
  absl::StatusOr<std::unique_ptr<transport::Channel>> channel =
      rest ? MakeRestChannel(server) : transport::ConnectGrpc(loop_, server.channel);
  if (!channel.ok()) return channel.status();
  source::GrpcSource::Settings settings = SourceSettings(options, server.variant, server.api);
  if (life == Life::kOverTime) settings.reopening = ReopeningAs(options.profile);
  if (life == Life::kOverTime && rest) PollOn(options, &settings);
  return std::make_unique<source::GrpcSource>(loop_, *std::move(channel), types_.types, std::move(settings));
}

// Checks all servers at once, so that each of them can be made when it is needed.
absl::StatusOr<std::unique_ptr<source::Source>> Workbench::MakeFallback(const ConnectOptions& options,
                                                                        const SourceOptions& servers, Life life) {
  const std::string& path = servers.servers.front().path;
  if (!path.empty()) return MakeFileSource(path, options.any_write, life);
  for (const ServerOptions& server : servers.servers) {
    const absl::Status status = server.variant == types::Variant::kRest
                                    ? transport::ConnectHttp(loop_, server.channel).status()
                                    : transport::CheckedForGrpc(server.channel).status();
    if (!status.ok()) return status;
  }
  const auto make = [this, &options, &servers, life](std::size_t number) {
    return *MakeServer(options, servers.At(number), life);
  };
  if (servers.size() == 1) return make(0);
  return std::make_unique<source::FallbackSource>(servers.size(), make);
}

void Workbench::Run(const Work& work) {
  OnInterrupt([this] { loop_.Stop(); });
  EndAfter(work.max_time, work.out_of_time);
  work.start();
  Tick(work);
  loop_.Run();
  limit_.Cancel();
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

void Workbench::OnInterrupt(base::Loop::Task task) {
  watchdog_.OnFirstSignal([this, task = std::move(task)](int) {
    interrupted_ = true;
    loop_.Post(task);
  });
}

// What is posted may wait for a moment behind other work, in which a person who types Ctrl-C twice means no more by it
// than by one.
void Workbench::OnEachSignal(Watchdog::SignalTask task) {
  watchdog_.OnFirstSignal([this, task = std::move(task)](int number) {
    const base::Time now = loop_.Now();
    if (!interrupted_.exchange(true)) interrupted_at_ = now;
    if (now - interrupted_at_ > kPatience) return End(Watchdog::Reason::kInterrupted);
    loop_.Post([this, task, number] {
      interrupted_ = false;
      task(number);
    });
    OnEachSignal(task);
  });
}

void Workbench::EndAfter(std::chrono::milliseconds max_time, base::Loop::Task task) {
  if (max_time.count() == 0) return;
  limit_ = loop_.After(max_time, [task = std::move(task)](base::Time) { task(); });
  watchdog_.EndAt(loop_.Now() + max_time + kLastWords);
}

void Workbench::BeginOutput() {
  BeginFiles();
  watchdog_.OnFirstSignal({});
}

void Workbench::BeginFiles() {
  tick_.Cancel();
  report_.progress().Clear();
}

// Runs on the watchdog's thread. The run may be stuck in writing to a terminal or pipe that takes nothing, so nothing
// is written there that would wait as well.
void Workbench::End(Watchdog::Reason reason) {
  if (!streams_.leave) return;
  const bool over = reason == Watchdog::Reason::kOutOfTime;
  if (over && streams_.last_words) streams_.last_words(report_.FailureLine(OutOfTime()));
  streams_.leave(ToInt(over ? ExitCode::kTime : ExitCode::kInterrupted));
}

int Workbench::Leave(int code) const {
  if (streams_.leave) streams_.leave(code);
  return code;
}

}  // namespace xdscope::cli
