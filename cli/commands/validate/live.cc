#include "cli/commands/validate/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/args/type_argument.h"
#include "cli/print/conclusion.h"
#include "cli/print/trace.h"
#include "cli/print/words.h"
#include "cli/workbench.h"
#include "lib/base/status.h"
#include "lib/client/held_judge.h"
#include "lib/finding/reading_rules.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

// The rule of the protocol that JudgeHeld() looks for as well.
constexpr std::string_view kUndecodable = "XDS-S012";

client::FetchSettings FetchSettingsOf(const ConnectOptions& live) {
  client::FetchSettings settings;
  settings.wants = RootWants(live.roots, live.api, live.wildcard);
  settings.follow = true;
  settings.starred = live.wildcard == protocol::Wildcard::kExplicit;
  settings.api = live.api;
  settings.judge = live.policy;
  settings.this_server = ThisServerOf(live);
  settings.sources = live.source_names;
  return settings;
}

// A server of which nothing came is like a file that cannot be read.
client::JudgedFile Unreached(const client::Outcome& outcome, const std::string& where) {
  finding::Finding finding;
  finding.rule = finding::kUnreadableFileRule;
  finding.message =
      outcome.failures.empty() ? "no response came" : std::string(base::Message(outcome.failures.front().status));
  client::JudgedFile file;
  file.name = where;
  file.findings.push_back(std::move(finding));
  return file;
}

// One run: everything that lives while the loop runs.
class LiveRun {
 public:
  LiveRun(const ValidateOptions& options, Workbench& bench)
      : options_(options), live_(*options.live), bench_(bench), trace_(bench.report(), bench.types(), false, live_) {}

  int Execute() {
    const auto source = bench_.MakeSource(live_);
    if (!source.ok()) return bench_.report().Fail({.cause = Cause::kSettings, .status = source.status()});
    client::Fetch::Listener listener;
    listener.event = [this](const source::Event& event) { trace_.Event(event); };
    listener.done = [this] { bench_.loop().Stop(); };
    const client::FetchSettings settings = FetchSettingsOf(live_);
    client::Fetch fetch(bench_.loop(), **source, bench_.types(), settings, std::move(listener));
    bench_.Run({.start = [&] { fetch.Start(); },
                .max_time = live_.max_time,
                .out_of_time = [&] { fetch.Stop(); },
                .state = [&] { return SizeWords(fetch.outcome().bytes); },
                .waiting_for = [&] { return Missing(fetch); }});
    bench_.BeginOutput();
    if (bench_.interrupted()) {
      const absl::Status status = absl::CancelledError("interrupted");
      return bench_.Leave(bench_.report().Fail({.cause = Cause::kInterrupted, .status = status}));
    }
    return bench_.Leave(Print(fetch.outcome(), settings.wait));
  }

 private:
  static std::string Missing(const client::Fetch& fetch) {
    std::vector<std::string> missing;
    for (const client::Fetch::Waiting& waiting : fetch.waiting()) missing.push_back(TypeWord(waiting.type_url));
    return Listed(missing);
  }

  int Print(const client::Outcome& outcome, base::Duration wait) {
    rules::SetOptions set = options_.set;
    set.known_clusters.insert(live_.static_clusters.begin(), live_.static_clusters.end());
    JudgedTargets judged;
    judged.result = {.files = JudgeFetched(outcome, live_.where, std::move(set), bench_.types()),
                     .api = options_.api,
                     .unit = "type"};
    Select(options_.selection, &judged.result.files);
    const int code = Conclude(judged, options_, bench_.streams());
    FetchOptions asked;
    asked.connect = live_;
    asked.fetch.wait = wait;
    asked.findings_said = true;
    return std::max(code, ReportOutcome(outcome, asked, {}, bench_.report()));
  }

  const ValidateOptions& options_;
  const ConnectOptions& live_;
  Workbench& bench_;
  Trace trace_;
};

}  // namespace

std::vector<client::JudgedFile> JudgeFetched(const client::Outcome& outcome, const std::string& where,
                                             rules::SetOptions set, wire::Types& types) {
  if (outcome.response_count == 0) return {Unreached(outcome, where)};
  set.where = "there";
  std::vector<client::JudgedFile> files = client::JudgeHeld(outcome.snapshot, set, types);
  const auto type = outcome.snapshot.types().begin();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& type_url = std::next(type, static_cast<std::ptrdiff_t>(i))->first;
    std::vector<finding::Finding>& findings = files[i].findings;
    for (const finding::Finding& finding : outcome.findings) {
      const bool of_protocol = finding.rule.starts_with("XDS-S") && finding.rule != kUndecodable;
      if (!of_protocol || finding.type_url != type_url) continue;
      findings.push_back(finding);
      findings.back().entry.reset();  // it counts the entries of a response
    }
    for (finding::Finding& finding : findings) {
      if (finding.related && !finding.related->file.empty()) {
        finding.related->file = fmt::format("{} {}", where, finding.related->file);
      }
    }
    files[i].name = fmt::format("{} {}", where, files[i].name);
  }
  return files;
}

int RunValidateLive(const ValidateOptions& options, LoadedTypes& types, Streams& streams) {
  Workbench bench(*options.live, types, streams);
  return LiveRun(options, bench).Execute();
}

}  // namespace xdscope::cli
