#include "cli/commands/fetch/fetch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/commands/fetch/ask_once.h"
#include "cli/commands/fetch/out_dir.h"
#include "cli/print/conclusion.h"
#include "cli/print/message.h"
#include "cli/print/notices.h"
#include "cli/print/resources.h"
#include "cli/print/trace.h"
#include "cli/print/words.h"
#include "cli/workbench.h"
#include "lib/base/type_url.h"
#include "lib/client/fetch.h"

namespace xdscope::cli {
namespace {

client::FetchSettings ClientSettings(const FetchOptions& settings) {
  client::FetchSettings made = settings.fetch;
  made.wants = WantsOf(settings);
  made.starred = settings.connect.wildcard == protocol::Wildcard::kExplicit;
  made.api = settings.connect.api;
  made.judge = settings.connect.policy;
  made.this_server = ThisServerOf(settings.connect);
  made.sources = settings.connect.source_names;
  made.knows_all = !settings.connect.path.empty();
  made.all_types = made.knows_all && settings.types.empty();
  return made;
}

// One run: everything that lives while the loop runs.
class FetchRun {
 public:
  FetchRun(const FetchOptions& options, Workbench& bench)
      : options_(options),
        bench_(bench),
        trace_(bench.report(), bench.types(), options.output.walk.show_secrets, options.connect) {}

  int Execute() {
    const auto source = bench_.MakeSource(options_.connect);
    if (!source.ok()) return bench_.report().Fail({.cause = Cause::kSettings, .status = source.status()});
    client::Fetch fetch(bench_.loop(), **source, bench_.types(), ClientSettings(options_), Listen());
    fetch_ = &fetch;
    bench_.Run({.start = [&] { fetch.Start(); },
                .max_time = options_.connect.max_time,
                .out_of_time = [&] { fetch.Stop(); },
                .state = [this] { return Got(); },
                .waiting_for = [this] { return Missing(); }});
    if (!code_) Conclude();
    return bench_.Leave(*code_);
  }

 private:
  client::Fetch::Listener Listen() {
    client::Fetch::Listener listener;
    listener.event = [this](const source::Event& event) {
      trace_.Event(event);
      if (const auto* read = std::get_if<source::FilesRead>(&event)) SayRead(*read);
    };
    listener.judged = [this](const source::Update& update, const client::Judgement& judgement) {
      if (!ReadsFiles()) trace_.Response(update, judgement);
    };
    // Prints while the server is still saying goodbye: its last acknowledgement is on the way.
    listener.decided = [this] {
      AskOnceMore();
      if (asked_once_ == nullptr) bench_.loop().Post([this] { Conclude(); });
    };
    listener.done = [this] {
      if (asked_once_ == nullptr) bench_.loop().Stop();
    };
    return listener;
  }

  // Where nothing was said at all there may be words for a single call.
  void AskOnceMore() {
    const client::Outcome& outcome = fetch_->outcome();
    if (outcome.response_count > 0 || outcome.silent.empty() || bench_.interrupted()) return;
    const std::string& type_url = outcome.silent.front();
    const std::optional<ServerOptions> server = ServerFor(options_.connect, type_url);
    const std::vector<client::Want> wants = WantsOf(options_);
    const auto want = std::ranges::find(wants, type_url, &client::Want::type_url);
    if (!server || want == wants.end()) return;
    asked_once_ = AskOnce::Begin(options_.connect, *server, *want, bench_, [this](std::string words) {
      server_says_ = std::move(words);
      Conclude();
      bench_.loop().Stop();
    });
  }

  bool ReadsFiles() const { return !options_.connect.path.empty(); }

  void SayRead(const source::FilesRead& read) {
    SayNotices(read.notices, bench_.report());
    SayDuplicates(read.duplicates, bench_.report());
    for (const source::FilesRead::Type& type : read.types) {
      bench_.report().Trace(1, fmt::format("{}: {}", TypeWord(type.type_url), CountWords(type.count, "resource")));
    }
    std::vector<client::Want> typed;
    for (const TypeRequest& type : options_.types) typed.push_back(type.want);
    SayLeftOut(LeftOut(read, options_.connect.api, typed), options_.connect.api, bench_.report());
  }

