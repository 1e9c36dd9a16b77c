#include "lib/format/read.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "lib/base/type_url.h"
#include "lib/finding/reading_rules.h"
#include "lib/finding/rules.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

constexpr std::string_view kClusterUrl = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

ReadFile ReadText(std::string_view text, Format format, const ReadOptions& options = {}) {
  return Read(text, format, options, SharedApi().types);
}

ReadOptions Bare(std::string type) {
  ReadOptions options;
  options.bare_type = std::move(type);
  return options;
}

// "document path line:column type {json}" of each resource, a line each.
std::string Resources(const ReadFile& file) {
  std::string all;
  for (const ReadResource& resource : file.resources) {
    const std::string name(base::MessageName(resource.type_url));
    all += std::to_string(resource.document) + " " + finding::ToText(resource.path) + " " +
           std::to_string(resource.position.line) + ":" + std::to_string(resource.position.column) + " " +
           name.substr(name.rfind('.') + 1) + " " + ShowBytes(name, resource.bytes) + "\n";
  }
  return all;
}

std::string Findings(const ReadFile& file) {
  std::string all;
  for (const finding::Finding& finding : file.findings) {
    EXPECT_NE(finding::FindRule(finding.rule), nullptr) << finding.rule;
    all += (finding.severity == finding::Severity::kError ? "error " : "warning ") +
           std::to_string(finding.position.line) + ":" + std::to_string(finding.position.column) + " " +
           finding::ToText(finding.path) + ": " + finding.message + "\n";
  }
  return all;
}

std::string Both(const ReadFile& file) {
  return Resources(file) + Findings(file);
}

std::string Typed(const std::string& name) {
  return R"({"@type": ")" + std::string(kClusterUrl) + R"(", "name": ")" + name + "\"}";
}

TEST(FormatOf, GoesByTheTextWhereThereIsNoSuffix) {
  EXPECT_EQ(FormatOf("a.yaml", "{}"), Format::kYaml);  // a suffix counts first
  EXPECT_EQ(FormatOf("a.json", "a: 1"), Format::kJson);
  const std::pair<std::string_view, Format> cases[] = {
      {"", Format::kYaml},
      {"resources:\n- name: a\n", Format::kYaml},
      {"---\nversion_info: '1'\nresources: []\n", Format::kYaml},
      {"- {a: b}\n", Format::kYaml},
      {"# a comment\nname: {\n}\n", Format::kYaml},
      {" \n{\"resources\": []}", Format::kJson},
      {"[{}]", Format::kJson},
      {"# proto-message: envoy.service.discovery.v3.DiscoveryResponse\nversion_info: \"1\"\n", Format::kText},
      {"version_info: \"1\"\nresources {\n}\n", Format::kText},
      {"resources{\r\n}\r\n", Format::kText},
      {"[type.googleapis.com/envoy.config.cluster.v3.Cluster] {\n}\n", Format::kText},
      {"\n\0017\022\013", Format::kBinary},
  };
  for (const auto& [text, format] : cases) {
    for (const char* path : {"/dev/fd/63", "a.txt", "dir.yaml/a"}) EXPECT_EQ(FormatOf(path, text), format) << text;
  }
}

TEST(FormatOf, GoesByTheSuffixInAnyCase) {
  EXPECT_EQ(FormatOf("a.pb"), Format::kBinary);
  EXPECT_EQ(FormatOf("a.PB"), Format::kBinary);
  EXPECT_EQ(FormatOf("a.pb_text"), Format::kText);
  EXPECT_EQ(FormatOf("a.yaml"), Format::kYaml);
  EXPECT_EQ(FormatOf("a.Yml"), Format::kYaml);
  for (const char* other : {"a.json", "a.conf", "a.txtpb", "a.textproto", "a", "", "pb", "yaml"}) {
    EXPECT_EQ(FormatOf(other), Format::kJson) << other;
  }
}

