#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/watch/json_printer.h"
#include "cli/commands/watch/text_printer.h"
#include "tests/unit/cli/test_resources.h"

namespace xdscope::cli {
namespace {

using client::ResourceEvent;
using testing::HasSubstr;
using testing::MatchesRegex;
using Kind = ResourceEvent::Kind;

// Both printers, told the same.
class WatchPrinterTest : public testing::Test {
 protected:
  void Add(const std::string& name, const std::string& text, bool earlier = false) {
    world_.Add("cds", {{name, text}});
    if (!earlier) return;
    before_ = std::move(world_.snapshot);
    world_.snapshot = resource::Snapshot();
  }
  // Tells of a change of the cluster "a".
  void Tell(Kind kind, std::string_view words = {}) {
    const bool has_before = kind == Kind::kChanged || kind == Kind::kRemoved || kind == Kind::kExpired;
    const bool has_after = kind == Kind::kAdded || kind == Kind::kChanged;
    const ResourceEvent event{.kind = kind,
                              .type_url = url_,
                              .name = "a",
                              .version = "7",
                              .before = has_before ? before_.Find(url_, "a") : nullptr,
                              .after = has_after ? world_.snapshot.Find(url_, "a") : nullptr,
                              .words = words};
    Both([&](WatchPrinter& printer) { printer.Resource(event); });
  }
  void Respond(const protocol::Verdict& verdict) {
    source::Update update;
    update.type_url = url_;
    update.version = "7";
    update.nonce = "n";
    update.entries = 2;
    update.bytes = std::make_shared<const std::string>("12345");
    client::Judgement judgement;
    judgement.verdict = verdict;
    Both([&](WatchPrinter& printer) { printer.Response(update, judgement); });
  }
  void Both(const std::function<void(WatchPrinter&)>& tell) {
    tell(text_printer_);
    tell(json_printer_);
  }
  std::string Text() {
    text_printer_.Told();
    EXPECT_TRUE(text_out_.Flush().ok());
    return std::exchange(text_, {});
  }
  std::string Json() {
    EXPECT_TRUE(json_out_.Flush().ok());
    return std::exchange(json_, {});
  }
  static format::Output::Sink To(std::string* text) {
    return [text](std::string_view chunk) {
      text->append(chunk);
      return absl::OkStatus();
    };
  }

