// Our YAML, read by yaml-cpp as Envoy does it, is the same value as our JSON.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <yaml-cpp/yaml.h>

#include <string>

#include "lib/format/yaml_scalar.h"
#include "tests/fake/random_message.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

bool IsQuoted(const YAML::Node& node) {
  return node.Tag() == "!";
}

// True when yaml-cpp would take a bare scalar for something else than text.
bool MeansMore(const YAML::Node& node) {
  bool boolean = false;
  double number = 0;
  return node.IsNull() || YAML::convert<bool>::decode(node, boolean) || YAML::convert<double>::decode(node, number);
}

std::string Difference(const rapidjson::Value& json, const YAML::Node& yaml, const std::string& path) {
  if (json.IsNull()) return yaml.IsNull() ? "" : path + ": not null";
  if (json.IsBool()) return !IsQuoted(yaml) && yaml.as<bool>() == json.GetBool() ? "" : path + ": other boolean";
  if (json.IsNumber()) {
    return !IsQuoted(yaml) && yaml.as<double>() == json.GetDouble() ? "" : path + ": other number " + yaml.Scalar();
  }
  if (json.IsString()) {
    const std::string text(json.GetString(), json.GetStringLength());
    if (!yaml.IsScalar() || yaml.Scalar() != text)
      return path + ": other text: " + (yaml.IsScalar() ? yaml.Scalar() : "");
    return IsQuoted(yaml) || !MeansMore(yaml) ? "" : path + ": bare " + text;
  }
  if (yaml.size() != (json.IsArray() ? json.Size() : json.MemberCount())) return path + ": other size";
  if (json.IsArray()) {
    if (!yaml.IsSequence() && json.Size() > 0) return path + ": no list";
    for (rapidjson::SizeType i = 0; i < json.Size(); ++i) {
      std::string found = Difference(json[i], yaml[i], path + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
    return {};
  }
  if (!yaml.IsMap()) return path + ": no map";
  for (const auto& member : json.GetObject()) {
    const std::string key(member.name.GetString(), member.name.GetStringLength());
    bool met = false;
    for (const auto& entry : yaml) {
      if (!entry.first.IsScalar() || entry.first.Scalar() != key) continue;
      met = true;
      std::string found = Difference(member.value, entry.second, fmt::format("{}.{}", path, key));
      if (!found.empty()) return found;
      if (!IsQuoted(entry.first) && MeansMore(entry.first)) return fmt::format("{}: bare key {}", path, key);
    }
    if (!met) return fmt::format("{}: no key {}", path, key);
  }
  return {};
}

std::string Difference(const std::string& json, const std::string& yaml) {
  rapidjson::Document document;
  if (document.Parse<rapidjson::kParseFullPrecisionFlag>(json.c_str(), json.size()).HasParseError()) return "no JSON";
  try {
    return Difference(document, YAML::Load(yaml), "");
  } catch (const YAML::Exception& error) {
    return error.what();
  }
}

// A text where it can stand: as a key, a value, an element, in a list of a list.
void WriteEverywhere(Writer& writer, const std::string& text) {
  writer.BeginObject();
  writer.Key("a");
  writer.Text(text);
  writer.Key("*" + text);
  writer.BeginList();
  writer.Text(text);
  writer.BeginList();
  writer.Text(text);
  writer.Int(1);
  writer.EndList();
  writer.BeginObject();
  writer.Key(text);
  writer.Text(text);
  writer.Key("x" + text);
  writer.BeginObject();
  writer.Key("deep");
  writer.Text(text);
  writer.EndObject();
  writer.EndObject();
  writer.Text(text);
  writer.EndList();
  writer.Key("z");
  writer.BeginObject();
  writer.EndObject();
  writer.EndObject();
}

std::string DifferenceOf(const std::string& text) {
  const std::string yaml = Collect([&](Output& out) {
    YamlWriter writer(out);
    WriteEverywhere(writer, text);
  });
  const std::string json = Collect([&](Output& out) {
    JsonWriter writer(out, JsonWriter::Layout::kCompact);
    WriteEverywhere(writer, text);
  });
  const std::string found = Difference(json, yaml);
  return found.empty() ? "" : found + "\n" + yaml;
}

TEST(Yaml, TextsThatMeanSomethingInYamlComeBackAsTexts) {
  for (const char* text : {"",
                           "yes",
                           "No",
                           "ON",
                           "off",
                           "true",
                           "False",
                           "y",
                           "N",
                           "null",
                           "NULL",
                           "~",
                           "010",
                           "0o17",
                           "0x1f",
                           "0b11",
                           "1e3",
                           "1E5",
                           "12e03",
                           "1_000",
                           "1:30",
                           "1:30.5",
                           "-12:30:45",
                           "2001-01-01",
                           "2001-12-14t21:59:43.10-05:00",
                           "2001-12-14 21:59:43.10 -5",
                           "=",
                           "<<",
                           ".inf",
                           "-.inf",
                           "+.INF",
                           ".nan",
                           ".5",
                           "5.",
                           "+1",
                           "-1",
                           "-",
                           "--",
                           "---",
                           "...",
                           "...  @x",
                           "- x",
                           "-x",
                           "? x",
                           "?x",
                           ": x",
                           ":x",
                           "a: b",
                           "a:",
                           "a:b",
                           "a #b",
                           "a#b",
                           "# x",
                           "#x",
                           " a",
                           "a ",
                           " ",
                           "  ",
                           "\t",
                           "a\tb",
                           "\ta",
                           "a\t",
                           "&a",
                           "*a",
                           "!a",
                           "|",
                           ">",
                           "|-",
                           "'",
                           "''",
                           "'a'",
                           "\"",
                           "\"a\"",
                           "\\",
                           "a\\b",
                           "a\"b",
                           "^/foo\\.\"bar$",
                           "%a",
                           "@a",
                           "`a",
                           "{",
                           "}",
                           "{a: b}",
                           "[",
                           "]",
                           "[a]",
                           ",",
                           "a,b",
                           "a: \"b\\",
                           "é",
                           "中文",
                           "😀",
                           "\xC2\x85",
                           "a\xC2\x85\x62",
                           "\xE2\x80\xA8",
                           "\xEF\xBB\xBF",
                           "\xEF\xBB\xBF\x61",
                           "a\xEF\xBB\xBF",
                           "\xEF\xBF\xBE",
                           "\xC2\xA0",
                           "\xC2\x9B[31m",
                           "\x7f",
                           "\x1b[31m",
                           "\r",
                           "a\rb",
                           "a\r\nb",
                           "NaN",
                           "Infinity",
                           "10.0.0.1",
                           "1.2.3",
                           "1.2.3.4:80",
                           "::1",
                           "fe80::1",
                           "1::2",
                           "/a/b",
                           "a/b:c",
                           "http://a.b/c?d=e#f",
                           "null ",
                           "outbound|80||a.b",
                           "(a)",
                           "$a",
                           "<a>",
                           "a'b",
                           "it's",
                           "a ' b: c",
                           "@type"}) {
    EXPECT_EQ(DifferenceOf(text), "") << text;
  }
  EXPECT_EQ(DifferenceOf(std::string("\0a", 2)), "");
}

TEST(Yaml, TextsOfSeveralLinesComeBackAsTheyWere) {
  for (const char* text :
       {"\n",         "\n\n",       "a\n",      "a\n\n",     "a\nb",        "a\nb\n",     "\na",    "\n\na\n",
        " a\nb",      "a\n b\n",    "a\n\n\nb", "a\n  \nb",  "a \nb",       "a\n\tb",     "\ta\nb", "a\tb\nc",
        "# a\nb",     "- a\n- b\n", "---\na",   "a\n---\nb", "a\n...\nb\n", "a: b\nc: d", "a\n#b",  "é\n中",
        "a\r\nb\r\n", "a\x01\nb",   "%a\n%b",   "\"a\n'b",   "a\n ",        "a\n\n "}) {
    EXPECT_EQ(DifferenceOf(text), "") << text;
  }
}

TEST(Yaml, LongKeysAreStillKeys) {
  EXPECT_EQ(DifferenceOf(std::string(2000, 'k')), "");
  EXPECT_EQ(DifferenceOf(std::string(500, '\n')), "");
  EXPECT_EQ(DifferenceOf("a: " + std::string(5000, 'k')), "");
}

TEST(Yaml, RandomTextsComeBackAsTheyWere) {
  fake::RandomMessages random(SharedApi().factory, {}, 7);
  int failures = 0;
  for (int i = 0; i < 5000 && failures < 5; ++i) {
    const std::string text = random.Text();
    const std::string found = DifferenceOf(text);
    EXPECT_EQ(found, "") << testing::PrintToString(text);
    if (!found.empty()) ++failures;
  }
}

TEST(Yaml, RandomMessagesAreTheSameValueAsInJson) {
  Api& api = SharedApi();
  const auto* any = api.schema.FindMessage("envoy.extensions.filters.http.lua.v3.Lua");
  fake::RandomMessages random(api.factory, {any, api.schema.FindMessage("google.protobuf.Struct")}, 11);
  int failures = 0;
  for (const char* name : {"envoy.config.cluster.v3.Cluster", "envoy.config.listener.v3.Listener",
                           "envoy.config.route.v3.RouteConfiguration", "google.protobuf.Struct",
                           "google.protobuf.ListValue", "envoy.extensions.transport_sockets.tls.v3.Secret"}) {
    const auto* descriptor = api.schema.FindMessage(name);
    for (int i = 0; i < 40 && failures < 5; ++i) {
      const std::unique_ptr<google::protobuf::Message> message(api.factory.GetPrototype(descriptor)->New());
      random.Fill(message.get(), 6);
      const std::string bytes = message->SerializePartialAsString();
      const std::string yaml = ShowBytes(name, bytes, {}, Spelling::kYaml);
      const std::string found = Difference(ShowBytes(name, bytes), yaml);
      EXPECT_EQ(found, "") << yaml;
      if (!found.empty()) ++failures;
    }
  }
}

TEST(Yaml, PlainTextsStayReadable) {
  for (const char* text :
       {"service.ns.svc.cluster.local", "outbound|80||a.b", "10.0.0.1", "type.googleapis.com/a.B", "/a/b",
        "http://a.b/c", "ROUND_ROBIN", "a b c", "5xx", "é", "it's", "1.28.0", "v1", "a\\b", "x-y"}) {
    EXPECT_EQ(StyleOf(text), ScalarStyle::kPlain) << text;
  }
  EXPECT_EQ(StyleOf("[^/]+\\.local"), ScalarStyle::kSingle);
  EXPECT_EQ(StyleOf("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"), ScalarStyle::kBlock);
  EXPECT_EQ(StyleOf("function envoy_on_request(handle)\n\thandle:logInfo('x')\nend\n"), ScalarStyle::kBlock);
}

TEST(Yaml, LooksAsAPersonWouldWriteIt) {
  const std::string yaml = Show("envoy.config.cluster.v3.Cluster", R"(
      name: "a" connect_timeout { seconds: 1 nanos: 500000000 } lb_policy: RING_HASH
      load_assignment { cluster_name: "a" endpoints { lb_endpoints { endpoint { address { socket_address {
        address: "10.0.0.1" port_value: 80 } } } } } }
      transport_socket { name: "tls" typed_config { [type.googleapis.com/google.protobuf.Empty] {} } }
      max_requests_per_connection { value: 3 }
      http_protocol_options {} filters {})",
                                {}, Spelling::kYaml);
  EXPECT_EQ(yaml, R"(name: a
connect_timeout: 1.500s
lb_policy: RING_HASH
max_requests_per_connection: 3
http_protocol_options: {}
transport_socket:
  name: tls
  typed_config:
    "@type": type.googleapis.com/google.protobuf.Empty
load_assignment:
  cluster_name: a
  endpoints:
  - lb_endpoints:
    - endpoint:
        address:
          socket_address:
            address: 10.0.0.1
            port_value: 80
filters:
- {}
)");
}

}  // namespace
}  // namespace xdscope::format
