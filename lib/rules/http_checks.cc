// The HTTP connection manager, regular expressions and format strings. [reference/validation.md 2.3]
#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "lib/base/status.h"
#include "lib/rules/check.h"
#include "lib/rules/format_string.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

// ---- The manager. [XDS-V042 to V044]

void CheckOptions(const Visited& at, Context& context) {
  const View& manager = at.message;
  const auto add = [&](std::string_view field, std::string message) {
    context.Add("XDS-V042", At(at, field), std::move(message));
  };
  if (IsOn(manager, "strip_matching_host_port") && IsOn(manager, "strip_any_host_port")) {
    add("strip_any_host_port", "strip_any_host_port and strip_matching_host_port exclude each other");
  }
  const std::optional<View> common = MessageIn(manager, "common_http_protocol_options");
  if (common && Has(*common, "max_response_headers_kb")) {
    add("common_http_protocol_options", "max_response_headers_kb is for clusters");
  }
  const bool detects = !ListOf(manager, "original_ip_detection_extensions").empty();
  if (detects && IsOn(manager, "use_remote_address")) {
    add("original_ip_detection_extensions",
        "original_ip_detection_extensions and use_remote_address exclude each other");
  }
  if (detects && NumberIn(manager, "xff_num_trusted_hops").value_or(0) > 0) {
    add("original_ip_detection_extensions",
        "original_ip_detection_extensions and xff_num_trusted_hops exclude each other");
  }
  if (!Has(manager, "access_log_options")) return;
  for (const std::string_view old : {"access_log_flush_interval", "flush_access_log_on_new_request"}) {
    if (Has(manager, old)) add("access_log_options", fmt::format("access_log_options and {} exclude each other", old));
  }
}

// The listener in which a manager stands; nullptr where it stands in something else, a discovered filter for one.
const Visited* ListenerAbove(const Visited& at) {
  const Visited* root = &at;
  while (root->above != nullptr) root = root->above;
  return root->message.type().full_name() == "envoy.config.listener.v3.Listener" ? root : nullptr;
}

bool IsQuic(const View& listener) {
  const std::optional<View> udp = MessageIn(listener, "udp_listener_config");
  return udp && Has(*udp, "quic_options");
}

void CheckCodec(const Visited& at, Context& context) {
  const Visited* const listener = ListenerAbove(at);
  if (listener == nullptr) return;
  constexpr std::uint64_t kHttp3 = 3;
  const bool quic = IsQuic(listener->message);
  const bool http3 = NumberIn(at.message, "codec_type").value_or(0) == kHttp3;
  if (quic == http3) return;
  context.Add("XDS-V043", At(at, "codec_type"),
              quic ? "a manager of a QUIC listener has the codec_type HTTP3" : "the codec_type HTTP3 is for QUIC");
}

std::string Lower(std::string_view text) {
  return absl::AsciiStrToLower(base::ToAbsl(text));
}

// Upgrades of a manager, and those of a route.
void CheckUpgrades(const Visited& at, Context& context) {
  std::set<std::string> types;
  std::size_t index = 0;
  for (const View& upgrade : MessagesIn(at.message, "upgrade_configs")) {
    const Place place = At(at, "upgrade_configs", index++);
    const std::string type = Lower(upgrade.GetText("upgrade_type"));
    if (!types.insert(type).second) {
      context.Add("XDS-V044", place,
                  fmt::format("\"{}\" is the type of another upgrade too", upgrade.GetText("upgrade_type")));
    }
    if (Has(upgrade, "connect_config") && type != "connect" && type != "connect-udp") {
      context.Add("XDS-V044", place, "a connect_config is for CONNECT");
    }
  }
}

// ---- Regular expressions. [XDS-V054]

// Returns what is wrong with an expression, without the part of it that RE2 shows: it may be a secret.
std::string FlawOf(const RE2& expression) {
  std::string_view error = expression.error();
  if (error.ends_with(expression.error_arg())) error.remove_suffix(expression.error_arg().size());
  while (error.ends_with(' ') || error.ends_with(':')) error.remove_suffix(1);
  return std::string(error);
}

void CheckRegex(const Visited& at, Context& context) {
  const std::string regex(at.message.GetText("regex"));
  const RE2 expression(regex, RE2::Quiet);
  if (expression.ok()) return;
  const Place place = At(at, "regex");
  finding::Finding* const finding =
      context.Add("XDS-V054", place, fmt::format("is no regular expression of RE2: {}", FlawOf(expression)));
  if (finding == nullptr) return;
  if (const std::optional<wire::Value> value = at.message.Get("regex")) {
    finding->value = context.report.Shown(place, *value);
  }
}

