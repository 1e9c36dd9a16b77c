#include "lib/client/ignore_comments.h"

#include <gmock/gmock.h>

namespace xdscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(IgnoreComments, AreAboutTheirLineOrTheNextOneThatSaysSomething) {
  EXPECT_THAT(FindIgnoreComments("a: 1  # xds-ignore: X\nb: 2\n"), ElementsAre(Pair(1, ElementsAre("X"))));
  EXPECT_THAT(FindIgnoreComments("# xds-ignore: X\nb: 2\n"), ElementsAre(Pair(2, ElementsAre("X"))));
  EXPECT_THAT(FindIgnoreComments("  # xds-ignore: X\n# why\n\nb: 2 #xds-ignore: Y\nc: 3"),
              ElementsAre(Pair(4, ElementsAre("X", "Y"))));
}

TEST(IgnoreComments, NameOneIdOrSeveral) {
  EXPECT_THAT(FindIgnoreComments("a: 1  # xds-ignore: X, pgv.* ,Z because\r\n"),
              ElementsAre(Pair(1, ElementsAre("X", "pgv.*", "Z"))));
  EXPECT_THAT(FindIgnoreComments("a: 1  # xds-ignore: ,\n"), IsEmpty());
}

TEST(IgnoreComments, AreNothingElse) {
  EXPECT_THAT(FindIgnoreComments(""), IsEmpty());
  EXPECT_THAT(FindIgnoreComments("a: xds-ignore: X\n"), IsEmpty());
  EXPECT_THAT(FindIgnoreComments("a: 1 # see xds-ignore: X\n"), IsEmpty());
  EXPECT_THAT(FindIgnoreComments("# xds-ignore: X"), IsEmpty());
}

}  // namespace
}  // namespace xdscope::client
