#include "lib/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/integration/base/temporary_folder.h"

namespace xdscope::base {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kMegabyte = 1 << 20;

TEST(DiskFilesTest, ListsNamesInOrder) {
  const TemporaryFolder folder;
  folder.Write("b.yaml", "");
  folder.Write("a.yaml", "");
  folder.Write(".hidden", "");
  EXPECT_THAT(*DiskFiles().List(folder.path()), ElementsAre(".hidden", "a.yaml", "b.yaml"));
  EXPECT_EQ(DiskFiles().List(folder / "none").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(DiskFiles().List(folder / "a.yaml").status().message(), "Not a directory");
}

TEST(DiskFilesTest, ReadsWholeFilesOfAtMostSoManyBytes) {
  const TemporaryFolder folder;
  const std::string contents(200'000, 'x');
  folder.Write("a", contents);
  EXPECT_EQ(*DiskFiles().Read(folder / "a", kMegabyte), contents);
  EXPECT_EQ(DiskFiles().Read(folder / "a", 100).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DiskFilesTest, NeverWaitsForAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(DiskFiles().Read(folder / "pipe", kMegabyte).status().message(), "not a regular file");
  EXPECT_EQ(DiskFiles().Read(folder.path(), kMegabyte).status().message(), "Is a directory");
  EXPECT_EQ(DiskFiles().Read("/dev/zero", kMegabyte).status().message(), "not a regular file");
}

TEST(DiskFilesTest, AStampTellsContentsApart) {
  const TemporaryFolder folder;
  folder.Write("a", "one");
  const FileStamp first = *DiskFiles().Stamp(folder / "a");
  EXPECT_EQ(first, *DiskFiles().Stamp(folder / "a"));
  folder.Write("b", "one");
  EXPECT_NE(first, *DiskFiles().Stamp(folder / "b"));
  std::filesystem::rename(folder / "b", folder / "a");
  EXPECT_NE(first, *DiskFiles().Stamp(folder / "a"));
  EXPECT_EQ(DiskFiles().Stamp(folder / "b").status().code(), absl::StatusCode::kNotFound);
}

TEST(DiskFilesTest, ResolvesLinks) {
  const TemporaryFolder folder;
  folder.Write("a", "");
  std::filesystem::create_symlink("a", folder / "link");
  EXPECT_EQ(DiskFiles().Resolve(folder / "link"), std::filesystem::canonical(folder / "a").string());
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  EXPECT_EQ(DiskFiles().Resolve(folder / "dangling"), "");
}

TEST(PathTest, HasAFolderAndAName) {
  EXPECT_EQ(FolderOf("a/b/c"), "a/b");
  EXPECT_EQ(FolderOf("/c"), "/");
  EXPECT_EQ(FolderOf("c"), ".");
  EXPECT_EQ(NameOf("a/b/c"), "c");
  EXPECT_EQ(NameOf("c"), "c");
}

}  // namespace
}  // namespace xdscope::base
