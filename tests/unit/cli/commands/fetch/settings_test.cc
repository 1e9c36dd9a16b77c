// Whole command lines of `fetch`, as settings or as the one error they deserve.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/args/command_line.h"
#include "cli/commands/all.h"
#include "cli/commands/fetch/flags.h"
#include "cli/flags/schema.h"
#include "lib/base/fields.h"
#include "tests/fake/certificates.h"
#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

class SettingsTest : public testing::Test {
 protected:
  absl::StatusOr<FetchLine> Read(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fetch");
    const absl::StatusOr<CommandLine> line = ParseCommandLine(AllCommands(), arguments);
    if (!line.ok()) return line.status();
    Streams given = streams_.Get();
    given.out.terminal = terminal_;
    const auto loaded = LoadTypes(given.surroundings);
    if (!loaded.ok()) return loaded.status();
    return ReadFetchLine(*line, given, (*loaded)->types);
  }

  FetchOptions Settings(const std::vector<std::string>& arguments) {
    absl::StatusOr<FetchLine> line = Read(arguments);
    EXPECT_TRUE(line.ok()) << line.status();
    return line.ok() ? std::move(line->settings) : FetchOptions();
  }

  std::string ErrorOf(const std::vector<std::string>& arguments) {
    const absl::StatusOr<FetchLine> line = Read(arguments);
    return line.ok() ? "no error" : std::string(base::Message(line.status()));
  }

  TestStreams streams_;
  bool terminal_ = false;
};

TEST_F(SettingsTest, FilesCanBeBinaryOfManyTypes) {
  const FetchOptions settings = Settings({"localhost:1", "--out-dir=/d", "-obinary"});
  EXPECT_EQ(settings.out_dir, "/d");
  EXPECT_EQ(settings.output.format, format::DocumentFormat::kBinary);
  EXPECT_EQ(Settings({"localhost:1"}).out_dir, "");
}

TEST_F(SettingsTest, DefaultsAreThoseOfThePromise) {
  const FetchOptions settings = Settings({"127.0.0.1:18000"});
  EXPECT_EQ(settings.connect.where, "127.0.0.1:18000");
  EXPECT_EQ(settings.connect.channel.connect_timeout, milliseconds(10000));
  EXPECT_EQ(settings.connect.channel.keepalive_time, milliseconds(0));
  EXPECT_THAT(settings.connect.channel.user_agent, StartsWith("xdscope/"));
  EXPECT_EQ(settings.connect.max_time, milliseconds(0));
  EXPECT_EQ(settings.connect.node_id, "xdscope");
  EXPECT_TRUE(settings.connect.node_id_is_default);
  EXPECT_EQ(settings.connect.variant, types::Variant::kAds);
  EXPECT_EQ(settings.connect.api, types::Api::kV3);
  EXPECT_EQ(settings.connect.profile.name, "envoy");
  EXPECT_EQ(settings.connect.policy.on_invalid, client::JudgePolicy::OnInvalid::kAck);
  EXPECT_EQ(settings.output.format, format::DocumentFormat::kYaml);
  EXPECT_EQ(settings.output.walk.names, format::FieldNames::kProto);
  EXPECT_EQ(settings.fetch.wait, milliseconds(15000));
  EXPECT_EQ(settings.fetch.settle, milliseconds(300));
  EXPECT_TRUE(settings.types.empty());
  EXPECT_TRUE(settings.fetch.follow);
}

TEST_F(SettingsTest, FollowsByDefaultOnlyWithoutTypes) {
  EXPECT_FALSE(Settings({"localhost:1", "cds"}).fetch.follow);
  EXPECT_TRUE(Settings({"localhost:1", "cds", "--follow"}).fetch.follow);
  EXPECT_FALSE(Settings({"localhost:1", "--no-follow"}).fetch.follow);
}

TEST_F(SettingsTest, TheTargetDecidesAboutTlsUnlessAFlagDoes) {
  const std::pair<std::vector<std::string>, bool> cases[] = {
      {{"127.0.0.1:1"}, false},
      {{"localhost:1"}, false},
      {{"[::1]:1"}, false},
      {{"unix:/run/x"}, false},
      {{"grpc://plane.example:1"}, false},
      {{"plane.example:1"}, true},
      {{"10.0.0.1:1"}, true},
      {{"grpcs://localhost:1"}, true},
      {{"dns:///plane.example:1"}, true},
      {{"plane.example:1", "--plaintext"}, false},
      {{"localhost:1", "--tls"}, true},
      {{"localhost:1", "--insecure"}, true},
      {{"grpc://plane.example:1", "--insecure"}, true},
      {{"localhost:1", "--authority", "x"}, false},
  };
  for (const auto& [arguments, tls] : cases) {
    EXPECT_EQ(Settings(arguments).connect.channel.tls.has_value(), tls) << arguments[0];
  }
}

