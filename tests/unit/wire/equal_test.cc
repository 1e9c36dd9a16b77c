#include "tests/unit/wire/fixture.h"

namespace xdscope::wire {
namespace {

using base::AppendBytes;

class EqualTest : public WireTest {
 protected:
  bool Same(std::string_view type, const std::string& a, const std::string& b) {
    const absl::StatusOr<Message> left = Decode(a, TypeOf(type));
    const absl::StatusOr<Message> right = Decode(b, TypeOf(type));
    EXPECT_TRUE(left.ok() && right.ok());
    const bool equal = Equal(left->view(), right->view(), types_);
    EXPECT_EQ(equal, Digest(left->view(), types_) == Digest(right->view(), types_));
    EXPECT_EQ(equal, Equal(right->view(), left->view(), types_));
    return equal;
  }
};

TEST_F(EqualTest, TheOrderOfFieldsDoesNotMatter) {
  const std::string a = Bytes(kCluster, R"(name: "a")");
  const std::string b = Bytes(kCluster, "lb_policy: RANDOM");
  EXPECT_TRUE(Same(kCluster, a + b, b + a));
  EXPECT_FALSE(Same(kCluster, a + b, a));
}

TEST_F(EqualTest, AWrittenDefaultIsNoDifferenceWhereAbsenceCannotBeTold) {
  std::string with_default = Bytes(kCluster, R"(name: "a")");
  base::AppendTag(&with_default, 6, base::WireType::kVarint);  // lb_policy: ROUND_ROBIN
  base::AppendVarint(&with_default, 0);
  EXPECT_TRUE(Same(kCluster, with_default, Bytes(kCluster, R"(name: "a")")));
  EXPECT_FALSE(Same(kCluster, Bytes(kCluster, R"(name: "a" type: STATIC)"), Bytes(kCluster, R"(name: "a")")));
}

TEST_F(EqualTest, TheOrderOfAMapDoesNotMatterAndThatOfAListDoes) {
  const std::string_view type = "envoy.config.core.v3.Metadata";
  const std::string a = Bytes(type, R"(filter_metadata { key: "a" })");
  const std::string b = Bytes(type, R"(filter_metadata { key: "b" })");
  EXPECT_TRUE(Same(type, a + b, b + a));
  const std::string_view mask = "google.protobuf.FieldMask";
  EXPECT_FALSE(Same(mask, Bytes(mask, R"(paths: "a" paths: "b")"), Bytes(mask, R"(paths: "b" paths: "a")")));
}

TEST_F(EqualTest, MessagesInsideAnAnyAreComparedAsMessages) {
  const auto any = [&](const std::string& value) {
    std::string bytes;
    AppendBytes(&bytes, 1, "type.googleapis.com/envoy.config.cluster.v3.Cluster");
    AppendBytes(&bytes, 2, value);
    return bytes;
  };
  const std::string a = Bytes(kCluster, R"(name: "a")");
  const std::string b = Bytes(kCluster, "lb_policy: RANDOM");
  EXPECT_TRUE(Same("google.protobuf.Any", any(a + b), any(b + a)));
  EXPECT_FALSE(Same("google.protobuf.Any", any(a), any(b)));
}

TEST_F(EqualTest, UnknownFieldsCount) {
  std::string more = Bytes(kCluster, R"(name: "a")");
  AppendBytes(&more, 9999, "x");
  EXPECT_FALSE(Same(kCluster, more, Bytes(kCluster, R"(name: "a")")));
  EXPECT_TRUE(Same(kCluster, more, more));
}

// A matcher in a matcher … as deep as protobuf reads, and in the innermost an Any of the next such one.
std::string DeepMatchers(int anys, std::string innermost) {
  const auto in = [](std::uint32_t number, std::string_view bytes) {
    std::string message;
    AppendBytes(&message, number, bytes);
    return message;
  };
  for (int i = 0; i < anys; ++i) {
    const std::string any = in(1, "x/xds.type.matcher.v3.Matcher") + in(2, innermost);
    innermost = in(3, in(2, in(2, any)));                                          // on_no_match.action.typed_config
    for (int level = 0; level < 46; ++level) innermost = in(3, in(1, innermost));  // on_no_match.matcher
  }
  return innermost;
}

TEST_F(EqualTest, WhatIsNestedAtEveryLimitIsComparedWithoutEnd) {
  const std::string_view type = "xds.type.matcher.v3.Matcher";
  std::string unknown;
  AppendBytes(&unknown, 9999, "x");
  const std::string deep = DeepMatchers(40, "");
  const std::string other = DeepMatchers(40, unknown);
  EXPECT_TRUE(Same(type, deep, deep));
  EXPECT_FALSE(Same(type, deep, other));
}

TEST_F(EqualTest, AnyMessageEqualsItselfWrittenAgain) {
  fake::RandomMessages random = Random(7);
  for (const std::string& name : schema_.MessageNames()) {
    const auto message = random.Make(*schema_.FindMessage(name), 4);
    ASSERT_TRUE(Same(name, message->SerializePartialAsString(), fake::Serialized(*message))) << name;
  }
}

}  // namespace
}  // namespace xdscope::wire
