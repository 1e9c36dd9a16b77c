// A look at a control plane costs what is said, not its square: many small things of every shape, from the bytes of the
// stream to the outcome.
//
// Not here, because it is so: n names of a SotW stream that are answered one response each cost a square on the wire
// already, since every ACK repeats all names; n types are named by a person, and each event looks at each of the few.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/client/fetch.h"
#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "tests/cost/steps.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kRds;
using fake::kVhds;
using types::Variant;

// A look at a server that says what is delivered here.
class Look {
 public:
  Look(wire::Types& types, Variant variant, FetchSettings settings) : types_(types) {
    source::GrpcSource::Settings source;
    source.variant = variant;
    source_.emplace(clock_, channel_, types_, std::move(source));
    fetch_.emplace(clock_, *source_, types_, std::move(settings), Fetch::Listener());
  }

  void Start() {
    fetch_->Start();
    channel_.last().Connect();
    Flush();
  }
  void Deliver(std::string message) {
    channel_.last().Deliver(std::move(message));
    Flush();
  }
  void End() {
    fetch_->Stop();
    Flush();
    channel_.last().Close();
  }
  // The whole of it: one response after another.
  void Run(const std::vector<std::string>& messages) {
    Start();
    for (const std::string& message : messages) Deliver(message);
    End();
    EXPECT_EQ(fetch_->outcome().response_count, messages.size());
  }

 private:
  void Flush() {
    while (channel_.last().writing) channel_.last().Written();
  }

  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  wire::Types& types_;
  std::optional<source::GrpcSource> source_;
  std::optional<Fetch> fetch_;
};

// No names: everything. Else one more that never comes, so that the look does not end before all was said.
FetchSettings Wants(std::string_view type_url, std::vector<std::string> names) {
  FetchSettings settings;
  const bool everything = names.empty();
  if (!everything) names.emplace_back("never");
  settings.wants.push_back({std::string(type_url), std::move(names), everything});
  return settings;
}

std::string Name(int number) {
  return fmt::format("name-{:06}", number);
}

std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(Name(i));
  return names;
}

// A thing of each of the first `count` names.
template <typename Make>
auto Each(int count, const Make& make) {
  std::vector<decltype(make(std::string()))> made;
  for (int i = 0; i < count; ++i) made.push_back(make(Name(i)));
  return made;
}

std::string AnyOf(std::string_view type_url) {
  return fake::Any(type_url, fake::Field(1, "x"));
}

