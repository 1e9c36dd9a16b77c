#include "cli/flags/messages.h"

#include <array>
#include <string>

#include "absl/flags/flag.h"

ABSL_FLAG(int, verbose, 0, "Requests and responses in one line each on stderr; -vv: in full.");
ABSL_FLAG(bool, quiet, false, "The error line only: no notes, no progress, no hints.");

namespace xdscope::cli {
namespace {

constexpr std::array kMessageRows = {
    FlagRow{"verbose", 'v', Shape::kCount, ""},
    FlagRow{"quiet", 'q', Shape::kSwitch, ""},
};

}  // namespace

std::span<const FlagRow> MessageFlags() {
  return kMessageRows;
}
bool IsQuiet() {
  return absl::GetFlag(FLAGS_quiet);
}
int Verbosity() {
  return absl::GetFlag(FLAGS_verbose);
}

}  // namespace xdscope::cli
