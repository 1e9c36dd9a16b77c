// What `watch` prints of what happens, as lines for people or as events for machines. An implementation knows how it
// looks; it does not know where events come from.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <string_view>

#include "lib/client/judge.h"
#include "lib/client/watch.h"
#include "lib/session/event.h"
#include "lib/source/update.h"

namespace xdscope::cli {

// Says what time it is for people.
using WallClock = std::function<std::chrono::system_clock::time_point()>;

// What became of a resource, in a word; by client::ResourceEvent::Kind.
inline constexpr std::array<std::string_view, 6> kEventWords = {"added",   "changed", "removed",
                                                                "expired", "absent",  "refused"};

class WatchPrinter {
 public:
  virtual ~WatchPrinter() = default;

  virtual void Connected(const session::Connected& connected) = 0;
  // The end of a stream, whether it is opened again or not.
  virtual void Closed(const session::Closed& closed) = 0;
  virtual void Unreadable(const session::Unreadable& unreadable) = 0;
  // A response, before what it changes.
  virtual void Response(const source::Update& update, const client::Judgement& judgement) = 0;
  virtual void Resource(const client::ResourceEvent& event) = 0;
  // Nothing more belongs to what was told since the last call.
  virtual void Told() = 0;
  // As client::Watch tells it, in place of all that about a response that was refused before.
  virtual void Repeated(const client::Repetition& repetition) = 0;
};

}  // namespace xdscope::cli
