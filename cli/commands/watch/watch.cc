#include "cli/commands/watch/watch.h"

#include <optional>
#include <utility>

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

// One run: everything that lives while the loop runs.
class WatchRun {
 public:
  WatchRun(const WatchOptions& options, Workbench& bench)
      : options_(options),
        bench_(bench),
        out_([&bench](std::string_view chunk) {
          return bench.streams().out.write(chunk) ? absl::OkStatus() : absl::CancelledError("nobody reads");
        }),
        changes_(bench.types(), options.output.walk, out_),
        trace_(bench.report(), bench.types(), options.output.walk.show_secrets, options.connect.api,
               types::IsDelta(options.connect.variant)) {}

  int Execute() {
    const auto source = bench_.MakeSource(options_.connect, Workbench::Streams::kReopened);
    if (!source.ok()) return bench_.report().Fail({.cause = Cause::kSettings, .status = source.status()});
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
  client::WatchSettings Settings() const;
  client::Watch::Listener Listen();

  // "12:03:04 CDS 3 nonce 7: 12 resources, 14 kB, 1.5 s since the last: ack"
  void Head(const source::Update& update, const client::Judgement& judgement);
  void Tell(const client::ResourceEvent& event);
  void OnClosed(const session::Closed& closed);
  std::string State() const;
  void End() { bench_.loop().Stop(); }
  void Fail(const Diagnosis& why) {
    failure_ = why;
    End();
  }
  int Conclude();

  const WatchOptions& options_;
  Workbench& bench_;
  format::Output out_;
  ChangePrinter changes_;
  Trace trace_;
  client::Watch* watch_ = nullptr;
  bool was_connected_ = false;
  std::optional<Diagnosis> failure_;
};

}  // namespace
}  // namespace xdscope::cli
