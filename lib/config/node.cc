#include "lib/config/node.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "lib/base/fields.h"
#include "lib/config/struct_value.h"

namespace xdscope::config {
namespace {

constexpr std::string_view kNodeMessage = "envoy.config.core.v3.Node";

// Fields of envoy.config.core.v3.Node and Locality.
constexpr std::uint32_t kId = 1;
constexpr std::uint32_t kCluster = 2;
constexpr std::uint32_t kMetadata = 3;
constexpr std::uint32_t kLocality = 4;
constexpr std::uint32_t kUserAgentName = 6;
constexpr std::uint32_t kUserAgentVersion = 7;
constexpr std::uint32_t kClientFeatures = 10;

// `message` without these fields.
std::string Without(std::string_view message, std::initializer_list<std::uint32_t> numbers) {
  std::string rest;
  base::FieldReader fields(message);
  while (fields.Next()) {
    if (std::ranges::find(numbers, fields.number()) == numbers.end()) rest.append(fields.raw());
  }
  return rest;
}

void AppendText(std::uint32_t number, std::string_view text, std::string* out) {
  if (!text.empty()) base::AppendBytes(out, number, text);
}

std::string EncodeLocality(const Locality& locality) {
  std::string bytes;
  AppendText(1, locality.region, &bytes);
  AppendText(2, locality.zone, &bytes);
  AppendText(3, locality.sub_zone, &bytes);
  return bytes;
}

// The base's metadata without the members that are said anew, and these behind it. Empty: there is no metadata at all.
std::string MergeMetadata(std::string_view base, const NodeOverrides& overrides) {
  std::string merged;
  base::FieldReader members(base::FindBytes(base, kMetadata).value_or(std::string_view()));
  while (members.Next()) {
    const std::string_view key = base::FindBytes(members.bytes(), 1).value_or(std::string_view());
    const auto is_said_anew = [key](const auto& member) { return member.first == key; };
    if (std::ranges::none_of(overrides.metadata, is_said_anew)) merged.append(members.raw());
  }
  for (const auto& [key, value] : overrides.metadata) AppendStructMember(key, value, &merged);
  return merged;
}

// The features of the base, the profile and the person, each once, in that order.
std::vector<std::string> Features(std::string_view base, const NodeOverrides& overrides, const Profile& profile) {
  std::vector<std::string> all;
  const auto add = [&all](std::string_view feature) {
    if (std::ranges::find(all, feature) == all.end()) all.emplace_back(feature);
  };
  base::FieldReader fields(base);
  std::string_view feature;
  while (fields.Next()) {
    if (fields.Is(kClientFeatures, &feature)) add(feature);
  }
  for (const std::string_view known : profile.client_features) add(known);
  for (const std::string& wanted : overrides.client_features) add(wanted);
  return all;
}

}  // namespace

Node MakeNode(std::string_view base, const NodeOverrides& overrides, const Profile& profile, std::string_view version) {
  const auto text_of = [base](std::uint32_t number) {
    return std::string(base::FindBytes(base, number).value_or(std::string_view()));
  };
  Node node;
  node.id = overrides.id.value_or(text_of(kId));
  node.id_is_default = !overrides.id.has_value() && node.id.empty();
  if (node.id_is_default) node.id = kDefaultNodeId;
  const std::string metadata = MergeMetadata(base, overrides);
  const std::string locality = overrides.locality ? EncodeLocality(*overrides.locality) : text_of(kLocality);
  const bool has_agent = !text_of(kUserAgentName).empty();

  AppendText(kId, node.id, &node.bytes);
  AppendText(kCluster, overrides.cluster.value_or(text_of(kCluster)), &node.bytes);
  AppendText(kMetadata, metadata, &node.bytes);
  AppendText(kLocality, locality, &node.bytes);
  if (!has_agent) {
    AppendText(kUserAgentName, "xdscope", &node.bytes);
    AppendText(kUserAgentVersion, version, &node.bytes);
  }
  node.bytes += Without(base, {kId, kCluster, kMetadata, kLocality, kClientFeatures});
  for (const std::string& feature : Features(base, overrides, profile)) {
    AppendText(kClientFeatures, feature, &node.bytes);
  }
  return node;
}

const Value* FindBootstrap(const Value& document) {
  const Value* configs = document.Find("configs");
  if (configs == nullptr) return &document;
  for (const Value& config : configs->items) {
    if (const Value* bootstrap = config.Find("bootstrap")) return bootstrap;
  }
  return nullptr;
}

absl::StatusOr<std::string> EncodeNode(const Value& document, std::string_view file, const schema::Schema& schema) {
  if (!document.is(Value::Kind::kMap)) {
    return ErrorAt(file, document.line, "", fmt::format("expected a node, not {}", KindName(document.kind)));
  }
  const Value* bootstrap = FindBootstrap(document);
  if (bootstrap == nullptr) return ErrorAt(file, 0, "", "this /config_dump has no bootstrap");
  if (const Value* node = bootstrap->Find("node")) {
    return EncodeMessage(*node, kNodeMessage, schema, file, "node", UnknownFields::kIgnore);
  }
  const bool is_bootstrap = bootstrap != &document || bootstrap->Find("static_resources") != nullptr ||
                            bootstrap->Find("dynamic_resources") != nullptr ||
                            bootstrap->Find("xds_servers") != nullptr;
  if (is_bootstrap) return std::string();
  return EncodeMessage(document, kNodeMessage, schema, file, "", UnknownFields::kRefuse);
}

absl::StatusOr<Locality> ParseLocality(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t slash = std::min(text.find('/', begin), text.size());
    parts.emplace_back(text.substr(begin, slash - begin));
    begin = slash + 1;
  }
  if (parts.size() > 3 || parts[0].empty()) {
    return base::Error(absl::StatusCode::kInvalidArgument, "expected REGION[/ZONE[/SUBZONE]]");
  }
  parts.resize(3);
  return Locality{parts[0], parts[1], parts[2]};
}

}  // namespace xdscope::config