TEST_F(SettingsTest, TheFirstWordIsATypeIfItIsOne) {
  EXPECT_EQ(ErrorOf({"cds"}), "TARGET: is missing; give HOST:PORT or --bootstrap FILE");
  const FetchOptions forced = Settings({"--target", "cds:18000", "eds:a"});
  EXPECT_EQ(forced.connect.where, "cds:18000");
  ASSERT_EQ(forced.types.size(), 1U);
  EXPECT_EQ(forced.types[0].word, "eds");
}

TEST_F(SettingsTest, WrongLinesGetOneErrorThatNamesTheThing) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{}, "TARGET: is missing; give HOST:PORT or --bootstrap FILE"},
      {{"plane"}, "plane: no port: expected HOST:PORT"},
      {{"localhost:1", "clutsers"}, "clutsers: not a TYPE; did you mean clusters?"},
      {{"localhost:1", "other:2"}, "other:2: is no TYPE; there is one TARGET, and it stands before the TYPEs"},
      {{"localhost:1", "clutsers:2"}, "clutsers: not a TYPE; did you mean clusters?"},
      {{"cds", "localhost:1"}, "localhost:1: the TARGET stands before the TYPEs"},
      {{"localhost:1", "lds/http"}, "lds/http: names follow a colon: lds:http"},
      {{"localhost:1", "-o", "jsn"},
       "--output jsn: expected one of yaml, json, ndjson, text, binary, table, tree, name; did you mean json?"},
      {{"localhost:1", "--variant", "stow"},
       "--variant stow: expected one of ads, delta-ads, sotw, delta, unary; did you mean sotw?"},
      {{"localhost:1", "--api", "v4"}, "--api v4: expected one of v3, v2; did you mean v3?"},
      {{"localhost:1", "--plaintext", "--tls"}, "--plaintext: contradicts --tls, --cacert, --cert, --key, --insecure"},
      {{"grpcs://localhost:1", "--plaintext"}, "--plaintext: contradicts grpcs://"},
      {{"localhost:1", "--cert", "/x"}, "--cert: --cert and --key belong together"},
      {{"localhost:1", "--cacert", "/nowhere"}, "--cacert /nowhere: No such file or directory"},
      {{"localhost:1", "--schema", "/nowhere"}, "--schema /nowhere: No such file or directory"},
      {{"localhost:1", "--node", "/nowhere"}, "--node /nowhere: No such file or directory"},
      {{"localhost:1", "--node", "{id: x, clutser: y}"},
       "--node:1: clutser: no such field in envoy.config.core.v3.Node (nearest: cluster)"},
      {{"localhost:1", "--locality", "a/b/c/d"}, "--locality a/b/c/d: expected REGION[/ZONE[/SUBZONE]]"},
      {{"localhost:1", "--metadata", "x"}, "--metadata x: expected KEY=VALUE"},
      {{"localhost:1", "--metadata", ":=1"}, "--metadata : the key is empty"},
      {{"localhost:1", "--metadata", "a=@/nowhere"}, "--metadata a: /nowhere: No such file or directory"},
      {{"localhost:1", "--metadata", "x:=1e999"}, "--metadata x:1: number out of range"},
      {{"localhost:1", "--metadata", "x:={\"a\": [-1e999]}"}, "--metadata x:1: [\"a\"][0]: number out of range"},
      {{"localhost:1", "-H", "x"}, "--header VALUE: expected 'name: value'"},
      {{"localhost:1", "-H", "X-Token=y"}, "--header x-token: expected 'name: value'"},
      {{"localhost:1", "-H", "a: ${NOPE}"}, "--header a: the environment variable NOPE is not set"},
      {{"localhost:1", "-H", "a: ${NOPE"}, "--header a: \"${\" is not closed"},
      {{"localhost:1", "-H", "a-bin: ?"}, "--header a-bin: the value of a -bin name is base64"},
      {{"localhost:1", "-H", "grpc-timeout: 1"},
       "--header grpc-timeout: gRPC keeps names that begin with \"grpc-\" for itself"},
      {{"localhost:1", "--client", "grpc"}, "--client grpc: never asks for everything; give names, as in lds:NAME"},
      {{"localhost:1", "--client", "grpc", "lds"},
       "lds: --client grpc never asks for everything; give names, as in lds:NAME"},
      {{"localhost:1", "vhds"}, "vhds: has no method for --variant ads; it is delta only: use delta or delta-ads"},
      {{"localhost:1", "leds", "--variant=sotw"},
       "leds: has no method for --variant sotw; it is delta only: use delta or delta-ads"},
      {{"localhost:1", "ecds", "--api=v2"}, "ecds: does not exist in v2"},
      {{"localhost:1", "my.v1.Thing", "--variant=sotw"},
       "my.v1.Thing: has no service of its own for --variant sotw; use ads or delta-ads"},
      {{"localhost:1", "cds", "eds", "-obinary"},
       "-o binary: prints one response: give one TYPE, without --follow; or --out-dir"},
      {{"localhost:1", "-obinary"}, "-o binary: prints one response: give one TYPE, without --follow; or --out-dir"},
      {{"localhost:1", "--raw", "-otree"},
       "--raw: prints responses as they came: give -o yaml, json, ndjson, text or binary"},
      {{"localhost:1", "--nack-message", "no"},
       "--nack-message: nothing would be refused: give --nack, or --on-invalid nack"},
      {{"localhost:1", "--out-dir", ""}, "--out-dir: expected a folder"},
      {{"localhost:1", "--out-dir", "d", "--raw"}, "--out-dir: does not go with --raw"},
      {{"localhost:1", "--out-dir", "d", "--api", "v2"}, "--out-dir: does not go with --api v2"},
      {{"localhost:1", "--out-dir", "d", "-otable"}, "--out-dir: the files can be -o yaml, json, text or binary"},
      {{"localhost:1", "--out-dir", "d", "-ondjson"}, "--out-dir: the files can be -o yaml, json, text or binary"},
  };
  for (const auto& [arguments, error] : cases) {
    const absl::StatusOr<FetchLine> line = Read(arguments);
    ASSERT_FALSE(line.ok()) << error;
    EXPECT_EQ(base::Message(line.status()), error);
    EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(SettingsTest, HeadersExpandTheEnvironmentAndDecodeBinary) {
  streams_.environment["TOKEN"] = "s3cret";
  const FetchOptions settings =
      Settings({"localhost:1", "-H", "Authorization: Bearer ${TOKEN}!", "-H", "x-bin:  AAEC", "--header=empty:"});
  EXPECT_THAT(
      settings.connect.channel.headers,
      ElementsAre(Pair("authorization", "Bearer s3cret!"), Pair("x-bin", std::string("\0\1\2", 3)), Pair("empty", "")));
}

TEST_F(SettingsTest, ASecretIsNotRepeatedInAnError) {
  streams_.environment["TOKEN"] = "s3cret\n";
  EXPECT_THAT(ErrorOf({"localhost:1", "-H", "authorization: ${TOKEN}"}), testing::Not(HasSubstr("s3cret")));
  for (const std::string header : {"s3cret", "authorization=Bearer s3cret", "authorization=Bearer s3cret:x",
                                   "s3cret =: x", "a: ${s3cret x}", "a: ${s3cret"}) {
    const std::string error = ErrorOf({"localhost:1", "-H", header});
    EXPECT_THAT(error, StartsWith("--header ")) << header;
    EXPECT_THAT(error, testing::Not(HasSubstr("s3cret"))) << header;
  }
}

TEST_F(SettingsTest, TakesTheProxyOfTheEnvironmentButNotForLoopback) {
  streams_.environment["https_proxy"] = "proxy:3128";
  streams_.environment["no_proxy"] = "internal, .example.org";
  EXPECT_EQ(Settings({"plane.example:1"}).connect.channel.http_proxy, "http://proxy:3128");
  EXPECT_EQ(Settings({"localhost:1"}).connect.channel.http_proxy, "");
  EXPECT_EQ(Settings({"unix:/x"}).connect.channel.http_proxy, "");
  EXPECT_EQ(Settings({"plane.internal:1"}).connect.channel.http_proxy, "");
  EXPECT_EQ(Settings({"plane.example.org:1"}).connect.channel.http_proxy, "");
  EXPECT_EQ(Settings({"notinternal:1"}).connect.channel.http_proxy, "http://proxy:3128");
}

TEST_F(SettingsTest, VariantsHaveEnvoysNamesToo) {
  const std::pair<std::string, types::Variant> cases[] = {
      {"delta_ads", types::Variant::kDeltaAds},
      {"GRPC", types::Variant::kSotw},
      {"DELTA_GRPC", types::Variant::kDelta},
      {"AGGREGATED_GRPC", types::Variant::kAds},
      {"AGGREGATED_DELTA_GRPC", types::Variant::kDeltaAds},
      {"unary", types::Variant::kUnary},
  };
  for (const auto& [word, variant] : cases) {
    EXPECT_EQ(Settings({"localhost:1", "--variant", word}).connect.variant, variant) << word;
  }
}

TEST_F(SettingsTest, TheClientChoosesTheWildcardUnlessItIsSaid) {
  EXPECT_EQ(Settings({"localhost:1"}).connect.wildcard, protocol::Wildcard::kLegacy);
  EXPECT_EQ(Settings({"localhost:1", "--client=strict"}).connect.wildcard, protocol::Wildcard::kExplicit);
  EXPECT_EQ(Settings({"localhost:1", "--client=strict", "--wildcard=legacy"}).connect.wildcard,
            protocol::Wildcard::kLegacy);
  EXPECT_TRUE(Settings({"localhost:1", "cds", "--wildcard=explicit"}).types[0].want.starred);
}

TEST_F(SettingsTest, NodeFlagsStandOverTheNodeFile) {
  streams_.files["/file"] = "id: a\ncluster: c\n";
  const FetchOptions settings = Settings({"localhost:1", "--node", "/file", "--node-id", "b"});
  EXPECT_EQ(settings.connect.node_id, "b");
  EXPECT_FALSE(settings.connect.node_id_is_default);
  EXPECT_EQ(base::FindBytes(settings.connect.node, 2), "c");
}

TEST_F(SettingsTest, AFileWithoutANodeIsSaid) {
  streams_.files["/file"] = "static_resources: {}\n";
  const absl::StatusOr<FetchLine> line = Read({"localhost:1", "--node", "/file"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->notes, ElementsAre("--node /file: holds no node, and asks as the default one"));
  streams_.files["/file"] = "id: a\n";
  EXPECT_THAT(Read({"localhost:1", "--node", "/file"})->notes, testing::IsEmpty());
}

TEST_F(SettingsTest, AnEmptyNodeFlagIsSaidAsItIs) {
  streams_.files["/file"] = "id: a\ncluster: c\n";
  const FetchOptions settings = Settings({"localhost:1", "--node", "/file", "--node-id", "", "--node-cluster="});
  EXPECT_EQ(settings.connect.node_id, "");
  EXPECT_FALSE(settings.connect.node_id_is_default);
  EXPECT_FALSE(base::FindBytes(settings.connect.node, 1).has_value());
  EXPECT_FALSE(base::FindBytes(settings.connect.node, 2).has_value());
  EXPECT_EQ(Settings({"localhost:1"}).connect.node_id, "xdscope");
  EXPECT_THAT(ErrorOf({"localhost:1", "--locality", ""}), HasSubstr("expected REGION"));
}

TEST_F(SettingsTest, MetadataComesFromTextJsonAndFiles) {
  streams_.files["/file"] = "[1]";
  const FetchOptions settings = Settings({"localhost:1", "--metadata", "a=b=c", "--metadata", "n:=5", "--metadata",
                                          "t=@/file", "--metadata", "j:=@/file"});
  std::map<std::string, std::string> members;
  base::FieldReader fields(base::FindBytes(settings.connect.node, 3).value_or(""));
  while (fields.Next()) {
    members[std::string(*base::FindBytes(fields.bytes(), 1))] = *base::FindBytes(fields.bytes(), 2);
  }
  EXPECT_THAT(members, ElementsAre(Pair("a",
                                        "\x1a\x03"
                                        "b=c"),
                                   Pair("j", testing::_), Pair("n", testing::_), Pair("t", "\x1a\x03[1]")));
  EXPECT_EQ(members["j"].substr(0, 1), "\x32") << "a list";
  EXPECT_EQ(members["n"].substr(0, 1), "\x11") << "a number";
}

TEST_F(SettingsTest, AnErrorInAMetadataFileNamesFlagFileAndLine) {
  streams_.files["/file"] = "[1,\n1e999]";
  EXPECT_EQ(ErrorOf({"localhost:1", "--metadata", "x:=@/file"}), "--metadata x: /file:2: [1]: number out of range");
}

constexpr std::string_view kBootstrap = R"(
node: {id: from-bootstrap}
dynamic_resources:
  ads_config: {api_type: DELTA_GRPC, grpc_services: [{envoy_grpc: {cluster_name: xds},
                                                      initial_metadata: [{key: a, value: b}]}]}
static_resources:
  clusters:
  - name: xds
    load_assignment:
      endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: plane.example, port_value: 7}}}}]}]
)";

