#include "lib/protocol/features.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "lib/base/fields.h"

namespace xdscope::protocol {
namespace {

constexpr std::uint32_t kClientFeatures = 10;  // of a Node

constexpr std::string_view kWrapping[] = {"xds.config.resource-in-sotw", "xds.config.supports-resource-in-sotw",
                                          "envoy.config.resource-in-sotw"};
constexpr std::string_view kTtl[] = {"xds.config.supports-resource-ttl", "envoy.config.supports-resource-ttl"};

bool IsOneOf(std::string_view feature, std::span<const std::string_view> spellings) {
  return std::find(spellings.begin(), spellings.end(), feature) != spellings.end();
}

}  // namespace

Features FeaturesOf(std::string_view node) {
  Features features;
  base::FieldReader fields(node);
  std::string_view feature;
  while (fields.Next()) {
    if (!fields.Is(kClientFeatures, &feature)) continue;
    features.wrapping = features.wrapping || IsOneOf(feature, kWrapping);
    features.ttl = features.ttl || IsOneOf(feature, kTtl);
  }
  return features;
}

}  // namespace xdscope::protocol
