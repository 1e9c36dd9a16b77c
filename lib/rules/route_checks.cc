// Route configurations: virtual hosts, routes, weights, rewrites, per-filter configuration.
// [reference/validation.md 2.3]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "lib/base/status.h"
#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

// ---- Route configurations. [XDS-V045, V055, V058]

// Domains are compared in small letters, through all virtual hosts of a configuration.
void CheckDomains(const Visited& at, Context& context) {
  std::set<std::string> domains;
  std::set<std::string_view> names;
  std::size_t host_index = 0;
  for (const View& host : MessagesIn(at.message, "virtual_hosts")) {
    const Place place = At(at, "virtual_hosts", host_index++);
    std::size_t index = 0;
    for (const std::string_view domain : TextsIn(host, "domains")) {
      const bool is_new = domains.insert(absl::AsciiStrToLower(base::ToAbsl(domain))).second;
      finding::Finding* const finding =
          is_new ? nullptr : context.Add("XDS-V045", place, fmt::format("the domain {} stands here twice", domain));
      if (finding != nullptr) finding->path.AddField("domains").AddIndex(index);
      ++index;
    }
    if (const std::string_view name = host.GetText("name"); !name.empty() && !names.insert(name).second) {
      finding::Finding* const finding =
          context.Add("XDS-V045", place, fmt::format("\"{}\" is the name of another virtual host too", name));
      if (finding != nullptr) finding->severity = finding::Severity::kWarning;
    }
  }
}

// gRPC takes "*", "*SUFFIX", "PREFIX*" and plain names. [XDS-V046]
void CheckPatterns(const Visited& at, Context& context) {
  std::size_t index = 0;
  for (const std::string_view domain : TextsIn(at.message, "domains")) {
    const std::size_t star = domain.find('*');
    const bool odd = star != std::string_view::npos &&
                     (domain.find('*', star + 1) != std::string_view::npos || (star != 0 && star + 1 != domain.size()));
    if (odd) {
      context.Add("XDS-V046", At(at, "domains", index),
                  fmt::format("\"{}\" has a wildcard that is not its first or last character alone", domain));
    }
    ++index;
  }
}

std::size_t InlineSize(const View& data_source) {
  return std::max(data_source.GetText("inline_string").size(), data_source.GetText("inline_bytes").size());
}

// Calls `each` for every route of a configuration, with the path from the configuration.
template <typename Each>
void ForEachRoute(const Visited& at, const Each& each) {
  std::size_t host_index = 0;
  for (const View& host : MessagesIn(at.message, "virtual_hosts")) {
    const Place place = At(at, "virtual_hosts", host_index++);
    std::size_t index = 0;
    for (const View& route : MessagesIn(host, "routes")) {
      each(route, place, finding::Path().AddField("routes").AddIndex(index++));
    }
  }
}

void CheckBodies(const Visited& at, Context& context) {
  constexpr std::size_t kUsual = 4096;
  const std::size_t most = NumberIn(at.message, "max_direct_response_body_size_bytes").value_or(kUsual);
  ForEachRoute(at, [&](const View& route, const Place& place, finding::Path below) {
    const std::optional<View> response = MessageIn(route, "direct_response");
    const std::optional<View> body = response ? MessageIn(*response, "body") : std::nullopt;
    if (!body || InlineSize(*body) <= most) return;
    finding::Finding* const finding =
        context.Add("XDS-V055", place, fmt::format("the body has {} bytes, and may have {}", InlineSize(*body), most));
    if (finding == nullptr) return;
    finding->path.Append(below.AddField("direct_response").AddField("body"));
    finding->help = "raise max_direct_response_body_size_bytes of the route configuration";
  });
}

void CheckPlugins(const Visited& at, Context& context) {
  std::set<std::string_view> declared;
  for (const View& plugin : MessagesIn(at.message, "cluster_specifier_plugins")) {
    if (const std::optional<View> extension = MessageIn(plugin, "extension")) {
      declared.insert(extension->GetText("name"));
    }
  }
  ForEachRoute(at, [&](const View& route, const Place& place, finding::Path below) {
    const std::optional<View> action = MessageIn(route, "route");
    const std::string_view name = action ? action->GetText("cluster_specifier_plugin") : std::string_view();
    if (name.empty() || declared.contains(name)) return;
    finding::Finding* const finding =
        context.Add("XDS-V058", place, fmt::format("\"{}\" is none of the cluster_specifier_plugins", name));
    if (finding != nullptr) finding->path.Append(below.AddField("route").AddField("cluster_specifier_plugin"));
  });
}

// ---- Virtual hosts. [XDS-V047]

