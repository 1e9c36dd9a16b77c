#include "cli/commands/repl/log.h"

#include <algorithm>
#include <utility>

namespace xdscope::cli {
namespace {

// What a peer decides of the size of an entry, without its bytes.
std::size_t TextSize(const LogEntry& entry) {
  return entry.type_url.size() + entry.version.size() + entry.nonce.size();
}

}  // namespace

LogEntry& Log::Add(LogEntry entry) {
  entry.number = ++last_;
  bytes_ += entry.bytes == nullptr ? 0 : entry.size;
  text_ += TextSize(entry);
  entries_.push_back(std::move(entry));
  while (entries_.size() > kMostEntries || (text_ > kMostText && entries_.size() > 1)) {
    const LogEntry& oldest = entries_.front();
    if (oldest.bytes != nullptr) bytes_ -= oldest.size;
    text_ -= TextSize(oldest);
    entries_.pop_front();
  }
  while (bytes_ > kMostBytes && first_with_bytes_ < last_) {
    LogEntry* oldest = Find(first_with_bytes_++);
    if (oldest != nullptr && oldest->bytes != nullptr) bytes_ -= oldest->size;
    if (oldest != nullptr) oldest->bytes.reset();
  }
  return entries_.back();
}

// Numbers follow one another, so the place follows from the number.
LogEntry* Log::Find(std::uint64_t number) {
  if (entries_.empty() || number < entries_.front().number || number > last_) return nullptr;
  return &entries_[number - entries_.front().number];
}

LogEntry* Log::Find(const source::Waiter& waiter) {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [&waiter](const LogEntry& entry) { return entry.waiter == waiter; });
  return found == entries_.rend() ? nullptr : &*found;
}

std::optional<std::string> Log::VersionOf(std::string_view type_url, std::string_view nonce) const {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const LogEntry& entry) {
    return entry.incoming && entry.nonce == nonce && entry.type_url == type_url;
  });
  return found == entries_.rend() ? std::nullopt : std::optional(found->version);
}

}  // namespace xdscope::cli
