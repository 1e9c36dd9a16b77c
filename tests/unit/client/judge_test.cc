#include "lib/client/judge.h"

#include <gtest/gtest.h>

namespace xdscope::client {
namespace {

finding::Finding Found(const std::string& resource, std::size_t entry, const std::string& message) {
  finding::Finding finding;
  finding.resource = resource;
  finding.entry = entry;
  finding.message = message;
  return finding;
}

using Answer = session::Verdict::Answer;

source::Update Bad() {
  source::Update update;
  update.type_url = "T";
  update.version = "1";
  update.findings = {Found("a", 0, "cut off"), Found("", 1, "no name")};
  return update;
}

TEST(Judge, GoodResponsesAreAccepted) {
  for (const auto policy :
       {JudgePolicy::OnInvalid::kAck, JudgePolicy::OnInvalid::kNack, JudgePolicy::OnInvalid::kPartial}) {
    EXPECT_EQ(Judge({.on_invalid = policy})(source::Update{}).answer, Answer::kAck);
  }
}

TEST(Judge, LookingDoesNotDisturbTheServerAndStillSaysWhatWasFound) {
  const session::Verdict verdict = Judge({})(Bad());
  EXPECT_EQ(verdict.answer, Answer::kAck);
  EXPECT_EQ(verdict.findings.size(), 2U);
}

TEST(Judge, ARefusalSaysWhatWasFound) {
  const session::Verdict verdict = Judge({.on_invalid = JudgePolicy::OnInvalid::kNack})(Bad());
  EXPECT_EQ(verdict.answer, Answer::kNack);
  EXPECT_FALSE(verdict.partial);
  EXPECT_EQ(verdict.message, "a: cut off; no name");
}

TEST(Judge, ARefusalSaysWhatItWasToldToSay) {
  EXPECT_EQ(Judge({.on_invalid = JudgePolicy::OnInvalid::kNack, .nack_message = "no"})(Bad()).message, "no");
}

TEST(Judge, PartialRefusalsAreMarked) {
  EXPECT_TRUE(Judge({.on_invalid = JudgePolicy::OnInvalid::kPartial})(Bad()).partial);
}

TEST(Judge, NackAllRefusesEachVersionOnceAndThenStaysSilent) {
  Judge judge({.nack_all = true, .nack_message = "no"});
  source::Update update;
  update.type_url = "T";
  update.version = "1";
  EXPECT_EQ(judge(update).answer, Answer::kNack);
  EXPECT_EQ(judge(update).answer, Answer::kWithhold);
  update.version = "2";
  EXPECT_EQ(judge(update).answer, Answer::kNack);
  update.type_url = "U";
  EXPECT_EQ(judge(update).answer, Answer::kNack);
}

}  // namespace
}  // namespace xdscope::client
