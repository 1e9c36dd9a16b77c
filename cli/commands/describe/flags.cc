#include "cli/commands/describe/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "cli/args/choice.h"
#include "cli/args/flag.h"
#include "cli/args/usage_error.h"
#include "cli/commands/describe/printer.h"
#include "cli/commands/describe/subject.h"
#include "cli/console/report.h"
#include "cli/flags/schema.h"
#include "lib/format/json_writer.h"
#include "lib/format/table.h"
#include "lib/types/known_types.h"

// Type, name, default, form and text of each flag.
#define DESCRIBE_FLAGS(FLAG)                                                          \
  FLAG(std::string, description, "text", Value("text|json").Letter('o').As("output"), \
       "Print for people, or one JSON document.")

#define TYPES_FLAGS(FLAG) FLAG(bool, all, false, Switch(), "List every message of the schema, not the resource types.")

DESCRIBE_FLAGS(XDSCOPE_DEFINE_FLAG)
TYPES_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {

const std::string_view kDescribeDetails =
    "NAME is a message or an enum by its full name or type URL, a resource type (cds, clusters), an extension by its "
    "usual name (envoy.filters.http.router), a message by the last part of its name where only one has it, or a rule "
    "(XDS-V027, pgv.uint32.gte). Names of fields may follow: cds.load_assignment.endpoints.\n\n"
    "A message is shown with its fields: their types, and what the API demands of them. What may be set, where an "
    "extension belongs, what is deprecated or not finished is said too, and where Envoy's documentation is about it. "
    "Comments are in schemas that have them: see --schema.\n\n"
    "Exit: 0; 1 nothing is known by that name, or several things are.";

const std::string_view kTypesDetails =
    "Without --all it lists the resource types: how they are called here, and their messages in v3 and v2. With FILTER "
    "it lists those that have this text somewhere in their names, in any case.\n\n"
    "Exit: 0; 1 there is none.";

namespace {

constexpr std::array kDescribeRows = {DESCRIBE_FLAGS(XDSCOPE_FLAG_ROW)};
constexpr std::array kTypesRows = {DESCRIBE_FLAGS(XDSCOPE_FLAG_ROW) TYPES_FLAGS(XDSCOPE_FLAG_ROW)};

constexpr std::array kForms = {
    Choice<bool>{"text", false},
    Choice<bool>{"json", true},
};

// Writes what a subject is.
class Describer {
 public:
  Describer(wire::Types& types, bool json) : types_(types), json_(json) {}

  std::string operator()(const Messages& messages) const {
    std::vector<std::string> texts;
    for (const wire::Type* type : messages) texts.push_back(Written(rules::Describe(*type, types_)));
    if (texts.size() == 1) return texts.front();
    return json_ ? fmt::format("[{}]\n", fmt::join(texts, ",")) : fmt::format("{}", fmt::join(texts, "\n"));
  }
  std::string operator()(const google::protobuf::EnumDescriptor* values) const {
    return Written(rules::Describe(*values));
  }
  std::string operator()(const finding::Rule* rule) const { return Written(*rule); }
  std::string operator()(const FieldSubject& subject) const {
    const rules::MessageDescription message = rules::Describe(*subject.message, types_);
    const auto field = std::ranges::find_if(
        message.fields, [&](const rules::FieldDescription& each) { return each.name == subject.field->name; });
    return json_ ? JsonOf(*field, message) : TextOf(*field, message);
  }
  std::string operator()(const Unknown& /*unknown*/) const { return {}; }

 private:
  template <typename Description>
  std::string Written(const Description& description) const {
    return json_ ? JsonOf(description) : TextOf(description);
  }

  wire::Types& types_;
  bool json_;
};

int SayUnknown(const std::string& name, const Unknown& unknown, Streams& streams) {
  std::string words = fmt::format("xdscope: {}: ", name);
  if (!unknown.candidates.empty()) {
    words += "several messages are called so:\n";
    for (const std::string& candidate : unknown.candidates) words += fmt::format("  {}\n", candidate);
  } else if (!unknown.nearest.empty()) {
    words += fmt::format("nothing is known by that name (nearest: {})\n", unknown.nearest);
  } else {
    words +=
        "nothing is known by that name\nhint: `xdscope types --all TEXT` lists the messages with TEXT in their names\n";
  }
  streams.err.write(words);
  return ToInt(ExitCode::kNo);
}

bool Matches(std::string_view name, std::string_view filter) {
  return absl::StrContains(absl::AsciiStrToLower(base::ToAbsl(name)), absl::AsciiStrToLower(base::ToAbsl(filter)));
}

bool Matches(const types::KnownType& type, std::string_view filter) {
  return Matches(type.short_name, filter) || Matches(type.plural, filter) || Matches(type.v3.message(), filter) ||
         Matches(type.v2.message(), filter);
}

std::vector<types::KnownType> KnownTypes(std::string_view filter) {
  std::vector<types::KnownType> known;
  std::ranges::copy_if(types::KnownTypes(), std::back_inserter(known),
                       [filter](const types::KnownType& type) { return Matches(type, filter); });
  return known;
}

std::string Collected(const std::function<void(format::Output& out)>& write) {
  std::string text;
  format::Output out([&text](std::string_view chunk) {
    text.append(chunk);
    return absl::OkStatus();
  });
  write(out);
  static_cast<void>(out.Flush());  // a string takes everything
  return text;
}

std::string KnownText(const std::vector<types::KnownType>& known, std::size_t width) {
  format::Table table{.columns = {{"TYPE"}, {"WORD"}, {"V3"}, {"V2"}}, .rows = {}};
  for (const types::KnownType& type : known) {
    table.rows.push_back({std::string(type.short_name), std::string(type.plural), std::string(type.v3.message()),
                          std::string(type.v2.message())});
  }
  return Collected([&](format::Output& out) { WriteTable(table, width, {}, out); });
}

std::string KnownJson(const std::vector<types::KnownType>& known) {
  return Collected([&](format::Output& out) {
           format::JsonWriter writer(out, format::JsonWriter::Layout::kIndented);
           const auto member = [&](std::string_view key, std::string_view text) {
             if (text.empty()) return;
             writer.NameKey(key);
             writer.Text(text);
           };
           writer.BeginList();
           for (const types::KnownType& type : known) {
             writer.BeginObject();
             member("name", type.short_name);
             member("plural", type.plural);
             member("v3", type.v3.message());
             member("v2", type.v2.message());
             writer.EndObject();
           }
           writer.EndList();
         }) +
         "\n";
}

std::string NamesJson(const std::vector<std::string>& names) {
  return Collected([&](format::Output& out) {
           format::JsonWriter writer(out, format::JsonWriter::Layout::kIndented);
           writer.BeginList();
           for (const std::string& name : names) writer.Text(name);
           writer.EndList();
         }) +
         "\n";
}

std::string NamesText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(name).append("\n");
  return text;
}

// Returns what `types` prints; empty where nothing matches.
std::string TypesText(std::string_view filter, bool json, bool all, std::size_t width, const wire::Types& types) {
  if (!all) {
    const std::vector<types::KnownType> known = KnownTypes(filter);
    return known.empty() ? std::string() : json ? KnownJson(known) : KnownText(known, width);
  }
  std::vector<std::string> names = types.schema().MessageNames();
  std::erase_if(names, [filter](const std::string& name) { return !Matches(name, filter); });
  return names.empty() ? std::string() : json ? NamesJson(names) : NamesText(names);
}

}  // namespace

