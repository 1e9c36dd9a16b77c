#include "lib/transport/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "lib/base/status.h"

namespace xdscope::transport {
namespace {

constexpr std::size_t kTrailer = 8;       // a checksum and the size
constexpr std::size_t kMostTimes = 1032;  // deflate makes nothing smaller than that
constexpr int kGzipWindow = 16 + MAX_WBITS;

absl::Status Damaged(std::string_view what) {
  return base::Error(absl::StatusCode::kDataLoss, fmt::format("a compressed message {}", what));
}

// Reads the size at the end of a gzip text. It counts modulo 4 GB, which no message of gRPC reaches.
std::size_t SizeSaid(std::string_view message) {
  std::size_t size = 0;
  for (std::size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<unsigned char>(message[message.size() - i]);
  return size;
}

// Fills all of `out`; true when the text ends where it is full.
bool InflateTo(std::string_view message, std::string* out) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return false;
  unsigned char none = 0;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(message.data()));
  stream.avail_in = static_cast<uInt>(message.size());
  stream.next_out = out->empty() ? &none : reinterpret_cast<Bytef*>(out->data());
  stream.avail_out = static_cast<uInt>(out->size());
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
}

}  // namespace

bool IsGzip(std::string_view message) {
  return message.starts_with("\x1f\x8b");
}

absl::Status TooLarge(std::size_t size, std::size_t most, std::string_view what) {
  return base::Error(absl::StatusCode::kOutOfRange,
                     fmt::format("a message of {:.1f} MB{} is larger than the limit of {:.1f} MB",
                                 static_cast<double>(size) / 1e6, what, static_cast<double>(most) / 1e6));
}

absl::StatusOr<std::string> Gunzip(std::string_view message, std::size_t most) {
  if (message.size() < kTrailer) return Damaged("is cut off");
  const std::size_t size = SizeSaid(message);
  if (size > most)
    return TooLarge(size, most, fmt::format(", compressed to {:.1f} MB,", static_cast<double>(message.size()) / 1e6));
  if (size / kMostTimes > message.size()) return Damaged("is not of the size that it says");
  std::string out(size, '\0');
  if (!InflateTo(message, &out)) return Damaged("is damaged, or not of the size that it says");
  return out;
}

}  // namespace xdscope::transport
