#include "lib/client/rule_checker.h"

#include <gmock/gmock.h>

#include <set>

#include "lib/client/judge.h"
#include "lib/finding/sample.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using OnInvalid = JudgePolicy::OnInvalid;
using Kind = protocol::Verdict::Kind;

class RuleCheckerTest : public testing::Test {
 protected:
  // An update with clusters of these payloads, by name; the payloads have to outlive it.
  source::Update Clusters(const std::vector<std::pair<std::string, std::string>>& payloads) {
    source::Update update;
    update.type_url = fake::kCds;
    update.version = "1";
    for (const auto& [name, payload] : payloads) {
      update.resources.push_back({.name = name,
                                  .unnamed = false,
                                  .version = "1",
                                  .type_url = {},
                                  .payload = payload,
                                  .entry = {},
                                  .message = wire::Decode(payload, *types_.Find(fake::kCds)),
                                  .buffer = nullptr});
    }
    return update;
  }

  // The timeout of a cluster, which has to be more than 0s.
  const std::string no_timeout_ = fake::Field(4, "");

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(RuleCheckerTest, AResourceThatBreaksARuleOfPgvIsBad) {
  const std::vector<std::pair<std::string, std::string>> payloads = {{"a", fake::Payload("a")},
                                                                     {"b", fake::Payload("b", no_timeout_)}};
  const auto [findings, remarks, bad] = RuleChecker(types_).Check(Clusters(payloads));
  EXPECT_THAT(bad, ElementsAre("b"));
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(remarks, IsEmpty());
  EXPECT_EQ(findings[0].resource, "b");
  EXPECT_EQ(findings[0].entry, 1);
  EXPECT_EQ(finding::ToText(findings[0]), "connect_timeout must be greater than 0s [pgv.duration.gt]");
}

TEST_F(RuleCheckerTest, AnAnyThatCannotBeReadIsBadAndOneOfAnUnknownTypeIsNot) {
  const auto with = [](std::string_view type_url, std::string_view value) {  // typed_extension_protocol_options
    return fake::Field(36, fake::Field(1, "k") + fake::Field(2, fake::Any(type_url, value)));
  };
  const std::vector<std::pair<std::string, std::string>> payloads = {
      {"a", fake::Payload("a", with("x/own.Type", "\xff"))},
      {"b", fake::Payload("b", with("x/envoy.config.core.v3.Locality", "\x0a\x05x"))}};
  const auto [findings, remarks, bad] = RuleChecker(types_).Check(Clusters(payloads));
  EXPECT_THAT(bad, ElementsAre("b"));
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(remarks, IsEmpty());
  EXPECT_EQ(findings[0].rule, "XDS-V127");
}

TEST_F(RuleCheckerTest, ByAllRulesAJudgeRefusesForErrorsAndNotForWarnings) {
  const std::string eds_from_nowhere = fake::Number(2, 3);
  const std::string deprecated = fake::Number(47, 1);  // track_timeout_budgets
  const JudgePolicy nack = {.on_invalid = OnInvalid::kNack};
  const std::vector<std::pair<std::string, std::string>> good = {{"a", fake::Payload("a", deprecated)}};
  const Judgement taken = Judge(nack, types_, rules::Depth::kAll)(Clusters(good));
  EXPECT_EQ(taken.verdict->kind, Kind::kAck);
  EXPECT_THAT(taken.findings, IsEmpty());
  EXPECT_THAT(taken.remarks, ElementsAre(testing::Field(&finding::Finding::rule, "XDS-V130")));

  const std::vector<std::pair<std::string, std::string>> bad = {{"b", fake::Payload("b", eds_from_nowhere)}};
  const Judgement refused = Judge(nack, types_, rules::Depth::kAll)(Clusters(bad));
  EXPECT_EQ(refused.verdict->kind, Kind::kNack);
  EXPECT_THAT(refused.verdict->message, HasSubstr("b: a cluster of type EDS needs an eds_cluster_config [XDS-V070]"));
  EXPECT_EQ(Judge(nack, types_)(Clusters(bad)).verdict->kind, Kind::kAck);
}

TEST_F(RuleCheckerTest, AJudgeRefusesByItsPolicy) {
  const std::vector<std::pair<std::string, std::string>> payloads = {{"b", fake::Payload("b", no_timeout_)}};
  const source::Update update = Clusters(payloads);
  EXPECT_EQ(Judge({}, types_)(update).verdict->kind, Kind::kAck);
  EXPECT_THAT(Judge({}, types_)(update).findings, SizeIs(1));
  const Judgement refused = Judge({.on_invalid = OnInvalid::kNack}, types_)(update);
  EXPECT_EQ(refused.verdict->kind, Kind::kNack);
  EXPECT_THAT(refused.verdict->message, HasSubstr("b: connect_timeout must be greater than 0s [pgv.duration.gt]"));
}

// Of a rule that many break a hundred findings are kept; the bad ones are refused all the same.
TEST_F(RuleCheckerTest, AllBadResourcesAreNamedInAPartialRefusal) {
  std::vector<std::pair<std::string, std::string>> payloads;
  for (int i = 0; i < 150; ++i) {
    const std::string name = "c" + std::to_string(i);
    payloads.emplace_back(name, fake::Payload(name, no_timeout_));
  }
  const Judgement judgement = Judge({.on_invalid = OnInvalid::kPartial}, types_)(Clusters(payloads));
  EXPECT_EQ(finding::CountOf(judgement.findings), 150);
  const std::set<std::string> refused(judgement.verdict->refused.begin(), judgement.verdict->refused.end());
  EXPECT_THAT(refused, SizeIs(150));
}

}  // namespace
}  // namespace xdscope::client
