#include "lib/protocol/server_session.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "fmt/format.h"
#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/protocol/names.h"
#include "lib/protocol/push_order.h"

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

std::string_view ServerSession::node_id() const {
  return base::FindBytes(node_, 1).value_or(std::string_view());
}

// ---- Requests.

absl::StatusOr<Received> ServerSession::OnRequest(std::string bytes) {
  absl::StatusOr<Request> request = DecodeRequest(options_.variant, std::move(bytes));
  if (!request.ok()) return request.status();
  ++requests_;
  if (node_.empty()) node_ = NodeOf(options_.variant, *request);
  const absl::StatusOr<Topic*> topic = TopicOf(*request);
  if (!topic.ok()) return topic.status();
  const bool sotw = options_.variant == Variant::kSotw;
  Received received = sotw ? TakeSotw(*topic, *std::move(request)) : TakeDelta(*topic, *std::move(request));
  (*topic)->CountRequest();
  if ((*topic)->name_count() <= options_.most_names) return received;
  return base::Error(absl::StatusCode::kResourceExhausted,
                     fmt::format("more than {} names of {} on one stream", options_.most_names, received.type_url));
}

absl::StatusOr<Topic*> ServerSession::TopicOf(const Request& request) {
  const bool aggregated = options_.only_type.empty();
  if (aggregated && request.type_url.empty()) {
    return base::Error(absl::StatusCode::kInvalidArgument, "a request on an aggregated stream has no type_url");
  }
  const std::string& type_url = request.type_url.empty() ? options_.only_type : request.type_url;
  if (!aggregated && MessageName(type_url) != MessageName(options_.only_type)) {
    return base::Error(absl::StatusCode::kInvalidArgument,
                       fmt::format("type_url '{}' on a stream of {}", type_url, options_.only_type));
  }
  const auto same = [&](const Topic& topic) { return topic.type_url() == type_url; };
  if (const auto found = std::find_if(topics_.begin(), topics_.end(), same); found != topics_.end()) return &*found;
  if (topics_.size() == options_.most_types) {
    return base::Error(absl::StatusCode::kResourceExhausted,
                       fmt::format("more than {} types on one stream", options_.most_types));
  }
  const TypeTraits traits = options_.traits ? options_.traits(type_url) : TypeTraits();
  return &topics_.emplace_back(type_url, traits, options_.variant);
}

Received ServerSession::TakeSotw(Topic* topic, Request request) {
  Received received;
  received.type_url = topic->type_url();
  const std::uint64_t number = NumberOf(request.nonce);
  const bool newest = topic->newest() != 0 && number == topic->newest();
  const bool is_answer = newest && !topic->answered();
  if (number != 0) topic->OnVerdict(number, request.error.has_value());

  // A request without a nonce may have crossed with the first response; what it names is the newest wish all the same.
  const bool stale = topic->newest() != 0 && !request.nonce.empty() && !newest;
  const Topic::Change change = topic->SetNames(request.names);
  topic->HoldAnswers(stale);

  using Kind = Received::Kind;
  if (topic->requests() == 0) {
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
  if (received.kind == Kind::kResubscription && !topic->full_state() && !topic->refused()) topic->OweAgain();

  received.added = change.added;
  received.removed = change.removed;
  received.wildcard = topic->wildcard();
  received.request = std::move(request);
  return received;
}

Received ServerSession::TakeDelta(Topic* topic, Request request) {
  Received received;
  received.type_url = topic->type_url();
  const bool first = topic->requests() == 0;
  if (!request.nonce.empty()) topic->OnVerdict(NumberOf(request.nonce), request.error.has_value());

  // Interest counts whatever the nonce is (B.2-7).
  const bool silent = request.names.empty() && request.unsubscribe.empty();
  Topic::Change change = first && silent ? topic->SubscribeToEverything() : topic->Subscribe(request.names);
  if (first) topic->Resume(request.initial_versions);
  const Topic::Change taken_back = topic->Unsubscribe(request.unsubscribe);
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
  received.wildcard = topic->wildcard();
  received.request = std::move(request);
  return received;
}

void ServerSession::Resend(std::string_view type_url, std::span<const std::string> names) {
  for (Topic& topic : topics_) {
    if (topic.type_url() != type_url) continue;
    for (const std::string& name : names) topic.Resend(name);
  }
}

// ---- Answers.

namespace {

// The order in which the topics of a stream get their turn.
template <typename Place>
std::vector<Topic*> Ordered(std::deque<Topic>& topics, Place place) {
  std::vector<Topic*> ordered;
  ordered.reserve(topics.size());
  for (Topic& topic : topics) ordered.push_back(&topic);
  std::stable_sort(ordered.begin(), ordered.end(), [place](const Topic* left, const Topic* right) {
    return place(left->type_url()) < place(right->type_url());
  });
  return ordered;
}

int Arrival(const std::string& type_url) {
  return PushOrderOf(type_url).arrival;
}
int Departure(const std::string& type_url) {
  return PushOrderOf(type_url).departure;
}

}  // namespace

std::optional<Answer> ServerSession::Next(const Catalogue& catalogue) {
  for (Topic* topic : Ordered(topics_, Arrival)) {
    std::optional<Topic::Due> due = topic->News(catalogue);
    if (!due) continue;
    // Nothing else will follow that could be needed before: then one message says it all.
    const bool last = std::all_of(topics_.begin(), topics_.end(), [&](const Topic& other) {
      return &other == topic || (other.IsQuiet(catalogue) && !other.HasDepartures());
    });
    if (last) topic->AddDepartures(&*due);
    return Finish(topic, *std::move(due));
  }
  for (Topic* topic : Ordered(topics_, Departure)) {
    if (std::optional<Topic::Due> due = topic->Departures()) return Finish(topic, *std::move(due));
  }
  return std::nullopt;
}

Answer ServerSession::Finish(Topic* topic, Topic::Due due) {
  topic->OnSent(due, ++responses_);
  Answer answer;
  answer.type_url = topic->type_url();
  answer.version = due.holdings->version.empty() ? kNoVersion : due.holdings->version;
  answer.nonce = std::to_string(responses_);
  answer.holdings = std::move(due.holdings);
  answer.all = due.all;
  answer.resources = std::move(due.resources);
  answer.removed = std::move(due.removed);
  answer.unresolved = std::move(due.unresolved);
  return answer;
}

}  // namespace xdscope::protocol
