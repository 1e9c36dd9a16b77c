// Where text goes: one buffer of fixed size that is handed on in chunks, so that memory stays flat however long the
// text is, and that stops taking anything once nobody reads it. Knows no format.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/status.h"

namespace xdscope::format {

class Output {
 public:
  // Takes a chunk; what it returns but OK ends the output.
  using Sink = std::function<absl::Status(std::string_view chunk)>;

  static constexpr std::size_t kChunk = std::size_t{64} << 10;
  // Bounds what Room() gives at once.
  static constexpr std::size_t kMaxRoom = std::size_t{8} << 10;

  explicit Output(Sink sink);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Returns at least `size` bytes (at most kMaxRoom) to write into; Used() says how many were.
  char* Room(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) HandOn();
    return at_;
  }
  void Used(const char* after) { at_ += after - at_; }

  void Append(char c) {
    *Room(1) = c;
    ++at_;
  }
  void Append(std::string_view text) {
    if (text.size() > kMaxRoom) return AppendLong(text);
    if (text.empty()) return;
    std::memcpy(Room(text.size()), text.data(), text.size());
    at_ += text.size();
  }
  // Appends the same byte `count` times.
  void Fill(char c, std::size_t count);

  // Hands on what is there. Returns the sink's first failure, if there was one; after that everything is dropped.
  absl::Status Flush();
  // Returns false after the sink has failed: going on is pointless.
  bool ok() const { return status_.ok(); }

 private:
  void HandOn();
  void AppendLong(std::string_view text);

  Sink sink_;
  absl::Status status_;
  std::unique_ptr<char[]> buffer_;
  char* at_;
  char* end_;
};

}  // namespace xdscope::format
