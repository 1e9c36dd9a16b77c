#include "cli/commands/serve/folder_findings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace xdscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kCluster = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

finding::Finding Found(std::string_view rule, std::string resource, int line, std::string message = "is wrong") {
  finding::Finding found;
  found.rule = rule;
  found.severity = finding::Severity::kError;
  found.type_url = kCluster;
  found.resource = std::move(resource);
  found.position = {line, 1};
  found.message = std::move(message);
  return found;
}

std::vector<client::JudgedFile> File(std::vector<finding::Finding> findings) {
  client::JudgedFile file;
  file.name = "d/cds.yaml";
  file.findings = std::move(findings);
  return {file};
}

TEST(FolderFindings, WhatIsThereStillIsNoNews) {
  FolderFindings findings;
  findings.Take(File({Found("XDS-V011", "web", 3)}));
  EXPECT_THAT(findings.News({}), ElementsAre("d/cds.yaml:3:1: error: Cluster \"web\": is wrong [XDS-V011]"));
  EXPECT_THAT(findings.News({}), IsEmpty());
  findings.Take(File({Found("XDS-V011", "web", 5), Found("XDS-V011", "api", 9)}));  // a line above it is new
  EXPECT_THAT(findings.News({}), ElementsAre("d/cds.yaml:9:1: error: Cluster \"api\": is wrong [XDS-V011]"));
  findings.Take(File({}));
  EXPECT_THAT(findings.News({}), IsEmpty());
  findings.Take(File({Found("XDS-V011", "web", 5)}));
  EXPECT_THAT(findings.News({}), SizeIs(1));
}

TEST(FolderFindings, WhatANoticeSaysIsSaid) {
  FolderFindings findings;
  findings.Take(File({Found("XDS-V011", "web", 3)}));
  const std::vector<files::Notice> notices = {{"d/cds.yaml", Found("XDS-V011", {}, 3, "in other words")}};
  EXPECT_THAT(findings.News(notices), IsEmpty());
  EXPECT_THAT(findings.News({}), IsEmpty());
}

TEST(FolderFindings, ErrorsComeFirstAndManyAreCounted) {
  std::vector<finding::Finding> many;
  for (int i = 1; i <= 30; ++i) many.push_back(Found("XDS-V011", fmt::format("c{}", i), i));
  many.front().severity = finding::Severity::kWarning;
  FolderFindings findings;
  findings.Take(File(std::move(many)));
  const std::vector<std::string> lines = findings.News({});
  ASSERT_THAT(lines, SizeIs(11));
  EXPECT_EQ(lines.front(), "d/cds.yaml:2:1: error: Cluster \"c2\": is wrong [XDS-V011]");
  EXPECT_EQ(lines.back(), "29 errors and 1 warning in all; xdscope validate says each of them");
}

TEST(FolderFindings, WhatAFileIgnoresAndMereNotesAreNotThere) {
  std::vector<client::JudgedFile> files = File({Found("XDS-V011", "web", 3), Found("XDS-V004", "api", 9)});
  files.front().ignored[3] = {"XDS-V011"};
  files.front().findings.back().severity = finding::Severity::kInfo;
  FolderFindings findings;
  findings.Take(std::move(files));
  EXPECT_THAT(findings.News({}), IsEmpty());
  EXPECT_EQ(findings.errors(), 0);
}

TEST(FolderFindings, OfAResourceAFewAreSaid) {
  std::vector<finding::Finding> many = {Found("XDS-V011", "api", 1)};
  for (int i = 2; i <= 6; ++i) many.push_back(Found("XDS-V011", "web", i, fmt::format("number {}", i)));
  many.back().severity = finding::Severity::kWarning;
  FolderFindings findings;
  findings.Take(File(std::move(many)));
  EXPECT_EQ(findings.errors(), 5);
  EXPECT_THAT(findings.Of(kCluster, "api"), SizeIs(1));
  EXPECT_THAT(findings.Of(kCluster, "web"), SizeIs(4));
  EXPECT_EQ(findings.Of(kCluster, "web").back(), "and 2 more");
  EXPECT_EQ(findings.ErrorsOf(kCluster).back(), "and 2 more");
  EXPECT_THAT(findings.ErrorsOf("type.googleapis.com/other"), IsEmpty());
}

}  // namespace
}  // namespace xdscope::cli
