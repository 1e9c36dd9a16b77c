#include <gmock/gmock.h>

#include <string>

#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;

class EndpointChecksTest : public ExamplesTest {};

constexpr std::string_view kGood = R"(
cluster_name: c
endpoints:
- priority: 1
  load_balancing_weight: 4294967295
  locality: {zone: a}
  lb_endpoints:
  - endpoint:
      address: {socket_address: {address: 10.0.0.1, port_value: 80}}
      additional_addresses: [{address: {socket_address: {address: "::1", port_value: 80}}}]
  - {health_status: DRAINING, endpoint: {address: {pipe: {path: /a}}}}
- load_balancing_weight: 4294967295
  locality: {zone: a}
  lb_endpoints: [{endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 81}}}}]
policy: {drop_overloads: [{category: a, drop_percentage: {numerator: 100}}]}
)";

const Example kExamples[] = {
    {"XDS-V072", fake::kEds,
     "endpoints: [{lb_endpoints: [{}, {endpoint: {address: {socket_address: {address: a.b, port_value: 1}}}}]}]",
     "endpoints[0].lb_endpoints[1].endpoint.address.socket_address.address: \"a.b\" is no IP address", kGood},
    {"XDS-V072", fake::kEds, R"(
endpoints:
- lb_endpoints: [{endpoint: {additional_addresses: [{}, {address: {socket_address: {address: 1.2.3, port_value: 1}}}]}}]
)",
     "endpoints[0].lb_endpoints[0].endpoint.additional_addresses[1].address.socket_address.address: \"1.2.3\" is no IP "
     "address",
     kGood},
    {"XDS-V072", fake::kEds,
     "endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 1.2.3.4, named_port: http}}}}]}]",
     "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.named_port: named_port \"http\" is for clusters "
     "that "
     "ask the DNS",
     kGood},
    {"XDS-V072", fake::kCds, R"(
load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: a.b, port_value: 1}}}}]}]}
)",
     "load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address: \"a.b\" is no IP address",
     R"(
type: STRICT_DNS
load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: a.b, port_value: 1}}}}]}]}
)"},
    {"XDS-V072", fake::kCds, R"(
type: STATIC
load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: "::z", port_value: 1}}}}]}]}
)",
     "load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address: \"::z\" is no IP address",
     R"(
cluster_type: {name: own}
load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: "::z", port_value: 1}}}}]}]}
)"},
    {"XDS-V090", fake::kEds, R"(
endpoints:
- lb_endpoints: [{endpoint: {address: {socket_address: {address: "::1", port_value: 1}}}}]
- lb_endpoints: [{endpoint: {address: {socket_address: {address: "0:0::0:1", port_value: 1}}}}]
)",
     "endpoints[1].lb_endpoints[0].endpoint.address: [0:0::0:1]:1 is in the list already, at "
     "endpoints[0].lb_endpoints[0].endpoint.address",
     kGood},
    {"XDS-V090", fake::kEds, R"(
endpoints: [{lb_endpoints: [{endpoint: {address: {pipe: {path: /a}}}}, {endpoint: {address: {pipe: {path: /a}}}}]}]
)",
     "endpoints[0].lb_endpoints[1].endpoint.address: \"/a\" is in the list already, at "
     "endpoints[0].lb_endpoints[0].endpoint.address",
     kGood},
    {"XDS-V091", fake::kEds, R"(
endpoints:
- {locality: {zone: a}, load_balancing_weight: 1}
- {locality: {zone: b}, load_balancing_weight: 1, priority: 2}
)",
     "endpoints[1]: priority 1 has no locality, and priority 2 has one", kGood},
    {"XDS-V091", fake::kEds, "endpoints: [{locality: {zone: a}, load_balancing_weight: 1, priority: 1}]",
     "endpoints[0]: priority 0 has no locality, and priority 1 has one", kGood},
    {"XDS-V091", fake::kEds, R"(
endpoints:
- {locality: {zone: a}, load_balancing_weight: 1}
- {locality: {zone: a, sub_zone: s}, load_balancing_weight: 1}
- {locality: {zone: a}, load_balancing_weight: 1}
)",
     "endpoints[2]: endpoints[0] is the same locality of priority 0", R"(
