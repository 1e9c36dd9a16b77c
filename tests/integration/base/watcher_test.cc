#include "lib/base/watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integration/base/temporary_folder.h"

namespace xdscope::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WatcherTest : public ::testing::Test {
 protected:
  WatcherTest() {
    auto watcher = WatchFolders(loop_, [this](const FolderEvent& event) {
      told_.push_back(event.folder + ":" + event.name);
      last_ = event;
      if (event.name == awaited_ || awaited_ == "any") loop_.Stop();
    });
    EXPECT_TRUE(watcher.ok()) << watcher.status();
    watcher_ = *std::move(watcher);
  }

  // Runs until something by this name is told, or it is given up.
  bool Hear(const std::string& name) {
    awaited_ = name;
    bool late = false;
    const Timer limit = loop_.After(std::chrono::seconds(10), [&](Time) {
      late = true;
      loop_.Stop();
    });
    loop_.Run();
    return !late;
  }
  bool WasTold(const std::string& what) const { return std::find(told_.begin(), told_.end(), what) != told_.end(); }

  TemporaryFolder folder_;
  Loop loop_;
  std::string awaited_;
  std::vector<std::string> told_;
  FolderEvent last_;
  std::unique_ptr<Watcher> watcher_;
};

TEST_F(WatcherTest, TellsOfWritesMovesAndRemovals) {
  ASSERT_THAT(watcher_->Watch({folder_.path()}), IsEmpty());
  folder_.Write("written", "x");
  EXPECT_TRUE(Hear("written"));
  std::filesystem::rename(folder_ / "written", folder_ / "moved");
  EXPECT_TRUE(Hear("moved"));
  std::filesystem::remove(folder_ / "moved");
  told_.clear();
  EXPECT_TRUE(Hear("moved"));
}

TEST_F(WatcherTest, AFileIsToldWhenItWasWrittenNotWhenItWasMade) {
  ASSERT_THAT(watcher_->Watch({folder_.path()}), IsEmpty());
  std::ofstream open(folder_ / "slow");
  open << "half" << std::flush;
  folder_.Write("other", "");
  EXPECT_TRUE(Hear("other"));
  EXPECT_FALSE(WasTold(folder_.path() + ":slow"));
  open.close();
  EXPECT_TRUE(Hear("slow"));
}

TEST_F(WatcherTest, TellsOfLinks) {
  ASSERT_THAT(watcher_->Watch({folder_.path()}), IsEmpty());
  std::filesystem::create_symlink("target", folder_ / "link");
  EXPECT_TRUE(Hear("link"));
}

TEST_F(WatcherTest, TellsWhenTheFolderItselfGoes) {
  std::filesystem::create_directory(folder_ / "inner");
  ASSERT_THAT(watcher_->Watch({folder_ / "inner"}), IsEmpty());
  std::filesystem::remove(folder_ / "inner");
  EXPECT_TRUE(Hear(""));
}

TEST_F(WatcherTest, WatchesTheNewFoldersAloneAndNamesThoseThatAreNot) {
  std::filesystem::create_directory(folder_ / "a");
  std::filesystem::create_directory(folder_ / "b");
  ASSERT_THAT(watcher_->Watch({folder_ / "a"}), IsEmpty());
  EXPECT_THAT(watcher_->Watch({folder_ / "b", folder_ / "none"}), ElementsAre(folder_ / "none"));
  folder_.Write("a/unheard", "");
  folder_.Write("b/heard", "");
  EXPECT_TRUE(Hear("heard"));
  EXPECT_FALSE(WasTold((folder_ / "a") + ":unheard"));
}

}  // namespace
}  // namespace xdscope::base