TEST(Read, ADiscoveryResponseInEveryFormat) {
  const std::string expected = "0 resources[0] Cluster {\"name\":\"a\"}\n0 resources[1] Cluster {\"name\":\"b\"}\n";
  const auto without_places = [](const ReadFile& file) {
    std::string all;
    for (const ReadResource& resource : file.resources) {
      all += "0 " + finding::ToText(resource.path) + " Cluster " +
             ShowBytes("envoy.config.cluster.v3.Cluster", resource.bytes) + "\n";
    }
    return all + Findings(file);
  };
  const std::string json =
      R"({"version_info": "7", "type_url": "t/u", "resources": [)" + Typed("a") + "," + Typed("b") + "]}";
  const std::string yaml = "versionInfo: '7'\ntypeUrl: t/u\nresources:\n- " + Typed("a") + "\n- " + Typed("b") + "\n";
  const std::string text = R"(version_info: "7" type_url: "t/u"
    resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "a" } }
    resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "b" } })";
  const std::string binary = SharedApi().Bytes("envoy.service.discovery.v3.DiscoveryResponse", text);
  const std::pair<Format, const std::string*> files[] = {
      {Format::kJson, &json}, {Format::kYaml, &yaml}, {Format::kText, &text}, {Format::kBinary, &binary}};
  for (const auto& [format, contents] : files) {
    const ReadFile file = ReadText(*contents, format);
    EXPECT_EQ(without_places(file), expected) << static_cast<int>(format);
    ASSERT_EQ(file.documents.size(), 1U);
    EXPECT_TRUE(file.documents[0].response);
    EXPECT_EQ(file.documents[0].version_info, "7");
    EXPECT_EQ(file.documents[0].type_url, "t/u");
    EXPECT_FALSE(file.has_errors);
    EXPECT_EQ(file.resources[0].type_url, kClusterUrl);
  }
}

TEST(Read, KnowsWhereResourcesBegin) {
  EXPECT_EQ(Both(ReadText("resources:\n- '@type': " + std::string(kClusterUrl) + "\n  name: a\n", Format::kYaml)),
            "0 resources[0] 2:3 Cluster {\"name\":\"a\"}\n");
  EXPECT_EQ(Both(ReadText("[\n  " + Typed("a") + "\n]", Format::kJson)), "0 [0] 2:3 Cluster {\"name\":\"a\"}\n");
  EXPECT_EQ(Both(ReadText("\nresources {\n [" + std::string(kClusterUrl) + "] { name: 'a' } }", Format::kText)),
            "0 resources[0] 2:11 Cluster {\"name\":\"a\"}\n");
}

TEST(Read, BareResourcesWithTheirTypeOrAGivenOne) {
  const std::string expected = "0  1:1 Cluster {\"name\":\"a\"}\n";
  EXPECT_EQ(Both(ReadText(Typed("a"), Format::kJson)), expected);
  EXPECT_EQ(Both(ReadText(Typed("a"), Format::kYaml)), expected);
  EXPECT_EQ(Both(ReadText("[" + std::string(kClusterUrl) + "] { name: \"a\" }", Format::kText)), expected);
  const ReadOptions bare = Bare("envoy.config.cluster.v3.Cluster");
  EXPECT_EQ(Both(ReadText("name: a\n", Format::kYaml, bare)), expected);
  EXPECT_EQ(Both(ReadText("{\"name\": \"a\"}", Format::kJson, bare)), expected);
  EXPECT_EQ(Both(ReadText("name: \"a\"", Format::kText, bare)), expected);
  EXPECT_EQ(Both(ReadText("\x0A\x01"
                          "a",
                          Format::kBinary, bare)),
            "0  0:1 Cluster {\"name\":\"a\"}\n");
  EXPECT_EQ(Both(ReadText(Typed("a"), Format::kYaml, Bare("envoy.config.listener.v3.Listener"))), expected);
}

TEST(Read, ListsOfBareResources) {
  EXPECT_EQ(
      Both(ReadText("- name: a\n- " + Typed("b") + "\n", Format::kYaml, Bare("x/envoy.config.cluster.v3.Cluster"))),
      "0 [0] 1:3 Cluster {\"name\":\"a\"}\n0 [1] 2:3 Cluster {\"name\":\"b\"}\n");
  EXPECT_EQ(Both(ReadText("[]", Format::kJson)), "");
}

