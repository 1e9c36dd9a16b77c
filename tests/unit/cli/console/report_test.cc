#include "cli/console/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    options_.where = "plane:1";
    options_.node_id = "n1";
  }

  int Fail(const Diagnosis& failure) {
    streams_.err.clear();
    const Streams streams = streams_.Get();
    return Report(streams, options_, base::Time()).Fail(failure, HintFor(failure, options_));
  }
  static Diagnosis Of(Cause cause, std::string_view message = "what") {
    return {.cause = cause, .status = absl::UnavailableError(base::ToAbsl(message))};
  }

  ConnectOptions options_;
  TestStreams streams_;
};

TEST_F(ReportTest, AFailureIsOneLineAndAtMostOneHint) {
  EXPECT_EQ(Fail(Of(Cause::kRefused, "connection refused")), 3);
  EXPECT_EQ(streams_.err, "xdscope: plane:1: connection refused\n");
  EXPECT_EQ(Fail(Of(Cause::kTlsAtPlaintext)), 3);
  EXPECT_EQ(streams_.err, "xdscope: plane:1: what\nhint: the server does not speak TLS: give --plaintext\n");
}

TEST_F(ReportTest, QuietIsTheLineAlone) {
  options_.quiet = true;
  Fail(Of(Cause::kTlsAtPlaintext));
  EXPECT_EQ(streams_.err, "xdscope: plane:1: what\n");
  const Streams streams = streams_.Get();
  Report report(streams, options_, base::Time());
  streams_.err.clear();
  report.Note("note");
  report.Trace(1, "trace");
  EXPECT_EQ(streams_.err, "");
  report.Say("absent: cds:a");
  EXPECT_EQ(streams_.err, "xdscope: absent: cds:a\n");
}

TEST_F(ReportTest, EveryCauseHasItsExitCode) {
  EXPECT_EQ(Fail(Of(Cause::kOutOfTime)), 4);
  EXPECT_EQ(Fail(Of(Cause::kInterrupted)), 130);
  EXPECT_EQ(Fail(Of(Cause::kSettings)), 2);
  EXPECT_EQ(Fail(Of(Cause::kBug)), 70);
  for (const Cause cause : {Cause::kOther, Cause::kRefused, Cause::kUnresolved, Cause::kSilent, Cause::kUnimplemented,
                            Cause::kLost, Cause::kGarbage, Cause::kNotGrpc}) {
    EXPECT_EQ(Fail(Of(cause)), 3);
  }
}

TEST_F(ReportTest, AServersStatusIsToldWithItsCode) {
  Fail({.cause = Cause::kPermissionDenied, .status = absl::PermissionDeniedError("go away"), .from_server = true});
  EXPECT_THAT(streams_.err, HasSubstr("xdscope: plane:1: PERMISSION_DENIED: go away\n"));
  EXPECT_THAT(streams_.err, HasSubstr("hint: if the server wants a token"));
}

TEST_F(ReportTest, SilenceIsHintedByWhatWasAsked) {
  options_.node_id_is_default = true;
  EXPECT_THAT(HintFor(Of(Cause::kSilent), options_),
              HasSubstr("the node \"n1\", which is the default: give --node-id"));
  options_.node_id_is_default = false;
  Diagnosis failure = Of(Cause::kSilent);
  failure.names_asked = true;
  EXPECT_THAT(HintFor(failure, options_), HasSubstr("try without names"));
  options_.node_id_is_default = true;
  EXPECT_THAT(HintFor(failure, options_), HasSubstr("try without names")) << "more likely than the id";
  options_.node = "\x12\x01w";  // its cluster
  failure.names_asked = false;
  EXPECT_THAT(HintFor(failure, options_), HasSubstr("another variant than ads")) << "a node that says more than its id";
  failure.type_without_names = "rds";
  EXPECT_EQ(HintFor(failure, options_), "the server may want names: rds:NAME, or no TYPE at all");
  failure.unknown_type = "envoy.config.cluster.v3.Clustr";
  EXPECT_THAT(HintFor(failure, options_), HasSubstr("no type envoy.config.cluster.v3.Clustr: is it spelled"));
  failure.nearest_type = "envoy.config.cluster.v3.Cluster";
  EXPECT_THAT(HintFor(failure, options_), HasSubstr("did you mean envoy.config.cluster.v3.Cluster?"));
}

