// What a source holds, kept up to date for as long as somebody looks: it wants, judges, answers, follows references,
// and tells resource by resource what has changed. Knows no connection and no printing; that a lost stream is opened
// again is the source's business.
//
// A response that is refused a second time is not answered at once: servers send what was refused again, some of them
// at once and for ever. The answer waits, longer each time, because other servers send nothing new before it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.h"
#include "lib/client/absence_timers.h"
#include "lib/client/fetch.h"
#include "lib/client/following.h"
#include "lib/client/judge.h"
#include "lib/resource/snapshot.h"
#include "lib/source/source.h"
#include "lib/wire/type.h"

namespace xdscope::client {

// What became of one resource.
struct ResourceEvent {
  enum class Kind : std::uint8_t { kAdded, kChanged, kRemoved, kExpired, kAbsent, kRefused };

  Kind kind = Kind::kAdded;
  std::string_view type_url;
  std::string_view name;
  std::string_view version = {};               // of the resource, or of its type
  const resource::Resource* before = nullptr;  // kChanged, kRemoved, kExpired
  const resource::Resource* after = nullptr;   // kAdded, kChanged
  std::string_view words = {};                 // kAbsent: the source's or ours; kRefused: why
};

// That the same response was sent again after it was refused.
struct Repetition {
  std::string_view type_url;
  std::string_view version;
  std::uint64_t count = 0;    // times that it came again
  base::Duration since_last;  // from one to the next
};

struct WatchSettings {
  std::vector<Want> wants;
  bool follow = false;
  bool starred = false;  // for types that are followed to
  types::Api api = types::Api::kV3;
  bool all_types = false;  // everything of each type that files turn out to hold is wanted too
  bool fresh = false;      // each new stream begins with nothing remembered
  JudgePolicy judge;
  resource::ThisServer this_server;
  std::map<std::string, std::uint32_t, std::less<>> sources;  // see Follower::Settings
};

class Watch {
 public:
  // All are called inside the source's own events, in the order of what happens.
  struct Listener {
    // Everything that the source tells, as it tells it; of an update before it is judged.
    std::function<void(const source::Event&)> event = [](const auto&) {};
    // What was found in an update and what it is answered, before the changes that it makes.
    std::function<void(const source::Update&, const Judgement&)> judged = [](const auto&, const auto&) {};
    std::function<void(const ResourceEvent&)> resource = [](const auto&) {};
    // All is told of an update that was judged.
    std::function<void()> told = [] {};
    // In place of all that about an update which was refused before; it is answered later. Of each type it is told once
    // a second at most: there are servers that send it every three milliseconds.
    std::function<void(const Repetition&)> repeated = [](const auto&) {};
    // The conversation is over and will not be opened again.
    std::function<void(const session::Closed&)> over = [](const auto&) {};
  };

  // All references must outlive it. It listens to the source from now on.
  Watch(base::Clock& clock, source::Source& source, wire::Types& types, WatchSettings settings, Listener listener);

  void Start();
  // Ends all conversations; `over` follows for each that has begun.
  void Stop();

  const resource::Snapshot& held() const { return held_; }
  std::uint64_t responses() const { return responses_; }
  // How many conversations are open or will be opened again.
  std::size_t conversations() const { return conversations_.size(); }

 private:
  // The first and the longest wait for the answer to what was refused before.
  static constexpr std::chrono::seconds kFirstHold{1};
  static constexpr std::chrono::seconds kLongestHold{5};
  static constexpr std::chrono::seconds kTellsEvery{1};
  // Responses of one type that are refused again and again.
  struct Repeated {
    std::uint64_t count = 0;
    base::Time last;
    std::optional<base::Time> told;
    base::Duration hold = kFirstHold;      // of the next answer
    std::optional<source::Waiter> waiter;  // of the last one
    std::optional<protocol::Verdict> verdict;
    bool is_held = false;  // an answer, until the timer runs
    base::Timer answer;
  };

  void On(source::Event event);
  void OnFilesRead(const source::FilesRead& read);
  void OnClosed(const session::Closed& closed);
  void Leave(std::uint32_t source, std::uint32_t server);
  void Want(const std::string& type_url, std::optional<std::uint32_t> source, const protocol::InterestChange& change);
  void OnUpdate(source::Update update);
  protocol::Changes Answer(const source::Update& update, const Judgement& judgement);
  void Hold(const source::Update& update, const Judgement& judgement);
  void Forget(const std::string& stream);
  void TellRefused(const source::Update& update, const Judgement& judgement);
  void Take(source::Update update);
  void KeepCopies(const protocol::Changes& changes);
  // With `by_time` a name that is still wanted has expired; else it was removed.
  void Drop(const protocol::Changes& changes, bool by_time);
  void TellErrors(const source::Update& update);
  void TellAbsent(const protocol::Changes& changes);
  bool IsWanted(std::string_view type_url, std::string_view name) const;
  void Follow(const std::string& type_url, const resource::ContentChanges& changes);

  base::Clock& clock_;
  source::Source& source_;
  wire::Types& types_;
  WatchSettings settings_;
  Listener listener_;
  Judge judge_;
  Following following_;
  AbsenceTimers timers_;
  resource::Snapshot held_;
  std::map<std::string, protocol::Interest, std::less<>> typed_;    // what the caller wants, by type URL
  std::map<std::string, Repeated, std::less<>> repeated_;           // by type URL
  std::set<std::pair<session::Place, std::string>> conversations_;  // as session::Connected calls them
  std::uint64_t responses_ = 0;
  source::Update* answering_ = nullptr;  // what is being answered
};

}  // namespace xdscope::client