class FetchCost : public testing::Test {
 protected:
  // Expects that a look at these responses is linear: `messages_of` makes them for a size, `settings_of` what is asked.
  template <typename Settings, typename Messages>
  void ExpectLinear(Variant variant, const Settings& settings_of, const Messages& messages_of, int size) {
    cost::ExpectLinear(
        [&](int count) -> std::function<void()> {
          auto look = std::make_shared<Look>(types_, variant, settings_of(count));
          return [look, messages = messages_of(count)] { look->Run(messages); };
        },
        size);
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

// ---- Many resources in one response.

TEST_F(FetchCost, ResourcesThatAreFollowedAndHoldAnAnyOfAnUnknownType) {
  const auto cluster = [](const std::string& name) {
    const std::string entry = fake::Field(1, "x.y") + fake::Field(2, AnyOf("example.com/no.such.Type" + name));
    return fake::Payload(name, fake::Field(36, entry));
  };
  ExpectLinear(
      Variant::kAds,
      [](int) {
        FetchSettings settings = Wants(kCds, {});
        settings.follow = true;
        return settings;
      },
      [&](int count) {
        return std::vector{fake::Sotw(
            {.type_url = kCds, .version = "1", .nonce = "n", .resources = fake::Payloads(Each(count, cluster))})};
      },
      200);
}

TEST_F(FetchCost, ResourcesOfAnUnknownType) {
  ExpectLinear(
      Variant::kAds, [](int) { return Wants(kCds, {}); },
      [](int count) {
        fake::Response response{.type_url = kCds, .version = "1", .nonce = "n"};
        for (const std::string& name : Names(count)) response.resources.push_back({.name = name, .wrapped = true});
        for (fake::Resource& resource : response.resources) resource.type_url = "example.com/no.such.Type";
        return std::vector{fake::Sotw(response)};
      },
      200);
}

TEST_F(FetchCost, ReferencesThatAreFollowed) {
  const auto cluster = [](const std::string& name) { return fake::EdsCluster(name, fake::AdsSource()); };
  ExpectLinear(
      Variant::kAds,
      [](int) {
        FetchSettings settings = Wants(kCds, {});
        settings.follow = true;
        return settings;
      },
      [&](int count) {
        return std::vector{
            fake::Sotw(
                {.type_url = kCds, .version = "1", .nonce = "n", .resources = fake::Payloads(Each(count, cluster))}),
            fake::Sotw({.type_url = kEds, .version = "1", .nonce = "n2", .resources = fake::Named(Names(count))})};
      },
      200);
}

TEST_F(FetchCost, ReferencesThatAreFollowedOneResponseEach) {
  ExpectLinear(
      Variant::kDeltaAds,
      [](int) {
        FetchSettings settings = Wants(kCds, {});
        settings.follow = true;
        return settings;
      },
      [](int count) {
        return Each(count, [](const std::string& name) {
          const fake::Resource cluster = {.name = name, .payload = fake::EdsCluster(name, fake::AdsSource())};
          return fake::Delta({.type_url = kCds, .nonce = "n" + name, .resources = {cluster}});
        });
      },
      300);
}

TEST_F(FetchCost, NamesThatAreAskedForAndNeverCome) {
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kEds, Names(count)); },
      [](int) { return std::vector<std::string>(); }, 500);
}

// ---- Findings.

class FetchCostOfFindings : public FetchCost, public testing::WithParamInterface<JudgePolicy::OnInvalid> {
 protected:
  // Expects that n bad resources in one response cost n.
  template <typename Make>
  void ExpectLinearFor(const Make& make) {
    ExpectLinear(
        Variant::kAds,
        [](int count) {
          FetchSettings settings = Wants(kEds, Names(count));
          settings.judge.on_invalid = GetParam();
          return settings;
        },
        [&](int count) {
          return std::vector{
              fake::Sotw({.type_url = kEds, .version = "1", .nonce = "n", .resources = Each(count, make)})};
        },
        300);
  }
};

TEST_P(FetchCostOfFindings, NamelessResources) {
  ExpectLinearFor([](const std::string&) { return fake::Resource{.payload = ""}; });
}

TEST_P(FetchCostOfFindings, OneNameAgainAndAgain) {
  ExpectLinearFor([](const std::string&) { return fake::Resource{.name = "name-000000"}; });
}

TEST_P(FetchCostOfFindings, ResourcesThatCannotBeDecoded) {
  ExpectLinearFor([](const std::string& name) { return fake::Resource{.payload = fake::Payload(name, "\x12\x05")}; });
}

TEST_P(FetchCostOfFindings, ResourcesOfTheWrongType) {
  ExpectLinearFor([](const std::string& name) { return fake::Resource{.name = name, .type_url = kCds}; });
}

TEST_P(FetchCostOfFindings, ResourcesThatNobodyAskedFor) {
  ExpectLinearFor([](const std::string& name) { return fake::Resource{.name = "not-" + name}; });
}

std::string NameOf(const testing::TestParamInfo<JudgePolicy::OnInvalid>& policy) {
  constexpr std::string_view kNames[] = {"Ack", "Nack", "Partial"};
  return std::string(kNames[static_cast<int>(policy.param)]);
}

INSTANTIATE_TEST_SUITE_P(OnInvalid, FetchCostOfFindings,
                         testing::Values(JudgePolicy::OnInvalid::kAck, JudgePolicy::OnInvalid::kNack,
                                         JudgePolicy::OnInvalid::kPartial),
                         NameOf);

// ---- What delta says of names.

