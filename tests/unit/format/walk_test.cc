#include <gtest/gtest.h>

#include <string>

#include "lib/base/fields.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

using base::AppendBytes;
using base::AppendTag;
using base::AppendVarint;

constexpr std::string_view kPrefix = "type.googleapis.com/";

std::string Url(std::string_view name) {
  return std::string(kPrefix) + std::string(name);
}

std::string AnyOf(std::string_view url, std::string_view bytes) {
  std::string any;
  AppendBytes(&any, 1, url);
  AppendBytes(&any, 2, bytes);
  return any;
}

void AppendNumber(std::string* out, std::uint32_t number, std::uint64_t value) {
  AppendTag(out, number, base::WireType::kVarint);
  AppendVarint(out, value);
}

TEST(Walk, FieldsComeInTheOrderOfTheirNumbers) {
  std::string cluster;
  AppendNumber(&cluster, 6, 1);
  AppendBytes(&cluster, 1, "a");
  EXPECT_EQ(ShowBytes("envoy.config.cluster.v3.Cluster", cluster), R"({"name":"a","lb_policy":"LEAST_REQUEST"})");
}

TEST(Walk, TheLastOfARepeatedScalarWins) {
  std::string cluster;
  AppendBytes(&cluster, 1, "first");
  AppendBytes(&cluster, 1, "last");
  EXPECT_EQ(ShowBytes("envoy.config.cluster.v3.Cluster", cluster), R"({"name":"last"})");
}

TEST(Walk, AWrittenDefaultIsLeftOutAsProtobufDoes) {
  std::string cluster;
  AppendBytes(&cluster, 1, "");
  AppendNumber(&cluster, 6, 0);
  EXPECT_EQ(ShowBytes("envoy.config.cluster.v3.Cluster", cluster), "{}");
}

TEST(Walk, MapsAreSortedByKey) {
  EXPECT_EQ(Show("google.protobuf.Struct", R"(
      fields { key: "b" value { number_value: 1 } } fields { key: "a" value { bool_value: true } }
      fields { key: "c" value { list_value { values { null_value: NULL_VALUE } values { string_value: "x" } } } })"),
            R"({"a":true,"b":1,"c":[null,"x"]})");
}

TEST(Walk, AnUnknownEnumNumberIsANumber) {
  std::string cluster;
  AppendNumber(&cluster, 6, 4711);
  EXPECT_EQ(ShowBytes("envoy.config.cluster.v3.Cluster", cluster), R"({"lb_policy":4711})");
}

TEST(Walk, SixtyFourBitNumbersAreTextAsInProtobufsJson) {
  EXPECT_EQ(Show("google.protobuf.Int64Value", "value: -9007199254740993"), R"("-9007199254740993")");
  EXPECT_EQ(Show("google.protobuf.UInt32Value", "value: 4294967295"), "4294967295");
}

TEST(Walk, NamesAreThoseOfTheProtoFileOrCamelCase) {
  WalkOptions options;
  options.names = FieldNames::kCamel;
  EXPECT_EQ(Show("envoy.config.cluster.v3.Cluster", "alt_stat_name: \"x\"", options), R"({"altStatName":"x"})");
  EXPECT_EQ(Show("envoy.config.cluster.v3.Cluster", "alt_stat_name: \"x\""), R"({"alt_stat_name":"x"})");
}

TEST(Walk, DefaultsAreShownOnRequest) {
  WalkOptions options;
  options.emit_defaults = true;
  EXPECT_EQ(Show("envoy.config.core.v3.HeaderValue", "key: \"k\"", options),
            R"({"key":"k","value":"","raw_value":""})");
  EXPECT_EQ(Show("envoy.config.core.v3.Metadata", "", options), R"({"filter_metadata":{},"typed_filter_metadata":{}})");
  EXPECT_EQ(Show("envoy.config.core.v3.DataSource", "", options), "{}") << "members of a oneof have no default";
}

