// Hiding secrets costs what the bytes are long, in Structs too, which are read as the messages that they spell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lib/base/fields.h"
#include "lib/format/redact.h"
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

// One member of a google.protobuf.Struct; `kind` is the number of a field of google.protobuf.Value.
std::string Member(std::string_view key, std::uint32_t kind, std::string_view value) {
  return Field(1, Field(1, key) + Field(2, Field(kind, value)));
}

constexpr std::uint32_t kText = 3;
constexpr std::uint32_t kStruct = 5;

TEST(RedactCost, AStructThatSpellsAnAnyOfManyMembers) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  cost::ExpectLinear(
      [&](int size) {
        std::string any = Member("@type", kText, "x/envoy.config.cluster.v3.Cluster");
        for (int i = 0; i < size; ++i) any += Member(fmt::format("{:06}", i), kText, "x");
        const std::string bytes =
            Field(1, "x/envoy.config.core.v3.TypedExtensionConfig") + Field(2, Member("typed_config", kStruct, any));
        return [&types, bytes] { EXPECT_FALSE(Redactor(types).Payload("x/xds.type.v3.TypedStruct", bytes).empty()); };
      },
      500);
}

}  // namespace
}  // namespace xdscope::format
