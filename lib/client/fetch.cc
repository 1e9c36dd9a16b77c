#include "lib/client/fetch.h"

#include <algorithm>

#include "lib/protocol/names.h"

namespace xdscope::client {
namespace {

using protocol::NameState;

// With more open names than this a response's own names are looked at instead of all open ones.
constexpr std::size_t kFewNames = 64;

protocol::Interest InterestOf(const Want& want) {
  if (!want.everything) return protocol::Interest::Names(want.names);
  if (!want.starred) return protocol::Interest::EverythingAnd(want.names);
  std::vector<std::string> names = want.names;
  names.emplace_back(protocol::kStar);
  return protocol::Interest::Names(std::move(names));
}

}  // namespace

Fetch::Fetch(base::Clock& clock, transport::Channel& channel, wire::Types& types, FetchSettings settings,
             Listener listener)
    : clock_(clock),
      settings_(std::move(settings)),
      listener_(std::move(listener)),
      references_(types, settings_.this_server),
      source_(clock, channel, types, settings_.source, Judge(settings_.judge), *this),
      delta_(types::IsDelta(settings_.source.variant)) {}

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
    if (OpenUntil(goal, clock_.Now())) waiting.push_back({goal.want.type_url, goal.open.size()});
  }
  return waiting;
}

Fetch::Goal* Fetch::Find(std::string_view type_url) {
  const auto found =
      std::find_if(goals_.begin(), goals_.end(), [&](const Goal& goal) { return goal.want.type_url == type_url; });
  return found == goals_.end() ? nullptr : &*found;
}

Fetch::Goal& Fetch::Obtain(const std::string& type_url) {
  if (Goal* known = Find(type_url)) return *known;
  if (goals_.empty() || !types::IsAggregated(settings_.source.variant)) ++open_streams_;
  Goal& goal = goals_.emplace_back();
  goal.want.type_url = type_url;
  goal.answer_by = clock_.Now() + settings_.wait;
  return goal;
}

void Fetch::Ask(const Want& want, bool typed) {
  Goal& goal = Obtain(want.type_url);
  goal.want.everything |= want.everything;
  goal.want.starred |= want.starred;
  for (const std::string& name : want.names) {
    if (!asked_.emplace(want.type_url, name).second) continue;
    if (typed) goal.typed.insert(name);
    goal.want.names.push_back(name);
    goal.open.emplace(name, clock_.Now() + settings_.wait);
  }
  if (!goal.closed) source_.Want(want.type_url, InterestOf(goal.want));
}

void Fetch::OnConnected(std::string_view stream) {
  connected_.emplace(stream);
}

void Fetch::OnRequest(const protocol::Request& request) {
  listener_.request(request);
}

void Fetch::OnUpdate(source::Update update, const protocol::Response& response, const session::Verdict& verdict) {
  if (ending_) return;
  ++outcome_.response_count;
  outcome_.bytes += response.bytes->size();
  if (settings_.keep_responses) outcome_.responses.push_back({response.type_url, response.bytes});
  listener_.response(response, update, verdict);
  NoteComplaints(update, verdict);
  Goal* goal = Find(update.type_url);
  if (goal != nullptr && response.expects_answer) {
    NoteAnswers(*goal, update, response);
    if (settings_.follow && verdict.answer != session::Verdict::Answer::kNack) FollowReferences(update);
    for (const std::string& name : update.removed) outcome_.snapshot.Remove(update.type_url, name);
    outcome_.snapshot.Take(update.type_url, update.version, std::move(update.resources), update.whole);
  }
  Check();
  listener_.changed();
}

void Fetch::NoteAnswers(Goal& goal, const source::Update& update, const protocol::Response& response) {
  goal.answered = true;
  goal.last_response = clock_.Now();
  if (update.whole || settings_.source.variant == types::Variant::kUnary || goal.open.size() <= kFewNames) {
    return Sweep(goal);
  }
  for (const protocol::Resource& resource : response.resources) {
    goal.open.erase(std::string(resource.name));
    for (const std::string_view alias : resource.aliases) goal.open.erase(std::string(alias));
  }
  for (const std::string& name : update.removed) goal.open.erase(name);
  for (const protocol::ResourceError& error : response.errors) {
    if (source_.Find(update.type_url)->state(error.name) != NameState::kOpen) goal.open.erase(std::string(error.name));
  }
}

