#include "cli/commands/fetch/file_name.h"

#include <fmt/format.h>

#include "absl/strings/ascii.h"

namespace xdscope::cli {
namespace {

// A file system takes 255 bytes; an ending and the name of a temporary file want some of them.
constexpr std::size_t kLongest = 200;

bool IsAlphanumeric(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c));
}

bool IsSafe(char c, bool first) {
  constexpr std::string_view kOthers = "-_=@+,.";
  return IsAlphanumeric(c) || (kOthers.find(c) != kOthers.npos && (!first || c != '.'));
}

}  // namespace

std::string FileName(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const std::string part =
        IsSafe(c, name.empty()) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    if (name.size() + part.size() > kLongest) return name;
    name += part;
  }
  return name.empty() ? "~" : name;
}

// No FileName() has a '~' before a number, so that a numbered name is nobody else's.
std::string FileNames::New(std::string_view text) {
  std::string name = FileName(text);
  const std::size_t times = ++given_[absl::AsciiStrToLower(name)];
  return times == 1 ? name : fmt::format("{}~{}", name, times);
}

}  // namespace xdscope::cli
