// What every command that runs works with: the loop and its clock, the report, the types, and the way to a Source.
// Knows options that are read already; does not know what a command does, nor flags.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cli/console/report.h"
#include "cli/console/streams.h"
#include "cli/console/watchdog.h"
#include "cli/flags/options.h"
#include "cli/flags/schema.h"
#include "lib/base/loop.h"
#include "lib/base/status.h"
#include "lib/session/unary_session.h"
#include "lib/source/source.h"
#include "lib/transport/stream.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// Returns how often REST is asked again (--poll), and by chance how much later.
session::Polling PollingOf(const ConnectOptions& options);

class Workbench {
 public:
  // Says under -v what the files of --schema replace. All three must outlive the workbench.
  Workbench(const MessageOptions& options, LoadedTypes& types, Streams& streams);
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  Streams& streams() { return streams_; }
  wire::Types& types() { return types_.types; }
  base::Loop& loop() { return loop_; }
  Report& report() { return report_; }

  // What becomes of a stream that ends, and of files that change.
  enum class Life : std::uint8_t {
    kOnce,      // it stays closed; they are read once
    kOverTime,  // it is opened again; they are read again
    kByHand,    // both when a person says so, see source::FileSource
  };
  // Makes the source that the options name, files, a server, or one of several where they name several; says under -v
  // what is asked where, and sends and reads nothing yet. The workbench and, where there are several servers, the
  // options must outlive the source. INVALID_ARGUMENT; UNAVAILABLE: the system has no watch left.
  absl::StatusOr<std::unique_ptr<source::Source>> MakeSource(const ConnectOptions& options, Life life = Life::kOnce);

  // What a command does while the loop runs.
  struct Work {
    std::function<void()> start;
    std::chrono::milliseconds max_time{0};     // --max-time; 0: there is no limit
    std::function<void()> out_of_time;         // max_time is over; ends the work, which may take another moment
    std::function<std::string()> state;        // "12 cds, 3 kB": for the progress line
    std::function<std::string()> waiting_for;  // "eds (2 names)"
  };
  // Starts the work and runs until somebody stops the loop; SIGINT and SIGTERM do. Draws progress at a terminal. Work
  // that goes on after its max_time, wherever it stands, ends with the process.
  void Run(const Work& work);
  // Returns whether a signal came while the work ran or its files were written. Any thread may ask.
  bool interrupted() const { return interrupted_; }
  // Runs `task` in the loop at the first SIGINT or SIGTERM, for work that knows its own end. A second one ends the
  // process.
  void OnInterrupt(base::Loop::Task task);
  // The same for work that goes on: runs `task` in the loop for each signal, SIGINT or SIGTERM; interrupted() is true
  // until then. A signal that comes while the loop has not run it for two seconds ends the process.
  void OnEachSignal(Watchdog::SignalTask task);
  // Runs `task` in the loop when max_time is over, 0 never; work that goes on all the same ends with the process.
  void EndAfter(std::chrono::milliseconds max_time, base::Loop::Task task);

  // Takes the progress line away and lets the first signal end the process, before stdout is written: whoever reads it
  // may be slow.
  void BeginOutput();
  // The same before files are written, where the first signal is only noted: see interrupted().
  void BeginFiles();
  // Ends the process with this code where there is one to end; else returns the code.
  int Leave(int code) const;

 private:
  absl::StatusOr<std::unique_ptr<source::Source>> MakeFileSource(const std::string& path, bool any_write, Life life);
  absl::StatusOr<std::unique_ptr<transport::Channel>> MakeRestChannel(const ServerOptions& server);
  absl::StatusOr<std::unique_ptr<source::Source>> MakeServer(const ConnectOptions& options, const ServerOptions& server,
                                                             Life life);
  absl::StatusOr<std::unique_ptr<source::Source>> MakeFallback(const ConnectOptions& options,
                                                               const SourceOptions& servers, Life life);
  void Tick(const Work& work);
  void End(Watchdog::Reason reason);

  LoadedTypes& types_;
  Streams& streams_;
  base::Loop loop_;
  Report report_;
  std::atomic<bool> interrupted_ = false;
  base::Time interrupted_at_{};  // of the watchdog's thread
  Watchdog watchdog_;            // before any channel of a source, which has threads
  base::Timer tick_;
  base::Timer limit_;
};

}  // namespace xdscope::cli
