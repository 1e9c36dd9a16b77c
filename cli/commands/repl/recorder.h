// What was done in a conversation, as a script that does the same: lines that were carried out, and between them a
// `wait` for each response that had come by then, because a script has no eyes.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "cli/commands/repl/history.h"
#include "lib/base/clock.h"

namespace xdscope::cli {

class Recorder {
 public:
  // Responses between two lines that are remembered, and bytes of their types; of a flood the first.
  static constexpr std::size_t kMostResponses = 10'000;
  static constexpr std::size_t kMostOfTypes = std::size_t{4} << 20;

  struct Response {
    int stream = 0;            // its number
    std::string type;          // as a TYPE argument takes it
    std::uint64_t number = 0;  // counts the responses of its stream
    base::Time at;
  };

  void OnResponse(Response response);
  // A line was carried out at this time, while `stream` was the one that verbs are about (0: none was).
  void OnLine(std::string_view line, int stream, base::Time now);
  // A line was carried out that waited for response `number` of the stream.
  void OnWait(std::string_view line, int stream, std::uint64_t number, base::Time now);

  // The script so far. Lines that hold a secret stand there as a comment that says so; so do the oldest of too many.
  std::string Script() const;

 private:
  Response TakeOldest();
  void SayWaits(int stream, std::size_t count);
  void Say(std::string_view line, base::Time now);

  TypedLines lines_;
  std::deque<Response> came_;   // since the last line
  std::size_t types_size_ = 0;  // in bytes, of their types
  base::Time last_{};           // when the last line was carried out, or the last response waited for came
};

// Returns true for a line with a key, in front of '=' or ':', under which a secret usually stands.
bool HoldsSecret(std::string_view line);

}  // namespace xdscope::cli
