#include "lib/client/held_judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/finding/rules.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HeldJudgeTest : public testing::Test {
 protected:
  // Holds resources of these payloads, by name.
  void Hold(std::string_view type_url, const std::vector<std::pair<std::string, std::string>>& payloads) {
    resource::Delivery delivery;
    delivery.type_url = type_url;
    for (const auto& [name, payload] : payloads) {
      const auto buffer = std::make_shared<const std::string>(payload);
      delivery.resources.push_back({.name = name,
                                    .unnamed = false,
                                    .version = "1",
                                    .type_url = type_url,
                                    .payload = *buffer,
                                    .entry = *buffer,
                                    .message = wire::Open(type_url, *buffer, types_),
                                    .buffer = buffer});
    }
    held_.Apply(std::move(delivery), types_);
  }
  // "FILE RESOURCE PATH RULE" of each finding that is not about gRPC.
  std::vector<std::string> Lines(const rules::SetOptions& options = {}) {
    std::vector<std::string> lines;
    for (const JudgedFile& file : JudgeHeld(held_, options, types_)) {
      for (const finding::Finding& finding : file.findings) {
        if (finding::FindRule(finding.rule)->client == finding::Client::kGrpc) continue;
        lines.push_back(
            fmt::format("{} {} {} {}", file.name, finding.resource, finding::ToText(finding.path), finding.rule));
      }
    }
    return lines;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  resource::Snapshot held_;
};

TEST_F(HeldJudgeTest, WhereNothingIsHeldNothingIsWrong) {
  EXPECT_THAT(JudgeHeld(held_, {}, types_), IsEmpty());
}

TEST_F(HeldJudgeTest, EachResourceIsJudgedByAllRules) {
  Hold(fake::kCds, {{"a", fake::Payload("a")},
                    {"b", fake::Payload("b", fake::Number(2, 3))},
                    {"c", fake::Payload("c", fake::Field(4, ""))}});
  EXPECT_THAT(Lines(), ElementsAre("cds b type XDS-V070", "cds c connect_timeout pgv.duration.gt"));
  EXPECT_THAT(JudgeHeld(held_, {}, types_).front().resources, SizeIs(3));
}

TEST_F(HeldJudgeTest, WhatCannotBeOpenedIsAFinding) {
  Hold(fake::kCds, {{"a", "\xff"}});
  Hold("type.googleapis.com/own.Type", {{"x", ""}});
  EXPECT_THAT(Lines(), ElementsAre("cds a  XDS-V127", "own.Type x  XDS-V120"));
}

TEST_F(HeldJudgeTest, AReferenceThatLeadsNowhereIsSaidWhereAllIsHeld) {
  Hold(fake::kCds, {{"a", fake::EdsCluster("a", fake::AdsSource()) + fake::Number(2, 3)}});
  Hold(fake::kEds, {{"b", fake::Payload("b")}});
  EXPECT_THAT(Lines(), ElementsAre("cds a eds_cluster_config XDS-V210"));
  EXPECT_THAT(Lines({.where = {}}), IsEmpty());
}

}  // namespace
}  // namespace xdscope::client