TEST_F(SettingsTest, ABootstrapNamesServerNodeAndVariant) {
  streams_.files["/file"] = kBootstrap;
  const FetchOptions settings = Settings({"--bootstrap", "/file", "cds"});
  EXPECT_EQ(settings.connect.where, "plane.example:7");
  EXPECT_FALSE(settings.connect.channel.tls.has_value()) << "as the bootstrap says, not by TARGET";
  EXPECT_EQ(settings.connect.node_id, "from-bootstrap");
  EXPECT_EQ(settings.connect.variant, types::Variant::kDeltaAds);
  EXPECT_THAT(settings.connect.channel.headers, ElementsAre(Pair("a", "b")));
  EXPECT_THAT(settings.connect.server_clusters, ElementsAre("xds"));
}

// Routes as "cds: second:7; xdstp://shop/: …", servers that stand in for one another as "first:7, second:7".
std::string RoutesOf(const ConnectOptions& options) {
  std::string text;
  for (const source::Route& route : options.routes) {
    std::string servers = route.source ? "" : "nobody";
    for (std::size_t i = 0; route.source && i < options.sources[*route.source].size(); ++i) {
      servers += (i == 0 ? "" : ", ") + options.sources[*route.source].At(i).where;
    }
    const types::KnownType* known = types::FindByUrl(route.type_url);
    const std::string what =
        known != nullptr ? std::string(known->short_name) : "xdstp://" + route.authority.value_or("*");
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", what, servers);
  }
  return text;
}

