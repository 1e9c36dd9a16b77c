// To find what differs costs what both messages are long, however their lists and maps differ.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lib/base/fields.h"
#include "lib/format/difference.h"
#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "tests/cost/steps.h"

namespace xdscope::format {
namespace {

std::string Field(std::uint32_t number, std::string_view bytes) {
  std::string field;
  base::AppendBytes(&field, number, bytes);
  return field;
}

// `count` fields of a message, made by `make` of 0, 1, 2 …
template <typename Make>
std::string Times(int count, Make make) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += make(i);
  return bytes;
}

constexpr std::string_view kVirtualHost = "envoy.config.route.v3.VirtualHost";
constexpr std::uint32_t kDomains = 2;
constexpr std::uint32_t kRoutes = 3;
constexpr std::uint32_t kRouteName = 14;
constexpr std::string_view kMetadata = "envoy.config.core.v3.Metadata";

std::string Route(std::string_view name, std::string_view prefix) {
  return Field(kRoutes, Field(1, Field(1, prefix)) + Field(kRouteName, name));
}

// The same in other bytes: whoever compares them has to look into both.
std::string Turned(std::string_view name, std::string_view prefix) {
  return Field(kRoutes, Field(kRouteName, name) + Field(1, Field(1, prefix)));
}

struct Shape {
  std::string_view name;
  std::string_view type;
  std::string (*before)(int size);
  std::string (*after)(int size);

  friend void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
};

constexpr Shape kShapes[] = {
    {"EachElementOfAListWithoutNames", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Route("", fmt::format("/{}", i)); }); },
     [](int size) { return Times(size, [](int i) { return Route("", fmt::format("/x{}", i)); }); }},
    {"EachElementOfAListWithNames", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Route(fmt::format("{}", i), "/"); }); },
     [](int size) { return Times(size, [](int i) { return Route(fmt::format("{}", i), "/x"); }); }},
    {"AListInTheReverseOrder", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Route(fmt::format("{}", i), "/"); }); },
     [](int size) { return Times(size, [size](int i) { return Route(fmt::format("{}", size - i), "/"); }); }},
    {"NamesThatRepeat", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Route("a", fmt::format("/{}", i)); }); },
     [](int size) { return Times(size, [](int i) { return Route("a", fmt::format("/x{}", i)); }); }},
    {"AListWithOneElementInFront", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Route("", fmt::format("/{}", i)); }); },
     [](int size) { return Route("", "/") + Times(size, [](int i) { return Turned("", fmt::format("/{}", i)); }); }},
    {"AListThatIsGone", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Route("", fmt::format("/{}", i)); }); },
     [](int) { return std::string(); }},
    {"ASet", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Field(kDomains, fmt::format("{}", i)); }); },
     [](int size) {
       return Times(size, [size](int i) { return Field(kDomains, fmt::format("{}", 2 * (size - i))); });
     }},
    {"AMap", kMetadata,
     [](int size) { return Times(size, [](int i) { return Field(1, Field(1, fmt::format("{:08}", i))); }); },
     [](int size) { return Times(size, [](int i) { return Field(1, Field(1, fmt::format("{:08}", 2 * i + 1))); }); }},
    {"AStruct", "google.protobuf.Struct",
     [](int size) {
       return Times(size, [](int i) { return Field(1, Field(1, fmt::format("{:08}", i)) + Field(2, Field(3, "a"))); });
     },
     [](int size) {
       return Times(size, [](int i) { return Field(1, Field(1, fmt::format("{:08}", i)) + Field(2, Field(3, "b"))); });
     }},
    {"UnknownFields", kVirtualHost,
     [](int size) { return Times(size, [](int i) { return Field(9000 + static_cast<std::uint32_t>(i), "a"); }); },
     [](int size) { return Times(size, [](int i) { return Field(9001 + static_cast<std::uint32_t>(i), "b"); }); }},
    {"AnUnknownFieldThatRepeats", kVirtualHost,
     [](int size) { return Times(size, [](int) { return Field(9000, "a"); }); },
     [](int size) { return Times(size, [](int) { return Field(9000, "b"); }); }},
    {"AnUnknownTypeAgainAndAgain", "envoy.config.listener.v3.Listener",
     [](int size) { return Times(size, [](int) { return Field(9, Field(3, Field(1, "x/no.A") + Field(2, "a"))); }); },
     [](int size) { return Times(size, [](int) { return Field(9, Field(3, Field(1, "x/no.A") + Field(2, "b"))); }); }},
    {"ALongText", kVirtualHost, [](int size) { return Field(1, std::string(static_cast<std::size_t>(size) * 8, 'a')); },
     [](int size) { return Field(1, std::string(static_cast<std::size_t>(size) * 8, 'b')); }},
};

class DifferenceCostTest : public testing::TestWithParam<Shape> {
 protected:
  wire::Message Decoded(const std::string& bytes) {
    absl::StatusOr<wire::Message> message = wire::DecodeOwned(bytes, *types_.Find(GetParam().type));
    EXPECT_TRUE(message.ok());
    return *message;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_P(DifferenceCostTest, Differences) {
  cost::ExpectLinear(
      [&](int size) {
        return [this, before = Decoded(GetParam().before(size)), after = Decoded(GetParam().after(size))] {
          int changes = 0;
          Differ(types_, {}, [&](const Change&) { ++changes; }).Messages(before.view(), after.view());
          EXPECT_GT(changes, 0);
        };
      },
      500);
}

INSTANTIATE_TEST_SUITE_P(Shapes, DifferenceCostTest, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

// Each list asks whether its elements are equal, down to the innermost; lists in lists must not ask it all again.
TEST(DifferenceCost, ListsInListsCostWhatTheInnermostCosts) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  const auto nested = [&](int levels, std::string_view last) {
    std::string list = Times(1000, [](int) { return Field(1, Field(3, "a")); }) + Field(1, Field(3, last));
    for (int i = 0; i < levels; ++i) list = Field(1, Field(6, list));
    return *wire::DecodeOwned(list, *types.Find("google.protobuf.ListValue"));
  };
  const auto steps = [&](int levels) {
    const wire::Message before = nested(levels, "b");
    const wire::Message after = nested(levels, "c");
    return cost::StepsOf([&] {
      int changes = 0;
      Differ(types, {}, [&](const Change&) { ++changes; }).Messages(before.view(), after.view());
      EXPECT_EQ(changes, 1);
    });
  };
  steps(1);
  EXPECT_LT(steps(45), steps(10) * 3 / 2);
}

}  // namespace
}  // namespace xdscope::format