// A substitution names groups of its pattern; RE2 leaves those empty that there are not.
void CheckSubstitution(const Visited& at, Context& context) {
  const std::optional<View> pattern = MessageIn(at.message, "pattern");
  if (!pattern) return;
  const RE2 expression(std::string(pattern->GetText("regex")), RE2::Quiet);
  const std::string_view substitution = at.message.GetText("substitution");
  std::string error;
  if (!expression.ok() ||
      expression.CheckRewriteString(re2::StringPiece(substitution.data(), substitution.size()), &error)) {
    return;
  }
  finding::Finding* const finding = context.Add("XDS-V054", At(at, "substitution"), error);
  if (finding != nullptr) finding->severity = finding::Severity::kWarning;
}

// ---- Format strings. [XDS-V063]

// Reports the flaw of a format string at a place; `below` is the path from there to it.
void CheckFormat(std::string_view format, Commands commands, const Place& place, const finding::Path& below,
                 Context& context) {
  const std::optional<std::string> flaw = FlawOfFormat(format, commands);
  if (!flaw) return;
  finding::Finding* const finding =
      context.Add("XDS-V063", place, fmt::format("is no format string of Envoy: {}", *flaw));
  if (finding != nullptr) finding->path.Append(below);
}

// The texts of a JSON format, in lists and objects too.
void CheckJsonFormat(const View& structure, Commands commands, const Place& place, Context& context) {
  encode::Visit(structure, context.types, [&](const Visited& at) {
    if (at.message.type().well_known() == wire::WellKnown::kValue && Has(at.message, "string_value")) {
      CheckFormat(at.message.GetText("string_value"), commands, place, encode::PathTo(at), context);
    }
    return true;
  });
}

void CheckSubstitutionFormat(const Visited& at, Context& context) {
  const Commands commands = ListOf(at.message, "formatters").empty() ? Commands::kBuiltIn : Commands::kAny;
  CheckFormat(at.message.GetText("text_format"), commands, At(at, "text_format"), {}, context);
  if (const std::optional<View> source = MessageIn(at.message, "text_format_source")) {
    CheckFormat(source->GetText("inline_string"), commands, At(at, "text_format_source"),
                finding::Path().AddField("inline_string"), context);
  }
  if (const std::optional<View> json = MessageIn(at.message, "json_format")) {
    CheckJsonFormat(*json, commands, At(at, "json_format"), context);
  }
}

// ---- JWT. [XDS-V211]

// The providers that a requirement names, in lists of requirements too.
void CheckProviders(const Visited& at, Context& context) {
  std::set<std::string> providers;
  for (const wire::Present& present : at.fields->known()) {
    if (present.field->name != "providers") continue;
    for (const wire::MapEntry& entry : wire::SortedMap(present)) providers.emplace(entry.key.AsText());
  }
  encode::Visit(at.message, context.types, [&](const Visited& below) {
    const std::string_view name = below.message.GetText("provider_name");
    if (name.empty() || providers.contains(std::string(name))) return true;
    finding::Finding* const finding = context.Add("XDS-V211", {at}, fmt::format("there is no provider \"{}\"", name));
    if (finding != nullptr) finding->path.Append(encode::PathTo(below)).AddField("provider_name");
    return true;
  });
}

// ---- Headers of routes. [XDS-V053, V063]

bool IsUntouchable(std::string_view header) {
  return header.starts_with(':') || Lower(header) == "host";
}

void CheckAddedHeaders(const Visited& at, std::string_view field, Context& context) {
  std::size_t index = 0;
  for (const View& option : MessagesIn(at.message, field)) {
    const Place place = At(at, field, index++);
    const std::optional<View> header = MessageIn(option, "header");
    if (!header) continue;
    const finding::Path below = finding::Path().AddField("header");
    if (IsUntouchable(header->GetText("key"))) {
      finding::Finding* const finding =
          context.Add("XDS-V053", place, fmt::format("the header {} may not be modified", header->GetText("key")));
      if (finding != nullptr) finding->path.Append(below).AddField("key");
    }
    CheckFormat(header->GetText("value"), Commands::kBuiltIn, place, finding::Path(below).AddField("value"), context);
  }
}

void CheckRemovedHeaders(const Visited& at, std::string_view field, Context& context) {
  std::size_t index = 0;
  for (const std::string_view header : TextsIn(at.message, field)) {
    const Place place = At(at, field, index++);
    if (IsUntouchable(header)) {
      context.Add("XDS-V053", place, fmt::format("the header {} may not be removed", header));
    }
  }
}