constexpr std::string_view kTwoServers = R"(
dynamic_resources:
  lds_config: {api_config_source: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: one}}]}}
  cds_config: {api_config_source: {api_type: DELTA_GRPC, grpc_services: [{envoy_grpc: {cluster_name: two}}]}}
static_resources:
  clusters:
  - name: one
    load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: one, port_value: 1}}}}]}]}
  - name: two
    load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: two, port_value: 2}}}},
                                                  {endpoint: {address: {pipe: {path: /three}}}}]}]}
)";

TEST_F(SettingsTest, EachTypeHasItsOwnServers) {
  streams_.files["/file"] = kTwoServers;
  const ConnectOptions connect = Settings({"--bootstrap", "/file", "-H", "c: d", "--connect-timeout=3"}).connect;
  EXPECT_EQ(RoutesOf(connect), "cds: two:2, unix:/three; lds: one:1; xdstp://*: two:2, unix:/three");
  EXPECT_EQ(connect.where, "two:2");
  EXPECT_THAT(connect.roots, ElementsAre("cds", "lds"));
  EXPECT_THAT(connect.source_names, ElementsAre(Pair("cluster one", 1U), Pair("cluster two", 0U),
                                                Pair("target one:1", 1U), Pair("target two:2", 0U)));
  EXPECT_FALSE(connect.has_ads);
  for (const SourceOptions& source : connect.sources) {
    const ServerOptions last = source.At(source.size() - 1);
    EXPECT_THAT(last.channel.headers, ElementsAre(Pair("c", "d"))) << "flags count for all";
    EXPECT_EQ(last.channel.connect_timeout, std::chrono::seconds(3));
    EXPECT_EQ(last.variant, source.At(0).variant);
  }
  EXPECT_EQ(ServerFor(connect, types::FindByWord("lds")->v3.type_url)->variant, types::Variant::kSotw);
  EXPECT_EQ(ServerFor(connect, types::FindByWord("eds")->v3.type_url)->variant, types::Variant::kDelta);
  const ConnectOptions second = OptionsAt(connect, {.source = 0, .server = 1});
  EXPECT_EQ(second.where, "unix:/three");
  EXPECT_EQ(second.channel.target, "unix:/three");
  EXPECT_THAT(ThisServerOf(connect).clusters, ElementsAre("two", "two", "one"));
}