  std::string Got() const {
    std::string got;
    for (const auto& [type_url, state] : fetch_->outcome().snapshot.types()) {
      got += fmt::format("{} {}, ", state.resources.size(), TypeWord(type_url));
    }
    if (got.empty()) return ReadsFiles() ? "reading" : "connecting";
    return got + SizeWords(fetch_->outcome().bytes);
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

  // Prints what came and says how it went, once.
  void Conclude() {
    WritesFiles() ? bench_.BeginFiles() : bench_.BeginOutput();
    code_ = bench_.interrupted()
                ? bench_.report().Fail({.cause = Cause::kInterrupted, .status = absl::CancelledError("interrupted")})
                : Print(fetch_->outcome());
    if (*code_ == ToInt(ExitCode::kDone) || *code_ == ToInt(ExitCode::kNo)) Summarise(fetch_->outcome());
  }

  // "2 lds, 1 rds; 0 missing; 31 ms": for who sits before it.
  void Summarise(const client::Outcome& outcome) {
    if (!bench_.streams().err.terminal || outcome.response_count == 0) return;
    std::vector<std::string> counts;
    for (const auto& [type_url, state] : outcome.snapshot.types()) {
      counts.push_back(fmt::format("{} {}", state.resources.size(), TypeWord(type_url)));
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(bench_.loop().Now() - begin_);
    bench_.report().Note(
        fmt::format("{}; {} missing; {} ms", fmt::join(counts, ", "), outcome.missing.size(), took.count()));
  }

  int Print(const client::Outcome& outcome) {
    if (WritesFiles()) return PrintFiles(outcome);
    const OutputStream& out = bench_.streams().out;
    if (options_.fetch.keep_responses) {
      RenderRaw(RawMessages(outcome), options_.output, bench_.types(), out);
    } else if (outcome.response_count > 0) {
      const WasAsked was_asked = [this](std::string_view type_url, std::string_view name) {
        return fetch_->WasAsked(type_url, name);
      };
      Render(outcome.snapshot, options_.output, {ThisServerOf(options_.connect), was_asked}, bench_.types(), out);
    }
    return ReportOutcome(outcome, options_, Silence(), bench_.report());
  }

  SilenceFacts Silence() const {
    SilenceFacts facts{.server_says = server_says_};
    const std::vector<std::string>& silent = fetch_->outcome().silent;
    if (silent.empty() || bench_.types().Find(silent.front()) != nullptr) return facts;
    facts.unknown_type = base::MessageName(silent.front());
    facts.nearest_type = bench_.types().schema().Nearest(facts.unknown_type);
    return facts;
  }

  bool WritesFiles() const { return !options_.out_dir.empty() && fetch_->outcome().response_count > 0; }

  int PrintFiles(const client::Outcome& outcome) {
    const auto notes = WriteOutDir(outcome, options_, ThisServerOf(options_.connect), bench_.types(), bench_.streams(),
                                   [this] { return bench_.interrupted(); });
    if (!notes.ok()) {
      bench_.report().Say(base::Message(notes.status()));
      return ToInt(absl::IsCancelled(notes.status()) ? ExitCode::kInterrupted : ExitCode::kSource);
    }
    const int code = ReportOutcome(outcome, options_, Silence(), bench_.report());
    for (const std::string& note : *notes) bench_.report().Note(note);
    return code;
  }

  std::vector<RawMessage> RawMessages(const client::Outcome& outcome) const {
    std::vector<RawMessage> messages;
    for (const client::RawResponse& response : outcome.responses) {
      const Speech speech = SpeechAt(options_.connect, response.place);
      messages.push_back({DiscoveryMessage(speech.api, speech.delta, Direction::kResponse), *response.bytes});
    }
    return messages;
  }

  const FetchOptions& options_;
  Workbench& bench_;
  Trace trace_;
  const base::Time begin_ = bench_.loop().Now();
  client::Fetch* fetch_ = nullptr;
  std::unique_ptr<AskOnce> asked_once_;
  std::string server_says_;  // to a single call
  std::optional<int> code_;  // once all is said
};

}  // namespace

int RunFetch(const FetchOptions& options, LoadedTypes& types, Streams& streams) {
  Workbench bench(options.connect, types, streams);
  return FetchRun(options, bench).Execute();
}

}  // namespace xdscope::cli
