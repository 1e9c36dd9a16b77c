#include "lib/source/grpc_source.h"

#include <algorithm>
#include <utility>

#include "lib/base/status.h"
#include "lib/session/stream_session.h"

namespace xdscope::source {
namespace {

std::string MethodFor(std::string_view type_url, types::Variant variant, types::Api api) {
  if (types::IsAggregated(variant)) return std::string(types::AdsMethod(variant, api));
  const types::KnownType* known = types::FindByUrl(type_url);
  return known == nullptr ? std::string() : types::Method(*known, variant, api);
}

}  // namespace

GrpcSource::GrpcSource(base::Clock& clock, transport::Channel& channel, wire::Types& types, Settings settings)
    : clock_(clock), channel_(channel), types_(types), settings_(std::move(settings)) {}

GrpcSource::GrpcSource(base::Clock& clock, std::unique_ptr<transport::Channel> channel, wire::Types& types,
                       Settings settings)
    : clock_(clock),
      own_channel_(std::move(channel)),
      channel_(*own_channel_),
      types_(types),
      settings_(std::move(settings)) {}

GrpcSource::~GrpcSource() = default;

bool GrpcSource::CanAsk(std::string_view type_url) const {
  const types::KnownType* known = types::FindByUrl(type_url);
  if (known != nullptr && known->delta_only() && !types::IsDelta(settings_.variant)) return false;
  return !MethodFor(type_url, settings_.variant, settings_.api).empty();
}

// ---- Conversations.

protocol::AdsSession GrpcSource::MakeAds(const std::string& only_type) const {
  protocol::AdsSession::Options options = settings_.session;
  options.variant = protocol::VariantOf(settings_.variant);
  options.unary = types::IsUnary(settings_.variant);
  options.only_type = only_type;
  return protocol::AdsSession(std::move(options));
}

std::unique_ptr<session::Session> GrpcSource::MakeSession(const std::string& stream, const std::string& method,
                                                          session::Listener listener) {
  const auto make = [&](session::Listener told) -> std::unique_ptr<session::Session> {
    if (types::IsUnary(settings_.variant)) {
      session::UnarySession::Options options{.empty_is_unchanged = settings_.variant == types::Variant::kRest,
                                             .polling = settings_.polling};
      return std::make_unique<session::UnarySession>(MakeAds(stream), channel_, method, clock_, std::move(options),
                                                     std::move(told));
    }
    return std::make_unique<session::StreamSession>(MakeAds(stream), channel_, method, clock_, std::move(told));
  };
  if (!settings_.reopening) return make(std::move(listener));
  return std::make_unique<session::ReopeningSession>(make, clock_, *settings_.reopening, std::move(listener));
}

// The conversation that a type belongs to.
std::string GrpcSource::StreamOf(std::string_view type_url) const {
  return types::IsAggregated(settings_.variant) ? std::string() : std::string(type_url);
}

GrpcSource::Conversation* GrpcSource::Find(std::string_view type_url) const {
  const std::string stream = StreamOf(type_url);
  const auto known = std::find_if(conversations_.begin(), conversations_.end(),
                                  [&](const auto& conversation) { return conversation->stream == stream; });
  return known == conversations_.end() ? nullptr : known->get();
}

GrpcSource::Conversation& GrpcSource::Obtain(std::string_view type_url) {
  if (Conversation* known = Find(type_url)) return *known;
  const auto number = static_cast<std::uint32_t>(conversations_.size());
  Conversation& made = *conversations_.emplace_back(std::make_unique<Conversation>());
  made.stream = StreamOf(type_url);
  made.session = MakeSession(made.stream, MethodFor(type_url, settings_.variant, settings_.api),
                             [this, number](session::Event event) { On(number, std::move(event)); });
  return made;
}

void GrpcSource::Want(std::string_view type_url, const protocol::InterestChange& change) {
  Conversation& conversation = Obtain(type_url);
  conversation.session->Want(type_url, change);
  if (!conversation.closed && !std::exchange(conversation.opened, true)) conversation.session->Open();
}

absl::StatusOr<protocol::Changes> GrpcSource::Answer(const Waiter& waiter, const protocol::Verdict& verdict) {
  if (waiter.conversation >= conversations_.size()) {
    return base::Error(absl::StatusCode::kNotFound, "nobody waits for this answer");
  }
  session::Session& session = *conversations_[waiter.conversation]->session;
  return session.Answer(protocol::ResponseId{waiter.response}, verdict);
}

bool GrpcSource::IsOpen(std::string_view type_url) const {
  const Conversation* conversation = Find(type_url);
  return conversation != nullptr && conversation->opened && !conversation->closed;
}

bool GrpcSource::IsBusy() const {
  return std::any_of(conversations_.begin(), conversations_.end(),
                     [](const auto& conversation) { return conversation->session->IsBusy(); });
}

void GrpcSource::SetNode(const std::string& node) {
  settings_.session.node = node;
  for (const auto& conversation : conversations_) {
    conversation->session->Adjust([&node](protocol::AdsSession& ads) { ads.SetNode(node); });
  }
}

void GrpcSource::Open() {
  if (types::IsAggregated(settings_.variant)) Obtain({});
  for (const auto& conversation : conversations_) {
    const bool is_open = conversation->opened && !conversation->closed;
    conversation->opened = true;
    conversation->closed = false;
    if (!is_open) conversation->session->Open();
  }
}

session::Session* GrpcSource::SessionOf(std::string_view type_url) {
  const Conversation* conversation = Find(type_url);
  return conversation == nullptr ? nullptr : conversation->session.get();
}

void GrpcSource::Finish() {
  for (const auto& conversation : conversations_) {
    if (conversation->opened && !conversation->closed) conversation->session->Finish();
  }
}

// ---- Events.

// Hands an event on as it is; a response becomes an update.
void GrpcSource::On(std::uint32_t conversation, session::Event event) {
  if (const auto* closed = std::get_if<session::Closed>(&event); closed != nullptr && !closed->reopens_in) {
    conversations_[conversation]->closed = true;
  }
  std::visit(
      [&]<typename What>(What&& what) {
        if constexpr (std::is_same_v<std::decay_t<What>, protocol::Response>) {
          listener_(UpdateOf(conversation, std::forward<What>(what)));
        } else {
          listener_(std::forward<What>(what));
        }
      },
      std::move(event));
}

Update GrpcSource::UpdateOf(std::uint32_t conversation, protocol::Response response) {
  const bool whole = types::SaysAll(settings_.variant, response.type_url);
  std::optional<Waiter> waiter;
  if (response.expects_answer)
    waiter = {.conversation = conversation, .response = static_cast<std::uint64_t>(response.id)};
  Update update = MakeUpdate(std::move(response), whole, types_, find_held_);
  update.waiter = waiter;
  return update;
}

}  // namespace xdscope::source
