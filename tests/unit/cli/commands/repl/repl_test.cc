#include "cli/commands/repl/repl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/memory_files.h"
#include "tests/fake/messages.h"

namespace xdscope::cli {
namespace {

using fake::kCds;
using fake::kEds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Takes what is said, and lets time pass when somebody waits.
class TestConsole final : public Console {
 public:
  explicit TestConsole(fake::FakeClock& clock) : clock_(clock) {
    out_.write = [this](std::string_view text) {
      printed.append(text);
      return true;
    };
  }
  bool NextLine(Repl&, std::string*) override { return false; }
  const OutputStream& out() override { return out_; }
  void Remark(std::string_view line) override { announced.emplace_back(line); }
  std::vector<std::string> History() const override { return {"sub cds", "ack"}; }
  void Announce(std::string_view line) override { announced.emplace_back(line); }
  void Changed() override {}
  bool Wait(const std::function<bool()>& done, base::Duration limit) override {
    if (!done()) clock_.Advance(limit);
    return done();
  }

  std::string printed;
  std::vector<std::string> announced;

 private:
  fake::FakeClock& clock_;
  OutputStream out_;
};

class ReplTest : public testing::Test {
 protected:
  ReplTest() {
    Repl::Settings settings;
    settings.connect.where = "server";
    settings.output.width = 0;
    Repl::Services services;
    services.make_source = [this](types::Variant variant, const std::string& node, const std::string& target) {
      targets_.push_back(target);
      source::GrpcSource::Settings made;
      made.variant = variant;
      made.session.node = node;
      return std::make_unique<source::GrpcSource>(clock_, channel_, types_, std::move(made));
    };
    services.explain = [](const absl::Status& status, bool, const std::string&) {
      return Repl::Explanation{std::string(base::Message(status)), "start the server"};
    };
    services.flag_value = [this](std::string_view flag) { return flags_[std::string(flag)]; };
    services.set_keys = [](std::string_view) { return absl::FailedPreconditionError("there are no keys"); };
    services.files = &disk_;
    services.set_flag = [this](std::string_view flag, const std::string& value, Repl::Settings*) {
      flags_[std::string(flag)] = value;
      return absl::OkStatus();
    };
    services.read_file = [this](const std::string& path) -> absl::StatusOr<std::string> {
      const auto found = files_.find(path);
      if (found == files_.end()) return absl::InvalidArgumentError("no such file");
      return found->second;
    };
    services.write_file = [this](const std::string& path, std::string_view contents) {
      files_[path] = contents;
      return absl::OkStatus();
    };
    repl_.emplace(settings, console_, clock_, types_, services);
    EXPECT_TRUE(repl_->Start().ok());
  }

  void Do(std::string_view line) { EXPECT_EQ(repl_->Execute(line), absl::OkStatus()) << line; }
  std::string Fails(std::string_view line) {
    const absl::Status status = repl_->Execute(line);
    EXPECT_FALSE(status.ok()) << line;
    return std::string(base::Message(status));
  }
  // Types a line and returns what it prints.
  std::string Printed(std::string_view line) {
    console_.printed.clear();
    Do(line);
    return console_.printed;
  }

  fake::FakeStream& stream() { return channel_.last(); }
  // What was sent since this was last asked.
  std::vector<protocol::Request> Sent(protocol::Variant variant = protocol::Variant::kSotw) {
    while (stream().writing) stream().Written();
    std::vector<protocol::Request> requests;
    for (; read_ < stream().written.size(); ++read_) {
      requests.push_back(*protocol::DecodeRequest(variant, stream().written[read_]));
    }
    return requests;
  }
  // Connects, asks for all clusters and gets two.
  void Begin() {
    Do("sub cds");
    stream().Connect();
    Sent();
    stream().Deliver(
        fake::Sotw({.type_url = kCds, .version = "1", .nonce = "n1", .resources = fake::Named({"a", "b"})}));
  }

  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  TestConsole console_{clock_};
  std::map<std::string, std::string> files_;
  fake::MemoryFiles disk_;
  std::map<std::string, std::string> flags_;
  std::vector<std::string> targets_;
  std::size_t read_ = 0;
  std::optional<Repl> repl_;
};

TEST_F(ReplTest, NothingIsSentThatWasNotTyped) {
  EXPECT_THAT(Sent(), IsEmpty());
  Begin();
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_THAT(console_.announced.back(), HasSubstr("CDS 1 nonce n1: 2 resources (+2)"));
  EXPECT_THAT(console_.announced.back(), HasSubstr("waiting for ack or nack"));
  EXPECT_EQ(repl_->Prompt(), "1 ads server 1 waiting> ");
}

TEST_F(ReplTest, AnAckTakesWhatCame) {
  Begin();
  EXPECT_EQ(Printed("show"), "");
  Do("ack");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "1");
  EXPECT_EQ(sent[0].nonce, "n1");
  EXPECT_THAT(Printed("list cds"), HasSubstr("a"));
  EXPECT_EQ(Fails("ack"), "no response waits for an answer");
}

TEST_F(ReplTest, ANackSaysTheWordsAndTheCode) {
  Begin();
  Do("nack cds 'bad cluster' a --code 3");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "");
  ASSERT_TRUE(sent[0].error);
  EXPECT_EQ(sent[0].error->code, 3);
  EXPECT_EQ(sent[0].error->message, "bad cluster a");
  EXPECT_EQ(Printed("show"), "");
}

