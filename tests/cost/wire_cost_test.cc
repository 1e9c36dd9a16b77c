// Reading protobuf in place costs what the bytes are long, whatever they hold: many small repeated things of every
// shape.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/fields.h"
#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"
#include "tests/cost/steps.h"

namespace xdscope::wire {
namespace {

using base::AppendBytes;
using base::AppendTag;
using base::AppendVarint;
using base::WireType;

constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
constexpr std::uint32_t kConnectTimeout = 4;  // a message
constexpr std::uint32_t kHealthChecks = 8;    // a list of messages
constexpr std::uint32_t kEdsClusterConfig = 3;
constexpr std::uint32_t kUnknown = 9999;

// `count` times what `append` appends for 0, 1, 2 …
template <typename Append>
std::string Times(int count, Append append) {
  std::string bytes;
  for (int i = 0; i < count; ++i) append(&bytes, i);
  return bytes;
}

std::string Empty(std::uint32_t number, int count) {
  return Times(count, [number](std::string* out, int) { AppendBytes(out, number, ""); });
}

void AppendNumber(std::string* out, std::uint32_t number, std::uint64_t value) {
  AppendTag(out, number, WireType::kVarint);
  AppendVarint(out, value);
}

std::string Entry(std::string_view key, std::string_view value) {
  std::string entry;
  AppendBytes(&entry, 1, key);
  AppendBytes(&entry, 2, value);
  return entry;
}

// A message, in 31 Anys one in another.
std::string InAnys(std::string_view url, std::string bytes) {
  std::string type_url(url);
  for (int i = 0; i < 31; ++i) {
    bytes = Entry(type_url, bytes);
    type_url = "x/google.protobuf.Any";
  }
  return bytes;
}

struct Shape {
  std::string_view name;
  std::string_view type;
  std::string (*make)(int size);

