#include "lib/base/status.h"

#include <gtest/gtest.h>

namespace xdscope::base {
namespace {

TEST(Prefix, PutsThePlaceInFrontAndKeepsTheCode) {
  const absl::Status status = Prefix(Error(absl::StatusCode::kNotFound, "no such thing"), "here");
  EXPECT_EQ(status, absl::NotFoundError("here: no such thing"));
}

TEST(Prefix, LeavesOkAlone) {
  EXPECT_EQ(Prefix(absl::OkStatus(), "here"), absl::OkStatus());
}

TEST(Border, TextsOfBothKindsAreTheSameBytes) {
  const std::string_view text("a\0b", 3);
  EXPECT_EQ(ToStd(ToAbsl(text)), text);
  EXPECT_EQ(Message(Error(absl::StatusCode::kInternal, text)), text);
}

}  // namespace
}  // namespace xdscope::base
