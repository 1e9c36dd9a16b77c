// Notices what nobody answers: a name that was asked for over an open conversation and that nothing says anything about
// for fifteen seconds counts as absent, although it may still come (B.0-12, gRFC A57). The same goes for a type of
// which everything was asked for. Knows wants and answers, and of which source they are (session::Place::source): what
// becomes of the streams of one says nothing about what was asked of another. Does not know who asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/base/clock.h"
#include "lib/protocol/changes.h"
#include "lib/protocol/interest.h"

namespace xdscope::client {

class AbsenceTimers {
 public:
  static constexpr std::chrono::seconds kPatience{15};

  // Is told of a name in normal form; an empty one stands for everything of the type.
  using Silent = std::function<void(const std::string& type_url, const std::string& name)>;
  // Whether something is held under a name, so that nobody waits for it.
  using IsHeld = std::function<bool(const std::string& type_url, const std::string& name)>;

  // The clock must outlive it.
  AbsenceTimers(base::Clock& clock, IsHeld is_held, Silent silent)
      : clock_(clock), is_held_(std::move(is_held)), silent_(std::move(silent)) {}

  void OnWant(std::uint32_t source, const std::string& type_url, const protocol::InterestChange& change);
  // A response of the type came; and what its names turned out to be.
  void OnResponse(std::uint32_t source, const std::string& type_url);
  void OnChanges(std::uint32_t source, const protocol::Changes& changes);
  // `stream` as in session::Connected: a type URL, or empty for all types. While it is closed nobody waits; on a new
  // one the wait for what is still missing begins anew.
  void OnConnected(std::uint32_t source, const std::string& stream);
  void OnClosed(std::uint32_t source, const std::string& stream);

 private:
  // Names that were asked for at one moment.
  struct Batch {
    std::vector<std::string> names;
    base::Timer timer;
  };
  struct Wanted {
    protocol::Interest interest;
    absl::flat_hash_set<std::string> answered;  // on this stream
    std::list<Batch> batches;
  };

  using Key = std::pair<std::uint32_t, std::string>;  // a source, and a type URL or a stream

  void Begin(const Key& key, const protocol::Interest& interest);
  void End(const Key& key, std::list<Batch>::iterator batch);
  template <typename Visit>
  void EachOf(std::uint32_t source, const std::string& stream, const Visit& visit);

  base::Clock& clock_;
  const IsHeld is_held_;
  const Silent silent_;
  std::map<Key, Wanted> wanted_;  // by source and type URL
  std::set<Key> connected_;       // streams
};

}  // namespace xdscope::client