  const std::string url_ = TestResources::UrlOf("cds");
  TestResources world_;
  resource::Snapshot before_;
  std::chrono::system_clock::time_point now_{std::chrono::milliseconds(1'000)};
  WallClock wall_ = [this] { return now_; };
  std::string text_;
  std::string json_;
  format::Output text_out_{To(&text_)};
  format::Output json_out_{To(&json_)};
  TextPrinter text_printer_{{.output = {}, .full = false, .wall = wall_}, world_.types, text_out_};
  JsonPrinter json_printer_{{}, wall_, world_.types, json_out_};
};

TEST_F(WatchPrinterTest, AResponseIsAHeadWithCountsAndTheChangesBelow) {
  Add("a", "name: 'a' lb_policy: RANDOM", true);
  Add("a", "name: 'a' lb_policy: MAGLEV");
  Respond(protocol::Verdict::Ack());
  Tell(Kind::kChanged);
  Tell(Kind::kRemoved);
  EXPECT_THAT(Text(), MatchesRegex("..:..:01.000 <- CDS 7 nonce n: 2 resources \\(~1 -1\\), 5 B: ack\n"
                                   "~ cds:a\n    lb_policy: \"RANDOM\" → \"MAGLEV\"\n- cds:a\n"));
  const std::string head = R"({"time":"1970-01-01T00:00:01.000Z","event":)";
  const std::string type = R"("type_url":")" + url_ + R"(",)";
  EXPECT_EQ(Json(), head + R"("ack",)" + type + R"("version":"7","nonce":"n"})" + "\n" + head + R"("changed",)" + type +
                        R"("name":"a","version":"7","changes":[{"path":"lb_policy","old":"RANDOM","new":"MAGLEV"}],)" +
                        R"("resource":{"@type":")" + url_ + R"(","name":"a","lb_policy":"MAGLEV"}})" + "\n" + head +
                        R"("removed",)" + type + R"("name":"a","version":"7"})" + "\n");
}

TEST_F(WatchPrinterTest, TheNextHeadSaysHowLongAfter) {
  Respond(protocol::Verdict::Ack());
  Text();
  now_ += std::chrono::milliseconds(1500);
  Respond(protocol::Verdict::Nack("bad"));
  EXPECT_THAT(Text(), MatchesRegex("..:..:02.500 <- CDS 7 nonce n: 2 resources, 5 B, after 1.5 s: nack \"bad\"\n"));
  EXPECT_THAT(Json(), HasSubstr(R"("version":"7","nonce":"n","message":"bad"})"));
}

TEST_F(WatchPrinterTest, WhatHappensWithoutAResponseHasAHeadOfItsOwn) {
  Add("a", "name: 'a'", true);
  Tell(Kind::kExpired);
  Tell(Kind::kAbsent, "no\nanswer");
  EXPECT_THAT(Text(), MatchesRegex("..:..:01.000 -- 1 expired, 1 absent\n- cds:a: its time to live is over\n"
                                   "\\? cds:a: absent: no\\\\nanswer\n"));
  EXPECT_THAT(Json(),
              HasSubstr(R"("event":"absent","type_url":")" + url_ + R"(","name":"a","version":"7","message":)"));
}

TEST_F(WatchPrinterTest, ARefusedResourceSaysWhy) {
  Respond(protocol::Verdict::Nack("a: bad"));
  Tell(Kind::kRefused, "bad");
  EXPECT_THAT(Text(), HasSubstr("(!1), 5 B: nack \"a: bad\"\n! cds:a: refused: bad\n"));
  EXPECT_THAT(Json(), HasSubstr(R"("event":"refused")"));
}

TEST_F(WatchPrinterTest, FullPrintsTheResource) {
  Add("a", "name: 'a' lb_policy: RANDOM", true);
  Add("a", "name: 'a' lb_policy: MAGLEV");
  TextPrinter printer({.output = {}, .full = true, .wall = wall_}, world_.types, text_out_);
  const ResourceEvent event{.kind = Kind::kChanged,
                            .type_url = url_,
                            .name = "a",
                            .before = before_.Find(url_, "a"),
                            .after = world_.snapshot.Find(url_, "a")};
  printer.Resource(event);
  printer.Told();
  EXPECT_THAT(Text(), HasSubstr("~ cds:a\n    \"@type\": " + url_ + "\n    name: a\n    lb_policy: MAGLEV\n"));
}

TEST_F(WatchPrinterTest, NamesAloneHaveNoDifferences) {
  Add("a", "name: 'a' lb_policy: RANDOM", true);
  Add("a", "name: 'a' lb_policy: MAGLEV");
  OutputOptions names;
  names.layout = Layout::kNames;
  TextPrinter printer({.output = names, .full = false, .wall = wall_}, world_.types, text_out_);
  printer.Resource({.kind = Kind::kChanged,
                    .type_url = url_,
                    .name = "a",
                    .before = before_.Find(url_, "a"),
                    .after = world_.snapshot.Find(url_, "a")});
  printer.Told();
  EXPECT_THAT(Text(), testing::EndsWith("-- 1 changed\n~ cds:a\n"));
}

TEST_F(WatchPrinterTest, StreamsComeAndGo) {
  Both([](WatchPrinter& printer) {
    printer.Connected({});
    printer.Closed({.stream = {}, .status = absl::UnavailableError("gone"), .reopens_in = std::chrono::seconds(2)});
    printer.Closed({.stream = {}, .status = absl::OkStatus(), .reopens_in = std::chrono::milliseconds(400)});
    printer.Closed({.stream = "type.googleapis.com/x.Y", .status = absl::UnimplementedError("no")});
  });
  EXPECT_THAT(Text(), MatchesRegex(".* -- connected\n.* -- disconnected: UNAVAILABLE: gone; next attempt in 2.0 s\n"
                                   ".* -- disconnected: the server ended the stream; next attempt in 400 ms\n"
                                   ".* -- disconnected of x.Y: UNIMPLEMENTED: no; it is not opened again\n"));
  EXPECT_THAT(Json(), HasSubstr(R"("event":"disconnected","status":"UNAVAILABLE","message":"gone"})"));
}

TEST_F(WatchPrinterTest, WhatIsSentAgainAfterItWasRefusedIsCounted) {
  Both([&](WatchPrinter& printer) {
    printer.Repeated({url_, "7", 1, {}});
    printer.Repeated({url_, "7", 335, std::chrono::milliseconds(3)});
  });
  EXPECT_THAT(Text(),
              MatchesRegex(".* !! cds 7: the server sends again what was refused: 1 time\n"
                           ".* !! cds 7: the server sends again what was refused: 335 times, the last after 3 ms\n"));
  EXPECT_THAT(Json(), HasSubstr(R"("version":"7","message":"the server sends again what was refused: 335 times"})"));
}

TEST_F(WatchPrinterTest, NoWordOfAServerSteersTheTerminal) {
  Both([](WatchPrinter& printer) {
    printer.Closed({.stream = {}, .status = absl::UnavailableError("\x1b[2J")});
    printer.Unreadable({.stream = {}, .status = absl::DataLossError("\x1b[2J"), .bytes = nullptr});
  });
  EXPECT_THAT(Text(), testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(Json(), testing::Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace xdscope::cli
