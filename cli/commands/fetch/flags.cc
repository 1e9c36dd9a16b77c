#include "cli/commands/fetch/flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "absl/flags/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/type_argument.h"
#include "cli/commands/fetch/fetch.h"
#include "cli/console/report.h"
#include "cli/flags/connect.h"
#include "cli/flags/output.h"

using std::chrono::milliseconds;
using xdscope::cli::DurationFlag;

ABSL_FLAG(DurationFlag, wait, {milliseconds(15000)},
          "How long to wait for the first response of each type, and for a name, before it counts as absent.");
ABSL_FLAG(DurationFlag, settle, {milliseconds(300)},
          "Delta, everything asked: how long it must be quiet to be complete.");
ABSL_FLAG(bool, follow, false, "Fetch what the resources refer to as well.");
ABSL_FLAG(bool, fail_on_absent, false, "Exit 1 for absent names that were only referred to, too.");
ABSL_FLAG(bool, raw, false, "Print the responses as they came.");
ABSL_FLAG(
    std::string, out_dir, "",
    "Write files in place of printing, from which Envoy runs offline: one for LDS, CDS and each other resource, and "
    "an envoy.yaml.");

namespace xdscope::cli {

const std::string_view kFetchDetails =
    "Without TYPE it fetches the whole configuration of the node: listeners and clusters, and what they refer to.\n\n"
    "TARGET is host:port, [::1]:port, dns:///host:port, ipv4:, ipv6:, unix:/path, unix-abstract:name, grpc:// or "
    "grpcs://. TYPE is one of lds rds srds vhds cds eds leds sds rtds ecds, its plural, or a type URL; names follow, "
    "separated by commas (\\, is a comma in a name, * is everything).\n\n"
    "Exit: 0 all there; 1 a name is absent or something was refused; 2 the command line is wrong; 3 the server could "
    "not "
    "be reached, was lost or was not understood; 4 out of time; 130 interrupted.";

namespace {

constexpr std::array kRows = {
    FlagRow{"wait", 0, Shape::kValue, "DURATION"},
    FlagRow{"settle", 0, Shape::kValue, "DURATION"},
    FlagRow{"follow", 0, Shape::kSwitch, "", "without TYPE"},
    FlagRow{"fail-on-absent", 0, Shape::kSwitch, ""},
    FlagRow{"raw", 0, Shape::kSwitch, ""},
    FlagRow{"out-dir", 0, Shape::kValue, "DIR"},
};

absl::Status Wrong(std::string_view where, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", where, what));
}

// Envoy reads files in four formats, and nothing of v2.
absl::Status CheckOutDir(const FetchSettings& settings) {
  const OutputFormat format = settings.output.format;
  const bool fits = format == OutputFormat::kYaml || format == OutputFormat::kJson || format == OutputFormat::kText ||
                    format == OutputFormat::kBinary;
  if (!fits) return Wrong("--out-dir", "the files can be -o yaml, json, text or binary");
  if (settings.fetch.raw) return Wrong("--out-dir", "does not go with --raw");
  if (settings.connect.api != types::Api::kV3) return Wrong("--out-dir", "does not go with --api v2");
  return absl::OkStatus();
}

// What no single flag can know: whether they go together.
absl::Status CheckTogether(const FetchSettings& settings) {
  const config::Profile& profile = settings.connect.profile;
  if (!profile.asks_for_everything && settings.types.empty()) {
    return Wrong("--client grpc", "never asks for everything; name what to fetch, as in lds:NAME");
  }
  for (const TypeRequest& request : settings.types) {
    if (!profile.asks_for_everything && request.everything) {
      return Wrong(request.word,
                   fmt::format("--client grpc never asks for everything; give names, as in {}:NAME", request.word));
    }
    const absl::Status status = CheckVariant(request, settings.connect.variant, settings.connect.api);
    if (!status.ok()) return status;
  }
  if (!settings.fetch.out_dir.empty()) return CheckOutDir(settings);
  const bool one_type = settings.types.size() == 1 && !settings.fetch.follow;
  if (settings.output.format == OutputFormat::kBinary && !one_type) {
    return Wrong("-o binary", "prints one response: give one TYPE, without --follow; or --out-dir");
  }
  return absl::OkStatus();
}

}  // namespace

std::span<const FlagRow> FetchFlags() {
  return kRows;
}

absl::StatusOr<FetchLine> ReadFetchLine(const CommandLine& line, const Streams& streams) {
  FetchLine read;
  FetchSettings& settings = read.settings;
  const auto output = ReadOutputFlags(streams.out.terminal ? streams.out.width : 0, streams.surroundings);
  if (!output.ok()) return output.status();
  settings.output = *output;
  const Words words = SplitWords(line);
  absl::StatusOr<ConnectResult> connect = ReadConnectFlags(line, words.target, streams.surroundings);
  if (!connect.ok()) return connect.status();
  settings.connect = std::move(connect->options);
  read.notes = std::move(connect->notes);
  auto types = ParseTypes(words.types, settings.connect.api, settings.connect.wildcard);
  if (!types.ok()) return types.status();
  settings.types = *std::move(types);
  settings.fetch.wait = absl::GetFlag(FLAGS_wait).value;
  settings.fetch.settle = absl::GetFlag(FLAGS_settle).value;
  settings.fetch.follow = line.Given("follow") ? absl::GetFlag(FLAGS_follow) : settings.types.empty();
  settings.fetch.fail_on_absent = absl::GetFlag(FLAGS_fail_on_absent);
  settings.fetch.raw = absl::GetFlag(FLAGS_raw);
  settings.fetch.out_dir = absl::GetFlag(FLAGS_out_dir);
  if (line.Given("out-dir") && settings.fetch.out_dir.empty()) return Wrong("--out-dir", "expected a folder");
  const absl::Status status = CheckTogether(settings);
  if (!status.ok()) return status;
  return read;
}

int RunFetchLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<FetchLine> read = ReadFetchLine(line, streams);
  if (!read.ok()) return ReportUsage(read.status(), streams);
  if (!read->settings.connect.quiet) {
    for (const std::string& note : read->notes) streams.err.write(fmt::format("note: {}\n", note));
  }
  return RunFetch(read->settings, streams);
}

}  // namespace xdscope::cli
