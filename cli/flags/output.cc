#include "cli/flags/output.h"

#include <array>
#include <string>

#include "cli/args/choice.h"
#include "cli/args/flag.h"

// Type, name, default, form and text of each flag.
#define OUTPUT_FLAGS(FLAG)                                                                                     \
  FLAG(std::string, output, "yaml", Value("yaml|json|ndjson|text|binary|table|tree|name").Letter('o'),         \
       "Print one document per type, one object per resource (ndjson), or an overview (table, tree, "          \
       "name).")                                                                                               \
  FLAG(bool, show_secrets, false, Switch(), "Print private keys, passwords and tokens instead of [redacted].") \
  FLAG(std::string, json_names, "proto", Value("proto|camel"),                                                 \
       "Name fields as in the .proto files (snake_case), or in camelCase.")                                    \
  FLAG(bool, emit_defaults, false, Switch(), "Print fields that have their default value too.")                \
  FLAG(bool, unknown_fields, false, Switch(), "Print fields that the schema does not have too.")

// Commands that print no resources take this one alone.
#define COLOR_FLAGS(FLAG)                                      \
  FLAG(std::string, color, "auto", Value("auto|always|never"), \
       "Use colour; auto uses it on a terminal, unless NO_COLOR is set.")

OUTPUT_FLAGS(XDSCOPE_DEFINE_FLAG)
COLOR_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

using format::DocumentFormat;

constexpr std::array kRows = {OUTPUT_FLAGS(XDSCOPE_FLAG_ROW) COLOR_FLAGS(XDSCOPE_FLAG_ROW)};
constexpr std::array kColorRows = {COLOR_FLAGS(XDSCOPE_FLAG_ROW)};

struct OutputForm {
  Layout layout;
  DocumentFormat format;
};

constexpr std::array kForms = {
    Choice<OutputForm>{"yaml", {Layout::kDocuments, DocumentFormat::kYaml}},
    Choice<OutputForm>{"json", {Layout::kDocuments, DocumentFormat::kJson}},
    Choice<OutputForm>{"ndjson", {Layout::kDocuments, DocumentFormat::kNdjson}},
    Choice<OutputForm>{"text", {Layout::kDocuments, DocumentFormat::kText}},
    Choice<OutputForm>{"binary", {Layout::kDocuments, DocumentFormat::kBinary}},
    Choice<OutputForm>{"table", {Layout::kTable, DocumentFormat::kYaml}},
    Choice<OutputForm>{"tree", {Layout::kTree, DocumentFormat::kYaml}},
    Choice<OutputForm>{"name", {Layout::kNames, DocumentFormat::kYaml}},
};
constexpr std::array kNames = {
    Choice<format::FieldNames>{"proto", format::FieldNames::kProto},
    Choice<format::FieldNames>{"camel", format::FieldNames::kCamel},
};
constexpr std::array kColors = {
    Choice<std::string_view>{"auto", "auto"},
    Choice<std::string_view>{"always", "always"},
    Choice<std::string_view>{"never", "never"},
};

// Returns whether colour belongs on stdout: "always", "never", or by what it is, NO_COLOR and TERM ("auto").
bool WantsColor(std::string_view when, bool terminal, const config::Surroundings& surroundings) {
  if (when != "auto") return when == "always";
  if (!terminal || !surroundings.environment("NO_COLOR").value_or("").empty()) return false;
  return surroundings.environment("TERM") != "dumb";
}

}  // namespace

std::span<const FlagRow> OutputFlags() {
  return kRows;
}

std::span<const FlagRow> ColorFlags() {
  return kColorRows;
}

absl::StatusOr<bool> ReadColorFlag(int width, const config::Surroundings& surroundings) {
  const auto color = Choose<std::string_view>(FLAGS_color, kColors);
  if (!color.ok()) return color.status();
  return WantsColor(*color, width > 0, surroundings);
}

absl::StatusOr<OutputOptions> ReadOutputFlags(int width, const config::Surroundings& surroundings) {
  const auto form = Choose<OutputForm>(FLAGS_output, kForms);
  if (!form.ok()) return form.status();
  const auto names = Choose<format::FieldNames>(FLAGS_json_names, kNames);
  if (!names.ok()) return names.status();
  const absl::StatusOr<bool> color = ReadColorFlag(width, surroundings);
  if (!color.ok()) return color.status();
  OutputOptions options;
  options.layout = form->layout;
  options.format = form->format;
  options.walk.names = *names;
  options.walk.show_secrets = absl::GetFlag(FLAGS_show_secrets);
  options.walk.emit_defaults = absl::GetFlag(FLAGS_emit_defaults);
  options.walk.unknown_fields = absl::GetFlag(FLAGS_unknown_fields);
  options.style.color = *color;
  options.width = width;
  return options;
}

}  // namespace xdscope::cli
