#include "lib/config/node.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "absl/container/flat_hash_set.h"
#include "lib/base/fields.h"
#include "lib/config/encode_setting.h"
#include "lib/config/setting.h"

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

// Returns `message` without these fields.
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

// Appends one member of a google.protobuf.Struct, which is an entry of its map field 1: key 1, value 2.
void AppendMember(std::string_view key, std::string_view value, std::string* structure) {
  std::string entry;
  base::AppendBytes(&entry, 1, key);
  base::AppendBytes(&entry, 2, value);
  base::AppendBytes(structure, 1, entry);
}

// Returns the base's metadata without the members that the overrides say anew, and these behind it. Empty: there is no
// metadata at all.
std::string MergeMetadata(std::string_view base, const NodeOverrides& overrides) {
  absl::flat_hash_set<absl::string_view> said_anew;
  for (const auto& [key, value] : overrides.metadata) said_anew.insert(key);
  std::string merged;
  base::FieldReader members(base::FindBytes(base, kMetadata).value_or(std::string_view()));
  while (members.Next()) {
    const std::string_view key = base::FindBytes(members.bytes(), 1).value_or(std::string_view());
    if (!said_anew.contains(base::ToAbsl(key))) merged.append(members.raw());
  }
  for (const auto& [key, value] : overrides.metadata) AppendMember(key, value, &merged);
  return merged;
}

// Returns the features of the base, the profile and the person, each once, in that order.
std::vector<std::string_view> Features(std::string_view base, const NodeOverrides& overrides, const Profile& profile) {
  std::vector<std::string_view> all;
  absl::flat_hash_set<absl::string_view> known;
  const auto add = [&](std::string_view feature) {
    if (known.insert(base::ToAbsl(feature)).second) all.push_back(feature);
  };
  base::FieldReader fields(base);
  std::string_view feature;
  while (fields.Next()) {
    if (fields.Is(kClientFeatures, &feature)) add(feature);
  }
  for (const std::string_view announced : profile.client_features) add(announced);
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
  for (const std::string_view feature : Features(base, overrides, profile)) {
    AppendText(kClientFeatures, feature, &node.bytes);
  }
  return node;
}

absl::StatusOr<std::string> EncodeNode(const Document& document, wire::Types& types) {
  const Setting whole(document, document.root());
  if (!whole.node().is(encode::NodeKind::kMap)) {
    return whole.Error(fmt::format("expected a node, not {}", encode::NameOf(whole.node().kind())));
  }
  const encode::Node found = FindBootstrap(document);
  if (!found.valid()) return ErrorAt(document.file(), 0, "", "this /config_dump has no bootstrap");
  const Setting bootstrap(document, found);
  if (const Setting node = bootstrap["node"]) return EncodeSetting(node, kNodeMessage, encode::Unknown::kIgnore, types);
  const bool is_bootstrap = found != document.root() || bootstrap["static_resources"] ||
                            bootstrap["dynamic_resources"] || bootstrap["xds_servers"];
  if (is_bootstrap) return std::string();
  return EncodeSetting(whole, kNodeMessage, encode::Unknown::kRefuse, types);
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