TEST_F(FetchCost, NamesThatAreAnsweredOneResponseEach) {
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kEds, Names(count)); },
      [](int count) {
        return Each(count, [](const std::string& name) {
          return fake::Delta({.type_url = kEds, .nonce = "n" + name, .resources = fake::Named({name + "@1"})});
        });
      },
      300);
}

TEST_F(FetchCost, NamesThatAreRemoved) {
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kEds, Names(count)); },
      [](int count) {
        return std::vector{fake::Delta({.type_url = kEds, .nonce = "n1", .resources = fake::Named(Names(count))}),
                           fake::Delta({.type_url = kEds, .nonce = "n2", .removed = Names(count)})};
      },
      300);
}

TEST_F(FetchCost, NamesThatAreRemovedOneResponseEach) {
  ExpectLinear(
      Variant::kDeltaAds, [](int) { return Wants(kCds, {}); },
      [](int count) {
        std::vector<std::string> messages = Each(count, [](const std::string& name) {
          return fake::Delta({.type_url = kCds, .nonce = "r" + name, .removed = {name}});
        });
        messages.insert(messages.begin(),
                        fake::Delta({.type_url = kCds, .nonce = "n1", .resources = fake::Named(Names(count))}));
        return messages;
      },
      300);
}

TEST_F(FetchCost, NamesThatTheServerHasNoResourceFor) {
  const auto error = [](const std::string& name) { return fake::ResourceError{.name = name}; };
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kEds, Names(count)); },
      [&](int count) {
        return std::vector{fake::Delta({.type_url = kEds, .nonce = "n1", .errors = Each(count, error)})};
      },
      300);
}

TEST_F(FetchCost, NamesThatTheServerHasNoResourceForOneResponseEach) {
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kEds, Names(count)); },
      [](int count) {
        return Each(count, [](const std::string& name) {
          return fake::Delta({.type_url = kEds, .nonce = "n" + name, .errors = {{.name = name}}});
        });
      },
      300);
}

// As of a server that sends the same again whenever it is refused.
TEST_F(FetchCost, RefusedResponsesThatMayHoldAnyOfManyNames) {
  ExpectLinear(
      Variant::kDeltaAds,
      [](int count) {
        FetchSettings settings = Wants(kEds, Names(count));
        settings.wants[0].everything = true;
        settings.judge.on_invalid = JudgePolicy::OnInvalid::kNack;
        return settings;
      },
      [](int count) {
        return Each(count, [](const std::string& name) {
          return fake::Delta({.type_url = kEds, .nonce = "n" + name, .resources = {{.payload = ""}}});
        });
      },
      300);
}

TEST_F(FetchCost, AliasesOfOneResourceEach) {
  const auto host = [](const std::string& name) {
    return fake::Resource{.name = "host-" + name, .version = "1", .aliases = {name}};
  };
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kVhds, Names(count)); },
      [&](int count) {
        return std::vector{fake::Delta({.type_url = kVhds, .nonce = "n1", .resources = Each(count, host)})};
      },
      300);
}

TEST_F(FetchCost, AliasesOfOneResource) {
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kVhds, Names(count)); },
      [](int count) {
        const std::vector<fake::Resource> host = {{.name = "host", .version = "1", .aliases = Names(count)}};
        return std::vector{fake::Delta({.type_url = kVhds, .nonce = "n1", .resources = host}),
                           fake::Delta({.type_url = kVhds, .nonce = "n2", .resources = host}),
                           fake::Delta({.type_url = kVhds, .nonce = "n3", .removed = {"host"}})};
      },
      300);
}

TEST_F(FetchCost, AliasesThatNothingGoesBy) {
  const auto nothing = [](const std::string& name) {
    return fake::Resource{.name = name, .aliases = {name}, .has_payload = false};
  };
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kVhds, Names(count)); },
      [&](int count) {
        return std::vector{fake::Delta({.type_url = kVhds, .nonce = "n1", .resources = Each(count, nothing)})};
      },
      300);
}

