#include "lib/client/watch.h"

#include <algorithm>
#include <utility>

#include "lib/finding/finding.h"

namespace xdscope::client {
Watch::Watch(base::Clock& clock, source::Source& source, wire::Types& types, WatchSettings settings, Listener listener)
    : clock_(clock),
      source_(source),
      types_(types),
      settings_(std::move(settings)),
      listener_(std::move(listener)),
      judge_(settings_.judge, types),
      following_(
          types,
          {.this_server = settings_.this_server,
           .api = settings_.api,
           .can_ask =
               [&source](std::string_view type_url, std::optional<std::uint32_t> of) {
                 return of ? source.CanAskOf(*of, type_url) : source.CanAsk(type_url);
               },
           .sources = settings_.sources},
          [this](std::string_view type_url) -> const protocol::Interest& { return typed_[std::string(type_url)]; },
          settings_.starred),
      timers_(
          clock,
          [this](const std::string& type_url, const std::string& name) {
            return held_.Find(type_url, name) != nullptr;
          },
          [this](const std::string& type_url, const std::string& name) {
            listener_.resource({.kind = ResourceEvent::Kind::kAbsent,
                                .type_url = type_url,
                                .name = name,
                                .words = "no answer in 15 s"});
            listener_.told();
          }) {
  source_.Know([this](const std::string& type_url, std::string_view name) { return held_.Find(type_url, name); });
  source_.Listen([this](source::Event event) { On(std::move(event)); });
}

void Watch::Start() {
  for (const client::Want& want : settings_.wants) {
    const protocol::InterestChange change{InterestIn(want, want.names)};
    change.ApplyTo(&typed_[want.type_url]);
    Want(want.type_url, want.source, change);
  }
}

void Watch::Stop() {
  repeated_.clear();
  source_.Finish();
}

void Watch::Want(const std::string& type_url, std::optional<std::uint32_t> source,
                 const protocol::InterestChange& change) {
  timers_.OnWant(type_url, change);
  source ? source_.WantOf(*source, type_url, change) : source_.Want(type_url, change);
}

void Watch::On(source::Event event) {
  listener_.event(event);
  if (auto* update = std::get_if<source::Update>(&event)) {
    OnUpdate(std::move(*update));
  } else if (const auto* read = std::get_if<source::FilesRead>(&event)) {
    OnFilesRead(*read);
  } else if (const auto* connected = std::get_if<session::Connected>(&event)) {
    conversations_.emplace(connected->place, connected->stream);
    timers_.OnConnected(connected->stream);
  } else if (const auto* changed = std::get_if<session::Changed>(&event)) {
    Drop(changed->changes, true);
    TellAbsent(changed->changes);
    listener_.told();
  } else if (const auto* closed = std::get_if<session::Closed>(&event)) {
    OnClosed(*closed);
  }
}

void Watch::OnFilesRead(const source::FilesRead& read) {
  if (!settings_.all_types) return;
  for (const source::FilesRead::Type& type : read.types) {
    protocol::Interest& typed = typed_[type.type_url];
    if (type.api.value_or(settings_.api) != settings_.api || typed.everything()) continue;
    const protocol::InterestChange change{protocol::Interest::Everything()};
    change.ApplyTo(&typed);
    Want(type.type_url, std::nullopt, change);
  }
}

void Watch::OnClosed(const session::Closed& closed) {
  timers_.OnClosed(closed.stream);
  if (closed.reopens_in) {
    if (settings_.fresh) Forget(closed.stream);
    return;
  }
  conversations_.erase({closed.place, closed.stream});
  listener_.over(closed);
}

// The next stream begins as if there had been none, and what it brings is new.
void Watch::Forget(const std::string& stream) {
  for (const auto& [type_url, interest] : typed_) {
    if (!stream.empty() && stream != type_url) continue;
    session::Session* const session = source_.SessionOf(type_url);
    if (session != nullptr) session->Adjust([](protocol::AdsSession& ads) { ads.Forget(); });
    Follow(type_url, held_.Apply({type_url, {}, true, {}, {}}, types_));
  }
}

// Looks, answers, then acts, as a client does: the answer leaves before what is asked for because of it.
void Watch::OnUpdate(source::Update update) {
  ++responses_;
  timers_.OnResponse(update.type_url);
  const Judgement judgement = judge_(update);
  if (judgement.repeated) return Hold(update, judgement);
  repeated_.erase(update.type_url);
  listener_.judged(update, judgement);
  TellRefused(update, judgement);
  const protocol::Changes changes = Answer(update, judgement);
  timers_.OnChanges(changes);
  if (update.asked) {
    const bool refused = judgement.verdict && judgement.verdict->kind == protocol::Verdict::Kind::kNack;
    if (judgement.verdict) source::DropRefused(*judgement.verdict, &update);
    TellErrors(update);
    if (!refused) Take(std::move(update));
    Drop(changes, false);
    TellAbsent(changes);
  }
  listener_.told();
}

// It came just now, so that somebody waits for the answer.
protocol::Changes Watch::Answer(const source::Update& update, const Judgement& judgement) {
  if (!update.waiter || !judgement.verdict) return {.type_url = update.type_url};
  absl::StatusOr<protocol::Changes> answered = source_.Answer(*update.waiter, *judgement.verdict);
  return answered.ok() ? *std::move(answered) : protocol::Changes{.type_url = update.type_url};
}

void Watch::Hold(const source::Update& update, const Judgement& judgement) {
  Repeated& repeated = repeated_[update.type_url];
  const base::Time now = clock_.Now();
  const base::Duration since_last = repeated.count == 0 ? base::Duration() : now - repeated.last;
  repeated.last = now;
  repeated.waiter = update.waiter;
  repeated.verdict = judgement.verdict;
  ++repeated.count;
  if (!repeated.told || now - *repeated.told >= kTellsEvery) {
    repeated.told = now;
    listener_.repeated({update.type_url, update.version, repeated.count, since_last});
  }
  if (!repeated.verdict || repeated.is_held) return;
  repeated.is_held = true;
  repeated.answer = clock_.After(repeated.hold, [this, &repeated](base::Time) {
    repeated.is_held = false;
    // Its stream may have ended meanwhile.
    if (repeated.waiter) source_.Answer(*repeated.waiter, *repeated.verdict).IgnoreError();
  });
  repeated.hold = std::min<base::Duration>(2 * repeated.hold, kLongestHold);
}

void Watch::TellRefused(const source::Update& update, const Judgement& judgement) {
  if (!judgement.verdict || judgement.verdict->kind == protocol::Verdict::Kind::kAck) return;
  for (const finding::Finding& finding : judgement.findings) {
    const std::string words = finding::ToText(finding);
    listener_.resource({.kind = ResourceEvent::Kind::kRefused,
                        .type_url = update.type_url,
                        .name = finding.resource,
                        .version = update.version,
                        .words = words});
  }
}

void Watch::Take(source::Update update) {
  const std::string type_url = update.type_url;
  const std::string version = update.version;
  resource::Delivery delivery = source::TakeDelivery(&update);
  const auto tell = [&](const resource::Resource* before, const resource::Resource* after) {
    using Kind = ResourceEvent::Kind;
    const resource::Resource& either = after == nullptr ? *before : *after;
    listener_.resource({.kind = after == nullptr    ? Kind::kRemoved
                                : before == nullptr ? Kind::kAdded
                                                    : Kind::kChanged,
                        .type_url = type_url,
                        .name = either.name,
                        .version = either.version.empty() ? version : either.version,
                        .before = before,
                        .after = after});
  };
  Follow(type_url, held_.Apply(std::move(delivery), types_, tell));
}

void Watch::Drop(const protocol::Changes& changes, bool by_time) {
  if (changes.lost.empty()) return;
  const std::string& type_url = changes.type_url;
  resource::Delivery gone{.type_url = type_url, .version = {}, .resources = {}, .removed = changes.lost};
  const auto state = held_.types().find(type_url);
  if (state != held_.types().end()) gone.version = state->second.version;
  const std::string version = gone.version;
  const auto tell = [&](const resource::Resource* before, const resource::Resource*) {
    using Kind = ResourceEvent::Kind;
    listener_.resource({.kind = by_time && IsWanted(type_url, before->name) ? Kind::kExpired : Kind::kRemoved,
                        .type_url = type_url,
                        .name = before->name,
                        .version = before->version.empty() ? version : before->version,
                        .before = before});
  };
  Follow(type_url, held_.Apply(std::move(gone), types_, tell));
}

// What the server cannot give just now, though what is held of it is still good; TellAbsent() says the rest (B.0-20).
void Watch::TellErrors(const source::Update& update) {
  for (const source::Absence& absence : update.absences) {
    if (!absence.error || !absence.stays) continue;
    listener_.resource({.kind = ResourceEvent::Kind::kAbsent,
                        .type_url = update.type_url,
                        .name = absence.name,
                        .words = absence.words});
  }
}

void Watch::TellAbsent(const protocol::Changes& changes) {
  for (const protocol::Absence& absence : changes.absent) {
    listener_.resource({.kind = ResourceEvent::Kind::kAbsent,
                        .type_url = changes.type_url,
                        .name = absence.name,
                        .words = absence.words});
  }
}

bool Watch::IsWanted(std::string_view type_url, std::string_view name) const {
  session::Session* const session = source_.SessionOf(type_url);
  const protocol::Subscription* known = session == nullptr ? nullptr : session->ads().Find(type_url);
  return known != nullptr && (known->interest().everything() || known->interest().Has(name));
}

void Watch::Follow(const std::string& type_url, const resource::ContentChanges& changes) {
  if (!settings_.follow) return;
  following_.Take(type_url, changes, held_);
  for (const auto& [followed, source, change] : following_.TakeChanges()) Want(followed, source, change);
}

}  // namespace xdscope::client
