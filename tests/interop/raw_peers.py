"""Peers that are no gRPC server: what a person meets who got the port wrong."""

import contextlib
import socket
import ssl
import threading


@contextlib.contextmanager
def listener(talk, context=None):
    """A TCP listener; talk(connection) runs for each connection, in its own thread. Yields HOST:PORT."""
    server = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def serve(connection):
        with contextlib.suppress(OSError, ssl.SSLError), connection:
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            talk(connection, done)

    def accept():
        while not done.is_set():
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield "127.0.0.1:%d" % server.getsockname()[1]
    finally:
        done.set()
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()


def http1(connection, done):
    """An HTTP/1.1 server that has never heard of HTTP/2."""
    connection.recv(4096)
    body = b"<html>400 Bad Request</html>"
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n"
                       b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def mute(connection, done):
    """Accepts and says nothing."""
    done.wait()


def hangs_up(connection, done):
    """Accepts and closes at once."""


def noise(connection, done):
    """Sends bytes that are no protocol."""
    connection.sendall(b"\xde\xad\xbe\xef" * 64)
    connection.recv(4096)


def tls_http1_context(certificate, key):
    """A TLS server that offers HTTP/1.1 alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    return context


def refused():
    """An address that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return "127.0.0.1:%d" % server.getsockname()[1]


