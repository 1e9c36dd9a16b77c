// Serving costs what is asked and changed, not its square: from files to the bytes on every stream.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/files/folder.h"
#include "lib/schema/schema.h"
#include "lib/server/control_plane.h"
#include "tests/cost/steps.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/fake_server_stream.h"
#include "tests/fake/memory_files.h"
#include "tests/fake/messages.h"

namespace xdscope::server {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kVhds;

constexpr char kAds[] = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
constexpr char kDeltaAds[] = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

std::string Name(int number) {
  return fmt::format("name-{:06}", number);
}

std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(Name(i));
  return names;
}

ResourcePtr Make(std::string_view type_url, std::string name, std::string version,
                 std::vector<std::string> aliases = {}) {
  FileResource resource{std::string(type_url), std::move(name), std::move(version), std::move(aliases), {}, "a.yaml"};
  resource.payload =
      type_url == kCds ? fake::EdsCluster(resource.name, fake::AdsSource()) : fake::Payload(resource.name);
  return std::make_shared<const FileResource>(std::move(resource));
}

// Resources of the first `count` names.
std::vector<ResourcePtr> Resources(std::string_view type_url, int count, const std::string& version = "1") {
  std::vector<ResourcePtr> resources;
  for (const std::string& name : Names(count)) resources.push_back(Make(type_url, name, version));
  return resources;
}

// A control plane whose clients read at once what is written to them.
class Plane {
 public:
  explicit Plane(wire::Types& types) : plane_(clock_, inventory_, observer_, types, {}) {}

  void Set(const std::vector<ResourcePtr>& resources) {
    plane_.Push(inventory_.Set(resources).changes);
    for (fake::FakeServerStream* stream : open_) Flush(*stream);
  }
  fake::FakeServerStream& Open(const char* method) {
    plane_.Take(streams_.Open(method));
    open_.push_back(&streams_.last());
    return streams_.last();
  }
  void Say(fake::FakeServerStream& stream, std::string request) {
    stream.Deliver(std::move(request));
    Flush(stream);
  }
  // Time passes; every client reads, and answers its last response of this type.
  void Pass(std::chrono::seconds time, std::string_view type_url) {
    clock_.Advance(time);
    for (fake::FakeServerStream* stream : open_) {
      Flush(*stream);
      Say(*stream, fake::DeltaRequest({.type_url = type_url, .nonce = Nonce(*stream)}));
    }
  }
  // The number of the last response is its nonce.
  static std::string Nonce(const fake::FakeServerStream& stream) { return std::to_string(stream.written.size()); }

 private:
  static void Flush(fake::FakeServerStream& stream) {
    while (stream.writing) stream.Written();
  }

  fake::FakeClock clock_;
  Inventory inventory_;
  Observer observer_;
  fake::FakeServerStreams streams_;
  ControlPlane plane_;
  std::vector<fake::FakeServerStream*> open_;
};

class ServeCost : public testing::Test {
 protected:
  // Expects that work on a plane is linear: `prepare` is not counted, `work` is.
  template <typename Prepare, typename Work>
  void ExpectLinear(const Prepare& prepare, const Work& work, int size) {
    cost::ExpectLinear(
        [&](int count) -> std::function<void()> {
          auto plane = std::make_shared<Plane>(types_);
          prepare(*plane, count);
          return [plane, count, work] { work(*plane, count); };
        },
        size);
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(ServeCost, ResourcesThatAreAllAskedFor) {
  for (const char* method : {kAds, kDeltaAds}) {
    ExpectLinear([](Plane&, int) {},
                 [method](Plane& plane, int count) {
                   plane.Set(Resources(kCds, count));
                   fake::FakeServerStream& stream = plane.Open(method);
                   plane.Say(stream, method == kAds ? fake::SotwRequest({.type_url = kCds})
                                                    : fake::DeltaRequest({.type_url = kCds}));
                   EXPECT_EQ(stream.written.size(), 1U);
                 },
                 500);
  }
}

TEST_F(ServeCost, NamesThatAreSubscribedAndTakenBackOneByOne) {
  ExpectLinear([](Plane& plane, int count) { plane.Set(Resources(kEds, count)); },
               [](Plane& plane, int count) {
                 fake::FakeServerStream& stream = plane.Open(kDeltaAds);
                 for (const std::string& name : Names(count)) {
                   plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .names = {name}}));
                   plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .nonce = Plane::Nonce(stream)}));
                 }
                 EXPECT_EQ(stream.written.size(), static_cast<std::size_t>(count));
                 for (const std::string& name : Names(count)) {
                   plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .unsubscribe = {name}}));
                 }
               },
               300);
}

