// The asking half of a subscription: what is wanted of one type, what the server was told of that on this stream, and
// so what is still to be said. SotW and delta. Knows nothing of what is held, nor of verdicts.
//
// What a request has to say is the difference of what is wanted and what was told. It is kept, not computed: whoever
// follows references wants one name more with each response, and 10,000 names beside it shall cost nothing then. So
// each name that is wanted and was not told waits in `to_subscribe_`, each that was told and is no longer wanted in
// `to_unsubscribe_`. Besides, a name that was taken back and wanted again before anything was said has to be said again
// (B.2-8), and so has one that somebody asks for once more. Everything waits there too, as "*". One thing does not
// follow from the two sets: a first SotW list that is empty means everything, a later one nothing (B.1-7), so it
// matters whether a name was ever said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "lib/protocol/interest.h"
#include "lib/protocol/pending.h"
#include "lib/protocol/request.h"

namespace xdscope::protocol {

// How "everything" is said where it was not asked for as "*" (K1).
enum class Wildcard : std::uint8_t {
  kLegacy,    // an empty first list; works everywhere
  kExplicit,  // "*"
};

// Whether the server was told on this stream that a name is wanted.
enum class WasAsked : std::uint8_t {
  kNow,
  kEarlier,  // and it was taken back since: what crossed on the wire is no fault (C.1)
  kNever,
};

class Asking {
 public:
  // Names taken back that are remembered, so that a long stream does not grow. Beyond that every name counts as asked
  // for earlier, which excuses more than it should.
  static constexpr std::size_t kMostEarlier = 10'000;

  Asking(Variant variant, Wildcard wildcard) : delta_(variant == Variant::kDelta), wildcard_(wildcard) {}

  // ---- What is wanted.

  const Interest& interest() const { return interest_; }
  // What a change of interest did.
  struct Effect {
    bool changed = false;              // something is wanted now that was not before, or the other way round
    std::vector<std::string> dropped;  // names that are no longer asked for one by one
  };
  // Takes back what the change takes back, then wants what it adds: a name in both is said anew.
  Effect Change(const InterestChange& change);
  // Says a name again though nothing changed. NOT_FOUND: it is not asked for by name.
  absl::Status AskAgain(std::string_view name);

  // ---- What was told. Names are in normal form.

  std::uint64_t requests() const { return requests_; }
  // Whether a name was asked for when the server last heard from us: by itself, by a glob, or as part of everything.
  WasAsked AskedFor(std::string_view name) const;
  bool AskedForEverything() const { return told_everything_; }
  // Whether the server was told that nothing more is wanted.
  bool AskedForNothing() const { return requests_ > 0 && !told_everything_ && told_.empty(); }
  // Whether the server has certainly read that this name is asked for: a response came that it could not have made
  // without (C.1).
  bool HasRead(std::string_view name) const;
  // The same of a name that is asked for in any way: by itself, or as part of everything.
  bool ServerKnows(std::string_view name) const;
  // Which request of the stream was the last that named something new; 0: none has.
  std::uint64_t newest() const { return newest_; }

  // ---- Requests.

  // Whether there is something to say; never before the first name or wildcard is wanted (K31).
  bool HasNews() const;
  // What the server was told before and a request has taken back.
  struct TakenBack {
    bool everything = false;
    std::vector<std::string> names;
  };
  // Writes into a request what there is to say. It counts as said.
  TakenBack Say(Request* request);
  // Takes a request by somebody else for what is wanted, as the server will read it: a SotW list is the whole of it, a
  // delta adds and takes away.
  TakenBack OnForeignRequest(const Request& request);
  // Whether the next request that says something is the first of its type on this stream.
  bool IsFirst() const { return requests_ == 0; }

  // Notes what a response proves about what its server has read. `full_state`: the type's responses hold everything.
  void OnResponse(const Pending& pending, bool full_state);
  // Forgets what was told; the interest stays.
  void OnStreamClosed();

 private:
  bool SaysStar() const;
  std::vector<std::string> SotwList() const;
  TakenBack SaySotw(Request* request);
  TakenBack SayFirstDelta(Request* request);
  TakenBack SayDelta(Request* request);
  TakenBack Tell();
  void NoteTakenBack(const std::string& name);

  bool delta_;
  Wildcard wildcard_;
  Interest interest_;

  // ---- On this stream.
  Interest::NameSet to_subscribe_;
  Interest::NameSet to_unsubscribe_;
  std::uint64_t requests_ = 0;
  bool named_ = false;  // a name was said, so that an empty SotW list no longer means everything (B.1-7)
  bool told_everything_ = false;
  bool told_starred_ = false;  // as "*"
  bool ever_everything_ = false;
  // The names told and not taken back.
  struct Told {
    std::uint64_t since = 0;  // number of the first request of those in a row that had it
    bool again = false;       // it was told before, and taken back: its coming proves nothing
  };
  absl::flat_hash_map<std::string, Told> told_;
  std::uint64_t everything_since_ = 0;        // the same of everything
  absl::flat_hash_set<std::string> earlier_;  // told, and taken back
  bool earlier_is_full_ = false;
  std::uint64_t newest_ = 0;  // number of the last request that named something new
  std::uint64_t read_ = 0;    // number of a request that the server has read for certain
};

}  // namespace xdscope::protocol
