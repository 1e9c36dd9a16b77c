#include "cli/commands/repl/repl_stream.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "lib/base/status.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

std::string_view KindWords(protocol::Request::Kind kind) {
  switch (kind) {
    case protocol::Request::Kind::kFirst:
      return "first";
    case protocol::Request::Kind::kInterest:
      return "interest";
    case protocol::Request::Kind::kAck:
      return "ACK";
    case protocol::Request::Kind::kNack:
      return "NACK";
  }
  return "";
}

std::string RequestWords(const protocol::Request& request) {
  if (!request.error) return std::string(KindWords(request.kind));
  return fmt::format("NACK \"{}\"", format::Printable(request.error->message));
}

}  // namespace

std::string_view AutoName(Auto answers) {
  return std::find_if(kAutos.begin(), kAutos.end(), [answers](const auto& each) { return each.value == answers; })
      ->word;
}

std::optional<Auto> FindAuto(std::string_view word) {
  const auto* const found =
      std::find_if(kAutos.begin(), kAutos.end(), [word](const auto& each) { return each.word == word; });
  return found == kAutos.end() ? std::nullopt : std::optional(found->value);
}

std::string VerdictWords(const protocol::Verdict& verdict) {
  if (verdict.kind == protocol::Verdict::Kind::kAck) return "ACK";
  return fmt::format("NACK \"{}\"", format::Printable(verdict.message));
}

ReplStream::ReplStream(Settings settings, base::Clock& clock, wire::Types& types,
                       std::unique_ptr<source::Source> source, Listener listener)
    : settings_(std::move(settings)),
      clock_(clock),
      types_(types),
      source_(std::move(source)),
      listener_(std::move(listener)),
      judge_(settings_.judge, types_, rules::Depth::kAll),
      begin_(clock.Now()),
      since_(begin_) {
  source_->Listen([this](source::Event event) { On(std::move(event)); });
}

// ---- What is known.

bool ReplStream::has_conversation() const {
  return source_->IsOpen({}) || std::any_of(mentioned_.begin(), mentioned_.end(),
                                            [this](const std::string& type_url) { return source_->IsOpen(type_url); });
}

bool ReplStream::HasUnseen(std::string_view type_url) const {
  return std::any_of(unseen_.begin(), unseen_.end(),
                     [type_url](const Unseen& unseen) { return type_url.empty() || unseen.type_url == type_url; });
}

ReplStream::Unseen ReplStream::See(std::string_view type_url) {
  const auto oldest = std::find_if(unseen_.begin(), unseen_.end(), [type_url](const Unseen& unseen) {
    return type_url.empty() || unseen.type_url == type_url;
  });
  Unseen seen = std::move(*oldest);
  unseen_.erase(oldest);
  unseen_text_ -= seen.type_url.size();
  return seen;
}

const std::vector<finding::Finding>& ReplStream::FindingsOf(std::string_view type_url) const {
  static const auto* const none = new std::vector<finding::Finding>();
  const auto found = findings_.find(type_url);
  return found == findings_.end() ? *none : found->second;
}

const protocol::Subscription* ReplStream::Find(std::string_view type_url) const {
  const session::Session* session = source_->SessionOf(type_url);
  return session == nullptr ? nullptr : session->ads().Find(type_url);
}

const protocol::Interest* ReplStream::InterestIn(std::string_view type_url) const {
  if (const source::FileSource* read = files()) {
    const source::FileSource::Wanted* wanted = read->WantedOf(type_url);
    return wanted == nullptr ? nullptr : &wanted->interest;
  }
  const protocol::Subscription* known = Find(type_url);
  return known == nullptr ? nullptr : &known->interest();
}

bool ReplStream::Waits(std::string_view type_url) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [type_url](const source::Update& update) { return update.type_url == type_url; });
}

// ---- What a person does.

absl::Status ReplStream::Open() {
  const bool watches = files() != nullptr && settings_.answers != Auto::kOff;
  const absl::Status status = watches ? files()->SetWatching(true) : absl::OkStatus();
  if (status.ok()) source_->Open();
  return status;
}

