#include "cli/commands/fetch/file_name.h"

#include <gtest/gtest.h>

namespace xdscope::cli {
namespace {

TEST(FileName, WhatIsSafeStaysAndTheRestIsEscaped) {
  EXPECT_EQ(FileName("outbound_web.v1-a=b@c+d,e"), "outbound_web.v1-a=b@c+d,e");
  EXPECT_EQ(FileName("shop/web?version=1"), "shop%2Fweb%3Fversion=1");
  EXPECT_EQ(FileName("a%2Fb"), "a%252Fb");
  EXPECT_EQ(FileName("n\xC3\xA4h:\n"), "n%C3%A4h%3A%0A");
  EXPECT_EQ(FileName(std::string_view("\0", 1)), "%00");
}

TEST(FileName, NoNameIsAPathOrHidden) {
  EXPECT_EQ(FileName(".."), "%2E.");
  EXPECT_EQ(FileName("."), "%2E");
  EXPECT_EQ(FileName("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
  EXPECT_EQ(FileName("/etc"), "%2Fetc");
  EXPECT_EQ(FileName(""), "~");
  EXPECT_EQ(FileName("~"), "%7E");
}

TEST(FileName, NoNameIsTooLongForAFileAndNoEscapeIsCut) {
  EXPECT_EQ(FileName(std::string(1000, 'x')).size(), 200U);
  EXPECT_EQ(FileName(std::string(1000, '/')).size(), 198U);
}

TEST(FileNames, NoTwoAreAlikeEvenWhereCaseDoesNotCount) {
  FileNames names;
  EXPECT_EQ(names.New("web"), "web");
  EXPECT_EQ(names.New("Web"), "Web~2");
  EXPECT_EQ(names.New("WEB"), "WEB~3");
  EXPECT_EQ(names.New("web~2"), "web%7E2");
  const std::string length(300, 'x');
  EXPECT_EQ(names.New(length), std::string(200, 'x'));
  EXPECT_EQ(names.New(length + "y"), std::string(200, 'x') + "~2");
}

// One after the other would be tried otherwise, for each name anew.
TEST(FileNames, ManyThatAreAlikeAreNumbered) {
  FileNames names;
  const std::string alike(200, 'x');
  names.New(alike);
  for (int i = 2; i <= 100'000; ++i) ASSERT_EQ(names.New(alike + "y"), alike + "~" + std::to_string(i));
}

}  // namespace
}  // namespace xdscope::cli
