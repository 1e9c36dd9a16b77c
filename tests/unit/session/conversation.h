// What the tests of both sessions share: responses as a server writes them, a judge that says what it is told, and
// events written down.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/fields.h"
#include "lib/session/session.h"

namespace xdscope::session {

inline constexpr std::string_view kClusters = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

// A SotW DiscoveryResponse with resources of these names, wrapped so that they have one.
inline std::string Response(std::string_view version, std::string_view nonce, const std::vector<std::string>& names) {
  std::string out;
  base::AppendBytes(&out, 1, version);
  for (const std::string& name : names) {
    std::string payload;
    base::AppendBytes(&payload, 1, kClusters);
    std::string wrapper;
    base::AppendBytes(&wrapper, 3, name);
    base::AppendBytes(&wrapper, 2, payload);
    std::string any;
    base::AppendBytes(&any, 1, "type.googleapis.com/envoy.service.discovery.v3.Resource");
    base::AppendBytes(&any, 2, wrapper);
    base::AppendBytes(&out, 2, any);
  }
  base::AppendBytes(&out, 4, kClusters);
  base::AppendBytes(&out, 5, nonce);
  return out;
}

inline protocol::Request Decoded(const std::string& bytes) {
  auto request = protocol::DecodeRequest(protocol::Variant::kSotw, bytes);
  return request.ok() ? *std::move(request) : protocol::Request{};
}

class Log final : public SessionEvents {
 public:
  void OnConnected() override { ++connected; }
  void OnRequest(const protocol::Request& request) override { requests.push_back(request); }
  void OnResponse(protocol::Response response, const Verdict& verdict) override {
    responses.push_back(std::move(response));
    verdicts.push_back(verdict);
    if (on_response) on_response();
  }
  void OnUnreadable(const absl::Status& status, const transport::Bytes& bytes) override {
    unreadable.emplace_back(status, *bytes);
  }
  void OnClosed(const absl::Status& status, bool had) override {
    closed.push_back(status);
    had_response = had;
  }

  int connected = 0;
  std::vector<protocol::Request> requests;
  std::vector<protocol::Response> responses;
  std::vector<Verdict> verdicts;
  std::vector<std::pair<absl::Status, std::string>> unreadable;
  std::vector<absl::Status> closed;
  bool had_response = false;
  std::function<void()> on_response;
};

}  // namespace xdscope::session
