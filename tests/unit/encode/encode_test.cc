#include "lib/encode/encode.h"

#include <functional>

#include "tests/unit/wire/fixture.h"

namespace xdscope::encode {

using wire::Decode;
using wire::kCluster;
using wire::WireTest;

namespace {

// Trees as a reader would make them.
class Builder {
 public:
  Builder& Map() { return Open(NodeKind::kMap); }
  Builder& List() { return Open(NodeKind::kList); }
  Builder& End() {
    tree_.Close();
    return *this;
  }
  Builder& Key(std::string_view key) {
    tree_.Key(tree_.Keep(key), at_++);
    return *this;
  }
  Builder& Text(std::string_view text) { return Add(NodeKind::kText, text); }
  Builder& Number(std::string_view text) { return Add(NodeKind::kNumber, text); }
  Builder& Symbol(std::string_view text) { return Add(NodeKind::kSymbol, text); }
  Builder& Bool(bool value) { return Add(NodeKind::kBool, value ? "true" : "false"); }
  Builder& Null() { return Add(NodeKind::kNull, {}); }
  const Tree& tree() const { return tree_; }

 private:
  Builder& Open(NodeKind kind) {
    tree_.Open(kind, at_++);
    return *this;
  }
  Builder& Add(NodeKind kind, std::string_view text) {
    tree_.Scalar(kind, tree_.Keep(text), at_++);
    return *this;
  }
  Tree tree_;
  std::size_t at_ = 0;
};

class EncodeTest : public WireTest {
 protected:
  // The message as protobuf's text, behind what was said; both on one line each.
  std::string Encoded(std::string_view type, const Builder& builder, Spelling spelling = Spelling::kJson,
                      Unknown unknown = Unknown::kWarn) {
    EncodeOptions options;
    options.spelling = spelling;
    options.unknown = unknown;
    Findings findings;
    std::string bytes;
    const bool ok = Encode(builder.tree().root(), TypeOf(type), options, types_, &findings, &bytes);
    EXPECT_EQ(ok, findings.errors() == 0);
    std::string said;
    for (const finding::Finding& finding : findings.all()) {
      said += (finding.severity == finding::Severity::kError ? "error " : "warning ") + finding::ToText(finding.path) +
              ": " + finding.message + "; ";
    }
    if (!ok) return said;
    EXPECT_TRUE(Decode(bytes, TypeOf(type)).ok());
    std::string text;
    std::unique_ptr<google::protobuf::Message> message(factory_.GetPrototype(schema_.FindMessage(type))->New());
    EXPECT_TRUE(message->ParseFromString(bytes));
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    printer.SetExpandAny(true);
    printer.PrintToString(*message, &text);
    return said + text;
  }
  // One member of a cluster.
  std::string Member(std::string_view name, const std::function<void(Builder&)>& value,
                     Spelling spelling = Spelling::kJson) {
    Builder builder;
    builder.Map().Key(name);
    value(builder);
    builder.End();
    return Encoded(kCluster, builder, spelling);
  }
  std::string MemberText(std::string_view name, std::string_view text) {
    return Member(name, [&](Builder& b) { b.Text(text); });
  }
  std::string MemberNumber(std::string_view name, std::string_view text) {
    return Member(name, [&](Builder& b) { b.Number(text); });
  }
};

// The rows of validation.md 3.5, as 2.10 corrects them.

TEST_F(EncodeTest, AnObjectInPlaceOfAListIsItsOnlyElement) {
  EXPECT_EQ(Member("health_checks", [](Builder& b) { b.Map().Key("timeout").Text("1s").End(); }),
            "warning health_checks: expected a list; a map is taken as its only element; "
            "health_checks { timeout { seconds: 1 } } ");
  EXPECT_EQ(Member("transport_socket_matches", [](Builder& b) { b.Text("x"); }).substr(0, 7), "warning");
}

TEST_F(EncodeTest, AListInAListCountsAsOne) {
  Builder builder;
  builder.Map().Key("client_features").List().Text("a").List().Text("b").Text("c").End().Text("d").End().End();
  EXPECT_EQ(Encoded("envoy.config.core.v3.Node", builder),
            "warning client_features[1]: nested list; its elements are taken as elements of the outer list; "
            "client_features: \"a\" client_features: \"b\" client_features: \"c\" client_features: \"d\" ");
}

TEST_F(EncodeTest, EnumsAreReadInAnyCaseAndAsNumbers) {
  EXPECT_EQ(MemberText("lb_policy", "random"), "lb_policy: RANDOM ");
  EXPECT_EQ(MemberText("lbPolicy", "RANDOM"), "lb_policy: RANDOM ");
  EXPECT_EQ(MemberText("lb_policy", "3"), "lb_policy: RANDOM ");
  EXPECT_EQ(MemberNumber("lb_policy", "3"), "lb_policy: RANDOM ");
  EXPECT_EQ(MemberNumber("lb_policy", "77"), "lb_policy: 77 ");
  EXPECT_EQ(Member("lb_policy", [](Builder& b) { b.Bool(true); }),
            "error lb_policy: expected the name or number of an enum value, not a boolean; ");
}

TEST_F(EncodeTest, AnUnknownEnumNameIsDroppedRefusedOrIgnored) {
  const auto encoded = [&](Unknown unknown) {
    Builder builder;
    builder.Map().Key("lb_policy").Text("RONUD_ROBIN").Key("name").Text("a").End();
    return Encoded(kCluster, builder, Spelling::kJson, unknown);
  };
  const std::string what =
      "lb_policy: no such value in envoy.config.cluster.v3.Cluster.LbPolicy (nearest: ROUND_ROBIN); ";
  EXPECT_EQ(encoded(Unknown::kWarn), "warning " + what + "name: \"a\" ");
  EXPECT_EQ(encoded(Unknown::kRefuse), "error " + what);
  EXPECT_EQ(encoded(Unknown::kIgnore), "name: \"a\" ");
}

TEST_F(EncodeTest, OfEqualKeysTheLastOneCounts) {
  Builder builder;
  builder.Map()
      .Key("name")
      .Text("a")
      .Key("name")
      .Text("b")
      .Key("alt_stat_name")
      .Text("x")
      .Key("altStatName")
      .Text("y")
      .End();
  EXPECT_EQ(Encoded(kCluster, builder),
            "warning name: duplicate field; the last one counts; warning alt_stat_name: duplicate field; the last one "
            "counts; "
            "name: \"b\" alt_stat_name: \"y\" ");
}

TEST_F(EncodeTest, AMemberOfAOneofTwiceIsRefusedInJsonAndNotInYaml) {
  Builder builder;
  builder.Map().Key("type").Text("EDS").Key("type").Text("STATIC").End();
  EXPECT_EQ(Encoded(kCluster, builder), "error type: duplicate field; ");
  EXPECT_EQ(Encoded(kCluster, builder, Spelling::kYaml),
            "warning type: duplicate field; the last one counts; type: STATIC ");
}

TEST_F(EncodeTest, TwoMembersOfAOneofAreRefused) {
  Builder builder;
  builder.Map().Key("type").Text("EDS").Key("cluster_type").Map().Key("name").Text("x").End().End();
  EXPECT_EQ(Encoded(kCluster, builder), "error cluster_type: conflicts with type: they are in the same oneof; ");
}

TEST_F(EncodeTest, AKeyOfAMapTwiceIsRefusedInJsonAndNotInYaml) {
  Builder builder;
  builder.Map().Key("a").Number("1").Key("a").Number("2").End();
  EXPECT_EQ(Encoded("google.protobuf.Struct", builder), "error [\"a\"]: duplicate key; ");
  EXPECT_EQ(Encoded("google.protobuf.Struct", builder, Spelling::kYaml),
            "warning [\"a\"]: duplicate key; the last one counts; "
            "fields { key: \"a\" value { number_value: 2 } } ");
}

TEST_F(EncodeTest, DurationsAreSecondsWithAnS) {
  EXPECT_EQ(MemberText("connect_timeout", "0.25s"), "connect_timeout { nanos: 250000000 } ");
  EXPECT_EQ(MemberText("connect_timeout", "-1.5s"), "connect_timeout { seconds: -1 nanos: -500000000 } ");
  EXPECT_EQ(MemberText("connect_timeout", "-0.5s"), "connect_timeout { nanos: -500000000 } ");
  EXPECT_EQ(Member("connect_timeout", [](Builder& b) { b.Map().Key("seconds").Number("5").End(); }),
            "connect_timeout { seconds: 5 } ");
  const std::string error = "error connect_timeout: expected a duration such as \"1.5s\"; ";
  for (const char* bad : {"250ms", "5", "s", "1e3s", "0.0000000001s", "1.s", ".5s", "1s ", " 1s", "1-2s",
                          "315576000001s", "+1s", "", "1.5.5s"}) {
    EXPECT_EQ(MemberText("connect_timeout", bad), error) << bad;
  }
  EXPECT_EQ(MemberNumber("connect_timeout", "5"), error);
}

TEST_F(EncodeTest, TimesAreThoseOfRfc3339) {
  const auto seconds = [&](std::string_view text) {
    Builder builder;
    builder.Text(text);
    return Encoded("google.protobuf.Timestamp", builder);
  };
  EXPECT_EQ(seconds("1970-01-01T00:00:00Z"), "");
  EXPECT_EQ(seconds("2024-02-29T12:30:05.25Z"), "seconds: 1709209805 nanos: 250000000 ");
  EXPECT_EQ(seconds("2024-02-29T12:30:05+01:00"), "seconds: 1709206205 ");
  EXPECT_EQ(seconds("0001-01-01T00:00:00Z"), "seconds: -62135596800 ");
  EXPECT_EQ(seconds("9999-12-31T23:59:59Z"), "seconds: 253402300799 ");
  for (const char* bad : {"2024-02-30T00:00:00Z", "2024-01-01", "2024-01-01T00:00:00", "2024-13-01T00:00:00Z",
                          "2024-01-01T24:00:00Z", "2024-01-01T00:00:00z", "-024-01-01T00:00:00Z", "now"}) {
    EXPECT_EQ(seconds(bad), "error : expected a time such as \"2024-01-01T00:00:00Z\"; ") << bad;
  }
}

TEST_F(EncodeTest, TextMustBeText) {
  EXPECT_EQ(MemberNumber("name", "8080"), "error name: expected text, not a number; ");
  EXPECT_EQ(Member("name", [](Builder& b) { b.Bool(true); }), "error name: expected text, not a boolean; ");
  EXPECT_EQ(Member("name", [](Builder& b) { b.List().End(); }), "error name: expected text, not a list; ");
  EXPECT_EQ(MemberText("name", "a\xFF"), "error name: invalid UTF-8; ");
}

TEST_F(EncodeTest, WholeNumbersMayBeInQuotesAndHaveAZeroFraction) {
  const auto port = [&](NodeKind kind, std::string_view text) {
    Builder builder;
    builder.Map().Key("port_value");
    kind == NodeKind::kText ? builder.Text(text) : builder.Number(text);
    builder.End();
    return Encoded("envoy.config.core.v3.SocketAddress", builder);
  };
  for (const char* good : {"80", "80.0", "8e1", "0.8e2"}) {
    EXPECT_EQ(port(NodeKind::kText, good), "port_value: 80 ") << good;
    EXPECT_EQ(port(NodeKind::kNumber, good), "port_value: 80 ") << good;
  }
  EXPECT_EQ(port(NodeKind::kNumber, "4294967295"), "port_value: 4294967295 ");
  const std::string error = "error port_value: expected a whole number from 0 to 4294967295; ";
  for (const char* bad : {"80.5", "-1", "4294967296", "http", "8080-8090", "", " 80", "1e400", "nan", "0o17"}) {
    EXPECT_EQ(port(NodeKind::kText, bad), error) << bad;
  }
}

TEST_F(EncodeTest, NullIsTheSameAsLeftOut) {
  Builder builder;
  builder.Map()
      .Key("name")
      .Null()
      .Key("health_checks")
      .Null()
      .Key("connect_timeout")
      .Null()
      .Key("metadata")
      .Null()
      .End();
  EXPECT_EQ(Encoded(kCluster, builder), "");
}

TEST_F(EncodeTest, NullInAListIsAnEmptyElement) {
  Builder builder;
  builder.Map().Key("client_features").List().Text("a").Null().End().End();
  EXPECT_EQ(Encoded("envoy.config.core.v3.Node", builder),
            "warning client_features[1]: null in a list is taken as an empty element; "
            "client_features: \"a\" client_features: \"\" ");
}

TEST_F(EncodeTest, NullIsAValueOfAStruct) {
  Builder builder;
  builder.Map().Key("a").Null().Key("b").List().Null().End().End();
  EXPECT_EQ(Encoded("google.protobuf.Struct", builder),
            "fields { key: \"a\" value { null_value: NULL_VALUE } } "
            "fields { key: \"b\" value { list_value { values { null_value: NULL_VALUE } } } } ");
}

TEST_F(EncodeTest, WrappersAreTheirValuesOrObjects) {
  const auto wrapper = [](Builder& b) { b.Map().Key("value").Number("5").End(); };
  EXPECT_EQ(MemberNumber("per_connection_buffer_limit_bytes", "5"), "per_connection_buffer_limit_bytes { value: 5 } ");
  EXPECT_EQ(MemberText("per_connection_buffer_limit_bytes", "5"), "per_connection_buffer_limit_bytes { value: 5 } ");
  EXPECT_EQ(Member("per_connection_buffer_limit_bytes", wrapper), "per_connection_buffer_limit_bytes { value: 5 } ");
  Builder flag;
  flag.Text("true");
  EXPECT_EQ(Encoded("google.protobuf.BoolValue", flag), "value: true ");
  Builder one;
  one.Number("1");
  EXPECT_EQ(Encoded("google.protobuf.BoolValue", one), "error : expected true or false; ");
}

TEST_F(EncodeTest, Base64NeedsNoPaddingAndHasTwoAlphabets) {
  const auto bytes = [&](std::string_view text) {
    Builder builder;
    builder.Text(text);
    return Encoded("google.protobuf.BytesValue", builder);
  };
  for (const char* good : {"+/8=", "+/8", "-_8", "-_8="}) EXPECT_EQ(bytes(good), "value: \"\\373\\377\" ") << good;
  EXPECT_EQ(bytes(""), "");
  for (const char* bad : {"not base64!", "+/8A\nb24=", "A", "AB=C", "=", "===="}) {
    EXPECT_EQ(bytes(bad), "error : expected base64; ") << bad;
  }
}

TEST_F(EncodeTest, RealNumbersMayBeWords) {
  const auto real = [&](std::string_view text) {
    Builder builder;
    builder.Text(text);
    return Encoded("google.protobuf.DoubleValue", builder);
  };
  EXPECT_EQ(real("NaN"), "value: nan ");
  EXPECT_EQ(real("-Infinity"), "value: -inf ");
  EXPECT_EQ(real("1.5e3"), "value: 1500 ");
  EXPECT_EQ(real("x"), "error : expected a number; ");
  Builder large;
  large.Number("1e400");
  EXPECT_EQ(Encoded("google.protobuf.DoubleValue", large), "error : expected a number; ");
  Builder too_large;
  too_large.Number("1e39");
  EXPECT_EQ(Encoded("google.protobuf.FloatValue", too_large), "error : expected a number; ");
}

TEST_F(EncodeTest, AnUnknownFieldIsDroppedWithTheNearestName) {
  Builder builder;
  builder.Map().Key("conect_timeout").Text("1s").Key("name").Text("a").Key("odd key").Null().End();
  EXPECT_EQ(Encoded(kCluster, builder),
            "warning conect_timeout: no such field in envoy.config.cluster.v3.Cluster (nearest: connect_timeout); "
            "warning [\"odd key\"]: no such field in envoy.config.cluster.v3.Cluster; name: \"a\" ");
}

TEST_F(EncodeTest, AMergeKeyIsAnUnknownFieldInYaml) {
  Builder builder;
  builder.Map().Key("<<").Map().Key("name").Text("a").End().End();
  EXPECT_EQ(Encoded(kCluster, builder, Spelling::kYaml),
            "warning [\"<<\"]: unknown field: merge keys are not applied; ");
}

TEST_F(EncodeTest, AllThatIsWrongWithAMessageIsFoundWithItsPath) {
  Builder builder;
  builder.Map().Key("name").Number("1").Key("load_assignment").Map().Key("endpoints").List().Map().End().Map();
  builder.Key("lb_endpoints").List().Map().Key("endpoint").Map().Key("address").Map().Key("socket_address").Map();
  builder.Key("port_value").Text("x").End().End().End().End().End().Key("priority").Number("-1").End().End().End();
  builder.Key("metadata").Map().Key("filter_metadata").Map().Key("a.b").Number("1").End().End().End();
  EXPECT_EQ(Encoded(kCluster, builder),
            "error name: expected text, not a number; "
            "error load_assignment.endpoints[1].lb_endpoints[0].endpoint.address.socket_address.port_value: "
            "expected a whole number from 0 to 4294967295; "
            "error load_assignment.endpoints[1].priority: expected a whole number from 0 to 4294967295; "
            "error metadata.filter_metadata[\"a.b\"]: expected a map; ");
}

TEST_F(EncodeTest, AnAnyIsPutTogetherWhereverItsTypeStands) {
  const std::string_view type = "envoy.config.core.v3.TypedExtensionConfig";
  const auto typed = [&](std::string_view url) {
    Builder builder;
    builder.Map().Key("typed_config").Map().Key("sni").Text("x").Key("@type").Text(url).End().End();
    return Encoded(type, builder);
  };
  const std::string context = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
  EXPECT_EQ(typed("type.googleapis.com/" + context),
            "typed_config { [type.googleapis.com/" + context + "] { sni: \"x\" } } ");
  EXPECT_EQ(typed("any.host/" + context),
            "typed_config { type_url: \"any.host/" + context + "\" value: \"\\022\\001x\" } ");
  EXPECT_EQ(typed(context).substr(0, 44), "error typed_config: @type is not a type URL ");
  EXPECT_EQ(typed("x/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContex"),
            "error typed_config: unknown type envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContex (nearest: " +
                context + "); ");
  Builder empty;
  empty.Map().Key("typed_config").Map().End().End();
  EXPECT_EQ(Encoded(type, empty), "typed_config { } ");
  Builder untyped;
  untyped.Map().Key("typed_config").Map().Key("sni").Text("x").End().End();
  EXPECT_EQ(Encoded(type, untyped), "error typed_config: has no @type; ");
}

TEST_F(EncodeTest, AnAnyOfATypeWithItsOwnFormHasAValue) {
  const auto duration = [&](std::string_view key) {
    Builder builder;
    builder.Map().Key("@type").Text("type.googleapis.com/google.protobuf.Duration").Key(key).Text("1s").End();
    return Encoded("google.protobuf.Any", builder);
  };
  EXPECT_EQ(duration("value"), "[type.googleapis.com/google.protobuf.Duration] { seconds: 1 } ");
  EXPECT_EQ(duration("seconds"),
            "error seconds: unknown field: an Any of google.protobuf.Duration has only \"value\"; ");
}

TEST_F(EncodeTest, AnAnyThatWasPrintedUnopenedKeepsItsBytes) {
  Builder builder;
  builder.Map().Key("@type").Text("t/no.Such").Key("@error").Text("unknown").Key("@value").Text("AQI=").End();
  EXPECT_EQ(Encoded("google.protobuf.Any", builder), "type_url: \"t/no.Such\" value: \"\\001\\002\" ");
}

TEST_F(EncodeTest, MapsHaveKeysOfEveryKind) {
  Builder labels;
  labels.Map().Key("filter_metadata").Map().Key("").Map().End().End().End();
  EXPECT_EQ(Encoded("envoy.config.core.v3.Metadata", labels), "filter_metadata { key: \"\" value { } } ");
}

TEST_F(EncodeTest, WhatIsNestedTooDeeplyIsRefused) {
  Builder builder;
  for (int i = 0; i < 40; ++i) builder.Map().Key("a");
  builder.Number("1");
  for (int i = 0; i < 40; ++i) builder.End();
  EXPECT_NE(Encoded("google.protobuf.Struct", builder).find("nested too deeply"), std::string::npos);
}

TEST_F(EncodeTest, FindingsAreCountedBeyondWhatIsKept) {
  Builder builder;
  builder.Map();
  for (int i = 0; i < 50; ++i) builder.Key("x" + std::to_string(i)).Number("1");
  builder.Key("name").Number("1").End();
  Findings findings(3);
  std::string bytes;
  EXPECT_FALSE(Encode(builder.tree().root(), TypeOf(kCluster), {}, types_, &findings, &bytes));
  EXPECT_EQ(findings.all().size(), 3U);
  EXPECT_EQ(findings.left_out(), 48U);
  EXPECT_EQ(findings.errors(), 1U);
}

// Text format.

TEST_F(EncodeTest, TextFormatHasFieldsOnly) {
  Builder builder;
  builder.Map().Key("name").Text("a").Key("connect_timeout").Map().Key("seconds").Number("1").End();
  builder.Key("lb_policy").Symbol("RANDOM").Key("health_checks").Map().End().Key("health_checks").Map().End();
  builder.Key("metadata").Map().Key("filter_metadata").Map().Key("key").Text("k").End().End().End();
  EXPECT_EQ(Encoded(kCluster, builder, Spelling::kText),
            "name: \"a\" connect_timeout { seconds: 1 } lb_policy: RANDOM health_checks { } health_checks { } "
            "metadata { filter_metadata { key: \"k\" value { } } } ");
}

TEST_F(EncodeTest, TextFormatHasNoLeniencies) {
  const auto refused = [&](const Builder& builder) { return Encoded(kCluster, builder, Spelling::kText); };
  EXPECT_EQ(refused(Builder().Map().Key("name").Text("a").Key("name").Text("b").End()),
            "error name: duplicate field; ");
  EXPECT_EQ(refused(Builder().Map().Key("lb_policy").Symbol("random").End()),
            "error lb_policy: no such value in envoy.config.cluster.v3.Cluster.LbPolicy; ");
  EXPECT_EQ(refused(Builder().Map().Key("lb_policy").Text("RANDOM").End()),
            "error lb_policy: expected the name or number of an enum value; ");
  EXPECT_EQ(refused(Builder().Map().Key("altStatName").Text("a").End()),
            "error altStatName: no such field in envoy.config.cluster.v3.Cluster; ");
  EXPECT_EQ(refused(Builder().Map().Key("name").Symbol("a").End()),
            "error name: expected text in quotes, not a word; ");
  EXPECT_EQ(refused(Builder().Map().Key("connect_timeout").Text("1s").End()),
            "error connect_timeout: expected a message in { }, not text; ");
  EXPECT_EQ(refused(Builder().Map().Key("type").Symbol("EDS").Key("cluster_type").Map().End().End()),
            "error cluster_type: conflicts with type: they are in the same oneof; ");
}

TEST_F(EncodeTest, TextFormatHasNumbersInThreeBases) {
  const auto port = [&](std::string_view text) {
    return Encoded("envoy.config.core.v3.SocketAddress", Builder().Map().Key("port_value").Number(text).End(),
                   Spelling::kText);
  };
  EXPECT_EQ(port("0x50"), "port_value: 80 ");
  EXPECT_EQ(port("0120"), "port_value: 80 ");
  EXPECT_EQ(port("80"), "port_value: 80 ");
  for (const char* bad : {"-1", "80.0", "4294967296", "08"}) EXPECT_EQ(port(bad).substr(0, 5), "error") << bad;
}

TEST_F(EncodeTest, ATypedStructInAnAnyIsAMessageLikeAnyOther) {
  Builder builder;
  builder.Map().Key("@type").Text("type.googleapis.com/xds.type.v3.TypedStruct").Key("type_url").Text("t/a.B");
  builder.Key("value").Map().Key("x").Number("1").End().End();
  EXPECT_EQ(Encoded("google.protobuf.Any", builder),
            "[type.googleapis.com/xds.type.v3.TypedStruct] { type_url: \"t/a.B\" value { fields { key: \"x\" value { "
            "number_value: 1 } } } } ");
}

}  // namespace
}  // namespace xdscope::encode
