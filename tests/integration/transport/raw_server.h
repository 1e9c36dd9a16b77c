// A TCP server on a free port of 127.0.0.1 that says one thing to everybody.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace xdscope::integration {

class RawServer {
 public:
  enum class After { kClose, kHold };

  // Each connection: waits for the first bytes unless `answer` is empty, sends `answer`, then closes or holds it open.
  RawServer(std::string answer, After after) : answer_(std::move(answer)), after_(after) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    listen(listener_, 16);
    thread_ = std::thread([this] { Serve(); });
  }
  ~RawServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    for (const int connection : held_) close(connection);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

  // What the last connection began with.
  std::string received() const {
    const std::lock_guard lock(mutex_);
    return received_;
  }

 private:
  void Serve() {
    for (;;) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      if (!answer_.empty()) Answer(connection);
      if (after_ == After::kHold) {
        held_.push_back(connection);
      } else {
        close(connection);
      }
    }
  }

  void Answer(int connection) {
    std::array<char, 4096> bytes{};
    const ssize_t size = recv(connection, bytes.data(), bytes.size(), 0);
    if (size <= 0) return;
    {
      const std::lock_guard lock(mutex_);
      received_.assign(bytes.data(), static_cast<std::size_t>(size));
    }
    (void)send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL);
  }

  const std::string answer_;
  const After after_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<int> held_;
  mutable std::mutex mutex_;
  std::string received_;
  std::thread thread_;
};

}  // namespace xdscope::integration