TEST(Walk, AnAnyIsOpenedByItsUrlWhateverThePrefix) {
  const std::string bytes = SharedApi().Bytes("envoy.config.core.v3.HeaderValue", "key: \"k\"");
  for (const char* url : {"type.googleapis.com/envoy.config.core.v3.HeaderValue",
                          "a.b/c/envoy.config.core.v3.HeaderValue", "envoy.config.core.v3.HeaderValue"}) {
    EXPECT_EQ(ShowAny(url, bytes), std::string(R"({"@type":")") + url + R"(","key":"k"})");
  }
}

TEST(Walk, WellKnownTypesInAnAnyStandUnderValue) {
  EXPECT_EQ(ShowAny(Url("google.protobuf.Duration"), SharedApi().Bytes("google.protobuf.Duration", "seconds: 3")),
            R"({"@type":"type.googleapis.com/google.protobuf.Duration","value":"3s"})");
  EXPECT_EQ(ShowAny(Url("google.protobuf.Empty"), ""), R"({"@type":"type.googleapis.com/google.protobuf.Empty"})");
  const std::string inner =
      AnyOf(Url("google.protobuf.BoolValue"), SharedApi().Bytes("google.protobuf.BoolValue", "value: true"));
  EXPECT_EQ(ShowAny(Url("google.protobuf.Any"), inner),
            R"({"@type":"type.googleapis.com/google.protobuf.Any","value":)"
            R"({"@type":"type.googleapis.com/google.protobuf.BoolValue","value":true}})");
}

TEST(Walk, AnEmptyAnyIsAnEmptyObject) {
  EXPECT_EQ(ShowBytes("google.protobuf.Any", ""), "{}");
}

TEST(Walk, AnUnknownAnyShowsItsBytesAndTheRestGoesOn) {
  std::string socket;
  AppendBytes(&socket, 1, "custom");
  AppendBytes(&socket, 3, AnyOf(Url("my.company.Filter"), "\x01\xff"));
  std::string cluster;
  AppendBytes(&cluster, 1, "a");
  AppendBytes(&cluster, 24, socket);
  AppendBytes(&cluster, 28, "stat");
  const std::string shown = ShowBytes("envoy.config.cluster.v3.Cluster", cluster);
  EXPECT_NE(
      shown.find(
          R"("typed_config":{"@type":"type.googleapis.com/my.company.Filter","@error":"unknown type my.company.Filter)"),
      std::string::npos)
      << shown;
  EXPECT_NE(shown.find(R"("@value":"Af8="}},"alt_stat_name":"stat"})"), std::string::npos) << shown;
}

TEST(Walk, AnAnyOfBrokenBytesShowsThemAndWhy) {
  const std::string shown = ShowAny(Url("envoy.config.core.v3.Locality"), "\x0a\x05zzz");
  EXPECT_TRUE(shown.starts_with(R"({"@type":"type.googleapis.com/envoy.config.core.v3.Locality","@error":")")) << shown;
  EXPECT_NE(shown.find(R"("@value":"CgV6eno="})"), std::string::npos) << shown;
}

TEST(Walk, AnAnyWithoutUrlIsAnError) {
  EXPECT_EQ(ShowAny("", "\x01"), R"({"@type":"","@error":"no type URL","@value":"AQ=="})");
}

TEST(Walk, MessagesInOneAnotherAreOpenedOnlySoDeep) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes = AnyOf(Url("google.protobuf.Any"), bytes);
  WalkOptions options;
  options.show_secrets = true;
  const std::string shown = ShowBytes("google.protobuf.Any", bytes, options);
  EXPECT_NE(shown.find(R"("@error":"nested too deeply","@value":")"), std::string::npos);
  // What nobody has looked into may hold a secret.
  EXPECT_NE(ShowBytes("google.protobuf.Any", bytes).find(R"("@value":"W3JlZGFjdGVkXQ==")"), std::string::npos);
}

TEST(Walk, DeepMessagesInDeepAnysDoNotExhaustTheStack) {
  // A matcher in a matcher, as deep as Decode allows, with an Any at the bottom that holds the same again.
  std::string any;
  for (int level = 0; level < 40; ++level) {
    std::string matcher;
    AppendBytes(&matcher, 1, "x");
    AppendBytes(&matcher, 2, any);  // TypedExtensionConfig
    std::string on_match;
    AppendBytes(&on_match, 2, matcher);
    for (int i = 0; i < 45; ++i) {
      std::string outer;
      AppendBytes(&outer, 3, on_match);
      on_match.clear();
      AppendBytes(&on_match, 1, outer);
    }
    any = AnyOf(Url("xds.type.matcher.v3.Matcher.OnMatch"), on_match);
  }
  for (const Spelling spelling : {Spelling::kJson, Spelling::kYaml, Spelling::kText}) {
    const std::string shown = ShowBytes("google.protobuf.Any", any, {}, spelling);
    EXPECT_NE(shown.find("nested too deeply"), std::string::npos);
  }
}

TEST(Walk, TimesAreTextWithinTheirRangeAndFieldsOutOfIt) {
  EXPECT_EQ(Show("google.protobuf.Duration", "seconds: -1 nanos: -500000000"), R"("-1.500s")");
  EXPECT_EQ(Show("google.protobuf.Duration", "seconds: 1 nanos: -1"), R"({"seconds":"1","nanos":-1})");
  EXPECT_EQ(Show("google.protobuf.Duration", "seconds: 315576000001"), R"({"seconds":"315576000001"})");
  EXPECT_EQ(Show("google.protobuf.Timestamp", "seconds: 253402300799 nanos: 1"), R"("9999-12-31T23:59:59.000000001Z")");
  EXPECT_EQ(Show("google.protobuf.Timestamp", "seconds: 253402300800"), R"({"seconds":"253402300800"})");
  EXPECT_EQ(Show("google.protobuf.Timestamp", "seconds: -62135596800"), R"("0001-01-01T00:00:00Z")");
}

TEST(Walk, AMalformedTimeInAnAnyIsStillShown) {
  EXPECT_EQ(
      ShowAny(Url("google.protobuf.Duration"), SharedApi().Bytes("google.protobuf.Duration", "nanos: -1000000000")),
      R"({"@type":"type.googleapis.com/google.protobuf.Duration","value":{"nanos":-1000000000}})");
}

TEST(Walk, AValueWithoutAKindIsNull) {
  EXPECT_EQ(Show("google.protobuf.ListValue", "values { bool_value: true } values {}"), "[true,null]");
}

TEST(Walk, UnknownFieldsAreShownOnRequest) {
  std::string locality;
  AppendBytes(&locality, 1, "r");
  AppendNumber(&locality, 90, 7);
  AppendBytes(&locality, 91, "ab");
  WalkOptions options;
  EXPECT_EQ(ShowBytes("envoy.config.core.v3.Locality", locality), R"({"region":"r"})");
  options.unknown_fields = true;
  EXPECT_EQ(ShowBytes("envoy.config.core.v3.Locality", locality, options),
            R"({"region":"r","@unknown":[{"field":90,"type":"varint","value":"7"},)"
            R"({"field":91,"type":"bytes","value":"YWI="}]})");
  EXPECT_EQ(ShowBytes("envoy.config.core.v3.Locality", locality, options, Spelling::kText),
            "region: \"r\"\n# unknown field 90, varint: 7\n# unknown field 91, bytes: 6162\n");
}

TEST(Walk, UnknownFieldsOfAWellKnownTypeAreShownToo) {
  std::string duration;
  AppendNumber(&duration, 1, 5);
  AppendNumber(&duration, 9, 1);
  WalkOptions options;
  EXPECT_EQ(ShowBytes("google.protobuf.Duration", duration, options), R"("5s")");
  options.unknown_fields = true;
  EXPECT_EQ(ShowBytes("google.protobuf.Duration", duration, options),
            R"({"seconds":"5","@unknown":[{"field":9,"type":"varint","value":"1"}]})");
}

TEST(Walk, TextThatIsNotUtf8IsRepaired) {
  // Proto2 strings may hold anything.
  std::string name_part;
  AppendBytes(&name_part, 1,
              "a\xff"
              "b");
  EXPECT_EQ(ShowBytes("google.protobuf.UninterpretedOption.NamePart", name_part),
            "{\"name_part\":\"a\xEF\xBF\xBD"
            "b\"}");
}

}  // namespace
}  // namespace xdscope::format