TEST_F(SettingsTest, AVariantOrATargetThatIsTypedCountsForAll) {
  streams_.files["/file"] = kTwoServers;
  const ConnectOptions connect = Settings({"--bootstrap", "/file", "--variant=ads"}).connect;
  for (const SourceOptions& source : connect.sources) EXPECT_EQ(source.At(0).variant, types::Variant::kAds);
  const ConnectOptions other = Settings({"localhost:9", "--bootstrap", "/file"}).connect;
  EXPECT_THAT(other.sources, IsEmpty());
  EXPECT_TRUE(other.has_ads);
}

TEST_F(SettingsTest, OneServerForAllIsOneServer) {
  streams_.files["/file"] = kBootstrap;
  const FetchOptions settings = Settings({"--bootstrap", "/file"});
  EXPECT_THAT(settings.connect.sources, IsEmpty());
  EXPECT_THAT(settings.connect.roots, ElementsAre("cds", "lds")) << "it says nothing of either";
}

TEST_F(SettingsTest, GrpcsServersHaveFallbacksAndAuthorities) {
  const auto server = [](const std::string& uri) {
    return "{\"server_uri\": \"" + uri + "\", \"channel_creds\": [{\"type\": \"insecure\"}]}";
  };
  streams_.files["/file"] = "{\"xds_servers\": [" + server("first:7") + ",\n" + server("second") + "," +
                            server("third:7") + "], \"authorities\": {\"own\": {\"xds_servers\": [" + server("own:7") +
                            "]}, \"same\": {}, \"bad\": {\"xds_servers\": [" + server("bad") + "]}}}";
  const absl::StatusOr<FetchLine> line = Read({"--bootstrap", "/file", "lds:a"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(RoutesOf(line->settings.connect),
            "xdstp://: first:7, third:7; xdstp://bad: nobody; xdstp://own: own:7; xdstp://same: first:7, third:7");
  EXPECT_THAT(line->notes,
              ElementsAre(HasSubstr("/file:2: xds_servers[1].server_uri: second: no port: expected HOST:PORT; "
                                    "it is not asked"),
                          HasSubstr("bad: no port")));
}

TEST_F(SettingsTest, WhatNobodyIsAskedForIsNotARoot) {
  std::string& file = streams_.files["/file"];
  file = kTwoServers;
  file.replace(file.find("  lds_config"), file.find("  cds_config") - file.find("  lds_config"),
               "  lds_config: {resource_api_version: V3}\n");
  const absl::StatusOr<FetchLine> line = Read({"--bootstrap", "/file"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->settings.connect.roots, ElementsAre("cds"));
  EXPECT_THAT(line->notes, ElementsAre(HasSubstr("/file:3: dynamic_resources.lds_config: is asked of nobody")));
  EXPECT_EQ(ErrorOf({"--bootstrap", "/file", "lds"}),
            "lds: the bootstrap asks nobody for it; give HOST:PORT to ask there");
}

TEST_F(SettingsTest, AFileThatABootstrapNamesIsAskedForItsType) {
  std::string& file = streams_.files["/file"];
  file = kTwoServers;
  file.replace(file.find("  lds_config"), file.find("  cds_config") - file.find("  lds_config"),
               "  lds_config: {path: /lds.yaml}\n");
  const FetchOptions settings = Settings({"--bootstrap", "/file"});
  EXPECT_THAT(settings.connect.roots, ElementsAre("cds", "lds"));
  const std::optional<ServerOptions> from =
      ServerFor(settings.connect, types::FindByWord("lds")->names(types::Api::kV3).type_url);
  ASSERT_TRUE(from);
  EXPECT_EQ(from->path, "/lds.yaml");
  EXPECT_THAT(from->said_at, HasSubstr("/file:3"));
}

TEST_F(SettingsTest, GrpcsVariablesCountWhereNothingElseIsSaid) {
  const std::string text = R"({"xds_servers": [{"server_uri": "grpc:7", "channel_creds": [{"type": "insecure"}]}]})";
  streams_.files["/file"] = text;
  streams_.environment["GRPC_XDS_BOOTSTRAP_CONFIG"] = text;
  EXPECT_EQ(Settings({"lds:a"}).connect.bootstrap, "GRPC_XDS_BOOTSTRAP_CONFIG");
  streams_.environment["GRPC_XDS_BOOTSTRAP"] = "/file";
  EXPECT_EQ(Settings({"lds:a"}).connect.where, "grpc:7");
  EXPECT_EQ(Settings({"lds:a"}).connect.bootstrap, "/file (GRPC_XDS_BOOTSTRAP)");
  EXPECT_EQ(Settings({"localhost:9", "lds:a"}).connect.bootstrap, "");
  streams_.environment["GRPC_XDS_BOOTSTRAP"] = "/nowhere";
  EXPECT_THAT(ErrorOf({"lds:a"}), HasSubstr("GRPC_XDS_BOOTSTRAP=/nowhere: "));
}

TEST_F(SettingsTest, FlagsOverrideTheBootstrap) {
  streams_.files["/file"] = kBootstrap;
  const FetchOptions settings =
      Settings({"--bootstrap", "/file", "localhost:9", "--variant=ads", "--node-id=mine", "--insecure", "-H", "c: d"});
  EXPECT_EQ(settings.connect.where, "localhost:9");
  EXPECT_TRUE(settings.connect.channel.tls->insecure);
  EXPECT_EQ(settings.connect.node_id, "mine");
  EXPECT_EQ(settings.connect.variant, types::Variant::kAds);
  EXPECT_THAT(settings.connect.channel.headers, ElementsAre(Pair("a", "b"), Pair("c", "d")));
  EXPECT_THAT(Settings({"--bootstrap", "/file", "-H", "A: c", "-H", "a: d"}).connect.channel.headers,
              ElementsAre(Pair("a", "c"), Pair("a", "d")))
      << "in place of the bootstrap's";
}

// A bootstrap whose cluster has this transport socket's common_tls_context.
std::string WithTls(const std::string& common, const std::string& upstream = "") {
  return std::string(kBootstrap) + "    transport_socket: {typed_config: {'@type': x/a.UpstreamTlsContext, " +
         upstream + "common_tls_context: {" + common + "}}}\n";
}

TEST_F(SettingsTest, WhatABootstrapDemandsAndCannotBeCheckedIsAnErrorUnlessAFlagSaysWhomToTrust) {
  streams_.files["/file"] = WithTls("validation_context: {custom_validator_config: {name: x}}");
  streams_.files["/ca"] = fake::Authority("ours").pem();
  EXPECT_EQ(
      ErrorOf({"--bootstrap", "/file"}),
      "/file:11: static_resources.clusters[0].transport_socket.typed_config.common_tls_context.validation_context."
      "custom_validator_config: cannot be checked; give --cacert FILE to say whom to trust, or --insecure");
  EXPECT_THAT(ErrorOf({"--bootstrap", "/file", "--tls"}), HasSubstr("cannot be checked"));
  EXPECT_THAT(ErrorOf({"--bootstrap", "/file", "--no-insecure"}), HasSubstr("cannot be checked"));
  EXPECT_THAT(ErrorOf({"--bootstrap", "/file", "other:7"}), HasSubstr("cannot be checked"));
  EXPECT_TRUE(Settings({"--bootstrap", "/file", "--insecure"}).connect.channel.tls->insecure);
  EXPECT_FALSE(Settings({"--bootstrap", "/file", "--plaintext"}).connect.channel.tls.has_value());
  const transport::Tls tls = *Settings({"--bootstrap", "/file", "--cacert", "/ca"}).connect.channel.tls;
  EXPECT_TRUE(tls.check_chain && tls.check_host && !tls.insecure);
}

TEST_F(SettingsTest, FlagsTakeThePlaceOfTheBootstrapsAuthoritiesAndNames) {
  streams_.files["/ca"] = fake::Authority("ours").pem();
  const std::string names = "match_typed_subject_alt_names: [{san_type: DNS, matcher: {exact: a}}]";
  streams_.files["/file"] = WithTls("validation_context: {trusted_ca: {filename: /ca}, " + names + "}", "sni: s, ");
  const auto tls = [this](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"--bootstrap", "/file"});
    return Settings(flags).connect.channel.tls.value_or(transport::Tls());
  };
  EXPECT_EQ(tls({}).names.size(), 1U);
  EXPECT_EQ(tls({}).sni, "s");
  EXPECT_FALSE(tls({}).check_host);
  EXPECT_EQ(tls({"--cacert", "/ca"}).names.size(), 1U) << "an authority is no name";
  EXPECT_FALSE(tls({"--cacert", "/ca"}).check_host);
  for (const transport::Tls& by_host : {tls({"--authority", "b"}), tls({"other:7"})}) {
    EXPECT_THAT(by_host.names, IsEmpty());
    EXPECT_EQ(by_host.sni, "");
    EXPECT_TRUE(by_host.check_host && by_host.check_chain);
  }
  streams_.files["/file"] = WithTls("");
  EXPECT_TRUE(tls({}).insecure);
  EXPECT_TRUE(tls({"other:7"}).insecure) << "no authority is asked for there either";
  EXPECT_FALSE(tls({"--no-insecure"}).insecure);
  EXPECT_TRUE(tls({"--no-insecure"}).check_chain && tls({"--no-insecure"}).check_host);
  streams_.files["/file"] = WithTls("validation_context: {verify_certificate_hash: [" + std::string(64, 'a') + "]}");
  EXPECT_FALSE(tls({"other:7"}).check_host) << "the very certificate is known";
  EXPECT_FALSE(tls({"other:7"}).check_chain);
  EXPECT_TRUE(tls({"--cacert", "/ca"}).check_chain);
  EXPECT_EQ(tls({"--cacert", "/ca"}).certificate_hashes.size(), 1U);
}

TEST_F(SettingsTest, WhatIsNotVerifiedIsANote) {
  const auto notes = [this](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"--bootstrap", "/file"});
    const absl::StatusOr<FetchLine> line = Read(flags);
    EXPECT_TRUE(line.ok()) << line.status();
    return line.ok() ? line->notes : std::vector<std::string>();
  };
  streams_.files["/ca"] = fake::Authority("ours").pem();
  streams_.files["/file"] = WithTls("");
  EXPECT_THAT(notes({}),
              ElementsAre(HasSubstr("/file:11: static_resources.clusters[0].transport_socket.typed_config: the "
                                    "server's certificate is not verified")));
  EXPECT_THAT(notes({"--insecure"}), IsEmpty());
  EXPECT_THAT(notes({"--cacert", "/ca"}), IsEmpty());
  EXPECT_THAT(notes({"--plaintext"}), IsEmpty());
  streams_.files["/file"] = WithTls("validation_context: {trusted_ca: {filename: /ca}}");
  EXPECT_THAT(notes({}), ElementsAre(HasSubstr("the name in the server's certificate is not verified")));
  EXPECT_THAT(notes({"--authority", "a"}), IsEmpty());
}

