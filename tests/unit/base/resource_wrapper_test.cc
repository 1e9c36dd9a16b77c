#include "lib/base/resource_wrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xdscope::base {
namespace {

using ::testing::ElementsAre;

std::string Field(std::uint32_t number, std::string_view bytes) {
  std::string field;
  AppendBytes(&field, number, bytes);
  return field;
}

TEST(ResourceWrapper, HasANameInV2AndV3WithAnyPrefix) {
  EXPECT_TRUE(IsResourceWrapper("type.googleapis.com/envoy.service.discovery.v3.Resource"));
  EXPECT_TRUE(IsResourceWrapper("envoy.api.v2.Resource"));
  EXPECT_FALSE(IsResourceWrapper("type.googleapis.com/my.Resource"));
  EXPECT_FALSE(IsResourceWrapper(""));
}

TEST(ResourceWrapper, AllFieldsAreViewsIntoTheBytes) {
  std::string bytes = Field(1, "v") + Field(3, "n") + Field(4, "x") + Field(4, "y") + Field(8, Field(1, "s"));
  bytes += Field(6, std::string("\x08\x05", 2));
  AppendAny(&bytes, 2, {"url", "value"});
  ResourceWrapper wrapper;
  EnvelopeReader reader(bytes);
  ASSERT_TRUE(reader.ReadWrapper(bytes, &wrapper));
  EXPECT_EQ(wrapper.version, "v");
  EXPECT_EQ(wrapper.name, "n");
  EXPECT_EQ(wrapper.structured_name, "s");
  EXPECT_THAT(wrapper.aliases, ElementsAre("x", "y"));
  EXPECT_EQ(wrapper.ttl, std::chrono::seconds(5));
  ASSERT_TRUE(wrapper.resource.has_value());
  EXPECT_EQ(wrapper.resource->type_url, "url");
  EXPECT_EQ(wrapper.resource->value, "value");
  EXPECT_GE(wrapper.resource->value.data(), bytes.data());
}

TEST(ResourceWrapper, WithoutAResourceIsNotOneWithAnEmptyResource) {
  ResourceWrapper without;
  ResourceWrapper with;
  EXPECT_TRUE(EnvelopeReader("").ReadWrapper("", &without));
  EXPECT_TRUE(EnvelopeReader("").ReadWrapper(Field(2, ""), &with));
  EXPECT_FALSE(without.resource.has_value());
  EXPECT_TRUE(with.resource.has_value());
}

TEST(ResourceWrapper, AnAnyThatComesTwiceIsMerged) {
  const std::string bytes = Field(2, Field(1, "url") + Field(2, "first")) + Field(2, Field(2, "second"));
  ResourceWrapper wrapper;
  ASSERT_TRUE(EnvelopeReader(bytes).ReadWrapper(bytes, &wrapper));
  EXPECT_EQ(wrapper.resource->type_url, "url");
  EXPECT_EQ(wrapper.resource->value, "second");
}

TEST(ResourceWrapper, AFaultSaysWhereInTheBuffer) {
  const std::string buffer = "0123" + Field(3, "a\xff");
  const std::string_view bytes = std::string_view(buffer).substr(4);
  ResourceWrapper wrapper;
  EnvelopeReader reader(buffer);
  EXPECT_FALSE(reader.ReadWrapper(bytes, &wrapper));
  EXPECT_EQ(reader.fault(), "text that is not UTF-8 at offset 6");
  EXPECT_FALSE(reader.ReadWrapper(bytes.substr(0, 3), &wrapper));
  EXPECT_EQ(reader.fault(), "malformed field at offset 4");
}

}  // namespace
}  // namespace xdscope::base
