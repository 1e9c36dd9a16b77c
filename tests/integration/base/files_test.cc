// What files_contract_test.cc cannot say, because only the disk has pipes, devices and links.
#include "lib/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/integration/base/temporary_folder.h"

namespace xdscope::base {
namespace {

constexpr std::size_t kMegabyte = 1 << 20;

TEST(DiskFilesTest, NeverWaitsForAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(DiskFiles().Read(folder / "pipe", kMegabyte).status().message(), "not a regular file");
  EXPECT_EQ(DiskFiles().Read("/dev/zero", kMegabyte).status().message(), "not a regular file");
}

TEST(DiskFilesTest, AFileThatTakesTheNameOfAnotherHasAnotherStamp) {
  const TemporaryFolder folder;
  folder.Write("a", "one");
  const FileStamp first = *DiskFiles().Stamp(folder / "a");
  folder.Write("b", "one");
  std::filesystem::rename(folder / "b", folder / "a");
  EXPECT_NE(first, *DiskFiles().Stamp(folder / "a"));
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
