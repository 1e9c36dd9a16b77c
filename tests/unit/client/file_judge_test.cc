#include "lib/client/file_judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/finding/rules.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kGood = R"(resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: web
)";

std::string Line(const finding::Finding& finding) {
  std::string line = fmt::format("{}:{} {} {}", finding.position.line, finding.position.column,
                                 finding.severity == finding::Severity::kError ? "error" : "warning", finding.rule);
  if (!finding.resource.empty()) line += fmt::format(" {}", finding.resource);
  if (!finding.path.empty()) line += fmt::format(" {}", finding::ToText(finding.path));
  return line;
}

// What gRPC refuses is not what these tests are about.
bool IsAboutGrpc(const finding::Finding& finding) {
  return finding::FindRule(finding.rule)->client == finding::Client::kGrpc;
}

class FileJudgeTest : public testing::Test {
 protected:
  JudgedFile Judge(std::string name, std::string_view text, std::string bare_type = {}) {
    FileJudge judge(types_, {std::move(bare_type)});
    judge.Add(std::move(name), std::string(text));
    JudgedFile file = std::move(judge.Judge().front());
    std::erase_if(file.findings, IsAboutGrpc);
    return file;
  }
  // "LINE:COLUMN SEVERITY RULE RESOURCE PATH" of each finding.
  std::vector<std::string> Lines(std::string name, std::string_view text, std::string bare_type = {}) {
    std::vector<std::string> lines;
    for (const finding::Finding& finding : Judge(std::move(name), text, std::move(bare_type)).findings) {
      lines.push_back(Line(finding));
    }
    return lines;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(FileJudgeTest, WhatIsRightHasNoFindings) {
  const JudgedFile file = Judge("cds.yaml", kGood);
  EXPECT_THAT(file.findings, IsEmpty());
  ASSERT_THAT(file.resources, SizeIs(1));
  EXPECT_EQ(file.resources[0].name, "web");
  EXPECT_TRUE(file.resources[0].read);
}

TEST_F(FileJudgeTest, ARuleOfAResourceHasTheLineOfItsField) {
  EXPECT_THAT(Lines("cds.yaml", fmt::format("{}  least_request_lb_config:\n    choice_count: 1\n", kGood)),
              ElementsAre("5:5 error pgv.uint32.gte web least_request_lb_config.choice_count"));
  EXPECT_THAT(Lines("cds.json", R"({"resources": [
{"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster",
 "name": "web", "leastRequestLbConfig": {
  "choiceCount": 1}}]})"),
              ElementsAre("4:3 error pgv.uint32.gte web least_request_lb_config.choice_count"));
  EXPECT_THAT(Lines("cds.pb_text", R"(resources {
  [type.googleapis.com/envoy.config.cluster.v3.Cluster] {
    name: "web"
    least_request_lb_config { choice_count { value: 1 } }
}})"),
              ElementsAre("4:31 error pgv.uint32.gte web least_request_lb_config.choice_count"));
}

TEST_F(FileJudgeTest, WhatIsMissingStandsAtTheNearestThingAroundIt) {
  EXPECT_THAT(Lines("cds.yaml", R"(resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  connect_timeout: 1s
)"),
              ElementsAre("2:3 error pgv.string.min_len name"));
}

TEST_F(FileJudgeTest, InABinaryFileThePlaceIsAByte) {
  const std::string any = fake::Any(fake::kCds, "\x0a\x03web\xaa\x02\x04\x0a\x02\x08\x01");
  const std::string text = fake::Field(2, any);
  const JudgedFile file = Judge("cds.pb", text);
  ASSERT_THAT(file.findings, SizeIs(1));
  EXPECT_EQ(finding::ToText(file.findings[0].path), "least_request_lb_config.choice_count");
  EXPECT_EQ(file.findings[0].position, (finding::Position{0, static_cast<int>(text.size()) - 3}));
}

TEST_F(FileJudgeTest, WhatEnvoyTakesAndDropsIsAnError) {
  const auto effect = [this](std::string_view name, std::string_view text) {
    const JudgedFile file = Judge(std::string(name), text);
    if (file.findings.size() != 1) return fmt::format("{} findings", file.findings.size());
    return fmt::format("{}: {}", Line(file.findings[0]), EffectOf(file.findings[0]));
  };
  EXPECT_THAT(effect("cds.yaml", fmt::format("{}  nmae: x\n", kGood)),
              StartsWith("4:3 error XDS-V011 web nmae: Envoy takes this and drops it"));
  EXPECT_THAT(effect("cds.yaml", fmt::format("{}  lb_policy: RONUD_ROBIN\n", kGood)),
              StartsWith("4:14 error XDS-V011 web lb_policy: Envoy takes this and drops it"));
  EXPECT_THAT(effect("cds.yaml", fmt::format("{}  name: other\n", kGood)),
              StartsWith("4:3 error XDS-V008 other name: Envoy takes this and keeps the last one"));
  EXPECT_THAT(effect("cds.yaml", fmt::format("{}---\nresources: []\n", kGood)),
              StartsWith("5:1 error XDS-V202: Envoy takes this and reads the first document"));
  EXPECT_THAT(effect("cds.yaml", fmt::format("{}  alt_stat_name: 'x\n", kGood)),
              StartsWith("4:18 error XDS-V207: Envoy takes this and makes one text"));
  EXPECT_THAT(effect("cds.pb", "\x1a"), StartsWith("0:1 error XDS-V002: Envoy takes this and applies"));
}