TEST_F(ServeCost, NamesThatAreNotThere) {
  ExpectLinear([](Plane&, int) {},
               [](Plane& plane, int count) {
                 fake::FakeServerStream& stream = plane.Open(kDeltaAds);
                 plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .names = Names(count)}));
                 EXPECT_EQ(stream.written.size(), 1U);
               },
               500);
}

// Each stands for one resource of the same folder.
TEST_F(ServeCost, GlobsThatDifferInTheirParameters) {
  const auto named = [](std::string_view last, int number) {
    return fmt::format("xdstp://a/envoy.config.endpoint.v3.ClusterLoadAssignment/dir/{}?x={:06}", last, number);
  };
  ExpectLinear(
      [named](Plane& plane, int count) {
        std::vector<ResourcePtr> resources;
        for (int i = 0; i < count; ++i) resources.push_back(Make(kEds, named("one", i), "1"));
        plane.Set(resources);
      },
      [named](Plane& plane, int count) {
        fake::FakeServerStream& stream = plane.Open(kDeltaAds);
        std::vector<std::string> globs;
        for (int i = 0; i < count; ++i) globs.push_back(named("*", i));
        plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .names = globs}));
        EXPECT_EQ(stream.written.size(), 1U);
      },
      500);
}

TEST_F(ServeCost, AliasesThatAreAskedForOneByOne) {
  ExpectLinear(
      [](Plane& plane, int count) {
        std::vector<ResourcePtr> hosts;
        for (const std::string& name : Names(count)) hosts.push_back(Make(kVhds, "host-" + name, "1", {name}));
        plane.Set(hosts);
      },
      [](Plane& plane, int count) {
        fake::FakeServerStream& stream = plane.Open(kDeltaAds);
        for (const std::string& name : Names(count)) {
          plane.Say(stream, fake::DeltaRequest({.type_url = kVhds, .names = {name}}));
        }
      },
      200);
}

TEST_F(ServeCost, AliasesOfOneResource) {
  ExpectLinear([](Plane& plane, int count) { plane.Set({Make(kVhds, "host", "1", Names(count))}); },
               [](Plane& plane, int count) {
                 fake::FakeServerStream& stream = plane.Open(kDeltaAds);
                 plane.Say(stream, fake::DeltaRequest({.type_url = kVhds, .names = Names(count)}));
                 plane.Set({Make(kVhds, "host", "2", Names(count))});
                 EXPECT_EQ(stream.written.size(), 2U);
                 plane.Say(stream, fake::DeltaRequest({.type_url = kVhds, .unsubscribe = Names(count)}));
               },
               300);
}

TEST_F(ServeCost, StreamsThatAreToldOfOneChange) {
  ExpectLinear(
      [](Plane& plane, int count) {
        plane.Set({Make(kCds, "a", "1"), Make(kEds, "a", "1")});
        for (int i = 0; i < count; ++i) {
          fake::FakeServerStream& stream = plane.Open(kAds);
          plane.Say(stream, fake::SotwRequest({.type_url = kCds}));
          plane.Say(stream, fake::SotwRequest({.type_url = kEds, .names = {"a"}}));
        }
      },
      [](Plane& plane, int) {
        plane.Set({Make(kCds, "a", "2"), Make(kEds, "a", "1")});
      },
      300);
}

TEST_F(ServeCost, StreamsThatComeAndGo) {
  ExpectLinear([](Plane& plane, int) { plane.Set({Make(kCds, "a", "1")}); },
               [](Plane& plane, int count) {
                 std::vector<fake::FakeServerStream*> streams;
                 for (int i = 0; i < count; ++i) streams.push_back(&plane.Open(kAds));
                 for (fake::FakeServerStream* stream : streams)
                   plane.Say(*stream, fake::SotwRequest({.type_url = kCds}));
                 for (fake::FakeServerStream* stream : streams) stream->End();
               },
               300);
}

// Of n resources, each with endpoints that are said again.
TEST_F(ServeCost, ResourcesThatChangeAtOnce) {
  ExpectLinear(
      [](Plane& plane, int count) {
        std::vector<ResourcePtr> resources = Resources(kCds, count);
        for (const ResourcePtr& endpoints : Resources(kEds, count)) resources.push_back(endpoints);
        plane.Set(resources);
        fake::FakeServerStream& stream = plane.Open(kDeltaAds);
        plane.Say(stream, fake::DeltaRequest({.type_url = kCds}));
        plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .names = Names(count)}));
      },
      [](Plane& plane, int count) {
        std::vector<ResourcePtr> resources = Resources(kCds, count, "2");
        for (const ResourcePtr& endpoints : Resources(kEds, count)) resources.push_back(endpoints);
        plane.Set(resources);
        plane.Set({});
      },
      300);
}

