#include "cli/args/type_argument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xdscope::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kCluster = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

std::vector<TypeRequest> Parsed(const std::vector<std::string>& words, types::Api api = types::Api::kV3,
                                protocol::Wildcard form = protocol::Wildcard::kLegacy) {
  auto requests = ParseTypes(words, api, form);
  EXPECT_TRUE(requests.ok()) << requests.status();
  return requests.ok() ? *std::move(requests) : std::vector<TypeRequest>();
}

std::string ErrorOf(const std::vector<std::string>& words, types::Api api = types::Api::kV3) {
  const auto requests = ParseTypes(words, api, protocol::Wildcard::kLegacy);
  return requests.ok() ? "no error" : std::string(base::Message(requests.status()));
}

TEST(IsTypeWord, KnowsWordsUrlsAndMessageNames) {
  for (const std::string_view word :
       {"cds", "CDS", "clusters", "cds:a,b", "cds:18000", "scoped_routes:*", "envoy.config.cluster.v3.Cluster",
        "type.googleapis.com/envoy.config.cluster.v3.Cluster:a", "type.googleapis.com/my.Thing", "my.api.v1.Thing",
        "my.api.v1.Thing:name"}) {
    EXPECT_TRUE(IsTypeWord(word)) << word;
  }
  for (const std::string_view word : {"localhost:80", "host", "./clusters", "/clusters", "plane.example.com:443",
                                      "[::1]:80", "Plane.Example.COM:443", "unix:/cds", "1.2.3.4:80", "-", ""}) {
    EXPECT_FALSE(IsTypeWord(word)) << word;
  }
}

TEST(ParseTypes, AWordWithoutNamesIsEverything) {
  const auto requests = Parsed({"clusters"});
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].want.type_url, kCluster);
  EXPECT_EQ(requests[0].want.type_url, types::FindByWord("cds")->v3.type_url);
  EXPECT_TRUE(requests[0].want.everything);
  EXPECT_FALSE(requests[0].want.starred);
  EXPECT_THAT(requests[0].want.names, IsEmpty());
}

TEST(ParseTypes, NamesFollowTheFirstColon) {
  const auto requests = Parsed({R"(cds:outbound|80||a.b,x:y,c\,d,e\f)"});
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_THAT(requests[0].want.names, ElementsAre("outbound|80||a.b", "x:y", "c,d", R"(e\f)"));
  EXPECT_FALSE(requests[0].want.everything);
}

TEST(ParseTypes, OneTypeSaidTwiceIsOneRequest) {
  const auto requests = Parsed({"cds:a", "eds", "clusters:b,a", "envoy.config.cluster.v3.Cluster:c"});
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].word, "cds");
  EXPECT_THAT(requests[0].want.names, ElementsAre("a", "b", "c"));
  EXPECT_EQ(requests[1].word, "eds");
}

TEST(ParseTypes, AStarIsTheExplicitWildcard) {
  const auto star = Parsed({"cds:*"});
  EXPECT_TRUE(star[0].want.everything);
  EXPECT_TRUE(star[0].want.starred);
  const auto beside = Parsed({"cds:a", "cds"});
  EXPECT_TRUE(beside[0].want.everything);
  EXPECT_TRUE(beside[0].want.starred) << "an empty list cannot stand beside names";
  EXPECT_TRUE(Parsed({"cds"}, types::Api::kV3, protocol::Wildcard::kExplicit)[0].want.starred);
}

TEST(ParseTypes, KnownWordsFollowTheApiVersionAndUrlsStayAsTheyAre) {
  EXPECT_EQ(Parsed({"cds"}, types::Api::kV2)[0].want.type_url, "type.googleapis.com/envoy.api.v2.Cluster");
  EXPECT_EQ(Parsed({std::string(kCluster)}, types::Api::kV2)[0].want.type_url, kCluster);
  const auto own = Parsed({"my.api.v1.Thing:a", "istio.io/debug"});
  EXPECT_EQ(own[0].want.type_url, "type.googleapis.com/my.api.v1.Thing");
  EXPECT_EQ(own[1].want.type_url, "istio.io/debug");
}

TEST(ParseTypes, ErrorsNameTheWordAndTheNearestType) {
  EXPECT_EQ(ErrorOf({"clutsers"}), "clutsers: not a TYPE; did you mean clusters?");
  EXPECT_EQ(ErrorOf({"cdss:a"}), "cdss: not a TYPE; did you mean cds?");
  EXPECT_EQ(ErrorOf({"quux"}), "quux: not a TYPE");
  EXPECT_EQ(ErrorOf({"./cds"}), "./cds: not a TYPE; did you mean cds?");
  EXPECT_EQ(ErrorOf({""}), ": not a TYPE");
  EXPECT_EQ(ErrorOf({"cds:"}), "cds:: a name is empty");
  EXPECT_EQ(ErrorOf({"cds:a,,b"}), "cds:a,,b: a name is empty");
  EXPECT_EQ(ErrorOf({"leds:a"}, types::Api::kV2), "leds: does not exist in v2");
  EXPECT_EQ(ErrorOf({"ecds"}, types::Api::kV2), "ecds: does not exist in v2");
}

TEST(CheckVariant, RefusesTypesWithoutSuchAMethod) {
  using types::Variant;
  const auto check = [](const std::string& word, Variant variant) {
    const absl::Status status = CheckVariant(Parsed({word})[0], variant, types::Api::kV3);
    return status.ok() ? std::string() : std::string(base::Message(status));
  };
  for (const std::string word : {"vhds", "leds"}) {
    for (const Variant variant : {Variant::kAds, Variant::kSotw, Variant::kUnary}) {
      EXPECT_THAT(check(word, variant), HasSubstr("it is delta only: use delta or delta-ads"));
    }
    EXPECT_EQ(check(word, Variant::kDelta), "");
    EXPECT_EQ(check(word, Variant::kDeltaAds), "");
  }
  for (const Variant variant : {Variant::kAds, Variant::kDeltaAds, Variant::kSotw, Variant::kDelta, Variant::kUnary}) {
    EXPECT_EQ(check("cds", variant), "");
    EXPECT_EQ(check("my.v1.Thing", variant).empty(), types::IsAggregated(variant));
  }
}

TEST(EscapeName, IsUndoneByParseTypes) {
  for (const std::string name : {"a", "a,b", ",", "a\\b", "x:y", "a\\", "a\\,b", "a\x1b[2J", "a\nb\tc", "\xff\xc2\x9b",
                                 "\\x1b", "\\n", "\\\n", "\\x1\x1b", "\\\\", "grün"}) {
    EXPECT_THAT(Parsed({"cds:" + EscapeName(name)})[0].want.names, ElementsAre(name));
  }
}

TEST(EscapeName, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(EscapeName("a\x1b[2J,b\n\\n"), "a\\x1b[2J\\,b\\n\\x5cn");
}

TEST(EscapeName, SeparatesNamesThatEndInABackslash) {
  EXPECT_THAT(Parsed({"cds:" + EscapeName("a\\") + "," + EscapeName("b")})[0].want.names, ElementsAre("a\\", "b"));
}

}  // namespace
}  // namespace xdscope::cli
