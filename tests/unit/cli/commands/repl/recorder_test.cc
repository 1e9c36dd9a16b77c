#include "cli/commands/repl/recorder.h"

#include <gtest/gtest.h>

namespace xdscope::cli {
namespace {

using std::chrono::seconds;

base::Time At(int second) {
  return base::Time(seconds(1000 + second));
}

TEST(Recorder, ResponsesThatHadComeAreWaitedForBeforeTheNextLine) {
  Recorder recorder;
  recorder.OnLine("sub cds", 1, At(0));
  recorder.OnResponse({1, "cds", 1, At(1)});
  recorder.OnResponse({1, "eds", 2, At(2)});
  recorder.OnLine("ack cds", 1, At(3));
  EXPECT_EQ(recorder.Script(), "sub cds\nwait cds\nwait eds\nack cds\n");
}

TEST(Recorder, TypesAsLongAsMessagesFillNoMemory) {
  Recorder recorder;
  for (int i = 0; i < 8; ++i) recorder.OnResponse({1, std::string(Recorder::kMostOfTypes / 4, 't'), 1, At(1)});
  recorder.OnLine("ack", 1, At(2));
  EXPECT_LT(recorder.Script().size(), Recorder::kMostOfTypes + 100);
  recorder.OnResponse({1, "cds", 9, At(3)});
  recorder.OnLine("ack", 1, At(4));
  EXPECT_TRUE(recorder.Script().ends_with("wait cds\nack\n"));
}

TEST(Recorder, LinesThatAreTooManyAreCounted) {
  Recorder recorder;
  for (int i = 0; i < 3; ++i) recorder.OnLine("# " + std::string(TypedLines::kMost / 2, 'x'), 1, At(1));
  EXPECT_TRUE(recorder.Script().starts_with("# the first 2 lines are left out"));
}

TEST(Recorder, AResponseIsWaitedForOnce) {
  Recorder recorder;
  recorder.OnResponse({1, "cds", 1, At(1)});
  recorder.OnResponse({1, "eds", 2, At(1)});
  recorder.OnWait("wait eds --for 9s", 1, 2, At(2));
  EXPECT_EQ(recorder.Script(), "wait cds\nwait eds --for 9s\n");
  recorder.OnWait("wait", 1, 1, At(2));
  EXPECT_EQ(recorder.Script(), "wait cds\nwait eds --for 9s\n");
}

TEST(Recorder, WhatTookLongMayTakeLong) {
  Recorder recorder;
  recorder.OnLine("sub cds", 1, At(0));
  recorder.OnResponse({1, "cds", 1, At(60)});
  recorder.OnLine("ack", 1, At(61));
  EXPECT_EQ(recorder.Script(), "sub cds\nwait cds --for 65s\nack\n");
}

TEST(Recorder, AnotherStreamIsTheCurrentOneForAMoment) {
  Recorder recorder;
  recorder.OnResponse({2, "cds", 1, At(0)});
  recorder.OnLine("ack", 1, At(1));
  EXPECT_EQ(recorder.Script(), "use 2\nwait cds\nuse 1\nack\n");
}

TEST(Recorder, OfAFloodTheFirstResponsesAreKept) {
  Recorder recorder;
  for (std::uint64_t i = 0; i < 2 * Recorder::kMostResponses; ++i) recorder.OnResponse({1, "cds", i, At(0)});
  recorder.OnLine("ack", 1, At(1));
  EXPECT_EQ(recorder.Script().size(), 9 * Recorder::kMostResponses + 4);
}

TEST(Recorder, ALineThatHoldsASecretIsLeftOutAndSaid) {
  Recorder recorder;
  recorder.OnLine(" node api_key=s3cr3t", 1, At(0));
  EXPECT_EQ(recorder.Script(), "# node: left out, because it holds a secret\n");
}

TEST(HoldsSecret, LooksAtKeys) {
  for (const char* line : {"node token=x", "node access_token:=1", "send '{node: {metadata: {password: x}}}'",
                           "send '{\"client_secret\" : 1}'", "nack 'Authorization: Bearer abc'", "nack bearer x"}) {
    EXPECT_TRUE(HoldsSecret(line)) << line;
  }
  for (const char* line :
       {"sub sds token", "show sds my-secret", "node id=web", "send '{type_url: x}'", "", "nack cds a = b"}) {
    EXPECT_FALSE(HoldsSecret(line)) << line;
  }
}

}  // namespace
}  // namespace xdscope::cli
