#include "cli/print/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/types/known_types.h"
#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TraceTest : public testing::Test {
 protected:
  std::string Traced(int verbosity, const std::function<void(Trace&)>& work, bool show_secrets = false) {
    strings_.err.clear();
    ConnectOptions options;
    options.verbosity = verbosity;
    const Streams streams = strings_.Get();
    Report report(streams, options, base::Time());
    Trace trace(report, types_, show_secrets, options);
    work(trace);
    return strings_.err;
  }
  static session::Asked Ack() {
    protocol::Request request;
    request.kind = protocol::Request::Kind::kAck;
    request.type_url = types::FindByWord("cds")->v3.type_url;
    request.nonce = "7";
    protocol::EncodeRequest(protocol::Variant::kSotw, "", &request);
    return {.stream = {}, .request = std::move(request)};
  }
  static session::Unreadable Bad(std::string bytes, std::string_view why) {
    return {{}, absl::DataLossError(base::ToAbsl(why)), std::make_shared<const std::string>(std::move(bytes))};
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  TestStreams strings_;
};

TEST_F(TraceTest, ARequestIsALineUnderOneVAndWholeUnderTwo) {
  const auto request = [](Trace& trace) { trace.Request(Ack()); };
  EXPECT_EQ(Traced(0, request), "");
  EXPECT_EQ(Traced(1, request), "-> CDS ack, nonce 7\n");
  EXPECT_THAT(Traced(2, request), HasSubstr("response_nonce: \"7\"\n"));
}

TEST_F(TraceTest, AnUnreadableResponseIsSaidWithItsSizeAndWhy) {
  const auto unreadable = [](Trace& trace) { trace.Unreadable(Bad("\x0a\x7fx", "byte 2: too short")); };
  EXPECT_EQ(Traced(0, unreadable), "");
  EXPECT_EQ(Traced(1, unreadable), "<- a response that cannot be read, 3 B: byte 2: too short\n");
  EXPECT_THAT(Traced(2, unreadable), AllOf(HasSubstr("--show-secrets"), Not(HasSubstr("Cn94"))));
  EXPECT_THAT(Traced(2, unreadable, true), HasSubstr("\nbase64: Cn94\n"));
}

TEST_F(TraceTest, ALongUnreadableResponseIsCut) {
  const std::string bytes(10000, 'x');
  const std::string text = Traced(
      2, [&](Trace& trace) { trace.Unreadable(Bad(bytes, "why")); }, true);
  EXPECT_LT(text.size(), 5000u);
  EXPECT_THAT(text, HasSubstr("the first 3072 of 10000 bytes"));
}

TEST_F(TraceTest, OfSeveralServersItSaysWhoIsAskedForWhat) {
  ConnectOptions options;
  options.verbosity = 1;
  options.bootstrap = "/b.json (GRPC_XDS_BOOTSTRAP)";
  ServerOptions server;
  server.where = "one:1";
  server.said_at = "/b.json:3: xds_servers[0]";
  server.more_targets = {"two:2"};
  options.sources = {{{server}}};
  const std::string cds(types::FindByWord("cds")->v3.type_url);
  options.routes = {{.type_url = cds, .source = std::nullopt}, {.authority = "far"}, {}};
  const Streams streams = strings_.Get();
  Report report(streams, options, base::Time());
  TraceServers(options, report);
  EXPECT_EQ(strings_.err,
            "bootstrap: /b.json (GRPC_XDS_BOOTSTRAP)\n"
            "cds: nobody is asked\n"
            "xdstp://far/: one:1, then two:2, ads (/b.json:3: xds_servers[0])\n"
            "all else: one:1, then two:2, ads (/b.json:3: xds_servers[0])\n");
  strings_.err.clear();
  Trace trace(report, types_, false, options);
  trace.Event(source::Moved{.stream = {}, .status = absl::UnavailableError("")});
  trace.Request({.stream = {}, .request = Ack().request, .place = {.source = 0, .server = 1}});
  EXPECT_EQ(strings_.err, "one:1 cannot be had; two:2 is asked\ntwo:2 -> CDS ack, nonce 7\n");
}

}  // namespace
}  // namespace xdscope::cli
