#include "cli/commands/validate/flags.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/args/choice.h"
#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/usage_error.h"
#include "cli/args/version.h"
#include "cli/commands/validate/baseline.h"
#include "cli/commands/validate/live.h"
#include "cli/commands/validate/validate.h"
#include "cli/commands/validate/watch_files.h"
#include "cli/console/report.h"
#include "cli/flags/channel.h"
#include "cli/flags/connect.h"
#include "cli/flags/files.h"
#include "cli/flags/messages.h"
#include "cli/flags/named_files.h"
#include "cli/flags/node.h"
#include "cli/flags/output.h"
#include "cli/flags/protocol.h"
#include "lib/types/known_types.h"

using xdscope::cli::ListFlag;

// Type, name, default, form and text of each flag.
#define VALIDATE_FLAGS(FLAG)                                                                                          \
  FLAG(std::string, type, "", Value("TYPE", "resources without @type are errors"),                                    \
       "Take resources without @type, alone or in a list, for this type: cds, or the name of a message.")             \
  FLAG(std::string, judged_client, "envoy", Value("envoy|grpc|both").As("client"),                                    \
       "Judge as this client would: Envoy, a gRPC library, or both.")                                                 \
  FLAG(bool, watch, false, Switch(), "Judge again when a file changes, and say what Envoy would do, until Ctrl-C.")   \
  FLAG(bool, strict, false, Switch(), "Make errors of references that lead nowhere.")                                 \
  FLAG(ListFlag, known_cluster, {}, List("NAME"),                                                                     \
       "Take references to this cluster for good: the bootstrap has it. Repeats.")                                    \
  FLAG(std::string, root, "", Value("DIR", "this one"),                                                               \
       "Look in this folder for the files that a configuration names.")                                               \
  FLAG(ListFlag, only, {}, List("ID"), "Keep findings of these rules alone: ids, or patterns like 'pgv.*'. Repeats.") \
  FLAG(ListFlag, disable, {}, List("ID"), "Drop findings of these rules: ids, or patterns. Repeats.")                 \
  FLAG(std::string, baseline, "", Value("FILE"),                                                                      \
       "Drop the findings that this report has, which -o json or ndjson wrote, on whatever line they stand now.")     \
  FLAG(std::string, fail_on, "error", Value("error|warning|info"),                                                    \
       "Exit 1 where there is a finding like this, or worse.")

#define VALIDATE_OUTPUT_FLAGS(FLAG)                                                                               \
  FLAG(ListFlag, report, {}, List("FORM[=FILE]").Letter('o').As("output"),                                        \
       "Print the findings as text, json, ndjson, sarif, junit, github or gitlab, to a file where one is named. " \
       "Repeats.")

