// A control plane over gRPC as a source of updates: any of the four stream variants, or unary calls. One stream for all
// types or one for each is its own business. It connects when first asked for something and does not reconnect.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.h"
#include "lib/protocol/ads_session.h"
#include "lib/session/session.h"
#include "lib/source/update.h"
#include "lib/transport/stream.h"
#include "lib/types/known_types.h"
#include "lib/wire/type.h"

namespace xdscope::source {

// Decides on an update what its server is answered.
using Judge = std::function<session::Verdict(const Update& update)>;

// Takes what a source says. `stream` names the conversation: the type URL of a stream of one type, else empty.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual void OnConnected(std::string_view /*stream*/) {}
  virtual void OnRequest(const protocol::Request& /*request*/) {}
  // `response` is what the update was made from.
  virtual void OnUpdate(Update update, const protocol::Response& response, const session::Verdict& verdict) = 0;
  // The conversation is over; `status` as in session::SessionEvents::OnClosed().
  virtual void OnClosed(std::string_view stream, const absl::Status& status, bool had_response) = 0;
};

class XdsSource {
 public:
  struct Settings {
    types::Variant variant = types::Variant::kAds;
    types::Api api = types::Api::kV3;
    // node, wildcard and the client's other habits; what follows from variant and type is filled in here.
    protocol::AdsSession::Options session;
  };

  // All references must outlive it.
  XdsSource(base::Clock& clock, transport::Channel& channel, wire::Types& types, Settings settings, Judge judge,
            Sink& sink);
  ~XdsSource();

  // Whether the variant has a method for the type.
  bool CanAsk(std::string_view type_url) const;
  // Declares the whole interest in a type and says it to the server. Demands CanAsk().
  void Want(const std::string& type_url, protocol::Interest interest);
  // What is known of a type; nullptr: it was never wanted.
  const protocol::Subscription* Find(std::string_view type_url) const;
  // Sends what is owed and ends all conversations; OnClosed() follows for each that is not closed.
  void Finish();

 private:
  class Conversation;

  Conversation& Obtain(const std::string& type_url);
  protocol::AdsSession MakeAds(const std::string& only_type) const;
  bool Whole(const protocol::Response& response) const;

  base::Clock& clock_;
  transport::Channel& channel_;
  wire::Types& types_;
  const Settings settings_;
  const Judge judge_;
  Sink& sink_;
  std::vector<std::unique_ptr<Conversation>> conversations_;
};

}  // namespace xdscope::source
