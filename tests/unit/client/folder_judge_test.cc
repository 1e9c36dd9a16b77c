#include "lib/client/folder_judge.h"

#include <gmock/gmock.h>

#include "lib/finding/rules.h"
#include "tests/fake/memory_files.h"

namespace xdscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

class FolderJudgeTest : public testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) { files_.Put(path, text); }
  std::vector<std::string_view> Rules() {
    std::vector<std::string_view> rules;
    for (const JudgedFile& file : judge_.Judge().value_or(std::vector<JudgedFile>())) {
      for (const finding::Finding& finding : file.findings) {
        if (finding::FindRule(finding.rule)->client != finding::Client::kGrpc) rules.push_back(finding.rule);
      }
    }
    return rules;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::MemoryFiles files_;
  FolderJudge judge_{"/d", files_, types_};
};

constexpr char kGood[] = "{'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster, name: web}\n";
constexpr char kBad[] =
    "{'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster, name: api, least_request_lb_config: "
    "{choice_count: 1}}\n";

TEST_F(FolderJudgeTest, AllFilesAreJudgedOnceForEachChange) {
  Put("/d/a.yaml", kBad);
  Put("/d/b.txt", kBad);
  EXPECT_THAT(Rules(), ElementsAre("pgv.uint32.gte"));
  EXPECT_FALSE(judge_.Judge());
  Put("/d/c.yaml", kGood);
  EXPECT_THAT(judge_.Judge(), Optional(SizeIs(2)));
  files_.Remove("/d/a.yaml");
  EXPECT_THAT(judge_.Judge(), Optional(SizeIs(1)));
}

TEST_F(FolderJudgeTest, HowFilesAreCutIsNoMistakeOfAControlPlane) {
  Put("/d/a.yaml", std::string(kGood) + "---\n{resources: []}\n---\n" +
                       "[{'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster, name: web}, " +
                       "{'@type': type.googleapis.com/envoy.service.runtime.v3.Runtime, name: r}]\n");
  Put("/d/b.json", "name: api\n'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n");  // YAML
  EXPECT_THAT(Rules(), IsEmpty());
}

TEST_F(FolderJudgeTest, AFileThatCannotBeReadIsAFinding) {
  files_.Spoil("/d/a.yaml", absl::PermissionDeniedError("no"));
  EXPECT_THAT(Rules(), ElementsAre("XDS-V220"));
  files_.LoseFolder(absl::NotFoundError("gone"));
  EXPECT_FALSE(judge_.Judge());
}

}  // namespace
}  // namespace xdscope::client
