// A request to an HTTP server without a network: a test sees how it was answered.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/transport/http_server.h"

namespace xdscope::fake {

// The client's end of one request.
struct FakeClient {
  std::optional<transport::HttpReply> reply;
  bool dropped = false;  // the server holds the request no more
  std::function<void()> gone;

  std::string body() const { return reply && reply->body != nullptr ? *reply->body : std::string(); }
  int status() const { return reply ? reply->status : 0; }
  void Leave() { std::exchange(gone, nullptr)(); }

  // Makes the request; the client must outlive it.
  std::unique_ptr<transport::HttpCall> Call(std::string method, std::string path, std::string text) {
    return std::make_unique<Handle>(
        *this, transport::HttpRequest{std::move(method), std::move(path), "127.0.0.1:1", std::move(text)});
  }

 private:
  class Handle final : public transport::HttpCall {
   public:
    Handle(FakeClient& client, transport::HttpRequest request) : client_(client), request_(std::move(request)) {}
    ~Handle() override { client_.dropped = true; }

    const transport::HttpRequest& request() const override { return request_; }
    void WhenGone(std::function<void()> told) override { client_.gone = std::move(told); }
    void Reply(transport::HttpReply answer) override {
      EXPECT_FALSE(client_.reply) << "answered twice";
      client_.reply = std::move(answer);
    }

   private:
    FakeClient& client_;
    const transport::HttpRequest request_;
  };
};

}  // namespace xdscope::fake
