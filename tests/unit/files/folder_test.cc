#include "lib/files/folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "lib/schema/schema.h"
#include "tests/fake/memory_files.h"
#include "tests/fake/messages.h"

namespace xdscope::files {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kClusters[] = R"(resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: web
  connect_timeout: 1s
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: api
)";
// The second cluster has a bad value in line 6.
constexpr char kBroken[] = R"(resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: web
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: api
  connect_timeout: soon
)";

class FolderTest : public ::testing::Test {
 protected:
  static std::vector<std::string> NamesIn(const Folder& folder) {
    std::vector<std::string> names;
    for (const ResourcePtr& resource : folder.Resources()) names.push_back(resource->name);
    return names;
  }
  static std::vector<std::string> Texts(const Folder::News& news) {
    std::vector<std::string> texts;
    for (const Notice& notice : news.notices) {
      const bool error = notice.finding.severity == finding::Severity::kError;
      texts.push_back((error ? "error: " : "") + ToText(notice));
    }
    return texts;
  }
  std::vector<std::string> Names() const { return NamesIn(folder_); }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::MemoryFiles files_;
  Folder folder_{"mesh/", files_, types_, Strictness::kRefuse};
  Folder lenient_{"mesh", files_, types_, Strictness::kLenient};
};

TEST_F(FolderTest, HoldsWhatItsFilesSayInTheOrderOfTheirNames) {
  files_.Put("mesh/b.yaml", kClusters);
  files_.Put("mesh/a.json", R"({"@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
                                "cluster_name": "first"})");
  const Folder::News news = folder_.Rescan();
  EXPECT_TRUE(news.changed);
  EXPECT_THAT(Texts(news), IsEmpty());
  EXPECT_THAT(Names(), ElementsAre("first", "web", "api"));
  EXPECT_EQ(folder_.Resources()[1]->origin, "b.yaml:2");
}

TEST_F(FolderTest, ServesFilesWithASuffixOfEnvoyThatAreNotHidden) {
  for (const char* name : {"a.yaml", "a.YML", "a.json", "a.pb", "a.pb_text"})
    EXPECT_TRUE(IsDiscoveryFile(name)) << name;
  for (const char* name : {"a.txt", "a", ".yaml", "..data", ".a.yaml.swp", ".a.yaml", "a.yaml~", ""}) {
    EXPECT_FALSE(IsDiscoveryFile(name)) << name;
  }
}

TEST_F(FolderTest, ReadsOnlyWhatHasChanged) {
  files_.Put("mesh/a.yaml", kClusters);
  files_.Put("mesh/b.yaml", kClusters);
  (void)folder_.Rescan();
  EXPECT_FALSE(folder_.Rescan().changed);
  EXPECT_EQ(files_.reads(), 2);
  files_.Put("mesh/b.yaml", kClusters);  // written again, with the same content
  EXPECT_FALSE(folder_.Rescan().changed);
  EXPECT_EQ(files_.reads(), 3);
}

TEST_F(FolderTest, AVersionFollowsTheContentNotItsSpelling) {
  files_.Put("mesh/a.yaml", kClusters);
  (void)folder_.Rescan();
  const std::string before = folder_.Resources()[0]->version;
  files_.Put("mesh/a.yaml",
             "- {connectTimeout: 1.0s, name: web, '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster}\n"
             "- {name: api, '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster}\n");
  EXPECT_FALSE(folder_.Rescan().changed);
  files_.Put("mesh/a.yaml", "- {name: web, '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster}\n");
  EXPECT_TRUE(folder_.Rescan().changed);
  EXPECT_NE(folder_.Resources()[0]->version, before);
}