TEST(Read, WhatIsNoResourceIsAnError) {
  const std::string no_type =
      "error 1:1 : neither a discovery response nor a resource: it has no resources and no @type\n";
  EXPECT_EQ(Both(ReadText("name: a\n", Format::kYaml)), no_type);
  EXPECT_EQ(Both(ReadText("{\"static_resources\": {}}", Format::kJson)), no_type);
  EXPECT_EQ(Both(ReadText("- name: a\n", Format::kYaml)), "error 1:3 [0]: not a resource: it has no @type\n");
  EXPECT_EQ(Both(ReadText("5", Format::kJson)),
            "error 1:1 : neither a discovery response nor a resource, but a number\n");
  EXPECT_EQ(Both(ReadText("name: a\n", Format::kYaml, Bare("no.Such"))), "error 1:1 : unknown type no.Such\n");
  EXPECT_EQ(Both(ReadText("resources: [{}, {name: a}, null, 5]\n", Format::kYaml)),
            "error 1:13 resources[0]: has no @type\nerror 1:17 resources[1]: has no @type\n"
            "error 1:28 resources[2]: null is not a resource\nerror 1:34 resources[3]: expected a map, not a number\n");
}

TEST(Read, AnEmptyResponseIsOne) {
  for (const auto& [text, format] : {std::pair("{}", Format::kJson), std::pair("{}", Format::kYaml),
                                     std::pair("", Format::kText), std::pair("", Format::kBinary)}) {
    const ReadFile file = ReadText(text, format);
    EXPECT_EQ(Both(file), "");
    ASSERT_EQ(file.documents.size(), 1U);
    EXPECT_TRUE(file.documents[0].response);
  }
}

TEST(Read, AnEmptyFileIsAnError) {
  EXPECT_EQ(Both(ReadText("", Format::kJson)), "error 1:1 : is empty\n");
  EXPECT_EQ(Both(ReadText(" \n", Format::kJson)), "error 1:1 : is empty\n");
  EXPECT_EQ(Both(ReadText("# nothing\n", Format::kYaml)), "error 1:1 : is empty\n");
  EXPECT_EQ(Both(ReadText("---\n---\n", Format::kYaml)), "error 1:1 : is empty\n");
}

TEST(Read, ABadResourceIsLeftOutAndTheOthersAreRead) {
  const std::string bad = R"({"@type": ")" + std::string(kClusterUrl) + R"(", "name": 5, "connect_timeout": "x"})";
  const std::string yaml = "resources:\n- " + Typed("a") + "\n- " + bad + "\n- " + Typed("c") + "\n";
  const ReadFile file = ReadText(yaml, Format::kYaml);
  EXPECT_EQ(Both(file),
            "0 resources[0] 2:3 Cluster {\"name\":\"a\"}\n0 resources[2] 4:3 Cluster {\"name\":\"c\"}\n"
            "error 3:76 resources[1].name: expected text, not a number\n"
            "error 3:98 resources[1].connect_timeout: expected a duration such as \"1.5s\"\n");
  EXPECT_TRUE(file.has_errors);
  EXPECT_EQ(Both(ReadText("{\"resources\": [" + bad + ",\n" + Typed("b") + "]}", Format::kJson)),
            "0 resources[1] 2:1 Cluster {\"name\":\"b\"}\n"
            "error 1:89 resources[0].name: expected text, not a number\n"
            "error 1:111 resources[0].connect_timeout: expected a duration such as \"1.5s\"\n");
}

TEST(Read, ASyntaxErrorKeepsWhatCameBeforeInJson) {
  EXPECT_EQ(Both(ReadText("{\"resources\": [" + Typed("a") + ", {]", Format::kJson)),
            "0 resources[0] 1:16 Cluster {\"name\":\"a\"}\nerror 1:96 : expected a key in quotes, not ']'\n");
}

TEST(Read, ResourceWrappersAreOpened) {
  const std::string wrapper =
      R"({"@type": "type.googleapis.com/envoy.service.discovery.v3.Resource", "name": "n", "version": "v",
          "aliases": ["x", "y"], "ttl": "1.5s", "resource": )" +
      Typed("a") + "}";
  const ReadFile file = ReadText("{\"resources\": [" + wrapper + "]}", Format::kJson);
  EXPECT_EQ(Both(file), "0 resources[0].resource 2:61 Cluster {\"name\":\"a\"}\n");
  const ReadResource& resource = file.resources.at(0);
  EXPECT_TRUE(resource.wrapped);
  EXPECT_EQ(resource.wrapper_url, "type.googleapis.com/envoy.service.discovery.v3.Resource");
  EXPECT_EQ(resource.name, "n");
  EXPECT_EQ(resource.version, "v");
  EXPECT_EQ(resource.aliases, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(resource.ttl, std::chrono::milliseconds(1500));
  EXPECT_EQ(ShowBytes("envoy.service.discovery.v3.Resource", resource.wrapper_bytes).substr(0, 12), "{\"version\":\"");
  const std::string empty = R"([{"@type": "t/envoy.service.discovery.v3.Resource", "name": "n"}])";
  EXPECT_EQ(Both(ReadText(empty, Format::kJson)), "error 1:2 [0].resource: the Resource is empty, or has no @type\n");
}

