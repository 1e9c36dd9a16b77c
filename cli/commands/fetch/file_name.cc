#include "cli/commands/fetch/file_name.h"

#include <fmt/format.h>

namespace xdscope::cli {
namespace {

// A file system takes 255 bytes; an ending and the name of a temporary file want some of them.
constexpr std::size_t kLongest = 200;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsSafe(char c, bool first) {
  constexpr std::string_view kOthers = "-_=@+,.";
  return IsAlphanumeric(c) || (kOthers.find(c) != kOthers.npos && (!first || c != '.'));
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
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

std::string FileNames::New(std::string_view text) {
  const std::string name = FileName(text);
  std::string unused = name;
  for (int number = 2; !given_.insert(LowerCase(unused)).second; ++number) unused = fmt::format("{}~{}", name, number);
  return unused;
}

}  // namespace xdscope::cli
