// Reading files and looking at what they hold costs what they say, not its square: many resources, references
// and names. Types are not many: the schema has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/client/fetch.h"
#include "lib/schema/schema.h"
#include "tests/cost/steps.h"
#include "tests/fake/messages.h"
#include "tests/unit/source/memory_folder.h"

namespace xdscope::client {
namespace {

using fake::kCds;
using fake::kEds;

// A look at one binary file, as without a TYPE or for some wants.
class Look {
 public:
  Look(wire::Types& types, const std::string& contents, std::vector<Want> wants) : folder_(clock_, types) {
    folder_.files().Put("mesh/a.pb", contents);
    source_ = folder_.MakeSource();
    FetchSettings settings;
    settings.all_types = wants.empty();
    settings.wants = wants.empty() ? std::vector<Want>{{std::string(kCds), {}, true}} : std::move(wants);
    settings.knows_all = settings.follow = true;
    Fetch::Listener listener;
    listener.done = [this] { done_ = true; };
    fetch_.emplace(clock_, *source_, types, std::move(settings), std::move(listener));
  }

  void Run() {
    fetch_->Start();
    clock_.Advance({});
    EXPECT_TRUE(done_);
    EXPECT_FALSE(fetch_->outcome().broken);
  }

 private:
  fake::FakeClock clock_;
  source::MemoryFolder folder_;
  std::unique_ptr<source::FileSource> source_;
  std::optional<Fetch> fetch_;
  bool done_ = false;
};

std::string Name(int number) {
  return fmt::format("name-{:06}", number);
}

// A response that holds what `any_of` makes of each number.
template <typename AnyOf>
std::string Response(int count, const AnyOf& any_of) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += fake::Field(2, any_of(i));
  return bytes;
}

class FilesCost : public testing::Test {
 protected:
  template <typename Contents>
  void ExpectLinear(const Contents& contents_of, int size) {
    ExpectLinear(
        contents_of, [](int) { return std::vector<Want>(); }, size);
  }
  template <typename Contents, typename Wants>
  void ExpectLinear(const Contents& contents_of, const Wants& wants_of, int size) {
    cost::ExpectLinear(
        [&](int count) -> std::function<void()> {
          auto look = std::make_shared<Look>(types_, contents_of(count), wants_of(count));
          return [look] { look->Run(); };
        },
        size);
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(FilesCost, ResourcesOfOneType) {
  ExpectLinear(
      [](int count) { return Response(count, [](int i) { return fake::Any(kCds, fake::Payload(Name(i), {})); }); },
      400);
}

TEST_F(FilesCost, ResourcesOfOneName) {
  ExpectLinear([](int count) { return Response(count, [](int) { return fake::Any(kCds, fake::Payload("a", {})); }); },
               400);
}

TEST_F(FilesCost, ReferencesToWhatIsNotThere) {
  ExpectLinear(
      [](int count) {
        return Response(count, [](int i) { return fake::Any(kCds, fake::EdsCluster(Name(i), fake::AdsSource())); });
      },
      400);
}

TEST_F(FilesCost, NamesThatAreAskedForOneByOne) {
  ExpectLinear(
      [](int count) { return Response(count, [](int i) { return fake::Any(kEds, fake::Payload(Name(i), {})); }); },
      [](int count) {
        Want want{std::string(kEds), {}};
        for (int i = 0; i < 2 * count; ++i) want.names.push_back(Name(i));
        return std::vector{want};
      },
      400);
}

}  // namespace
}  // namespace xdscope::client
