#include "lib/transport/message_slices.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include "lib/transport/grpc_hand_over.h"

namespace xdscope::transport {
namespace {

// Smaller pieces are copied: a slice of its own costs an allocation, a reference count and a piece of the system call.
constexpr std::size_t kSmall = 4096;

// Makes a slice that looks into the chunk and keeps its buffer alive until gRPC lets go of it. gRPC does not write
// through the pointer, though it asks for one that could.
grpc::Slice Shared(const Chunk& chunk) {
  auto holder = std::make_unique<Bytes>(chunk.buffer);
  auto* begin = const_cast<char*>(chunk.buffer->data() + chunk.offset);
  const auto release = [](void* held) {
    TakeOver(held);
    delete static_cast<Bytes*>(held);
  };
  HandOver(holder.get());
  return {begin, chunk.size, release, holder.release()};
}

// The slices of a message, in their order.
class Slices {
 public:
  void Add(const Chunk& chunk) {
    if (chunk.size < kSmall) {
      small_.append(*chunk.buffer, chunk.offset, chunk.size);
      return;
    }
    Flush();
    slices_.push_back(Shared(chunk));
  }

  grpc::ByteBuffer Take() {
    Flush();
    if (slices_.empty()) slices_.emplace_back();
    return {slices_.data(), slices_.size()};
  }

 private:
  // Makes a slice of the small pieces so far, since what comes next stands behind them.
  void Flush() {
    if (small_.empty()) return;
    slices_.emplace_back(small_.data(), small_.size());
    small_.clear();
  }

  std::vector<grpc::Slice> slices_;
  std::string small_;
};

}  // namespace

grpc::ByteBuffer ToBuffer(std::vector<Chunk> message) {
  Slices slices;
  Chunk whole;  // the pieces so far that stand side by side in one buffer: they are one slice
  for (Chunk& chunk : message) {
    if (chunk.buffer == nullptr || chunk.offset >= chunk.buffer->size()) continue;
    const std::size_t size = std::min(chunk.size, chunk.buffer->size() - chunk.offset);
    if (chunk.buffer == whole.buffer && chunk.offset == whole.offset + whole.size) {
      whole.size += size;
      continue;
    }
    if (whole.buffer != nullptr) slices.Add(whole);
    whole = {std::move(chunk.buffer), chunk.offset, size};
  }
  if (whole.buffer != nullptr) slices.Add(whole);
  return slices.Take();
}

}  // namespace xdscope::transport
