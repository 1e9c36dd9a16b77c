// One look at a source: asks for resources, follows the references of what comes, judges it, and knows when it is done.
// The rules of the end are those of cli.md, "When fetch is done". Knows no connection and no printing: a source is
// asked, a clock says what time it is, and whoever runs it is told when it is over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/base/clock.h"
#include "lib/client/follower.h"
#include "lib/client/judge.h"
#include "lib/finding/sample.h"
#include "lib/resource/snapshot.h"
#include "lib/source/source.h"

namespace xdscope::client {

// What is wanted of one type.
struct Want {
  std::string type_url;
  std::vector<std::string> names;
  bool everything = false;
  bool starred = false;                      // say "everything" as "*"
  std::optional<std::uint32_t> source = {};  // who is asked of several; nullopt: who is there for the type and names
};

// Returns the interest in everything, where that is wanted, and in these names.
protocol::Interest InterestIn(const Want& want, std::vector<std::string> names);

struct FetchSettings {
  std::vector<Want> wants;
  // Besides, everything of each type in the API version that the source says it holds (source::FilesRead). Types of
  // which nothing came are not in the snapshot then.
  bool all_types = false;
  // The source says of each name at once whether it is there (files): what is referred to is asked for by name even
  // where everything of its type is wanted, so that it is known what is missing.
  bool knows_all = false;
  bool follow = false;
  bool starred = false;  // for types that are followed to
  types::Api api = types::Api::kV3;
  // For the first response of a type, and for a name. Names that are first referred to when their type has been asked
  // for so long are asked for and not waited for: a server that changes a resource to ever new references ends too.
  base::Duration wait = std::chrono::seconds(15);
  // Of quiet, after which "everything" is complete where updates are incremental; at most for `wait` after the first
  // response.
  base::Duration settle = std::chrono::milliseconds(300);
  bool keep_responses = false;  // Outcome::responses is wanted
  JudgePolicy judge;
  resource::ThisServer this_server;
  std::map<std::string, std::uint32_t, std::less<>> sources;  // see Follower::Settings
};

// A name that is not there.
struct MissingName {
  std::string type_url;
  std::string name;
  bool typed = false;  // asked for by the caller; else only referred to
  bool said = false;   // the source said so; else nothing came in time
  std::string words;   // the source's, if any
};

// A conversation that ended before everything was there.
struct Failure {
  std::string type_url;  // empty: all types
  absl::Status status;
  bool connected = false;
  session::Place place = {};
};

// A response as it came.
struct RawResponse {
  std::string type_url;
  transport::Bytes bytes;
  session::Place place = {};
};

struct Outcome {
  resource::Snapshot snapshot;
  // For which a client may refuse what came; of --nack the refusal itself. Of each rule a sample, once all is over.
  std::vector<finding::Finding> findings;
  bool refused = false;  // a response got a NACK
  bool broken = false;   // something is wrong with the files that were read; what could be read is there
  std::vector<MissingName> missing;
  std::set<Elsewhere> elsewhere;
  std::vector<std::string> silent;  // types that never answered, in the order of asking
  // Types of which more was still coming when they had come for FetchSettings::wait, or to which resources referred by
  // ever new names.
  std::vector<std::string> unsettled;
  std::vector<Failure> failures;
  std::vector<Failure> moves;  // failures of servers that another took the place of
  // Types of which a server that speaks REST has nothing (HTTP 404), while it answered others.
  std::vector<Failure> nothing;
  bool out_of_time = false;            // Stop() ended it
  std::vector<RawResponse> responses;  // in the order in which they came, where FetchSettings::keep_responses says so
  std::uint64_t bytes = 0;             // of all responses
  std::uint64_t response_count = 0;
};

class Fetch {
 public:
  // What happens on the way, for progress and logs. The defaults do nothing.
  struct Listener {
    std::function<void()> changed = [] {};  // after each event: outcome() and waiting() may differ
    // Everything that the source tells, as it tells it.
    std::function<void(const source::Event&)> event = [](const auto&) {};
    // What was found in an update and what it is answered, before the answer leaves.
    std::function<void(const source::Update&, const Judgement&)> judged = [](const auto&, const auto&) {};
    // Once, when outcome() is final and the last answers are on their way; not after Stop(), nor where a stream broke.
    std::function<void()> decided = [] {};
    std::function<void()> done = [] {};  // once, when all conversations are closed; may stop a loop
  };

