#include "lib/transport/grpc_bytes.h"

#include <malloc.h>
#include <sys/mman.h>

#include <memory>
#include <utility>
#include <vector>

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/string_ref.h>

namespace xdscope::transport {
namespace {

// From here on a message is large: what is done for it costs system calls.
constexpr std::size_t kLarge = 4 << 20;
// More than this is not kept for the next message, which may never come.
constexpr std::size_t kMostSpare = 64 << 20;

// Room for a large message in pages of 2 MB, where the system has them: without, a fifth of the time that a message of
// 15 MB takes goes into faults of its 3,700 pages.
void ReserveLarge(std::string* bytes, std::size_t size) {
  bytes->reserve(size);
  constexpr std::size_t kPage = 4096;
  void* begin = bytes->data();
  std::size_t space = size;
  if (std::align(kPage, kPage, begin, space) == nullptr) return;
  (void)madvise(begin, space / kPage * kPage, MADV_HUGEPAGE);  // advice: a refusal costs nothing
}

}  // namespace

std::unique_ptr<std::string> MessageTaker::TakeSpare() {
  auto room = std::make_unique<std::string>();
  const std::lock_guard lock(spare_->mutex);
  room->swap(spare_->room);
  room->clear();
  return room;
}

// Makes a message that gives its room back when the last who uses it lets go, as long as the stream is there.
Bytes MessageTaker::Lend(std::unique_ptr<std::string> message) {
  const auto give_back = [to = std::weak_ptr<Spare>(spare_)](std::string* done) {
    const std::unique_ptr<std::string> room(done);
    const std::shared_ptr<Spare> spare = to.lock();
    if (spare == nullptr || room->capacity() > kMostSpare) return;
    const std::lock_guard lock(spare->mutex);
    if (spare->room.capacity() < room->capacity()) spare->room.swap(*room);
  };
  return std::shared_ptr<std::string>(message.release(), give_back);
}

// One copy, out of the several hundred slices of a large message. Each slice is freed as soon as it is copied, and
// glibc told now and then to give what is free back to the system: so a message never stands in memory twice (measured
// with 15 MB: peak 30 MB in place of 41, in the same time). Where another message came before, the next one wants the
// same pages again, and the system would have to clear them first.
Bytes MessageTaker::Take(grpc::ByteBuffer* buffer) {
  const bool is_first = !std::exchange(took_one_, true);
  const std::size_t size = buffer->Length();
  const bool is_large = size >= kLarge;
  std::unique_ptr<std::string> bytes = is_large ? TakeSpare() : std::make_unique<std::string>();
  if (bytes->capacity() < size) is_large ? ReserveLarge(bytes.get(), size) : bytes->reserve(size);
  std::vector<grpc::Slice> slices;
  if (buffer->Valid()) (void)buffer->Dump(&slices);  // fails for buffers of nothing only
  buffer->Clear();
  std::size_t trimmed = 0;
  for (grpc::Slice& slice : slices) {
    bytes->append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    slice = grpc::Slice();
    if (!is_first || bytes->size() - trimmed < kLarge) continue;
    trimmed = bytes->size();
    malloc_trim(0);
  }
  if (trimmed > 0) malloc_trim(0);
  return is_large ? Lend(std::move(bytes)) : Bytes(std::move(bytes));
}

Metadata ToMetadata(const std::multimap<grpc::string_ref, grpc::string_ref>& map) {
  Metadata metadata;
  for (const auto& [name, value] : map) {
    metadata.emplace_back(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  return metadata;
}

}  // namespace xdscope::transport