TEST_F(ReplTest, AnAnswerMayBeGivenTwiceAndTheRuleIsSaid) {
  Begin();
  Do("ack");
  Sent();
  Do("ack #2");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].nonce, "n1");
  EXPECT_EQ(sent[0].version, "1");
  EXPECT_THAT(console_.announced, testing::Contains(HasSubstr("has had its answer")));
}

TEST_F(ReplTest, InterestThatChangesWhileAResponseWaitsGoesOutWithTheAnswer) {
  Begin();
  Do("sub cds extra");
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_THAT(console_.announced.back(), HasSubstr("B.0-7"));
  Do("ack");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0].names, ElementsAre("*", "extra"));
}

TEST_F(ReplTest, NowSendsInterestAtOnce) {
  Begin();
  Do("sub cds extra --now");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0].names, ElementsAre("*", "extra"));
  EXPECT_EQ(sent[0].nonce, "");
}

TEST_F(ReplTest, UnsubWithoutANameDropsNamesToo) {
  Do("sub eds a b");
  stream().Connect();
  Sent();
  Do("unsub eds");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0].names, IsEmpty());
}

TEST_F(ReplTest, ARequestIsSentAsItIsWritten) {
  Begin();
  Do("send '{type_url: x, response_nonce: never, version_info: \"9\"}'");
  EXPECT_THAT(Fails("send '{typ_url: x}'"), HasSubstr("typ_url"));
  Do("send '{type_url: type.googleapis.com/envoy.config.cluster.v3.Cluster, response_nonce: never}'");
}

TEST_F(ReplTest, AutoAnswersByItself) {
  Do("auto ack");
  Begin();
  ASSERT_THAT(Sent(), SizeIs(1));
  EXPECT_THAT(Printed("state"), HasSubstr("ACKED"));
}

TEST_F(ReplTest, AStreamThatDiesIsSaidAndOpensAgain) {
  Begin();
  Do("ack");
  Sent();
  stream().Close(absl::UnavailableError("gone"));
  EXPECT_THAT(console_.announced.back(), HasSubstr("gone"));
  EXPECT_EQ(repl_->Prompt(), "1 ads server closed> ");
  Do("reopen");
  read_ = 0;
  stream().Connect();
  std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "1");
  EXPECT_EQ(sent[0].nonce, "");
}

TEST_F(ReplTest, FreshForgetsTheVersion) {
  Begin();
  Do("ack");
  Sent();
  stream().Close(absl::UnavailableError("gone"));
  Do("reopen --fresh");
  read_ = 0;
  stream().Connect();
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "");
  EXPECT_EQ(Printed("show"), "");
}

TEST_F(ReplTest, WaitIsOverWithAResponseThatNoWaitHasSeen) {
  Begin();
  Do("wait cds");
  EXPECT_EQ(Fails("wait cds --for 1s"), "no response came in time");
}

TEST_F(ReplTest, ExpectLooksAtWhatIsHeld) {
  Begin();
  EXPECT_EQ(Fails("expect cds a --for 1s"), "it is not held");
  Do("expect not cds a");
  Do("ack");
  Do("expect cds a");
  EXPECT_EQ(Fails("expect not cds a"), "it is held");
}

TEST_F(ReplTest, TheLogNumbersBothDirections) {
  Begin();
  Do("ack");
  Sent();
  const std::string log = Printed("log");
  EXPECT_THAT(log, HasSubstr("->  cds"));
  EXPECT_THAT(log, HasSubstr("ACK"));
  EXPECT_THAT(Printed("request 1"), HasSubstr("type_url: type.googleapis.com/envoy.config.cluster.v3.Cluster"));
  EXPECT_THAT(Printed("response 2"), HasSubstr("nonce: n1"));
  EXPECT_EQ(Fails("request 2"), "2: is no request in the log");
}

TEST_F(ReplTest, StreamsStandSideBySide) {
  Begin();
  Do("open delta-ads other:1 cds");
  EXPECT_THAT(targets_, ElementsAre("", "other:1"));
  EXPECT_THAT(Printed("streams"), HasSubstr("delta-ads"));
  EXPECT_EQ(repl_->Prompt(), "2 delta-ads other:1 closed> ");
  Do("use 1");
  Do("ack");
  EXPECT_THAT(Fails("use 7"), HasSubstr("there is no stream 7"));
}

TEST_F(ReplTest, AVerbMayBeShortenedWhereThatIsUnique) {
  EXPECT_THAT(Fails("re"), HasSubstr("may be resub, request, response, reopen"));
  EXPECT_THAT(Fails("subb"), HasSubstr("sub"));
  Do("pend");
}

TEST_F(ReplTest, AScriptEndsAtTheFirstLineThatFails) {
  files_["bug.xds"] = "# all is well\nsub cds\n\nnosuch\nsub eds\n";
  EXPECT_THAT(Fails("source bug.xds"), HasSubstr("bug.xds:4: nosuch: is no verb"));
}

TEST_F(ReplTest, WhatWasTypedIsSavedAsAScript) {
  Do("sub cds a");
  Fails("nosuch");
  Do("set output json");
  Do("save bug.xds");
  EXPECT_EQ(files_["bug.xds"], "sub cds a\nset output json\n");
  EXPECT_EQ(flags_["output"], "json");
}

TEST_F(ReplTest, EachVerbHasAnExampleThatItsTableKnows) {
  for (const std::string_view verb : {"sub", "ack", "nack", "expect", "reopen"}) {
    EXPECT_THAT(Printed("help " + std::string(verb)), HasSubstr("for example: " + std::string(verb)));
  }
}

}  // namespace
}  // namespace xdscope::cli
