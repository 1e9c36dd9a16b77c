#include "lib/protocol/server_session.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "fmt/format.h"
#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/types/known_types.h"

namespace xdscope::protocol {
namespace {

// Some version has to be said even where nothing is known of the type (XDS-S023, S051).
constexpr std::string_view kNoVersion = "0";

// Nonces are numbers of responses; 0 is none of them.
std::uint64_t NumberOf(std::string_view nonce) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(nonce.data(), nonce.data() + nonce.size(), number);
  return error == std::errc() && end == nonce.data() + nonce.size() ? number : 0;
}

std::string_view NodeOf(Variant variant, const Request& request) {
  return base::FindBytes(request.bytes, variant == Variant::kSotw ? 2 : 1).value_or(std::string_view());
}

}  // namespace

ServerSession::ServerSession(Options options) : options_(std::move(options)) {}

// ---- Requests.

absl::StatusOr<Received> ServerSession::OnRequest(std::string bytes) {
  absl::StatusOr<Request> request = DecodeRequest(options_.variant, std::move(bytes));
  if (!request.ok()) return request.status();
  ++requests_;
  if (!has_node_) KeepNode(*request);
  const absl::StatusOr<ServerSubscription*> subscription = SubscriptionOf(*request);
  if (!subscription.ok()) return subscription.status();
  const std::size_t announced = request->initial_versions.size();
  const bool sotw = options_.variant == Variant::kSotw;
  Received received =
      sotw ? TakeSotw(*subscription, *std::move(request)) : TakeDelta(*subscription, *std::move(request));
  (*subscription)->CountRequest();
  if (std::max(announced, NameCount()) <= options_.most_names) return received;
  return base::Error(absl::StatusCode::kResourceExhausted,
                     fmt::format("more than {} names on one stream", options_.most_names));
}

void ServerSession::KeepNode(const Request& request) {
  const std::string_view node = NodeOf(options_.variant, request);
  has_node_ = !node.empty();
  node_id_ = base::FindBytes(node, 1).value_or(std::string_view()).substr(0, kLongestNodeId);
  features_ = FeaturesOf(node);
}

std::size_t ServerSession::NameCount() const {
  std::size_t count = 0;
  for (const ServerSubscription& subscription : subscriptions_) count += subscription.name_count();
  return count;
}

absl::StatusOr<ServerSubscription*> ServerSession::SubscriptionOf(const Request& request) {
  const bool aggregated = options_.only_type.empty();
  if (aggregated && request.type_url.empty()) {
    return base::Error(absl::StatusCode::kInvalidArgument, "a request on an aggregated stream has no type_url");
  }
  const std::string& type_url = request.type_url.empty() ? options_.only_type : request.type_url;
  if (!aggregated && base::MessageName(type_url) != base::MessageName(options_.only_type)) {
    return base::Error(absl::StatusCode::kInvalidArgument,
                       fmt::format("type_url '{}' on a stream of {}", type_url, options_.only_type));
  }
  const auto same = [&](const ServerSubscription& subscription) { return subscription.type_url() == type_url; };
  if (const auto found = std::find_if(subscriptions_.begin(), subscriptions_.end(), same);
      found != subscriptions_.end())
    return &*found;
  if (subscriptions_.size() == options_.most_types) {
    return base::Error(absl::StatusCode::kResourceExhausted,
                       fmt::format("more than {} types on one stream", options_.most_types));
  }
  return &subscriptions_.emplace_back(type_url, options_.variant);
}

void ServerSession::TakeVerdict(ServerSubscription* subscription, std::uint64_t number, const Request& request) const {
  const bool counts = subscription->OnVerdict(number, request.error.has_value());
  if (counts && request.error && options_.resend_refused) subscription->OweRefused();
}

Received ServerSession::TakeSotw(ServerSubscription* subscription, Request request) {
  Received received;
  received.type_url = subscription->type_url();
  const std::uint64_t number = NumberOf(request.nonce);
  const bool newest = subscription->last_sent() != 0 && number == subscription->last_sent();
  const bool is_answer = newest && !subscription->answered();
  TakeVerdict(subscription, number, request);

  // A request without a nonce may have crossed with the first response; what it names is the newest wish all the same.
  const bool stale = subscription->last_sent() != 0 && !request.nonce.empty() && !newest;
  const ServerSubscription::Change change = subscription->SetNames(request.names);
  subscription->HoldAnswers(stale);

  using Kind = Received::Kind;
  if (subscription->requests() == 0) {
    received.kind = Kind::kFirst;
  } else if (request.error) {
    received.kind = Kind::kNack;
  } else if (stale) {
    received.kind = Kind::kStale;
  } else if (is_answer) {
    received.kind = Kind::kAck;
  } else {
    received.kind = newest && !change.any() ? Kind::kResubscription : Kind::kSubscription;
  }
  // LDS and CDS have nothing that warms for want of a second answer; what was refused stays refused (XDS-S032).
  if (received.kind == Kind::kResubscription && !subscription->full_state() && !subscription->refused())
    subscription->OweAgain();

  received.added = change.added;
  received.removed = change.removed;
  received.wildcard = subscription->wildcard();
  received.request = std::move(request);
  return received;
}

