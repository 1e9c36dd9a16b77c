#include "cli/flags/output.h"

#include <array>
#include <string>

#include "absl/flags/flag.h"
#include "cli/args/choice.h"

ABSL_FLAG(std::string, output, "yaml",
          "How it is printed: one document per type, one object per resource, or an overview.");
ABSL_FLAG(bool, show_secrets, false, "Print private keys, passwords and tokens instead of [redacted].");
ABSL_FLAG(std::string, json_names, "proto", "Names of fields: as in the .proto files (snake_case), or camelCase.");
ABSL_FLAG(std::string, color, "auto", "Colour; auto: on a terminal, unless NO_COLOR is set.");
ABSL_FLAG(bool, emit_defaults, false, "Print fields that have their default value too.");

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {
    FlagRow{"output", 'o', Shape::kValue, "yaml|json|ndjson|text|binary|table|tree|name"},
    FlagRow{"show-secrets", 0, Shape::kSwitch, ""},
    FlagRow{"json-names", 0, Shape::kValue, "proto|camel"},
    FlagRow{"color", 0, Shape::kValue, "auto|always|never"},
    FlagRow{"emit-defaults", 0, Shape::kSwitch, ""},
};

constexpr std::array kFormats = {
    Choice<OutputFormat>{"yaml", OutputFormat::kYaml},     Choice<OutputFormat>{"json", OutputFormat::kJson},
    Choice<OutputFormat>{"ndjson", OutputFormat::kNdjson}, Choice<OutputFormat>{"text", OutputFormat::kText},
    Choice<OutputFormat>{"binary", OutputFormat::kBinary}, Choice<OutputFormat>{"table", OutputFormat::kTable},
    Choice<OutputFormat>{"tree", OutputFormat::kTree},     Choice<OutputFormat>{"name", OutputFormat::kName},
};
constexpr std::array kJsonNames = {
    Choice<JsonNames>{"proto", JsonNames::kProto},
    Choice<JsonNames>{"camel", JsonNames::kCamel},
};
constexpr std::array kColors = {
    Choice<std::string_view>{"auto", "auto"},
    Choice<std::string_view>{"always", "always"},
    Choice<std::string_view>{"never", "never"},
};

}  // namespace

std::span<const FlagRow> OutputFlags() {
  return kRows;
}

bool WantsColor(std::string_view when, bool terminal, const config::Surroundings& surroundings) {
  if (when != "auto") return when == "always";
  if (!terminal || !surroundings.environment("NO_COLOR").value_or("").empty()) return false;
  return surroundings.environment("TERM") != "dumb";
}

absl::StatusOr<OutputOptions> ReadOutputFlags(int width, const config::Surroundings& surroundings) {
  const auto format = Choose<OutputFormat>("output", absl::GetFlag(FLAGS_output), kFormats);
  if (!format.ok()) return format.status();
  const auto names = Choose<JsonNames>("json-names", absl::GetFlag(FLAGS_json_names), kJsonNames);
  if (!names.ok()) return names.status();
  const auto color = Choose<std::string_view>("color", absl::GetFlag(FLAGS_color), kColors);
  if (!color.ok()) return color.status();
  OutputOptions options;
  options.format = *format;
  options.json_names = *names;
  options.show_secrets = absl::GetFlag(FLAGS_show_secrets);
  options.emit_defaults = absl::GetFlag(FLAGS_emit_defaults);
  options.color = WantsColor(*color, width > 0, surroundings);
  options.width = width;
  return options;
}

}  // namespace xdscope::cli
