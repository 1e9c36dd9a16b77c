#include "lib/transport/listening.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "lib/base/descriptor.h"
#include "lib/base/status.h"

namespace xdscope::transport {
namespace {

base::Descriptor MakeSocket(int family) {
  return base::Descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

absl::Status Refused(const Target& address, std::string_view why) {
  return base::Error(absl::StatusCode::kUnavailable, fmt::format("{}: {}", address.Display(), why));
}

absl::Status Refused(const Target& address, int error) {
  std::string why = std::generic_category().message(error);
  if (why[0] >= 'A' && why[0] <= 'Z') why[0] = static_cast<char>(why[0] - 'A' + 'a');
  return Refused(address, why);
}

int ListenOn(const addrinfo& where) {
  const base::Descriptor candidate = MakeSocket(where.ai_family);
  const int on = 1;
  if (!candidate.is_open()) return errno;
  (void)setsockopt(candidate.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(candidate.number(), where.ai_addr, where.ai_addrlen) != 0) return errno;
  return listen(candidate.number(), 1) == 0 ? 0 : errno;
}

absl::Status TryTcp(const Target& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (error != 0) return Refused(address, gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, freeaddrinfo);
  // One address of a name may be there and another not (IPv6); but none may be somebody else's.
  int first = 0;
  bool listens = false;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const int reason = ListenOn(*each);
    if (reason == EADDRINUSE) return Refused(address, reason);
    if (first == 0) first = reason;
    listens = listens || reason == 0;
  }
  return listens ? absl::OkStatus() : Refused(address, first);
}

// Where a socket's file stands in the way, gRPC takes it for a dead one's and deletes it; whether somebody still
// listens there shows when one knocks.
absl::Status TryUnix(const Target& address) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  address.host.copy(where.sun_path, sizeof(where.sun_path) - 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&where);
  const base::Descriptor client = MakeSocket(AF_UNIX);
  if (connect(client.number(), generic, sizeof(where)) == 0) return Refused(address, EADDRINUSE);
  if (errno == ECONNREFUSED) return absl::OkStatus();
  const base::Descriptor server = MakeSocket(AF_UNIX);
  if (bind(server.number(), generic, sizeof(where)) != 0) return Refused(address, errno);
  (void)unlink(where.sun_path);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Target> ParseListenAddress(std::string_view text) {
  absl::StatusOr<Target> target = ParseTarget(text.starts_with(':') ? fmt::format("[::]{}", text) : std::string(text));
  if (!target.ok()) return target.status();
  if (target->kind == Target::Kind::kUnixAbstract || target->security != Target::Security::kUnsaid) {
    return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: expected HOST:PORT or unix:PATH", text));
  }
  return target;
}

absl::Status TryToListen(const Target& address) {
  return address.kind == Target::Kind::kTcp ? TryTcp(address) : TryUnix(address);
}

}  // namespace xdscope::transport
