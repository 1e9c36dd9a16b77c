#include "lib/schema/descriptor_index.h"

#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/schema/descriptors.h"

namespace xdscope::schema {
namespace {

using google::protobuf::FileDescriptorProto;

const std::string kFile = File(R"(
  name: 'a/b.proto' package: 'a.b' syntax: 'proto3'
  message_type {
    name: 'Outer'
    nested_type { name: 'Inner' nested_type { name: 'Innermost' } }
    nested_type { name: 'LabelsEntry' options { map_entry: true } }
  }
  enum_type { name: 'Color' value { name: 'RED' number: 0 } }
  service { name: 'Painter' }
)");
const std::string kBare = File("name: 'bare.proto' message_type { name: 'Bare' }");

std::string FileNameOf(DescriptorIndex& index, const std::string& symbol) {
  FileDescriptorProto file;
  return index.FindFileContainingSymbol(symbol, &file) ? file.name() : "none";
}

TEST(DescriptorIndex, FindsAFileByItsName) {
  DescriptorIndex index;
  ASSERT_TRUE(index.AddFile(kFile));
  FileDescriptorProto file;
  ASSERT_TRUE(index.FindFileByName("a/b.proto", &file));
  EXPECT_EQ(file.package(), "a.b");
  EXPECT_FALSE(index.FindFileByName("a/c.proto", &file));
  EXPECT_EQ(index.File("a/b.proto"), kFile);
}

TEST(DescriptorIndex, FindsTheFileOfMessagesEnumsServicesAndWhatIsInThem) {
  DescriptorIndex index;
  ASSERT_TRUE(index.AddFile(kFile));
  ASSERT_TRUE(index.AddFile(kBare));
  for (const char* symbol : {"a.b.Outer", "a.b.Outer.Inner.Innermost", "a.b.Color", "a.b.Color.RED", "a.b.Painter"}) {
    EXPECT_EQ(FileNameOf(index, symbol), "a/b.proto") << symbol;
  }
  EXPECT_EQ(FileNameOf(index, "Bare"), "bare.proto");
}

TEST(DescriptorIndex, DoesNotTakeAPackageOrAPrefixForASymbol) {
  DescriptorIndex index;
  ASSERT_TRUE(index.AddFile(kFile));
  for (const char* symbol : {"", ".", "a", "a.b", "a.b.Out", "a.b.Outers", "b.Outer", "a.Outer", "Outer", "a.b."}) {
    EXPECT_EQ(FileNameOf(index, symbol), "none") << symbol;
  }
}

TEST(DescriptorIndex, FindsTheRightFileOfSeveralWithOnePackage) {
  const std::string first = OneMessage("p/1.proto", "p", "One", "x", "TYPE_STRING");
  const std::string second = OneMessage("p/2.proto", "p", "Two", "x", "TYPE_STRING");
  const std::string inner = OneMessage("p/q.proto", "p.q", "Three", "x", "TYPE_STRING");
  DescriptorIndex index;
  for (const std::string* file : {&first, &second, &inner}) ASSERT_TRUE(index.AddFile(*file));
  EXPECT_EQ(FileNameOf(index, "p.One"), "p/1.proto");
  EXPECT_EQ(FileNameOf(index, "p.Two"), "p/2.proto");
  EXPECT_EQ(FileNameOf(index, "p.q.Three"), "p/q.proto");
}

TEST(DescriptorIndex, KeepsTheFirstFileOfAName) {
  const std::string first = OneMessage("p.proto", "p", "One", "x", "TYPE_STRING");
  const std::string second = OneMessage("p.proto", "p", "Two", "x", "TYPE_STRING");
  DescriptorIndex index;
  ASSERT_TRUE(index.AddFile(first));
  ASSERT_TRUE(index.AddFile(second));
  EXPECT_EQ(index.File("p.proto"), first);
  EXPECT_EQ(FileNameOf(index, "p.One"), "p.proto");
  EXPECT_EQ(FileNameOf(index, "p.Two"), "none");
}

TEST(DescriptorIndex, ListsMessagesAtAnyDepthButNoMapEntries) {
  DescriptorIndex index;
  ASSERT_TRUE(index.AddFile(kFile));
  ASSERT_TRUE(index.AddFile(kBare));
  std::vector<std::string> names;
  index.ForEachMessage([&](std::string name) { names.push_back(std::move(name)); });
  EXPECT_EQ(names, (std::vector<std::string>{"a.b.Outer.Inner.Innermost", "a.b.Outer.Inner", "a.b.Outer", "Bare"}));
}

TEST(DescriptorIndex, TakesASetAndRefusesWhatIsNone) {
  const std::string set = Set({kFile, kBare});
  DescriptorIndex index;
  EXPECT_TRUE(index.AddSet(set));
  EXPECT_EQ(index.File("a/b.proto"), kFile);
  EXPECT_EQ(index.File("bare.proto"), kBare);

  DescriptorIndex cut;
  EXPECT_FALSE(cut.AddSet(std::string_view(set).substr(0, set.size() - 1)));
  EXPECT_EQ(cut.File("a/b.proto"), kFile);
  EXPECT_EQ(cut.File("bare.proto"), std::nullopt);
  DescriptorIndex other;
  EXPECT_FALSE(other.AddSet("\x08\x01"));
  EXPECT_FALSE(other.AddFile(""));
  EXPECT_FALSE(other.AddFile("\x12\x01p"));
}

TEST(DescriptorIndex, DoesNotFindAFileThatDoesNotParse) {
  const std::string damaged = std::string("\x0a\x07") + "x.proto" + "\x12\x01p" + "\x22\x7f";
  DescriptorIndex index;
  ASSERT_TRUE(index.AddFile(damaged));
  FileDescriptorProto file;
  EXPECT_FALSE(index.FindFileByName("x.proto", &file));
}

}  // namespace
}  // namespace xdscope::schema
