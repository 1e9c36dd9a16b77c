// One type's conversation on one stream, from the server's side, SotW or delta: what is asked for, what was said, what
// is owed. A part of ServerSession, which alone knows what a request means.
//
// What the client was told is not kept name by name: it is what stood in the Holdings that were seen last, but for the
// names that are owed and those whose last word the client refused. So a well-behaved client costs its own names and
// one pointer, and a comparison of two Holdings says what has changed for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "lib/protocol/catalogue.h"
#include "lib/protocol/response.h"
#include "lib/protocol/type_traits.h"

namespace xdscope::protocol {

class Topic {
 public:
  Topic(std::string type_url, TypeTraits traits, Variant variant);

  const std::string& type_url() const { return type_url_; }
  bool full_state() const { return traits_.full_state && !is_delta(); }
  bool is_delta() const { return variant_ == Variant::kDelta; }
  bool wildcard() const { return wildcard_; }
  std::size_t name_count() const { return names_.size(); }

  // ---- Interest. Names are brought into normal form; empty ones are left out.

  struct Change {
    std::size_t added = 0;
    std::size_t removed = 0;
    bool wildcard = false;  // it began or ended

    bool any() const { return added > 0 || removed > 0 || wildcard; }
  };

  // SotW: the whole list. Empty means everything until a name was given (B.1-7).
  Change SetNames(const std::vector<std::string>& names);
  // SotW: while held, what is owed because it was asked for stays owed. A stale list is taken all the same: what it
  // leaves out the client has dropped, and will need when it asks for it again.
  void HoldAnswers(bool held) { held_ = held; }
  // SotW: says what is asked for once more.
  void OweAgain();
  // Delta. Every name is owed, also one that was subscribed before (XDS-S043).
  Change Subscribe(const std::vector<std::string>& names);
  // Delta. Under a wildcard the client is owed a word about the name (XDS-S048).
  Change Unsubscribe(const std::vector<std::string>& names);
  // Delta: the first request named nothing, and so everything.
  Change SubscribeToEverything();
  // Delta, after the names of the first request: what the client has from an earlier stream (B.2-17).
  void Resume(std::vector<std::pair<std::string, std::string>> versions);
  // Says a name again if it is asked for and exists.
  void Resend(std::string_view name);

  // ---- Responses.

  struct Due {
    std::shared_ptr<const Holdings> holdings;
    bool all = false;
    std::vector<std::uint32_t> resources;
    std::vector<std::string> removed;
    std::vector<std::string> unresolved;
  };

  // Whether News() has certainly nothing to say; cheap.
  bool IsQuiet(const Catalogue& catalogue) const;
  // What is new, changed or owed. What is gone is only noted, for later.
  std::optional<Due> News(const Catalogue& catalogue);
  // What is gone, as of the last News().
  bool HasDepartures() const { return shrunk_ || !gone_.empty(); }
  std::optional<Due> Departures();
  // Adds them to what is sent now.
  void AddDepartures(Due* due);

  // What was due is response `number` of the stream.
  void OnSent(const Due& due, std::uint64_t number);
  // Number of the response sent last; 0: none was.
  std::uint64_t newest() const { return newest_; }
  // The newest response has had its verdict; that was a refusal.
  bool answered() const { return answered_; }
  bool refused() const { return refused_last_; }
  // A verdict on response `number`; any other number says nothing.
  void OnVerdict(std::uint64_t number, bool refused);

  std::uint64_t requests() const { return requests_; }
  void CountRequest() { ++requests_; }

 private:
  using Names = absl::btree_set<std::string, std::less<>>;

  // Whether a client that asks for everything has been told everything.
  enum class Everything : std::uint8_t {
    kTold,
    kNew,    // it asks for everything since a moment ago, and knows its names
    kAgain,  // it wants to hear all of it once more
  };

  // A response whose verdict is not known.
  struct Step {
    std::uint64_t number = 0;
    Due due;
  };

  // What stands in other Holdings than seen_, of what is asked for. The views are into seen_.
  struct Difference {
    std::vector<std::uint32_t> arrived;  // new or changed, indices into the other
    std::vector<std::string_view> gone;
  };

  bool HasName(std::string_view name) const;
  bool Covers(std::string_view name) const;
  bool Owes() const;
  void StartEverything();
  void StopEverything();
  void Add(std::string name);
  bool Remove(std::string_view name);
  void NoteAlias(const std::string& alias, std::string_view name);
  void ForgetAlias(std::string_view alias);
  // Drops what is owed or remembered of names that are no longer asked for.
  void ForgetUncovered();
  std::size_t RemoveUnlisted();

  std::optional<Due> FullNews(std::shared_ptr<const Holdings> now);
  std::optional<Due> PartialNews(std::shared_ptr<const Holdings> now, const Catalogue& catalogue);
  Due Whole(std::shared_ptr<const Holdings> now) const;
  Difference Compare(const Holdings& now) const;
  Difference CompareAll(const Holdings& now) const;
  Difference CompareNamed(const Holdings& now) const;
  bool NewlyNamedExists(const Holdings& now) const;
  void NoteArrivals(const Holdings& now, const Difference& difference);
  void NoteDepartures(const Difference& difference);
  void RecallRefused(const Holdings& now, Difference* difference);
  void TakeOwed(const Catalogue& catalogue, Due* due);
  void TakeOwedName(const std::string& name, const Catalogue& catalogue, Due* due);
  void TakeOwedGlob(const std::string& glob, Due* due) const;
  void TakeAgain(Due* due) const;
  void TakeEverything(Due* due) const;
  void NoteRefused(const Due& due);
  void NoteAccepted(const Due& due);

  std::string type_url_;
  TypeTraits traits_;
  Variant variant_;
  std::uint64_t requests_ = 0;

  // What is asked for.
  bool wildcard_ = false;
  bool ever_named_ = false;  // SotW: an empty list no longer means everything
  // By name, glob or alias, each with the number of the list that said it last; hashed, because SotW says all of them
  // in every ACK. Never walked to where order shows.
  absl::flat_hash_map<std::string, std::uint64_t> names_;
  std::uint64_t lists_ = 0;
  std::size_t globs_ = 0;                                            // of them
  absl::btree_map<std::string, std::string, std::less<>> aliases_;   // of them, to canonical name
  absl::btree_map<std::string, std::size_t, std::less<>> by_alias_;  // canonical name to number of aliases

  // What is owed.
  bool held_ = false;
  Everything everything_ = Everything::kTold;
  bool greeting_ = false;  // a word even if there is nothing (XDS-S065)
  Names owed_;             // a word about each
  Names again_;            // each that exists
  Names gone_;             // delta: the client is still to be told
  bool shrunk_ = false;    // full state: the same

  // What was said.
  std::shared_ptr<const Holdings> seen_;
  Names refused_;  // names whose last word was refused; said again when one of them changes (XDS-S032)
  std::deque<Step> steps_;
  std::uint64_t newest_ = 0;
  bool answered_ = false;
  bool refused_last_ = false;
};

}  // namespace xdscope::protocol
