#include "lib/transport/inflate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/status.h"

namespace xdscope::transport {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kText = "hello hello hello";

// kText in gzip's form, by Python's gzip.
std::string Packed() {
  constexpr char kBytes[] =
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x00\x80\x88\xf9\xe5\x11"
      "\x00\x00\x00";
  return {kBytes, sizeof kBytes - 1};
}

TEST(Inflate, AGzipMessageIsKnownByItsFirstBytes) {
  EXPECT_TRUE(IsGzip(Packed()));
  EXPECT_FALSE(IsGzip(kText));
  EXPECT_FALSE(IsGzip(""));
}

TEST(Inflate, UnpacksUpToTheLimit) {
  EXPECT_EQ(*Gunzip(Packed(), kText.size()), kText);
}

TEST(Inflate, WhatIsTooLargeIsAnErrorWithBothSizes) {
  const absl::Status status = Gunzip(Packed(), kText.size() - 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(base::Message(status), HasSubstr("is larger than the limit of"));
}

TEST(Inflate, ASizeThatIsNotTrueIsDamage) {
  for (const int wrong : {0, 5, 200}) {
    std::string packed = Packed();
    packed[packed.size() - 4] = static_cast<char>(wrong);
    EXPECT_EQ(Gunzip(packed, 1000).status().code(), absl::StatusCode::kDataLoss) << wrong;
  }
  std::string packed = Packed();
  packed[packed.size() - 1] = 0x20;  // half a gigabyte, for which no memory is taken
  EXPECT_EQ(Gunzip(packed, 1'000'000'000).status().code(), absl::StatusCode::kDataLoss);
}

TEST(Inflate, DamageAnywhereIsFound) {
  const std::string packed = Packed();
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(Gunzip(packed.substr(0, size), 1000).ok()) << size;
  }
  EXPECT_FALSE(Gunzip(packed + "x", 1000).ok());
}

}  // namespace
}  // namespace xdscope::transport
