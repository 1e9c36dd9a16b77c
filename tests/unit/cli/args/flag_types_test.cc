#include "cli/args/flag_types.h"

#include <gtest/gtest.h>

namespace xdscope::cli {
namespace {

std::uint64_t Bytes(absl::string_view text) {
  SizeFlag flag;
  std::string error;
  return AbslParseFlag(text, &flag, &error) ? flag.value : 0;
}

TEST(SizeFlag, ReadsUnitsAndBareNumbers) {
  EXPECT_EQ(Bytes("1GB"), 1'000'000'000u);
  EXPECT_EQ(Bytes("1.5MB"), 1'500'000u);
  EXPECT_EQ(Bytes("500kB"), 500'000u);
  EXPECT_EQ(Bytes("12B"), 12u);
  EXPECT_EQ(Bytes("12"), 12u);
}

TEST(SizeFlag, RefusesWhatIsNoSize) {
  for (const char* text : {"", "MB", "0", "-1MB", "1 MB", "1mb", "5GB", "1MB2", "nan", "inf"}) {
    EXPECT_EQ(Bytes(text), 0u) << text;
  }
}

TEST(SizeFlag, IsShownInTheLargestUnitThatDividesIt) {
  EXPECT_EQ(AbslUnparseFlag(SizeFlag{1'000'000'000}), "1GB");
  EXPECT_EQ(AbslUnparseFlag(SizeFlag{1'500'000}), "1500kB");
  EXPECT_EQ(AbslUnparseFlag(SizeFlag{7}), "7B");
}

}  // namespace
}  // namespace xdscope::cli
