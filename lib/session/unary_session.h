// A conversation over unary calls (the Fetch… methods): one type, each request a call of its own, no answer to a
// response is ever sent. A new call is made when what is wanted has changed since the last one.
#pragma once

#include <optional>
#include <string>

#include "lib/base/clock.h"
#include "lib/session/session.h"
#include "lib/transport/unary.h"

namespace xdscope::session {

class UnarySession final : public Session {
 public:
  // As StreamSession. `ads` must have only_type set, and unary.
  UnarySession(protocol::AdsSession ads, transport::Channel& channel, std::string method, base::Clock& clock,
               Judge judge, SessionEvents& events);

  void Open() override;
  void Pump() override;
  // A call that is under way is given up: nothing is owed.
  void Finish() override;
  void Cancel() override;
  protocol::AdsSession& ads() override { return ads_; }

 private:
  void Call();
  void OnDone(absl::StatusOr<transport::Bytes> result);
  void Take(transport::Bytes bytes);
  void CloseLater(const absl::Status& status);
  void Close(const absl::Status& status);

  protocol::AdsSession ads_;
  transport::Channel& channel_;
  const std::string method_;
  base::Clock& clock_;
  const Judge judge_;
  SessionEvents& events_;

  bool open_ = false;
  bool had_response_ = false;
  std::optional<protocol::Interest> asked_;  // by the last call since Open()
  std::optional<transport::UnaryCall> call_;
  base::Timer close_timer_;
};

}  // namespace xdscope::session
