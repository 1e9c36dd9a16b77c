#include "lib/transport/http_status.h"

#include <charconv>

#include <fmt/format.h>
#include <boost/beast/http/status.hpp>

#include "absl/strings/cord.h"

namespace xdscope::transport {
namespace {

constexpr const char* kPayload = "xdscope/http-status";

absl::StatusCode CodeOf(int status) {
  switch (status) {
    case 400:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
    case 410:
      return absl::StatusCode::kNotFound;
    case 405:
    case 501:
      return absl::StatusCode::kUnimplemented;
    case 408:
    case 504:
      return absl::StatusCode::kDeadlineExceeded;
    case 413:
    case 429:
      return absl::StatusCode::kResourceExhausted;
    default:
      break;
  }
  if (status >= 300 && status < 400) return absl::StatusCode::kFailedPrecondition;
  return status >= 500 ? absl::StatusCode::kUnavailable : absl::StatusCode::kUnknown;
}

}  // namespace

std::string HttpWords(int status) {
  const auto known = boost::beast::http::int_to_status(static_cast<unsigned>(status));
  if (known == boost::beast::http::status::unknown) return fmt::format("HTTP {}", status);
  const boost::beast::string_view reason = boost::beast::http::obsolete_reason(known);
  return fmt::format("HTTP {} {}", status, std::string_view(reason.data(), reason.size()));
}

absl::Status HttpError(int status, std::string_view more) {
  absl::Status made = base::Error(CodeOf(status), fmt::format("{}{}", HttpWords(status), more));
  made.SetPayload(kPayload, absl::Cord(std::to_string(status)));
  return made;
}

std::optional<int> HttpStatusOf(const absl::Status& failure) {
  const absl::optional<absl::Cord> payload = failure.GetPayload(kPayload);
  if (!payload) return std::nullopt;
  const std::string text(*payload);
  int status = 0;
  std::from_chars(text.data(), text.data() + text.size(), status);
  return status;
}

}  // namespace xdscope::transport
