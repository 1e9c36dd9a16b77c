#include "lib/format/output.h"

#include <algorithm>
#include <utility>

namespace xdscope::format {

// Left as it is after allocation: clearing 64 kB costs more than a small document.
Output::Output(Sink sink)
    : sink_(std::move(sink)), buffer_(new char[kChunk]), at_(buffer_.get()), end_(buffer_.get() + kChunk) {}

void Output::HandOn() {
  const std::string_view chunk(buffer_.get(), static_cast<std::size_t>(at_ - buffer_.get()));
  at_ = buffer_.get();
  if (status_.ok() && !chunk.empty()) status_ = sink_(chunk);
}

void Output::AppendLong(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.size(), kMaxRoom);
    Append(text.substr(0, size));
    text.remove_prefix(size);
  }
}

void Output::Fill(char c, std::size_t count) {
  while (count > 0) {
    const std::size_t size = std::min(count, kMaxRoom);
    std::memset(Room(size), c, size);
    at_ += size;
    count -= size;
  }
}

absl::Status Output::Flush() {
  HandOn();
  return status_;
}

}  // namespace xdscope::format
