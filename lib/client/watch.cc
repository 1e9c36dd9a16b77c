#include "lib/client/watch.h"

#include <set>
#include <utility>

#include "lib/finding/finding.h"

namespace xdscope::client {
namespace {

protocol::Interest InterestOf(const Want& want) {
  std::vector<std::string> names = want.names;
  if (want.everything && want.starred) names.emplace_back("*");
  return want.everything ? protocol::Interest::EverythingAnd(std::move(names))
                         : protocol::Interest::Names(std::move(names));
}

}  // namespace

Watch::Watch(source::Source& source, wire::Types& types, WatchSettings settings, Listener listener)
    : source_(source),
      types_(types),
      settings_(std::move(settings)),
      listener_(std::move(listener)),
      judge_(settings_.judge),
      following_(
          types,
          {.this_server = settings_.this_server,
           .api = settings_.api,
           .can_ask = [&source](std::string_view type_url) { return source.CanAsk(type_url); }},
          [this](std::string_view type_url) -> const protocol::Interest& { return typed_[std::string(type_url)]; },
          settings_.starred) {
  source_.Listen([this](source::Event event) { On(std::move(event)); });
}

void Watch::Start() {
  for (const Want& want : settings_.wants) {
    const protocol::InterestChange change{InterestOf(want)};
    change.ApplyTo(&typed_[want.type_url]);
    source_.Want(want.type_url, change);
  }
}

void Watch::Stop() {
  source_.Finish();
}

void Watch::On(source::Event event) {
  listener_.event(event);
  if (auto* update = std::get_if<source::Update>(&event)) {
    OnUpdate(std::move(*update));
  } else if (const auto* changed = std::get_if<session::Changed>(&event)) {
    Drop(changed->changes, true);
    TellAbsent(changed->changes);
  } else if (const auto* closed = std::get_if<session::Closed>(&event); closed != nullptr && !closed->reopens_in) {
    listener_.over(*closed);
  }
}

// Looks, answers, then acts, as a client does: the answer leaves before what is asked for because of it.
void Watch::OnUpdate(source::Update update) {
  ++responses_;
  const Judgement judgement = judge_(update);
  listener_.judged(update, judgement);
  TellRefused(update, judgement);
  protocol::Changes changes;
  if (update.waiter && judgement.verdict) {
    // It came just now, so that somebody waits for the answer.
    absl::StatusOr<protocol::Changes> answered = source_.Answer(*update.waiter, *judgement.verdict);
    if (answered.ok()) changes = *std::move(answered);
  }
  if (!update.asked) return;
  const bool refused = judgement.verdict && judgement.verdict->kind == protocol::Verdict::Kind::kNack;
  if (judgement.verdict) source::DropRefused(*judgement.verdict, &update);
  if (!refused) Take(std::move(update));
  Drop(changes, false);
  TellAbsent(changes);
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
  for (const auto& [followed, change] : following_.TakeChanges()) source_.Want(followed, change);
}

}  // namespace xdscope::client
