#include "lib/transport/raw_socket.h"

#include <netdb.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <thread>
#include <utility>

namespace xdscope::transport {
namespace {

struct Resolved {
  std::vector<Address> addresses;
  std::string why;
};

std::string Numeric(const addrinfo& info) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(info.ai_addr, info.ai_addrlen, host.data(), host.size(), port.data(), port.size(),
              NI_NUMERICHOST | NI_NUMERICSERV);
  const bool v6 = info.ai_family == AF_INET6;
  return (v6 ? "[" : "") + std::string(host.data()) + (v6 ? "]:" : ":") + port.data();
}

Resolved LookUp(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (error != 0) return {{}, gai_strerror(error)};
  Resolved resolved;
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next) {
    Address& address = resolved.addresses.emplace_back();
    std::memcpy(&address.storage, info->ai_addr, info->ai_addrlen);
    address.size = info->ai_addrlen;
    address.text = Numeric(*info);
  }
  freeaddrinfo(list);
  return resolved;
}

// The target has checked that the path fits.
Address UnixAddress(const Target& target) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const bool abstract = target.kind == Target::Kind::kUnixAbstract;
  target.host.copy(name.sun_path + (abstract ? 1 : 0), sizeof name.sun_path - 1);
  Address address;
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + target.host.size() + 1);
  std::memcpy(&address.storage, &name, address.size);
  address.text = target.Display();
  return address;
}

}  // namespace

std::vector<Address> Resolve(const Target& target, std::chrono::milliseconds limit, std::string* why) {
  if (target.kind != Target::Kind::kTcp) return {UnixAddress(target)};
  // getaddrinfo() has no time limit of its own: a thread that is late is left to itself.
  auto promise = std::make_shared<std::promise<Resolved>>();
  std::future<Resolved> future = promise->get_future();
  std::thread([promise, host = target.host, port = target.port] { promise->set_value(LookUp(host, port)); }).detach();
  if (future.wait_for(limit) != std::future_status::ready) {
    *why = "no answer from the name server";
    return {};
  }
  Resolved resolved = future.get();
  *why = std::move(resolved.why);
  return std::move(resolved.addresses);
}

int RawSocket::Connect(const Address& address, std::chrono::milliseconds limit) {
  deadline_ = std::chrono::steady_clock::now() + limit;
  const auto* name = reinterpret_cast<const sockaddr*>(&address.storage);
  socket_ = base::Descriptor(socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_.is_open()) return errno;
  if (connect(socket_.number(), name, address.size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!Wait(POLLOUT)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket_.number(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

bool RawSocket::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EINTR && (errno != EAGAIN || !Wait(POLLOUT))) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> RawSocket::Receive() {
  std::array<char, 16384> buffer{};
  while (Wait(POLLIN)) {
    const ssize_t received = recv(socket_.number(), buffer.data(), buffer.size(), 0);
    if (received >= 0) return std::string(buffer.data(), static_cast<std::size_t>(received));
    if (errno != EAGAIN && errno != EINTR) return "";
  }
  return std::nullopt;
}

bool RawSocket::Wait(short events) const {
  pollfd waiting{socket_.number(), events, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    const int ready = poll(&waiting, 1, static_cast<int>(std::max(left.count(), std::chrono::milliseconds::rep{0})));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

}  // namespace xdscope::transport
