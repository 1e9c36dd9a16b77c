#include "lib/rules/any_checks.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <array>
#include <string>
#include <utility>

#include "lib/base/resource_wrapper.h"
#include "lib/base/type_url.h"
#include "lib/rules/extension_points.h"
#include "lib/rules/options.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::WellKnown;

constexpr std::string_view kAny[] = {"google.protobuf.Any"};
constexpr std::string_view kTypedExtensionConfig = "envoy.config.core.v3.TypedExtensionConfig";
constexpr std::string_view kFilterConfig = "envoy.config.route.v3.FilterConfig";

// The numbers of the annotations of a file and a message.
constexpr std::uint32_t kFileStatus = 222707719;   // udpa.annotations.file_status
constexpr std::uint32_t kPackageVersion = 2;       // of it: package_version_status
constexpr std::uint64_t kFrozen = 1;               // the version is closed: v2
constexpr std::uint32_t kVersioning = 7881811;     // udpa.annotations.versioning
constexpr std::uint32_t kPreviousMessageType = 1;  // of it

// Returns the type URL in an Any or a TypedStruct.
std::string_view TypeUrlOf(const wire::View& message) {
  return message.GetText("type_url");
}

bool IsFrozen(const wire::Type& type) {
  const std::string status = BytesOption(OptionsOf(*type.descriptor().file()), kFileStatus);
  return NumberOption(status, kPackageVersion) == kFrozen;
}

// Returns the type that came after one of v2; empty where the schema does not say. Goes through all types, since the
// newer one names the older: that is done for what is written to a person.
std::string SuccessorOf(std::string_view old, wire::Types& types) {
  for (const std::string& name : types.schema().MessageNames()) {
    const auto* const descriptor = types.schema().FindMessage(name);
    const std::string versioning = BytesOption(OptionsOf(*descriptor), kVersioning);
    if (BytesOption(versioning, kPreviousMessageType) == old) return name;
  }
  return {};
}

const wire::Type& RootOf(const Visited& at) {
  const Visited* root = &at;
  while (root->above != nullptr) root = root->above;
  return root->message.type();
}

// Where the extension stands that an Any or a TypedStruct holds: in a field of a message of the API, where a
// TypedExtensionConfig and an Any around it are looked through.
std::pair<const Visited*, const wire::Field*> HolderOf(const Visited& at) {
  const Visited* place = &at;
  const auto is_wrapping = [](const Visited& above) {
    return above.message.type().well_known() == WellKnown::kAny ||
           above.message.type().full_name() == kTypedExtensionConfig;
  };
  while (place->above != nullptr && is_wrapping(*place->above)) place = place->above;
  return {place->above, place->field};
}

// [XDS-V125]
void CheckKind(const Visited& at, std::string_view name, Context& context) {
  const std::string_view kind = KindOfExtension(name);
  if (kind.empty()) return;
  const auto [holder, field] = HolderOf(at);
  if (holder == nullptr || field == nullptr) return;
  const ExtensionPoint* const point = FindExtensionPoint(holder->message.type().full_name(), field->name);
  if (point == nullptr || point->Takes(kind)) return;
  context.Add("XDS-V125", {at}, fmt::format("{} is {}; {} belongs here", name, kind, point->kinds[0]));
}

// [XDS-V123]
void CheckVersion(const Visited& at, const wire::Type& type, Context& context) {
  if (!IsFrozen(type) || IsFrozen(RootOf(at))) return;
  finding::Finding* const finding =
      context.Add("XDS-V123", {at}, fmt::format("{} is a type of the v2 API", type.full_name()));
  if (finding == nullptr) return;
  const std::string successor = SuccessorOf(type.full_name(), context.types);
  if (!successor.empty()) finding->help = fmt::format("use type.googleapis.com/{}", successor);
}

// [XDS-V124]
void CheckStage(const Visited& at, std::string_view name, Context& context) {
  if (name.find(".v3alpha.") == std::string_view::npos) return;
  context.Add("XDS-V124", {at}, fmt::format("{} is in builds with contrib extensions alone", name));
}

void CheckAny(const Visited& at, Context& context) {
  const std::string_view url = TypeUrlOf(at.message);
  const std::string_view name = base::MessageName(url);
  if (name.empty()) return;  // that it does not open is reported
  if (url.size() == name.size()) {
    context.Add("XDS-V122", {at}, fmt::format("the type URL {} has no \"/\"", url));
  }
  const wire::Type* const type = context.types.Find(name);
  if (type == nullptr) return;
  if (type->well_known() == WellKnown::kTypedStruct) return;
  CheckKind(at, name, context);
  CheckVersion(at, *type, context);
  CheckStage(at, name, context);
}

// [XDS-V121] A filter and its like without a configuration: Envoy looks for an extension of the type "".
void CheckConfigured(const Visited& at, Context& context) {
  const ExtensionPoint* const point = FindExtensionPoint(at.message.type().full_name(), "typed_config");
  if (point == nullptr || !point->needs_config || Get(at, "typed_config") || Get(at, "config_discovery")) return;
  const std::optional<wire::Value> optional = Get(at, "is_optional");
  if (optional && optional->AsBool()) return;
  const std::string_view name = at.message.GetText("name");
  context.Add("XDS-V121", {at}, fmt::format("\"{}\" has no typed_config, so nobody knows what it is", name));
}

constexpr std::string_view kConfigured[] = {
    "envoy.config.accesslog.v3.AccessLog",
    "envoy.config.listener.v3.Filter",
    "envoy.config.listener.v3.ListenerFilter",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter",
};
constexpr std::string_view kConfiguredReads[] = {
    "envoy.config.accesslog.v3.AccessLog.typed_config",
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
    Check{"XDS-V125", kAny, {}, CheckAny},
};

// An Any without a type and a value, in FilterConfig.config, means that the filter is on. [XDS-V056]
bool MayBeEmpty(const Visited& at) {
  return at.above != nullptr && at.above->message.type().full_name() == kFilterConfig && at.message.empty();
}

}  // namespace

std::span<const Check> AnyChecks() {
  return kChecks;
}

void ReportUnopened(const Visited& at, const absl::Status& why, Context& context) {
  const std::string_view url = TypeUrlOf(at.message);
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
