// A whole control plane at the other end of a FakeChannel, by the server's half of our protocol: it has clusters and
// the endpoints that they refer to, goes away and comes back. A test says what happens when.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "lib/base/clock.h"
#include "lib/protocol/response_parts.h"
#include "lib/protocol/server_session.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/messages.h"

namespace xdscope::fake {

class RestartingServer final : public protocol::ResourceCache {
 public:
  RestartingServer(FakeChannel& channel, base::Clock& clock, protocol::Variant variant)
      : channel_(channel), clock_(clock), variant_(variant) {}

  // ---- What it has: bodies by name, by type URL.
  using Content = std::map<std::string, std::map<std::string, std::string>>;
  const Content& content() const { return content_; }
  // A cluster, and its endpoints; each version is another body.
  void Put(const std::string& name, int version) {
    const std::string text = std::to_string(version);
    content_[std::string(kCds)][name] = EdsCluster(name, AdsSource()) + Field(28, text);         // alt_stat_name
    content_[std::string(kEds)][name] = Payload(name, Field(5, Field(1, text) + Field(2, "")));  // named_endpoints
    Changed();
  }
  void Drop(const std::string& name) {
    for (auto& [type, bodies] : content_) bodies.erase(name);
    Changed();
  }

  // ---- Whether it is there.
  void Kill() {
    up_ = false;
    for (auto& [number, session] : sessions_) Stream(number).Close(absl::UnavailableError("killed"));
    sessions_.clear();
  }
  void Start() { up_ = true; }
  bool is_up() const { return up_; }

  // Takes and sends one message on each stream, and deals with new streams. False: there was nothing to do.
  bool Step() {
    bool busy = false;
    for (; seen_ < channel_.streams().size(); ++seen_) {
      busy = true;
      attempts_.push_back(clock_.Now());
      if (!up_) {
        Stream(seen_).Close(absl::UnavailableError("nobody listens"));
        continue;
      }
      sessions_.emplace(seen_, protocol::ServerSession({.variant = variant_, .only_type = {}}));
      Stream(seen_).Connect();
    }
    for (auto& [number, session] : sessions_) busy |= Serve(Stream(number), &session);
    return busy;
  }

  // When streams were opened.
  const std::deque<base::Time>& attempts() const { return attempts_; }

  std::shared_ptr<const protocol::TypeSnapshot> Find(std::string_view type_url) const override {
    const auto found = snapshots_.find(type_url);
    return found == snapshots_.end() ? nullptr : found->second;
  }

 private:
  // The names that a snapshot looks into live as long as it.
  struct Snapshot : protocol::TypeSnapshot {
    std::deque<std::string> texts;
  };

  FakeStream& Stream(std::size_t number) { return channel_.streams()[number]; }

  void Changed() {
    for (const auto& [type, bodies] : content_) {
      auto snapshot = std::make_shared<Snapshot>();
      std::string all;
      for (const auto& [name, body] : bodies) {
        all += name + body;
        const std::string& kept = snapshot->texts.emplace_back(name);
        const std::string& version = snapshot->texts.emplace_back(VersionOf(body));
        snapshot->Add({.name = kept, .version = version});
      }
      snapshot->version = VersionOf(all);
      snapshots_[type] = std::move(snapshot);
    }
  }
  static std::string VersionOf(const std::string& body) { return fmt::format("{:x}", std::hash<std::string>()(body)); }

  bool Serve(FakeStream& stream, protocol::ServerSession* session) {
    bool busy = false;
    if (stream.writing) {
      stream.Written();
      busy = true;
    }
    while (!stream.written.empty()) {
      EXPECT_TRUE(session->OnRequest(std::move(stream.written.front())).ok());
      stream.written.erase(stream.written.begin());
      busy = true;
    }
    if (!stream.reading) return busy;
    if (const auto response = session->Next(*this, clock_.Now().time_since_epoch())) {
      stream.Deliver(BytesOf(*response));
      busy = true;
    }
    return busy;
  }

  std::string BytesOf(const protocol::ServerResponse& response) const {
    std::string bytes =
        variant_ == protocol::Variant::kSotw
            ? protocol::SotwEnvelope(response.version, response.type_url, response.nonce)
            : protocol::DeltaEnvelope(response.version, response.type_url, response.nonce, response.removed);
    for (std::size_t i = 0; i < response.resource_count(); ++i) {
      const auto& entry = response.snapshot->resources[response.all ? i : response.resources[i]];
      const std::string& body = content_.at(response.type_url).at(std::string(entry.name));
      bytes += variant_ == protocol::Variant::kSotw ? protocol::EncodeSotwEntry(response.type_url, body)
                                                    : protocol::EncodeDeltaEntry({.name = entry.name,
                                                                                  .version = entry.version,
                                                                                  .aliases = {},
                                                                                  .type_url = response.type_url,
                                                                                  .payload = body});
    }
    return bytes;
  }

  FakeChannel& channel_;
  base::Clock& clock_;
  const protocol::Variant variant_;
  bool up_ = true;
  Content content_;
  std::map<std::string, std::shared_ptr<const protocol::TypeSnapshot>, std::less<>> snapshots_;
  std::map<std::size_t, protocol::ServerSession> sessions_;  // by stream
  std::size_t seen_ = 0;                                     // streams
  std::deque<base::Time> attempts_;
};

}  // namespace xdscope::fake
