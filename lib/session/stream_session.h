// A conversation over one stream, aggregated or of one type, SotW or delta.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lib/base/clock.h"
#include "lib/session/expiry.h"
#include "lib/session/session.h"

namespace xdscope::session {

class StreamSession final : public Session, private transport::StreamEvents {
 public:
  // How long after Finish() what is owed may take to be written: in a flood that is one answer after another, to a
  // server that is busy with sending.
  static constexpr base::Duration kWriteLimit = std::chrono::seconds(2);
  // How long after that a server may take to end the stream before it is cancelled: some drop what they have not yet
  // read of a stream that is reset.
  static constexpr base::Duration kFinishLimit = std::chrono::milliseconds(100);

  // Channel and clock must outlive it. Nothing happens before Open().
  StreamSession(protocol::AdsSession ads, transport::Channel& channel, std::string method, base::Clock& clock,
                Listener listener);

  void Open() override;
  void Want(std::string_view type_url, const protocol::InterestChange& change) override;
  absl::StatusOr<protocol::Changes> Answer(protocol::ResponseId id, const protocol::Verdict& verdict) override;
  void Finish() override;
  void Cancel() override;
  const protocol::AdsSession& ads() const override { return ads_; }
  bool IsBusy() const override { return stream_ != nullptr && !end_ && (!connected_ || writing_ || !by_hand_.empty()); }
  void Adjust(const std::function<void(protocol::AdsSession& ads)>& change) override;
  absl::Status Send(std::string request) override;

 private:
  void OnConnected() override;
  void OnMessage(transport::Bytes bytes) override;
  void OnWritten() override;
  void OnClosed(const absl::Status& status, const transport::Metadata& trailing) override;

  void Pump();
  std::optional<protocol::Request> NextRequest();
  void Take(transport::Bytes bytes);
  void FinishWithin(base::Duration limit);
  void End(const absl::Status& as);

  protocol::AdsSession ads_;
  transport::Channel& channel_;
  const std::string method_;
  base::Clock& clock_;
  const Listener listener_;
  Expiry expiry_;

  std::unique_ptr<transport::Stream> stream_;  // none: not open
  std::deque<std::string> by_hand_;            // requests of Send()
  bool connected_ = false;
  bool telling_ = false;  // a response is being looked at: what it leads to is sent afterwards
  bool writing_ = false;
  bool finishing_ = false;
  bool half_closed_ = false;
  bool had_response_ = false;
  base::Timer finish_timer_;
  std::optional<absl::Status> end_;  // why we ended it, where we did
};

}  // namespace xdscope::session
