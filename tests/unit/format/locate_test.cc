#include "lib/format/locate.h"

#include "lib/format/position.h"
#include "tests/unit/format/path_text.h"

#include <gtest/gtest.h>

#include <string>

namespace xdscope::format {
namespace {

std::string At(std::string_view text, Format format, const std::string& path, std::size_t document = 0) {
  const FieldPath field{document, PathOf(path)};
  const std::vector<finding::Position> found = Locate(text, format, {&field, 1});
  return std::to_string(found.at(0).line) + ":" + std::to_string(found.at(0).column);
}

constexpr std::string_view kYaml = R"(version_info: "1"
resources:
- "@type": type.googleapis.com/envoy.config.listener.v3.Listener
  name: a
  filterChains:
  - filters:
      name: x
      typed_config:
        "@type": t/X
        stat_prefix: s
        timeout: 1s
  metadata:
    filter_metadata:
      a.b: {k: [1, 2]}
---
- name: b
)";

TEST(Locate, FindsFieldsInYaml) {
  const auto at = [](const std::string& path) { return At(kYaml, Format::kYaml, path); };
  EXPECT_EQ(at("version_info"), "1:1");
  EXPECT_EQ(at("resources[0]"), "3:3");
  EXPECT_EQ(at("resources[0].name"), "4:3");
  EXPECT_EQ(at("resources[0].filter_chains"), "5:3") << "camelCase in the file";
  EXPECT_EQ(at("resources[0].filter_chains[0]"), "6:5");
  EXPECT_EQ(at("resources[0].filter_chains[0].filters[0]"), "6:5") << "an object in place of a list";
  EXPECT_EQ(at("resources[0].filter_chains[0].filters[0].name"), "7:7");
  EXPECT_EQ(at("resources[0].filter_chains[0].filters[0].typed_config.stat_prefix"), "10:9") << "inside an Any";
  EXPECT_EQ(at("resources[0].metadata.filter_metadata[\"a.b\"]"), "14:7");
  EXPECT_EQ(at("resources[0].metadata.filter_metadata[\"a.b\"].fields[\"k\"].list_value.values[1]"), "14:20");
}

TEST(Locate, GivesTheNearestThingThatIsWritten) {
  const auto at = [](const std::string& path) { return At(kYaml, Format::kYaml, path); };
  EXPECT_EQ(at(""), "1:1");
  EXPECT_EQ(at("nope"), "1:1");
  EXPECT_EQ(at("resources[7].name"), "2:1");
  EXPECT_EQ(at("resources[0].address.socket_address"), "3:3");
  EXPECT_EQ(at("resources[0].filter_chains[0].filters[0].typed_config.timeout.seconds"), "11:9");
}

TEST(Locate, KnowsDocumentsAndLists) {
  EXPECT_EQ(At(kYaml, Format::kYaml, "[0].name", 1), "16:3");
  EXPECT_EQ(At(kYaml, Format::kYaml, "[0]", 1), "16:3");
  EXPECT_EQ(At(kYaml, Format::kYaml, "[0]", 2), "0:0");
}

TEST(Locate, FindsFieldsInJson) {
  constexpr std::string_view kJson = R"({
  "resources": [
    {"name": "a"},
    {"name": "b", "filterChains": [{}, {"name": "c", "name": "d"}],
     "typed": {"x\"y": {"k": 1}}}
  ]
})";
  const auto at = [&](const std::string& path) { return At(kJson, Format::kJson, path); };
  EXPECT_EQ(at("resources[1]"), "4:5");
  EXPECT_EQ(at("resources[1].filter_chains[1].name"), "4:54") << "the last of equal keys";
  EXPECT_EQ(at("resources[1].typed[\"x\\\"y\"].k"), "5:25");
}

