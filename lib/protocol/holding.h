// The holding half of a subscription: what a client has accepted of one type, under which names, until when, and what
// is known of the names that it asks for and does not have. SotW and delta. It is told what a response means and what
// the verdict was; it sends nothing, and asks its Asking half only what is wanted and what was told.
//
// What a client holds is kept by canonical name. Names that it asks for may be others: aliases (VHDS) and globs of
// xdstp names. So each held resource knows its aliases, and the directories of held xdstp names are counted, so that
// neither question costs more than a look-up.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "lib/protocol/asking.h"
#include "lib/protocol/changes.h"
#include "lib/protocol/pending.h"

namespace xdscope::protocol {

// Where a name stands, in a client's eyes.
enum class NameState : std::uint8_t {
  kUnwanted,  // neither asked for by name nor held
  kOpen,      // asked for (or about to be); nothing was said of it yet
  kHeld,      // accepted
  kAbsent,    // the server said that there is none
  kRefused,   // came, only in responses that were refused
};

// One resource as a client holds it.
struct HeldResource {
  std::string version;
  ResponseId response{};          // that delivered it last
  bool ambiguous = false;         // unsubscribed under a wildcard; the server has to say whether it stays (B.2-10)
  std::optional<Moment> expires;  // when it is dropped unless it is said again (B.1-13, B.2-18)
  absl::flat_hash_set<std::string> aliases = {};
};

class Holding {
 public:
  struct Options {
    // A response holds everything of the type: what is missing is gone (LDS and CDS in SotW, B.1-9).
    bool full_state = false;
    // A response answers every name that was asked for (unary calls, REST).
    bool answers_all = false;
  };

  explicit Holding(Options options) : options_(options) {}

  // ---- What is known of names, in normal form.

  NameState StateOf(std::string_view name, const Asking& asking) const;
  // Why a name is absent, or what the server said about it though it is held; empty: nothing was said.
  std::string_view WordsAbout(std::string_view name) const;
  // What was accepted under a canonical name; nullptr: nothing is held. Valid until the holding is changed.
  const HeldResource* Find(std::string_view name) const;
  std::size_t size() const { return held_.size(); }
  // The canonical names of all that is held, sorted. Views into the holding, valid until it is changed.
  std::vector<std::string_view> Names() const;
  // The canonical name behind an alias (VHDS); the name itself where there is none.
  std::string_view Canonical(std::string_view name) const;

  // ---- Verdicts. What changes is added to *changes.

  void Accept(const Pending& pending, const Asking& asking, Changes* changes);
  // A refusal settles the names that the response was to answer: those in it, and every name asked for where it was to
  // answer all of them or has a resource that nobody can name.
  void Refuse(const Pending& pending, const Asking& asking, Changes* changes);
  // Accepts all but the resources of these names; an empty one stands for those without a name. Returns whether
  // something was good, or there was nothing to refuse (B.1-3).
  bool AcceptPartly(const Pending& pending, std::span<const std::string> refused, const Asking& asking,
                    Changes* changes);

  // ---- Other reasons to change.

  // Drops what nothing asks for any more, after this was taken back (B.2-11).
  void DropUnasked(const Asking::TakenBack& taken, const Asking& asking, Changes* changes);
  // Forgets what was said about a name that is no longer asked for.
  void ForgetRemarkOn(std::string_view name);
  // Marks a name that was unsubscribed by itself while a wildcard is on.
  void MarkAmbiguous(std::string_view name);
  // When the next resource expires; nullopt: none does.
  std::optional<Moment> NextExpiry() const;
  // Drops what has expired by `now`; a name asked for is open again (B.2-19).
  void OnTime(Moment now, Changes* changes);
  // A new stream asks anew: what the old server said of names that are not held is no answer to that (B.0-12).
  void OnStreamOpened() {
    remarks_.clear();
    all_refused_.reset();
  }
  void Forget();

 private:
  // What is known of a name beside what is held. All false and empty: nothing, and then there is none.
  struct Remark {
    bool absent = false;
    bool refused = false;
    std::string words;  // of an absence, or of resource_errors about something held, until it is delivered (B.0-20)
  };
  using NameSet = absl::flat_hash_set<absl::string_view>;
  using Held = absl::node_hash_map<std::string, HeldResource>;

  void Apply(const Pending& pending, const NameSet& refused, const Asking& asking, Changes* changes);
  void ApplyEntry(const Pending& pending, const Pending::Entry& entry, const Asking& asking, Changes* changes);
  void ApplyAlias(const Pending::Alias& alias, const Asking& asking, Changes* changes);
  void Hold(const Pending& pending, const Pending::Entry& entry, const Asking& asking, Changes* changes);
  // The resources of the last response in its order: what comes again nearly always comes in the order of the last
  // time, and then it need not be looked for. A copy begins with nothing, because its holding has resources of its own.
  class Trail {
   public:
    Trail() = default;
    Trail(const Trail& /*other*/) {}
    Trail(Trail&& other) = default;
    Trail& operator=(const Trail& /*other*/) { return *this = Trail(); }
    Trail& operator=(Trail&& other) = default;
    ~Trail() = default;

    void GoBack() { next_ = 0; }
    // Returns the next resource if it has this name; nullptr: it has not.
    Held::value_type* Follow(std::string_view name) {
      return next_ < held_.size() && held_[next_]->first == name ? held_[next_++] : nullptr;
    }
    // Leads on from here.
    void Lead(Held::value_type* to) {
      held_.resize(next_++);
      held_.push_back(to);
    }

   private:
    std::vector<Held::value_type*> held_;
    std::size_t next_ = 0;
  };

  std::pair<Held::value_type*, bool> Obtain(std::string_view name);
  void NoteSaid(HeldResource* held, ResponseId response);
  void SetExpiry(std::string_view name, HeldResource* held, std::optional<Moment> expires);
  HeldResource* FindMutable(std::string_view name);
  bool HasAlias(std::string_view name, const HeldResource& held) const;
  void Drop(std::string_view name, Changes* changes);
  void Lose(std::string_view name, std::string_view why, const Asking& asking, Changes* changes);
  void NoteAbsent(std::string_view name, std::string_view why, const Asking& asking, Changes* changes);
  void NoteRefused(std::string_view name, const Asking& asking, Changes* changes);
  void NoteError(const ResourceError& error, const Asking& asking, Changes* changes);
  void DropOmitted(ResponseId response, const Asking& asking, Changes* changes);
  void NoteUndelivered(const Asking& asking, Changes* changes);
  void RefuseOpenNames(const Asking& asking, Changes* changes);

  Options options_;
  // Hashed for their speed; never walked to where order shows.
  Held held_;
  absl::flat_hash_map<std::string, std::string> aliases_;  // alias to canonical name
  absl::flat_hash_map<std::string, std::size_t> by_glob_;  // how many held names a glob stands for
  absl::flat_hash_map<std::string, Remark> remarks_;
  std::set<std::pair<Moment, std::string>> expiries_;
  std::size_t said_ = 0;  // how many of those held the response that is applied has named, at least
  Trail trail_;
  // Asking::newest() when every open name was refused, until a name may be open again: a server that is refused may
  // send the same again at once, and then nobody looks through 10,000 names for each response.
  std::optional<std::uint64_t> all_refused_;
};

}  // namespace xdscope::protocol
