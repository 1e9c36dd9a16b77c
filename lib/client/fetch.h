// One look at a control plane: asks for resources, follows the references of what comes, and knows when it is done. The
// rules of the end are those of cli.md, "When fetch is done". Knows no connection and no printing: a source is asked,
// a clock says what time it is, and whoever runs it is told when it is over.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.h"
#include "lib/client/judge.h"
#include "lib/resource/references.h"
#include "lib/resource/snapshot.h"
#include "lib/source/xds_source.h"

namespace xdscope::client {

// What is wanted of one type.
struct Want {
  std::string type_url;
  std::vector<std::string> names;
  bool everything = false;
  bool starred = false;  // say "everything" as "*"
};

struct FetchSettings {
  std::vector<Want> wants;
  bool follow = false;
  bool starred = false;                                    // for types that are followed to
  base::Duration wait = std::chrono::seconds(15);          // for the first response of a type, and for a name
  base::Duration settle = std::chrono::milliseconds(300);  // of quiet, after which a delta wildcard is complete
  bool keep_responses = false;                             // Outcome::responses is wanted
  JudgePolicy judge;
  resource::ThisServer this_server;
  source::XdsSource::Settings source;
};

// A resource of a response that was refused, or in which something was found; also a response as a whole.
struct Complaint {
  std::string type_url;
  std::string resource;  // empty: the response
  std::string message;
  bool refused = false;  // its response got a NACK
};

// A name that is not there.
struct Absence {
  std::string type_url;
  std::string name;
  bool typed = false;  // asked for by the caller; else only referred to
  bool said = false;   // the server said so; else nothing came in time
  std::string words;   // the server's, if any
};

// A reference that was not followed.
struct Elsewhere {
  std::string type_url;
  std::string name;   // empty: all of the type
  std::string where;  // "file …", "cluster …"; or why this variant cannot ask

  auto operator<=>(const Elsewhere&) const = default;
};

// A conversation that ended before everything was there.
struct Failure {
  std::string type_url;  // empty: all types
  absl::Status status;
  bool connected = false;
};

// A response as it came.
struct RawResponse {
  std::string type_url;
  protocol::Bytes bytes;
};

struct Outcome {
  resource::Snapshot snapshot;
  std::vector<Complaint> complaints;
  std::vector<Absence> absences;
  std::set<Elsewhere> elsewhere;
  std::vector<std::string> silent;  // types that never answered, in the order of asking
  std::vector<Failure> failures;
  bool refused = false;                // a response got a NACK
  bool out_of_time = false;            // Stop() ended it
  std::vector<RawResponse> responses;  // in the order in which they came, where FetchSettings::keep_responses says so
  std::uint64_t bytes = 0;             // of all responses
  std::uint64_t response_count = 0;
};

class Fetch final : private source::Sink {
 public:
  // What happens on the way, for progress and logs. The defaults do nothing.
  struct Listener {
    std::function<void()> changed = [] {};  // after each event: outcome() and waiting() may differ
    std::function<void(const protocol::Request&)> request = [](const auto&) {};
    std::function<void(const protocol::Response&, const source::Update&, const session::Verdict&)> response =
        [](const auto&, const auto&, const auto&) {};
    // Once, when outcome() is final and the last answers are on their way; not after Stop(), nor where a stream broke.
    std::function<void()> decided = [] {};
    std::function<void()> done = [] {};  // once, when all conversations are closed; may stop a loop
  };

  // All references must outlive it.
  Fetch(base::Clock& clock, transport::Channel& channel, wire::Types& types, FetchSettings settings, Listener listener);

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

 private:
  // What is wanted of one type, and how far it is.
  struct Goal {
    Want want;
    std::set<std::string> typed;             // names that the caller asked for
    std::map<std::string, base::Time> open;  // names without an answer, and when each counts as absent
    base::Time answer_by;                    // when the type counts as silent
    base::Time last_response;
    bool answered = false;
    bool closed = false;  // its conversation is over
  };

  void OnConnected(std::string_view stream) override;
  void OnRequest(const protocol::Request& request) override;
  void OnUpdate(source::Update update, const protocol::Response& response, const session::Verdict& verdict) override;
  void OnClosed(std::string_view stream, const absl::Status& status, bool had_response) override;

  Goal* Find(std::string_view type_url);
  Goal& Obtain(const std::string& type_url);
  void Ask(const Want& want, bool typed);
  void NoteAnswers(Goal& goal, const source::Update& update, const protocol::Response& response);
  void Sweep(Goal& goal);
  void FollowReferences(const source::Update& update);
  void Follow(const resource::Reference& reference, std::map<std::string, Want>* wants);
  void NoteComplaints(const source::Update& update, const session::Verdict& verdict);
  std::optional<base::Time> OpenUntil(const Goal& goal, base::Time now) const;
  bool IsComplete(const Goal& goal) const;
  void Check();
  void End();
  void NoteWhatIsMissing();

  base::Clock& clock_;
  FetchSettings settings_;
  Listener listener_;
  resource::ReferenceFinder references_;
  Outcome outcome_;
  std::vector<Goal> goals_;  // in the order of asking
  source::XdsSource source_;
  base::Timer timer_;
  bool ending_ = false;
  std::size_t open_streams_ = 0;
  const bool delta_;
  std::set<std::pair<std::string, std::string>> asked_;  // type and name
  std::set<std::string, std::less<>> connected_;         // conversations
};

}  // namespace xdscope::client
