#include "cli/commands/fetch/flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/commands/fetch/fetch.h"
#include "cli/console/report.h"
#include "cli/flags/connect.h"
#include "cli/flags/files.h"
#include "cli/flags/follow.h"
#include "cli/flags/output.h"

using std::chrono::milliseconds;
using xdscope::cli::DurationFlag;

// Type, name, default, form and text of each flag.
#define FETCH_FLAGS(FLAG)                                                                                           \
  FLAG(DurationFlag, wait, {milliseconds(15000)}, Value("DURATION"),                                                \
       "Wait this long for the first response of each type, and for a name, before it counts as absent; 0 sets no " \
       "limit.")                                                                                                    \
  FLAG(DurationFlag, settle, {milliseconds(300)}, Value("DURATION"),                                                \
       "When everything is asked for in delta, take it as complete after this long without a message, or "          \
       "when more has come for as long as --wait.")                                                                 \
  FLAG(bool, fail_on_absent, false, Switch(), "Exit 1 for absent names that were only referred to, too.")           \
  FLAG(bool, raw, false, Switch(), "Print the responses as they came, unreadable ones too; no secrets.")            \
  FLAG(std::string, out_dir, "", Value("DIR"),                                                                      \
       "Write files in place of printing, from which Envoy runs offline: one for LDS, CDS and each other "          \
       "resource, and an envoy.yaml.")

