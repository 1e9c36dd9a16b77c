// Fetch over files: what they hold is all there, and what they lack is known at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/client/fetch.h"
#include "lib/schema/schema.h"
#include "tests/fake/messages.h"
#include "tests/unit/source/memory_folder.h"

namespace xdscope::client {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kLds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FetchFilesTest : public testing::Test {
 protected:
  FetchFilesTest() {
    settings_.knows_all = true;
    settings_.follow = true;
  }

  // Runs to the end, without waiting.
  const Outcome& Run() {
    source_ = folder_.MakeSource();
    Fetch::Listener listener;
    listener.done = [this] { done_ = true; };
    fetch_.emplace(clock_, *source_, types_, settings_, std::move(listener));
    fetch_->Start();
    clock_.Advance({});
    EXPECT_TRUE(done_);
    return fetch_->outcome();
  }

  // Everything there is, as without a TYPE.
  const Outcome& RunAll() {
    settings_.all_types = true;
    settings_.wants = {{std::string(kCds), {}, true}, {std::string(kLds), {}, true}};
    return Run();
  }

  static std::vector<std::string> Types(const Outcome& outcome) {
    std::vector<std::string> types;
    for (const auto& [type_url, state] : outcome.snapshot.types()) types.push_back(type_url);
    return types;
  }

  void PutEdsCluster() {
    folder_.files().Put("mesh/cds.yaml", fmt::format(R"(
- '@type': '{}'
  name: a
  type: EDS
  eds_cluster_config: {{eds_config: {{ads: {{}}}}}}
)",
                                                     kCds));
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  source::MemoryFolder folder_{clock_, types_};
  std::unique_ptr<source::FileSource> source_;
  FetchSettings settings_;
  std::optional<Fetch> fetch_;
  bool done_ = false;
};

TEST_F(FetchFilesTest, WithoutATypeEverythingThatIsHeldIsThere) {
  folder_.Put(kEds, {"nobody-refers-to-it"});
  folder_.Put(kCds, {"a"});
  const Outcome& outcome = RunAll();
  EXPECT_THAT(Types(outcome), ElementsAre(kCds, kEds));  // no LDS: there is none
  EXPECT_THAT(outcome.missing, IsEmpty());
  EXPECT_THAT(outcome.silent, IsEmpty());
  EXPECT_FALSE(outcome.broken);
}

TEST_F(FetchFilesTest, WhatIsReferredToAndNotHeldIsMissingWithoutATypedName) {
  PutEdsCluster();
  folder_.Put(kEds, {"b"});
  const Outcome& outcome = RunAll();
  ASSERT_THAT(outcome.missing, SizeIs(1));
  EXPECT_EQ(outcome.missing[0].type_url, kEds);
  EXPECT_EQ(outcome.missing[0].name, "a");
  EXPECT_FALSE(outcome.missing[0].typed);
  EXPECT_TRUE(outcome.missing[0].said);
}

TEST_F(FetchFilesTest, ATypedTypeIsThereEvenIfItIsEmpty) {
  folder_.Put(kCds, {"a"});
  settings_.wants = {{std::string(kEds), {}, true}};
  EXPECT_THAT(Types(Run()), ElementsAre(kEds));
}

TEST_F(FetchFilesTest, ATypedNameThatIsNotHeldIsMissingAtOnce) {
  folder_.Put(kEds, {"a"});
  settings_.wants = {{std::string(kEds), {"a", "b"}}};
  const Outcome& outcome = Run();
  ASSERT_THAT(outcome.missing, SizeIs(1));
  EXPECT_EQ(outcome.missing[0].name, "b");
  EXPECT_TRUE(outcome.missing[0].typed);
}

TEST_F(FetchFilesTest, OfTheOtherApiNothingIsTakenButUnknownTypesAre) {
  folder_.files().Put("mesh/a.yaml", R"(
- {'@type': type.googleapis.com/envoy.api.v2.Cluster, name: old}
- {'@type': type.googleapis.com/envoy.config.core.v3.Node, id: other}
)");
  EXPECT_THAT(Types(RunAll()), ElementsAre("type.googleapis.com/envoy.config.core.v3.Node"));
}

TEST_F(FetchFilesTest, ABrokenFileIsSaidAndTheRestIsThere) {
  folder_.Put(kCds, {"a"});
  folder_.files().Put("mesh/b.yaml", "nonsense: [");
  const Outcome& outcome = RunAll();
  EXPECT_TRUE(outcome.broken);
  EXPECT_THAT(outcome.failures, IsEmpty());
  EXPECT_THAT(Types(outcome), ElementsAre(kCds));
}

TEST_F(FetchFilesTest, NothingReadableIsAFailure) {
  folder_.files().Put("mesh/b.yaml", "nonsense: [");
  const Outcome& outcome = RunAll();
  EXPECT_TRUE(outcome.broken);
  EXPECT_THAT(outcome.failures, SizeIs(1));
  EXPECT_EQ(outcome.response_count, 0U);
}

}  // namespace
}  // namespace xdscope::client
