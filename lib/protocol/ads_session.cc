#include "lib/protocol/ads_session.h"

#include <algorithm>

#include "fmt/format.h"
#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/protocol/checks.h"
#include "lib/protocol/interpretation.h"

namespace xdscope::protocol {
namespace {

// At most `limit` bytes of `text`, not cutting a character in two; what is no UTF-8 becomes '?', because it could not
// be sent.
std::string CleanText(std::string_view text, std::size_t limit) {
  std::size_t end = std::min(limit, text.size());
  if (end < text.size()) {
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  std::string clean(text.substr(0, end));
  if (base::IsUtf8(clean)) return clean;
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return clean;
}

absl::Status NotWaiting(ResponseId id) {
  return base::Error(absl::StatusCode::kNotFound,
                     fmt::format("response {} waits for no answer", static_cast<std::uint64_t>(id)));
}

absl::Status UnknownType(std::string_view type_url) {
  return base::Error(absl::StatusCode::kNotFound, fmt::format("nothing is known of {}", type_url));
}

}  // namespace

AdsSession::AdsSession(Options options) : options_(std::move(options)), features_(FeaturesOf(options_.node)) {}

// ---- Types.

const Subscription* AdsSession::Find(std::string_view type_url) const {
  const auto exact = [type_url](const Subscription& each) { return each.type_url() == type_url; };
  const auto same_message = [type_url](const Subscription& each) {
    return base::MessageName(each.type_url()) == base::MessageName(type_url);
  };
  auto found = std::find_if(subscriptions_.begin(), subscriptions_.end(), exact);
  if (found == subscriptions_.end()) found = std::find_if(subscriptions_.begin(), subscriptions_.end(), same_message);
  return found == subscriptions_.end() ? nullptr : &*found;
}

Subscription* AdsSession::FindMutable(std::string_view type_url) {
  return const_cast<Subscription*>(static_cast<const AdsSession*>(this)->Find(type_url));
}

Subscription& AdsSession::Obtain(std::string_view type_url) {
  if (Subscription* found = FindMutable(type_url)) return *found;
  return subscriptions_.emplace_back(
      std::string(type_url),
      Subscription::Options{options_.variant, options_.wildcard, options_.unary, options_.unary_says_refusal});
}

// Whose conversation a response belongs to: a stream of one type needs no name (XDS-S005). Only what was asked for on
// this stream has a conversation.
Subscription* AdsSession::FindSpoken(std::string_view said_type_url) {
  const bool implied = said_type_url.empty() && !options_.only_type.empty();
  if (said_type_url.empty() && !implied) return nullptr;
  Subscription* found = FindMutable(implied ? std::string_view(options_.only_type) : said_type_url);
  return found != nullptr && found->requests() > 0 ? found : nullptr;
}

void AdsSession::Change(std::string_view type_url, const InterestChange& change) {
  if (change.empty() && Find(type_url) == nullptr) return;
  Obtain(type_url).Change(change);
}

void AdsSession::SetInterest(std::string_view type_url, const Interest& interest) {
  const Subscription* known = Find(type_url);
  Change(type_url, ChangeBetween(known == nullptr ? Interest::Nothing() : known->interest(), interest));
}

// ---- The stream.

void AdsSession::OnStreamOpened() {
  if (stream_.open) OnStreamClosed();
  stream_ = {};
  stream_.open = true;
  for (Subscription& subscription : subscriptions_) subscription.OnStreamOpened();
}

void AdsSession::OnStreamClosed() {
  stream_ = {};
  answers_.clear();
  for (Subscription& subscription : subscriptions_) subscription.OnStreamClosed();
}

void AdsSession::Forget() {
  for (Subscription& subscription : subscriptions_) subscription.Forget();
}

// An answer carries the interest of its type as it is when the answer leaves, so what changed since the verdict goes
// out with it and needs no request of its own.
std::optional<Request> AdsSession::NextRequest() {
  if (!stream_.open) return std::nullopt;
  if (!answers_.empty()) {
    DueAnswer due = std::move(answers_.front());
    answers_.pop_front();
    Subscription& subscription = subscriptions_[due.subscription];
    return Finish(&subscription, subscription.AnswerRequest(std::move(due.answer)));
  }
  for (Subscription& subscription : subscriptions_) {
    if (std::optional<Request> request = subscription.NextInterest()) return Finish(&subscription, std::move(*request));
  }
  return std::nullopt;
}

std::optional<Request> AdsSession::Preview(std::optional<ResponseId> accepted) const {
  AdsSession copy(*this);
  if (!stream_.open) copy.OnStreamOpened();
  if (accepted) copy.Answer(*accepted, Verdict::Ack()).IgnoreError();  // one that no longer waits changes nothing
  return copy.NextRequest();
}

Request AdsSession::Finish(Subscription* subscription, Request request) {
  request.has_node = !stream_.node_sent || options_.node_in_every_request;
  stream_.node_sent = true;
  subscription->OnSent(++stream_.requests);
  EncodeRequest(options_.variant, options_.node, &request);
  return request;
}

// ---- Responses.

StreamContext AdsSession::Context() const {
  StreamContext context;
  context.variant = options_.variant;
  context.unary = options_.unary;
  context.aggregated = options_.only_type.empty();
  context.only_type = options_.only_type;
  context.requests = stream_.requests;
  context.wrapping_announced = features_.wrapping;
  context.ttl_announced = features_.ttl;
  context.earlier_control_plane = stream_.control_plane;
  context.subscriptions = &subscriptions_;
  return context;
}

absl::StatusOr<Response> AdsSession::OnMessage(Bytes bytes, Moment now) {
  absl::StatusOr<Response> read = ReadResponse(options_.variant, std::move(bytes));
  if (!read.ok()) return read.status();
  Response response = *std::move(read);
  response.id = ResponseId{++responses_};
  Subscription* subscription = FindSpoken(response.said_type_url);
  response.type_url = subscription != nullptr ? subscription->type_url() : std::string(response.said_type_url);
  response.first = subscription != nullptr && subscription->responses() == 0;
  response.expects_answer = subscription != nullptr;

  const types::KnownType& type = types::RowOf(response.type_url);
  Interpretation interpretation = Interpret(options_.variant, subscription, type, &response);
  CheckResponse(Context(), subscription, type, interpretation, &response);
  Pending& pending = interpretation.pending;
  pending.arrived = now;
  for (std::size_t i = 0; i < response.resources.size(); ++i) pending.entries[i].ttl = response.resources[i].ttl;

  if (!response.control_plane.empty()) stream_.control_plane = response.control_plane;
  if (subscription != nullptr) subscription->OnResponse(std::move(interpretation.pending));
  return response;
}

RequestError AdsSession::ErrorOf(const Verdict& verdict) const {
  return {verdict.code.value_or(options_.nack_code), CleanText(verdict.message, kMostErrorBytes)};
}

// Looks through all types: ids count the responses of the session, and only a few wait in each type.
absl::StatusOr<Changes> AdsSession::Answer(ResponseId id, const Verdict& verdict) {
  for (std::size_t place = 0; place < subscriptions_.size(); ++place) {
    Subscription& subscription = subscriptions_[place];
    const std::optional<Pending> pending = subscription.Take(id);
    if (!pending) continue;
    Subscription::Outcome outcome = subscription.Apply(*pending, verdict, ErrorOf(verdict));
    // A unary call has had its answer; the next one says the version.
    if (!options_.unary) answers_.push_back({place, std::move(outcome.answer)});
    return std::move(outcome.changes);
  }
  return NotWaiting(id);
}

// ---- Time.

std::optional<Moment> AdsSession::NextExpiry() const {
  std::optional<Moment> next;
  for (const Subscription& subscription : subscriptions_) {
    const std::optional<Moment> expiry = subscription.NextExpiry();
    if (expiry && (!next || *expiry < *next)) next = expiry;
  }
  return next;
}

void AdsSession::OnTime(Moment now) {
  for (Subscription& subscription : subscriptions_) subscription.OnTime(now);
}

std::optional<Changes> AdsSession::NextChanges() {
  for (Subscription& subscription : subscriptions_) {
    if (std::optional<Changes> changes = subscription.TakeChanges()) return changes;
  }
  return std::nullopt;
}

// ---- The odd ways in.

void AdsSession::SetNode(std::string node) {
  options_.node = std::move(node);
  features_ = FeaturesOf(options_.node);
}

void AdsSession::SayInterestNow(std::string_view type_url) {
  if (Subscription* subscription = FindMutable(type_url)) subscription->SayInterestNow();
}

absl::Status AdsSession::Resubscribe(std::string_view type_url, std::string_view name) {
  Subscription* subscription = FindMutable(type_url);
  return subscription == nullptr ? UnknownType(type_url) : subscription->Resubscribe(name);
}

absl::StatusOr<Changes> AdsSession::OnRawRequest(std::string bytes) {
  stream_.requests++;
  stream_.node_sent = true;
  const absl::StatusOr<Request> request = DecodeRequest(options_.variant, std::move(bytes));
  if (!request.ok()) return request.status();
  Subscription& subscription = Obtain(request->type_url.empty() ? options_.only_type : request->type_url);
  Changes changes{.type_url = subscription.type_url()};
  // What the server will take for a verdict is one.
  if (const std::optional<Pending> pending = subscription.TakeByNonce(request->nonce)) {
    const Verdict verdict = request->error ? Verdict::Nack(request->error->message) : Verdict::Ack();
    changes = subscription.Apply(*pending, verdict, request->error.value_or(RequestError())).changes;
  }
  subscription.OnForeignRequest(*request);
  subscription.OnSent(stream_.requests);
  return changes;
}

}  // namespace xdscope::protocol