// A message that stands there twice is one: the fields of the second follow those of the first.
TEST(Read, APayloadThatIsSplitInItsWrapperIsOneResource) {
  std::string wrapper, response;
  base::AppendAny(&wrapper, 2, {"t/envoy.config.cluster.v3.Cluster", ""});
  base::AppendAny(&wrapper, 2, {"", "\x0a\x01z"});
  base::AppendAny(&response, 2, {"t/envoy.service.discovery.v3.Resource", wrapper});
  EXPECT_EQ(Both(ReadText(response, Format::kBinary)), "0 resources[0].resource 0:3 Cluster {\"name\":\"z\"}\n");
}

TEST(Read, ResponsesOfV2AndWithTheirOwnType) {
  const std::string v2 = R"({"version_info": "1", "resources": [{"@type": "type.googleapis.com/envoy.api.v2.Cluster",
                             "name": "a"}], "type_url": "type.googleapis.com/envoy.api.v2.Cluster"})";
  EXPECT_EQ(Both(ReadText(v2, Format::kJson)), "0 resources[0] 1:37 Cluster {\"name\":\"a\"}\n");
  const std::string typed = R"({"@type": "t/envoy.service.discovery.v3.DiscoveryResponse", "version_info": "3",
                                "resources": [)" +
                            Typed("a") + "]}";
  for (const Format format : {Format::kJson, Format::kYaml}) {
    const ReadFile file = ReadText(typed, format);
    EXPECT_EQ(Both(file), "0 resources[0] 2:47 Cluster {\"name\":\"a\"}\n");
    EXPECT_EQ(file.documents.at(0).version_info, "3");
  }
}

// Wherever the "@type" stands that says so.
TEST(Read, AResourceMayHaveAFieldCalledResources) {
  const std::string url = "type.googleapis.com/envoy.extensions.filters.http.oauth2.v3.OAuth2Config";
  for (const std::string& text : {"{\"@type\": \"" + url + "\", \"resources\": [\"a\", \"b\"]}",
                                  "{\"resources\": [\"a\", \"b\"], \"@type\": \"" + url + "\"}"}) {
    for (const Format format : {Format::kJson, Format::kYaml}) {
      EXPECT_EQ(Both(ReadText(text, format)), "0  1:1 OAuth2Config {\"resources\":[\"a\",\"b\"]}\n");
    }
  }
}

TEST(Read, OneResourceInPlaceOfAListIsTaken) {
  const std::string expected =
      "0 resources[0] 1:15 Cluster {\"name\":\"a\"}\n"
      "warning 1:15 resources: expected a list; a map is taken as its only element\n";
  EXPECT_EQ(Both(ReadText("{\"resources\": " + Typed("a") + "}", Format::kJson)), expected);
  EXPECT_EQ(Both(ReadText("{\"resources\": " + Typed("a") + "}", Format::kYaml)), expected);
}

TEST(Read, SeveralDocuments) {
  const std::string yaml = "resources: [" + Typed("a") + "]\n---\n" + Typed("b") + "\n---\n";
  EXPECT_EQ(Both(ReadText(yaml, Format::kYaml)),
            "0 resources[0] 1:13 Cluster {\"name\":\"a\"}\n1  3:1 Cluster {\"name\":\"b\"}\n"
            "warning 3:1 : extra document: Envoy reads only the first\n");
  EXPECT_EQ(Both(ReadText("[" + Typed("a") + "]\n" + Typed("b"), Format::kJson)),
            "0 [0] 1:2 Cluster {\"name\":\"a\"}\n1  2:1 Cluster {\"name\":\"b\"}\n"
            "error 2:1 : extra document: a JSON file has one\n");
}

