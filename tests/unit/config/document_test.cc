#include "lib/config/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/config/node.h"

namespace xdscope::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Value Parsed(std::string_view text) {
  absl::StatusOr<Value> value = ParseDocument(text, "f");
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : Value();
}

std::string ErrorOf(std::string_view text) {
  const absl::StatusOr<Value> value = ParseDocument(text, "f");
  return value.ok() ? "no error" : std::string(base::Message(value.status()));
}

TEST(Document, JsonAndYamlGiveTheSameTree) {
  const std::string json = R"({"a": [1, true, null, "x"], "b": {"c": "d"}})";
  const std::string yaml = "a: [1, true, null, x]\nb:\n  c: d\n";
  EXPECT_EQ(ToJson(Parsed(json)), R"({"a":[1,true,null,"x"],"b":{"c":"d"}})");
  EXPECT_EQ(ToJson(Parsed(yaml)), ToJson(Parsed(json)));
}

TEST(Document, RemembersLines) {
  EXPECT_EQ(Parsed("a: 1\nb:\n  c: 2\n").Find("b")->Find("c")->line, 3);
  EXPECT_EQ(Parsed("{\n\"a\": 1,\n\"b\": {\n\"c\": 2}}").Find("b")->Find("c")->line, 4);
}

TEST(Document, TypesPlainYamlScalarsAsEnvoyDoes) {
  EXPECT_EQ(ToJson(Parsed("[1, -2, 010, 1.5, 1e3, yes, off, '1', \"true\", ~, a b]")),
            R"([1,-2,8,"1.5","1e3",true,false,"1","true",null,"a b"])");
}

TEST(Document, EscapesWhatJsonHasTo) {
  EXPECT_EQ(ToJson(Parsed(R"(["a\"b\\c\nd\u0001é"])")), R"(["a\"b\\c\u000ad\u0001é"])");
}

TEST(Document, FindsSnakeCaseAndCamelCase) {
  const Value value = Parsed(R"({"lbEndpoints": 1, "ads_config": 2, "gone": null})");
  EXPECT_NE(value.Find("lb_endpoints"), nullptr);
  EXPECT_NE(value.Find("ads_config"), nullptr);
  EXPECT_EQ(value.Find("gone"), nullptr);
  EXPECT_EQ(value.Find("absent"), nullptr);
}

TEST(Document, TakesJsonWithEnvoysLiberties) {
  EXPECT_EQ(ToJson(Parsed("{node: {id: 'x'}, }")), R"({"node":{"id":"x"}})");
}

TEST(Document, ErrorsNameTheLine) {
  EXPECT_THAT(ErrorOf("a: 1\nb: [1, 2\n"), StartsWith("f:"));
  EXPECT_THAT(ErrorOf("{\"a\": 1,\n\"b\" 2}"), StartsWith("f:2: "));
  EXPECT_THAT(ErrorOf("a: 1\n---\nb: 2\n"), HasSubstr("more than one document"));
  EXPECT_EQ(ErrorOf(""), "f: is empty");
  EXPECT_EQ(ErrorOf(" \n"), "f: is empty");
  EXPECT_THAT(ErrorOf("? [a]\n: b\n"), HasSubstr("a key must be text"));
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
  EXPECT_THAT(ErrorOf(bomb), HasSubstr("too many values"));
}

TEST(Document, KeepsOnlyTheBootstrapOfAConfigDump) {
  const Value dump = Parsed(R"({"configs": [
    {"@type": "type.googleapis.com/envoy.admin.v3.BootstrapConfigDump", "bootstrap": {"node": {"id": "x"}}},
    {"@type": "type.googleapis.com/envoy.admin.v3.ClustersConfigDump", "static_clusters": [{"configs": [1]}]}]})");
  EXPECT_EQ(dump.Find("configs")->items.size(), 1U);
  ASSERT_NE(FindBootstrap(dump), nullptr);
  EXPECT_EQ(ToJson(*FindBootstrap(dump)), R"({"node":{"id":"x"}})");
}

}  // namespace
}  // namespace xdscope::config
