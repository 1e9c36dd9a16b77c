// What went over a stream, in both directions and numbered, as `log`, `request N` and `response N` show it. The lines
// of a long conversation stay; of the bytes only the latest, so that a server that floods fills no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/clock.h"
#include "lib/protocol/request.h"
#include "lib/source/update.h"

namespace xdscope::cli {

struct LogEntry {
  std::uint64_t number = 0;  // from 1, both directions together
  base::Time at;
  bool incoming = false;
  std::string type_url = {};
  std::string version = {};
  std::string nonce = {};
  std::size_t count = 0;                          // resources that came, or names that were said
  std::size_t size = 0;                           // in bytes
  std::string verdict = {};                       // "ACK", "NACK \"text\"", "waits", "none"; requests: what they are
  std::shared_ptr<const std::string> bytes = {};  // nullptr: they are no longer kept
  std::optional<source::Waiter> waiter = {};      // who waits, or once waited, for the answer to a response
};

class Log {
 public:
  static constexpr std::size_t kMostEntries = 10'000;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  // Of types, versions and nonces: a server may make them as long as a message. Older entries go then.
  static constexpr std::size_t kMostText = std::size_t{16} << 20;

  // Gives the entry its number and keeps it. Valid until the next one is added.
  LogEntry& Add(LogEntry entry);
  // Returns nullptr where there is none of this number, or no longer.
  LogEntry* Find(std::uint64_t number);
  // Finds the response that somebody waited for; nullptr: it is too long ago.
  LogEntry* Find(const source::Waiter& waiter);
  const LogEntry* Find(const source::Waiter& waiter) const { return const_cast<Log*>(this)->Find(waiter); }

  // Returns the version of the latest response of a type that had this nonce; nullopt: there is none, or no longer.
  std::optional<std::string> VersionOf(std::string_view type_url, std::string_view nonce) const;

  const std::deque<LogEntry>& entries() const { return entries_; }
  // How many were there before them and went.
  std::uint64_t dropped() const { return last_ - entries_.size(); }

 private:
  std::deque<LogEntry> entries_;
  std::uint64_t last_ = 0;
  std::uint64_t first_with_bytes_ = 1;  // number of the oldest entry whose bytes are kept
  std::size_t bytes_ = 0;
  std::size_t text_ = 0;
};

}  // namespace xdscope::cli
