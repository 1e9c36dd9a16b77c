#include "cli/console/terminal.h"

#include <fmt/format.h>
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

// To the first column, and erase to the end of the line: all that a line of progress needs of a terminal.
constexpr std::string_view kErase = "\r\x1b[K";

}  // namespace

bool CanRedraw(const OutputStream& output, const Streams& streams) {
  return output.terminal && streams.surroundings.environment("TERM").value_or("dumb") != "dumb";
}

// Whoever asks does so on a timer, so a text that comes too early is dropped and not kept: the next one is newer. A
// line that says the same is not drawn again, or it would flicker.
void Progress::Show(std::string_view state, std::string_view waiting_for, base::Time now) {
  if (!on_ || now - start_ < kQuietStart || (!drawn_.empty() && now - drawn_at_ < kEvery)) return;
  std::string line = format::Printable(state);
  if (!waiting_for.empty() && now - start_ >= kPatience) {
    line += fmt::format("{}waiting for {}", line.empty() ? "" : ", ", format::Printable(waiting_for));
  }
  // The last column is left free: some terminals go to the next line when it is written.
  const auto width = static_cast<std::size_t>(output_->width > 1 ? output_->width - 1 : 1);
  line = format::Truncate(line, width);
  if (line == drawn_ || line.empty()) return;
  output_->write(fmt::format("{}{}", kErase, line));
  drawn_ = std::move(line);
  drawn_at_ = now;
}

void Progress::Clear() {
  if (drawn_.empty()) return;
  output_->write(kErase);
  drawn_.clear();
}

}  // namespace xdscope::cli
