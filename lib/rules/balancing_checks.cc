// How clusters balance load: policies, subsets, rings and tables. [reference/validation.md 2.4 XDS-V074 to V077; 2.10]
#include <fmt/format.h>

#include <array>

#include "lib/rules/check.h"
#include "lib/rules/cluster_source.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

// Of Cluster.LbPolicy.
constexpr std::uint64_t kRingHash = 2;
constexpr std::uint64_t kMaglev = 5;
constexpr std::uint64_t kClusterProvided = 6;
constexpr std::uint64_t kPolicyConfig = 7;

constexpr std::string_view kProvidedPolicy =
    "envoy.extensions.load_balancing_policies.cluster_provided.v3.ClusterProvided";

// ---- Load balancing. [XDS-V074 to V077]

bool IsKnown(std::string_view type, wire::Types& types) {
  return !type.empty() && types.Find(type) != nullptr;
}

// Returns the type of the policy that Envoy takes from the list: the first one that it knows. Empty: none.
std::string_view ChosenPolicy(const View& policy, wire::Types& types) {
  for (const View& entry : MessagesIn(policy, "policies")) {
    const std::optional<View> extension = MessageIn(entry, "typed_extension_config");
    const std::string_view type = extension ? TypeOfExtension(*extension, types) : std::string_view();
    if (IsKnown(type, types)) return type;
  }
  return {};
}

void CheckProvided(const Visited& at, Context& context) {
  const Source source = SourceOf(at.message, context.types);
  if (source == Source::kOther) return;
  const std::optional<View> policy = MessageIn(at.message, "load_balancing_policy");
  const bool by_enum = NumberIn(at.message, "lb_policy").value_or(0) == kClusterProvided;
  if (source == Source::kOriginalDst && !by_enum) return;  // that is XDS-V073
  const std::string_view chosen = policy ? ChosenPolicy(*policy, context.types) : std::string_view();
  if (policy && chosen.empty()) return;  // that is XDS-V075
  const bool provided = policy ? chosen == kProvidedPolicy : by_enum;
  const bool provides = source == Source::kProvider || source == Source::kOriginalDst;
  if (provided == provides) return;
  const std::string_view field = policy                         ? "load_balancing_policy"
                                 : Has(at.message, "lb_policy") ? "lb_policy"
                                                                : "cluster_type";
  context.Add("XDS-V074", At(at, field),
              provides ? "a cluster of this type balances load itself: its lb_policy is CLUSTER_PROVIDED"
                       : "CLUSTER_PROVIDED is for types of clusters that balance load themselves");
}

constexpr std::string_view kPartialFields[] = {"zone_aware_lb_config", "locality_weighted_lb_config",
                                               "consistent_hashing_lb_config"};

void CheckPolicyFields(const Visited& at, Context& context) {
  const std::uint64_t by_enum = NumberIn(at.message, "lb_policy").value_or(0);
  const bool subset = Has(at.message, "lb_subset_config");
  const std::optional<View> common = MessageIn(at.message, "common_lb_config");
  if (Has(at.message, "load_balancing_policy")) {
    if (subset) {
      context.Add("XDS-V075", At(at, "lb_subset_config"), "load_balancing_policy leaves no room for lb_subset_config");
    }
    for (const std::string_view field : kPartialFields) {
      if (!common || !Has(*common, field)) continue;
      finding::Finding* const finding =
          context.Add("XDS-V075", At(at, "common_lb_config"),
                      fmt::format("load_balancing_policy leaves no room for {}: it belongs into the policy", field));
      if (finding != nullptr) finding->path.AddField(field);
    }
  } else if (by_enum == kPolicyConfig) {
    context.Add("XDS-V075", At(at, "lb_policy"), "LOAD_BALANCING_POLICY_CONFIG needs a load_balancing_policy");
  } else if (by_enum == kClusterProvided && subset) {
    context.Add("XDS-V075", At(at, "lb_subset_config"), "CLUSTER_PROVIDED leaves no room for lb_subset_config");
  }
}

void CheckPolicies(const Visited& at, Context& context) {
  if (!ChosenPolicy(at.message, context.types).empty()) return;
  const bool empty = MessagesIn(at.message, "policies").empty();
  context.Add("XDS-V075", At(at, "policies"), empty ? "has no policy" : "has no policy of a known type");
}

void CheckSubsets(const Visited& at, Context& context) {
  const std::optional<View> subset = MessageIn(at.message, "lb_subset_config");
  if (!subset || !IsOn(*subset, "locality_weight_aware")) return;
  const std::optional<View> common = MessageIn(at.message, "common_lb_config");
  if (common && Has(*common, "locality_weighted_lb_config")) return;
  finding::Finding* const finding =
      context.Add("XDS-V076", At(at, "lb_subset_config"),
                  "locality_weight_aware needs a locality_weighted_lb_config in common_lb_config");
  if (finding != nullptr) finding->path.AddField("locality_weight_aware");
}

