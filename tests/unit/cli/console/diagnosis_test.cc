#include "cli/console/diagnosis.h"

#include <gtest/gtest.h>

namespace xdscope::cli {
namespace {

// All of a conversation that had its connection: no port is looked at.
Diagnosis Diagnosed(const absl::Status& status) {
  return Diagnose(status, true, ConnectOptions());
}

TEST(Diagnosis, AServersStatusIsItsOwnAndSaidWithItsCode) {
  const Diagnosis failure = Diagnosed(absl::PermissionDeniedError("no"));
  EXPECT_EQ(failure.cause, Cause::kPermissionDenied);
  EXPECT_EQ(base::Message(failure.status), "no");
  EXPECT_TRUE(failure.from_server);
}

TEST(Diagnosis, AnEndWithoutAnErrorIsALoss) {
  const Diagnosis failure = Diagnosed(absl::OkStatus());
  EXPECT_EQ(failure.cause, Cause::kLost);
  EXPECT_EQ(base::Message(failure.status), "the server ended the stream");
}

TEST(Diagnosis, BytesThatAreNoResponseAreOurFinding) {
  const Diagnosis failure = Diagnosed(absl::DataLossError("offset 3"));
  EXPECT_EQ(failure.cause, Cause::kGarbage);
  EXPECT_FALSE(failure.from_server);
}

TEST(Diagnosis, AConnectionThatWasThereIsNotLookedForAgain) {
  EXPECT_EQ(Diagnosed(absl::UnavailableError("going away")).cause, Cause::kOther);
}

}  // namespace
}  // namespace xdscope::cli