TEST_F(FolderTest, AFileThatBreaksKeepsWhatItLastSaid) {
  files_.Put("mesh/a.yaml", kClusters);
  (void)folder_.Rescan();
  files_.Put("mesh/a.yaml", kBroken);
  const Folder::News news = folder_.Rescan();
  EXPECT_FALSE(news.changed);
  EXPECT_THAT(Texts(news), ElementsAre(AllOf(HasSubstr("error: mesh/a.yaml:6:"), HasSubstr("connect_timeout"),
                                             HasSubstr("its last good content stays (2 resources)"))));
  EXPECT_THAT(Names(), ElementsAre("web", "api"));
  EXPECT_THAT(folder_.Rescan().notices, IsEmpty());  // said once
  files_.Put("mesh/a.yaml", kClusters);
  EXPECT_THAT(Texts(folder_.Rescan()), ElementsAre("mesh/a.yaml: is good again"));
}

TEST_F(FolderTest, AFileThatWasNeverGoodServesWhatCanBeRead) {
  files_.Put("mesh/a.yaml", kBroken);
  const Folder::News news = folder_.Rescan();
  EXPECT_TRUE(news.changed);
  EXPECT_THAT(Texts(news), ElementsAre(HasSubstr("the rest of it is taken (1 resource)")));
  EXPECT_THAT(Names(), ElementsAre("web"));
}

TEST_F(FolderTest, AFileThatCannotBeReadIsSaidAndCostsNoOther) {
  files_.Spoil("mesh/a.yaml", absl::PermissionDeniedError("Permission denied"));
  files_.Put("mesh/b.yaml", kClusters);
  EXPECT_THAT(Texts(folder_.Rescan()), ElementsAre("error: mesh/a.yaml: Permission denied; nothing of it is taken"));
  EXPECT_THAT(Names(), SizeIs(2));
}

TEST_F(FolderTest, AResourceWithoutANameIsAnError) {
  files_.Put("mesh/a.yaml",
             "resources:\n- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n  type: EDS\n");
  EXPECT_THAT(Texts(folder_.Rescan()), ElementsAre(AllOf(HasSubstr("mesh/a.yaml:2:"),
                                                         HasSubstr("envoy.config.cluster.v3.Cluster: has no name"))));
}