// What Envoy takes for prime: it has no opinion about numbers below 4.
bool IsPrime(std::uint64_t number) {
  if (number < 4) return true;
  if (number % 2 == 0) return false;
  for (std::uint64_t factor = 3; factor * factor <= number; factor += 2) {
    if (number % factor == 0) return false;
  }
  return true;
}

// `maglev`: what the place has, or its field `below`.
void CheckTable(const View& maglev, const Place& place, Context& context) {
  constexpr std::uint64_t kMostOfPgv = 5000011;
  const std::optional<std::uint64_t> size = NumberIn(maglev, "table_size");
  if (!size || *size > kMostOfPgv || IsPrime(*size)) return;
  finding::Finding* const finding =
      context.Add("XDS-V077", place, fmt::format("{} is no prime number, as the table_size of maglev must be", *size));
  if (finding != nullptr) finding->path.AddField("table_size");
}

void CheckRing(const View& ring, const Place& place, Context& context) {
  constexpr std::uint64_t kMinimum = 1024;
  constexpr std::uint64_t kMaximum = 8388608;
  const std::optional<std::uint64_t> minimum = NumberIn(ring, "minimum_ring_size");
  const std::optional<std::uint64_t> maximum = NumberIn(ring, "maximum_ring_size");
  if (minimum.value_or(kMinimum) <= maximum.value_or(kMaximum)) return;
  finding::Finding* const finding =
      context.Add("XDS-V077", place,
                  fmt::format("minimum_ring_size is {}{}, and maximum_ring_size is {}{}", minimum.value_or(kMinimum),
                              minimum ? "" : " by default", maximum.value_or(kMaximum), maximum ? "" : " by default"));
  if (finding != nullptr) finding->path.AddField(maximum ? "maximum_ring_size" : "minimum_ring_size");
}

// The configuration of a policy in the cluster, which counts where that policy is chosen.
void CheckHashing(const Visited& at, Context& context) {
  if (Has(at.message, "load_balancing_policy")) return;
  const std::uint64_t policy = NumberIn(at.message, "lb_policy").value_or(0);
  const std::optional<View> maglev = MessageIn(at.message, "maglev_lb_config");
  if (maglev && policy == kMaglev) CheckTable(*maglev, At(at, "maglev_lb_config"), context);
  const std::optional<View> ring = MessageIn(at.message, "ring_hash_lb_config");
  if (ring && policy == kRingHash) CheckRing(*ring, At(at, "ring_hash_lb_config"), context);
}

void CheckMaglev(const Visited& at, Context& context) {
  CheckTable(at.message, {at}, context);
}

void CheckRingHash(const Visited& at, Context& context) {
  CheckRing(at.message, {at}, context);
}

// ---- The table.

constexpr std::string_view kCluster[] = {"envoy.config.cluster.v3.Cluster"};
constexpr std::string_view kPolicy[] = {"envoy.config.cluster.v3.LoadBalancingPolicy"};
constexpr std::string_view kMaglevPolicy[] = {"envoy.extensions.load_balancing_policies.maglev.v3.Maglev"};
constexpr std::string_view kRingPolicy[] = {"envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash"};
constexpr std::string_view kBalancingReads[] = {
    "envoy.config.cluster.v3.Cluster.cluster_type",
    "envoy.config.cluster.v3.Cluster.common_lb_config",
    "envoy.config.cluster.v3.Cluster.lb_policy",
    "envoy.config.cluster.v3.Cluster.lb_subset_config",
    "envoy.config.cluster.v3.Cluster.load_balancing_policy",
    "envoy.config.cluster.v3.Cluster.maglev_lb_config",
    "envoy.config.cluster.v3.Cluster.ring_hash_lb_config",
    "envoy.config.cluster.v3.Cluster.type",
    "envoy.config.cluster.v3.Cluster.CommonLbConfig.locality_weighted_lb_config",
    "envoy.config.cluster.v3.Cluster.LbSubsetConfig.locality_weight_aware",
    "envoy.config.cluster.v3.LoadBalancingPolicy.policies",
    "envoy.config.cluster.v3.LoadBalancingPolicy.Policy.typed_extension_config",
};
constexpr std::string_view kMaglevReads[] = {"envoy.extensions.load_balancing_policies.maglev.v3.Maglev.table_size"};
constexpr std::string_view kRingReads[] = {
    "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash.maximum_ring_size",
    "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash.minimum_ring_size",
};

constexpr std::array kChecks = {
    Check{"XDS-V074", kCluster, kBalancingReads, CheckProvided},
    Check{"XDS-V075", kCluster, kBalancingReads, CheckPolicyFields},
    Check{"XDS-V075", kPolicy, kBalancingReads, CheckPolicies},
    Check{"XDS-V076", kCluster, kBalancingReads, CheckSubsets},
    Check{"XDS-V077", kCluster, kBalancingReads, CheckHashing},
    Check{"XDS-V077", kMaglevPolicy, kMaglevReads, CheckMaglev},
    Check{"XDS-V077", kRingPolicy, kRingReads, CheckRingHash},
};

}  // namespace

std::span<const Check> BalancingChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
