// Judging files costs what they say, not its square: many resources, findings, chains, routes, files and references.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/client/file_judge.h"
#include "lib/schema/schema.h"
#include "tests/cost/steps.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

struct Text {
  std::string name;
  std::string text;
};
using Set = std::vector<Text>;

// What `each` makes of every number, with commas between.
template <typename Each>
std::string Joined(int count, const Each& each) {
  std::string all;
  for (int i = 0; i < count; ++i) all.append(i == 0 ? "" : ",").append(each(i));
  return all;
}

// A resource, or a file of them, in JSON.
std::string Resource(std::string_view url, std::string_view members) {
  return fmt::format(R"({{"@type":"{}",{}}})", url, members);
}
std::string Response(std::string_view resources) {
  return fmt::format(R"({{"resources":[{}]}})", resources);
}

std::string FilterChains(std::string_view chains) {
  return Response(Resource(
      fake::kLds,
      fmt::format(R"("name":"l","address":{{"socket_address":{{"address":"::","port_value":1}}}},"filter_chains":[{}])",
                  chains)));
}
std::string Routes(std::string_view hosts) {
  return Response(Resource(fake::kRds, fmt::format(R"("name":"r","virtual_hosts":[{}])", hosts)));
}
std::string RouteTo(std::string_view cluster) {
  return fmt::format(R"({{"match":{{"prefix":""}},"route":{{"cluster":"{}"}}}})", cluster);
}
std::string EdsCluster(int number, std::string_view file) {
  return Resource(
      fake::kCds,
      fmt::format(
          R"("name":"{}","type":"EDS","eds_cluster_config":{{"eds_config":{{"path_config_source":{{"path":"{}"}}}}}})",
          number, file));
}

class JudgeCost : public testing::Test {
 protected:
  // Expects that to judge the files that `set_of` makes of a size costs in proportion to it.
  void ExpectLinear(const std::function<Set(int)>& set_of, int size) {
    cost::ExpectLinear(
        [&](int count) -> std::function<void()> {
          auto set = std::make_shared<Set>(set_of(count));
          return [this, set] {
            FileJudge judge(types_, {});
            for (Text& file : *set) judge.Add(file.name, std::move(file.text));
            static_cast<void>(judge.FilesNamed());
            static_cast<void>(judge.Judge());
          };
        },
        size);
  }
  void ExpectLinearFile(std::string_view name, const std::function<std::string(int)>& text_of, int size) {
    ExpectLinear([&](int count) { return Set{{std::string(name), text_of(count)}}; }, size);
  }
  void ExpectLinearJson(const std::function<std::string(int)>& text_of, int size) {
    ExpectLinearFile("a.json", text_of, size);
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

// ---- Resources and findings.

TEST_F(JudgeCost, ResourcesOfAFile) {
  ExpectLinearFile(
      "a.pb",
      [](int count) {
        std::string bytes;
        for (int i = 0; i < count; ++i) {
          bytes += fake::Field(2, fake::Any(fake::kCds, fake::EdsCluster(std::to_string(i), fake::AdsSource())));
        }
        return bytes;
      },
      500);
}

TEST_F(JudgeCost, EqualFindingsAndNames) {
  ExpectLinearJson(
      [](int count) {
        return Response(Joined(count, [](int) {
          return Resource(fake::kCds, R"("name":"a","connect_timeout":"0s","type":"EDS","unknown":1)");
        }));
      },
      500);
}

TEST_F(JudgeCost, FindingsInBytes) {
  ExpectLinearFile(
      "a.pb",
      [](int count) {
        std::string bytes;
        for (int i = 0; i < count; ++i) {
          const std::string cluster = fake::Field(1, std::to_string(i)) + fake::Field(4, "") + fake::Field(43, "");
          bytes += fake::Field(2, fake::Any(fake::kCds, cluster));
        }
        return bytes;
      },
      500);
}

TEST_F(JudgeCost, UnknownFields) {
  ExpectLinearJson(
      [](int count) {
        const std::string members = Joined(count, [](int i) { return fmt::format(R"("unknown{}":{{}})", i); });
        return Response(Resource(fake::kCds, members));
      },
      1000);
}

TEST_F(JudgeCost, EqualKeys) {
  ExpectLinearJson(
      [](int count) { return Response(Resource(fake::kCds, Joined(count, [](int) { return R"("name":"a")"; }))); },
      1000);
}

TEST_F(JudgeCost, IgnoreComments) {
  ExpectLinearFile(
      "a.yaml",
      [](int count) {
        std::string text = "resources:\n";
        for (int i = 0; i < count; ++i) {
          text += fmt::format("# xds-ignore: XDS-V001\n# xds-ignore: XDS-V002, XDS-V003\n- '@type': {}\n  name: a\n",
                              fake::kCds);
        }
        return text;
      },
      300);
}

// ---- Listeners.

TEST_F(JudgeCost, FilterChainsWithManagers) {
  ExpectLinearJson(
      [](int count) {
        return FilterChains(Joined(count, [](int i) {
          return fmt::format(
              R"({{"filter_chain_match":{{"destination_port":{}}},"filters":[{{"name":"f","typed_config":{{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"}}}}]}})",
              i + 1);
        }));
      },
      2000);
}

