#include "cli/commands/fetch/offline_bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/base/fields.h"
#include "lib/format/output.h"
#include "lib/format/redact.h"
#include "lib/format/walk.h"
#include "lib/format/yaml_writer.h"
#include "lib/types/known_types.h"
#include "lib/wire/message.h"

namespace xdscope::cli {
namespace {

constexpr std::string_view kNode = "envoy.config.core.v3.Node";
// Envoy takes no dynamic configuration without a node.cluster, so a node that has none gets this one.
constexpr std::string_view kCluster = "xdscope";

constexpr std::uint32_t kAdminPort = 9901;  // the one that everybody knows

std::string_view ShortName(const OfflineFile& file) {
  const types::KnownType* known = types::FindByUrl(file.type_url);
  return known == nullptr ? std::string_view() : known->short_name;
}

// Returns who the node is and where: of its fields those that a bootstrap should say. User agent and features are left
// to the proxy, which knows better what it is.
std::string NodeOf(std::string_view bytes, const wire::Type& type) {
  constexpr std::array<std::string_view, 4> kKept = {"id", "cluster", "metadata", "locality"};
  std::string node;
  base::FieldReader reader(bytes);
  while (reader.Next()) {
    const wire::Field* field = wire::KnownField(type, reader);
    if (field != nullptr && std::find(kKept.begin(), kKept.end(), field->name) != kKept.end()) node += reader.raw();
  }
  const wire::Field* cluster = type.Find("cluster");
  if (cluster != nullptr && base::FindBytes(node, cluster->number).value_or("").empty()) {
    base::AppendBytes(&node, cluster->number, kCluster);
  }
  return node;
}

// Writes the document, member by member.
class DocumentText {
 public:
  DocumentText(std::string_view folder, format::Writer& writer) : folder_(folder), writer_(writer) {}

  void Admin() {
    writer_.NameKey("admin");
    writer_.BeginObject();
    writer_.NameKey("address");
    writer_.BeginObject();
    writer_.NameKey("socket_address");
    writer_.BeginObject();
    writer_.NameKey("address");
    writer_.Text("127.0.0.1");
    writer_.NameKey("port_value");
    writer_.Uint(kAdminPort);
    writer_.EndObject();
    writer_.EndObject();
    writer_.EndObject();
  }

  void Subscriptions(const OfflinePlan& plan) {
    writer_.NameKey("dynamic_resources");
    writer_.BeginObject();
    for (const std::string_view type : {"lds", "cds"}) {
      for (const OfflineFile& file : plan.files) {
        if (ShortName(file) == type) Source(fmt::format("{}_config", type), file);
      }
    }
    writer_.EndObject();
  }

  // Writes a layer for each RTDS resource that came.
  void Runtime(const OfflinePlan& plan) {
    bool any = false;
    for (const OfflineFile& file : plan.files) {
      if (ShortName(file) != "rtds" || file.entries.empty()) continue;
      if (!std::exchange(any, true)) BeginLayers();
      Layer(file);
    }
    if (!any) return;
    writer_.EndList();
    writer_.EndObject();
  }

 private:
  void Source(std::string_view key, const OfflineFile& file) {
    writer_.NameKey(key);
    writer_.BeginObject();
    writer_.NameKey("path_config_source");
    writer_.BeginObject();
    writer_.NameKey("path");
    writer_.Text(fmt::format("{}/{}", folder_, file.path));
    writer_.EndObject();
    writer_.NameKey("resource_api_version");
    writer_.Text("V3");
    writer_.EndObject();
  }

  void BeginLayers() {
    writer_.NameKey("layered_runtime");
    writer_.BeginObject();
    writer_.NameKey("layers");
    writer_.BeginList();
  }

  void Layer(const OfflineFile& file) {
    writer_.BeginObject();
    writer_.NameKey("name");
    writer_.Text(file.entries.front().name);
    writer_.NameKey("rtds_layer");
    writer_.BeginObject();
    writer_.NameKey("name");
    writer_.Text(file.entries.front().name);
    Source("rtds_config", file);
    writer_.EndObject();
    writer_.EndObject();
  }

  std::string_view folder_;
  format::Writer& writer_;
};

}  // namespace

BootstrapText MakeBootstrap(const OfflinePlan& plan, std::string_view folder, std::string_view node, bool show_secrets,
                            wire::Types& types) {
  BootstrapText text;
  format::Output out([&text](std::string_view chunk) {
    text.yaml += chunk;
    return absl::OkStatus();
  });
  format::YamlWriter writer(out, {});
  writer.BeginObject();
  if (const wire::Type* type = types.Find(kNode)) {
    const std::string kept = NodeOf(node, *type);
    const std::string redacted = format::Redactor(types).Payload(kNode, kept);
    const auto whole = wire::Decode(kept, *type);
    const auto hidden = wire::Decode(redacted, *type);
    text.secret = whole.ok() && (!hidden.ok() || !wire::Equal(whole->view(), hidden->view(), types));
    if (whole.ok()) {
      writer.NameKey("node");
      format::Walker(types, {.show_secrets = show_secrets}, writer).Message(whole->view());
    }
  }
  DocumentText document(folder, writer);
  document.Admin();
  document.Subscriptions(plan);
  document.Runtime(plan);
  writer.EndObject();
  out.Flush().IgnoreError();
  return text;
}

}  // namespace xdscope::cli