// Each change is a whole state, here of one resource.
TEST_F(ServeCost, ChangesOneAfterAnother) {
  ExpectLinear(
      [](Plane& plane, int) {
        plane.Set({Make(kEds, "a", "0")});
        plane.Say(plane.Open(kDeltaAds), fake::DeltaRequest({.type_url = kEds, .names = {"a"}}));
      },
      [](Plane& plane, int count) {
        for (const std::string& version : Names(count)) plane.Set({Make(kEds, "a", version)});
      },
      300);
}

TEST_F(ServeCost, RefusedResourcesAndOneChange) {
  ExpectLinear(
      [](Plane& plane, int count) {
        plane.Set(Resources(kEds, count));
        fake::FakeServerStream& stream = plane.Open(kDeltaAds);
        plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .names = Names(count)}));
        plane.Say(stream,
                  fake::DeltaRequest({.type_url = kEds, .nonce = Plane::Nonce(stream), .error = std::pair(3, "no")}));
      },
      [](Plane& plane, int count) {
        std::vector<ResourcePtr> resources = Resources(kEds, count);
        resources[0] = Make(kEds, Name(0), "2");
        plane.Set(resources);
      },
      500);
}

// With times to live that are all the same, and all different.
TEST_F(ServeCost, HeartbeatsOfResources) {
  for (const bool same : {true, false}) {
    ExpectLinear(
        [same](Plane& plane, int count) {
          std::vector<ResourcePtr> resources;
          for (int i = 0; i < count; ++i) {
            FileResource resource = *Make(kEds, Name(i), "1");
            resource.ttl = std::chrono::seconds(100) + std::chrono::milliseconds(same ? 0 : i);
            resources.push_back(std::make_shared<const FileResource>(std::move(resource)));
          }
          plane.Set(resources);
        },
        [](Plane& plane, int count) {
          fake::FakeServerStream& stream = plane.Open(kDeltaAds);
          plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .names = Names(count)}));
          for (int i = 0; i < 4; ++i) plane.Pass(std::chrono::seconds(51), kEds);
          EXPECT_EQ(stream.written.size(), 5U);
        },
        300);
  }
}

// Names that are asked for one by one, where each has a time to live of its own.
TEST_F(ServeCost, NamesWithTimesToLive) {
  ExpectLinear(
      [](Plane& plane, int count) {
        std::vector<ResourcePtr> resources;
        for (int i = 0; i < count; ++i) {
          FileResource resource = *Make(kEds, Name(i), "1");
          resource.ttl = std::chrono::seconds(1000 + i);
          resources.push_back(std::make_shared<const FileResource>(std::move(resource)));
        }
        plane.Set(resources);
      },
      [](Plane& plane, int count) {
        fake::FakeServerStream& stream = plane.Open(kDeltaAds);
        for (const std::string& name : Names(count)) {
          plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .names = {name}}));
          plane.Say(stream, fake::DeltaRequest({.type_url = kEds, .nonce = Plane::Nonce(stream)}));
        }
      },
      300);
}

TEST_F(ServeCost, HeartbeatsOfStreams) {
  ExpectLinear(
      [](Plane& plane, int count) {
        FileResource resource = *Make(kEds, "a", "1");
        resource.ttl = std::chrono::seconds(100);
        plane.Set({std::make_shared<const FileResource>(std::move(resource))});
        for (int i = 0; i < count; ++i) {
          plane.Say(plane.Open(kDeltaAds), fake::DeltaRequest({.type_url = kEds, .names = {"a"}}));
        }
        plane.Pass(std::chrono::seconds(1), kEds);
      },
      [](Plane& plane, int) {
        for (int i = 0; i < 3; ++i) plane.Pass(std::chrono::seconds(50), kEds);
      },
      300);
}

TEST_F(ServeCost, FilesOfAFolder) {
  cost::ExpectLinear(
      [&](int count) -> std::function<void()> {
        auto files = std::make_shared<fake::MemoryFiles>();
        for (const std::string& name : Names(count)) {
          files->Put("mesh/" + name + ".json",
                     R"({"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": ")" + name + "\"}");
        }
        return [this, files, count] {
          files::Folder folder("mesh", *files, types_, files::Strictness::kRefuse);
          EXPECT_TRUE(folder.Rescan().changed);
          EXPECT_FALSE(folder.Rescan().changed);
          EXPECT_EQ(folder.Resources().size(), static_cast<std::size_t>(count));
        };
      },
      100);
}

}  // namespace
}  // namespace xdscope::server
