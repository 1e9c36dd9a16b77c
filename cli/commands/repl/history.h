// The lines that were typed, and those of earlier conversations, in a file of the person who typed them.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "cli/console/streams.h"

namespace xdscope::cli {

// The latest lines of a conversation: one may be held by a program for weeks.
class TypedLines {
 public:
  // In bytes, of all lines together. Older ones go then.
  static constexpr std::size_t kMost = std::size_t{4} << 20;

  void Add(std::string line);
  // Oldest first.
  const std::deque<std::string>& lines() const { return lines_; }
  // How many were there before them and went.
  std::size_t dropped() const { return dropped_; }

 private:
  std::deque<std::string> lines_;
  std::size_t size_ = 0;
  std::size_t dropped_ = 0;
};

// Returns the path of the file, $XDG_STATE_HOME/xdscope/history; empty where the environment names no home.
std::string HistoryPath(const config::Surroundings& surroundings);

// Returns the latest lines; none where the file cannot be read.
TypedLines ReadHistory(const std::string& path, const config::Surroundings& surroundings);

}  // namespace xdscope::cli
