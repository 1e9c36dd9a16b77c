#include "cli/commands/serve/named_resources.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace xdscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Named(std::string_view words, std::vector<std::string> names = {"web", "api", "Main"}) {
  return NamedResources(words, [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
}

TEST(NamedResources, EnvoyPutsAColonBehindEachName) {
  EXPECT_THAT(Named("Error adding/updating cluster(s) web:  Proto constraint validation failed (X.Name: is short), "
                    "api: no such extension"),
              ElementsAre("web", "api"));
}

TEST(NamedResources, EnvoyEndsWithTheNameThatItDidNotExpect) {
  EXPECT_THAT(Named("Unexpected RDS configuration (expecting main): Main"), ElementsAre("Main"));
}

TEST(NamedResources, OthersPutNamesInQuotesOrBehindAnIndex) {
  EXPECT_THAT(Named("CDS response Cluster 'web' validation error: no"), ElementsAre("web"));
  EXPECT_THAT(Named("failed to unmarshal \"api\""), ElementsAre("api"));
  EXPECT_THAT(Named("xDS response validation errors: [resource index 0: web: INVALID_ARGUMENT: no]"),
              ElementsAre("web"));
}

TEST(NamedResources, AnApostropheIsNoQuote) {
  EXPECT_THAT(Named("it doesn't know 'web'"), ElementsAre("web"));
}

TEST(NamedResources, NamesMayHaveColonsAndSpaces) {
  EXPECT_THAT(Named("listener xdstp://a/l?x=y: no", {"xdstp://a/l?x=y"}), ElementsAre("xdstp://a/l?x=y"));
  EXPECT_THAT(Named("cluster 'my web' is bad", {"my web"}), ElementsAre("my web"));
}

TEST(NamedResources, AWordInASentenceIsNoName) {
  EXPECT_THAT(Named("the web is wide"), IsEmpty());
  EXPECT_THAT(Named(""), IsEmpty());
  EXPECT_THAT(Named(" : '' \" "), IsEmpty());
}

TEST(NamedResources, EachIsThereOnce) {
  EXPECT_THAT(Named("web: 'web': web"), ElementsAre("web"));
}

TEST(NamedResources, NoMoreIsReadThanAClientSays) {
  EXPECT_THAT(Named(std::string(1 << 20, ' ') + "web:"), IsEmpty());
}

}  // namespace
}  // namespace xdscope::cli