std::span<const FlagRow> DescribeFlags() {
  return kDescribeRows;
}

std::span<const FlagRow> TypesFlags() {
  return kTypesRows;
}

int RunDescribeLine(const CommandLine& line, Streams& streams) {
  const auto json = Choose<bool>("output", absl::GetFlag(FLAGS_description), kForms);
  if (!json.ok()) return ReportUsage(json.status(), streams);
  if (line.words.empty()) return ReportUsage(UsageError("NAME", "is missing: a message, a field, a rule"), streams);
  if (line.words.size() > 1) return ReportUsage(UsageError(line.words[1], "describe takes one NAME"), streams);
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  const Subject subject = FindSubject(line.words.front(), (*loaded)->types);
  if (const auto* unknown = std::get_if<Unknown>(&subject)) return SayUnknown(line.words.front(), *unknown, streams);
  streams.out.write(std::visit(Describer((*loaded)->types, *json), subject));
  return ToInt(ExitCode::kDone);
}

int RunTypesLine(const CommandLine& line, Streams& streams) {
  const auto json = Choose<bool>("output", absl::GetFlag(FLAGS_description), kForms);
  if (!json.ok()) return ReportUsage(json.status(), streams);
  if (line.words.size() > 1) return ReportUsage(UsageError(line.words[1], "types takes one FILTER"), streams);
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  const std::string filter = line.words.empty() ? std::string() : line.words.front();
  const std::size_t width = streams.out.terminal ? static_cast<std::size_t>(streams.out.width) : 0;
  const std::string text = TypesText(filter, *json, absl::GetFlag(FLAGS_all), width, (*loaded)->types);
  if (text.empty()) {
    streams.err.write(fmt::format("xdscope: {}: no type has this in its name{}\n", filter,
                                  absl::GetFlag(FLAGS_all) ? "" : "; --all looks at every message"));
    return ToInt(ExitCode::kNo);
  }
  streams.out.write(text);
  return ToInt(ExitCode::kDone);
}

}  // namespace xdscope::cli
