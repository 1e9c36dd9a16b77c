#include "lib/rules/anys.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/rules/extension_points.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::WellKnown;

constexpr std::string_view kTypedExtensionConfig = "envoy.config.core.v3.TypedExtensionConfig";
constexpr std::string_view kFilterConfig = "envoy.config.route.v3.FilterConfig";
constexpr std::string_view kWasmPlugin = "envoy.extensions.wasm.v3.PluginConfig";

const wire::Type& RootOf(const Visited& at) {
  const Visited* root = &at;
  while (root->above != nullptr) root = root->above;
  return root->message.type();
}

// Returns where the extension stands that an Any holds: in a field of a message of the API, where a
// TypedExtensionConfig around it is looked through.
std::pair<const Visited*, const wire::Field*> HolderOf(const Visited& at) {
  const Visited* place = &at;
  if (place->above != nullptr && place->above->message.type().full_name() == kTypedExtensionConfig) {
    place = place->above;
  }
  return {place->above, place->field};
}

// An Any without a type and a value, in FilterConfig.config, means that the filter is on [XDS-V056]; a plugin of Wasm
// gets it as an empty configuration.
bool MayBeEmpty(const Visited& at) {
  if (at.above == nullptr || !at.message.empty()) return false;
  const std::string_view above = at.above->message.type().full_name();
  return above == kFilterConfig || above == kWasmPlugin;
}

// Those that every JSON parser of protobuf takes. Envoy goes by what stands behind the "/".
bool IsUsualUrl(std::string_view url) {
  return url.starts_with("type.googleapis.com/") || url.starts_with("type.googleprod.com/");
}

// [XDS-V121] A filter and its like without a configuration: Envoy looks for an extension of the type "".
void CheckConfigured(const Visited& at, Context& context) {
  if (Get(at, "typed_config") || Get(at, "config_discovery")) return;
  const std::optional<wire::Value> optional = Get(at, "is_optional");
  if (optional && optional->AsBool()) return;
  const std::string_view name = at.message.GetText("name");
  context.Add("XDS-V121", {at}, fmt::format("\"{}\" has no typed_config, so nobody knows what it is", name));
}

constexpr std::string_view kConfigured[] = {
    "envoy.config.accesslog.v3.AccessLog",
    "envoy.config.core.v3.TransportSocket",
    "envoy.config.listener.v3.Filter",
    "envoy.config.listener.v3.ListenerFilter",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter",
};
constexpr std::string_view kConfiguredReads[] = {
    "envoy.config.accesslog.v3.AccessLog.typed_config",
    "envoy.config.core.v3.TransportSocket.typed_config",
    "envoy.config.listener.v3.Filter.config_discovery",
    "envoy.config.listener.v3.Filter.typed_config",
    "envoy.config.listener.v3.ListenerFilter.config_discovery",
    "envoy.config.listener.v3.ListenerFilter.typed_config",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.config_discovery",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.is_optional",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.typed_config",
};

constexpr std::array kChecks = {
    Check{"XDS-V121", kConfigured, kConfiguredReads, CheckConfigured},
};

}  // namespace

std::span<const Check> AnyChecks() {
  return kChecks;
}

const TypeFacts& Anys::FactsOf(const wire::Type& type) {
  const auto [row, is_new] = facts_.try_emplace(&type);
  if (is_new) row->second = rules::FactsOf(type);
  return row->second;
}

// What a TypedStruct spells is looked at where that opens.
void Anys::Check(const Visited& at, Context& context) {
  if (at.message.type().well_known() != WellKnown::kAny) return;
  const std::string_view url = at.message.GetText("type_url");
  const std::string_view name = base::MessageName(url);
  if (!name.empty() && url.size() == name.size()) {
    context.Add("XDS-V122", {at}, fmt::format("the type URL {} has no \"/\"", url));
  } else if (!name.empty() && !IsUsualUrl(url)) {
    finding::Finding* const finding =
        context.Add("XDS-V122", {at}, fmt::format("the type URL {} does not begin with type.googleapis.com/", url));
    if (finding != nullptr) finding->severity = finding::Severity::kWarning;
  }
  const wire::Type* const type = context.types.Find(name);
  if (type == nullptr || type->well_known() == WellKnown::kTypedStruct) return;
  const TypeFacts& facts = FactsOf(*type);
  CheckKind(at, *type, facts, context);
  CheckName(at, facts, context);
  CheckVersion(at, *type, facts, context);
  if (facts.contrib) {
    context.Add("XDS-V124", {at}, fmt::format("{} is in builds with contrib extensions alone", name));
  }
  if (facts.not_linked) context.Add("XDS-V129", {at}, fmt::format("{} is in the API, and not in Envoy", name));
}

// [XDS-V125]
void Anys::CheckKind(const Visited& at, const wire::Type& type, const TypeFacts& facts, Context& context) {
  const auto [holder, field] = HolderOf(at);
  if (facts.kind.empty() || holder == nullptr || field == nullptr) return;
  const ExtensionPoint* const point = FindExtensionPoint(holder->message.type().full_name(), field->name);
  if (point == nullptr || point->Takes(facts.kind)) return;
  context.Add("XDS-V125", {at},
              fmt::format("{} is {}; {} belongs here", type.full_name(), facts.kind, point->kinds[0]));
}

// [XDS-V126] A name is free; one that another extension usually has is a mistake.
void Anys::CheckName(const Visited& at, const TypeFacts& facts, Context& context) {
  if (facts.kind.empty() || facts.usual_name.empty() || at.above == nullptr) return;
  if (at.above->message.type().Find("typed_config") == nullptr) return;
  const std::string_view name = at.above->message.GetText("name");
  if (!name.starts_with("envoy.") || name == facts.usual_name || !IsUsualName(name, context.types)) return;
  context.Add("XDS-V126", {at},
              fmt::format("\"{}\" is the usual name of another extension than {}", name, facts.usual_name));
}

bool Anys::IsUsualName(std::string_view name, const wire::Types& types) {
  if (usual_names_.empty()) {
    for (const std::string& type : types.schema().MessageNames()) usual_names_.insert(UsualNameOf(type));
  }
  return usual_names_.contains(base::ToAbsl(name));
}

// [XDS-V123]
void Anys::CheckVersion(const Visited& at, const wire::Type& type, const TypeFacts& facts, Context& context) {
  if (!facts.frozen || FactsOf(RootOf(at)).frozen) return;
  finding::Finding* const finding =
      context.Add("XDS-V123", {at}, fmt::format("{} is a type of the v2 API", type.full_name()));
  if (finding == nullptr) return;
  const std::string successor = SuccessorOf(type.full_name(), context.types);
  if (!successor.empty()) finding->help = fmt::format("use type.googleapis.com/{}", successor);
}

void Anys::ReportUnopened(const Visited& at, const absl::Status& why, Context& context) {
  const std::string_view url = at.message.GetText("type_url");
  if (at.message.type().well_known() == WellKnown::kTypedStruct) {
    finding::Finding* const finding = context.Add("XDS-V128", {at}, std::string(base::Message(why)));
    if (finding != nullptr && why.code() == absl::StatusCode::kNotFound) finding->severity = finding::Severity::kInfo;
  } else if (url.empty()) {
    if (!MayBeEmpty(at)) context.Add("XDS-V121", {at}, "has no type");
  } else if (why.code() == absl::StatusCode::kNotFound) {
    context.Add("XDS-V120", {at}, context.types.WhyUnknown(url));
  } else {
    context.Add("XDS-V127", {at}, fmt::format("is no {}: {}", base::MessageName(url), base::Message(why)));
  }
}

}  // namespace xdscope::rules