TEST_F(SettingsTest, AGrpcBootstrapMakesAGrpcClient) {
  streams_.files["/file"] =
      R"({"xds_servers": [{"server_uri": "localhost:7", "channel_creds": [{"type": "insecure"}]}]})";
  EXPECT_EQ(ErrorOf({"--bootstrap", "/file"}), "--client grpc: never asks for everything; give names, as in lds:NAME");
  EXPECT_EQ(Settings({"--bootstrap", "/file", "lds:a"}).connect.profile.name, "grpc");
  EXPECT_EQ(Settings({"--bootstrap", "/file", "--client=envoy"}).connect.profile.name, "envoy");
}

TEST_F(SettingsTest, ColourIsForTerminals) {
  EXPECT_FALSE(Settings({"localhost:1"}).output.style.color);
  EXPECT_TRUE(Settings({"localhost:1", "--color=always"}).output.style.color);
  terminal_ = true;
  EXPECT_TRUE(Settings({"localhost:1"}).output.style.color);
  EXPECT_EQ(Settings({"localhost:1"}).output.width, 80);
  EXPECT_FALSE(Settings({"localhost:1", "--color=never"}).output.style.color);
  streams_.environment["NO_COLOR"] = "1";
  EXPECT_FALSE(Settings({"localhost:1"}).output.style.color);
  streams_.environment = {{"TERM", "dumb"}};
  EXPECT_FALSE(Settings({"localhost:1"}).output.style.color);
}

