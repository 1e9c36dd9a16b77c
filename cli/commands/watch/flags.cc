#include "cli/commands/watch/flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/commands/watch/watch.h"
#include "cli/console/report.h"
#include "cli/flags/connect.h"
#include "cli/flags/files.h"
#include "cli/flags/follow.h"
#include "cli/flags/output.h"

using xdscope::cli::DurationFlag;

// Type, name, default, form and text of each flag.
#define WATCH_FLAGS(FLAG)                                                                                         \
  FLAG(int, count, 0, Value("N"), "Stop after this many responses.")                                              \
  FLAG(DurationFlag, for, {std::chrono::milliseconds(0)}, Value("DURATION"), "Stop after this long; 0 is never.") \
  FLAG(bool, full, false, Switch(), "Print whole resources, not what changed in them.")                           \
  FLAG(bool, fresh, false, Switch(), "Begin each new stream with nothing remembered.")                            \
  FLAG(bool, any_write, false, Switch(), "Read files after every write, not only those that are moved there.")

WATCH_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {

const std::string_view kWatchDetails =
    "Without TYPE it watches the whole configuration of the node: listeners and clusters, and what they refer to. Each "
    "response has a line; below it stand the resources that came (+), went (-) or changed (~), with what changed in "
    "them, are absent (?) or were refused (!). -o ndjson prints one event a line for programs, -o name names alone; "
    "--full prints what came or changed as a whole, in YAML, or as -o json and -o text say.\n\n"
    "A stream that ends is opened again, after the waits of the client that --client names; what is held is kept "
    "meanwhile. A name that nothing answers for 15 s counts as absent, and may still come. What is refused again is "
    "answered after a second, and then ever more slowly.\n\n"
    "Files are read as Envoy's filesystem subscriptions read them: again when a file is moved to its name, or a link "
    "on "
    "the way to it is swapped, as Kubernetes does it. What is written in place is said and not read, because Envoy "
    "would "
    "not notice, and a broken file leaves what was there; --any-write reads whatever happens. Without TYPE all of them "
    "is watched.\n\n"
    "Exit: 0 by --count or --for; 2 the command line is wrong; 3 the first connection failed, or the server says that "
    "it will never do; 4 out of time; 130 interrupted.";

namespace {

constexpr std::array kRows = {WATCH_FLAGS(XDSCOPE_FLAG_ROW)};

struct WatchLine {
  WatchOptions settings;
  std::vector<std::string> notes;
};

// A table and a tree show a moment, and so does a binary response.
bool CanFollowTime(const OutputOptions& output) {
  return output.layout == Layout::kNames ||
         (output.layout == Layout::kDocuments && output.format != format::DocumentFormat::kBinary);
}

// Reads where to look: a server or files.
absl::StatusOr<ConnectResult> ReadTarget(const CommandLine& line, const std::string& target, const Streams& streams,
                                         wire::Types& types) {
  const bool any_write = absl::GetFlag(FLAGS_any_write);
  const TargetKind kind = NamesFiles(target, *streams.files) ? TargetKind::kFiles : TargetKind::kServers;
  if (const absl::Status again = CheckReadAgain(target); !again.ok()) return again;
  if (kind == TargetKind::kFiles && line.Given("fresh")) return UsageError("--fresh", "has no effect on files");
  if (kind == TargetKind::kServers && any_write) return UsageError("--any-write", "has an effect on files alone");
  absl::StatusOr<ConnectResult> connect = ReadTargetFlags(line, target, kind, streams.surroundings, types);
  if (connect.ok()) connect->options.any_write = any_write;
  return connect;
}

absl::StatusOr<WatchLine> ReadWatchLine(const CommandLine& line, const Streams& streams, wire::Types& types) {
  WatchLine read;
  WatchOptions& settings = read.settings;
  const auto output = ReadOutputFlags(streams.out.terminal ? streams.out.width : 0, streams.surroundings);
  if (!output.ok()) return output.status();
  settings.output = *output;
  if (!CanFollowTime(settings.output)) return UsageError("-o", "watch prints yaml, json, text, ndjson and name");
  const TargetAndTypes words = SplitWords(line);
  absl::StatusOr<ConnectResult> connect = ReadTarget(line, words.target, streams, types);
  if (!connect.ok()) return connect.status();
  settings.connect = std::move(connect->options);
  read.notes = std::move(connect->notes);
  const auto requests = ParseTypes(words.types, settings.connect.api, settings.connect.wildcard);
  if (!requests.ok()) return requests.status();
  if (const absl::Status asked = CheckAsked(*requests, settings.connect); !asked.ok()) return asked;
  for (const TypeRequest& request : *requests) settings.wants.push_back(request.want);
  if (settings.wants.empty()) {
    settings.wants = RootWants(settings.connect.roots, settings.connect.api, settings.connect.wildcard);
  }
  settings.typed = !requests->empty();
  settings.follow = ReadFollowFlag(line, settings.typed);
  settings.fresh = absl::GetFlag(FLAGS_fresh);
  settings.full = absl::GetFlag(FLAGS_full);
  if (absl::GetFlag(FLAGS_count) < 0) return UsageError("--count", "expected how many responses");
  settings.count = static_cast<std::uint64_t>(absl::GetFlag(FLAGS_count));
  settings.duration = absl::GetFlag(FLAGS_for).value;
  return read;
}

}  // namespace

std::span<const FlagRow> WatchFlags() {
  return kRows;
}

int RunWatchLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  const absl::StatusOr<WatchLine> read = ReadWatchLine(line, streams, (*loaded)->types);
  if (!read.ok()) return ReportUsage(read.status(), streams);
  if (!read->settings.connect.quiet) ReportNotes(read->notes, streams);
  return RunWatch(read->settings, **loaded, streams);
}

}  // namespace xdscope::cli
