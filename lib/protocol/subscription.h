// The state of one type: what is wanted of it, what was said about it on this stream, what is held, what the server
// said is not there. SotW and delta. Driven by AdsSession; knows nothing of other types, of sockets or of time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/protocol/interest.h"
#include "lib/protocol/request.h"
#include "lib/protocol/response.h"
#include "lib/protocol/type_traits.h"

namespace xdscope::protocol {

// How "everything" is said where it was not asked for as "*" (K1).
enum class Wildcard : std::uint8_t {
  kLegacy,    // an empty first list; works everywhere
  kExplicit,  // "*"
};

// Where a name stands, in a client's eyes.
enum class NameState : std::uint8_t {
  kUnwanted,  // neither asked for by name nor held
  kOpen,      // asked for (or about to be); no word of it yet
  kHeld,      // accepted
  kAbsent,    // the server said that there is none
  kRefused,   // came, only in responses that were refused or left unanswered
};

// Whether the server was told on this stream that a name is wanted.
enum class Asked : std::uint8_t {
  kNow,
  kEarlier,  // and it was taken back since: what crossed on the wire is no fault (C.1)
  kNever,
};

// One resource as a client holds it.
struct HeldResource {
  std::string version;
  ResponseId response{};   // that delivered it last
  bool ambiguous = false;  // unsubscribed under a wildcard; the server owes a word whether it stays (B.2-10)
};

// What one response means for the names, kept until its verdict.
struct Pending {
  enum class Meaning : std::uint8_t { kResource, kHeartbeat, kAbsent, kNothing };
  struct Entry {
    std::string_view name;  // normal form
    std::string_view version;
    Meaning meaning = Meaning::kNothing;
  };
  struct Alias {
    std::string_view alias;
    std::string_view name;
    bool resolved = false;  // the entry has a payload
  };

  ResponseId id{};
  Bytes bytes;  // what the views look into, but for names that had to be brought into normal form
  std::deque<std::string> normal_forms;
  std::string_view version;
  std::string_view nonce;
  std::vector<Entry> entries;  // in the order of Response::resources
  std::vector<Alias> aliases;
  std::vector<std::string_view> removed;
  std::vector<ResourceError> errors;
};

// An answer that was decided and not yet sent.
struct Verdict {
  std::string version;
  std::string nonce;
  std::optional<RequestError> error;
};

class Subscription {
 public:
  struct Options {
    Variant variant = Variant::kSotw;
    Wildcard wildcard = Wildcard::kLegacy;
    bool unary = false;
  };

  Subscription(std::string type_url, TypeTraits traits, Options options);

  const std::string& type_url() const { return type_url_; }
  const TypeTraits& traits() const { return traits_; }
  const Interest& interest() const { return interest_; }
  bool is_delta() const { return options_.variant == Variant::kDelta; }

  // ---- What is known of names. Names are compared in normal form.

  NameState state(std::string_view name) const;
  // The names asked for one by one that are in this state, sorted.
  std::vector<std::string> NamesIn(NameState state) const;
  // Whether a name asked for is still without an answer of any kind.
  bool HasOpenNames() const;
  // Why a name is absent, or what the server said about it though it is held; empty: nothing was said.
  std::string_view WordsAbout(std::string_view name) const;
  // What was accepted under a canonical name; nullptr: nothing is held. Valid until the session is changed.
  const HeldResource* Held(std::string_view name) const;
  std::size_t held_count() const { return held_.size(); }
  // The canonical names of all that is held, sorted. Views into the session, valid until it is changed.
  std::vector<std::string_view> HeldNames() const;
  // The canonical name behind an alias (VHDS); the name itself where there is none.
  std::string_view Canonical(std::string_view name) const;

  // ---- What was exchanged on this stream.

  std::uint64_t requests() const { return said_.requests; }
  std::uint64_t responses() const { return said_.responses; }
  // Of the last response that was answered; empty: none was, on this stream.
  std::string_view nonce() const { return said_.nonce; }
  // Of the response accepted last, on this stream or an earlier one; SotW says it in requests.
  std::string_view version() const { return good_version_; }
  // Whether the last answer of this stream was a NACK.
  bool refused_last() const { return said_.refused_last; }

  // Whether a name was asked for when the server last heard from us: by itself, by a glob, or as part of everything.
  Asked AskedFor(std::string_view name) const;
  bool AskedForEverything() const { return said_.everything; }
  // The server was told that nothing more is wanted; how many responses were answered since.
  bool AskedForNothing() const { return said_.nothing; }
  std::uint64_t answered_since_nothing() const { return said_.answered_since_nothing; }
  bool SawNonce(std::string_view nonce) const;
  const std::deque<Pending>& pending() const { return pending_; }

