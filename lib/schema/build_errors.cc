#include "lib/schema/build_errors.h"

#include <fmt/format.h>

namespace xdscope::schema {

std::string_view BuildErrors::Of(const std::string& file) const {
  const auto found = first_.find(file);
  return found == first_.end() ? std::string_view{} : found->second;
}

void BuildErrors::AddError(const std::string& file, const std::string& element, const google::protobuf::Message*,
                           ErrorLocation, const std::string& message) {
  first_.try_emplace(file, element == file ? message : fmt::format("{}: {}", element, message));
}

}  // namespace xdscope::schema