// Names that references want are said no longer where everything is wanted: it holds them.
void ReplStream::Want(const std::string& type_url, protocol::InterestChange change) {
  Mention(type_url);
  protocol::Interest& typed = typed_[type_url];
  change.ApplyTo(&typed);
  const protocol::Interest* known = InterestIn(type_url);
  if (following_ && change.add.everything() && known != nullptr) {
    for (const std::string& name : known->names()) {
      if (!typed.Has(name)) change.remove.Add(name);
    }
  }
  source_->Want(type_url, change);
}

absl::Status ReplStream::Answer(const source::Waiter& waiter, const protocol::Verdict& verdict) {
  const absl::StatusOr<protocol::Changes> changes = source_->Answer(waiter, verdict);
  if (!changes.ok()) return changes.status();
  if (LogEntry* entry = log_.Find(waiter)) entry->verdict = VerdictWords(verdict);
  const auto update = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&waiter](const source::Update& waits) { return waits.waiter == waiter; });
  if (update != waiting_.end()) {
    Take(std::move(*update), verdict);
    waiting_.erase(update);
  }
  Drop(*changes);
  FollowChanges();
  return absl::OkStatus();
}

// Makes the content of a response that was accepted, or its good part, what is held.
void ReplStream::Take(source::Update update, const protocol::Verdict& verdict) {
  if (verdict.kind == protocol::Verdict::Kind::kNack) return;
  source::DropRefused(verdict, &update);
  Apply(source::TakeDelivery(&update));
}

absl::Status ReplStream::Send(const std::string& type_url, std::string request) {
  Mention(type_url);
  if (CanAsk(type_url)) source_->Want(type_url, {});
  session::Session* session = source_->SessionOf(type_url);
  if (session == nullptr) return absl::FailedPreconditionError("this variant has no method for this type");
  return session->Send(std::move(request));
}

void ReplStream::Follow(bool on) {
  following_.reset();
  if (!on) return;
  following_.emplace(
      types_,
      client::Follower::Settings{settings_.this_server, settings_.api,
                                 [this](std::string_view type_url, auto) { return CanAsk(type_url); }},
      [this](std::string_view type_url) -> const protocol::Interest& { return typed_[std::string(type_url)]; });
  following_->TakeAll(held_);
  FollowChanges();
}

std::set<client::Elsewhere> ReplStream::elsewhere() const {
  return following_ ? following_->elsewhere() : std::set<client::Elsewhere>();
}

void ReplStream::FollowChanges() {
  if (!following_) return;
  for (const auto& [type_url, source, change] : following_->TakeChanges()) {
    Mention(type_url);
    source_->Want(type_url, change);
  }
}

void ReplStream::Reopen(bool fresh, const std::string& node) {
  since_ = clock_.Now();
  source_->SetNode(node);
  for (const std::string& type_url : mentioned_) {
    session::Session* session = fresh ? source_->SessionOf(type_url) : nullptr;
    if (session != nullptr) session->Adjust([](protocol::AdsSession& ads) { ads.Forget(); });
  }
  if (fresh) held_ = resource::Snapshot();
  if (fresh && following_) Follow(true);
  over_ = false;
  source_->Open();
}

void ReplStream::Close() {
  source_->Finish();
}

absl::Status ReplStream::set_answers(Auto answers) {
  const bool was_off = settings_.answers == Auto::kOff;
  const bool turns = files() != nullptr && was_off != (answers == Auto::kOff);
  const absl::Status status = turns ? files()->SetWatching(was_off) : absl::OkStatus();
  if (!status.ok()) return status;
  settings_.answers = answers;
  polls_.clear();
  for (const std::string& type_url : mentioned_) PollLater(type_url);
  return absl::OkStatus();
}