TEST_F(FolderTest, ARemovedFileTakesItsResourcesAway) {
  files_.Put("mesh/a.yaml", kClusters);
  (void)folder_.Rescan();
  files_.Remove("mesh/a.yaml");
  EXPECT_TRUE(folder_.Rescan().changed);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(FolderTest, AFolderThatVanishesStaysAsItWas) {
  files_.Put("mesh/a.yaml", kClusters);
  (void)folder_.Rescan();
  files_.LoseFolder(absl::NotFoundError("No such file or directory"));
  const Folder::News lost = folder_.Rescan();
  EXPECT_FALSE(lost.changed);
  EXPECT_THAT(Texts(lost), ElementsAre("error: mesh: No such file or directory; what it last held stays"));
  EXPECT_THAT(folder_.Rescan().notices, IsEmpty());
  EXPECT_THAT(Names(), SizeIs(2));
  files_.LoseFolder(absl::OkStatus());
  EXPECT_THAT(Texts(folder_.Rescan()), ElementsAre("mesh: is there again"));
}

TEST_F(FolderTest, RemarksAreToldUpToANumber) {
  std::string text = "resources:\n- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n  name: web\n";
  for (int i = 0; i < 8; ++i) text += "  no_such_field_" + std::to_string(i) + ": 1\n";
  files_.Put("mesh/a.yaml", text);
  const std::vector<std::string> texts = Texts(lenient_.Rescan());
  ASSERT_THAT(texts, SizeIs(Folder::kMostRemarks + 1));
  EXPECT_THAT(texts.front(), HasSubstr("mesh/a.yaml:4:3:"));
  EXPECT_EQ(texts.back(), "mesh/a.yaml: and 3 more remarks");
  EXPECT_THAT(NamesIn(lenient_), ElementsAre("web"));
}

TEST_F(FolderTest, WhatTheSchemaDoesNotKnowBreaksAFile) {
  for (const char* unknown : {"  no_such_field: 1\n", "  lb_policy: NO_SUCH_VALUE\n"}) {
    const std::string bad =
        "resources:\n- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n  name: web\n" +
        std::string(unknown);
    files_.Put("mesh/a.yaml", kClusters);
    (void)folder_.Rescan();
    files_.Put("mesh/a.yaml", bad);
    const Folder::News news = folder_.Rescan();
    EXPECT_FALSE(news.changed) << unknown;
    EXPECT_THAT(Texts(news), ElementsAre(AllOf(HasSubstr("error: mesh/a.yaml:4:"), HasSubstr("no such"),
                                               HasSubstr("its last good content stays (2 resources)"))));
    EXPECT_TRUE(IsUnknown(news.notices.front().finding));
    EXPECT_THAT(Names(), ElementsAre("web", "api"));
    files_.Put("mesh/a.yaml", kClusters);
    EXPECT_THAT(Texts(folder_.Rescan()), ElementsAre("mesh/a.yaml: is good again"));
  }
}

TEST_F(FolderTest, ALenientFolderServesTheRestAndSaysWhatIsLeftOut) {
  files_.Put("mesh/a.yaml",
             "resources:\n- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n  name: web\n"
             "  no_such_field: 1\n");
  const Folder::News news = lenient_.Rescan();
  EXPECT_TRUE(news.changed);
  EXPECT_THAT(Texts(news), ElementsAre(AllOf(HasSubstr("mesh/a.yaml:4:3: resources[0].no_such_field: no such field"),
                                             HasSubstr("; it is left out"))));
  EXPECT_THAT(NamesIn(lenient_), ElementsAre("web"));
}

TEST_F(FolderTest, AnOpenQuoteBreaksAFileWhereItOpens) {
  files_.Put("mesh/a.yaml", kClusters);
  (void)folder_.Rescan();
  files_.Put("mesh/a.yaml",
             "resources:\n- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n  name: \"web\n");
  EXPECT_THAT(Texts(folder_.Rescan()), ElementsAre("error: mesh/a.yaml:3:9: unterminated quote; its last good content "
                                                   "stays (2 resources)"));
  EXPECT_THAT(Names(), ElementsAre("web", "api"));
}

// Files that take all memory there is.
class HungryFiles : public fake::MemoryFiles {
 public:
  absl::StatusOr<std::string> Read(const std::string& path, std::size_t most) const override {
    if (path.ends_with("hungry.yaml")) throw std::bad_alloc();
    return fake::MemoryFiles::Read(path, most);
  }
};

TEST_F(FolderTest, AFileThatTakesAllMemoryCostsNoOther) {
  HungryFiles files;
  files.Put("mesh/a.yaml", kClusters);
  files.Put("mesh/hungry.yaml", "");
  Folder folder("mesh", files, types_, Strictness::kRefuse);
  EXPECT_THAT(Texts(folder.Rescan()), ElementsAre("error: mesh/hungry.yaml: there is not enough memory to read it; "
                                                  "nothing of it is taken"));
  EXPECT_THAT(NamesIn(folder), ElementsAre("web", "api"));
}

TEST_F(FolderTest, LargeFilesAreAnnounced) {
  std::vector<std::string> announced;
  Folder folder("mesh", files_, types_, Strictness::kRefuse, [&](std::string_view path, std::uint64_t size) {
    announced.push_back(std::string(path) + " " + std::to_string(size));
  });
  files_.Put("mesh/small.yaml", kClusters);
  files_.Put("mesh/large.yaml", kClusters + std::string(Folder::kLargeFile, '\n'));
  EXPECT_TRUE(folder.Rescan().changed);
  EXPECT_THAT(announced,
              ElementsAre("mesh/large.yaml " + std::to_string(Folder::kLargeFile + std::string(kClusters).size())));
}

TEST_F(FolderTest, OneFileMayHaveSeveralDocuments) {
  const std::string one = R"({"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "one"})";
  const std::string two = R"({"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "two"})";
  files_.Put("mesh/a.json", one + "\n" + two);
  files_.Put("mesh/b.yaml", std::string(kClusters) + "---\n- " + one);
  EXPECT_THAT(Texts(folder_.Rescan()), IsEmpty());
  EXPECT_THAT(Names(), ElementsAre("one", "two", "web", "api", "one"));
}