TEST(Read, UnknownFieldsOfTheResponseAreSaidToo) {
  EXPECT_EQ(Both(ReadText("version_info: '1'\nversion: '1'\nresources: []\n", Format::kYaml)),
            "warning 2:1 version: no such field in envoy.service.discovery.v3.DiscoveryResponse\n");
  ReadOptions refuse;
  refuse.unknown = encode::Unknown::kRefuse;
  EXPECT_TRUE(ReadText("{\"resources\": [], \"x\": 1}", Format::kJson, refuse).has_errors);
  EXPECT_EQ(Both(ReadText(std::string_view("\x0A\x01"
                                           "1\x98\x06\x05",
                                           6),
                          Format::kBinary)),
            "warning 0:4 : no such field in envoy.service.discovery.v3.DiscoveryResponse: number 99\n");
}

TEST(Read, ABinaryFileThatIsCutOffSaysSo) {
  const std::string bytes = SharedApi().Bytes(
      "envoy.service.discovery.v3.DiscoveryResponse",
      R"(resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "a" } } type_url: "t/u")");
  EXPECT_EQ(Both(ReadText(bytes, Format::kBinary)), "0 resources[0] 0:3 Cluster {\"name\":\"a\"}\n");
  EXPECT_EQ(Both(ReadText(std::string_view(bytes).substr(0, bytes.size() - 1), Format::kBinary)),
            "0 resources[0] 0:3 Cluster {\"name\":\"a\"}\nerror 0:61 : malformed or cut off\n");
  EXPECT_TRUE(ReadText(std::string_view(bytes).substr(0, 40), Format::kBinary).has_errors);
}

TEST(Read, PositionsCountCharacters) {
  EXPECT_EQ(Both(ReadText("resources: [{\"\xC3\xA9\": 1, \"@type\": 5}]\n", Format::kYaml)),
            "error 1:31 resources[0]: @type is not a type URL such as "
            "\"type.googleapis.com/envoy.config.cluster.v3.Cluster\"\n");
}

TEST(Read, KeepsNoMoreFindingsThanAskedFor) {
  std::string many = "{\"resources\": [";
  for (int i = 0; i < 100; ++i) many += "{\"x\": 1},";
  ReadOptions options;
  options.max_findings = 5;
  const ReadFile file = ReadText(many + "]}", Format::kJson, options);
  EXPECT_EQ(file.findings.size(), 5U);
  EXPECT_EQ(file.findings_left_out, 96U);  // the comma too
  EXPECT_TRUE(file.has_errors);
}

TEST(Read, FindingsNameTheirRules) {
  const auto rules = [](std::string_view text, Format format) {
    std::vector<std::string_view> found;
    for (const finding::Finding& finding : ReadText(text, format, Bare("envoy.config.cluster.v3.Cluster")).findings) {
      found.push_back(finding.rule);
    }
    return found;
  };
  using Rules = std::vector<std::string_view>;
  EXPECT_EQ(rules("{\"name\": 1,}", Format::kJson), (Rules{finding::kValueRule, finding::kLenientSyntaxRule}));
  EXPECT_EQ(rules("{\"nope\": 1, \"name\": \"a\", \"name\": \"b\"}", Format::kJson),
            (Rules{finding::kUnknownFieldRule, finding::kDuplicateKeyRule}));
  EXPECT_EQ(rules("lb_policy: NOPE\n---\nname: a\n", Format::kYaml),
            (Rules{finding::kUnknownFieldRule, finding::kSeveralDocumentsRule}));
  EXPECT_EQ(rules("{\"@type\": \"x/no.Such\"}", Format::kJson), (Rules{finding::kUnknownTypeRule}));
  EXPECT_EQ(rules("{\"@type\": \"x\"}", Format::kJson), (Rules{finding::kTypeUrlFormRule}));
  EXPECT_EQ(rules("7", Format::kJson), (Rules{finding::kNotAResourceRule}));
  EXPECT_EQ(rules("{", Format::kJson), (Rules{finding::kSyntaxRule}));
  EXPECT_EQ(rules(std::string(101, '['), Format::kJson), (Rules{finding::kTooDeepRule}));
  EXPECT_EQ(rules("\x12\x05x", Format::kBinary), (Rules{finding::kAnyBytesRule}));
}

}  // namespace
}  // namespace xdscope::format
