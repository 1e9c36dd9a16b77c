// What files_contract_test.cc cannot say, because only the disk has pipes, devices and links.
#include "lib/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "lib/base/descriptor.h"
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

TEST(ReadGiven, TakesFilesUpToTheLimitAndNothingWithoutAnEnd) {
  const TemporaryFolder folder;
  folder.Write("a", "text");
  EXPECT_EQ(*ReadGiven(folder / "a", 4), "text");
  EXPECT_EQ(ReadGiven(folder / "a", 3).status().code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadGiven(folder / "pipe", kMegabyte).status().message(), "not a regular file");
  EXPECT_EQ(ReadGiven("/dev/zero", kMegabyte).status().message(), "not a regular file");
  EXPECT_EQ(ReadGiven(folder / "nowhere", kMegabyte).status().code(), absl::StatusCode::kNotFound);
}

TEST(ReadGiven, TakesTheEndOfAPipeThatTheProcessWasGiven) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor reader(ends[0]);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  {
    const Descriptor writer(ends[1]);
    ASSERT_EQ(write(ends[1], "text", 4), 4);
  }
  EXPECT_EQ(*ReadGiven(path, 4), "text");
}

// Puts a descriptor in the place of standard input, for as long as it lives.
class Stdin {
 public:
  explicit Stdin(int file) : before_(dup(STDIN_FILENO)) { dup2(file, STDIN_FILENO); }
  ~Stdin() { dup2(before_.number(), STDIN_FILENO); }
  Stdin(const Stdin&) = delete;
  Stdin& operator=(const Stdin&) = delete;

 private:
  Descriptor before_;
};

TEST(GivenFilesTest, StandardInputIsAFileWhateverItIs) {
  int ends[2];
  // A socket, which no path leads to, and one that would not wait.
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  const Descriptor reader(ends[0]);
  const Stdin from(reader.number());
  const GivenFiles files;
  EXPECT_TRUE(files.Stamp(std::string(kStdin)).ok());
  EXPECT_EQ(files.List(std::string(kStdin)).status().code(), absl::StatusCode::kNotFound);
  std::thread writer([end = ends[1]] {
    const Descriptor other(end);
    ASSERT_EQ(write(other.number(), "text", 4), 4);
  });
  EXPECT_EQ(*files.Read(std::string(kStdin), kMegabyte), "text");
  writer.join();
}

TEST(GivenFilesTest, StandardInputHasALimitToo) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor reader(ends[0]);
  const Stdin from(reader.number());
  ASSERT_EQ(write(ends[1], "text", 4), 4);
  close(ends[1]);
  EXPECT_EQ(GivenFiles().Read(std::string(kStdin), 3).status().code(), absl::StatusCode::kInvalidArgument);
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
