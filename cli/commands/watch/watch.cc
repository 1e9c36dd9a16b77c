#include "cli/commands/watch/watch.h"

#include <ctime>
#include <optional>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/console/diagnosis.h"
#include "cli/print/changes.h"
#include "cli/print/resources.h"
#include "cli/print/trace.h"
#include "cli/print/words.h"
#include "cli/workbench.h"
#include "lib/client/watch.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

using client::ResourceEvent;

std::string TimeOfDay() {
  return fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr)));
}

// One run: everything that lives while the loop runs.
class WatchRun {
 public:
  WatchRun(const WatchOptions& options, Workbench& bench)
      : options_(options),
        bench_(bench),
        out_([&bench](std::string_view chunk) {
          bench.report().progress().Clear();
          return bench.streams().out.write(chunk) ? absl::OkStatus() : absl::CancelledError("nobody reads");
        }),
        changes_(bench.types(), options.output.walk, out_),
        trace_(bench.report(), bench.types(), options.output.walk.show_secrets, options.connect.api,
               types::IsDelta(options.connect.variant)) {}

  int Execute() {
    const auto source = bench_.MakeSource(options_.connect, Workbench::Lost::kIsReopened);
    if (!source.ok()) return bench_.report().Fail({.cause = Cause::kSettings, .status = source.status()});
    source_ = source->get();
    client::Watch watch(**source, bench_.types(), Settings(), Listen());
    watch_ = &watch;
    base::Timer end;
    if (options_.duration.count() > 0) end = bench_.loop().After(options_.duration, [this](base::Time) { End(); });
    bench_.Run({.start = [&] { watch.Start(); },
                .max_time = options_.connect.max_time,
                .out_of_time = [this] { Fail(OutOfTime()); },
                .state = [this] { return State(); },
                .waiting_for = [] { return std::string(); }});
    return bench_.Leave(Conclude());
  }

 private:
  client::WatchSettings Settings() const {
    client::WatchSettings settings;
    settings.wants = options_.wants;
    settings.follow = options_.follow;
    settings.starred = options_.connect.wildcard == protocol::Wildcard::kExplicit;
    settings.api = options_.connect.api;
    settings.judge = options_.connect.policy;
    settings.this_server = {options_.connect.server_clusters,
                            {options_.connect.where, options_.connect.channel.target}};
    return settings;
  }

  client::Watch::Listener Listen() {
    client::Watch::Listener listener;
    listener.event = [this](const source::Event& event) { OnEvent(event); };
    listener.judged = [this](const source::Update& update, const client::Judgement& judgement) {
      Head(update, judgement);
    };
    listener.resource = [this](const ResourceEvent& event) { Tell(event); };
    listener.over = [this](const session::Closed& closed) { OnOver(closed); };
    return listener;
  }

  void OnEvent(const source::Event& event) {
    trace_.Event(event);
    if (std::holds_alternative<session::Connected>(event)) {
      was_connected_ = true;
      Line("-- connected");
    } else if (const auto* closed = std::get_if<session::Closed>(&event); closed != nullptr && closed->reopens_in) {
      OnLost(*closed);
    }
  }

  // The end of a stream that has said something is usual; the first that cannot even be opened is not.
  void OnLost(const session::Closed& closed) {
    if (!was_connected_) return Fail(Diagnose(closed.status, false, options_.connect));
    const double seconds = std::chrono::duration<double>(*closed.reopens_in).count();
    const std::string why =
        closed.status.ok() ? "the server ended the stream" : format::Printable(base::Message(closed.status));
    Line(fmt::format("-- {}; it is opened again in {:.1f} s", why, seconds));
    if (options_.fresh) Forget();
  }

  // The next stream begins as if there had been none.
  void Forget() {
    for (const auto& [type_url, state] : watch_->held().types()) {
      session::Session* const session = source_->SessionOf(type_url);
      if (session != nullptr) session->Adjust([](protocol::AdsSession& ads) { ads.Forget(); });
    }
  }

  void OnOver(const session::Closed& closed) { Fail(Diagnose(closed.status, was_connected_, options_.connect)); }

  // "12:03:04 <- CDS 3 nonce 7: 12 resources, 14 kB, after 1.5 s: ack"
  void Head(const source::Update& update, const client::Judgement& judgement) {
    const base::Time now = bench_.loop().Now();
    const std::string since =
        last_ ? fmt::format(", after {:.1f} s", std::chrono::duration<double>(now - *last_).count()) : "";
    last_ = now;
    const std::string answer = judgement.verdict ? AnswerWords(judgement.verdict) : "no answer";
    Line(fmt::format("{} {}{}: {}", TimeOfDay(), ResponseWords(update), since, answer));
    trace_.Response(update, judgement);
    if (watch_->responses() == options_.count) bench_.loop().Post([this] { End(); });
  }

  void Tell(const ResourceEvent& event) {
    const std::string type_url(event.type_url);
    switch (event.kind) {
      case ResourceEvent::Kind::kAdded:
      case ResourceEvent::Kind::kChanged:
      case ResourceEvent::Kind::kRemoved:
        changes_.Resource(type_url, event.before, event.after);
        break;
      case ResourceEvent::Kind::kExpired:
        Line(fmt::format("- {} (expired)", ResourceWord(type_url, event.name)));
        break;
      case ResourceEvent::Kind::kAbsent:
        Line(fmt::format("? {}: absent: {}", ResourceWord(type_url, event.name), format::Printable(event.words)));
        break;
      case ResourceEvent::Kind::kRefused:
        Line(fmt::format("! {}: {}", ResourceWord(type_url, event.name), format::Printable(event.words)));
        break;
    }
    if (!out_.Flush().ok()) End();
  }

  void Line(std::string_view text) {
    out_.Append(text);
    out_.Append("\n");
    if (!out_.Flush().ok()) End();
  }

  std::string State() const {
    std::string state;
    for (const auto& [type_url, held] : watch_->held().types()) {
      state += fmt::format("{}{} {}", state.empty() ? "" : ", ", held.resources.size(), TypeWord(type_url));
    }
    return state.empty() ? "connecting" : state;
  }

  void End() { bench_.loop().Stop(); }
  void Fail(const Diagnosis& why) {
    if (!failure_) failure_ = why;
    End();
  }

  int Conclude() {
    bench_.BeginOutput();
    if (failure_) return bench_.report().Fail(*failure_, HintFor(*failure_, options_.connect));
    return ToInt(ExitCode::kDone);
  }

  const WatchOptions& options_;
  Workbench& bench_;
  format::Output out_;
  ChangePrinter changes_;
  Trace trace_;
  source::Source* source_ = nullptr;
  client::Watch* watch_ = nullptr;
  bool was_connected_ = false;
  std::optional<base::Time> last_;  // response
  std::optional<Diagnosis> failure_;
};

}  // namespace

int RunWatch(const WatchOptions& options, LoadedTypes& types, Streams& streams) {
  Workbench bench(options.connect, types, streams);
  return WatchRun(options, bench).Execute();
}

}  // namespace xdscope::cli