TEST_F(FileJudgeTest, AFindingOfTheReaderNamesTheResource) {
  const JudgedFile file = Judge("cds.yaml", R"(resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: web
  connect_timeout: 250ms
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: api
  least_request_lb_config: {choice_count: 1}
)");
  ASSERT_THAT(file.findings, SizeIs(2));
  EXPECT_EQ(Line(file.findings[0]), "4:20 error XDS-V203 web connect_timeout");
  EXPECT_EQ(file.findings[0].type_url, fake::kCds);
  EXPECT_EQ(Line(file.findings[1]), "7:29 error pgv.uint32.gte api least_request_lb_config.choice_count");
  ASSERT_THAT(file.resources, SizeIs(2));
  EXPECT_EQ(file.resources[0].name, "web");
  EXPECT_FALSE(file.resources[0].read);
  EXPECT_TRUE(file.resources[1].read);
}

TEST_F(FileJudgeTest, OfTheSamePathInTwoDocumentsThePlaceDecides) {
  const std::string other = R"(resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: api
  nmae: x
)";
  EXPECT_THAT(Lines("cds.yaml", fmt::format("{}---\n{}", kGood, other)),
              ElementsAre("5:1 error XDS-V202", "8:3 error XDS-V011 api nmae"));
}

TEST_F(FileJudgeTest, ABareResourceIsNoDiscoveryFileUnlessItsTypeIsSaid) {
  constexpr std::string_view kBare = "'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\nname: web\n";
  EXPECT_THAT(Lines("cds.yaml", kBare), ElementsAre("1:1 error XDS-V001 web"));
  EXPECT_THAT(Lines("cds.yaml", kBare, "envoy.config.cluster.v3.Cluster"), IsEmpty());
  EXPECT_THAT(Lines("cds.yaml", "- name: web\n"), ElementsAre("1:3 error XDS-V001 [0]"));
  EXPECT_THAT(Lines("cds.yaml", "- name: web\n", "envoy.config.cluster.v3.Cluster"), IsEmpty());
}

TEST_F(FileJudgeTest, AFileInAnotherFormatThanItsNameSaysIsJudgedAllTheSame) {
  constexpr std::string_view kBad = R"(resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: web
  least_request_lb_config: {choice_count: 1}
)";
  EXPECT_THAT(Lines("cds.json", kBad),
              ElementsAre("1:1 error XDS-V003", "4:29 error pgv.uint32.gte web least_request_lb_config.choice_count"));
  EXPECT_THAT(Lines("cds.conf", kBad), SizeIs(2));
  EXPECT_THAT(Lines("-", kBad), SizeIs(1));
  EXPECT_THAT(Lines("cds.yaml", R"({"resources": []})"), ElementsAre("1:1 warning XDS-V014"));
}

TEST_F(FileJudgeTest, AFileThatCannotBeReadIsAFinding) {
  FileJudge judge(types_, {});
  judge.AddUnreadable("gone.yaml", absl::NotFoundError("No such file or directory"));
  judge.Add("cds.yaml", std::string(kGood));
  std::vector<JudgedFile> files = judge.Judge();
  for (JudgedFile& file : files) std::erase_if(file.findings, IsAboutGrpc);
  ASSERT_THAT(files, SizeIs(2));
  ASSERT_THAT(files[0].findings, SizeIs(1));
  EXPECT_EQ(files[0].findings[0].rule, "XDS-V220");
  EXPECT_THAT(files[0].findings[0].message, HasSubstr("No such file"));
  EXPECT_THAT(files[1].findings, IsEmpty());
}