FETCH_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {

const std::string_view kFetchDetails =
    "Without TYPE it fetches the whole configuration of the node: listeners and clusters, and what they refer to.\n\n"
    "TARGET is host:port, [::1]:port, dns:///host:port, ipv4:, ipv6:, unix:/path, unix-abstract:name, grpc:// or "
    "grpcs:// for gRPC, http://host[:port][/prefix] or https:// for REST; or a file, a folder of files, or - for "
    "standard input: discovery responses, resources with @type and lists of them, in YAML, JSON, text or binary. Of "
    "files it takes everything where no TYPE is given.\n\n"
    "TYPE is one of lds rds srds vhds cds eds leds sds rtds ecds, its plural, or a type URL; names follow, "
    "separated by commas; * is everything. In a name \\, is a comma, and \\n, \\t and \\xNN are control characters: "
    "what -o name prints can be given back.\n\n"
    "With --bootstrap, or GRPC_XDS_BOOTSTRAP or GRPC_XDS_BOOTSTRAP_CONFIG in the environment, TARGET may be left out; "
    "each type is asked of its own server then, as the client of that bootstrap does it.\n\n"
    "Exit: 0 all there; 1 a name is absent or something was refused; 2 the command line is wrong; 3 the server could "
    "not be reached, was lost or was not understood, or a file could not be read; 4 out of time; 130 interrupted.";

namespace {

constexpr std::array kRows = {FETCH_FLAGS(XDSCOPE_FLAG_ROW)};

// Envoy reads files in four formats, and nothing of v2.
absl::Status CheckOutDir(const FetchOptions& settings) {
  const bool fits =
      settings.output.layout == Layout::kDocuments && settings.output.format != format::DocumentFormat::kNdjson;
  if (!fits) return UsageError("--out-dir", "the files can be -o yaml, json, text or binary");
  if (settings.fetch.keep_responses) return UsageError("--out-dir", "does not go with --raw");
  if (settings.connect.api != types::Api::kV3) return UsageError("--out-dir", "does not go with --api v2");
  return absl::OkStatus();
}

// A server's responses and how long to wait for them: nothing of the kind is there with files.
absl::Status CheckFileFlags(const CommandLine& line) {
  for (const std::string& flag : {FlagName(FLAGS_wait), FlagName(FLAGS_settle), FlagName(FLAGS_raw)}) {
    if (line.Given(flag)) return UsageError(fmt::format("--{}", flag), "has no effect on files");
  }
  return absl::OkStatus();
}

// Checks what no single flag can know: whether they go together.
absl::Status CheckTogether(const FetchOptions& settings, bool terminal) {
  if (const absl::Status asked = CheckAsked(settings.types, settings.connect); !asked.ok()) return asked;
  if (!settings.out_dir.empty()) return CheckOutDir(settings);
  if (settings.fetch.keep_responses && settings.output.layout != Layout::kDocuments) {
    return UsageError("--raw", "prints responses as they came: give -o yaml, json, ndjson, text or binary");
  }
  if (settings.output.format == format::DocumentFormat::kBinary && terminal) {
    return UsageError("-o binary", "a terminal does not show it: redirect stdout, or give --out-dir");
  }
  const bool one_type = settings.types.size() == 1 && !settings.fetch.follow;
  if (settings.output.format == format::DocumentFormat::kBinary && !one_type) {
    return UsageError("-o binary", "prints one response: give one TYPE, without --follow; or --out-dir");
  }
  return absl::OkStatus();
}

// Of --wait 0; and files say at once what they have not, and reading them takes as long as it takes.
constexpr std::chrono::milliseconds kNoLimit = std::chrono::hours(24 * 365);

// Reads where to ask: a server or files.
absl::StatusOr<ConnectResult> ReadTarget(const CommandLine& line, const std::string& target, const Streams& streams,
                                         wire::Types& types) {
  if (line.Given("poll")) return UsageError("--poll", "fetch asks once; watch asks again and again");
  const TargetKind kind = NamesFiles(target, *streams.files) ? TargetKind::kFiles : TargetKind::kServers;
  absl::StatusOr<ConnectResult> connect = ReadTargetFlags(line, target, kind, streams.surroundings, types);
  if (!connect.ok() || kind == TargetKind::kServers) return connect;
  const absl::Status status = CheckFileFlags(line);
  return status.ok() ? std::move(connect) : status;
}

}  // namespace

std::span<const FlagRow> FetchFlags() {
  return kRows;
}

absl::StatusOr<FetchLine> ReadFetchLine(const CommandLine& line, const Streams& streams, wire::Types& types) {
  FetchLine read;
  FetchOptions& settings = read.settings;
  const auto output = ReadOutputFlags(streams.out.terminal ? streams.out.width : 0, streams.surroundings);
  if (!output.ok()) return output.status();
  settings.output = *output;
  const TargetAndTypes words = SplitWords(line);
  absl::StatusOr<ConnectResult> connect = ReadTarget(line, words.target, streams, types);
  if (!connect.ok()) return connect.status();
  settings.connect = std::move(connect->options);
  read.notes = std::move(connect->notes);
  auto requests = ParseTypes(words.types, settings.connect.api, settings.connect.wildcard);
  if (!requests.ok()) return requests.status();
  settings.types = *std::move(requests);
  const milliseconds wait = absl::GetFlag(FLAGS_wait).value;
  settings.fetch.wait = settings.connect.path.empty() && wait.count() > 0 ? wait : kNoLimit;
  settings.fetch.settle = absl::GetFlag(FLAGS_settle).value;
  settings.fetch.follow = ReadFollowFlag(line, !settings.types.empty());
  settings.fail_on_absent = absl::GetFlag(FLAGS_fail_on_absent);
  settings.fetch.keep_responses = absl::GetFlag(FLAGS_raw);
  settings.out_dir = absl::GetFlag(FLAGS_out_dir);
  if (line.Given(FLAGS_out_dir) && settings.out_dir.empty()) return UsageError("--out-dir", "expected a folder");
  const absl::Status status = CheckTogether(settings, streams.out.terminal);
  if (!status.ok()) return status;
  return read;
}

int RunFetchLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  const absl::StatusOr<FetchLine> read = ReadFetchLine(line, streams, (*loaded)->types);
  if (!read.ok()) return ReportUsage(read.status(), streams);
  if (!read->settings.connect.quiet) ReportNotes(read->notes, streams);
  return RunFetch(read->settings, **loaded, streams);
}

}  // namespace xdscope::cli
