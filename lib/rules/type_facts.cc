#include "lib/rules/type_facts.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "lib/rules/extension_points.h"
#include "lib/rules/options.h"

namespace xdscope::rules {
namespace {

// The numbers of the annotations of files and messages.
constexpr std::uint32_t kFileStatus = 222707719;   // udpa.annotations.file_status
constexpr std::uint32_t kPackageVersion = 2;       // of that: package_version_status
constexpr std::uint64_t kFrozen = 1;               // the version is closed: v2
constexpr std::uint32_t kNotInEnvoy = 50847;       // ours: see proto/make_api_set.py
constexpr std::uint32_t kVersioning = 7881811;     // udpa.annotations.versioning
constexpr std::uint32_t kPreviousMessageType = 1;  // of that

}  // namespace

std::string UsualNameOf(std::string_view type) {
  constexpr std::string_view kExtensions = "envoy.extensions.";
  if (!type.starts_with(kExtensions)) return {};
  type.remove_prefix(kExtensions.size());
  const std::size_t version = type.find(".v3");
  if (version == std::string_view::npos) return {};
  const std::size_t message = type.find('.', version + 1);
  const bool nested = message == std::string_view::npos || type.find('.', message + 1) != std::string_view::npos;
  return nested ? std::string() : fmt::format("envoy.{}", type.substr(0, version));
}

std::string SuccessorOf(std::string_view old, const wire::Types& types) {
  for (const std::string& name : types.schema().MessageNames()) {
    const std::string versioning = BytesOption(OptionsOf(*types.schema().FindMessage(name)), kVersioning);
    if (BytesOption(versioning, kPreviousMessageType) == old) return name;
  }
  return {};
}

TypeFacts FactsOf(const wire::Type& type) {
  const auto& file = *type.descriptor().file();
  const std::string options = OptionsOf(file);
  TypeFacts facts;
  facts.kind = KindOfExtension(type.full_name());
  facts.usual_name = UsualNameOf(type.full_name());
  facts.frozen = NumberOption(BytesOption(options, kFileStatus), kPackageVersion) == kFrozen;
  facts.contrib = file.name().starts_with("contrib/") || file.name().find("/v3alpha/") != std::string::npos;
  facts.not_linked = NumberOption(options, kNotInEnvoy) != 0 && !facts.frozen;
  return facts;
}

}  // namespace xdscope::rules