void CheckHost(const Visited& at, Context& context) {
  if (Has(at.message, "matcher") && !ListOf(at.message, "routes").empty()) {
    context.Add("XDS-V047", At(at, "matcher"), "matcher and routes exclude each other");
  }
  std::size_t index = 0;
  for (const View& cluster : MessagesIn(at.message, "virtual_clusters")) {
    if (ListOf(cluster, "headers").empty()) {
      context.Add("XDS-V047", At(at, "virtual_clusters", index), "a virtual cluster has headers");
    }
    ++index;
  }
}

// ---- Routes. [XDS-V048 to V050, V052, V060]

// Returns the variables of a URI template: "{id}", "{path=**}".
std::set<std::string> VariablesOf(std::string_view uri_template) {
  std::set<std::string> variables;
  for (std::size_t open = uri_template.find('{'); open != std::string_view::npos;
       open = uri_template.find('{', open + 1)) {
    const std::size_t end = uri_template.find_first_of("=}", open);
    if (end == std::string_view::npos) break;
    variables.emplace(uri_template.substr(open + 1, end - open - 1));
  }
  return variables;
}

constexpr std::string_view kTemplateMatch = "envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig";
constexpr std::string_view kTemplateRewrite = "envoy.extensions.path.rewrite.uri_template.v3.UriTemplateRewriteConfig";

// Returns a text of the message in an extension's Any; empty where that is of another type.
std::string TextOfExtension(const View& extension, std::string_view type, std::string_view field, wire::Types& types) {
  const std::optional<View> config = MessageIn(extension, "typed_config");
  if (!config || TypeInAny(*config, types) != type) return {};
  const absl::StatusOr<wire::Message> opened = wire::Open(*config, types);
  return opened.ok() ? std::string(opened->view().GetText(field)) : std::string();
}

void CheckTemplates(const Visited& at, const View& rewrite, const std::optional<View>& match, Context& context) {
  const std::string to = TextOfExtension(rewrite, kTemplateRewrite, "path_template_rewrite", context.types);
  if (to.empty()) return;
  const auto add = [&](std::string message) {
    finding::Finding* const finding = context.Add("XDS-V048", At(at, "route"), std::move(message));
    if (finding != nullptr) finding->path.AddField("path_rewrite_policy");
  };
  const std::string from =
      match ? TextOfExtension(*match, kTemplateMatch, "path_template", context.types) : std::string();
  if (from.empty()) return add("a URI template rewrites what a URI template has matched");
  const std::set<std::string> bound = VariablesOf(from);
  for (const std::string& variable : VariablesOf(to)) {
    if (!bound.contains(variable)) add(fmt::format("the match binds no variable {}", variable));
  }
}

constexpr std::string_view kRewrites[] = {"prefix_rewrite", "regex_rewrite", "path_rewrite_policy"};

void CheckRewrites(const Visited& at, Context& context) {
  const std::optional<View> action = MessageIn(at.message, "route");
  if (!action) return;
  const auto rewrites = std::count_if(std::begin(kRewrites), std::end(kRewrites), [&](std::string_view field) {
    const std::optional<wire::Value> value = action->Get(field);
    return value && (value->field->has_presence || !value->IsDefault());
  });
  if (rewrites > 1) {
    context.Add("XDS-V048", At(at, "route"),
                "prefix_rewrite, regex_rewrite and path_rewrite_policy exclude each other");
  }
  const std::optional<View> match = MessageIn(at.message, "match");
  const std::optional<View> policy = match ? MessageIn(*match, "path_match_policy") : std::nullopt;
  if (policy && !action->GetText("prefix_rewrite").empty()) {
    finding::Finding* const finding =
        context.Add("XDS-V048", At(at, "route"), "a prefix_rewrite needs a prefix, and not a path_match_policy");
    if (finding != nullptr) finding->path.AddField("prefix_rewrite");
  }
  if (const std::optional<View> rewrite = MessageIn(*action, "path_rewrite_policy")) {
    CheckTemplates(at, *rewrite, policy, context);
  }
}

// A cluster is named by itself or by a header, and so is a mirror.
void CheckNamed(const Visited& at, std::string_view name_field, Context& context) {
  const bool name = !at.message.GetText(name_field).empty();
  const bool header = !at.message.GetText("cluster_header").empty();
  if (name && header)
    context.Add("XDS-V049", {at}, fmt::format("{} and cluster_header exclude each other", name_field));
  if (!name && !header) context.Add("XDS-V049", {at}, fmt::format("needs {} or cluster_header", name_field));
}

void CheckMirror(const Visited& at, Context& context) {
  CheckNamed(at, "cluster", context);
}

void CheckWeightedName(const Visited& at, Context& context) {
  CheckNamed(at, "name", context);
}

