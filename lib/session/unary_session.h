// A conversation over unary calls (the Fetch… methods, REST): one type, each request a call of its own, one at a time
// (XDS-R06). A verdict changes what is held and which version the next call says; nothing is sent for it. A new call is
// made when what is wanted has changed since the last one, when somebody asks again, and where it polls after a while.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "lib/base/clock.h"
#include "lib/session/expiry.h"
#include "lib/session/session.h"
#include "lib/transport/unary.h"

namespace xdscope::session {

// Asks again `every` after each call, and up to as much later, by chance (XDS-R07).
struct Polling {
  base::Duration every = std::chrono::seconds(5);
  // A random number from 0 to below 1.
  std::function<double()> chance;
};

class UnarySession final : public Session {
 public:
  struct Options {
    // A call that ends with OK and without an answer says that there is nothing newer than the version it said; else
    // that is a failure.
    bool empty_is_unchanged = false;
    std::optional<Polling> polling = {};  // nullopt: it asks again when told to
  };

  // As StreamSession. `ads` must have only_type set, and unary.
  UnarySession(protocol::AdsSession ads, transport::Channel& channel, std::string method, base::Clock& clock,
               Options options, Listener listener);

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
  // Begins to poll, or ends it.
  void SetPolling(std::optional<Polling> polling);

 private:
  void Pump();
  void Call();
  std::optional<protocol::Request> NextRequest();
  void OnConnected();
  void OnDone(absl::StatusOr<transport::Bytes> result);
  absl::Status Take(transport::Bytes bytes);
  void CheckIsNew(protocol::Response* response);
  void Rest();
  void CloseLater(const absl::Status& status);
  void Close(const absl::Status& status);

  protocol::AdsSession ads_;
  transport::Channel& channel_;
  const std::string method_;
  base::Clock& clock_;
  Options options_;
  const Listener listener_;
  Expiry expiry_;

  bool open_ = false;
  bool telling_ = false;
  bool connected_ = false;  // since Open(), which is told once
  bool had_response_ = false;
  std::optional<protocol::Interest> asked_;  // by the last call since Open(); none: a call is due
  std::optional<transport::UnaryCall> call_;
  std::deque<std::string> by_hand_;  // requests of Send()
  std::string said_version_;         // by the call under way
  std::uint64_t said_names_ = 0;     // the same, a hash
  std::uint64_t heard_ = 0;          // by the last response and the names it answers, a hash
  base::Timer close_timer_;
  base::Timer poll_timer_;  // while nothing is asked
};

}  // namespace xdscope::session
