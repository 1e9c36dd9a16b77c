#include "lib/source/xds_source.h"

#include <algorithm>
#include <optional>

#include "lib/session/stream_session.h"
#include "lib/session/unary_session.h"

namespace xdscope::source {
namespace {

std::string_view NameInField1(std::string_view payload) {
  return types::NameInPayload({}, payload);
}

protocol::TypeTraits TraitsOf(std::string_view type_url) {
  const types::KnownType* known = types::FindByUrl(type_url);
  if (known == nullptr) return {.name_of = NameInField1, .other_version = {}};
  const types::Api other = types::ApiOf(type_url) == types::Api::kV3 ? types::Api::kV2 : types::Api::kV3;
  return {.full_state = known->full_state,
          .name_of = known->named_by_wrapper() ? nullptr : NameInField1,
          .named_by_wrapper = known->named_by_wrapper(),
          .delta_only = known->delta_only(),
          .on_demand = known->short_name == "vhds",
          .known = true,
          .other_version = known->names(other).type_url};
}

std::string MethodFor(std::string_view type_url, types::Variant variant, types::Api api) {
  if (types::IsAggregated(variant)) return std::string(types::AdsMethod(variant, api));
  const types::KnownType* known = types::FindByUrl(type_url);
  return known == nullptr ? std::string() : types::Method(*known, variant, api);
}

}  // namespace

// One stream, or the unary calls of one type.
class XdsSource::Conversation final : public session::SessionEvents {
 public:
  Conversation(XdsSource& source, std::string stream, const std::string& method)
      : source_(source), stream_(std::move(stream)) {
    const session::Judge judge = [this](const protocol::Response& response) { return JudgeResponse(response); };
    protocol::AdsSession ads = source.MakeAds(stream_);
    if (source.settings_.variant == types::Variant::kUnary) {
      session_ =
          std::make_unique<session::UnarySession>(std::move(ads), source.channel_, method, source.clock_, judge, *this);
    } else {
      session_ = std::make_unique<session::StreamSession>(std::move(ads), source.channel_, method, source.clock_, judge,
                                                          *this);
    }
  }

  std::string_view stream() const { return stream_; }
  protocol::AdsSession& ads() { return session_->ads(); }

  void Want(const std::string& type_url, protocol::Interest interest) {
    ads().SetInterest(type_url, std::move(interest));
    if (state_ == State::kNew) {
      state_ = State::kOpen;
      session_->Open();
    }
    if (state_ == State::kOpen) session_->Pump();
  }

  void Finish() {
    if (state_ == State::kOpen) session_->Finish();
  }

 private:
  enum class State { kNew, kOpen, kClosed };

  session::Verdict JudgeResponse(const protocol::Response& response) {
    judged_ = MakeUpdate(response, source_.Whole(response), source_.types_);
    return source_.judge_(*judged_);
  }

  void OnConnected() override { source_.sink_.OnConnected(stream_); }
  void OnRequest(const protocol::Request& request) override { source_.sink_.OnRequest(request); }

  void OnResponse(protocol::Response response, const session::Verdict& verdict) override {
    // A response that expects no answer was not shown to the judge.
    if (!judged_) judged_ = MakeUpdate(response, source_.Whole(response), source_.types_);
    Update update = *std::exchange(judged_, std::nullopt);
    source_.sink_.OnUpdate(std::move(update), response, verdict);
  }

  void OnClosed(const absl::Status& status, bool had_response) override {
    state_ = State::kClosed;
    source_.sink_.OnClosed(stream_, status, had_response);
  }

  XdsSource& source_;
  const std::string stream_;
  std::unique_ptr<session::Session> session_;
  State state_ = State::kNew;
  std::optional<Update> judged_;  // between the judge and OnResponse()
};

XdsSource::XdsSource(base::Clock& clock, transport::Channel& channel, wire::Types& types, Settings settings,
                     Judge judge, Sink& sink)
    : clock_(clock),
      channel_(channel),
      types_(types),
      settings_(std::move(settings)),
      judge_(std::move(judge)),
      sink_(sink) {}

XdsSource::~XdsSource() = default;

bool XdsSource::CanAsk(std::string_view type_url) const {
  const types::KnownType* known = types::FindByUrl(type_url);
  if (known != nullptr && known->delta_only() && !types::IsDelta(settings_.variant)) return false;
  return !MethodFor(type_url, settings_.variant, settings_.api).empty();
}

protocol::AdsSession XdsSource::MakeAds(const std::string& only_type) const {
  protocol::AdsSession::Options options = settings_.session;
  options.variant = types::IsDelta(settings_.variant) ? protocol::Variant::kDelta : protocol::Variant::kSotw;
  options.unary = settings_.variant == types::Variant::kUnary;
  options.only_type = only_type;
  options.traits = TraitsOf;
  return protocol::AdsSession(std::move(options));
}

bool XdsSource::Whole(const protocol::Response& response) const {
  return !types::IsDelta(settings_.variant) && TraitsOf(response.type_url).full_state;
}

XdsSource::Conversation& XdsSource::Obtain(const std::string& type_url) {
  const std::string stream = types::IsAggregated(settings_.variant) ? std::string() : type_url;
  const auto known = std::find_if(conversations_.begin(), conversations_.end(),
                                  [&](const auto& conversation) { return conversation->stream() == stream; });
  if (known != conversations_.end()) return **known;
  const std::string method = MethodFor(type_url, settings_.variant, settings_.api);
  return *conversations_.emplace_back(std::make_unique<Conversation>(*this, stream, method));
}

void XdsSource::Want(const std::string& type_url, protocol::Interest interest) {
  Obtain(type_url).Want(type_url, std::move(interest));
}

const protocol::Subscription* XdsSource::Find(std::string_view type_url) const {
  for (const auto& conversation : conversations_) {
    if (const protocol::Subscription* found = conversation->ads().Find(type_url)) return found;
  }
  return nullptr;
}

void XdsSource::Finish() {
  for (const auto& conversation : conversations_) conversation->Finish();
}

}  // namespace xdscope::source
