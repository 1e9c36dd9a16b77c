// What a person sees at a terminal and a file never does: one line of progress that is gone when the work is done.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/console/streams.h"
#include "lib/base/clock.h"

namespace xdscope::cli {

// Returns true where a line on `output` can be drawn over.
bool CanRedraw(const OutputStream& output, const Streams& streams);

// The progress line on stderr. Draws nothing in the first moment (most runs are over by then), at most ten times a
// second afterwards.
class Progress {
 public:
  static constexpr std::chrono::milliseconds kQuietStart{200};
  static constexpr std::chrono::milliseconds kEvery{100};
  static constexpr std::chrono::milliseconds kPatience{2000};

  // Draws nothing at all unless `on`. `output` must outlive it.
  Progress(const OutputStream& output, bool on, base::Time start) : output_(&output), on_(on), start_(start) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  // Says what there is ("12 clusters, 3 kB"), and what is still to come; the second only after kPatience. Both may hold
  // a server's text.
  void Show(std::string_view state, std::string_view waiting_for, base::Time now);
  // Takes the line away, before anything else is printed. Show() may draw it again.
  void Clear();

 private:
  const OutputStream* output_;
  bool on_;
  base::Time start_;
  base::Time drawn_at_{};
  std::string drawn_;
};

}  // namespace xdscope::cli
