#include "lib/config/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/parsed.h"

namespace xdscope::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A value as JSON writes it, without blanks; texts in quotes as they are.
std::string Json(const encode::Node& node) {
  using encode::NodeKind;
  if (!node.valid()) return "nothing";
  if (node.is(NodeKind::kNull)) return "null";
  const std::string text(node.text());
  if (node.is(NodeKind::kText)) return '"' + text + '"';
  const bool map = node.is(NodeKind::kMap);
  if (!map && !node.is(NodeKind::kList)) return text;
  std::string inner;
  for (encode::Children child(node); child.Next();) {
    if (!inner.empty()) inner += ',';
    if (map) inner += '"' + std::string(child.key()) + "\":";
    inner += Json(child.value());
  }
  return map ? '{' + inner + '}' : '[' + inner + ']';
}

std::string JsonOf(std::string_view text) {
  return Json(Parsed(text).root());
}

std::string ErrorOf(std::string_view text) {
  const absl::StatusOr<Document> document = ParseDocument(text, "f");
  return document.ok() ? "no error" : std::string(base::Message(document.status()));
}

TEST(Document, JsonAndYamlGiveTheSameTree) {
  const std::string json = R"({"a": [1, true, null, "x"], "b": {"c": "d"}})";
  const std::string yaml = "a: [1, true, null, x]\nb:\n  c: d\n";
  EXPECT_EQ(JsonOf(json), R"({"a":[1,true,null,"x"],"b":{"c":"d"}})");
  EXPECT_EQ(JsonOf(yaml), JsonOf(json));
}

TEST(Document, RemembersLines) {
  for (const auto& [text, line] : {std::pair("a: 1\nb:\n  c: 2\n", 3), {"{\n\"a\": 1,\n\"b\": {\n\"c\": 2}}", 4}}) {
    const Document document = Parsed(text);
    EXPECT_EQ(document.LineOf(FindMember(FindMember(document.root(), "b"), "c").offset()), line);
  }
}

TEST(Document, TypesPlainYamlScalarsAsEnvoyDoes) {
  EXPECT_EQ(JsonOf("[1, -2, 010, 1.5, 1e3, yes, off, '1', \"true\", ~, a b]"),
            R"([1,-2,8,"1.5","1e3",true,false,"1","true",null,"a b"])");
}

TEST(Document, FindsSnakeCaseAndCamelCase) {
  const Document document = Parsed(R"({"lbEndpoints": 1, "ads_config": 2, "gone": null, "twice": 1, "twice": [3]})");
  const auto find = [&](std::string_view name) { return Json(FindMember(document.root(), name)); };
  EXPECT_EQ(find("lb_endpoints"), "1");
  EXPECT_EQ(find("ads_config"), "2");
  EXPECT_EQ(find("twice"), "[3]") << "of equal keys the last one counts";
  EXPECT_EQ(find("gone"), "nothing");
  EXPECT_EQ(find("absent"), "nothing");
  EXPECT_FALSE(FindMember(FindMember(document.root(), "ads_config"), "below").valid()) << "a number has no members";
}

TEST(Document, TakesJsonWithEnvoysLiberties) {
  EXPECT_EQ(JsonOf("{node: {id: 'x'}, }"), R"({"node":{"id":"x"}})");
}

TEST(Document, ErrorsNameTheLine) {
  EXPECT_THAT(ErrorOf("a: 1\nb: [1, 2\n"), StartsWith("f:"));
  EXPECT_THAT(ErrorOf("{\"a\": 1,\n\"b\" 2}"), StartsWith("f:2: "));
  EXPECT_THAT(ErrorOf("a: 1\n---\nb: 2\n"), HasSubstr("more than one document"));
  EXPECT_EQ(ErrorOf(""), "f: is empty");
  EXPECT_EQ(ErrorOf(" \n"), "f: is empty");
  EXPECT_THAT(ErrorOf("? [a]\n: b\n"), HasSubstr("a map key must be a scalar"));
}

TEST(Document, RefusesDeepNesting) {
  EXPECT_THAT(ErrorOf(std::string(100000, '[')), StartsWith("f:"));
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "- ";
  EXPECT_THAT(ErrorOf(deep + "x"), HasSubstr("too deep"));
}

TEST(Document, CapsWhatAliasesExpandTo) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += "*a" + std::to_string(i - 1) + (j < 9 ? ", " : "]\n");
  }
  EXPECT_THAT(ErrorOf(bomb), HasSubstr("aliases stand for more than 64 MB"));
}

// A /config_dump with so many clusters.
std::string DumpOf(int clusters) {
  std::string all;
  for (int i = 0; i < clusters; ++i) all += R"({"name": "c", "configs": [1]}, )";
  return R"({"configs": [
    {"@type": "type.googleapis.com/envoy.admin.v3.ClustersConfigDump", "static_clusters": [)" +
         all + R"({}]},
    {"@type": "type.googleapis.com/envoy.admin.v3.BootstrapConfigDump", "bootstrap": {"node": {"id": "x"}}}]})";
}

TEST(Document, KeepsOnlyTheBootstrapOfAConfigDump) {
  const std::string small = DumpOf(0);
  const std::string large = DumpOf(1000);
  const Document dump = Parsed(large);
  EXPECT_EQ(Json(FindBootstrap(dump)), R"({"node":{"id":"x"}})");
  EXPECT_EQ(JsonOf(large), JsonOf(small));
  EXPECT_EQ(dump.LineOf(FindBootstrap(dump).offset()), 3);
}

TEST(Document, WhatIsNotKeptOfAConfigDumpHasToBeJsonTooAndNotTooDeep) {
  const auto dump = [](const std::string& clusters) { return "{\"configs\": [\n{\"clusters\": " + clusters + "}]}"; };
  EXPECT_EQ(ErrorOf(dump("[1, [2]]")), "no error");
  EXPECT_THAT(ErrorOf(dump("[1, {\"a\" 1}]")), StartsWith("f:2: "));
  EXPECT_THAT(ErrorOf(dump(std::string(100000, '['))), HasSubstr("too deep"));
}

TEST(Document, FindsTheBootstrapOfAConfigDumpInYaml) {
  const Document dump = Parsed("configs:\n- {clusters: []}\n- {bootstrap: {node: {id: x}}}\n");
  EXPECT_EQ(Json(FindBootstrap(dump)), R"({"node":{"id":"x"}})");
}

TEST(Document, ParseJsonKeepsAllOfIt) {
  constexpr std::string_view kText = R"({"configs":[{"a":1}]})";
  const absl::StatusOr<Document> document = ParseJson(kText, "f");
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(Json(document->root()), kText);
}

}  // namespace
}  // namespace xdscope::config
