#include "cli/flags/node.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/usage_error.h"
#include "cli/args/version.h"
#include "lib/config/document.h"
#include "lib/config/metadata.h"

using xdscope::cli::ListFlag;

// Type, name, default, form and text of each flag.
#define NODE_FLAGS(FLAG)                                                                             \
  FLAG(std::string, node, "", Value("FILE|'{...}'"),                                                 \
       "Send this Node message, YAML or JSON: a file, or the text itself. The file may also be a "   \
       "bootstrap or an Envoy /config_dump that has one.")                                           \
  FLAG(std::string, node_id, "", Value("ID", "xdscope"), "Set the node's id.")                       \
  FLAG(std::string, node_cluster, "", Value("NAME"), "Set the node's cluster.")                      \
  FLAG(std::string, locality, "", Value("REGION[/ZONE[/SUBZONE]]"), "Say where the node is.")        \
  FLAG(ListFlag, metadata, {}, List("KEY=VALUE"),                                                    \
       "Set one key of the node's metadata: KEY=VALUE is text, KEY:=VALUE is JSON, KEY=@FILE and "   \
       "KEY:=@FILE take the value from a file. A number that no double holds is an error. Repeats.") \
  FLAG(ListFlag, client_feature, {}, List("NAME"),                                                   \
       "Announce this feature of the node, besides those of --client. Repeats.")

NODE_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {NODE_FLAGS(XDSCOPE_FLAG_ROW)};

absl::StatusOr<std::string> ReadWholeNode(const std::string& node, const config::Surroundings& surroundings,
                                          wire::Types& types) {
  const bool is_text =
      node.find_first_not_of(" \t\r\n") != std::string::npos && node[node.find_first_not_of(" \t\r\n")] == '{';
  std::string text = node;
  if (!is_text) {
    absl::StatusOr<std::string> read = surroundings.read_file(node, config::kMostOfFile);
    if (!read.ok()) return UsageError(fmt::format("--node {}", node), base::Message(read.status()));
    text = *std::move(read);
  }
  const std::string file = is_text ? "--node" : node;
  const absl::StatusOr<config::Document> document = config::ParseDocument(text, file);
  if (!document.ok()) return document.status();
  return config::EncodeNode(*document, types);
}

// Takes KEY=VALUE, KEY:=JSON, KEY=@FILE, KEY:=@FILE.
absl::StatusOr<std::pair<std::string, std::string>> ParseMetadata(const std::string& text,
                                                                  const config::Surroundings& surroundings,
                                                                  wire::Types& types) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return UsageError(fmt::format("--metadata {}", text), "expected KEY=VALUE");
  const bool is_json = equals > 0 && text[equals - 1] == ':';
  const std::string key = text.substr(0, equals - (is_json ? 1 : 0));
  const std::string where = fmt::format("--metadata {}", key);
  if (key.empty()) return UsageError(where, "the key is empty");
  std::string value = text.substr(equals + 1);
  const bool from_file = value.starts_with('@');
  const std::string origin = from_file ? value.substr(1) : where;
  if (from_file) {
    absl::StatusOr<std::string> read = surroundings.read_file(origin, config::kMostOfFile);
    if (!read.ok()) return UsageError(fmt::format("{}: {}", where, origin), base::Message(read.status()));
    value = *std::move(read);
  }
  const auto encode = is_json ? config::EncodeMetadataJson : config::EncodeMetadataText;
  absl::StatusOr<std::string> bytes = encode(value, origin, types);
  if (!bytes.ok()) return from_file ? base::Prefix(bytes.status(), where) : bytes.status();
  return std::pair(key, *std::move(bytes));
}

// Returns the value of a text flag that was typed, an empty one too.
std::optional<std::string> Said(const CommandLine& line, const absl::Flag<std::string>& flag) {
  return line.Given(flag) ? std::optional(absl::GetFlag(flag)) : std::nullopt;
}

}  // namespace

std::span<const FlagRow> NodeFlags() {
  return kRows;
}

absl::StatusOr<config::Node> ReadNodeFlags(const CommandLine& line, std::string_view from_bootstrap,
                                           const config::Profile& profile, const config::Surroundings& surroundings,
                                           wire::Types& types) {
  std::string whole(from_bootstrap);
  std::string note;
  if (const auto node = Said(line, FLAGS_node)) {
    absl::StatusOr<std::string> read = ReadWholeNode(*node, surroundings, types);
    if (!read.ok()) return read.status();
    whole = *std::move(read);
    if (whole.empty()) note = fmt::format("--node {}: holds no node, and asks as the default one", *node);
  }
  config::NodeOverrides overrides;
  overrides.id = Said(line, FLAGS_node_id);
  overrides.cluster = Said(line, FLAGS_node_cluster);
  if (const auto text = Said(line, FLAGS_locality)) {
    absl::StatusOr<config::Locality> locality = config::ParseLocality(*text);
    if (!locality.ok()) return UsageError(fmt::format("--locality {}", *text), base::Message(locality.status()));
    overrides.locality = *std::move(locality);
  }
  for (const std::string& text : absl::GetFlag(FLAGS_metadata).values) {
    auto member = ParseMetadata(text, surroundings, types);
    if (!member.ok()) return member.status();
    overrides.metadata.push_back(*std::move(member));
  }
  overrides.client_features = absl::GetFlag(FLAGS_client_feature).values;
  config::Node made = config::MakeNode(whole, overrides, profile, kVersion);
  made.note = std::move(note);
  return made;
}

}  // namespace xdscope::cli
