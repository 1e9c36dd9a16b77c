// What the tests of sessions share: responses as a server writes them, and events written down.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/session/session.h"
#include "tests/fake/messages.h"

namespace xdscope::session {

inline constexpr std::string_view kClusters = fake::kCds;

// A SotW DiscoveryResponse with clusters of these names, in wrappers.
inline std::string Response(std::string_view version, std::string_view nonce, const std::vector<std::string>& names) {
  fake::Response response{.type_url = kClusters, .version = std::string(version), .nonce = std::string(nonce)};
  for (const std::string& name : names) response.resources.push_back({.name = name, .wrapped = true});
  return fake::Sotw(response);
}

inline protocol::Request Decoded(const std::string& bytes) {
  auto request = protocol::DecodeRequest(protocol::Variant::kSotw, bytes);
  return request.ok() ? *std::move(request) : protocol::Request{};
}

// Writes down what a session tells.
class Log {
 public:
  Listener listener() {
    return [this](Event event) { std::visit(*this, std::move(event)); };
  }

  void operator()(Connected&&) { ++connected; }
  void operator()(Asked&& asked) { requests.push_back(std::move(asked.request)); }
  void operator()(protocol::Response&& response) {
    responses.push_back(std::move(response));
    if (on_response) on_response();
  }
  void operator()(Unchanged&&) { ++unchanged; }
  void operator()(Unreadable&& what) { unreadable.push_back(std::move(what)); }
  void operator()(Changed&& changed) { changes.push_back(std::move(changed.changes)); }
  void operator()(Closed&& what) {
    closed.push_back(what.status);
    last_closed = std::move(what);
  }

  int connected = 0;
  int unchanged = 0;
  std::vector<protocol::Request> requests;
  std::vector<protocol::Response> responses;
  std::vector<Unreadable> unreadable;
  std::vector<protocol::Changes> changes;
  std::vector<absl::Status> closed;
  Closed last_closed;
  std::function<void()> on_response;
};

}  // namespace xdscope::session