void CheckWeights(const Visited& at, Context& context) {
  absl::uint128 sum = 0;
  const std::vector<View> clusters = MessagesIn(at.message, "clusters");
  for (const View& cluster : clusters) sum += NumberIn(cluster, "weight").value_or(0);
  if (clusters.empty() || (sum > 0 && sum <= std::numeric_limits<std::uint32_t>::max())) return;
  context.Add("XDS-V050", At(at, "clusters"),
              sum == 0 ? "the weights add up to 0" : "the weights add up to more than 4294967295");
}

// Returns a duration in nanoseconds; nullopt when it is not set.
std::optional<absl::int128> NanosIn(const View& view, std::string_view field) {
  const std::optional<View> duration = MessageIn(view, field);
  if (!duration) return std::nullopt;
  const auto number = [&](std::string_view part) -> absl::int128 {
    const std::optional<wire::Value> value = duration->Get(part);
    return value ? value->AsInt() : 0;
  };
  return number("seconds") * 1'000'000'000 + number("nanos");
}

void CheckBackOff(const Visited& at, Context& context) {
  const auto base = NanosIn(at.message, "base_interval");
  const auto most = NanosIn(at.message, "max_interval");
  if (base && most && *most < *base) {
    context.Add("XDS-V052", At(at, "max_interval"), "max_interval is less than base_interval");
  }
}

void CheckTimeouts(const Visited& at, Context& context) {
  const auto timeout = NanosIn(at.message, "timeout");
  const std::optional<View> retries = MessageIn(at.message, "retry_policy");
  const auto per_try = retries ? NanosIn(*retries, "per_try_timeout") : std::nullopt;
  if (!timeout || *timeout == 0 || !per_try || *per_try <= *timeout) return;
  finding::Finding* const finding =
      context.Add("XDS-V060", At(at, "retry_policy"), "per_try_timeout is more than the timeout of the whole");
  if (finding != nullptr) finding->path.AddField("per_try_timeout");
}

// ---- Configuration per filter. [XDS-V056]

// Filters that have none.
constexpr std::string_view kNoRouteForm[] = {
    "envoy.extensions.filters.http.adaptive_concurrency.v3.AdaptiveConcurrency",
    "envoy.extensions.filters.http.decompressor.v3.Decompressor",
    "envoy.extensions.filters.http.grpc_http1_bridge.v3.Config",
    "envoy.extensions.filters.http.grpc_web.v3.GrpcWeb",
    "envoy.extensions.filters.http.health_check.v3.HealthCheck",
    "envoy.extensions.filters.http.router.v3.Router",
    "envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec",
};

// Tells whether a filter has another type for routes: BufferPerRoute for Buffer.
bool HasOtherForm(std::string_view type, wire::Types& types) {
  return types.Find(std::string(type) + "PerRoute") != nullptr;
}

void CheckPerFilter(const Visited& at, Context& context) {
  const wire::Field* const field = at.message.type().Find("typed_per_filter_config");
  for (const wire::Present& present : at.fields->known()) {
    if (present.field != field) continue;
    for (const wire::MapEntry& entry : wire::SortedMap(present)) {
      const Place place = {at, field, std::nullopt, &entry.key};
      const std::string_view type = TypeInAny(entry.value.AsMessage(), context.types);
      if (std::find(std::begin(kNoRouteForm), std::end(kNoRouteForm), type) != std::end(kNoRouteForm)) {
        context.Add("XDS-V056", place, fmt::format("{} has no form for routes", type));
      } else if (type.starts_with("envoy.extensions.filters.http.") && HasOtherForm(type, context.types)) {
        context.Add("XDS-V056", place, fmt::format("{} is for the whole; for routes there is {}PerRoute", type, type));
      }
    }
  }
}

void CheckFilterConfig(const Visited& at, Context& context) {
  if (!Has(at.message, "config") && !IsOn(at.message, "disabled")) {
    context.Add("XDS-V056", {at}, "has no config and does not turn the filter off");
  }
}

constexpr std::string_view kRouteConfiguration[] = {"envoy.config.route.v3.RouteConfiguration"};
constexpr std::string_view kVirtualHost[] = {"envoy.config.route.v3.VirtualHost"};
constexpr std::string_view kRoute[] = {"envoy.config.route.v3.Route"};
constexpr std::string_view kRouteAction[] = {"envoy.config.route.v3.RouteAction"};
constexpr std::string_view kMirror[] = {"envoy.config.route.v3.RouteAction.RequestMirrorPolicy"};
constexpr std::string_view kWeighted[] = {"envoy.config.route.v3.WeightedCluster"};
constexpr std::string_view kWeight[] = {"envoy.config.route.v3.WeightedCluster.ClusterWeight"};
constexpr std::string_view kBackOff[] = {"envoy.config.route.v3.RetryPolicy.RetryBackOff"};
constexpr std::string_view kFilterConfig[] = {"envoy.config.route.v3.FilterConfig"};
constexpr std::string_view kPerFilter[] = {
    "envoy.config.route.v3.Route",
    "envoy.config.route.v3.RouteConfiguration",
    "envoy.config.route.v3.VirtualHost",
    "envoy.config.route.v3.WeightedCluster.ClusterWeight",
};

