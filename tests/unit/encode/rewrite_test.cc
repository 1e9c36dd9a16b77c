#include "lib/encode/rewrite.h"

#include <gmock/gmock.h>

#include "tests/unit/wire/fixture.h"

namespace xdscope::encode {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kLocality = "envoy.config.core.v3.Locality";

class RewriteTest : public wire::WireTest {
 protected:
  // The message that `text` stands for, with each Locality replaced by one whose zone is the path of the old one, as
  // text; "unchanged" when nothing was replaced.
  std::string Rewritten(std::string_view type, const std::string& text) {
    const std::string bytes = Bytes(type, text);
    const absl::StatusOr<wire::Message> message = wire::Decode(bytes, TypeOf(type));
    EXPECT_TRUE(message.ok());
    const auto rewritten = Rewrite(message->view(), types_, [&](const Visited& at) -> std::optional<std::string> {
      if (at.message.type().full_name() != kLocality) return std::nullopt;
      spelled_.push_back(at.spelled);
      return Bytes(kLocality, "zone: '" + finding::ToText(PathTo(at)) + "'");
    });
    return rewritten ? Parsed(type, *rewritten) : "unchanged";
  }

  std::string Expected(std::string_view type, const std::string& text) { return Parsed(type, Bytes(type, text)); }

  std::vector<bool> spelled_;  // of the Localities that were met
};

TEST_F(RewriteTest, ReplacesMessagesInListsAndKeepsTheRest) {
  const std::string_view type = "envoy.config.endpoint.v3.ClusterLoadAssignment";
  EXPECT_EQ(Rewritten(type, R"(cluster_name: "a" endpoints { locality { zone: "x" } priority: 1 } endpoints {}
                               endpoints { locality {} } policy {})"),
            Expected(type, R"(cluster_name: "a" endpoints { locality { zone: "endpoints[0].locality" } priority: 1 }
                              endpoints {} endpoints { locality { zone: "endpoints[2].locality" } } policy {})"));
}

TEST_F(RewriteTest, ReplacesMessagesInsideAnyAndMaps) {
  const std::string_view type = "envoy.config.core.v3.Metadata";
  EXPECT_EQ(Rewritten(type, R"(typed_filter_metadata { key: "k" value {
                [type.googleapis.com/envoy.config.core.v3.Node] { id: "n" locality {} } } })"),
            Expected(type, R"(typed_filter_metadata { key: "k" value {
                [type.googleapis.com/envoy.config.core.v3.Node] {
                  id: "n" locality { zone: 'typed_filter_metadata["k"].locality' } } } })"));
}

TEST_F(RewriteTest, SaysThatNothingWasReplaced) {
  EXPECT_EQ(Rewritten(wire::kCluster, R"(name: "a" health_checks { timeout {} })"), "unchanged");
}

TEST_F(RewriteTest, ShowsWhatATypedStructSpellsAndKeepsIt) {
  EXPECT_EQ(Rewritten("xds.type.v3.TypedStruct",
                      R"(type_url: "x/envoy.config.core.v3.Node"
                         value { fields { key: "locality" value { struct_value {} } } })"),
            "unchanged");
  EXPECT_THAT(spelled_, ElementsAre(true));
}

TEST_F(RewriteTest, ReplacesTheMessageItself) {
  EXPECT_EQ(Rewritten(kLocality, R"(zone: "a")"), Expected(kLocality, R"(zone: "")"));
}

}  // namespace
}  // namespace xdscope::encode
