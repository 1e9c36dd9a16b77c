#include "lib/client/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xdscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using OnInvalid = JudgePolicy::OnInvalid;
using Kind = protocol::Verdict::Kind;

finding::Finding Found(std::string_view rule, const std::string& resource, const std::string& message) {
  return {.rule = rule, .resource = resource, .message = message};
}

source::Update Bad() {
  source::Update update;
  update.type_url = "T";
  update.version = "1";
  update.findings = {Found("XDS-S016", "a", "twice"), Found("XDS-S014", "", "no name")};
  return update;
}

resource::Resource Undecodable(const std::string& name, bool unnamed = false) {
  return {.name = name,
          .unnamed = unnamed,
          .version = "1",
          .type_url = {},
          .payload = {},
          .entry = {},
          .message = absl::DataLossError("cut off"),
          .buffer = nullptr};
}

// ---- Checkers.

TEST(CheckProtocol, FindsOnlyWhatIsAReasonToRefuse) {
  source::Update update = Bad();
  update.findings.push_back(Found("XDS-S001", "", "no nonce"));
  update.findings.push_back(
      {.rule = "XDS-S016", .severity = finding::Severity::kWarning, .resource = "b", .message = "not so bad"});
  std::vector<finding::Finding> findings;
  CheckProtocol(update, &findings);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].resource, "a");
  EXPECT_EQ(findings[1].rule, "XDS-S014");
}

TEST(CheckDecoding, FindsResourcesThatAreNotOfTheirType) {
  source::Update update;
  update.type_url = "T";
  update.resources.push_back(Undecodable("a"));
  update.resources.push_back(Undecodable("#2", true));
  update.resources.push_back(Undecodable("unknown"));
  update.resources.back().message = absl::NotFoundError("unknown type");
  std::vector<finding::Finding> findings;
  CheckDecoding(update, &findings);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].resource, "a");
  EXPECT_EQ(findings[0].type_url, "T");
  EXPECT_EQ(findings[0].message, "cut off");
  EXPECT_EQ(findings[1].resource, "");  // a made up name is no name
}

// ---- Policy.

TEST(VerdictOn, WhatIsGoodIsAccepted) {
  for (const OnInvalid policy : {OnInvalid::kAck, OnInvalid::kNack, OnInvalid::kPartial}) {
    EXPECT_EQ(VerdictOn({.on_invalid = policy}, {}).kind, Kind::kAck);
  }
}

TEST(VerdictOn, LookingDoesNotDisturbTheServer) {
  EXPECT_EQ(VerdictOn({}, Bad().findings).kind, Kind::kAck);
}

TEST(VerdictOn, ARefusalSaysWhatWasFound) {
  const protocol::Verdict verdict = VerdictOn({.on_invalid = OnInvalid::kNack}, Bad().findings);
  EXPECT_EQ(verdict.kind, Kind::kNack);
  EXPECT_EQ(verdict.message, "a: twice [XDS-S016]; no name [XDS-S014]");
}

TEST(VerdictOn, ARefusalSaysWhatItWasToldToSay) {
  EXPECT_EQ(VerdictOn({.on_invalid = OnInvalid::kNack, .nack_message = "no"}, Bad().findings).message, "no");
}

TEST(VerdictOn, APartialRefusalNamesTheBadResources) {
  const protocol::Verdict verdict = VerdictOn({.on_invalid = OnInvalid::kPartial}, Bad().findings);
  EXPECT_EQ(verdict.kind, Kind::kPartly);
  EXPECT_THAT(verdict.refused, ElementsAre("a", ""));
}

// ---- The judge.

TEST(Judge, SaysWhatEachCheckerFound) {
  const Checker first = [](const auto&, auto* findings) { findings->push_back(Found("1", "a", "x")); };
  const Checker second = [](const auto&, auto* findings) { findings->push_back(Found("2", "b", "y")); };
  Judge judge({}, {first, second});
  const Judgement judgement = judge(source::Update{});
  ASSERT_THAT(judgement.findings, SizeIs(2));
  EXPECT_EQ(judgement.findings[1].rule, "2");
  ASSERT_TRUE(judgement.verdict);
  EXPECT_EQ(judgement.verdict->kind, Kind::kAck);
}

TEST(Judge, NackAllRefusesEachVersionOnceAndThenStaysSilent) {
  Judge judge({.nack_all = true, .nack_message = "no"});
  source::Update update;
  update.type_url = "T";
  update.version = "1";
  EXPECT_EQ(judge(update).verdict->kind, Kind::kNack);
  EXPECT_FALSE(judge(update).verdict);
  update.version = "2";
  EXPECT_EQ(judge(update).verdict->kind, Kind::kNack);
  update.type_url = "U";
  EXPECT_EQ(judge(update).verdict->kind, Kind::kNack);
}

// A delta server need not say a version of the state.
TEST(Judge, NackAllTellsResponsesApartByTheVersionsOfTheirResources) {
  Judge judge({.nack_all = true});
  source::Update update;
  update.type_url = "T";
  update.resources.push_back(Undecodable("a"));
  EXPECT_TRUE(judge(update).verdict);
  EXPECT_FALSE(judge(update).verdict);
  update.resources.back().version = "2";
  EXPECT_TRUE(judge(update).verdict);
  update.absences.push_back({.name = "b"});
  EXPECT_TRUE(judge(update).verdict);
}

TEST(Judge, EntriesWithoutPayloadTellResponsesApartByWhatIsWrongWithThem) {
  Judge judge({.on_invalid = OnInvalid::kNack});
  source::Update update;
  update.findings = {Found("XDS-S055", "a", "a heartbeat of version '4'")};
  EXPECT_FALSE(judge(update).repeated);
  EXPECT_TRUE(judge(update).repeated);
  update.findings = {Found("XDS-S056", "b", "a heartbeat of a resource that was not sent")};
  EXPECT_FALSE(judge(update).repeated);
}

}  // namespace
}  // namespace xdscope::client