endpoints:
- {locality: {zone: a}, load_balancing_weight: 1}
- {locality: {zone: a}}
)"},
    {"XDS-V091", fake::kEds, R"(
endpoints:
- {locality: {zone: a}, load_balancing_weight: 4294967295}
- {locality: {zone: b}, load_balancing_weight: 1}
)",
     "endpoints[1]: the weights of priority 0 add up to more than 4294967295", kGood},
    {"XDS-V092", fake::kEds, "endpoints: [{locality: {zone: a}}]",
     "endpoints[0]: has no load_balancing_weight, and gets no load from gRPC", kGood},
    {"XDS-V092", fake::kEds, "endpoints: [{load_balancing_weight: 1}]", "endpoints[0]: has no locality",
     "endpoints: [{load_balancing_weight: 1, locality: {}}]"},
    {"XDS-V093", fake::kEds, "policy: {drop_overloads: [{category: a}, {category: b}]}",
     "policy.drop_overloads: has 2 categories, and Envoy takes one", kGood},
    {"XDS-V093", fake::kEds,
     "policy: {drop_overloads: [{drop_percentage: {numerator: 10001, denominator: TEN_THOUSAND}}]}",
     "policy.drop_overloads[0].drop_percentage: 10001 of 10000 is more than all", kGood},
    {"XDS-V094", fake::kEds, "endpoints: [{lb_endpoints: [{}], leds_cluster_locality_config: {}}]",
     "endpoints[0].leds_cluster_locality_config: there are lb_endpoints too",
     "endpoints: [{leds_cluster_locality_config: {}}]"},
    {"XDS-V096", fake::kEds, "endpoints: [{lb_endpoints: [{health_status: UNHEALTHY}, {health_status: TIMEOUT}]}]",
     ": none of the endpoints is healthy", kGood},
    {"XDS-V096", fake::kEds,
     "endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 1.2.3.4, port_value: 0}}}}]}]",
     "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value: nobody answers at port 0",
     "endpoints: [{lb_endpoints: [{health_status: DEGRADED}, {health_status: TIMEOUT}]}]"},
    {"XDS-V096", fake::kCds, "load_assignment: {endpoints: [{}, {load_balancing_weight: 1}]}",
     "load_assignment.endpoints[1].load_balancing_weight: the weight of a locality counts where common_lb_config has a "
     "locality_weighted_lb_config",
     "{common_lb_config: {locality_weighted_lb_config: {}}, load_assignment: {endpoints: [{load_balancing_weight: "
     "1}]}}"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(EndpointChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

TEST_F(EndpointChecksTest, GoodEndpointsHaveNoFindings) {
  EXPECT_THAT(Inspect(fake::kEds, kGood), testing::IsEmpty());
}

TEST_F(EndpointChecksTest, ANameSaysWhereItBelongs) {
  const auto findings =
      Inspect(fake::kEds,
              "endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: a, port_value: 1}}}}]}]");
  const auto found = std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.rule == "XDS-V072"; });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->help, "names are for clusters of type STRICT_DNS or LOGICAL_DNS");
}

// A static cluster may have an endpoint twice, and no client of gRPC reads its localities.
TEST_F(EndpointChecksTest, InlineEndpointsAreForEnvoy) {
  EXPECT_THAT(Findings("XDS-V090", fake::kCds, R"(
load_assignment:
  endpoints:
  - lb_endpoints:
    - endpoint: {address: {socket_address: {address: 1.2.3.4, port_value: 1}}}
    - endpoint: {address: {socket_address: {address: 1.2.3.4, port_value: 1}}}
)"),
              ElementsAre());
  EXPECT_THAT(Findings("XDS-V092", fake::kCds, "load_assignment: {endpoints: [{}]}"), ElementsAre());
}

}  // namespace
}  // namespace xdscope::rules
