// A control plane as a source: over gRPC any of the four stream variants, or unary calls; or REST, over a channel whose
// calls are HTTP requests (rest_channel.h). One stream for all types or one for each is its own business. It connects
// when first asked for something; whether it does so again is for the settings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.h"
#include "lib/protocol/ads_session.h"
#include "lib/session/reopening_session.h"
#include "lib/session/unary_session.h"
#include "lib/source/source.h"
#include "lib/transport/stream.h"
#include "lib/types/known_types.h"
#include "lib/wire/type.h"

namespace xdscope::source {

class GrpcSource final : public Source {
 public:
  struct Settings {
    types::Variant variant = types::Variant::kAds;
    types::Api api = types::Api::kV3;
    // node, wildcard and the client's other habits; what follows from variant and type is filled in here.
    protocol::AdsSession::Options session;
    // How conversations that end by themselves are opened again; nullopt: they are not.
    std::optional<session::ReopeningSession::Options> reopening;
    // How unary calls and REST go on after an answer; nullopt: they do when something else is wanted.
    std::optional<session::Polling> polling = {};
  };

  // All references must outlive it.
  GrpcSource(base::Clock& clock, transport::Channel& channel, wire::Types& types, Settings settings);
  // The same over a channel of its own, which is closed with it.
  GrpcSource(base::Clock& clock, std::unique_ptr<transport::Channel> channel, wire::Types& types, Settings settings);
  ~GrpcSource() override;

  void Listen(Listener listener) override { listener_ = std::move(listener); }
  void Know(const FindHeld& find_held) override { find_held_ = find_held; }
  // False also where the variant has no method for the type.
  bool CanAsk(std::string_view type_url) const override;
  void Want(std::string_view type_url, const protocol::InterestChange& change) override;
  absl::StatusOr<protocol::Changes> Answer(const Waiter& waiter, const protocol::Verdict& verdict) override;
  bool IsOpen(std::string_view type_url) const override;
  bool IsBusy() const override;
  void SetNode(const std::string& node) override;
  void Open() override;
  session::Session* SessionOf(std::string_view type_url) override;
  void Finish() override;

 private:
  // One stream, or the unary calls of one type.
  struct Conversation {
    std::string stream;  // the type of a stream of one type; empty: all types
    std::unique_ptr<session::Session> session;
    bool opened = false;
    bool closed = false;
  };

  std::string StreamOf(std::string_view type_url) const;
  Conversation* Find(std::string_view type_url) const;
  Conversation& Obtain(std::string_view type_url);
  std::unique_ptr<session::Session> MakeSession(const std::string& stream, const std::string& method,
                                                session::Listener listener);
  protocol::AdsSession MakeAds(const std::string& only_type) const;
  void On(std::uint32_t conversation, session::Event event);
  Update UpdateOf(std::uint32_t conversation, protocol::Response response);

  base::Clock& clock_;
  std::unique_ptr<transport::Channel> own_channel_;  // what channel_ is, or nullptr
  transport::Channel& channel_;
  wire::Types& types_;
  Settings settings_;
  Listener listener_;
  FindHeld find_held_;
  std::vector<std::unique_ptr<Conversation>> conversations_;
};

}  // namespace xdscope::source
