#include "cli/commands/watch/watch.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/watch/json_printer.h"
#include "cli/commands/watch/text_printer.h"
#include "cli/console/diagnosis.h"
#include "cli/print/notices.h"
#include "cli/print/trace.h"
#include "cli/print/words.h"
#include "cli/workbench.h"
#include "lib/client/watch.h"
#include "lib/session/stream_session.h"

namespace xdscope::cli {
namespace {

// How long the last answers may take to leave, and the streams to end.
constexpr base::Duration kGoodbye =
    session::StreamSession::kWriteLimit + session::StreamSession::kFinishLimit + std::chrono::milliseconds(500);

client::WatchSettings SettingsOf(const WatchOptions& options) {
  client::WatchSettings settings;
  settings.wants = options.wants;
  settings.follow = options.follow;
  settings.starred = options.connect.wildcard == protocol::Wildcard::kExplicit;
  settings.api = options.connect.api;
  settings.fresh = options.fresh;
  settings.all_types = !options.connect.path.empty() && !options.typed;
  settings.judge = options.connect.policy;
  settings.this_server = ThisServerOf(options.connect);
  settings.sources = options.connect.source_names;
  return settings;
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
        printer_(MakePrinter()),
        trace_(bench.report(), bench.types(), options.output.walk.show_secrets, options.connect) {}

  int Execute() {
    const auto source = bench_.MakeSource(options_.connect, Workbench::Life::kOverTime);
    if (!source.ok()) return bench_.report().Fail({.cause = Cause::kSettings, .status = source.status()});
    client::Watch watch(bench_.loop(), **source, bench_.types(), SettingsOf(options_), Listen());
    watch_ = &watch;
    bench_.Run({.start = [this] { Start(); },
                .max_time = options_.connect.max_time,
                .out_of_time = [this] { Fail(OutOfTime()); },
                .state = [this] { return State(); },
                .waiting_for = [] { return std::string(); }});
    return bench_.Leave(Conclude());
  }

 private:
  std::unique_ptr<WatchPrinter> MakePrinter() {
    const WallClock wall = &std::chrono::system_clock::now;
    if (options_.output.format == format::DocumentFormat::kNdjson) {
      return std::make_unique<JsonPrinter>(options_.output.walk, wall, bench_.types(), out_);
    }
    return std::make_unique<TextPrinter>(TextPrinter::Settings{options_.output, options_.full, ReadsFiles(), wall},
                                         bench_.types(), out_);
  }

  client::Watch::Listener Listen() {
    client::Watch::Listener listener;
    listener.event = [this](const source::Event& event) { OnEvent(event); };
    listener.judged = [this](const source::Update& update, const client::Judgement& judgement) {
      last_ = bench_.loop().Now();
      printer_->Response(update, judgement);
      if (ReadsFiles()) return;
      trace_.Response(update, judgement, SaysHeads() ? Trace::Head::kSaid : Trace::Head::kToSay);
      NoteFindings(judgement);
    };
    listener.resource = [this](const client::ResourceEvent& event) { printer_->Resource(event); };
    listener.told = [this] {
      printer_->Told();
      Flush();
      CheckCount();
    };
    listener.repeated = [this](const client::Repetition& repetition) {
      printer_->Repeated(repetition);
      Flush();
      CheckCount();
    };
    listener.over = [this](const session::Closed& closed) { OnOver(closed); };
    return listener;
  }

  void Start() {
    bench_.OnInterrupt([this] { End(); });
    if (options_.duration.count() > 0) end_ = bench_.loop().After(options_.duration, [this](base::Time) { End(); });
    watch_->Start();
  }

  // Whether stdout has a line for each response; not with the server's name where there are several.
  bool SaysHeads() const {
    return options_.output.format != format::DocumentFormat::kNdjson && options_.connect.sources.empty();
  }

  bool ReadsFiles() const { return !options_.connect.path.empty(); }

  void OnEvent(const source::Event& event) {
    trace_.Event(event);
    if (const auto* read = std::get_if<source::FilesRead>(&event)) {
      OnFilesRead(*read);
    } else if (const auto* connected = std::get_if<session::Connected>(&event)) {
      was_connected_ = true;
      std::erase_if(connected_, [place = connected->place](const auto& stream) {  // of a server that lost its place
        return stream.first.source == place.source && stream.first.server != place.server;
      });
      connected_.emplace(connected->place, connected->stream);
      printer_->Connected(*connected);
    } else if (const auto* moved = std::get_if<source::Moved>(&event)) {
      const Diagnosis why =
          DiagnosisAt(moved->place, moved->status, connected_.erase({moved->place, moved->stream}) > 0);
      bench_.report().Note(fmt::format("{}: {}: the next server is asked", why.where, FactOf(why)));
      return;
    } else if (const auto* unreadable = std::get_if<session::Unreadable>(&event)) {
      printer_->Unreadable(*unreadable);
    } else if (const auto* closed = std::get_if<session::Closed>(&event); closed != nullptr && !ending_) {
      connected_.erase({closed->place, closed->stream});
      // Whoever cannot connect at all has typed something wrong.
      if (!was_connected_) return Fail(DiagnosisAt(closed->place, closed->status, false));
      printer_->Closed(*closed);
    } else {
      return;
    }
    Flush();
  }

  // What was found in a response that is accepted all the same; a refusal tells of it itself.
  void NoteFindings(const client::Judgement& judgement) {
    if (judgement.verdict && judgement.verdict->kind == protocol::Verdict::Kind::kAck) {
      for (const finding::Finding& finding : judgement.findings) {
        bench_.report().NoteSome(finding.rule, fmt::format("{}: {}", ResourceWord(finding.type_url, finding.resource),
                                                           finding::ToText(finding)));
        bench_.report().LeaveOut(finding.rule, finding.more);
      }
    }
    bench_.report().SayLeftOut();
  }

  void OnFilesRead(const source::FilesRead& read) {
    SayNotices(read.notices, bench_.report());
    SayDuplicates(read.duplicates, bench_.report());
    if (std::exchange(was_connected_, true)) return;
    SayLeftOut(LeftOut(read, options_.connect.api, options_.typed ? options_.wants : std::vector<client::Want>()),
               options_.connect.api, bench_.report());
    if (read.types.empty()) {
      bench_.report().Note(fmt::format("{}: there are no resources in it yet", options_.connect.where));
    }
  }

  // A stream of one type that is only referred to may be missing; the others go on without it.
  void OnOver(const session::Closed& closed) {
    if (ending_) {
      if (watch_->conversations() == 0) bench_.loop().Stop();
    } else if (closed.stream.empty() || IsWanted(closed.stream) || watch_->conversations() == 0) {
      Fail(DiagnosisAt(closed.place, closed.status, was_connected_));
    }
  }

  Diagnosis DiagnosisAt(session::Place place, const absl::Status& status, bool connected) const {
    const ConnectOptions there = OptionsAt(options_.connect, place);
    if (!there.path.empty()) return {.cause = Cause::kOther, .status = status};  // which names the files
    Diagnosis diagnosis = Diagnose(status, connected, there);
    diagnosis.where = there.where;
    return diagnosis;
  }

  bool IsWanted(std::string_view type_url) const {
    return std::any_of(options_.wants.begin(), options_.wants.end(),
                       [type_url](const client::Want& want) { return want.type_url == type_url; });
  }

  void CheckCount() {
    if (options_.count > 0 && watch_->responses() >= options_.count) End();
  }

  void Flush() {
    if (!out_.Flush().ok()) End();
  }

  // "1 stream, 12 cds, 3 eds, last response 4 s ago"
  std::string State() const {
    std::string state = ReadsFiles()         ? (was_connected_ ? "watching" : "reading")
                        : connected_.empty() ? "connecting"
                                             : CountWords(connected_.size(), "stream");
    for (const auto& [type_url, held] : watch_->held().types()) {
      state += fmt::format(", {} {}", held.resources.size(), TypeWord(type_url));
    }
    if (!last_) return state;
    const auto ago = std::chrono::duration_cast<std::chrono::seconds>(bench_.loop().Now() - *last_);
    return state + fmt::format(", last {} {} s ago", ReadsFiles() ? "change" : "response", ago.count());
  }

  // Lets the last answers leave, inside no event of the source.
  void End() {
    if (std::exchange(ending_, true)) return;
    bench_.loop().Post([this] {
      watch_->Stop();
      if (watch_->conversations() == 0) bench_.loop().Stop();
      end_ = bench_.loop().After(kGoodbye, [this](base::Time) { bench_.loop().Stop(); });
    });
  }

  void Fail(const Diagnosis& why) {
    if (!failure_) failure_ = why;
    End();
  }

  int Conclude() {
    bench_.BeginOutput();
    if (failure_ && ReadsFiles() && absl::IsDataLoss(failure_->status)) return ToInt(ExitCode::kSource);  // it was said
    if (failure_) return bench_.report().Fail(*failure_, HintFor(*failure_, options_.connect));
    return ToInt(bench_.interrupted() ? ExitCode::kInterrupted : ExitCode::kDone);
  }

  const WatchOptions& options_;
  Workbench& bench_;
  format::Output out_;
  std::unique_ptr<WatchPrinter> printer_;
  Trace trace_;
  client::Watch* watch_ = nullptr;
  bool was_connected_ = false;
  std::set<std::pair<session::Place, std::string>> connected_;  // streams that are open
  bool ending_ = false;
  std::optional<base::Time> last_;  // response
  std::optional<Diagnosis> failure_;
  base::Timer end_;
};

}  // namespace

int RunWatch(const WatchOptions& options, LoadedTypes& types, Streams& streams) {
  Workbench bench(options.connect, types, streams);
  return WatchRun(options, bench).Execute();
}

}  // namespace xdscope::cli