fake::Resource ShortLived(const std::string& name) {
  return {.name = name, .version = "1", .ttl_seconds = 5};
}
fake::Resource Heartbeat(const std::string& name) {
  return {.name = name, .version = "1", .ttl_seconds = 5, .has_payload = false};
}

TEST_F(FetchCost, HeartbeatsInOneResponse) {
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kEds, Names(count)); },
      [](int count) {
        return std::vector{fake::Delta({.type_url = kEds, .nonce = "n1", .resources = Each(count, ShortLived)}),
                           fake::Delta({.type_url = kEds, .nonce = "n2", .resources = Each(count, Heartbeat)})};
      },
      300);
}

TEST_F(FetchCost, HeartbeatsInOneResponseEach) {
  ExpectLinear(
      Variant::kDeltaAds, [](int count) { return Wants(kEds, Names(count)); },
      [](int count) {
        std::vector<std::string> messages = Each(count, [](const std::string& name) {
          return fake::Delta({.type_url = kEds, .nonce = "h" + name, .resources = {Heartbeat(name)}});
        });
        messages.insert(messages.begin(),
                        fake::Delta({.type_url = kEds, .nonce = "n1", .resources = Each(count, ShortLived)}));
        return messages;
      },
      300);
}

// ---- xdstp names.

constexpr std::string_view kFolder = "xdstp://a/envoy.config.endpoint.v3.ClusterLoadAssignment/";

TEST_F(FetchCost, NamesUnderOneGlob) {
  const auto named = [](const std::string& name) {
    return fake::Resource{.name = fmt::format("{}x/{}?b=1&a=2", kFolder, name), .version = "1"};
  };
  ExpectLinear(
      Variant::kDeltaAds, [](int) { return Wants(kEds, {fmt::format("{}x/*?b=1&a=2", kFolder)}); },
      [&](int count) {
        std::vector<std::string> messages = Each(count, [&](const std::string& name) {
          return fake::Delta({.type_url = kEds, .nonce = "n" + name, .resources = {named(name)}});
        });
        messages.push_back(fake::Delta({.type_url = kEds, .nonce = "all", .resources = Each(count, named)}));
        return messages;
      },
      300);
}

TEST_F(FetchCost, Globs) {
  ExpectLinear(
      Variant::kDeltaAds,
      [](int count) {
        return Wants(kEds, Each(count, [](const std::string& name) { return fmt::format("{}{}/*", kFolder, name); }));
      },
      [](int count) {
        return Each(count, [](const std::string& name) {
          const fake::Resource resource{.name = fmt::format("{}{}/x", kFolder, name), .version = "1"};
          return fake::Delta({.type_url = kEds, .nonce = "n" + name, .resources = {resource}});
        });
      },
      300);
}

// ---- Replacing what is held.

TEST_F(FetchCost, ResponsesThatReplaceOneResourceEach) {
  ExpectLinear(
      Variant::kDeltaAds, [](int) { return Wants(kCds, {}); },
      [](int count) {
        std::vector<std::string> messages = Each(count, [](const std::string& name) {
          return fake::Delta({.type_url = kCds, .nonce = "n" + name, .resources = fake::Named({name + "@2"})});
        });
        messages.insert(messages.begin(),
                        fake::Delta({.type_url = kCds, .nonce = "n", .resources = fake::Named(Names(count))}));
        return messages;
      },
      1000);
}

// Each response is large, so that what is left of it is copied out once most of it was replaced.
TEST_F(FetchCost, LargeResponsesThatAreReplacedAlmostWhole) {
  const auto large = [](const std::string& name) {
    const fake::Resource filler{
        .name = "filler",
        .payload = fake::Payload("filler", fake::Field(36, std::string(resource::Snapshot::kLargeResponse, 'x')))};
    return fake::Delta(
        {.type_url = kRds, .nonce = "n" + name, .resources = {filler, {.name = name}, {.name = name + "b"}}});
  };
  ExpectLinear(
      Variant::kDeltaAds, [](int) { return Wants(kRds, {}); }, [&](int count) { return Each(count, large); }, 600);
}

}  // namespace
}  // namespace xdscope::client
