#include "cli/flags/follow.h"

#include <array>

#include "cli/args/flag.h"

// Type, name, default, form and text of each flag.
#define FOLLOW_FLAGS(FLAG) \
  FLAG(bool, follow, false, Switch("without TYPE"), "Ask for what the resources refer to as well.")

FOLLOW_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {
namespace {

constexpr std::array kRows = {FOLLOW_FLAGS(XDSCOPE_FLAG_ROW)};

}  // namespace

std::span<const FlagRow> FollowFlags() {
  return kRows;
}

bool ReadFollowFlag(const CommandLine& line, bool has_types) {
  return line.Given(FLAGS_follow) ? absl::GetFlag(FLAGS_follow) : !has_types;
}

}  // namespace xdscope::cli