TEST_F(FileJudgeTest, ABootstrapIsJudgedAsAWhole) {
  constexpr std::string_view kBootstrap = R"(node: {id: a}
nmae: x
static_resources:
  clusters:
  - name: local
    least_request_lb_config: {choice_count: 1}
dynamic_resources:
  lds_config: {path_config_source: {path: lds.yaml}}
  cds_config: {path: cds.yaml}
)";
  FileJudge judge(types_, {});
  judge.Add("envoy.yaml", std::string(kBootstrap));
  EXPECT_THAT(judge.FilesNamed(), ElementsAre("lds.yaml", "cds.yaml"));
  const JudgedFile file = std::move(judge.Judge().front());
  std::vector<std::string> errors;
  for (const finding::Finding& finding : file.findings) {
    if (finding.severity != finding::Severity::kError || IsAboutGrpc(finding)) continue;
    errors.push_back(Line(finding));
    EXPECT_THAT(EffectOf(finding), StartsWith("Envoy does not start with this"));
  }
  EXPECT_THAT(
      errors,
      ElementsAre("2:1 error XDS-V011 nmae",
                  "6:31 error pgv.uint32.gte static_resources.clusters[0].least_request_lb_config.choice_count"));
}

TEST_F(FileJudgeTest, ADumpIsJudgedAsAWhole) {
  EXPECT_THAT(Lines("dump.json", R"({"configs": [{"@type": "type.googleapis.com/envoy.admin.v3.ClustersConfigDump",
"static_clusters": [{"cluster": {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster",
  "name": "web", "leastRequestLbConfig": {"choiceCount": 1}}}]}]})"),
              ElementsAre("3:43 error pgv.uint32.gte "
                          "configs[0].static_clusters[0].cluster.least_request_lb_config.choice_count"));
  EXPECT_THAT(Lines("other.json", R"({"a": 1, "node": {}})"), ElementsAre("1:1 error XDS-V001"));
}

// What an unknown type holds cannot be judged; everything else can.
TEST_F(FileJudgeTest, ABootstrapWithAnUnknownTypeIsJudgedAllTheSame) {
  EXPECT_THAT(Lines("envoy.yaml", R"(static_resources:
  clusters:
  - name: web
    typed_extension_protocol_options:
      own:
        '@type': type.googleapis.com/own.Options
        choice: 1
    least_request_lb_config: {choice_count: 1}
)"),
              ElementsAre("6:18 error XDS-V120 static_resources.clusters[0].typed_extension_protocol_options[\"own\"]",
                          "8:31 error pgv.uint32.gte "
                          "static_resources.clusters[0].least_request_lb_config.choice_count"));
}

TEST_F(FileJudgeTest, AResourceWithAnUnknownTypeIsJudgedAllTheSame) {
  const std::string yaml = fmt::format(
      "{}  transport_socket: {{name: t, typed_config: {{'@type': type.googleapis.com/own.Tls}}}}\n"
      "  least_request_lb_config: {{choice_count: 1}}\n",
      kGood);
  EXPECT_THAT(Lines("cds.yaml", yaml),
              ElementsAre("4:55 error XDS-V120 web transport_socket.typed_config",
                          "5:29 error pgv.uint32.gte web least_request_lb_config.choice_count"));
  EXPECT_THAT(Lines("cds.pb_text", R"(resources {
  [type.googleapis.com/envoy.config.cluster.v3.Cluster] {
    name: "web"
    transport_socket { name: "t" typed_config { [type.googleapis.com/own.Tls] { } } }
    least_request_lb_config { choice_count { value: 1 } }
}})"),
              ElementsAre("4:49 error XDS-V120 web transport_socket.typed_config",
                          "5:31 error pgv.uint32.gte web least_request_lb_config.choice_count"));
  EXPECT_THAT(Lines("cds.yaml", "resources: [{'@type': type.googleapis.com/own.Cluster, name: a}]"),
              ElementsAre("1:23 error XDS-V120"));
}

TEST_F(FileJudgeTest, TheFilesOfASetAreJudgedTogether) {
  constexpr std::string_view kEndpoints = R"(resources:
- '@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: other
)";
  const std::string clusters = fmt::format(
      "{}  type: EDS\n  eds_cluster_config: {{eds_config: {{path_config_source: {{path: ./eds.yaml}}}}}}\n", kGood);
  FileJudge judge(types_, {});
  judge.Add("a/cds.yaml", clusters, 1);
  judge.Add("a/eds.yaml", std::string(kEndpoints), 1);
  judge.Add("b/eds.yaml", std::string(kEndpoints), 2);
  std::vector<JudgedFile> files = judge.Judge();
  for (JudgedFile& file : files) std::erase_if(file.findings, IsAboutGrpc);
  EXPECT_THAT(files[0].findings, IsEmpty());
  ASSERT_THAT(files[1].findings, SizeIs(1));
  EXPECT_EQ(Line(files[1].findings[0]), "2:3 error XDS-V005 other");
  ASSERT_TRUE(files[1].findings[0].related);
  EXPECT_EQ(files[1].findings[0].related->file, "a/cds.yaml");
  EXPECT_EQ(files[1].findings[0].related->position.line, 5);
  EXPECT_THAT(files[2].findings, IsEmpty());
}

}  // namespace
}  // namespace xdscope::client