// Takes out of the open names what has been answered.
void Fetch::Sweep(Goal& goal) {
  const protocol::Subscription* subscription = source_.Find(goal.want.type_url);
  std::erase_if(goal.open, [&](const auto& open) { return subscription->state(open.first) != NameState::kOpen; });
}

void Fetch::NoteComplaints(const source::Update& update, const session::Verdict& verdict) {
  const bool refused = verdict.answer == session::Verdict::Answer::kNack;
  outcome_.refused |= refused;
  for (const finding::Finding& finding : verdict.findings) {
    outcome_.complaints.push_back({update.type_url, finding.resource, finding.message, refused});
  }
  if (refused && verdict.findings.empty()) {
    outcome_.complaints.push_back({update.type_url, "", verdict.message, true});
  }
}

void Fetch::FollowReferences(const source::Update& update) {
  std::map<std::string, Want> wants;
  for (const resource::Resource& resource : update.resources) {
    if (!resource.message.ok()) continue;
    for (const resource::Reference& reference : references_.Find(resource.message->view(), resource.name)) {
      Follow(reference, &wants);
    }
  }
  for (const auto& [type_url, want] : wants) Ask(want, false);
}

void Fetch::Follow(const resource::Reference& reference, std::map<std::string, Want>* wants) {
  std::string type_url = reference.type_url;
  if (const types::KnownType* known = types::FindByUrl(type_url)) {
    const std::string_view here = known->names(settings_.source.api).type_url;
    if (!here.empty()) type_url = here;
  }
  if (reference.origin == resource::Origin::kElsewhere) {
    outcome_.elsewhere.insert({type_url, reference.name, reference.elsewhere});
    return;
  }
  if (!source_.CanAsk(type_url)) {
    outcome_.elsewhere.insert({type_url, reference.name, "not in this variant"});
    return;
  }
  const Goal* goal = Find(type_url);
  if (goal != nullptr && goal->want.everything) return;
  if (asked_.contains({type_url, reference.name})) return;
  Want& want = wants->try_emplace(type_url, Want{.type_url = type_url, .names = {}}).first->second;
  if (reference.name.empty()) {
    want.everything = true;
    want.starred = settings_.starred;
  } else {
    want.names.push_back(reference.name);
  }
}

bool Fetch::IsComplete(const Goal& goal) const {
  return goal.answered && goal.open.empty();
}

// Until when a goal is worth waiting for; nullopt: it is complete, or given up.
std::optional<base::Time> Fetch::OpenUntil(const Goal& goal, base::Time now) const {
  if (goal.closed) return std::nullopt;
  base::Time until = now;
  if (!goal.answered) until = std::max(until, goal.answer_by);
  for (const auto& [name, deadline] : goal.open) until = std::max(until, deadline);
  if (goal.answered && goal.want.everything && delta_) until = std::max(until, goal.last_response + settings_.settle);
  return until > now ? std::optional(until) : std::nullopt;
}

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

void Fetch::OnClosed(std::string_view stream, const absl::Status& status, bool /*had_response*/) {
  --open_streams_;
  bool complete = status.ok();
  for (Goal& goal : goals_) {
    if (!stream.empty() && goal.want.type_url != stream) continue;
    goal.closed = true;
    complete &= IsComplete(goal);
  }
  // A server that ends a stream after it has said all is no failure: a delta wildcard is only waited on for quiet.
  if (!ending_ && !complete) outcome_.failures.push_back({std::string(stream), status, connected_.contains(stream)});
  if (!ending_) return Check();
  if (open_streams_ == 0) listener_.done();
}

void Fetch::End() {
  ending_ = true;
  timer_.Cancel();
  NoteWhatIsMissing();
  if (open_streams_ == 0) return listener_.done();
  source_.Finish();
  listener_.decided();
}

void Fetch::NoteWhatIsMissing() {
  for (const Goal& goal : goals_) {
    if (!goal.answered) outcome_.silent.push_back(goal.want.type_url);
    const protocol::Subscription* subscription = source_.Find(goal.want.type_url);
    for (const std::string& name : goal.want.names) {
      const NameState state = subscription == nullptr ? NameState::kOpen : subscription->state(name);
      if (state == NameState::kHeld || state == NameState::kRefused) continue;
      const bool said = state == NameState::kAbsent;
      const std::string_view words = said ? subscription->WordsAbout(name) : std::string_view();
      outcome_.absences.push_back({goal.want.type_url, name, goal.typed.contains(name), said, std::string(words)});
    }
  }
}

}  // namespace xdscope::client