TEST_F(FolderTest, OneFileMayHaveSeveralTypes) {
  files_.Put("mesh/all.yaml", std::string(kClusters) +
                                  "- '@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
                                  "  name: routes\n");
  EXPECT_TRUE(folder_.Rescan().changed);
  EXPECT_THAT(Names(), ElementsAre("web", "api", "routes"));
}

TEST_F(FolderTest, EventsOfTheFolderAboveConcernItOnlyByItsName) {
  const Folder folder("above/mesh", files_, types_, Strictness::kRefuse);
  EXPECT_TRUE(folder.Concerns({"above/mesh", "a.yaml"}));
  EXPECT_TRUE(folder.Concerns({"above", "mesh"}));
  EXPECT_FALSE(folder.Concerns({"above", "other"}));
  EXPECT_TRUE(folder.Concerns({"above", "other", base::FolderEvent::Kind::kMovedHere}));
  EXPECT_TRUE(folder.Concerns({}));  // too much happened to tell
  EXPECT_THAT(folder.WatchedFolders(), ElementsAre("above/mesh", "above"));
}

using Event = base::FolderEvent;

class MovedTest : public FolderTest {
 protected:
  MovedTest() {
    files_.Put("mesh/a.yaml", kClusters);
    (void)folder_.Rescan();
  }
  static Event Moved(const std::string& name) { return {"mesh", name, Event::Kind::kMovedHere}; }
  static Event Touched(const std::string& name) { return {"mesh", name, Event::Kind::kTouched}; }
  static std::string Named(std::string_view name) {
    return fmt::format("- {{'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster, name: {}}}\n", name);
  }
};

TEST_F(MovedTest, AFileIsReadWhenItIsMovedToItsName) {
  files_.Put("mesh/a.yaml", Named("new"));
  const Folder::News news = folder_.LoadMoved({Moved("a.yaml")});
  EXPECT_TRUE(news.changed);
  EXPECT_THAT(Texts(news), IsEmpty());
  EXPECT_THAT(Names(), ElementsAre("new"));
}

// XDS-F09.
TEST_F(MovedTest, MoreInAFileThanEnvoyTakesIsSaidWhenItIsRead) {
  constexpr std::string_view kEndpoints =
      "- {'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment, cluster_name: ";
  const std::string two = fmt::format("{0}a}}\n{0}b}}\n", kEndpoints);
  const std::string words =
      "mesh/eds.yaml: has 2 eds resources; Envoy takes no more than one from a file, and keeps what it had";
  files_.Put("mesh/eds.yaml", two);
  const Folder::News news = folder_.LoadMoved({Moved("eds.yaml")});
  EXPECT_TRUE(news.changed);
  EXPECT_THAT(Texts(news), ElementsAre(words));
  EXPECT_EQ(news.notices[0].finding.rule, "XDS-F09");
  EXPECT_THAT(Texts(folder_.LoadMoved({Moved("a.yaml")})), IsEmpty());
  files_.Put("mesh/eds.yaml", fmt::format("{}a}}\n", kEndpoints));
  EXPECT_THAT(Texts(folder_.LoadMoved({Moved("eds.yaml")})), IsEmpty());
  files_.Put("mesh/eds.yaml", two);
  Folder fresh("mesh", files_, types_, Strictness::kRefuse);
  EXPECT_THAT(Texts(fresh.LoadMoved({})), ElementsAre(words));
  EXPECT_THAT(Texts(lenient_.Rescan()), IsEmpty()) << "only who asks what Envoy would do is told";
}

