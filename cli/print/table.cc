#include "cli/print/table.h"

#include <fmt/format.h>

#include <optional>

#include "cli/print/words.h"
#include "lib/base/type_url.h"
#include "lib/resource/reference_rows.h"
#include "lib/types/known_types.h"
#include "lib/wire/view.h"

namespace xdscope::cli {
namespace {

using wire::Value;
using wire::View;

// Counts the elements of a repeated field; where `inner` is given, how many those have of it together.
std::size_t Count(const View& view, std::string_view field, std::string_view inner = {}) {
  std::size_t count = 0;
  for (const wire::Fields fields(view); const wire::Present& present : fields.known()) {
    if (present.field->name != field) continue;
    for (wire::Elements elements(present); elements.Next();) {
      count += inner.empty() ? 1 : Count(elements.value().AsMessage(), inner);
    }
  }
  return count;
}

std::string Enum(const View& view, std::string_view name) {
  const wire::Field* field = view.type().Find(name);
  const std::optional<Value> value = view.Get(name);
  if (field == nullptr) return "";
  return std::string(field->EnumName(static_cast<std::int32_t>(value ? value->AsInt() : 0)));
}

std::string Address(const View& listener) {
  if (const auto socket = resource::MessageAt(listener, "address.socket_address")) {
    const std::optional<Value> port = socket->Get("port_value");
    const std::string_view named = socket->GetText("named_port");
    const std::string number = port ? fmt::format("{}", port->AsUint()) : std::string(named);
    return fmt::format("{}:{}", socket->GetText("address"), number);
  }
  if (const auto pipe = resource::MessageAt(listener, "address.pipe"))
    return fmt::format("unix:{}", pipe->GetText("path"));
  return "";
}

std::string Discovery(const View& cluster) {
  if (const auto custom = resource::MessageAt(cluster, "cluster_type")) return std::string(custom->GetText("name"));
  return Enum(cluster, "type");
}

std::string SecretKind(const View& secret) {
  for (const wire::Fields fields(secret); const wire::Present& present : fields.known()) {
    if (present.field->oneof >= 0) return std::string(present.field->name);
  }
  return "";
}

std::string Extension(const View& extension) {
  const auto any = resource::MessageAt(extension, "typed_config");
  return any ? std::string(base::MessageName(any->GetText("type_url"))) : "";
}

struct SummaryColumn {
  std::string_view type;  // short name
  std::string_view title;
  bool right;
  std::string (*cell)(const View& resource);
};

constexpr SummaryColumn kColumns[] = {
    {"lds", "ADDRESS", false, Address},
    {"lds", "FILTER CHAINS", true, [](const View& v) { return fmt::format("{}", Count(v, "filter_chains")); }},
    {"rds", "VIRTUAL HOSTS", true, [](const View& v) { return fmt::format("{}", Count(v, "virtual_hosts")); }},
    {"rds", "ROUTES", true, [](const View& v) { return fmt::format("{}", Count(v, "virtual_hosts", "routes")); }},
    {"srds", "ROUTE", false, [](const View& v) { return std::string(v.GetText("route_configuration_name")); }},
    {"vhds", "DOMAINS", true, [](const View& v) { return fmt::format("{}", Count(v, "domains")); }},
    {"vhds", "ROUTES", true, [](const View& v) { return fmt::format("{}", Count(v, "routes")); }},
    {"cds", "DISCOVERY", false, Discovery},
    {"cds", "LB POLICY", false, [](const View& v) { return Enum(v, "lb_policy"); }},
    {"eds", "ENDPOINTS", true, [](const View& v) { return fmt::format("{}", Count(v, "endpoints", "lb_endpoints")); }},
    {"sds", "KIND", false, SecretKind},
    {"ecds", "TYPE", false, Extension},
};

std::vector<std::string> Row(std::string_view type, const std::string& name, const resource::Resource& resource) {
  std::vector<std::string> row = {name};
  for (const SummaryColumn& column : kColumns) {
    if (column.type != type) continue;
    row.push_back(resource.message.ok() ? column.cell(resource.message->view()) : "(not readable)");
  }
  row.push_back(resource.version);
  row.push_back(SizeWords(resource.payload.size()));
  return row;
}

}  // namespace

format::Table TableOf(const std::string& type_url, const resource::TypeState& state) {
  const std::string type = TypeWord(type_url);
  format::Table table;
  table.columns.push_back({.title = type, .name = true});
  for (char& c : table.columns[0].title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const SummaryColumn& column : kColumns) {
    if (column.type == type) table.columns.push_back({std::string(column.title), column.right});
  }
  table.columns.push_back({"VERSION", false});
  table.columns.push_back({"SIZE", true});
  for (const auto& [name, resource] : state.resources) table.rows.push_back(Row(type, name, resource));
  return table;
}

}  // namespace xdscope::cli
