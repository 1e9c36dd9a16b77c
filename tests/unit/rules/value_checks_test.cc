#include <gmock/gmock.h>

#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::IsEmpty;

constexpr std::string_view kBootstrap = "type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap";

const Example kExamples[] = {
    {"XDS-V012", fake::kCds, "common_lb_config: {healthy_panic_threshold: {value: NaN}}",
     "common_lb_config.healthy_panic_threshold.value: value is no finite number",
     "common_lb_config: {healthy_panic_threshold: {value: 1}}"},
    {"XDS-V012", fake::kCds, "common_lb_config: {update_merge_window: -0.5s}",
     "common_lb_config.update_merge_window: update_merge_window is negative",
     "common_lb_config: {update_merge_window: 0s}"},
    {"XDS-V007", kBootstrap, "static_resources: {clusters: [{name: a}, {name: b}, {name: a}]}",
     "static_resources.clusters[2]: \"a\" is the name of another cluster too",
     "static_resources: {clusters: [{name: a}, {name: b}]}"},
    {"XDS-V087", kBootstrap, "static_resources: {clusters: [{name: a}, {name: b, alt_stat_name: a}]}",
     "static_resources.clusters[1]: the statistics of another cluster have the name \"a\" too",
     "static_resources: {clusters: [{name: a, alt_stat_name: b}, {name: b, alt_stat_name: a}]}"},
    {"XDS-V095", kBootstrap, "{cluster_manager: {local_cluster_name: me}, static_resources: {clusters: [{name: a}]}}",
     "cluster_manager.local_cluster_name: the local cluster \"me\" is none of the static clusters",
     "{cluster_manager: {local_cluster_name: a}, static_resources: {clusters: [{name: a}]}}"},
    {"XDS-V095", kBootstrap,
     "{cluster_manager: {local_cluster_name: a}, static_resources: {clusters: [{name: a, load_assignment: "
     "{endpoints: [{}, {priority: 1}]}}]}}",
     "static_resources.clusters[0].load_assignment.endpoints[1].priority: the local cluster has priority 0 alone, and "
     "not 1",
     "{cluster_manager: {local_cluster_name: b}, static_resources: {clusters: [{name: b}, {name: a, load_assignment: "
     "{endpoints: [{}, {priority: 1}]}}]}}"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

class ValueChecksTest : public ExamplesTest {};

TEST_F(ValueChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

// One mistake is said once.
TEST_F(ValueChecksTest, ANegativeDurationOfWhichPgvHasABoundIsForPgv) {
  EXPECT_THAT(Findings("XDS-V012", fake::kCds, "connect_timeout: -1s"), IsEmpty());
  EXPECT_THAT(Findings("pgv.duration.gt", fake::kCds, "connect_timeout: -1s"), testing::SizeIs(1));
}

}  // namespace
}  // namespace xdscope::rules