TEST_F(MovedTest, WhatIsWrittenInPlaceIsSaidOnceAndReadWithTheNextMove) {
  files_.Put("mesh/a.yaml", Named("new"));
  const Folder::News news = folder_.LoadMoved({Touched("a.yaml")});
  EXPECT_FALSE(news.changed);
  EXPECT_THAT(Texts(news), ElementsAre("mesh/a.yaml: was written in place; Envoy would not notice; its last content "
                                       "stays (2 resources)"));
  EXPECT_EQ(news.notices[0].finding.rule, "XDS-F04");
  files_.Put("mesh/a.yaml", Named("newer"));
  EXPECT_THAT(Texts(folder_.LoadMoved({Touched("a.yaml")})), IsEmpty());
  files_.Put("mesh/b.yaml", Named("b"));
  EXPECT_THAT(Texts(folder_.LoadMoved({Moved("b.yaml")})), IsEmpty());
  EXPECT_THAT(Names(), ElementsAre("web", "api", "b"));  // a move of another file is none of this one
  EXPECT_TRUE(folder_.LoadMoved({Moved("a.yaml")}).changed);
  EXPECT_THAT(Names(), ElementsAre("newer", "b"));
  files_.Put("mesh/a.yaml", Named("newest"));
  EXPECT_THAT(Texts(folder_.LoadMoved({Touched("a.yaml")})), SizeIs(1));
}

TEST_F(MovedTest, WhatIsTouchedAndStaysTheSameIsNotSaid) {
  EXPECT_THAT(Texts(folder_.LoadMoved({Touched("a.yaml")})), IsEmpty());
}

TEST_F(MovedTest, ANewFileIsReadAtOnceHoweverItCame) {
  files_.Put("mesh/b.yaml", Named("b"));
  files_.Put("mesh/half.yaml", "res");  // nobody has told of it: it is being written
  EXPECT_TRUE(folder_.LoadMoved({Touched("b.yaml")}).changed);
  EXPECT_THAT(Names(), ElementsAre("web", "api", "b"));
}

TEST_F(MovedTest, AFileThatIsGoneStays) {
  files_.Remove("mesh/a.yaml");
  EXPECT_THAT(Texts(folder_.LoadMoved({Touched("a.yaml")})),
              ElementsAre("mesh/a.yaml: is gone; Envoy would not notice; its last content stays (2 resources)"));
  EXPECT_THAT(Texts(folder_.LoadMoved({Touched("a.yaml")})), IsEmpty());
  files_.Put("mesh/a.yaml", Named("again"));
  EXPECT_FALSE(folder_.LoadMoved({Touched("a.yaml")}).changed);  // written in place, which nobody watches
  EXPECT_THAT(Names(), ElementsAre("web", "api"));
  EXPECT_TRUE(folder_.LoadMoved({Moved("a.yaml")}).changed);
  EXPECT_THAT(Names(), ElementsAre("again"));
}

TEST_F(MovedTest, ABrokenFileThatIsMovedLeavesWhatWasThere) {
  files_.Put("mesh/a.yaml", kBroken);
  EXPECT_THAT(Texts(folder_.LoadMoved({Moved("a.yaml")})),
              ElementsAre(AllOf(HasSubstr("error: mesh/a.yaml:6:"), HasSubstr("its last good content stays"))));
  EXPECT_THAT(Names(), ElementsAre("web", "api"));
  files_.Put("mesh/a.yaml", Named("good"));
  EXPECT_THAT(Texts(folder_.LoadMoved({Moved("a.yaml")})), ElementsAre("mesh/a.yaml: is good again"));
  EXPECT_THAT(Names(), ElementsAre("good"));
}