  friend void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
};

constexpr Shape kShapes[] = {
    {"OneScalarAgainAndAgain", kCluster,
     [](int size) { return Times(size, [](std::string* out, int) { AppendBytes(out, 1, "a"); }); }},
    {"AListOfMessages", kCluster, [](int size) { return Empty(kHealthChecks, size); }},
    {"OneMessageAgainAndAgain", kCluster,
     [](int size) {
       return Times(size, [](std::string* out, int i) {
         std::string seconds;
         AppendNumber(&seconds, 1, static_cast<std::uint64_t>(i));
         AppendBytes(out, kConnectTimeout, seconds);
       });
     }},
    {"OneMessageAgainAndAgainBehindAList", kCluster,
     [](int size) { return Empty(kHealthChecks, size) + Empty(kConnectTimeout, size); }},
    {"OneMessageAgainAndAgainInAMessage", kCluster,
     [](int size) {
       std::string eds;
       AppendBytes(&eds, kEdsClusterConfig, Empty(1, size));
       return eds;
     }},
    {"AMessageInAMessageAgainAndAgain", kCluster,
     [](int size) {
       return Times(size, [](std::string* out, int i) {
         std::string service;
         AppendBytes(&service, 1, "");  // eds_config
         AppendBytes(&service, 2, std::to_string(i));
         AppendBytes(out, kEdsClusterConfig, service);
       });
     }},
    {"AMessageTwiceInEachOfAList", kCluster,
     [](int size) {
       return Times(size, [](std::string* out, int) { AppendBytes(out, kHealthChecks, Empty(1, 2)); });  // timeout {}
     }},
    {"MembersOfAOneofInTurn", "envoy.config.core.v3.Address",
     [](int size) { return Times(size, [](std::string* out, int i) { AppendBytes(out, i % 2 == 0 ? 1U : 2U, ""); }); }},
    {"ScalarsOfAOneofInTurn", "envoy.config.core.v3.DataSource",
     [](int size) {
       return Times(size, [](std::string* out, int i) { AppendBytes(out, i % 2 == 0 ? 1U : 3U, "x"); });
     }},
    {"TwoListsInTurn", kCluster,
     [](int size) {
       return Times(size, [](std::string* out, int i) { AppendBytes(out, i % 2 == 0 ? kHealthChecks : 43U, ""); });
     }},
    {"FieldsInFallingOrder", kCluster,
     [](int size) {
       return Times(size, [](std::string* out, int i) {
         AppendBytes(out, i % 3 == 0 ? 28U : i % 3 == 1 ? 4U : 1U, "");  // alt_stat_name, connect_timeout, name
       });
     }},
    {"UnknownFields", kCluster,
     [](int size) {
       return Times(size, [](std::string* out, int i) {
         AppendNumber(out, kUnknown, static_cast<std::uint64_t>(i));
         AppendBytes(out, kUnknown + 1, "x");
       });
     }},
    {"KnownFieldsWithAnotherWireType", kCluster,
     [](int size) { return Times(size, [](std::string* out, int) { AppendNumber(out, kConnectTimeout, 1); }); }},
    {"Groups", kCluster,
     [](int size) {
       return Times(size, [](std::string* out, int) {
         AppendTag(out, kUnknown, WireType::kStartGroup);
         AppendTag(out, kUnknown, WireType::kEndGroup);
       });
     }},
    {"ManyPackedRuns", "envoy.config.route.v3.RetryPolicy",
     [](int size) { return Times(size, [](std::string* out, int) { AppendBytes(out, 7, "\x01"); }); }},
    {"EmptyPackedRuns", "envoy.config.route.v3.RetryPolicy", [](int size) { return Empty(7, size); }},
    {"OnePackedRun", "envoy.config.route.v3.RetryPolicy",
     [](int size) {
       std::string run;
       AppendBytes(&run, 7, std::string(static_cast<std::size_t>(size), '\x01'));
       return run;
     }},
    {"UnpackedNumbers", "envoy.config.route.v3.RetryPolicy",
     [](int size) { return Times(size, [](std::string* out, int) { AppendNumber(out, 7, 503); }); }},
    {"AMapOfManyKeys", "envoy.config.core.v3.Metadata",
     [](int size) {
       return Times(size, [](std::string* out, int i) { AppendBytes(out, 1, Entry(fmt::format("{:08}", i), "")); });
     }},
    {"OneKeyOfAMapAgainAndAgain", "envoy.config.core.v3.Metadata",
     [](int size) { return Times(size, [](std::string* out, int) { AppendBytes(out, 1, Entry("a", "")); }); }},
    {"AMapWhoseValuesStandTwice", "envoy.config.core.v3.Metadata",
     [](int size) {
       return Times(size, [](std::string* out, int) { AppendBytes(out, 1, Entry("a", "") + Entry("a", "")); });
     }},
    {"AStruct", "google.protobuf.Struct",
     [](int size) {
       return Times(size, [](std::string* out, int i) { AppendBytes(out, 1, Entry(fmt::format("{:08}", i), "")); });
     }},
    {"Anys", "envoy.config.listener.v3.Listener",
     [](int size) {
       return Times(size, [](std::string* out, int) {
         std::string filter;
         AppendBytes(&filter, 3, Entry(fmt::format("x/{}", kCluster), Empty(kConnectTimeout, 2)));
         AppendBytes(out, 9, filter);  // listener_filters
       });
     }},
    {"AnysOfUnknownTypes", "envoy.config.listener.v3.Listener",
     [](int size) {
       return Times(size, [](std::string* out, int i) {
         std::string filter;
         AppendBytes(&filter, 3, Entry(fmt::format("x/no.such.Type{:08}", i), ""));
         AppendBytes(out, 9, filter);
       });
     }},
    {"AnysInOneAnother", "google.protobuf.Any",
     [](int size) {
       return InAnys(fmt::format("x/{}", kCluster), Empty(kHealthChecks, size) + Empty(kConnectTimeout, size));
     }},
};

class WireCostTest : public testing::TestWithParam<Shape> {
 protected:
  const Type& type() { return *types_.Find(GetParam().type); }
  Message Decoded(const std::string& bytes) {
    absl::StatusOr<Message> message = DecodeOwned(bytes, type());
    EXPECT_TRUE(message.ok());
    return *message;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  Types types_{schema_};
};

constexpr int kSize = 1000;

// Reads every value of every field, all the way down.
void ReadAll(const View& view) {
  const auto read = [](const Value& value) {
    if (value.field->kind == FieldKind::kMessage) ReadAll(value.AsMessage());
  };
  for (const Fields fields(view); const Present& present : fields.known()) {
    if (present.field->map) {
      for (const MapEntry& entry : SortedMap(present)) read(entry.value);
    } else if (present.field->repeated) {
      for (Elements elements(present); elements.Next();) read(elements.value());
    } else {
      read(Single(present));
    }
  }
  EXPECT_LE(UnknownFields(view).size(), view.bytes().size());
}

TEST_P(WireCostTest, Decode) {
  cost::ExpectLinear(
      [&](int size) { return [this, bytes = GetParam().make(size)] { EXPECT_TRUE(Decode(bytes, type()).ok()); }; },
      kSize);
}

TEST_P(WireCostTest, ReadingEveryField) {
  cost::ExpectLinear([&](int size) { return [message = Decoded(GetParam().make(size))] { ReadAll(message.view()); }; },
                     kSize);
}

TEST_P(WireCostTest, Equal) {
  cost::ExpectLinear(
      [&](int size) {
        const std::string bytes = GetParam().make(size);
        // An unknown field that differs makes the whole of the two be compared first.
        std::string other = bytes;
        AppendNumber(&other, kUnknown + 2, 1);
        return [this, left = Decoded(bytes), right = Decoded(other)] {
          EXPECT_FALSE(wire::Equal(left.view(), right.view(), types_));
        };
      },
      kSize);
}

TEST_P(WireCostTest, Digest) {
  cost::ExpectLinear(
      [&](int size) {
        return [this, message = Decoded(GetParam().make(size))] { wire::Digest(message.view(), types_); };
      },
      kSize);
}

INSTANTIATE_TEST_SUITE_P(Shapes, WireCostTest, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

// To search all names for the one that is nearest takes some million steps.
constexpr std::uint64_t kFarBelowASearch = 100'000;

class UnknownTypeCostTest : public testing::Test {
 protected:
  schema::Schema schema_ = schema::Schema::Builtin();
  Types types_{schema_};
};

TEST_F(UnknownTypeCostTest, OpeningDoesNotSearchForTheNearestName) {
  const std::uint64_t steps = cost::StepsOf([&] {
    for (const std::string_view url : {"x/no.such.A", "x/no.such.B", "x/no.such.A"}) {
      EXPECT_EQ(Open(url, "", types_).status().code(), absl::StatusCode::kNotFound);
    }
  });
  EXPECT_LT(steps, kFarBelowASearch);
}

TEST_F(UnknownTypeCostTest, TheNearestNameIsSearchedOnce) {
  const auto ask = [&] {
    EXPECT_EQ(types_.WhyUnknown("x/envoy.config.cluster.v3.Clustre"),
              "unknown type envoy.config.cluster.v3.Clustre (nearest: envoy.config.cluster.v3.Cluster)");
  };
  EXPECT_GT(cost::StepsOf(ask), kFarBelowASearch);
  EXPECT_LT(cost::StepsOf(ask), kFarBelowASearch);
}

}  // namespace
}  // namespace xdscope::wire