constexpr std::string_view kConfigurationReads[] = {
    "envoy.config.core.v3.DataSource.inline_bytes",
    "envoy.config.core.v3.DataSource.inline_string",
    "envoy.config.core.v3.TypedExtensionConfig.name",
    "envoy.config.route.v3.ClusterSpecifierPlugin.extension",
    "envoy.config.route.v3.DirectResponseAction.body",
    "envoy.config.route.v3.Route.direct_response",
    "envoy.config.route.v3.Route.route",
    "envoy.config.route.v3.RouteAction.cluster_specifier_plugin",
    "envoy.config.route.v3.RouteConfiguration.cluster_specifier_plugins",
    "envoy.config.route.v3.RouteConfiguration.max_direct_response_body_size_bytes",
    "envoy.config.route.v3.RouteConfiguration.virtual_hosts",
    "envoy.config.route.v3.VirtualHost.domains",
    "envoy.config.route.v3.VirtualHost.name",
    "envoy.config.route.v3.VirtualHost.routes",
};
constexpr std::string_view kHostReads[] = {
    "envoy.config.route.v3.VirtualCluster.headers",       "envoy.config.route.v3.VirtualHost.domains",
    "envoy.config.route.v3.VirtualHost.matcher",          "envoy.config.route.v3.VirtualHost.routes",
    "envoy.config.route.v3.VirtualHost.virtual_clusters",
};
constexpr std::string_view kRouteReads[] = {
    "envoy.config.core.v3.TypedExtensionConfig.typed_config",
    "envoy.config.route.v3.Route.match",
    "envoy.config.route.v3.Route.route",
    "envoy.config.route.v3.RouteAction.path_rewrite_policy",
    "envoy.config.route.v3.RouteAction.prefix_rewrite",
    "envoy.config.route.v3.RouteAction.regex_rewrite",
    "envoy.config.route.v3.RouteMatch.path_match_policy",
    "envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig.path_template",
    "envoy.extensions.path.rewrite.uri_template.v3.UriTemplateRewriteConfig.path_template_rewrite",
};
constexpr std::string_view kClusterReads[] = {
    "envoy.config.route.v3.RouteAction.RequestMirrorPolicy.cluster",
    "envoy.config.route.v3.RouteAction.RequestMirrorPolicy.cluster_header",
    "envoy.config.route.v3.WeightedCluster.ClusterWeight.cluster_header",
    "envoy.config.route.v3.WeightedCluster.ClusterWeight.name",
    "envoy.config.route.v3.WeightedCluster.ClusterWeight.weight",
    "envoy.config.route.v3.WeightedCluster.clusters",
};
constexpr std::string_view kTimeReads[] = {
    "envoy.config.route.v3.RetryPolicy.RetryBackOff.base_interval",
    "envoy.config.route.v3.RetryPolicy.RetryBackOff.max_interval",
    "envoy.config.route.v3.RetryPolicy.per_try_timeout",
    "envoy.config.route.v3.RouteAction.retry_policy",
    "envoy.config.route.v3.RouteAction.timeout",
};
constexpr std::string_view kFilterReads[] = {
    "envoy.config.route.v3.FilterConfig.config",
    "envoy.config.route.v3.FilterConfig.disabled",
    "envoy.config.route.v3.Route.typed_per_filter_config",
};

constexpr std::array kChecks = {
    Check{"XDS-V045", kRouteConfiguration, kConfigurationReads, CheckDomains},
    Check{"XDS-V046", kVirtualHost, kHostReads, CheckPatterns},
    Check{"XDS-V047", kVirtualHost, kHostReads, CheckHost},
    Check{"XDS-V048", kRoute, kRouteReads, CheckRewrites},
    Check{"XDS-V049", kMirror, kClusterReads, CheckMirror},
    Check{"XDS-V049", kWeight, kClusterReads, CheckWeightedName},
    Check{"XDS-V050", kWeighted, kClusterReads, CheckWeights},
    Check{"XDS-V052", kBackOff, kTimeReads, CheckBackOff},
    Check{"XDS-V055", kRouteConfiguration, kConfigurationReads, CheckBodies},
    Check{"XDS-V056", kFilterConfig, kFilterReads, CheckFilterConfig},
    Check{"XDS-V056", kPerFilter, kFilterReads, CheckPerFilter},
    Check{"XDS-V058", kRouteConfiguration, kConfigurationReads, CheckPlugins},
    Check{"XDS-V060", kRouteAction, kTimeReads, CheckTimeouts},
};

}  // namespace

std::span<const Check> RouteChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
