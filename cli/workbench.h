// What every command that runs works with: schema and types, the loop and its clock, the report and the trace. Knows
// options that are read already; does not know what a command does, nor flags.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/console/report.h"
#include "cli/console/streams.h"
#include "cli/flags/options.h"
#include "cli/print/trace.h"
#include "lib/base/loop.h"
#include "lib/base/status.h"
#include "lib/schema/schema.h"
#include "lib/source/source.h"
#include "lib/transport/stream.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class Workbench {
 public:
  // Loads the built-in schema, with the files of --schema on top, and says under -v what they replace. `options` and
  // `streams` must outlive the workbench. INVALID_ARGUMENT, "--schema PATH: what".
  static absl::StatusOr<std::unique_ptr<Workbench>> Make(const ConnectOptions& options, bool show_secrets,
                                                         Streams& streams);
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  Streams& streams() { return streams_; }
  wire::Types& types() { return types_; }
  base::Loop& loop() { return loop_; }
  Report& report() { return report_; }
  Trace& trace() { return trace_; }

  // Makes the source that the options name; nothing is sent yet. Once. The workbench must outlive the source.
  // INVALID_ARGUMENT.
  absl::StatusOr<std::unique_ptr<source::Source>> MakeSource();

  // What a command does while the loop runs.
  struct Work {
    std::function<void()> start;
    std::function<void()> out_of_time;         // --max-time is over; ends the work, which may take another moment
    std::function<std::string()> state;        // "12 cds, 3 kB": for the progress line
    std::function<std::string()> waiting_for;  // "eds (2 names)"
  };
  // Starts the work and runs until somebody stops the loop; SIGINT and SIGTERM do. Draws progress at a terminal.
  void Run(const Work& work);
  // Whether a signal stopped the loop.
  bool interrupted() const { return interrupted_; }

  // Takes the progress line away and leaves signals to the system, before stdout is written: whoever reads it may be
  // slow, and Ctrl-C ends the process then.
  void BeginOutput();
  // Ends the process with this code where there is one to end; else returns the code.
  int Leave(int code) const;

 private:
  Workbench(const ConnectOptions& options, bool show_secrets, Streams& streams, schema::Schema schema);

  void Tick(const Work& work);

  const ConnectOptions& options_;
  Streams& streams_;
  schema::Schema schema_;
  wire::Types types_{schema_};
  base::Loop loop_;
  Report report_;
  Trace trace_;
  std::unique_ptr<transport::Channel> channel_;  // the source's
  base::Timer tick_;
  bool interrupted_ = false;
};

}  // namespace xdscope::cli
