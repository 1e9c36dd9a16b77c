#include "lib/transport/http_status.h"

#include <gtest/gtest.h>

namespace xdscope::transport {
namespace {

TEST(HttpStatus, HasACodeWordsAndItsNumber) {
  struct Row {
    int status;
    absl::StatusCode code;
  };
  constexpr Row kRows[] = {
      {204, absl::StatusCode::kUnknown},           {307, absl::StatusCode::kFailedPrecondition},
      {400, absl::StatusCode::kInvalidArgument},   {401, absl::StatusCode::kUnauthenticated},
      {403, absl::StatusCode::kPermissionDenied},  {404, absl::StatusCode::kNotFound},
      {405, absl::StatusCode::kUnimplemented},     {422, absl::StatusCode::kInvalidArgument},
      {429, absl::StatusCode::kResourceExhausted}, {500, absl::StatusCode::kUnavailable},
      {503, absl::StatusCode::kUnavailable},       {504, absl::StatusCode::kDeadlineExceeded},
  };
  for (const Row& row : kRows) {
    const absl::Status status = HttpError(row.status, ": why");
    EXPECT_EQ(status.code(), row.code) << row.status;
    EXPECT_EQ(HttpStatusOf(status), row.status);
  }
  EXPECT_EQ(base::Message(HttpError(503, ": why")), "HTTP 503 Service Unavailable: why");
  EXPECT_EQ(HttpWords(299), "HTTP 299");
}

TEST(HttpStatus, StaysWhenItIsSaidWhere) {
  EXPECT_EQ(HttpStatusOf(base::Prefix(HttpError(404, ""), "cds")), 404);
  EXPECT_EQ(HttpStatusOf(absl::NotFoundError("HTTP 404")), std::nullopt);
}

}  // namespace
}  // namespace xdscope::transport