TEST_F(ReportTest, UnimplementedNamesTheLikelyVariant) {
  const auto hint = [this](types::Variant variant) {
    options_.variant = variant;
    return HintFor(Of(Cause::kUnimplemented), options_);
  };
  EXPECT_THAT(hint(types::Variant::kAds), HasSubstr("--variant sotw"));
  EXPECT_THAT(hint(types::Variant::kSotw), HasSubstr("--variant ads"));
  EXPECT_THAT(hint(types::Variant::kUnary), HasSubstr("--variant ads"));
  EXPECT_THAT(hint(types::Variant::kDelta), HasSubstr("delta-ads"));
  EXPECT_THAT(hint(types::Variant::kDeltaAds), HasSubstr("--variant ads"));
  const auto of_words = [this](types::Variant variant, std::string_view words) {
    options_.variant = variant;
    return HintFor({.cause = Cause::kUnimplemented, .status = absl::UnimplementedError(base::ToAbsl(words))}, options_);
  };
  EXPECT_THAT(of_words(types::Variant::kAds, "unknown service envoy.service.discovery.v3.AggregatedDiscoveryService"),
              HasSubstr("no aggregated stream: try --variant sotw or delta"));
  EXPECT_THAT(of_words(types::Variant::kAds, "method StreamAggregatedResources not implemented"),
              HasSubstr("--variant delta-ads"));
  EXPECT_THAT(of_words(types::Variant::kDeltaAds, "method DeltaAggregatedResources not implemented"),
              HasSubstr("no delta: try --variant ads"));
  EXPECT_EQ(CauseOf(absl::UnknownError("not implemented")), Cause::kUnimplemented);
  EXPECT_EQ(CauseOf(absl::UnknownError("missing snapshot")), Cause::kOther);
  options_.api = types::Api::kV2;
  EXPECT_THAT(hint(types::Variant::kAds), HasSubstr("--api v3"));
}

TEST_F(ReportTest, ACertificateThatWasShownIsNotAskedFor) {
  EXPECT_THAT(HintFor(Of(Cause::kWantsCertificate), options_), HasSubstr("give --cert"));
  options_.channel.tls.emplace().cert_pem = "PEM";
  EXPECT_THAT(HintFor(Of(Cause::kWantsCertificate), options_), HasSubstr("a certificate was shown"));
}

TEST_F(ReportTest, CertificateHintsNameTheFlag) {
  Diagnosis failure = Of(Cause::kWrongName);
  failure.certificate_names = "a.example";
  EXPECT_THAT(HintFor(failure, options_), HasSubstr("a.example: give that as --authority"));
  EXPECT_THAT(HintFor(Of(Cause::kUnknownAuthority), options_), HasSubstr("--cacert"));
  EXPECT_THAT(HintFor(Of(Cause::kWantsCertificate), options_), HasSubstr("--cert FILE --key FILE"));
  EXPECT_THAT(HintFor(Of(Cause::kPlaintextAtTls), options_), HasSubstr("--tls"));
}

TEST_F(ReportTest, AServersTextCannotSteerTheTerminal) {
  Fail(Of(Cause::kOther,
          "a\x1b[2Jb\nc\r\xC2\x9B"
          "d\xff"));
  EXPECT_EQ(streams_.err, "xdscope: plane:1: a\\x1b[2Jb\\nc\\x0d\\xc2\\x9bd\\xff\n");
}

TEST_F(ReportTest, TracesComeByTheirLevel) {
  options_.verbosity = 1;
  const Streams streams = streams_.Get();
  Report report(streams, options_, base::Time());
  report.Trace(1, "one\x1b\ntwo");
  report.Trace(2, "three");
  report.TraceText("four");
  EXPECT_EQ(streams_.err, "one\\x1b\\ntwo\n");
}

TEST_F(ReportTest, ATraceIsOneLineThatIsCutAndAWholeMessageIsNot) {
  options_.verbosity = 2;
  const Streams streams = streams_.Get();
  Report report(streams, options_, base::Time());
  report.Trace(1, std::string(1000, 'x'));
  EXPECT_EQ(streams_.err, std::string(199, 'x') + "…\n");
  streams_.err.clear();
  report.TraceText("a\n" + std::string(1000, 'x') + "\x1b");
  EXPECT_EQ(streams_.err, "a\n" + std::string(1000, 'x') + "\\x1b\n");
}

TEST_F(ReportTest, OfWhatRepeatsTenLinesAreSaidAndTheRestCounted) {
  const Streams streams = streams_.Get();
  Report report(streams, options_, base::Time());
  for (int i = 0; i < 1000; ++i) report.NoteSome("a", "a");
  report.LeaveOut("a", 500);
  report.NoteSome("b", "b");
  report.SayLeftOut();
  report.SayLeftOut();
  std::string expected;
  for (int i = 0; i < 10; ++i) expected += "a\n";
  EXPECT_EQ(streams_.err, expected + "b\nand 1490 more of a\n");
}

TEST_F(ReportTest, OfNotesTenAreSaidAndTheRestCounted) {
  const Streams streams = streams_.Get();
  ReportNotes(std::vector<std::string>(12, "a\x1b\n"), streams);
  EXPECT_THAT(streams_.err, testing::StartsWith("note: a\\x1b\\n\nnote: "));
  EXPECT_THAT(streams_.err, testing::EndsWith("note: and 2 more\n"));
}

TEST(CauseOf, IsByTheCodeAlone) {
  EXPECT_EQ(CauseOf(absl::UnimplementedError("")), Cause::kUnimplemented);
  EXPECT_EQ(CauseOf(absl::PermissionDeniedError("")), Cause::kPermissionDenied);
  EXPECT_EQ(CauseOf(absl::UnauthenticatedError("")), Cause::kUnauthenticated);
  EXPECT_EQ(CauseOf(absl::DataLossError("")), Cause::kGarbage);
  EXPECT_EQ(CauseOf(absl::UnavailableError("unimplemented")), Cause::kOther);
}

}  // namespace
}  // namespace xdscope::cli