Received ServerSession::TakeDelta(ServerSubscription* subscription, Request request) {
  Received received;
  received.type_url = subscription->type_url();
  const bool first = subscription->requests() == 0;
  TakeVerdict(subscription, NumberOf(request.nonce), request);

  // Interest counts whatever the nonce is (B.2-7).
  const bool silent = request.names.empty() && request.unsubscribe.empty();
  ServerSubscription::Change change =
      first && silent ? subscription->SubscribeToEverything() : subscription->Subscribe(request.names);
  if (first) subscription->Resume(request.initial_versions);
  const ServerSubscription::Change taken_back = subscription->Unsubscribe(request.unsubscribe);
  change.removed = taken_back.removed;
  change.wildcard = change.wildcard || taken_back.wildcard;

  using Kind = Received::Kind;
  if (first) {
    received.kind = Kind::kFirst;
  } else if (request.error) {
    received.kind = Kind::kNack;
  } else if (!request.nonce.empty()) {
    received.kind = Kind::kAck;
  } else {
    received.kind = change.any() || silent ? Kind::kSubscription : Kind::kResubscription;
  }
  received.added = change.added;
  received.removed = change.removed;
  received.wildcard = subscription->wildcard();
  received.request = std::move(request);
  return received;
}

void ServerSession::Resend(std::string_view type_url, std::span<const std::string> names) {
  for (ServerSubscription& subscription : subscriptions_) {
    if (subscription.type_url() != type_url) continue;
    for (const std::string& name : names) subscription.Resend(name);
  }
}

// ---- Answers.

namespace {

// The order in which the subscriptions of a stream get their turn.
template <typename Place>
std::vector<ServerSubscription*> Ordered(std::deque<ServerSubscription>& subscriptions, Place place) {
  std::vector<ServerSubscription*> ordered;
  ordered.reserve(subscriptions.size());
  for (ServerSubscription& subscription : subscriptions) ordered.push_back(&subscription);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [place](const ServerSubscription* left, const ServerSubscription* right) {
                     return place(left->type_url()) < place(right->type_url());
                   });
  return ordered;
}

int Arrival(const std::string& type_url) {
  return types::RowOf(type_url).push_order.arrival;
}
int Departure(const std::string& type_url) {
  return types::RowOf(type_url).push_order.departure;
}

}  // namespace

std::optional<ServerResponse> ServerSession::Next(const ResourceCache& cache, Moment now) {
  for (ServerSubscription* subscription : Ordered(subscriptions_, Arrival)) {
    std::optional<ServerSubscription::Delivery> delivery = subscription->Updates(cache);
    if (!delivery) continue;
    // Nothing else will follow that could be needed before: then one message says it all.
    const bool last = std::all_of(subscriptions_.begin(), subscriptions_.end(), [&](const ServerSubscription& other) {
      return &other == subscription || (other.IsUpToDate(cache) && !other.HasRemovals());
    });
    if (last) subscription->AddRemovals(&*delivery);
    return Finish(subscription, *std::move(delivery));
  }
  for (ServerSubscription* subscription : Ordered(subscriptions_, Departure)) {
    if (std::optional<ServerSubscription::Delivery> delivery = subscription->Removals())
      return Finish(subscription, *std::move(delivery));
  }
  if (!SaysTtl()) return std::nullopt;
  for (ServerSubscription& subscription : subscriptions_) {
    if (std::optional<ServerSubscription::Delivery> delivery = subscription.Heartbeat(now))
      return Finish(&subscription, *std::move(delivery));
  }
  return std::nullopt;
}

bool ServerSession::SaysTtl() const {
  return options_.variant == Variant::kDelta || (features_.wrapping && features_.ttl);
}

std::optional<Moment> ServerSession::NextHeartbeat() const {
  std::optional<Moment> first;
  for (const ServerSubscription& subscription : subscriptions_) {
    const std::optional<Moment> next = subscription.NextHeartbeat();
    if (next && (!first || *next < *first)) first = next;
  }
  return first;
}

ServerResponse ServerSession::Finish(ServerSubscription* subscription, ServerSubscription::Delivery delivery) {
  subscription->OnSent(delivery, ++responses_);
  ServerResponse answer;
  answer.type_url = subscription->type_url();
  answer.version = delivery.snapshot->version.empty() ? kNoVersion : delivery.snapshot->version;
  answer.nonce = std::to_string(responses_);
  answer.snapshot = std::move(delivery.snapshot);
  answer.all = delivery.all;
  answer.resources = std::move(delivery.resources);
  answer.removed = std::move(delivery.removed);
  answer.unresolved = std::move(delivery.unresolved);
  answer.heartbeat = delivery.heartbeat;
  answer.payloads = delivery.payloads;
  answer.wrapped = options_.variant == Variant::kSotw && SaysTtl();
  return answer;
}

}  // namespace xdscope::protocol