  // ---- For AdsSession.

  void SetInterest(Interest interest);
  // Says a name again though nothing changed. NOT_FOUND: it is not asked for by name.
  absl::Status Resubscribe(std::string_view name);
  // A TTL ran out: the resource is dropped; a name asked for is open again (B.2-19). NOT_FOUND: it is not held.
  absl::Status OnExpired(std::string_view name);
  // Takes note of a request that somebody else wrote and sent, as the server will read it.
  void OnForeignRequest(const Request& request);

  void OnStreamOpened();
  void OnStreamClosed();
  void Forget();

  // The next request that says what is wanted, if something new is to be said and no response waits for its verdict
  // (B.0-7).
  std::optional<Request> NextInterest();
  // The request that carries a verdict, with everything there is to say about interest.
  Request Answer(Verdict verdict);

  void OnResponse(Pending pending);
  // Takes a waiting response out. nullopt: none with this id (nonce) waits.
  std::optional<Pending> Take(ResponseId id);
  std::optional<Pending> TakeByNonce(std::string_view nonce);
  // The verdicts on a response that was taken out; what comes back is to be sent.
  Verdict Accept(const Pending& pending);
  Verdict Refuse(const Pending& pending, RequestError error);
  // Applies all but the names in `refused` and is a NACK all the same (K17).
  Verdict AcceptPartly(const Pending& pending, std::span<const std::string_view> refused, RequestError error);
  // No answer will be sent.
  void Drop(const Pending& pending);

 private:
  using Words = absl::btree_map<std::string, std::string, std::less<>>;
  using NameSet = absl::flat_hash_set<absl::string_view>;

  // A name as the server was told.
  struct Told {
    std::uint64_t since = 0;  // number of the first request with it, of those in a row
    std::uint64_t last = 0;   // number of the last request that said all names anew
    bool now = false;         // false: it was taken back
  };
  // What was said on this stream; a new stream starts with a new one.
  struct Said {
    std::uint64_t requests = 0;
    std::uint64_t responses = 0;
    std::string nonce;
    bool refused_last = false;
    absl::flat_hash_set<std::string> nonces;
    bool named = false;  // a name was said, so that an empty SotW list no longer means everything (B.1-7)
    bool everything = false;
    bool ever_everything = false;
    bool starred = false;  // everything, and by the word "*"
    bool nothing = false;
    std::uint64_t answered_since_nothing = 0;
    absl::flat_hash_map<std::string, Told> names;
    std::vector<std::string> globs;
    std::uint64_t newest = 0;  // number of the last request that named something new
    std::uint64_t read = 0;    // number of a request that the server has read for certain (C.1)
  };

  // What is to be said, and what was.
  bool HasNews() const;
  void SayInterest(Request* request);
  void SaySotw(Request* request);
  void SayFirstDelta(Request* request);
  void SayDelta(Request* request);
  std::vector<std::string> SotwList() const;
  bool WasSaid() const;
  void Tell();
  void TellNames();
  void Add(const std::string& name);
  void Remove(const std::string& name);
  void ForgetWordsAbout(std::string_view name);
  bool IsTold(std::string_view name) const;

  // What is held.
  void Prune();
  void Apply(const Pending& pending, const NameSet& refused);
  void ApplyEntry(const Pending& pending, const Pending::Entry& entry);
  void ApplyAlias(const Pending::Alias& alias);
  void Hold(std::string_view name, std::string_view version, ResponseId response);
  void Lose(std::string_view name, std::string_view why);
  bool Unhold(std::string_view name);
  HeldResource* FindHeld(std::string_view name);
  void DropOmitted(ResponseId response);
  void NoteUndelivered();
  void NoteError(const ResourceError& error);
  void NoteRefused(std::string_view name);
  void NoteRead(const Pending& pending);
  void AcceptVersion(std::string_view version);
  void NoteAnswer(const Pending& pending, bool refused);
  bool HoldsGlob(std::string_view glob) const;

  std::string type_url_;
  TypeTraits traits_;
  Options options_;
  Interest interest_;

  Said said_;
  bool changed_ = false;          // SotW: the list may differ from the one said last
  bool say_again_ = false;        // SotW: say it even if it does not
  std::set<std::string> to_add_;  // delta: still to be said
  std::set<std::string> to_remove_;
  std::deque<Pending> pending_;

  std::string good_version_;
  absl::flat_hash_map<std::string, HeldResource> held_;  // for its speed; never walked to where order shows
  Words aliases_;                                        // alias to canonical name
  Words absent_;                                         // a name asked for, to the words about it
  Words words_;                                          // of resource_errors, until the name is delivered (B.0-20)
  std::set<std::string, std::less<>> refused_;
};

}  // namespace xdscope::protocol
