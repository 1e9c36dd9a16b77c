#include "cli/commands/repl/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/commands/repl/repl_fixture.h"

namespace xdscope::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

class CompletionTest : public ReplTest {
 protected:
  std::vector<std::string> Texts(std::string_view line) {
    std::vector<std::string> texts;
    for (const Candidate& candidate : Complete(*repl_, line).candidates) texts.push_back(candidate.text);
    return texts;
  }
  std::string About(std::string_view line, std::string_view text) {
    for (const Candidate& candidate : Complete(*repl_, line).candidates) {
      if (candidate.text == text) return candidate.about;
    }
    return "not there";
  }
};

TEST_F(CompletionTest, TheFirstWordIsAVerb) {
  EXPECT_THAT(Texts("re"), ElementsAre("reopen", "request", "response", "resub"));
  EXPECT_THAT(About("he", "help"), "say what verbs there are, or all about one");
  EXPECT_THAT(Texts("nosuch"), IsEmpty());
  EXPECT_THAT(Texts("nosuch "), IsEmpty());
}

TEST_F(CompletionTest, TypesAreThoseOfTheVariant) {
  EXPECT_THAT(Texts("sub c"), ElementsAre("cds"));
  EXPECT_EQ(About("sub c", "cds"), "envoy.config.cluster.v3.Cluster");
  EXPECT_THAT(Texts("sub "), Not(Contains("vhds")));
  Do("open delta-ads");
  EXPECT_THAT(Texts("sub "), Contains("vhds"));
}

TEST_F(CompletionTest, NamesAreHeldOrWantedOrMentioned) {
  Do("auto ack");
  Do("sub eds wanted");
  Do("sub cds");
  stream().Connect();
  Sent();
  stream().Deliver(fake::Sotw({.type_url = fake::kCds,
                               .version = "7",
                               .nonce = "n",
                               .resources = {{.name = "web", .payload = fake::EdsCluster("web", fake::AdsSource())}}}));
  EXPECT_EQ(About("show cds w", "web"), "held, version 7");
  EXPECT_EQ(About("sub eds ", "web"), "mentioned by cds:web");
  EXPECT_EQ(About("sub eds ", "wanted"), "wanted");
  EXPECT_THAT(Texts("expect not eds w"), ElementsAre("wanted", "web"));
  EXPECT_THAT(Texts("expect no"), ElementsAre("not"));
}

TEST_F(CompletionTest, AWordMayBeQuotedAndUnfinished) {
  Do("sub eds 'a b' 'a c'");
  const Completion completion = Complete(*repl_, "unsub eds 'a b");
  EXPECT_EQ(completion.begin, 10u);
  EXPECT_THAT(completion.candidates, ElementsAre(Field(&Candidate::text, "a b")));
  EXPECT_THAT(Texts("unsub eds \"a "), ElementsAre("a b", "a c"));
  EXPECT_THAT(Texts("unsub eds a\\ "), ElementsAre("a b", "a c"));
}

TEST_F(CompletionTest, OptionsAreThoseOfTheVerb) {
  EXPECT_THAT(Texts("sub cds --"), ElementsAre("--now"));
  EXPECT_THAT(Texts("sub --now c"), ElementsAre("cds"));
  EXPECT_THAT(Texts("wait --for 5s c"), ElementsAre("cds"));
  EXPECT_THAT(Texts("ack --"), IsEmpty());
}

TEST_F(CompletionTest, NumbersAreThoseOfWhatIsThere) {
  Begin();
  EXPECT_THAT(Texts("ack "), ElementsAre("#2", "cds"));
  EXPECT_THAT(Texts("response "), ElementsAre("2"));
  EXPECT_THAT(Texts("request "), ElementsAre("1"));
  EXPECT_THAT(Texts("use "), ElementsAre("1"));
}

TEST_F(CompletionTest, OptionsOfSetHaveTheirValues) {
  EXPECT_THAT(Texts("set o"), ElementsAre("output"));
  EXPECT_THAT(Texts("set output j"), ElementsAre("json"));
  EXPECT_THAT(Texts("set wait "), IsEmpty());
  EXPECT_THAT(Texts("set output json "), IsEmpty());
}

TEST_F(CompletionTest, FilesAndFolders) {
  disk_.Put("./bug.xds", "");
  disk_.Put("./.hidden", "");
  disk_.Put("./scripts/a.xds", "");
  disk_.Put("scripts/a.xds", "");
  EXPECT_THAT(Complete(*repl_, "source ").candidates,
              ElementsAre(Field(&Candidate::text, "bug.xds"), Field(&Candidate::text, "scripts/")));
  EXPECT_FALSE(Complete(*repl_, "source sc").candidates.at(0).whole);
}

TEST(CommonBeginning, EndsBetweenCharacters) {
  EXPECT_EQ(CommonBeginning({}), "");
  EXPECT_EQ(CommonBeginning({{"abc", ""}, {"abd", ""}}), "ab");
  EXPECT_EQ(CommonBeginning({{"a\u00e9", ""}, {"a\u00e8", ""}}), "a");
}

}  // namespace
}  // namespace xdscope::cli
