#include "lib/schema/program_scan.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>
#include <vector>

#include "lib/base/fields.h"
#include "lib/schema/builtin_set.h"
#include "tests/unit/schema/descriptors.h"

namespace xdscope::schema {
namespace {

const std::string kOne = OneMessage("one.proto", "p", "One", "x", "TYPE_STRING");
const std::string kTwo = OneMessage("dir/two.proto", "q", "Two", "y", "TYPE_INT32");
const std::string kProto2 = File("name: 'old.proto' package: 'o' message_type { name: 'Old' }");

std::vector<std::string> Names(const std::vector<FoundFile>& files) {
  std::vector<std::string> names;
  for (const FoundFile& file : files) names.push_back(file.name);
  return names;
}

std::vector<std::string> Strings(std::initializer_list<const char*> names) {
  return {names.begin(), names.end()};
}

std::string Gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() + 256, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Every file of the embedded set, in the order of their names, with something between them.
std::string Program(std::string_view between) {
  std::string program =
      "\x7f"
      "ELF";
  base::FieldReader fields(BuiltinSet());
  while (fields.Next()) program.append(between).append(fields.bytes());
  return program + std::string(between);
}

TEST(ScanProgram, FindsDescriptorsAmongOtherBytes) {
  const std::string program =
      "\x7f"
      "ELF\x02\x01" +
      kTwo + std::string("\0\0rodata", 8) + kOne + "tail";
  const auto files = ScanProgram(program);
  ASSERT_EQ(Names(files), Strings({"dir/two.proto", "one.proto"}));
  EXPECT_EQ(files[0].descriptor, kTwo);
  EXPECT_EQ(files[1].descriptor, kOne);
}

TEST(ScanProgram, TellsNeighboursApart) {
  const auto files = ScanProgram(kOne + kTwo + kProto2 + kOne);
  ASSERT_EQ(Names(files), Strings({"dir/two.proto", "old.proto", "one.proto"}));
  EXPECT_EQ(files[0].descriptor, kTwo);
  EXPECT_EQ(files[1].descriptor, kProto2);
  EXPECT_EQ(files[2].descriptor, kOne);
}

TEST(ScanProgram, EndsAFileWithoutSyntaxAtTheFirstByteThatCannotBeAField) {
  for (const char* tail :
       {"", "\x62\x05hello", "\"x", "*\x02hi", "B", "J\x7f", "P\x05", "p\x01", "z\x01z", "\x0b\x0c", "\xff\xff"}) {
    const auto files = ScanProgram(kProto2 + tail);
    ASSERT_EQ(files.size(), 1u) << tail;
    EXPECT_EQ(files[0].descriptor, kProto2) << tail;
  }
}

TEST(ScanProgram, TakesEveryFieldAFileCanHave) {
  const std::string file = File(R"(
    name: 'all.proto' package: 'a.b' dependency: 'one.proto' dependency: 'dir/two.proto'
    message_type { name: 'M' extension_range { start: 10 end: 20 } }
    enum_type { name: 'E' value { name: 'Z' number: 0 } }
    service { name: 'S' } extension { name: 'x' extendee: '.a.b.M' number: 10 type: TYPE_INT32 label: LABEL_OPTIONAL }
    options { java_package: 'com.a' } source_code_info { location { path: 4 span: 1 span: 2 span: 3 } }
    public_dependency: 0 weak_dependency: 1 syntax: 'proto2')");
  const auto files = ScanProgram("x" + file + "\n");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].descriptor, file);
}

TEST(ScanProgram, TakesNamesOfEveryLength) {
  for (const std::size_t length : {7u, 10u, 11u, 46u, 127u, 128u, 200u, 255u}) {
    const std::string name = std::string(length - 6, 'a') + ".proto";
    const std::string file = OneMessage(name, "p", "One", "x", "TYPE_STRING");
    for (const std::string before : {"", "\n", "\n\n", "a\n", "\n\x07"}) {
      EXPECT_EQ(Names(ScanProgram(before + file)), std::vector<std::string>{name}) << length;
    }
  }
}

TEST(ScanProgram, LeavesOutNamesThatAreNotDescriptors) {
  EXPECT_TRUE(ScanProgram("").empty());
  EXPECT_TRUE(ScanProgram("import \"one.proto\";\none.proto").empty());
  EXPECT_TRUE(ScanProgram("\x0a\x09one.proto").empty());
  EXPECT_TRUE(ScanProgram("\x0a\x09one.proto\x62\x06proto3").empty());
  EXPECT_TRUE(ScanProgram(std::string_view("\x0a\x06.proto\x22\x03\x0a\x01M", 13)).empty());
  EXPECT_TRUE(ScanProgram("\x0a\x0bone .. .proto\x22\x03\x0a\x01M").empty());
}

TEST(ScanProgram, KeepsTheLongestOfSeveralWithOneName) {
  const std::string shorter = File("name: 'one.proto' message_type { name: 'M' }");
  for (const std::string& program : {shorter + kOne, kOne + shorter}) {
    const auto files = ScanProgram(program);
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].descriptor, kOne);
  }
}

TEST(ScanProgram, OpensGzippedDescriptors) {
  const auto files = ScanProgram("head" + Gzip(kOne) + "middle" + Gzip(kTwo) + kProto2);
  ASSERT_EQ(Names(files), Strings({"dir/two.proto", "old.proto", "one.proto"}));
  EXPECT_EQ(files[2].descriptor, kOne);
}

TEST(ScanProgram, LeavesGzippedOtherThings) {
  EXPECT_TRUE(ScanProgram(Gzip("hello")).empty());
  EXPECT_TRUE(ScanProgram(Gzip("\nhello.proto")).empty());
  EXPECT_TRUE(ScanProgram(Gzip(kOne + "x")).empty());
  EXPECT_TRUE(ScanProgram(Gzip(kOne).substr(0, 40)).empty());
  EXPECT_TRUE(ScanProgram(Gzip(std::string(50 << 20, '\n'))).empty());
}

TEST(ScanProgram, FindsTheWholeEmbeddedApiByteForByte) {
  for (const std::string_view between :
       {std::string_view("\0\0\0\0", 4), std::string_view(""), std::string_view("text")}) {
    const auto files = ScanProgram(Program(between));
    std::string all;
    for (const FoundFile& file : files) base::AppendBytes(&all, 1, file.descriptor);
    EXPECT_EQ(all.size(), BuiltinSet().size());
  }
}

TEST(ScanProgram, SurvivesDamage) {
  std::string program = Program(std::string_view("\0\0", 2)).substr(0, 200'000) + Gzip(kOne);
  std::mt19937 random(20240607);
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 500; ++i) program[random() % program.size()] = static_cast<char>(random());
    const std::size_t from = random() % 1000;
    for (const FoundFile& file :
         ScanProgram(std::string_view(program).substr(from, program.size() - random() % 5000 - from))) {
      EXPECT_NE(program.find(file.descriptor), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace xdscope::schema
