#include "lib/encode/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace xdscope::encode {

bool Problems::HasRoom(Severity severity) {
  if (all_.size() < most_) return true;
  if (severity == Severity::kError) ++errors_;
  ++left_out_;
  return false;
}

void Problems::Add(Problem problem) {
  if (!HasRoom(problem.severity)) return;
  if (problem.severity == Severity::kError) ++errors_;
  all_.push_back(std::move(problem));
}

void Problems::ReturnTo(const Mark& mark) {
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(mark.size), all_.end());
  errors_ = mark.errors;
  left_out_ = mark.left_out;
}

std::string JoinPath(std::string_view path, std::string_view below) {
  const bool dot = !path.empty() && !below.empty() && below.front() != '[';
  return fmt::format("{}{}{}", path, dot ? "." : "", below);
}

void AppendNameStep(std::string* path, std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '@';
  };
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain)) return AppendKeyStep(path, name);
  if (!path->empty()) path->push_back('.');
  path->append(name);
}

void AppendIndexStep(std::string* path, std::size_t index) {
  fmt::format_to(std::back_inserter(*path), "[{}]", index);
}

void AppendKeyStep(std::string* path, std::string_view key) {
  path->append("[\"");
  for (const char c : key) {
    if (c == '"' || c == '\\') path->push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      fmt::format_to(std::back_inserter(*path), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      path->push_back(c);
    }
  }
  path->append("\"]");
}

}  // namespace xdscope::encode