// Of calls that failed the source has made an end: they begin anew.
void ReplStream::AskAgain(const std::string& type_url) {
  polls_.erase(type_url);
  if (files() != nullptr) return files()->ReadAgain(type_url);
  if (!source_->IsOpen(type_url)) return source_->Open();
  session::Session* session = SessionOf(type_url);
  if (session != nullptr) session->Adjust([](protocol::AdsSession&) {});
}

// By hand each `sub` is one poll; whoever answers by himself polls on as a client does (XDS-R07), after a failure too.
void ReplStream::PollLater(const std::string& type_url) {
  if (settings_.answers == Auto::kOff || !settings_.polling) return;
  const session::Polling& polling = *settings_.polling;
  const auto extra = std::chrono::duration<double>(polling.every) * polling.chance();
  polls_[type_url] = clock_.After(polling.every + std::chrono::duration_cast<base::Duration>(extra),
                                  [this, type_url](base::Time) { AskAgain(type_url); });
}

// ---- What happens.

void ReplStream::On(source::Event event) {
  if (auto* update = std::get_if<source::Update>(&event)) {
    const std::string type_url = update->type_url;
    OnUpdate(std::move(*update));
    PollLater(type_url);
  } else if (const auto* unchanged = std::get_if<session::Unchanged>(&event)) {
    listener_.unchanged(unchanged->stream);
    PollLater(unchanged->stream);
  } else if (const auto* asked = std::get_if<session::Asked>(&event)) {
    OnAsked(asked->request);
  } else if (const auto* connected = std::get_if<session::Connected>(&event)) {
    OnOpened(connected->stream);
    listener_.connected();
  } else if (auto* read = std::get_if<source::FilesRead>(&event)) {
    const bool is_first = !is_open() && !read->failed;
    if (!read->failed) OnOpened({});
    types_in_files_ = read->types;
    listener_.read(*read, is_first);
  } else if (const auto* unreadable = std::get_if<session::Unreadable>(&event)) {
    log_.Add({.at = clock_.Now(),
              .incoming = true,
              .size = unreadable->bytes->size(),
              .verdict = "cannot be read",
              .bytes = unreadable->bytes});
    listener_.unreadable(*unreadable->bytes, unreadable->status);
  } else if (const auto* changed = std::get_if<session::Changed>(&event)) {
    Drop(changed->changes);
    FollowChanges();
  } else if (const auto* closed = std::get_if<session::Closed>(&event)) {
    OnClosed(*closed);
  }
  listener_.changed();
}

void ReplStream::OnOpened(const std::string& stream) {
  connected_.insert(stream);
  over_ = false;
  was_open_ = true;
}

void ReplStream::OnAsked(const protocol::Request& request) {
  ++requests_;
  log_.Add({.at = clock_.Now(),
            .type_url = request.type_url,
            .version = request.version,
            .nonce = request.nonce,
            .count = request.names.size() + request.unsubscribe.size(),
            .size = request.bytes.size(),
            .verdict = RequestWords(request),
            .bytes = std::make_shared<const std::string>(request.bytes)});
  listener_.asked(request);
}

void ReplStream::OnUpdate(source::Update update) {
  ++responses_;
  unseen_.push_back({update.type_url, responses_});
  unseen_text_ += update.type_url.size();
  while (unseen_.size() > kMostUnseen || (unseen_text_ > kMostUnseenText && unseen_.size() > 1)) {
    unseen_text_ -= unseen_.front().type_url.size();
    unseen_.pop_front();
  }
  client::Judgement judgement = judge_(update);
  judgement.verdict = update.waiter ? AnswerByItself(judgement) : std::nullopt;
  // A server may send ever new types that nobody asked for: they are announced and logged, and not known from then on.
  if (update.asked) {
    Mention(update.type_url);
    std::vector<finding::Finding>& findings = findings_[update.type_url];
    findings = judgement.findings;
    findings.insert(findings.end(), judgement.remarks.begin(), judgement.remarks.end());
  }
  log_.Add({.at = clock_.Now(),
            .incoming = true,
            .type_url = update.type_url,
            .version = update.version,
            .nonce = update.nonce,
            .count = update.entries,
            .size = update.bytes->size(),
            .verdict = update.waiter ? "waits" : "none",
            .bytes = update.bytes,
            .waiter = update.waiter});
  listener_.came(update, CountsOf(update), judgement);
  if (!update.waiter) return;
  const source::Waiter waiter = *update.waiter;
  Forget(update);
  waiting_.push_back(std::move(update));
  if (judgement.verdict) Answer(waiter, *judgement.verdict).IgnoreError();  // it came just now, so that it waits
}

