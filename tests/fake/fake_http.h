// An HTTP client without a network: a test sees what was posted and says what happens.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "lib/transport/http_client.h"

namespace xdscope::fake {

// One request; lives as long as its client.
struct FakePost {
  void Connect() { told.connected(); }
  void Answer(int status, std::string text, transport::Metadata headers = {}) {
    Connect();
    End(transport::HttpAnswer{status, std::move(headers), std::make_shared<const std::string>(std::move(text))});
  }
  void End(absl::StatusOr<transport::HttpAnswer> answer) {
    ASSERT_FALSE(dropped) << "the request was given up";
    told.done(std::move(answer));
  }

  std::string path;
  std::string body;
  transport::HttpClient::Told told;
  bool dropped = false;  // its owner has destroyed it
};

class FakeHttp final : public transport::HttpClient {
 public:
  explicit FakeHttp(std::deque<FakePost>& posts) : posts_(posts) {}

  std::unique_ptr<transport::HttpExchange> Post(const std::string& path, std::string body, Told told) override {
    return std::make_unique<Handle>(posts_.emplace_back(FakePost{path, std::move(body), std::move(told)}));
  }

 private:
  class Handle final : public transport::HttpExchange {
   public:
    explicit Handle(FakePost& post) : post_(post) {}
    ~Handle() override { post_.dropped = true; }

   private:
    FakePost& post_;
  };

  std::deque<FakePost>& posts_;  // all that were ever made, oldest first
};

}  // namespace xdscope::fake
