#include "lib/transport/acceptor.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <list>
#include <string>
#include <system_error>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "lib/base/status.h"

namespace xdscope::transport {

namespace {

// Returns true for the errors of accept() that are about the one client, which has left or is not let in.
bool IsOfTheClient(int error) {
  constexpr int kErrors[] = {EINTR,     ECONNABORTED, EPERM,        EPROTO,     ENETDOWN,   ENOPROTOOPT,
                             EHOSTDOWN, ENONET,       EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH};
  return std::find(std::begin(kErrors), std::end(kErrors), error) != std::end(kErrors);
}

}  // namespace

struct Acceptor::State : std::enable_shared_from_this<State> {
  using Socket = boost::asio::posix::stream_descriptor;

  void Wait(Socket& socket);
  bool TakeSome(int socket);

  Taken taken;
  Failed failed;
  std::string file;
  std::list<Socket> sockets;  // a list: handlers know their addresses
};

// The handler may be on its way already when the acceptor goes, so it looks whether there is one.
void Acceptor::State::Wait(Socket& socket) {
  socket.async_wait(Socket::wait_read, [weak = weak_from_this(), &socket](const boost::system::error_code& error) {
    const std::shared_ptr<State> state = weak.lock();
    if (state != nullptr && !error && state->TakeSome(socket.native_handle())) state->Wait(socket);
  });
}

// Takes clients that wait, of many some at once, so that the loop has time for those that are here. Returns false when
// no more can be taken.
bool Acceptor::State::TakeSome(int socket) {
  constexpr int kAtOnce = 100;
  for (int i = 0; i < kAtOnce; ++i) {
    base::Descriptor connection(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.is_open()) {
      taken(std::move(connection));
    } else if (errno == EAGAIN) {
      return true;
    } else if (!IsOfTheClient(errno)) {
      failed(base::Error(absl::StatusCode::kResourceExhausted, std::generic_category().message(errno)));
      return false;
    }
  }
  return true;
}

Acceptor::Acceptor(base::Loop& loop, Listening listening, Taken taken, Failed failed)
    : state_(std::make_shared<State>()) {
  state_->taken = std::move(taken);
  state_->failed = std::move(failed);
  state_->file = std::move(listening.file);
  for (base::Descriptor& socket : listening.sockets) {
    state_->Wait(state_->sockets.emplace_back(loop.context(), std::move(socket).Release()));
  }
}

Acceptor::~Acceptor() {
  if (!state_->file.empty()) (void)unlink(state_->file.c_str());
}

}  // namespace xdscope::transport
