#include "cli/flags/node.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "absl/flags/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/version.h"
#include "lib/config/json_document.h"

using xdscope::cli::ListFlag;

ABSL_FLAG(
    std::string, node, "",
    "The whole Node message, YAML or JSON: a file, or the text itself. The file may also be a bootstrap or an Envoy "
    "/config_dump that has one.");
ABSL_FLAG(std::string, node_id, "", "The node's id.");
ABSL_FLAG(std::string, node_cluster, "", "The node's cluster.");
ABSL_FLAG(std::string, locality, "", "Where the node is.");
ABSL_FLAG(ListFlag, metadata, {},
          "One key of the node's metadata: KEY=VALUE is text, KEY:=VALUE is JSON, KEY=@FILE and KEY:=@FILE take the "
          "value from "
          "a file. Repeats.");
ABSL_FLAG(ListFlag, client_feature, {}, "A feature the node announces, besides those of --client. Repeats.");

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {
    FlagRow{"node", 0, Shape::kValue, "FILE|'{...}'"}, FlagRow{"node-id", 0, Shape::kValue, "ID", "xdscope"},
    FlagRow{"node-cluster", 0, Shape::kValue, "NAME"}, FlagRow{"locality", 0, Shape::kValue, "REGION[/ZONE[/SUBZONE]]"},
    FlagRow{"metadata", 0, Shape::kList, "KEY=VALUE"}, FlagRow{"client-feature", 0, Shape::kList, "NAME"},
};

absl::Status Wrong(std::string_view where, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", where, what));
}

absl::StatusOr<std::string> ReadWholeNode(const std::string& node, const config::Surroundings& surroundings) {
  const bool is_text =
      node.find_first_not_of(" \t\r\n") != std::string::npos && node[node.find_first_not_of(" \t\r\n")] == '{';
  std::string text = node;
  if (!is_text) {
    absl::StatusOr<std::string> read = surroundings.read_file(node);
    if (!read.ok()) return Wrong(fmt::format("--node {}", node), base::Message(read.status()));
    text = *std::move(read);
  }
  const std::string file = is_text ? "--node" : node;
  const absl::StatusOr<config::Value> document = config::ParseDocument(text, file);
  if (!document.ok()) return document.status();
  return config::EncodeNode(*document, file, schema::Schema::Builtin());
}

// KEY=VALUE, KEY:=JSON, KEY=@FILE, KEY:=@FILE.
absl::StatusOr<std::pair<std::string, config::Value>> ParseMetadata(const std::string& text,
                                                                    const config::Surroundings& surroundings) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return Wrong(fmt::format("--metadata {}", text), "expected KEY=VALUE");
  const bool is_json = equals > 0 && text[equals - 1] == ':';
  const std::string key = text.substr(0, equals - (is_json ? 1 : 0));
  const std::string where = fmt::format("--metadata {}", key);
  if (key.empty()) return Wrong(where, "the key is empty");
  std::string value = text.substr(equals + 1);
  std::string origin = where;
  if (value.starts_with('@')) {
    origin = value.substr(1);
    absl::StatusOr<std::string> read = surroundings.read_file(origin);
    if (!read.ok()) return Wrong(fmt::format("{}: {}", where, origin), base::Message(read.status()));
    value = *std::move(read);
  }
  if (is_json) {
    absl::StatusOr<config::Value> json = config::ParseJson(value, origin);
    if (!json.ok()) return json.status();
    return std::pair(key, *std::move(json));
  }
  config::Value plain;
  plain.kind = config::Value::Kind::kText;
  plain.text = std::move(value);
  return std::pair(key, std::move(plain));
}

// A text flag that counts only when it was set to something.
std::optional<std::string> Said(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::span<const FlagRow> NodeFlags() {
  return kRows;
}

absl::StatusOr<config::Node> ReadNodeFlags(std::string_view from_bootstrap, const config::Profile& profile,
                                           const config::Surroundings& surroundings) {
  std::string whole(from_bootstrap);
  if (const std::string node = absl::GetFlag(FLAGS_node); !node.empty()) {
    absl::StatusOr<std::string> read = ReadWholeNode(node, surroundings);
    if (!read.ok()) return read.status();
    whole = *std::move(read);
  }
  config::NodeOverrides overrides;
  overrides.id = Said(absl::GetFlag(FLAGS_node_id));
  overrides.cluster = Said(absl::GetFlag(FLAGS_node_cluster));
  if (const std::string text = absl::GetFlag(FLAGS_locality); !text.empty()) {
    absl::StatusOr<config::Locality> locality = config::ParseLocality(text);
    if (!locality.ok()) return Wrong(fmt::format("--locality {}", text), base::Message(locality.status()));
    overrides.locality = *std::move(locality);
  }
  for (const std::string& text : absl::GetFlag(FLAGS_metadata).values) {
    auto member = ParseMetadata(text, surroundings);
    if (!member.ok()) return member.status();
    overrides.metadata.push_back(*std::move(member));
  }
  overrides.client_features = absl::GetFlag(FLAGS_client_feature).values;
  return config::MakeNode(whole, overrides, profile, kVersion);
}

}  // namespace xdscope::cli
