#include "cli/commands/repl/log.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace xdscope::cli {
namespace {

LogEntry Came(std::size_t version, std::size_t bytes) {
  return {.at = {},
          .incoming = true,
          .version = std::string(version, 'v'),
          .size = bytes,
          .bytes = std::make_shared<const std::string>(bytes, 'b')};
}

TEST(LogTest, NumbersGoOnWhenTheOldestGo) {
  Log log;
  for (std::size_t i = 0; i <= Log::kMostEntries; ++i) log.Add(Came(1, 1));
  EXPECT_EQ(log.entries().size(), Log::kMostEntries);
  EXPECT_EQ(log.Find(1), nullptr);
  ASSERT_NE(log.Find(2), nullptr);
  EXPECT_EQ(log.Find(2)->number, 2U);
  EXPECT_EQ(log.Find(Log::kMostEntries + 2), nullptr);
}

TEST(LogTest, OfBytesTheLatestAreKept) {
  Log log;
  for (int i = 0; i < 3; ++i) log.Add(Came(1, Log::kMostBytes / 2));
  EXPECT_EQ(log.Find(1)->bytes, nullptr);
  EXPECT_NE(log.Find(2)->bytes, nullptr);
  EXPECT_NE(log.Find(3)->bytes, nullptr);
}

TEST(LogTest, LongVersionsFillNoMemory) {
  Log log;
  for (int i = 0; i < 5; ++i) log.Add(Came(Log::kMostText / 2, Log::kMostText / 2));
  EXPECT_EQ(log.Find(3), nullptr);
  EXPECT_NE(log.Find(4), nullptr);
  log.Add(Came(2 * Log::kMostText, 1));  // the last one stays, whatever its size
  EXPECT_EQ(log.entries().size(), 1U);
  EXPECT_NE(log.Find(6), nullptr);
  EXPECT_NE(log.Find(6)->bytes, nullptr);
}

}  // namespace
}  // namespace xdscope::cli
