// One type's conversation on one stream, from the server's side, SotW or delta: what is asked for, what was said, what
// is owed. A part of ServerSession, which alone knows what a request means.
//
// What the client was told is not kept name by name: it is what stood in the snapshot that was read last, but for the
// names that are owed and those whose last word the client refused. So a well-behaved client costs its own names and
// one pointer, and a comparison of two snapshots says what has changed for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "lib/protocol/pending.h"
#include "lib/protocol/resource_cache.h"
#include "lib/protocol/response.h"
#include "lib/types/known_types.h"

namespace xdscope::protocol {

class ServerSubscription {
 public:
  ServerSubscription(std::string type_url, Variant variant);

  const std::string& type_url() const { return type_url_; }
  bool full_state() const { return type_->full_state && !is_delta(); }
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
  void HoldAnswers(bool held) { answers_wait_ = held; }
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

  // What one response delivers; its members are those of ServerResponse.
  struct Delivery {
    std::shared_ptr<const TypeSnapshot> snapshot;
    bool all = false;
    std::vector<std::uint32_t> resources;
    std::vector<std::string> removed;
    std::vector<std::string> unresolved;
    bool heartbeat = false;
    bool payloads = true;
  };

  // Returns true where Updates() has certainly nothing to say; cheap.
  bool IsUpToDate(const ResourceCache& cache) const;
  // Returns what is new, changed or owed. What is gone is only noted, for later.
  std::optional<Delivery> Updates(const ResourceCache& cache);
  // Says what is gone, as of the last Updates().
  bool HasRemovals() const { return unsaid_omissions_ || !unsaid_removals_.empty(); }
  std::optional<Delivery> Removals();
  // Adds them to what is sent now.
  void AddRemovals(Delivery* delivery);
  // Says again what has a time to live and is held by the client, when half of that has passed. Demands that Updates()
  // and Removals() have nothing to say.
  std::optional<Delivery> Heartbeat(Moment now);
  // When the next one is due, as of the last Heartbeat(); nullopt: none is, or it waits for a verdict.
  std::optional<Moment> NextHeartbeat() const;

  // Notes that a delivery was sent as response `number` of the stream.
  void OnSent(const Delivery& delivery, std::uint64_t number);
  // Number of the response sent last; 0: none was.
  std::uint64_t last_sent() const { return last_sent_; }
  // Whether the newest response has had its verdict, and whether that was a refusal.
  bool answered() const { return answered_; }
  bool refused() const { return refused_last_; }
  // Takes the verdict on response `number`. Returns false where that changes nothing: the number was not sent, was
  // forgotten, or has had its verdict.
  bool OnVerdict(std::uint64_t number, bool refused);
  // Says again what was refused last, as it was: the fault of some servers (XDS-S032).
  void OweRefused();

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
  struct Unanswered {
    std::uint64_t number = 0;
    Delivery delivery;
  };

  // How another snapshot differs from told_ in what is asked for. The views are into told_.
  struct Difference {
    std::vector<std::uint32_t> changed;  // new or changed, indices into the other
    std::vector<std::string_view> removed;
  };

  bool HasName(std::string_view name) const;
  bool Covers(std::string_view name) const;
  bool Owes() const;
  void StartEverything();
  void StopEverything();
  void Add(const std::string& name);
  bool Remove(std::string_view name);
  void NoteAlias(const std::string& alias, std::string_view name);
  void ForgetAlias(std::string_view alias);
  // Drops what is owed or remembered of names that are no longer asked for.
  void ForgetUncovered();
  std::size_t RemoveUnlisted();

  std::optional<Delivery> FullUpdate(std::shared_ptr<const TypeSnapshot> now);
  std::optional<Delivery> PartialUpdate(std::shared_ptr<const TypeSnapshot> now, const ResourceCache& cache);
  Delivery Whole(std::shared_ptr<const TypeSnapshot> now) const;
  Difference Compare(const TypeSnapshot& now) const;
  Difference CompareAll(const TypeSnapshot& now) const;
  Difference CompareNamed(const TypeSnapshot& now) const;
  // Whether it costs less to look for each name that is asked for than to look at so many resources.
  bool NamesAreFewerThan(std::size_t resources) const;
  // Makes the places ascending, each once, and says "all" as such.
  static void Tidy(Delivery* delivery);
  bool NewlyNamedExists(const TypeSnapshot& now) const;
  void NoteChanges(const TypeSnapshot& now, const Difference& difference);
  void NoteRemovals(const Difference& difference);
  void RecallRefused(const TypeSnapshot& now, Difference* difference);
  void AddOwed(const ResourceCache& cache, Delivery* delivery);
  void AddOwedName(const std::string& name, const ResourceCache& cache, Delivery* delivery);
  // Places in a snapshot, by the glob that stands for them.
  using GlobMembers = absl::flat_hash_map<std::string, std::vector<std::uint32_t>>;
  static GlobMembers MembersOf(std::string_view folder, const TypeSnapshot& snapshot);
  void AddOwedGlob(const std::string& glob, const GlobMembers& members, Delivery* delivery) const;
  void AddResends(Delivery* delivery) const;
  void AddEverything(Delivery* delivery) const;
  void NoteRefused(const Delivery& delivery);
  void NoteAccepted(const Delivery& delivery);
  void PlanBeats(Moment now);
  void NoteNextBeat();
  std::vector<std::chrono::nanoseconds> TakeDueBeats(Moment now);
  std::vector<std::uint32_t> LivingOf(const std::vector<std::chrono::nanoseconds>& due) const;
  bool IsHeld(std::string_view name) const;

  std::string type_url_;
  const types::KnownType* type_;
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
  bool answers_wait_ = false;
  Everything everything_ = Everything::kTold;
  bool owes_first_response_ = false;  // a word even if there is nothing (XDS-S065)
  Names owed_;                        // a word about each
  Names resend_;                      // each that exists
  Names unsaid_removals_;             // delta: the client is still to be told
  bool unsaid_omissions_ = false;     // full state: the same

  // What was said; refused_ holds no names that are not asked for, unanswered_ only the newest few responses.
  std::shared_ptr<const TypeSnapshot> told_;
  Names refused_;  // names whose last word was refused; said again when one of them changes (XDS-S032)
  std::deque<Unanswered> unanswered_;
  std::uint64_t last_sent_ = 0;
  bool answered_ = false;
  bool refused_last_ = false;

  // When the resources of each time to live beat next.
  std::map<std::chrono::nanoseconds, Moment> beats_;
  std::shared_ptr<const TypeSnapshot> beats_of_;  // the state that they are planned for
  std::optional<Moment> next_beat_;               // the earliest of them
  bool resumed_ = false;  // the client has resources of an earlier stream; nothing is planned yet
};

}  // namespace xdscope::protocol
