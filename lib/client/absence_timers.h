// Notices what nobody answers: a name that was asked for over an open conversation and that nothing says anything about
// for fifteen seconds counts as absent, although it may still come (B.0-12, gRFC A57). The same goes for a type of
// which everything was asked for. Knows wants and answers; does not know who asks.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
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

  void OnWant(const std::string& type_url, const protocol::InterestChange& change);
  // A response of the type came; and what its names turned out to be.
  void OnResponse(const std::string& type_url);
  void OnChanges(const protocol::Changes& changes);
  // `stream` as in session::Connected: a type URL, or empty for all types. While it is closed nobody waits; on a new
  // one the wait for what is still missing begins anew.
  void OnConnected(const std::string& stream);
  void OnClosed(const std::string& stream);

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

  void Begin(const std::string& type_url, const protocol::Interest& interest);
  void End(const std::string& type_url, std::list<Batch>::iterator batch);
  template <typename Visit>
  void EachOf(const std::string& stream, const Visit& visit);

  base::Clock& clock_;
  const IsHeld is_held_;
  const Silent silent_;
  std::map<std::string, Wanted, std::less<>> wanted_;  // by type URL
  std::set<std::string, std::less<>> connected_;       // streams
};

}  // namespace xdscope::client
