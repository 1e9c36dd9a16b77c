#include "cli/commands/validate/live.h"

#include <gmock/gmock.h>

#include <memory>

#include "tests/fake/messages.h"

namespace xdscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class JudgeFetchedTest : public testing::Test {
 protected:
  // "FILE RESOURCE RULE" of each finding.
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    for (const client::JudgedFile& file : JudgeFetched(outcome_, "h:1", {}, types_)) {
      for (const finding::Finding& finding : file.findings) {
        lines.push_back(file.name + " " + finding.resource + " " + std::string(finding.rule));
      }
    }
    return lines;
  }
  void Fetch(std::string_view type_url, const std::string& name, const std::string& payload) {
    const auto buffer = std::make_shared<const std::string>(payload);
    resource::Delivery delivery;
    delivery.type_url = type_url;
    delivery.resources.push_back({.name = name,
                                  .unnamed = false,
                                  .version = "1",
                                  .type_url = type_url,
                                  .payload = *buffer,
                                  .entry = *buffer,
                                  .message = wire::Open(type_url, *buffer, types_),
                                  .buffer = buffer});
    outcome_.snapshot.Apply(std::move(delivery), types_);
    ++outcome_.response_count;
  }
  void Find(std::string_view rule, std::string_view type_url) {
    finding::Finding finding;
    finding.rule = rule;
    finding.type_url = type_url;
    finding.resource = "a";
    finding.entry = 7;
    outcome_.findings.push_back(finding);
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  client::Outcome outcome_;
};

TEST_F(JudgeFetchedTest, AServerOfWhichNothingCameIsLikeAFileThatCannotBeRead) {
  outcome_.failures.push_back({.type_url = {}, .status = absl::UnavailableError("connection refused")});
  const std::vector<client::JudgedFile> files = JudgeFetched(outcome_, "h:1", {}, types_);
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].name, "h:1");
  ASSERT_THAT(files[0].findings, SizeIs(1));
  EXPECT_EQ(files[0].findings[0].message, "connection refused");
}

TEST_F(JudgeFetchedTest, WhatTheServerDidWrongStandsBesideWhatIsWrongWithItsResources) {
  Fetch(fake::kRtds, "r", fake::Payload("r"));
  Fetch(fake::kCds, "a", fake::Payload("a", fake::Field(4, "")));
  Find("XDS-S014", fake::kCds);
  Find("XDS-S012", fake::kCds);  // which is found in the resource as well
  Find("pgv.duration.gt", fake::kCds);
  std::vector<std::string> lines = Lines();
  std::erase_if(lines, [](const std::string& line) { return line.ends_with("XDS-V114"); });  // gRPC's
  EXPECT_THAT(lines, ElementsAre("h:1 cds a pgv.duration.gt", "h:1 cds a XDS-S014"));
}

}  // namespace
}  // namespace xdscope::cli