TEST_F(MovedTest, ALinkThatIsSwappedReadsWhatIsBehindLinks) {
  files_.Put("mesh/..1/k.yaml", Named("one"));
  files_.Put("mesh/..2/k.yaml", Named("two"));
  files_.Link("mesh/k.yaml", "mesh/..1/k.yaml");
  EXPECT_TRUE(folder_.LoadMoved({Touched("k.yaml")}).changed);
  files_.Put("mesh/a.yaml", Named("in-place"));
  files_.Link("mesh/k.yaml", "mesh/..2/k.yaml");
  const Folder::News news = folder_.LoadMoved({Moved("..data")});
  EXPECT_TRUE(news.changed);
  EXPECT_THAT(Texts(news), ElementsAre("mesh: a link or folder was swapped; Envoy notices that by `watched_directory` "
                                       "alone"));
  EXPECT_THAT(Names(), ElementsAre("web", "api", "two"));
  files_.Link("mesh/k.yaml", "mesh/..1/k.yaml");
  EXPECT_THAT(Texts(folder_.LoadMoved({Moved("..data")})), IsEmpty());  // it was said
  EXPECT_THAT(Names(), ElementsAre("web", "api", "one"));
}

TEST_F(MovedTest, ALinkThatIsMovedToANameIsAMove) {
  files_.Put("elsewhere/a.yaml", Named("linked"));
  files_.Link("mesh/a.yaml", "elsewhere/a.yaml");
  EXPECT_THAT(Texts(folder_.LoadMoved({Moved("a.yaml")})), IsEmpty());
  EXPECT_THAT(Names(), ElementsAre("linked"));
  files_.Put("elsewhere/a.yaml", Named("newer"));
  EXPECT_THAT(Texts(folder_.LoadMoved({{"elsewhere", "a.yaml", Event::Kind::kMovedHere}})),
              ElementsAre(HasSubstr("was changed behind its link; Envoy would not notice")));
  EXPECT_THAT(Names(), ElementsAre("linked"));
}

TEST_F(MovedTest, AFolderThatIsReplacedIsReadAnew) {
  files_.Put("mesh/a.yaml", Named("new"));
  EXPECT_THAT(Texts(folder_.LoadMoved({{".", "mesh", Event::Kind::kTouched}})), IsEmpty());
  EXPECT_THAT(Names(), ElementsAre("web", "api"));
  EXPECT_THAT(Texts(folder_.LoadMoved({{".", "mesh", Event::Kind::kMovedHere}})), SizeIs(1));
  EXPECT_THAT(Names(), ElementsAre("new"));
  files_.Put("mesh/a.yaml", Named("newer"));
  EXPECT_TRUE(folder_.LoadMoved({{"mesh", "", Event::Kind::kLost}}).changed);
  EXPECT_THAT(Names(), ElementsAre("newer"));
}

TEST_F(MovedTest, AFileAlone) {
  Folder alone("mesh/a.yaml", files_, types_, Strictness::kRefuse);
  EXPECT_TRUE(alone.LoadMoved({}).changed);  // the first time
  files_.Put("mesh/a.yaml", Named("new"));
  EXPECT_FALSE(alone.LoadMoved({Moved("b.yaml")}).changed);
  EXPECT_THAT(Texts(alone.LoadMoved({Touched("a.yaml")})), SizeIs(1));
  EXPECT_TRUE(alone.LoadMoved({Moved("a.yaml")}).changed);
  EXPECT_THAT(NamesIn(alone), ElementsAre("new"));
}

TEST_F(FolderTest, APathThatLeadsToAFileIsThatFileAlone) {
  files_.Put("mesh/a.yaml", kClusters);
  files_.Put("mesh/b.yaml", kClusters);
  Folder alone("mesh/a.yaml", files_, types_, Strictness::kRefuse);
  EXPECT_THAT(Texts(alone.Rescan()), IsEmpty());
  EXPECT_THAT(NamesIn(alone), ElementsAre("web", "api"));
  EXPECT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone.Resources()[0]->origin, "a.yaml:2");
  files_.Put("mesh/a.yaml", kBroken);
  EXPECT_THAT(Texts(alone.Rescan()), ElementsAre(HasSubstr("error: mesh/a.yaml:6:")));
}

TEST_F(FolderTest, AFileAloneMayHaveAnyNameAndIsKnownByItsText) {
  files_.Put("fd/63", kClusters);
  Folder alone("fd/63", files_, types_, Strictness::kRefuse);
  EXPECT_THAT(Texts(alone.Rescan()), IsEmpty());
  EXPECT_THAT(NamesIn(alone), ElementsAre("web", "api"));
}

