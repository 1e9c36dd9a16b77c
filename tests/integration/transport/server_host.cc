#include "tests/integration/transport/server_host.h"

#include <gtest/gtest.h>

namespace xdscope::integration {

using transport::Chunk;

Host::Visit::Visit(Host& host, std::unique_ptr<transport::ServerStream> on)
    : method(on->method()), peer(on->peer()), metadata(on->metadata()), stream(std::move(on)), host_(host) {
  if (method == "/test/Drop") {
    stream.reset();
    return;
  }
  stream->Attach(*this);
  if (method == "/test/Refuse") {
    stream->Close(absl::PermissionDeniedError("not you"));
  } else if (method != "/test/Mute") {
    stream->ReadNext();
  }
  if (method == "/test/Flood" || method == "/test/Push") stream->Write(host_.push);
  if (method == "/test/Push") stream->Close(absl::AbortedError("enough"));
}

void Host::Visit::OnMessage(transport::Bytes message) {
  messages.push_back(*message);
  if (method == "/test/Echo") {
    stream->Write({Chunk{message}});
  } else {
    stream->ReadNext();
  }
}

void Host::Visit::OnHalfClosed() {
  half_closed = true;
  if (method == "/test/Echo") stream->Close(absl::OkStatus());
}

void Host::Visit::OnWritten() {
  ++written;
  if (method == "/test/Flood") {
    stream->Write(host_.push);
  } else {
    stream->ReadNext();
  }
}

void Host::Visit::OnClosed(const absl::Status& status) {
  EXPECT_FALSE(closed);
  closed = status;
  stream.reset();
}

Host::Host(base::Loop& loop, const transport::ServerSettings& settings) : loop_(loop) {
  auto started = transport::Server::Start(
      loop, settings, [this](auto stream) { visits.push_back(std::make_unique<Visit>(*this, std::move(stream))); },
      [](const absl::Status& why) { ADD_FAILURE() << why; });
  EXPECT_TRUE(started.ok()) << started.status();
  if (started.ok()) server = *std::move(started);
}

}  // namespace xdscope::integration
