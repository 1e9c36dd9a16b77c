// A session that is opened again when it ends by itself, after a back-off, as real clients do. What happens in it is
// told as it is; only its end says when it begins anew. Knows nothing of streams.
#pragma once

#include <functional>
#include <memory>

#include "lib/base/clock.h"
#include "lib/session/back_off.h"
#include "lib/session/session.h"

namespace xdscope::session {

class ReopeningSession final : public Session {
 public:
  struct Options {
    BackOff::Settings back_off;
    // Whether a session that ended with this status is opened again. The default goes on but where the server says that
    // it will never do: UNIMPLEMENTED, UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT.
    std::function<bool(const absl::Status& status)> reopens = &ReopensAfter;
    // A random number from 0 to below 1, for the jitter.
    std::function<double()> chance;
  };
  static bool ReopensAfter(const absl::Status& status);

  // Makes the session that it opens, which tells the listener it is given.
  using Make = std::function<std::unique_ptr<Session>(Listener listener)>;
  // The clock must outlive it.
  ReopeningSession(const Make& make, base::Clock& clock, Options options, Listener listener);

  void Open() override { session_->Open(); }
  void Want(std::string_view type_url, const protocol::InterestChange& change) override {
    session_->Want(type_url, change);
  }
  absl::StatusOr<protocol::Changes> Answer(protocol::ResponseId id, const protocol::Verdict& verdict) override {
    return session_->Answer(id, verdict);
  }
  // While it waits to open again there is nothing to finish: Closed follows with OK, or CANCELLED.
  void Finish() override;
  void Cancel() override;
  const protocol::AdsSession& ads() const override { return session_->ads(); }
  bool IsBusy() const override { return session_->IsBusy(); }
  void Adjust(const std::function<void(protocol::AdsSession& ads)>& change) override { session_->Adjust(change); }
  absl::Status Send(std::string request) override { return session_->Send(std::move(request)); }

 private:
  void On(Event event);
  void OnClosed(Closed closed);
  bool StopWaiting(const absl::Status& status);

  base::Clock& clock_;
  const Options options_;
  const Listener listener_;
  BackOff back_off_;
  std::unique_ptr<Session> session_;
  bool ending_ = false;   // Finish() or Cancel() was called
  bool waiting_ = false;  // to open again
  base::Timer timer_;
};

}  // namespace xdscope::session
