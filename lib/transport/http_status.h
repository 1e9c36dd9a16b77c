// The statuses of HTTP as ours: what an answer that is none comes to. The number stays with the status, so that nobody
// has to look for it in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/base/status.h"

namespace xdscope::transport {

// Returns "HTTP 503 Service Unavailable"; of a number that is not in use "HTTP 299".
std::string HttpWords(int status);

// Makes the failure of an answer with this status; `more`, if there is any, follows its words. Codes: 400 and 422
// INVALID_ARGUMENT, 401 UNAUTHENTICATED, 403 PERMISSION_DENIED, 404 and 410 NOT_FOUND, 405 and 501 UNIMPLEMENTED,
// 408 and 504 DEADLINE_EXCEEDED, 413 and 429 RESOURCE_EXHAUSTED, redirects FAILED_PRECONDITION, other 5xx UNAVAILABLE,
// all else UNKNOWN.
absl::Status HttpError(int status, std::string_view more);

// Returns the number of a failure that HttpError() made; nullopt: it is another.
std::optional<int> HttpStatusOf(const absl::Status& failure);

}  // namespace xdscope::transport
