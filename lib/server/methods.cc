#include "lib/server/methods.h"

namespace xdscope::server {
namespace {

using types::Api;
using types::Variant;

bool IsIt(std::string_view path, const types::KnownType& type, Variant variant, Api api) {
  return types::Method(type, variant, api) == path;
}

}  // namespace

std::optional<Method> FindMethod(std::string_view path) {
  if (path.empty()) return std::nullopt;  // types::Method() returns it for methods that a type does not have
  for (const Api api : {Api::kV3, Api::kV2}) {
    for (const Variant variant : {Variant::kAds, Variant::kDeltaAds}) {
      if (types::AdsMethod(variant, api) == path) return Method{variant, api, nullptr};
    }
    for (const types::KnownType& type : types::KnownTypes()) {
      if (!type.names(api).exists()) continue;
      for (const Variant variant : {Variant::kSotw, Variant::kDelta, Variant::kUnary, Variant::kRest}) {
        if (IsIt(path, type, variant, api)) return Method{variant, api, &type};
      }
    }
  }
  return std::nullopt;
}

}  // namespace xdscope::server
