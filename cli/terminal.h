// What a person sees at a terminal and a file never does: one line of progress that is gone when the work is done, and
// text of strangers that must not steer the terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/streams.h"
#include "lib/base/clock.h"

namespace xdscope::cli {

// `text` with control characters and bytes that are not UTF-8 written out (\n, \x1b), so that it is one harmless line.
std::string Printable(std::string_view text);

// How many columns `text` takes, a character one.
std::size_t Columns(std::string_view text);

// The first `columns` columns of `text`.
std::string_view Truncate(std::string_view text, std::size_t columns);

// True when a line on `output` can be drawn over.
bool CanRedraw(const Output& output, const Streams& streams);

// The progress line on stderr. Draws nothing in the first moment (most runs are over by then), at most ten times a
// second afterwards.
class Progress {
 public:
  static constexpr std::chrono::milliseconds kQuietStart{200};
  static constexpr std::chrono::milliseconds kEvery{100};
  static constexpr std::chrono::milliseconds kPatience{2000};

  // `on`: whether it draws at all. `output` must outlive it.
  Progress(const Output& output, bool on, base::Time start) : output_(&output), on_(on), start_(start) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  // What there is ("12 clusters, 3 kB"), and what is still to come; the second is said after kPatience. Both may hold a
  // server's text.
  void Show(std::string_view state, std::string_view waiting_for, base::Time now);
  // Takes the line away, before anything else is printed. Show() may draw it again.
  void Clear();

 private:
  const Output* output_;
  bool on_;
  base::Time start_;
  base::Time drawn_at_{};
  std::string drawn_;
};

}  // namespace xdscope::cli
