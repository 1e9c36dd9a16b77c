#include "lib/files/folder_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/schema/schema.h"
#include "tests/fake/memory_files.h"

namespace xdscope::files {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

class FolderReaderTest : public ::testing::Test {
 protected:
  FolderReaderTest() {
    files_.Put("mesh/a.yaml",
               "resources:\n- {'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster, name: web}\n");
  }

  base::Loop loop_;
  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::MemoryFiles files_;
  Folder folder_{"mesh", files_, types_, Strictness::kRefuse};
};

TEST_F(FolderReaderTest, TellsTheLoopWhatTheFolderHolds) {
  FolderReader::Reading told;
  FolderReader reader(loop_, folder_, [&](const FolderReader::Reading& reading) {
    told = reading;
    loop_.Stop();
  });
  reader.Read();
  loop_.Run();
  EXPECT_TRUE(told.news.changed);
  EXPECT_THAT(told.resources, SizeIs(1));
  EXPECT_THAT(told.watched, Contains("mesh"));
}

TEST_F(FolderReaderTest, WhatIsAskedForMeanwhileIsOneMoreReading) {
  int readings = 0;
  FolderReader reader(loop_, folder_, [&](const FolderReader::Reading& reading) {
    EXPECT_EQ(reading.news.changed, ++readings == 1);
    if (readings == 2) loop_.Post([this] { loop_.Stop(); });
  });
  for (int i = 0; i < 3; ++i) reader.Read();
  loop_.Run();
  EXPECT_EQ(readings, 2);
}

TEST_F(FolderReaderTest, MayGoWhileItReads) {
  bool told = false;
  {
    FolderReader reader(loop_, folder_, [&](const FolderReader::Reading&) { told = true; });
    reader.Read();
  }
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace xdscope::files