TEST_F(FolderTest, AFolderThatIsGoneIsNotReplacedByAFile) {
  files_.Put("mesh/a.yaml", kClusters);
  (void)folder_.Rescan();
  files_.LoseFolder(absl::NotFoundError("Not a directory"));
  files_.Put("mesh", kClusters);
  EXPECT_FALSE(folder_.Rescan().changed);
  EXPECT_THAT(Names(), ElementsAre("web", "api"));
}

TEST_F(FolderTest, WhatLeadsNowhereIsSaid) {
  Folder nowhere("nowhere.yaml", files_, types_, Strictness::kRefuse);
  EXPECT_THAT(Texts(nowhere.Rescan()), ElementsAre("error: nowhere.yaml: No such file or directory"));
  EXPECT_EQ(nowhere.size(), 0U);
}

TEST_F(FolderTest, OneContentHasOneVersionInAnyFormat) {
  const std::string cluster = fake::Any(fake::kCds, fake::Payload("web", {}));
  const std::string wrapper = fake::Any("type.googleapis.com/envoy.service.discovery.v3.Resource",
                                        fake::Field(3, "web") + fake::Field(2, cluster));
  files_.Put("mesh/a.pb", fake::Field(2, cluster) + fake::Field(2, wrapper));
  files_.Put("mesh/b.yaml", fmt::format(R"(
- {{'@type': '{0}', name: web}}
- '@type': type.googleapis.com/envoy.service.discovery.v3.Resource
  name: web
  resource: {{'@type': '{0}', name: web}}
)",
                                        fake::kCds));
  EXPECT_THAT(Texts(folder_.Rescan()), IsEmpty());
  const std::vector<ResourcePtr> resources = folder_.Resources();
  ASSERT_THAT(resources, SizeIs(4));
  EXPECT_EQ(resources[0]->version, resources[2]->version);
  EXPECT_EQ(resources[1]->version, resources[3]->version);
  EXPECT_NE(resources[0]->version, resources[1]->version);
}

TEST_F(FolderTest, AWrapperMayHaveATimeToLive) {
  const auto wrapped = [](std::string_view ttl, std::string_view cluster) {
    return fmt::format(R"({{"@type": "type.googleapis.com/envoy.service.discovery.v3.Resource", "name": "web",
        "ttl": "{}", "resource": {{"@type": "type.googleapis.com/{}", "name": "web"}}}})",
                       ttl, cluster);
  };
  files_.Put("mesh/a.json", wrapped("1.5s", "envoy.config.cluster.v3.Cluster"));
  EXPECT_TRUE(folder_.Rescan().changed);
  ASSERT_THAT(folder_.Resources(), SizeIs(1));
  EXPECT_EQ(folder_.Resources()[0]->ttl, std::chrono::milliseconds(1500));
  const std::string version = folder_.Resources()[0]->version;

  files_.Put("mesh/a.json", wrapped("2s", "envoy.config.cluster.v3.Cluster"));
  EXPECT_TRUE(folder_.Rescan().changed);
  EXPECT_NE(folder_.Resources()[0]->version, version);

  files_.Put("mesh/a.json", wrapped("0s", "envoy.config.cluster.v3.Cluster"));
  const Folder::News news = folder_.Rescan();
  EXPECT_THAT(Texts(news), ElementsAre(AllOf(HasSubstr("web: its ttl is not positive"),
                                             HasSubstr("its last good content stays (1 resource)"))));
  EXPECT_EQ(news.notices[0].finding.rule, "XDS-S060");

  files_.Put("mesh/a.json", wrapped("2s", "envoy.api.v2.Cluster"));
  EXPECT_TRUE(folder_.Rescan().changed);
  EXPECT_EQ(folder_.Resources()[0]->ttl, std::chrono::seconds(0));  // v2 has none
}

}  // namespace
}  // namespace xdscope::files
