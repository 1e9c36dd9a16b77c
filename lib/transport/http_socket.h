// A socket that HTTP/1.1 is spoken on, as Boost.Beast reads and writes it: plain at first, TLS once that was begun, so
// that one piece of code serves both. For the .cc files of this folder.
#pragma once

#include <openssl/ssl.h>

#include <optional>
#include <utility>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace xdscope::transport {

class HttpSocket {
 public:
  using Plain = boost::asio::generic::stream_protocol::socket;
  using Tls = boost::asio::ssl::stream<Plain&>;
  using executor_type = Plain::executor_type;

  explicit HttpSocket(boost::asio::io_context& context) : plain_(context) {}
  explicit HttpSocket(Plain plain) : plain_(std::move(plain)) {}

  Plain& plain() { return plain_; }
  // Lets what follows go through TLS, whose handshake is the caller's.
  Tls& StartTls(SSL_CTX* settings) {
    SSL_CTX_up_ref(settings);
    return tls_.emplace(plain_, context_.emplace(settings));
  }
  // Demands that it was started.
  Tls& StartedTls() { return *tls_; }

  // What Boost.Asio asks of a stream; the names are its own.
  executor_type get_executor() { return plain_.get_executor(); }
  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_read_some(buffers, std::forward<Handler>(handler))
         : plain_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_write_some(buffers, std::forward<Handler>(handler))
         : plain_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  Plain plain_;
  std::optional<boost::asio::ssl::context> context_;  // owns a share of the settings
  std::optional<Tls> tls_;
};

}  // namespace xdscope::transport
