#include "cli/print/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/test_resources.h"

namespace xdscope::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

format::Change ChangeOf(std::optional<std::string> before, std::optional<std::string> after) {
  return {.path = finding::Path().AddField("a").AddIndex(3).AddField("b"),
          .before = std::move(before),
          .after = std::move(after)};
}

TEST(ChangeLine, SaysThePathAndBothValues) {
  EXPECT_EQ(ChangeLine(ChangeOf("100", "200")), "a[3].b: 100 → 200");
  EXPECT_EQ(ChangeLine(ChangeOf(std::nullopt, R"({"c":1})")), R"(+ a[3].b: {"c":1})");
  EXPECT_EQ(ChangeLine(ChangeOf(R"("x")", std::nullopt)), R"(- a[3].b: "x")");
  EXPECT_EQ(ChangeLine({.path = {}, .before = "1", .after = "2"}), "1 → 2");
}

TEST(ChangeLine, SaysThatAnOrderChanged) {
  format::Change change = ChangeOf(R"(["x","y"])", R"(["y","x"])");
  change.order = true;
  EXPECT_EQ(ChangeLine(change), R"(a[3].b (order): ["x","y"] → ["y","x"])");
}

TEST(ChangeLine, SaysThatASecretChangedWithoutShowingIt) {
  const std::string hidden(format::kHiddenValue);
  EXPECT_EQ(ChangeLine(ChangeOf(hidden, hidden)), "a[3].b: [redacted] → [redacted] (changed)");
  EXPECT_EQ(ChangeLine(ChangeOf(R"({"k":"[redacted]"})", R"({"k":"[redacted]"})")),
            R"(a[3].b: {"k":"[redacted]"} → {"k":"[redacted]"} (changed))");
  EXPECT_EQ(ChangeLine(ChangeOf(std::nullopt, hidden)), "+ a[3].b: [redacted]");
}

TEST(ChangeLine, CutsLongValues) {
  const std::string longer(150, 'x');
  EXPECT_EQ(ChangeLine(ChangeOf("y" + longer, std::nullopt)), "- a[3].b: y" + longer.substr(0, 98) + "…");
  EXPECT_EQ(ChangeLine(ChangeOf("y" + longer, "z")), "a[3].b: y" + longer.substr(0, 98) + "… → z");
}

TEST(ChangeLine, OfLongValuesThatBeginAlikeItShowsWhereTheyDiffer) {
  const std::string head(150, 'x');
  EXPECT_EQ(ChangeLine(ChangeOf(head + "1", head + "2")),
            "a[3].b: …" + std::string(20, 'x') + "1 → …" + std::string(20, 'x') + "2");
  // Not in the middle of a character.
  std::string accents;
  for (int i = 0; i < 120; ++i) accents += "é";
  EXPECT_EQ(ChangeLine(ChangeOf(accents + "x1", accents + "x2")),
            "a[3].b: …éééééééééé"
            "x1 → …éééééééééé"
            "x2");
  EXPECT_THAT(ChangeLine(ChangeOf(head, head + "2")), EndsWith("xx → …" + std::string(20, 'x') + "2"));
}

TEST(ChangeLine, NoNameSteersTheTerminal) {
  const format::Change change{.path = finding::Path().AddKey("\x1b[2J\xC2\x9B"), .before = "1", .after = "2"};
  EXPECT_EQ(ChangeLine(change), "[\"\\u001b[2J\\xc2\\x9b\"]: 1 → 2");
}

class ChangePrinterTest : public testing::Test {
 protected:
  // Makes what is there now the state before.
  void Forward() {
    before_ = std::move(world_.snapshot);
    world_.snapshot = resource::Snapshot();
  }
  std::string Printed(const std::function<bool(ChangePrinter&)>& print) {
    std::string text;
    format::Output out([&](std::string_view chunk) {
      text.append(chunk);
      return absl::OkStatus();
    });
    ChangePrinter printer(world_.types, {}, out);
    const bool changed = print(printer);
    EXPECT_TRUE(out.Flush().ok());
    EXPECT_EQ(changed, !text.empty());
    return text;
  }
  std::string Printed() {
    return Printed([&](ChangePrinter& printer) { return printer.Snapshots(before_, world_.snapshot); });
  }

  TestResources world_;
  resource::Snapshot before_;
};

TEST_F(ChangePrinterTest, SaysWhatCameWentAndChanged) {
  world_.Add("cds", {{"b", "name: 'b'"}, {"c", "name: 'c' lb_policy: RANDOM"}, {"d", "name: 'd'"}});
  world_.Add("eds", {{"b", "cluster_name: 'b'"}});
  Forward();
  world_.Add("lds", {{"l", "name: 'l'"}});
  world_.Add("cds", {{"a", "name: 'a'"}, {"c", "name: 'c' alt_stat_name: 'x'"}, {"d", "name: 'd'"}});
  EXPECT_EQ(Printed(),
            "+ lds:l\n"
            "+ cds:a\n"
            "- cds:b\n"
            "~ cds:c\n"
            "    - lb_policy: \"RANDOM\"\n"
            "    + alt_stat_name: \"x\"\n"
            "- eds:b\n");
}

TEST_F(ChangePrinterTest, SaysNothingOfTheSame) {
  world_.Add("cds", {{"a", "name: 'a'"}});
  Forward();
  world_.Add("cds", {{"a", "name: 'a'"}});
  EXPECT_EQ(Printed(), "");
}

TEST_F(ChangePrinterTest, ASecretIsOneWhateverItsOwnType) {
  const std::string url = TestResources::UrlOf("sds");
  world_.Add("google.protobuf.StringValue", {{"a", "value: 'HUSH1'"}});
  Forward();
  world_.Add("google.protobuf.StringValue", {{"a", "value: 'HUSH2'"}});
  const std::string own = TestResources::UrlOf("google.protobuf.StringValue");
  const std::string text = Printed([&](ChangePrinter& printer) {
    return printer.Resource(url, before_.Find(own, "a"), world_.snapshot.Find(own, "a"));
  });
  EXPECT_EQ(text, "~ sds:a\n    [redacted] → [redacted] (changed)\n");
}

TEST_F(ChangePrinterTest, AnUnreadableResourceIsComparedAsBytes) {
  const std::string url = "type.googleapis.com/no.such.Type";
  const auto bytes = std::make_shared<const std::string>("ab");
  const auto resource = [&](std::string_view payload) {
    return resource::Resource{.name = "x",
                              .version = "",
                              .type_url = url,
                              .payload = payload,
                              .entry = {},
                              .message = absl::NotFoundError(""),
                              .buffer = bytes};
  };
  const resource::Resource before = resource(std::string_view(*bytes).substr(0, 1));
  const resource::Resource after = resource(std::string_view(*bytes).substr(1));
  const std::string text = Printed([&](ChangePrinter& printer) { return printer.Resource(url, &before, &after); });
  EXPECT_THAT(text, StartsWith("~ no.such.Type:x\n    "));
  EXPECT_THAT(text, HasSubstr("→"));
  EXPECT_EQ(Printed([&](ChangePrinter& printer) { return printer.Resource(url, &before, &before); }), "");
}

}  // namespace
}  // namespace xdscope::cli