TEST_F(JudgeCost, FilterChainsOfOneMatch) {
  ExpectLinearJson([](int count) { return FilterChains(Joined(count, [](int) { return "{}"; })); }, 2000);
}

TEST_F(JudgeCost, NamesOfAMatch) {
  ExpectLinearJson(
      [](int count) {
        const auto names = Joined(count, [](int i) { return fmt::format(R"("{}.example")", i); });
        return FilterChains(
            fmt::format(R"({{"filter_chain_match":{{"server_names":[{}],"source_ports":[1,2,3,4,5]}}}})", names));
      },
      1000);
}

// The combinations of what a match names are more than what it says, and are not made of its texts.
TEST_F(JudgeCost, LongNamesOfAMatch) {
  ExpectLinearJson(
      [](int count) {
        const std::string name(static_cast<std::size_t>(count), 'a');
        const auto names = Joined(30, [&](int i) { return fmt::format(R"("{}{}")", name, i); });
        const auto ports = Joined(1000, [](int i) { return std::to_string(i + 1); });
        return FilterChains(
            fmt::format(R"({{"filter_chain_match":{{"server_names":[{}],"source_ports":[{}]}}}})", names, ports));
      },
      20000);
}

// ---- Routes.

TEST_F(JudgeCost, VirtualHostsWithRoutes) {
  ExpectLinearJson(
      [](int count) {
        return Routes(Joined(count, [](int i) {
          return fmt::format(R"({{"name":"h","domains":["{}"],"routes":[{}]}})", i % 7, RouteTo("a"));
        }));
      },
      2000);
}

TEST_F(JudgeCost, DomainsAndRoutesOfOneHost) {
  ExpectLinearJson(
      [](int count) {
        return Routes(fmt::format(R"({{"name":"h","domains":[{}],"routes":[{}]}})",
                                  Joined(count, [](int i) { return fmt::format(R"("{}")", i); }),
                                  Joined(count, [](int i) { return RouteTo(std::to_string(i)); })));
      },
      1000);
}

// ---- Endpoints.

TEST_F(JudgeCost, LocalitiesWithEqualEndpoints) {
  ExpectLinearJson(
      [](int count) {
        const auto localities = Joined(count, [](int) {
          return R"({"locality":{"zone":"z"},"load_balancing_weight":1,"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"host","port_value":0}}}}]})";
        });
        return Response(Resource(fake::kEds, fmt::format(R"("cluster_name":"e","endpoints":[{}])", localities)));
      },
      500);
}

// ---- Sets.

TEST_F(JudgeCost, SubscriptionsToOneFile) {
  ExpectLinear(
      [](int count) {
        const auto clusters = Joined(count, [](int i) { return EdsCluster(i, "eds.json"); });
        const auto endpoints =
            Joined(count, [](int i) { return Resource(fake::kEds, fmt::format(R"("cluster_name":"{}")", i)); });
        return Set{{"cds.json", Response(clusters)}, {"eds.json", Response(endpoints)}};
      },
      1000);
}

TEST_F(JudgeCost, FilesThatReferToOneAnother) {
  ExpectLinear(
      [](int count) {
        Set set;
        for (int i = 0; i < count; ++i) {
          set.push_back({fmt::format("{}.json", i), Response(EdsCluster(i, fmt::format("{}.json", (i + 1) % count)))});
        }
        return set;
      },
      400);
}

TEST_F(JudgeCost, FilesThatReferToWhatIsNotThere) {
  ExpectLinear(
      [](int count) {
        Set set{{"cds.json", Response(Joined(count, [](int i) {
                   return Resource(fake::kCds, fmt::format(R"("name":"cluster-{}")", i));
                 }))}};
        for (int i = 0; i < count; ++i) {
          const auto host = fmt::format(R"({{"name":"h","domains":["*"],"routes":[{}]}})", RouteTo("clutser-77"));
          set.push_back({fmt::format("{}.json", i), Routes(host)});
        }
        return set;
      },
      400);
}

TEST_F(JudgeCost, FilesThatABootstrapNames) {
  ExpectLinearJson(
      [](int count) {
        const auto clusters = Joined(count, [](int i) {
          return fmt::format(
              R"({{"name":"{}","eds_cluster_config":{{"eds_config":{{"path_config_source":{{"path":"{}.yaml"}}}}}}}})",
              i, i);
        });
        return fmt::format(R"({{"static_resources":{{"clusters":[{}]}}}})", clusters);
      },
      1000);
}

}  // namespace
}  // namespace xdscope::client