// Of a server that sends on and on to somebody who never answers, the protocol forgets the oldest; so does this.
void ReplStream::Forget(const source::Update& latest) {
  const auto of_type = [&latest](const source::Update& waits) { return waits.type_url == latest.type_url; };
  const auto count = std::count_if(waiting_.begin(), waiting_.end(), of_type);
  if (count < static_cast<std::ptrdiff_t>(protocol::Subscription::kMostPending)) return;
  const auto oldest = std::find_if(waiting_.begin(), waiting_.end(), of_type);
  if (LogEntry* entry = log_.Find(*oldest->waiter)) entry->verdict = "never answered";
  waiting_.erase(oldest);
}

// Responses that wait are forgotten with their stream: nobody could be told of a verdict (B.0-6).
void ReplStream::OnClosed(const session::Closed& closed) {
  const bool was_connected = connected_.erase(closed.stream) > 0;
  over_ = connected_.empty();
  std::erase_if(waiting_, [&closed](const source::Update& update) {
    return closed.stream.empty() || update.type_url == closed.stream;
  });
  listener_.closed(closed, was_connected);
  if (!closed.status.ok()) PollLater(closed.stream);
}

void ReplStream::Mention(const std::string& type_url) {
  if (type_url.empty() || std::find(mentioned_.begin(), mentioned_.end(), type_url) != mentioned_.end()) return;
  mentioned_.push_back(type_url);
}

// The protocol says which names are no longer held; their content goes with them.
void ReplStream::Drop(const protocol::Changes& changes) {
  if (changes.lost.empty()) return;
  resource::Delivery gone;
  gone.type_url = changes.type_url;
  gone.removed = changes.lost;
  const auto state = held_.types().find(changes.type_url);
  if (state != held_.types().end()) gone.version = state->second.version;
  Apply(std::move(gone));
}

void ReplStream::Apply(resource::Delivery delivery) {
  const std::string type_url = delivery.type_url;
  const resource::ContentChanges changes = held_.Apply(std::move(delivery), types_);
  if (following_) following_->Take(type_url, changes, held_);
}

ReplStream::ContentCounts ReplStream::CountsOf(const source::Update& update) const {
  ContentCounts counts;
  std::set<std::string_view> names;
  std::size_t kept = 0;
  for (const resource::Resource& resource : update.resources) {
    if (!names.insert(resource.name).second) continue;
    const resource::Resource* held = held_.Find(update.type_url, resource.name);
    if (held == nullptr) {
      ++counts.added;
    } else {
      ++kept;
      if (!resource::SameContent(*held, resource, types_)) ++counts.changed;
    }
  }
  const auto state = held_.types().find(update.type_url);
  if (state == held_.types().end()) return counts;
  if (update.whole) {
    counts.removed = state->second.resources.size() - kept;
    return counts;
  }
  for (const source::Absence& absence : update.absences) {
    if (!absence.stays && state->second.resources.contains(absence.name)) ++counts.removed;
  }
  return counts;
}

std::optional<protocol::Verdict> ReplStream::AnswerByItself(const client::Judgement& judgement) const {
  switch (settings_.answers) {
    case Auto::kOff:
      return std::nullopt;
    case Auto::kAck:
      return protocol::Verdict::Ack();
    case Auto::kNack:
      return protocol::Verdict::Nack(settings_.nack_message);
    case Auto::kJudge:
      return judgement.verdict;
  }
  return std::nullopt;
}

}  // namespace xdscope::cli
