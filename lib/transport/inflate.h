// Compressed messages, taken apart by ourselves: gRPC's own way has no limit, and a megabyte can hold a gigabyte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace xdscope::transport {

// Returns true for a message in gzip's form. No protobuf message begins like one: there is no field of wire type 7.
bool IsGzip(std::string_view message);

// Returns what a gzip message holds, of `most` bytes at most. The size that stands at its end is believed first, so
// that one too large costs nothing, and held against what comes. Fails with OUT_OF_RANGE, with the size, when it is
// larger than `most`; with DATA_LOSS when it is damaged or not of the size it says.
absl::StatusOr<std::string> Gunzip(std::string_view message, std::size_t most);

// The failure of a message that is larger than `most`.
absl::Status TooLarge(std::size_t size, std::size_t most, std::string_view what);

}  // namespace xdscope::transport