TEST_F(SettingsTest, ATargetThatIsNoAddressMayBeAFile) {
  streams_.disk.Put("mesh/cds.yaml", "");
  streams_.disk.Put("plane", "");
  streams_.disk.Put("localhost:1", "");
  const std::pair<std::string, std::string> cases[] = {
      {"mesh", "mesh"},     // exists
      {"plane", "plane"},   // the same; a host would have a port
      {"-", "/dev/stdin"},  // as everywhere
      {"./nowhere", "./nowhere"},
      {"a/b", "a/b"},
      {"nowhere.yaml", "nowhere.yaml"},
      {"NOWHERE.pb_text", "NOWHERE.pb_text"},
      {"./localhost:1", "./localhost:1"},
      {"localhost:1", ""},  // an address, whatever there is on the disk
      {"unix:/run/x", ""},
      {"grpc://plane.example:1", ""},
      {"http://host/x.yaml", ""},
  };
  for (const auto& [target, path] : cases) EXPECT_EQ(Settings({target}).connect.path, path) << target;
  EXPECT_EQ(Settings({"--target", "mesh", "cds"}).connect.path, "mesh");
  EXPECT_EQ(ErrorOf({"host"}), "host: no port: expected HOST:PORT");
  EXPECT_EQ(ErrorOf({"ftp://host/x.yaml"}), "ftp://host/x.yaml: unknown scheme 'ftp'");
}

