// A Server whose streams do what their method says, each written down in a Visit:
//   /test/Echo    every message comes back; OK after the client's half-close
//   /test/Mute    neither reads nor writes nor ends
//   /test/Deaf    reads, never writes, never ends
//   /test/Refuse  ends at once: PERMISSION_DENIED "not you"
//   /test/Drop    is thrown away at once
//   /test/Push    sends Host::push, then ends with ABORTED "enough"
//   /test/Flood   sends Host::push as often as it is written
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/loop.h"
#include "lib/transport/server.h"

namespace xdscope::integration {

class Host {
 public:
  // One stream, as the server saw it.
  class Visit final : public transport::ServerStreamEvents {
   public:
    Visit(Host& host, std::unique_ptr<transport::ServerStream> on);

    void OnMessage(transport::Bytes message) override;
    void OnHalfClosed() override;
    void OnWritten() override;
    void OnClosed(const absl::Status& status) override;

    std::string method;
    std::string peer;
    transport::Metadata metadata;
    std::vector<std::string> messages;
    int written = 0;
    bool half_closed = false;
    std::optional<absl::Status> closed;
    std::unique_ptr<transport::ServerStream> stream;

   private:
    Host& host_;
  };

  explicit Host(base::Loop& loop, const transport::ServerSettings& settings = {});

  std::string target() const { return server->address(); }
  // Runs the loop until `done` (or the test's own limit of ten seconds); false then.
  template <typename Done>
  bool RunUntil(Done done) {
    const base::Time limit = loop_.Now() + std::chrono::seconds(10);
    while (!done() && loop_.Now() < limit) {
      const auto tick = loop_.After(std::chrono::milliseconds(1), [this](base::Time) { loop_.Stop(); });
      loop_.Run();
    }
    return done();
  }

  std::vector<transport::Chunk> push;
  bool stop_loop_at_end = false;
  std::vector<std::unique_ptr<Visit>> visits;
  std::unique_ptr<transport::Server> server;

 private:
  base::Loop& loop_;
};

}  // namespace xdscope::integration
