#include "lib/client/fetch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/status.h"
#include "lib/protocol/names.h"
#include "lib/transport/http_status.h"

namespace xdscope::client {
protocol::Interest InterestIn(const Want& want, std::vector<std::string> names) {
  if (want.everything && want.starred) names.emplace_back(protocol::kStar);
  return want.everything ? protocol::Interest::EverythingAnd(std::move(names))
                         : protocol::Interest::Names(std::move(names));
}

// ---- One type.

Fetch::AskedName* Fetch::Goal::Find(std::string_view name) {
  const auto found = names.find(base::ToAbsl(name));
  return found == names.end() ? nullptr : &found->second;
}

void Fetch::Goal::Open(AskedName& name) {
  ++open;
  ++open_by_deadline[name.deadline];
}

void Fetch::Goal::Settle(AskedName& name) {
  if (std::exchange(name.answered, true)) return;
  --open;
  const auto count = open_by_deadline.find(name.deadline);
  if (--count->second == 0) open_by_deadline.erase(count);
}

void Fetch::Goal::SetDeadline(AskedName& name, base::Time deadline) {
  const auto count = open_by_deadline.find(name.deadline);
  if (--count->second == 0) open_by_deadline.erase(count);
  name.deadline = deadline;
  ++open_by_deadline[deadline];
}

// ---- From outside.

Fetch::Fetch(base::Clock& clock, source::Source& source, wire::Types& types, FetchSettings settings, Listener listener)
    : clock_(clock),
      source_(source),
      types_(types),
      settings_(std::move(settings)),
      listener_(std::move(listener)),
      judge_(settings_.judge, types),
      follower_(types, {.this_server = settings_.this_server,
                        .api = settings_.api,
                        .can_ask =
                            [this](std::string_view type_url, std::optional<std::uint32_t> of) {
                              return of ? source_.CanAskOf(*of, type_url) : source_.CanAsk(type_url);
                            },
                        .sources = settings_.sources}) {
  source_.Listen([this](source::Event event) { On(std::move(event)); });
}

void Fetch::Start() {
  for (const Want& want : settings_.wants) Ask(want, true);
  Check();
}

void Fetch::Stop() {
  if (ending_) return;
  outcome_.out_of_time = true;
  End();
}

std::vector<Fetch::Waiting> Fetch::waiting() const {
  std::vector<Waiting> waiting;
  if (ending_) return waiting;
  for (const Goal& goal : goals_) {
    if (OpenUntil(goal, clock_.Now())) waiting.push_back({goal.type_url, goal.open});
  }
  return waiting;
}

bool Fetch::WasAsked(std::string_view type_url, std::string_view name) const {
  const auto goal =
      std::find_if(goals_.begin(), goals_.end(), [&](const Goal& known) { return known.type_url == type_url; });
  if (goal == goals_.end()) return false;
  std::string room;
  return goal->everything || goal->names.contains(base::ToAbsl(protocol::NormalName(name, &room)));
}

// ---- Asking.

Fetch::Goal* Fetch::Find(std::string_view type_url) {
  const auto found =
      std::find_if(goals_.begin(), goals_.end(), [&](const Goal& goal) { return goal.type_url == type_url; });
  return found == goals_.end() ? nullptr : &*found;
}

Fetch::Goal& Fetch::Obtain(const std::string& type_url) {
  if (Goal* known = Find(type_url)) return *known;
  Goal& goal = goals_.emplace_back();
  goal.type_url = type_url;
  goal.asked_until = clock_.Now() + settings_.wait;
  return goal;
}

void Fetch::Ask(const Want& want, bool typed) {
  Goal& goal = Obtain(want.type_url);
  goal.everything |= want.everything;
  std::vector<std::string> added;
  std::string room;
  const base::Time now = clock_.Now();
  const bool late = now >= goal.asked_until;
  for (const std::string& name : want.names) {
    const std::string normal(protocol::NormalName(name, &room));
    const auto [place, is_new] = goal.names.try_emplace(normal);
    if (!is_new) continue;
    place->second = {.name = name, .typed = typed, .late = late, .deadline = late ? now : now + settings_.wait};
    goal.asked.push_back(normal);
    added.push_back(normal);
    goal.Open(place->second);
  }
  if (goal.closed && !goal.nothing) return;
  const protocol::InterestChange change{InterestIn(want, added)};
  want.source ? source_.WantOf(*want.source, want.type_url, change) : source_.Want(want.type_url, change);
  if (goal.closed && outcome_.failures.empty()) source_.Open();  // for what is new to it
  goal.closed = !source_.IsOpen(want.type_url);                  // the conversation that it belongs to may be over
  for (const std::string& name : added) {
    if (goal.closed || source_.IsOpenFor(want.type_url, name)) continue;
    AskedName& asked = *goal.Find(name);
    asked.words = "there is no server to ask for it";
    goal.SetDeadline(asked, now);
  }
}

// ---- What the source tells.

void Fetch::On(source::Event event) {
  listener_.event(event);
  if (auto* update = std::get_if<source::Update>(&event)) {
    OnUpdate(std::move(*update));
  } else if (const auto* read = std::get_if<source::FilesRead>(&event)) {
    OnFilesRead(*read);
  } else if (const auto* connected = std::get_if<session::Connected>(&event)) {
    connected_.emplace(connected->place, connected->stream);
  } else if (const auto* unchanged = std::get_if<session::Unchanged>(&event)) {
    OnUnchanged(*unchanged);
  } else if (const auto* unreadable = std::get_if<session::Unreadable>(&event)) {
    OnUnreadable(*unreadable);
  } else if (const auto* moved = std::get_if<source::Moved>(&event)) {
    OnMoved(*moved);
  } else if (const auto* closed = std::get_if<session::Closed>(&event)) {
    OnClosed(*closed);
  }
}

// Types that are in neither version, whatever they are, are wanted too.
void Fetch::OnFilesRead(const source::FilesRead& read) {
  outcome_.broken |= std::any_of(read.notices.begin(), read.notices.end(), [](const files::Notice& notice) {
    return notice.finding.severity == finding::Severity::kError;
  });
  if (ending_ || !settings_.all_types) return;
  for (const source::FilesRead::Type& type : read.types) {
    if (type.api.value_or(settings_.api) != settings_.api) continue;
    Ask({.type_url = type.type_url, .names = {}, .everything = true}, false);
  }
}

void Fetch::OnUnreadable(const session::Unreadable& unreadable) {
  if (settings_.keep_responses) outcome_.responses.push_back({unreadable.stream, unreadable.bytes, unreadable.place});
}

// An answer, that what is held is all there is.
void Fetch::OnUnchanged(const session::Unchanged& unchanged) {
  if (ending_) return;
  Goal* goal = Find(unchanged.stream);
  if (goal == nullptr) return;
  goal->answered = true;
  Check();
  listener_.changed();
}

// The order is that of a client: look, answer, then act. The answer is given before references are followed, so that it
// leaves first; the source holds both back until this function returns. What came is kept for printing whatever the
// verdict was: a person wants to see what was refused.
void Fetch::OnUpdate(source::Update update) {
  if (ending_) return;
  ++outcome_.response_count;
  outcome_.bytes += update.bytes->size();
  if (settings_.keep_responses) outcome_.responses.push_back({update.type_url, update.bytes, update.place});
  const Judgement judgement = judge_(update);
  listener_.judged(update, judgement);
  NoteFindings(update, judgement);
  Goal* goal = Find(update.type_url);
  if (goal != nullptr && update.asked) {
    goal->last_response = clock_.Now();
    goal->incremental = update.incremental;
    if (!std::exchange(goal->answered, true)) goal->settled_by = goal->last_response + settings_.wait;
    if (update.waiter && judgement.verdict) {
      // It came just now, so that somebody waits for the answer.
      const absl::StatusOr<protocol::Changes> changes = source_.Answer(*update.waiter, *judgement.verdict);
      if (changes.ok()) NoteChanges(*goal, *changes);
    }
    const bool refused = judgement.verdict && judgement.verdict->kind != protocol::Verdict::Kind::kAck;
    if (settings_.follow && !refused) Follow(update);
    const bool counts = !settings_.all_types || !update.resources.empty();
    if (counts) outcome_.snapshot.Apply(source::TakeDelivery(&update), types_);
  }
  Check();
  listener_.changed();
}

void Fetch::NoteFindings(const source::Update& update, const Judgement& judgement) {
  for (const finding::Finding& finding : judgement.findings) found_.Add(finding);
  if (!judgement.verdict || judgement.verdict->kind == protocol::Verdict::Kind::kAck) return;
  outcome_.refused = true;
  if (!judgement.findings.empty()) return;
  found_.Add({.type_url = update.type_url, .message = judgement.verdict->message});
}

// Takes out of the open names what has been answered, one way or the other.
void Fetch::NoteChanges(Goal& goal, const protocol::Changes& changes) {
  const auto settle = [&goal](const std::string& name) {
    AskedName* asked = goal.Find(name);
    if (asked == nullptr) return;
    goal.Settle(*asked);
    asked->absent = false;
  };
  if (!goal.names.empty()) {
    std::for_each(changes.held.begin(), changes.held.end(), settle);
    std::for_each(changes.answered.begin(), changes.answered.end(), settle);
    std::for_each(changes.refused.begin(), changes.refused.end(), settle);
  }
  for (const protocol::Absence& absence : changes.absent) {
    AskedName* asked = goal.Find(absence.name);
    if (asked == nullptr) continue;
    goal.Settle(*asked);
    asked->absent = true;
    asked->words = absence.words;
  }
}

// A look is over soon: what is no longer referred to was asked for all the same, and stays.
void Fetch::Follow(const source::Update& update) {
  for (const resource::Resource& resource : update.resources) follower_.Set(update.type_url, resource);
  for (WantChange& change : follower_.TakeChanges()) {
    const Goal* goal = Find(change.type_url);
    if (goal != nullptr && goal->everything && !settings_.knows_all && !change.source) continue;
    if (change.added.empty() && !change.everything) continue;
    Ask({.type_url = std::move(change.type_url),
         .names = std::move(change.added),
         .everything = change.everything,
         .starred = change.everything && settings_.starred,
         .source = change.source},
        false);
  }
}

// Which types a conversation was about is the source's business: those that are no longer open are closed.
void Fetch::OnClosed(const session::Closed& closed) {
  if (closed.reopens_in) return;
  bool complete = closed.status.ok();
  const bool nothing = transport::HttpStatusOf(closed.status) == 404;
  for (Goal& goal : goals_) {
    if (goal.closed) continue;
    GiveUpNames(goal);
    if (source_.IsOpen(goal.type_url)) continue;
    goal.closed = true;
    goal.nothing = nothing;
    complete &= IsComplete(goal);
  }
  if (!ending_ && nothing && !complete) {
    outcome_.nothing.push_back({closed.stream, closed.status, true});
    return Check();
  }
  // A source that ends a stream after it has said all is no failure: a delta wildcard is only waited on for quiet.
  if (!ending_ && !complete) {
    outcome_.failures.push_back(
        {closed.stream, closed.status, connected_.contains({closed.place, closed.stream}), closed.place});
  }
  if (!ending_) return Check();
  if (!IsOpen()) listener_.done();
}

// One of several servers of a type is gone: nobody waits for the names that it was asked for.
void Fetch::GiveUpNames(Goal& goal) {
  if (goal.open == 0 || !source_.IsOpen(goal.type_url)) return;
  for (auto& [name, asked] : goal.names) {
    if (!asked.answered && !source_.IsOpenFor(goal.type_url, name)) goal.SetDeadline(asked, clock_.Now());
  }
}

// The next server has as long as the first had.
void Fetch::OnMoved(const source::Moved& moved) {
  outcome_.moves.push_back({moved.stream, moved.status, connected_.contains({moved.place, moved.stream}), moved.place});
  const base::Time until = clock_.Now() + settings_.wait;
  for (Goal& goal : goals_) {
    if (!goal.answered) goal.asked_until = until;
    for (auto& [name, asked] : goal.names) {
      if (!asked.answered && !asked.late) goal.SetDeadline(asked, until);
    }
  }
}

// ---- The end.

// Until when a goal is worth waiting for; nullopt: it is complete, or given up.
std::optional<base::Time> Fetch::OpenUntil(const Goal& goal, base::Time now) const {
  if (goal.closed) return std::nullopt;
  base::Time until = now;
  if (!goal.answered) until = std::max(until, goal.asked_until);
  if (goal.open > 0) until = std::max(until, goal.open_by_deadline.rbegin()->first);
  if (goal.answered && goal.everything && goal.incremental) {
    until = std::max(until, std::min(goal.last_response + settings_.settle, goal.settled_by));
  }
  return until > now ? std::optional(until) : std::nullopt;
}

bool Fetch::IsOpen() const {
  return std::any_of(goals_.begin(), goals_.end(), [](const Goal& goal) { return !goal.closed; });
}

// Ends it when nothing is worth waiting for, else comes back when the last of the open goals would be given up. A goal
// that is answered earlier leads here too, by its update.
void Fetch::Check() {
  if (ending_) return;
  const base::Time now = clock_.Now();
  std::optional<base::Time> next;
  for (const Goal& goal : goals_) {
    const std::optional<base::Time> until = OpenUntil(goal, now);
    if (until && (!next || *until > *next)) next = until;
  }
  if (!next) return End();
  timer_ = clock_.At(*next, [this](base::Time) {
    Check();
    listener_.changed();
  });
}

void Fetch::End() {
  ending_ = true;
  timer_.Cancel();
  SettleNothing();
  NoteWhatIsMissing();
  outcome_.findings = found_.Take();
  outcome_.elsewhere = follower_.elsewhere();
  if (!IsOpen()) return listener_.done();
  source_.Finish();
  if (!outcome_.out_of_time && outcome_.failures.empty()) listener_.decided();
}

// What a 404 meant is known when all is over: that a server has nothing of one of several types, or that it is no such
// server at all.
void Fetch::SettleNothing() {
  if (outcome_.response_count == 0) {
    std::move(outcome_.nothing.begin(), outcome_.nothing.end(), std::back_inserter(outcome_.failures));
    outcome_.nothing.clear();
    return;
  }
  for (Goal& goal : goals_) {
    if (!goal.nothing) continue;
    goal.answered = true;
    for (auto& [key, asked] : goal.names) {
      if (asked.answered) continue;
      goal.Settle(asked);
      asked.absent = true;
    }
  }
}

bool Fetch::IsUnsettled(const Goal& goal) const {
  const bool waits_for_quiet = goal.answered && goal.everything && goal.incremental && !goal.closed;
  if (waits_for_quiet && clock_.Now() < goal.last_response + settings_.settle) return true;
  return std::any_of(goal.names.begin(), goal.names.end(),
                     [](const auto& asked) { return asked.second.late && !asked.second.answered; });
}

void Fetch::NoteWhatIsMissing() {
  for (const Goal& goal : goals_) {
    if (!goal.answered) outcome_.silent.push_back(goal.type_url);
    if (IsUnsettled(goal)) outcome_.unsettled.push_back(goal.type_url);
    for (const std::string& key : goal.asked) {
      const AskedName& asked = goal.names.at(key);
      if (asked.answered && !asked.absent) continue;
      outcome_.missing.push_back({goal.type_url, asked.name, asked.typed, asked.absent, asked.words});
    }
  }
}

}  // namespace xdscope::client