void CheckHeaders(const Visited& at, Context& context) {
  CheckAddedHeaders(at, "request_headers_to_add", context);
  CheckAddedHeaders(at, "response_headers_to_add", context);
  CheckRemovedHeaders(at, "request_headers_to_remove", context);
  CheckRemovedHeaders(at, "response_headers_to_remove", context);
}

constexpr std::string_view kManager[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"};
constexpr std::string_view kUpgrading[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    "envoy.config.route.v3.RouteAction"};
constexpr std::string_view kRegex[] = {"envoy.type.matcher.v3.RegexMatcher"};
constexpr std::string_view kSubstitution[] = {"envoy.type.matcher.v3.RegexMatchAndSubstitute"};
constexpr std::string_view kFormat[] = {"envoy.config.core.v3.SubstitutionFormatString"};
constexpr std::string_view kWithHeaders[] = {
    "envoy.config.route.v3.Route",
    "envoy.config.route.v3.RouteConfiguration",
    "envoy.config.route.v3.VirtualHost",
    "envoy.config.route.v3.WeightedCluster.ClusterWeight",
};
constexpr std::string_view kJwt[] = {"envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication"};
constexpr std::string_view kJwtReads[] = {
    "envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication.providers",
    "envoy.extensions.filters.http.jwt_authn.v3.JwtRequirement.provider_name",
    "envoy.extensions.filters.http.jwt_authn.v3.ProviderWithAudiences.provider_name",
};
// A name is one literal, however long it is.
// clang-format off
constexpr std::string_view kManagerReads[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.access_log_flush_interval",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.access_log_options",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.codec_type",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.common_http_protocol_options",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.flush_access_log_on_new_request",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.original_ip_detection_extensions",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.strip_any_host_port",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.strip_matching_host_port",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.use_remote_address",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.xff_num_trusted_hops",
    "envoy.config.core.v3.HttpProtocolOptions.max_response_headers_kb",
    "envoy.config.listener.v3.Listener.udp_listener_config",
    "envoy.config.listener.v3.UdpListenerConfig.quic_options",
};
// clang-format on
constexpr std::string_view kUpgradeReads[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.UpgradeConfig.upgrade_type",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.upgrade_configs",
    "envoy.config.route.v3.RouteAction.UpgradeConfig.connect_config",
    "envoy.config.route.v3.RouteAction.UpgradeConfig.upgrade_type",
    "envoy.config.route.v3.RouteAction.upgrade_configs",
};
constexpr std::string_view kRegexReads[] = {
    "envoy.type.matcher.v3.RegexMatchAndSubstitute.pattern",
    "envoy.type.matcher.v3.RegexMatchAndSubstitute.substitution",
    "envoy.type.matcher.v3.RegexMatcher.regex",
};
constexpr std::string_view kFormatReads[] = {
    "envoy.config.core.v3.DataSource.inline_string",
    "envoy.config.core.v3.SubstitutionFormatString.formatters",
    "envoy.config.core.v3.SubstitutionFormatString.json_format",
    "envoy.config.core.v3.SubstitutionFormatString.text_format",
    "envoy.config.core.v3.SubstitutionFormatString.text_format_source",
};
constexpr std::string_view kHeaderReads[] = {
    "envoy.config.core.v3.HeaderValue.key",
    "envoy.config.core.v3.HeaderValue.value",
    "envoy.config.core.v3.HeaderValueOption.header",
    "envoy.config.route.v3.Route.request_headers_to_add",
    "envoy.config.route.v3.Route.request_headers_to_remove",
    "envoy.config.route.v3.Route.response_headers_to_add",
    "envoy.config.route.v3.Route.response_headers_to_remove",
};

constexpr std::array kChecks = {
    Check{"XDS-V042", kManager, kManagerReads, CheckOptions},
    Check{"XDS-V043", kManager, kManagerReads, CheckCodec},
    Check{"XDS-V044", kUpgrading, kUpgradeReads, CheckUpgrades},
    Check{"XDS-V053", kWithHeaders, kHeaderReads, CheckHeaders},
    Check{"XDS-V054", kRegex, kRegexReads, CheckRegex},
    Check{"XDS-V054", kSubstitution, kRegexReads, CheckSubstitution},
    Check{"XDS-V063", kFormat, kFormatReads, CheckSubstitutionFormat},
    Check{"XDS-V211", kJwt, kJwtReads, CheckProviders},
};

}  // namespace

std::span<const Check> HttpChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
