#include "cli/commands/repl/remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/messages.h"

namespace xdscope::cli {
namespace {

using fake::kCds;
using fake::kEds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A stream on which all clusters were asked for and two responses came, n1 (version 1, answered) and n2 (version 2).
class RemarksTest : public testing::Test {
 protected:
  explicit RemarksTest(protocol::Variant variant = protocol::Variant::kSotw) : ads_(OptionsOf(variant)) {
    ads_.Change(kCds, {protocol::Interest::Everything()});
    ads_.OnStreamOpened();
    ads_.NextRequest();
    const auto first = Hear("1", "n1");
    EXPECT_TRUE(ads_.Answer(first.id, protocol::Verdict::Ack()).ok());
    ads_.NextRequest();
    Hear("2", "n2");
  }

  static protocol::AdsSession::Options OptionsOf(protocol::Variant variant) {
    protocol::AdsSession::Options options;
    options.variant = variant;
    return options;
  }

  protocol::Response Hear(const std::string& version, const std::string& nonce) {
    const fake::Response response{.type_url = kCds, .version = version, .nonce = nonce, .resources = {}};
    const bool delta = ads_.options().variant == protocol::Variant::kDelta;
    return *ads_.OnMessage(std::make_shared<const std::string>(delta ? fake::Delta(response) : fake::Sotw(response)));
  }

  std::vector<std::string> Remarks(const protocol::Request& request) {
    return RemarksOn(request,
                     {ads_, [](std::string_view type_url, std::string_view nonce) -> std::optional<std::string> {
                        if (type_url != kCds) return std::nullopt;
                        if (nonce == "n1") return "1";
                        if (nonce == "n2") return "2";
                        return std::nullopt;
                      }});
  }

  static protocol::Request Make(std::string_view type_url, std::string version, std::string nonce) {
    protocol::Request request;
    request.type_url = type_url;
    request.version = std::move(version);
    request.nonce = std::move(nonce);
    return request;
  }
  static protocol::Request Nack(std::string version, std::string nonce, int code, std::string message) {
    protocol::Request request = Make(kCds, std::move(version), std::move(nonce));
    request.error = {code, std::move(message)};
    return request;
  }

  protocol::AdsSession ads_;
};

class DeltaRemarksTest : public RemarksTest {
 protected:
  DeltaRemarksTest() : RemarksTest(protocol::Variant::kDelta) {}
};

TEST_F(RemarksTest, NothingIsSaidToWhatIsRight) {
  EXPECT_THAT(Remarks(Make(kCds, "2", "n2")), IsEmpty());
  EXPECT_THAT(Remarks(Nack("1", "n2", 13, "no")), IsEmpty());
  EXPECT_THAT(Remarks(Make(kEds, "", "")), IsEmpty());
}

TEST_F(RemarksTest, ARequestNamesItsType) {
  EXPECT_THAT(Remarks(Make("", "", "")), ElementsAre(HasSubstr("XDS-C003")));
}

TEST_F(RemarksTest, ANonceBelongsToItsStreamAndType) {
  EXPECT_THAT(Remarks(Make(kCds, "", "other")), testing::Contains(HasSubstr("XDS-C005")));
  EXPECT_THAT(Remarks(Make(kEds, "", "n1")), ElementsAre(HasSubstr("XDS-C006")));
  EXPECT_THAT(Remarks(Make(kCds, "1", "")), testing::Contains(HasSubstr("XDS-C007")));
  EXPECT_THAT(Remarks(Make(kCds, "1", "n1")), testing::Contains(HasSubstr("XDS-C008")));
}

TEST_F(RemarksTest, AnAckRepeatsTheVersion) {
  EXPECT_THAT(Remarks(Make(kCds, "1", "n2")),
              ElementsAre("XDS-C010: the ACK repeats the older version 1, the response has 2"));
  EXPECT_THAT(Remarks(Make(kCds, "7", "n2")),
              ElementsAre("XDS-C010: the ACK repeats another version 7, the response has 2"));
}

TEST_F(RemarksTest, ANackKeepsTheGoodVersionAndSaysWhy) {
  EXPECT_THAT(Remarks(Nack("2", "n2", 13, "no")), ElementsAre(HasSubstr("XDS-C011")));
  EXPECT_THAT(Remarks(Nack("1", "n2", 0, "no")), ElementsAre(HasSubstr("XDS-C012")));
  EXPECT_THAT(Remarks(Nack("1", "n2", 13, "")), ElementsAre(HasSubstr("XDS-C012")));
  EXPECT_THAT(Remarks(Nack("1", "", 13, "no")), testing::Contains(HasSubstr("XDS-C013")));
}

TEST_F(RemarksTest, AnAnswerIsGivenOnce) {
  Hear("3", "n3");
  protocol::Response latest = Hear("4", "n4");
  EXPECT_TRUE(ads_.Answer(latest.id, protocol::Verdict::Ack()).ok());
  EXPECT_THAT(Remarks(Make(kCds, "4", "n4")), testing::Contains(HasSubstr("XDS-C014")));
}

TEST_F(RemarksTest, NamesStandOnceAndDeltaTypesInDelta) {
  protocol::Request request = Make(kEds, "", "");
  request.names = {"a", "b", "a"};
  EXPECT_THAT(Remarks(request), ElementsAre("XDS-C022: a stands in the list twice"));
  EXPECT_THAT(Remarks(Make("type.googleapis.com/envoy.config.route.v3.VirtualHost", "", "")),
              ElementsAre(HasSubstr("XDS-C033")));
}

TEST_F(DeltaRemarksTest, ANonceIsAnsweredOnce) {
  EXPECT_THAT(Remarks(Make(kCds, "", "n2")), IsEmpty());
  EXPECT_THAT(Remarks(Make(kCds, "", "n1")), testing::Contains(HasSubstr("XDS-C015")));
}

TEST_F(DeltaRemarksTest, InterestWaitsForTheVerdictAndIsNotSaidBothWays) {
  protocol::Request request = Make(kCds, "", "");
  request.names = {"a"};
  EXPECT_THAT(Remarks(request), ElementsAre(HasSubstr("XDS-C027")));
  request.unsubscribe = {"a"};
  request.type_url = kEds;
  EXPECT_THAT(Remarks(request), ElementsAre("XDS-C020: a is subscribed and unsubscribed at once"));
}

TEST_F(DeltaRemarksTest, VersionsOnlyStandInTheFirstRequest) {
  protocol::Request request = Make(kEds, "", "");
  request.initial_versions = {{"a", "1"}};
  EXPECT_THAT(Remarks(request), IsEmpty());
  request.type_url = kCds;
  request.nonce = "n2";
  EXPECT_THAT(Remarks(request), ElementsAre(HasSubstr("XDS-C016")));
}

}  // namespace
}  // namespace xdscope::cli
