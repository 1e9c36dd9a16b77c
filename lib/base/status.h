// The border between std text and Abseil's: here absl::string_view is not std::string_view. Nothing else of the
// project converts between the two.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xdscope::base {

inline absl::string_view ToAbsl(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view ToStd(absl::string_view text) {
  return {text.data(), text.size()};
}

inline std::string_view Message(const absl::Status& status) {
  return ToStd(status.message());
}

inline absl::Status Error(absl::StatusCode code, std::string_view message) {
  return {code, ToAbsl(message)};
}

// Puts what the caller alone knows in front of a failure: "WHERE: what". An OK status stays OK; payloads stay.
absl::Status Prefix(const absl::Status& status, std::string_view where);

}  // namespace xdscope::base