TEST(Locate, FindsFieldsInTextInsideAnAnyToo) {
  constexpr std::string_view kText = R"(# proto-message: envoy.service.discovery.v3.DiscoveryResponse
version_info: "1"
resources {
  [type.googleapis.com/envoy.config.listener.v3.Listener] {
    name: "a"
    filter_chains { name: "x" }
    filter_chains {
      filters { typed_config { [t/X] { stat_prefix: "s" } } }
    }
    metadata {
      filter_metadata { key: "k" value { fields { key: "f" value { number_value: 1 } } } }
    }
  }
}
resources { [t/Y] { list: [1,
  2] } }
)";
  const auto at = [&](const std::string& path) { return At(kText, Format::kText, path); };
  EXPECT_EQ(at("resources[0].name"), "5:5");
  EXPECT_EQ(at("resources[0].filter_chains[0].name"), "6:21");
  EXPECT_EQ(at("resources[0].filter_chains[1]"), "7:5");
  EXPECT_EQ(at("resources[0].filter_chains[1].filters[0].typed_config.stat_prefix"), "8:40");
  EXPECT_EQ(at("resources[0].metadata.filter_metadata[\"k\"].fields[\"f\"].number_value"), "11:68");
  EXPECT_EQ(at("resources[1]"), "15:1");
  EXPECT_EQ(at("resources[1].list[1]"), "16:3");
}

TEST(Locate, ReadsABrokenTextAsFarAsItGoes) {
  EXPECT_EQ(At("{\"a\": {\"b\": 1,\n\"c\": x}}", Format::kJson, "a.b"), "1:8");
  EXPECT_EQ(At("a:\n  b: 1\nc: d: e\n", Format::kYaml, "a.b"), "2:3");
  EXPECT_EQ(At("a {\n b: 1\n c: @ }", Format::kText, "a.b"), "2:2");
  EXPECT_EQ(At("", Format::kJson, "a"), "0:0");
  EXPECT_EQ(At("\x0A\x01"
               "a",
               Format::kBinary, "name"),
            "0:0");
}

TEST(Locate, AnyPathIsSafe) {
  finding::Path paths[5];
  paths[0].AddField("");
  paths[1].AddKey("");
  paths[2].AddIndex(static_cast<std::size_t>(-1));
  paths[3].AddField("a").AddIndex(0).AddField("b");
  paths[4].AddField("[").AddKey("\"");
  for (const finding::Path& path : paths) {
    const FieldPath field{0, path};
    EXPECT_EQ(Locate("{\"z\": 1}", Format::kJson, {&field, 1}), (std::vector<finding::Position>{{1, 1}}));
  }
}

TEST(Locate, AnswersInTheOrderOfThePaths) {
  const FieldPath paths[] = {{0, PathOf("b")}, {1, PathOf("c")}, {0, PathOf("a")}};
  const std::vector<finding::Position> found = Locate("a: 1\nb: 2\n---\nc: 3\n", Format::kYaml, paths);
  EXPECT_EQ(found, (std::vector<finding::Position>{{2, 1}, {4, 1}, {1, 1}}));
}

TEST(Locate, FollowsPathsThatShareTheirBeginnings) {
  const FieldPath paths[] = {{0, PathOf("a[1].b")},    {0, PathOf("a[0]")}, {0, PathOf("a[1]")},
                             {0, PathOf("a[1].b[0]")}, {0, PathOf("a[7]")}, {0, PathOf("a[1][\"b\"]")}};
  EXPECT_EQ(Locate("a:\n- 1\n- b: 2\n", Format::kYaml, paths),
            (std::vector<finding::Position>{{3, 3}, {2, 3}, {3, 3}, {3, 3}, {1, 1}, {3, 3}}));
}

TEST(PositionsOf, CountsCharactersOfLines) {
  const std::size_t offsets[] = {4, 0, 2, 99};
  EXPECT_EQ(PositionsOf("a\n\xC3\xA9"
                        "b",
                        offsets),
            (std::vector<finding::Position>{{2, 2}, {1, 1}, {2, 1}, {2, 3}}));
}

TEST(LocateInJson, FindsFieldsBelowEachValue) {
  constexpr std::string_view kText =
      "{\"resources\": [\n{\"name\": 1},\n {\"filterChains\": [\n{}, {\"x\": 2}]}, {\"cut";
  const auto in = [&](std::string_view value, const std::string& path) {
    const PathInValue one{kText.find(value), PathOf(path)};
    const finding::Position found = LocateInJson(kText, {&one, 1}).at(0);
    return std::to_string(found.line) + ":" + std::to_string(found.column);
  };
  EXPECT_EQ(in("{\"name", "name"), "2:2");
  EXPECT_EQ(in("{\"name", ""), "2:1");
  EXPECT_EQ(in("{\"filter", "filter_chains[1].x"), "4:6");
  EXPECT_EQ(in("{\"filter", "filter_chains[1].y"), "4:5");
  EXPECT_EQ(in("{\"cut", "cut"), "0:0");
}

}  // namespace
}  // namespace xdscope::format