VALIDATE_FLAGS(XDSCOPE_DEFINE_FLAG)
VALIDATE_OUTPUT_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {

const std::string_view kValidateDetails =
    "TARGET is a file with a discovery response (.yaml, .yml, .json, .pb, .pb_text), a folder of them (not those in "
    "folders below it), an Envoy bootstrap with the files that its config sources point to, a /config_dump, or - for "
    "standard input. Each file is read as Envoy reads one of its name, each resource in it "
    "is judged by the rules of the API (PGV) and by what Envoy demands beyond them, through everything that an Any "
    "holds. A finding has a line, names the resource and the path in it, and says what becomes of it.\n\n"
    "TARGET may also be one control plane, as for fetch: host:port, unix:/path, http://host and so on, or what "
    "--bootstrap says. All that it has for the node is fetched, references followed, accepted and judged in the same "
    "way; findings name type, resource and path.\n\n"
    "What Envoy takes and silently drops or corrupts is an error here: an unknown field or enum name, a key that is "
    "there twice, a second document, a quote without an end, a .pb that is cut off.\n\n"
    "-o json is one document whatever is wrong, files that cannot be read too. Several forms may be asked for at once: "
    "-o text -o json=findings.json.\n\n"
    "--watch judges again when a file changes and says what Envoy would do with it: it loads what is renamed to its "
    "place or behind a link that is swapped, does not notice what is written in place, and keeps what it had of what "
    "it "
    "refuses. It ends by Ctrl-C, with the code of the last judgement.\n\n"
    "Exit: 0 nothing found, as --fail-on has it; 1 something found; 2 the command line is wrong; 3 a TARGET cannot be "
    "read at all or be reached, or a report not be written; 4 out of time.";

namespace {

constexpr std::array kRows = {VALIDATE_FLAGS(XDSCOPE_FLAG_ROW)};
constexpr std::array kOutputRows = {VALIDATE_OUTPUT_FLAGS(XDSCOPE_FLAG_ROW)};

// Of the flags about how a server is asked: those that say nothing of its answer, which is judged and always accepted.
constexpr std::array<std::string_view, 3> kAsking = {"variant", "api", "wildcard"};

constexpr std::array kClients = {
    Choice<Selection::Client>{"envoy", Selection::Client::kEnvoy},
    Choice<Selection::Client>{"grpc", Selection::Client::kGrpc},
    Choice<Selection::Client>{"both", Selection::Client::kBoth},
};
constexpr std::array kSeverities = {
    Choice<finding::Severity>{"error", finding::Severity::kError},
    Choice<finding::Severity>{"warning", finding::Severity::kWarning},
    Choice<finding::Severity>{"info", finding::Severity::kInfo},
};
constexpr std::array kForms = {
    Choice<ReportForm>{"text", ReportForm::kText},     Choice<ReportForm>{"json", ReportForm::kJson},
    Choice<ReportForm>{"ndjson", ReportForm::kNdjson}, Choice<ReportForm>{"sarif", ReportForm::kSarif},
    Choice<ReportForm>{"junit", ReportForm::kJunit},   Choice<ReportForm>{"github", ReportForm::kGithub},
    Choice<ReportForm>{"gitlab", ReportForm::kGitlab},
};

absl::StatusOr<std::vector<ReportOutput>> ReadOutputs() {
  std::vector<ReportOutput> outputs;
  for (const std::string& value : absl::GetFlag(FLAGS_report).values) {
    const std::size_t equals = value.find('=');
    const auto form = Choose<ReportForm>("output", value.substr(0, equals), kForms);
    if (!form.ok()) return form.status();
    ReportOutput& output = outputs.emplace_back(ReportOutput{*form, {}});
    if (equals == std::string::npos) continue;
    output.path = value.substr(equals + 1);
    if (output.path.empty()) return UsageError(fmt::format("--output {}", value), "the name of the file is empty");
  }
  if (outputs.empty()) outputs.emplace_back();
  const auto printed = std::ranges::count_if(outputs, [](const ReportOutput& output) { return output.path.empty(); });
  if (printed > 1)
    return UsageError("--output", "one form alone goes to stdout; name a file for the others: json=FILE");
  return outputs;
}

// Returns the full name of a message; the name of a known type is its v3 one.
absl::StatusOr<std::string> ReadType(const CommandLine& line, wire::Types& types) {
  const std::string word = absl::GetFlag(FLAGS_type);
  if (!line.Given(FLAGS_type)) return std::string();
  if (const types::KnownType* known = types::FindByWord(word)) return std::string(known->v3.message());
  if (const wire::Type* type = types.Find(word)) return std::string(type->full_name());
  return UsageError(fmt::format("--type {}", word), word.empty() ? "is empty" : types.WhyUnknown(word));
}

absl::StatusOr<Selection> ReadSelection(const config::Surroundings& surroundings) {
  Selection selection;
  const auto client = Choose<Selection::Client>("client", absl::GetFlag(FLAGS_judged_client), kClients);
  if (!client.ok()) return client.status();
  selection.client = *client;
  selection.only = absl::GetFlag(FLAGS_only).values;
  selection.disabled = absl::GetFlag(FLAGS_disable).values;
  absl::Status status = CheckPatterns("only", selection.only);
  if (status.ok()) status = CheckPatterns("disable", selection.disabled);
  std::string baseline;
  if (status.ok()) status = ReadFlagFile(surroundings, FLAGS_baseline, &baseline);
  if (!status.ok()) return status;
  if (baseline.empty()) return selection;
  auto known = ReadBaseline(baseline);
  if (!known.ok()) return base::Prefix(known.status(), fmt::format("--baseline {}", absl::GetFlag(FLAGS_baseline)));
  selection.known = *std::move(known);
  return selection;
}

// Refuses flags about a control plane where the TARGETs are files.
absl::Status CheckNoLiveFlags(const CommandLine& line) {
  for (const std::span<const FlagRow> rows : {ConnectionFlags(), NodeFlags(), ValidateAskingFlags()}) {
    for (const FlagRow& row : rows) {
      if (!line.Given(row.name)) continue;
      return UsageError(fmt::format("--{}", row.name), "has no effect on files: it is for a control plane as TARGET");
    }
  }
  return absl::OkStatus();
}

// Reads the way to the control plane that is the only TARGET; an empty one is that of the bootstrap.
absl::Status ReadLive(const CommandLine& line, const std::string& target, const Streams& streams, wire::Types& types,
                      ValidateOptions* options) {
  for (const std::string_view flag : {"type", "root", "watch"}) {
    if (line.Given(flag)) {
      return UsageError(fmt::format("--{}", flag), "is for files, and the TARGET is a control plane");
    }
  }
  if (line.Given("poll")) return UsageError("--poll", "validate asks once");
  absl::StatusOr<ConnectResult> connect =
      ReadConnectFlags(line, target, AskedServers::kAll, streams.surroundings, types);
  if (!connect.ok()) return connect.status();
  options->live = std::move(connect->options);
  options->notes = std::move(connect->notes);
  options->where = options->live->where;
  return CheckAsked({}, *options->live);
}

// Reads what is judged: files, or a control plane.
absl::Status ReadTargets(const CommandLine& line, const Streams& streams, wire::Types& types,
                         ValidateOptions* options) {
  options->targets = line.words;
  if (!TargetFlag().empty()) options->targets.push_back(TargetFlag());
  if (options->targets.empty()) {
    if (WhereBootstrapIs({}, streams.surroundings.environment).exists) {
      return ReadLive(line, {}, streams, types, options);
    }
    return UsageError("TARGET", "is missing: a file, a folder, - for standard input, or a control plane");
  }
  for (const std::string& target : options->targets) {
    if (target.empty()) return UsageError("TARGET", "is empty");
    if (NamesFiles(target, *streams.files)) continue;
    if (options->targets.size() == 1) return ReadLive(line, target, streams, types, options);
    return UsageError(target, "is no file, and a control plane is judged alone");
  }
  options->where = options->targets.front();
  return CheckNoLiveFlags(line);
}

absl::StatusOr<ValidateOptions> ReadValidateLine(const CommandLine& line, const Streams& streams, wire::Types& types) {
  ValidateOptions options;
  if (const absl::Status status = ReadTargets(line, streams, types, &options); !status.ok()) return status;
  options.watch = absl::GetFlag(FLAGS_watch);
  if (options.watch && std::ranges::find(options.targets, "-") != options.targets.end()) {
    return UsageError("--watch", "does not go with -: standard input is read once");
  }
  options.verbosity = Verbosity();
  options.quiet = IsQuiet();
  absl::StatusOr<std::string> type = ReadType(line, types);
  if (!type.ok()) return type.status();
  options.bare_type = *std::move(type);
  absl::StatusOr<std::vector<ReportOutput>> outputs = ReadOutputs();
  if (!outputs.ok()) return outputs.status();
  options.outputs = *std::move(outputs);
  absl::StatusOr<Selection> selection = ReadSelection(streams.surroundings);
  if (!selection.ok()) return selection.status();
  options.selection = *std::move(selection);
  options.root = absl::GetFlag(FLAGS_root);
  if (line.Given(FLAGS_root) && options.root.empty()) return UsageError("--root", "is empty");
  options.set.strict = absl::GetFlag(FLAGS_strict);
  const std::vector<std::string> known = absl::GetFlag(FLAGS_known_cluster).values;
  options.set.known_clusters.insert(known.begin(), known.end());
  const auto fail_on = Choose<finding::Severity>(FLAGS_fail_on, kSeverities);
  if (!fail_on.ok()) return fail_on.status();
  options.fail_on = *fail_on;
  const absl::StatusOr<bool> color = ReadColorFlag(streams.out.terminal ? streams.out.width : 0, streams.surroundings);
  if (!color.ok()) return color.status();
  options.color = *color;
  options.api = kApi;
  if (line.Given("schema")) options.api += " with --schema";
  return options;
}

}  // namespace

std::span<const FlagRow> ValidateFlags() {
  return kRows;
}
std::span<const FlagRow> ValidateOutputFlags() {
  return kOutputRows;
}
std::span<const FlagRow> ValidateAskingFlags() {
  static const auto* const rows = [] {
    auto* const asking = new std::vector<FlagRow>();
    std::ranges::copy_if(ProtocolFlags(), std::back_inserter(*asking),
                         [](const FlagRow& row) { return std::ranges::find(kAsking, row.name) != kAsking.end(); });
    return asking;
  }();
  return *rows;
}

int RunValidateLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  const absl::StatusOr<ValidateOptions> options = ReadValidateLine(line, streams, (*loaded)->types);
  if (!options.ok()) return ReportUsage(options.status(), streams);
  if (!options->quiet) ReportNotes(options->notes, streams);
  if (options->live) return RunValidateLive(*options, **loaded, streams);
  return options->watch ? RunValidateWatch(*options, **loaded, streams) : RunValidate(*options, **loaded, streams);
}

}  // namespace xdscope::cli