TEST_F(SettingsTest, OfFilesOnlyWhatHasAnEffectIsTaken) {
  const FetchOptions settings = Settings({"a.yaml", "--api=v2", "--max-time=3", "-q", "vhds", "--follow", "-ojson"});
  EXPECT_EQ(settings.connect.api, types::Api::kV2);
  EXPECT_EQ(settings.connect.max_time, std::chrono::seconds(3));
  EXPECT_TRUE(settings.connect.quiet);
  EXPECT_EQ(settings.connect.where, "a.yaml");
  EXPECT_TRUE(settings.fetch.follow);
  for (const char* flag : {"--cacert=/ca", "--variant=delta", "--client=envoy", "--node-id=x", "--bootstrap=/file",
                           "--plaintext", "--nack", "--header=a: b", "--connect-timeout=1"}) {
    const std::string name = std::string(flag).substr(0, std::string(flag).find('='));
    EXPECT_EQ(ErrorOf({"a.yaml", flag}), name + ": has no effect on files, and the TARGET is one: a.yaml");
  }
  for (const char* flag : {"--wait=1", "--settle=1", "--raw"}) {
    EXPECT_THAT(ErrorOf({"a.yaml", flag}), HasSubstr(": has no effect on files")) << flag;
  }
}

TEST_F(SettingsTest, FlagsHaveTheirDefaultsInTheNextRun) {
  EXPECT_EQ(Settings({"localhost:1", "--node-id=x"}).connect.node_id, "x");
  EXPECT_EQ(Settings({"localhost:1"}).connect.node_id, "xdscope");
}

}  // namespace
}  // namespace xdscope::cli