  // All references must outlive it. It listens to the source from now on.
  Fetch(base::Clock& clock, source::Source& source, wire::Types& types, FetchSettings settings, Listener listener);

  void Start();
  // Ends it now, whatever is still open.
  void Stop();

  const Outcome& outcome() const { return outcome_; }

  // What is still waited for.
  struct Waiting {
    std::string type_url;
    std::size_t open_names = 0;  // 0: its first response, or quiet
  };
  std::vector<Waiting> waiting() const;

  // Whether a resource was asked for, by its name or as one of everything; with an empty name, whether everything was.
  bool WasAsked(std::string_view type_url, std::string_view name) const;

 private:
  // A name that was asked for.
  struct AskedName {
    std::string name;  // as it was asked for
    bool typed = false;
    bool late = false;  // first referred to when the type had been asked for long enough: nobody waits for it
    bool answered = false;
    bool absent = false;
    std::string words = {};  // of its absence
    base::Time deadline;     // when it counts as absent, if nothing was said by then
  };

  // What is wanted of one type, and how far it is. A goal is open as long as the last deadline of its open names, and
  // a response may answer one of 10,000; so open names are counted by deadline rather than looked through.
  struct Goal {
    std::string type_url;
    bool everything = false;
    std::vector<std::string> asked;                      // names in normal form, in the order of asking
    absl::flat_hash_map<std::string, AskedName> names;   // by normal form
    std::map<base::Time, std::size_t> open_by_deadline;  // how many names without an answer have this deadline
    std::size_t open = 0;                                // names without an answer
    base::Time asked_until;  // when the type counts as silent, and from when on names that are new to it are late
    base::Time last_response;
    base::Time settled_by;  // when "everything" counts as complete although there was no quiet
    bool answered = false;
    bool incremental = false;  // so were its updates
    bool closed = false;       // its conversation is over
    bool nothing = false;      // by a 404: a request for other names may find something

    AskedName* Find(std::string_view name);
    void Open(AskedName& name);
    void Settle(AskedName& name);
    void SetDeadline(AskedName& name, base::Time deadline);
  };

  void On(source::Event event);
  void OnFilesRead(const source::FilesRead& read);
  void OnUpdate(source::Update update);
  void OnClosed(const session::Closed& closed);
  void OnMoved(const source::Moved& moved);
  void GiveUpNames(Goal& goal);
  void OnUnchanged(const session::Unchanged& unchanged);
  void OnUnreadable(const session::Unreadable& unreadable);

  Goal* Find(std::string_view type_url);
  Goal& Obtain(const std::string& type_url);
  void Ask(const Want& want, bool typed);
  void NoteFindings(const source::Update& update, const Judgement& judgement);
  void NoteChanges(Goal& goal, const protocol::Changes& changes);
  void Follow(const source::Update& update);
  std::optional<base::Time> OpenUntil(const Goal& goal, base::Time now) const;
  bool IsComplete(const Goal& goal) const { return goal.answered && goal.open == 0; }
  bool IsOpen() const;
  bool IsUnsettled(const Goal& goal) const;
  void Check();
  void End();
  void SettleNothing();
  void NoteWhatIsMissing();

  base::Clock& clock_;
  source::Source& source_;
  wire::Types& types_;
  FetchSettings settings_;
  Listener listener_;
  Judge judge_;
  Follower follower_;
  Outcome outcome_;
  finding::Sample found_;    // becomes Outcome::findings
  std::vector<Goal> goals_;  // in the order of asking
  base::Timer timer_;
  bool ending_ = false;
  std::set<std::pair<session::Place, std::string>> connected_;  // conversations
};

}  // namespace xdscope::client
