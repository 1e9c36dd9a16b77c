// What every base::Files promises: the disk, and the files of tests that have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.h"
#include "tests/fake/memory_files.h"
#include "tests/integration/base/temporary_folder.h"

namespace xdscope::base {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kMegabyte = 1 << 20;

class Memory {
 public:
  const Files& files() const { return files_; }
  std::string operator/(const std::string& name) const { return folder() + "/" + name; }
  std::string folder() const { return "/folder"; }
  void Write(const std::string& name, const std::string& contents) { files_.Put(*this / name, contents); }
  void Remove(const std::string& name) { files_.Remove(*this / name); }
  void MakeFolder(const std::string& name) { files_.Put(*this / name + "/file", ""); }

 private:
  fake::MemoryFiles files_;
};

template <typename FilesOfTheSystem>
class OnDisk {
 public:
  const Files& files() const { return files_; }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  std::string folder() const { return std::filesystem::canonical(folder_.path()).string(); }
  void Write(const std::string& name, const std::string& contents) { folder_.Write(name, contents); }
  void Remove(const std::string& name) { std::filesystem::remove(folder_ / name); }
  void MakeFolder(const std::string& name) {
    std::filesystem::create_directory(folder_ / name);
    folder_.Write(name + "/file", "");
  }

 private:
  TemporaryFolder folder_;
  FilesOfTheSystem files_;
};
using Disk = OnDisk<DiskFiles>;
using Given = OnDisk<GivenFiles>;

template <typename Place>
class FilesContract : public ::testing::Test {
 protected:
  Place place_;
  const Files& files_ = place_.files();
};

struct PlaceNames {
  template <typename Place>
  static std::string GetName(int) {
    return std::is_same_v<Place, Disk> ? "Disk" : std::is_same_v<Place, Given> ? "Given" : "Memory";
  }
};
using Places = ::testing::Types<Memory, Disk, Given>;
TYPED_TEST_SUITE(FilesContract, Places, PlaceNames);

TYPED_TEST(FilesContract, ListsTheNamesInAFolderInOrderWithFoldersAndHiddenFiles) {
  this->place_.Write("b.yaml", "");
  this->place_.Write("a.yaml", "");
  this->place_.Write(".hidden", "");
  this->place_.MakeFolder("aa");
  EXPECT_THAT(*this->files_.List(this->place_.folder()), ElementsAre(".hidden", "a.yaml", "aa", "b.yaml"));
}

TYPED_TEST(FilesContract, WhatIsNotThereIsNotFound) {
  this->place_.Write("file", "");
  EXPECT_EQ(this->files_.List(this->place_ / "none").status(), absl::NotFoundError("No such file or directory"));
  EXPECT_EQ(this->files_.List(this->place_ / "file").status(), absl::NotFoundError("Not a directory"));
  EXPECT_EQ(this->files_.Stamp(this->place_ / "none").status(), absl::NotFoundError("No such file or directory"));
  EXPECT_EQ(this->files_.Read(this->place_ / "none", kMegabyte).status(),
            absl::NotFoundError("No such file or directory"));
  EXPECT_EQ(this->files_.Resolve(this->place_ / "none"), "");
}

TYPED_TEST(FilesContract, WhatWasRemovedIsNotThereAnyMore) {
  this->place_.Write("a", "");
  this->place_.Write("b", "");
  this->place_.Remove("a");
  EXPECT_THAT(*this->files_.List(this->place_.folder()), ElementsAre("b"));
  EXPECT_EQ(this->files_.Stamp(this->place_ / "a").status().code(), absl::StatusCode::kNotFound);
}

TYPED_TEST(FilesContract, ReadsWholeFilesOfAtMostSoManyBytes) {
  const std::string contents(kMegabyte, 'x');
  this->place_.Write("a", contents);
  EXPECT_EQ(*this->files_.Read(this->place_ / "a", kMegabyte), contents);
  this->place_.Write("a", contents + "x");
  EXPECT_EQ(this->files_.Read(this->place_ / "a", kMegabyte).status(), absl::InvalidArgumentError("larger than 1 MB"));
}

TYPED_TEST(FilesContract, AFolderHasAStampAndNoContents) {
  this->place_.MakeFolder("aa");
  EXPECT_TRUE(this->files_.Stamp(this->place_ / "aa").ok());
  EXPECT_EQ(this->files_.Read(this->place_ / "aa", kMegabyte).status(), absl::InvalidArgumentError("Is a directory"));
}

TYPED_TEST(FilesContract, AStampIsThatOfTheContentAndTellsItsSize) {
  this->place_.Write("a", "one");
  const FileStamp first = *this->files_.Stamp(this->place_ / "a");
  EXPECT_EQ(first, *this->files_.Stamp(this->place_ / "a"));
  EXPECT_EQ(first.size, 3U);
  this->place_.Write("b", "one");
  EXPECT_NE(first, *this->files_.Stamp(this->place_ / "b"));
  this->place_.Write("a", "longer");
  EXPECT_NE(first, *this->files_.Stamp(this->place_ / "a"));
}

TYPED_TEST(FilesContract, APathWithoutLinksLeadsToItself) {
  this->place_.Write("a", "");
  EXPECT_EQ(this->files_.Resolve(this->place_.folder()), this->place_.folder());
  EXPECT_EQ(this->files_.Resolve(this->place_.folder() + "/a"), this->place_.folder() + "/a");
}

}  // namespace
}  // namespace xdscope::base
