#include "lib/transport/unary.h"

#include <utility>

#include "lib/base/status.h"

namespace xdscope::transport {

UnaryCall::UnaryCall(Channel& channel, const std::string& method, std::string request, Connected connected, Done done)
    : connected_(std::move(connected)), done_(std::move(done)), stream_(channel.OpenStream(method, *this)) {
  stream_->Write(std::move(request));
  stream_->WritesDone();
  stream_->ReadNext();
}

void UnaryCall::OnMessage(Bytes message) {
  answer_ = std::move(message);
  ++answers_;
  stream_->ReadNext();
}

void UnaryCall::OnClosed(const absl::Status& status, const Metadata& /*trailing*/) {
  absl::StatusOr<Bytes> result = std::move(answer_);
  if (!status.ok()) {
    result = status;
  } else if (answers_ > 1) {
    result = base::Error(absl::StatusCode::kInternal, "the call has more than one answer");
  }
  const Done done = std::move(done_);  // it may destroy this
  done(std::move(result));
}

}  // namespace xdscope::transport
