#include "lib/transport/acceptor.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <list>
#include <string>
#include <system_error>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "lib/base/status.h"

namespace xdscope::transport {

struct Acceptor::State : std::enable_shared_from_this<State> {
  using Socket = boost::asio::posix::stream_descriptor;

  void Wait(Socket& socket);
  bool TakeAll(int socket);

  Taken taken;
  Failed failed;
  std::string file;
  std::list<Socket> sockets;  // a list: handlers know their addresses
};

// The handler may be on its way already when the acceptor goes, so it looks whether there is one.
void Acceptor::State::Wait(Socket& socket) {
  socket.async_wait(Socket::wait_read, [weak = weak_from_this(), &socket](const boost::system::error_code& error) {
    const std::shared_ptr<State> state = weak.lock();
    if (state != nullptr && !error && state->TakeAll(socket.native_handle())) state->Wait(socket);
  });
}

// Takes all clients that wait. Returns false when no more can be taken at all. Every other error is about the one
// client, which has left.
bool Acceptor::State::TakeAll(int socket) {
  for (;;) {
    base::Descriptor connection(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.is_open()) {
      taken(std::move(connection));
    } else if (errno == EAGAIN) {
      return true;
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      failed(base::Error(absl::StatusCode::kResourceExhausted, std::generic_category().message(errno)));
      return false;
    }
  }
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
