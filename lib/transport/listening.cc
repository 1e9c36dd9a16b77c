#include "lib/transport/listening.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lib/base/status.h"

namespace xdscope::transport {
namespace {

base::Descriptor MakeSocket(int family) {
  return base::Descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

absl::Status Refused(const Target& address, std::string_view why) {
  return base::Error(absl::StatusCode::kUnavailable, fmt::format("{}: {}", address.Display(), why));
}

absl::Status Refused(const Target& address, int error) {
  std::string why = std::generic_category().message(error);
  if (why[0] >= 'A' && why[0] <= 'Z') why[0] = static_cast<char>(why[0] - 'A' + 'a');
  return Refused(address, why);
}

// A server that sends small answers must not wait for more to send; what is accepted inherits it.
void SetOptions(int socket) {
  const int on = 1;
  // Connections of an earlier server that are still closing are no hindrance.
  (void)setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // Of "[::]" alone this means anything: it is every address of IPv4 too.
  const int off = 0;
  (void)setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
}

int PortOf(const sockaddr& address) {
  return ntohs(address.sa_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

void SetPort(int port, sockaddr* address) {
  const std::uint16_t number = htons(static_cast<std::uint16_t>(port));
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = number;
  } else {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = number;
  }
}

// Adds a socket that listens. Returns 0, or the errno that says why nobody can listen there.
int ListenAt(const sockaddr* where, socklen_t size, Listening* listening) {
  base::Descriptor socket = MakeSocket(where->sa_family);
  if (!socket.is_open()) return errno;
  if (where->sa_family != AF_UNIX) SetOptions(socket.number());
  if (bind(socket.number(), where, size) != 0) return errno;
  if (listen(socket.number(), SOMAXCONN) != 0) return errno;
  sockaddr_storage bound{};
  socklen_t bound_size = sizeof(bound);
  auto* const generic = reinterpret_cast<sockaddr*>(&bound);
  if (where->sa_family != AF_UNIX && getsockname(socket.number(), generic, &bound_size) == 0) {
    listening->port = PortOf(*generic);
  }
  listening->sockets.push_back(std::move(socket));
  return 0;
}

absl::StatusOr<Listening> ListenTcp(const Target& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (error != 0) return Refused(address, gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, freeaddrinfo);
  // One address of a name may be there and another not (IPv6); but none may be somebody else's.
  Listening listening;
  int first = 0;
  for (addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (listening.port != 0) SetPort(listening.port, each->ai_addr);
    const int reason = ListenAt(each->ai_addr, each->ai_addrlen, &listening);
    if (reason == EADDRINUSE) return Refused(address, reason);
    if (first == 0) first = reason;
  }
  if (listening.sockets.empty()) return Refused(address, first);
  return listening;
}

bool IsSocket(const char* path) {
  struct stat about;
  return lstat(path, &about) == 0 && S_ISSOCK(about.st_mode);
}

// The file of a socket outlives a server that was killed. So this connects first: if somebody answers the address is in
// use, and if nobody does the file may go.
absl::StatusOr<Listening> ListenUnix(const Target& address) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  address.host.copy(where.sun_path, sizeof(where.sun_path) - 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&where);
  const base::Descriptor client = MakeSocket(AF_UNIX);
  if (connect(client.number(), generic, sizeof(where)) == 0) return Refused(address, EADDRINUSE);
  if (errno == ECONNREFUSED && IsSocket(where.sun_path)) (void)unlink(where.sun_path);
  Listening listening;
  const int reason = ListenAt(generic, sizeof(where), &listening);
  if (reason != 0) return Refused(address, reason);
  listening.file = where.sun_path;
  return listening;
}

}  // namespace

absl::StatusOr<Target> ParseListenAddress(std::string_view text) {
  absl::StatusOr<Target> target = ParseTarget(text.starts_with(':') ? fmt::format("[::]{}", text) : std::string(text));
  if (!target.ok()) return target.status();
  if (target->family == Target::Family::kUnixAbstract || target->security != Target::Security::kUnsaid) {
    return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: expected HOST:PORT or unix:PATH", text));
  }
  return target;
}

absl::StatusOr<Listening> Listen(const Target& address) {
  return address.family == Target::Family::kTcp ? ListenTcp(address) : ListenUnix(address);
}

}  // namespace xdscope::transport
