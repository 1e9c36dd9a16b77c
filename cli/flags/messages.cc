#include "cli/flags/messages.h"

#include <array>
#include <string>

// Type, name, default, form and text of each flag.
#define MESSAGE_FLAGS(FLAG)                                                                 \
  FLAG(int, verbose, 0, Count().Letter('v'),                                                \
       "Print requests and responses in one line each on stderr; -vv prints them in full.") \
  FLAG(bool, quiet, false, Switch().Letter('q'), "Print the error line only: no notes, no progress, no hints.")

MESSAGE_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {MESSAGE_FLAGS(XDSCOPE_FLAG_ROW)};

}  // namespace

std::span<const FlagRow> MessageFlags() {
  return kRows;
}
bool IsQuiet() {
  return absl::GetFlag(FLAGS_quiet);
}
int Verbosity() {
  return absl::GetFlag(FLAGS_verbose);
}

}  // namespace xdscope::cli
