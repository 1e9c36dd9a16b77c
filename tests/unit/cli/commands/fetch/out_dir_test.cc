// `fetch --out-dir` onto a disk in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "cli/commands/fetch/out_dir.h"
#include "tests/unit/cli/test_resources.h"
#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OutDirTest : public testing::Test {
 protected:
  OutDirTest() {
    settings_.out_dir = "out";
    settings_.fetch.follow = true;
    world_.Add("cds", {{"c", "eds_cluster_config { eds_config { ads {} } }"}});
    world_.Add("sds", {{"key", "name: 'key' generic_secret { secret { inline_string: 'HIDE' } }"}});
  }

  absl::StatusOr<std::vector<std::string>> Write() {
    if (!world_.snapshot.empty()) outcome_.snapshot = std::exchange(world_.snapshot, {});
    const Streams streams = streams_.Get();
    return WriteOutDir(outcome_, settings_, {}, world_.types, streams,
                       [this] { return streams_.written.size() >= interrupted_after_; });
  }
  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& [path, written] : streams_.written) paths.push_back(path);
    return paths;
  }

  TestResources world_;
  client::Outcome outcome_;
  FetchOptions settings_;
  TestStreams streams_;
  std::size_t interrupted_after_ = 1000;  // files
};

TEST_F(OutDirTest, TheFormatOfTheFilesIsTheirEnding) {
  const std::pair<format::DocumentFormat, std::string> endings[] = {{format::DocumentFormat::kYaml, "yaml"},
                                                                    {format::DocumentFormat::kJson, "json"},
                                                                    {format::DocumentFormat::kText, "pb_text"},
                                                                    {format::DocumentFormat::kBinary, "pb"}};
  for (const auto& [format, ending] : endings) {
    streams_.written.clear();
    settings_.output.format = format;
    ASSERT_TRUE(Write().ok());
    EXPECT_THAT(Paths(), ElementsAre("/here/out/cds." + ending, "/here/out/envoy.yaml", "/here/out/sds/key." + ending));
    EXPECT_THAT(streams_.written["/here/out/envoy.yaml"].text, HasSubstr("path: /here/out/cds." + ending + "\n"));
  }
}

TEST_F(OutDirTest, TheLastLineSaysHowToRunIt) {
  EXPECT_EQ(Write()->back(), "wrote 3 files to out; run them with: envoy -c out/envoy.yaml");
  settings_.out_dir = "it's/";
  EXPECT_EQ(Write()->back(), "wrote 3 files to it's/; run them with: envoy -c 'it'\\''s/envoy.yaml'");
}

TEST_F(OutDirTest, SecretsAreRedactedAndNamedOrForTheOwnerAlone) {
  EXPECT_THAT(Write()->at(1), HasSubstr("secrets are redacted in sds/key.yaml: --show-secrets"));
  EXPECT_THAT(streams_.written["/here/out/sds/key.yaml"].text, HasSubstr("[redacted]"));
  EXPECT_EQ(streams_.written["/here/out/sds/key.yaml"].readers, Readers::kOwner);
  settings_.output.walk.show_secrets = true;
  EXPECT_EQ(Write()->size(), 2U);
  EXPECT_THAT(streams_.written["/here/out/sds/key.yaml"].text, HasSubstr("HIDE"));
  EXPECT_EQ(streams_.written["/here/out/sds/key.yaml"].readers, Readers::kOwner);
  EXPECT_EQ(streams_.written["/here/out/cds.yaml"].readers, Readers::kAsUsual);
}

TEST_F(OutDirTest, NoBootstrapWithoutListenersAndClusters) {
  world_.snapshot = {};
  world_.Add("eds", {{"a", "cluster_name: 'a'"}});
  EXPECT_THAT(*Write(), ElementsAre("wrote 1 file to out"));
  EXPECT_THAT(Paths(), ElementsAre("/here/out/eds/a.yaml"));
}

TEST_F(OutDirTest, WhatABrokenConversationDidNotBringIsNotAbsent) {
  outcome_.missing = {{TestResources::UrlOf("eds"), "c", false, false, ""}};
  ASSERT_TRUE(Write().ok());
  EXPECT_TRUE(streams_.written.contains("/here/out/eds/c.yaml"));
  streams_.written.clear();
  outcome_.failures.push_back({"", absl::UnavailableError("gone"), true});
  EXPECT_THAT(Write()->front(), "not fetched, so their config sources stay as they are: eds:c");
  EXPECT_FALSE(streams_.written.contains("/here/out/eds/c.yaml"));
}

TEST_F(OutDirTest, AnInterruptedRunNamesWhatIsWritten) {
  interrupted_after_ = 1;
  const absl::Status status = Write().status();
  EXPECT_TRUE(absl::IsCancelled(status));
  EXPECT_EQ(base::Message(status), "out: interrupted: 1 of 2 files written: sds/key.yaml");
  EXPECT_THAT(Paths(), ElementsAre("/here/out/sds/key.yaml"));
  streams_.written.clear();
  interrupted_after_ = 0;
  EXPECT_EQ(base::Message(Write().status()), "out: interrupted: 0 of 2 files written");
}

TEST_F(OutDirTest, WhatCannotBeWrittenIsNamedAsThePersonCallsIt) {
  streams_.cannot_write = "out";
  EXPECT_EQ(base::Message(Write().status()), "out: Read-only file system");
  streams_.cannot_write = "/here/out/sds";
  EXPECT_EQ(base::Message(Write().status()), "out/sds: Read-only file system");
  streams_.cannot_write = "/here/out/cds.yaml";
  EXPECT_EQ(base::Message(Write().status()), "out/cds.yaml: No space left on device");
  EXPECT_FALSE(streams_.written.contains("/here/out/envoy.yaml"));
}

}  // namespace
}  // namespace xdscope::cli
