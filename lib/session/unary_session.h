// A conversation over unary calls (the Fetch… methods): one type, each request a call of its own. A verdict changes
// what is held and which version the next call says; nothing is sent for it. A new call is made when what is wanted has
// changed since the last one, or when somebody asks again.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "lib/base/clock.h"
#include "lib/session/expiry.h"
#include "lib/session/session.h"
#include "lib/transport/unary.h"

namespace xdscope::session {

class UnarySession final : public Session {
 public:
  // As StreamSession. `ads` must have only_type set, and unary.
  UnarySession(protocol::AdsSession ads, transport::Channel& channel, std::string method, base::Clock& clock,
               Listener listener);

  void Open() override;
  void Want(std::string_view type_url, const protocol::InterestChange& change) override;
  absl::StatusOr<protocol::Changes> Answer(protocol::ResponseId id, const protocol::Verdict& verdict) override;
  // Gives a call that is under way up: nothing is owed.
  void Finish() override;
  void Cancel() override;
  const protocol::AdsSession& ads() const override { return ads_; }
  bool IsBusy() const override { return open_ && call_ && !by_hand_.empty(); }
  void Adjust(const std::function<void(protocol::AdsSession& ads)>& change) override;
  // The request is a call of its own.
  absl::Status Send(std::string request) override;

  // Makes the same call once more, after the one under way.
  void AskAgain();

 private:
  void Pump();
  void Call();
  std::optional<protocol::Request> NextRequest();
  void OnDone(absl::StatusOr<transport::Bytes> result);
  void Take(transport::Bytes bytes);
  void CloseLater(const absl::Status& status);
  void Close(const absl::Status& status);

  protocol::AdsSession ads_;
  transport::Channel& channel_;
  const std::string method_;
  base::Clock& clock_;
  const Listener listener_;
  Expiry expiry_;

  bool open_ = false;
  bool telling_ = false;
  bool had_response_ = false;
  std::optional<protocol::Interest> asked_;  // by the last call since Open(); none: a call is due
  std::optional<transport::UnaryCall> call_;
  std::deque<std::string> by_hand_;  // requests of Send()
  base::Timer close_timer_;
};

}  // namespace xdscope::session
