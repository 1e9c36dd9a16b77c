"""A server that does nothing by itself: a test pushes each response, and reads each request. What is pushed leaves after
the stream's first request.

    with DrivenServer() as server:
        ...
        stream = server.stream(0)                  # waits for the first stream
        stream.push(api.response(...))
        stream.fail(grpc.StatusCode.UNAVAILABLE, "gone")
"""

import queue
import threading
import time

import api
from scripted_server import ScriptedServer


class Stream:
    """One stream of a client. What went over it is in `log`, in the order in which the server saw it."""

    def __init__(self, call):
        self.call = call
        self.method = call.method
        self.began = time.monotonic()
        self.log = []  # requests and responses; bytes that a test sent stay bytes
        self.responses = queue.SimpleQueue()
        self.asked = threading.Event()
        if not call.context.add_callback(self.close):  # it is over already
            self.close()

    def take(self):
        """Takes requests until the client leaves."""
        while (request := self.call.next()) is not None:
            self.log.append(request)
            self.asked.set()

    def push(self, *responses):
        for response in responses:
            self.responses.put(response)

    def close(self):
        """Ends it with OK."""
        self.responses.put(None)

    def fail(self, code, text):
        self.responses.put((code, text))


class DrivenServer(ScriptedServer):
    """Takes every stream of ADS and of each type's own methods."""

    def __init__(self):
        methods = [api.ADS, api.DELTA_ADS]
        methods += [api.method(short, kind) for short in api.V3 for kind in ("stream", "delta")]
        super().__init__({method: self._serve for method in methods})
        self.streams = []

    def stream(self, number=0, seconds=20):
        """The stream of this number, in the order in which they came."""
        if not self.wait_for(lambda _: len(self.streams) > number, seconds):
            raise AssertionError(f"no stream {number} came, only {len(self.streams)}")
        return self.streams[number]

    def request(self, number, seconds=20):
        """The request of this number, over all streams; waits for it."""
        if not self.wait_for(lambda _: len(self.requests) > number, seconds):
            raise AssertionError(f"no request {number} came, only {self.requests}")
        return self.requests[number][1]

    def _serve(self, call):
        stream = Stream(call)
        with self._changed:
            self.streams.append(stream)
            self._changed.notify_all()
        threading.Thread(target=stream.take, daemon=True).start()
        while (response := stream.responses.get()) is not None:
            if isinstance(response, tuple):
                call.fail(*response)
            stream.asked.wait()
            stream.log.append(response)
            yield response


def cluster(name, **fields):
    return api.resource("cds", {"name": name, "connect_timeout": "1s", **fields})


def clusters(version, *names, nonce=None, **fields):
    """A response of CDS with these names; its nonce is "n" and the version unless told."""
    return api.response(api.url("cds"), [cluster(name) for name in names], version=str(version),
                        nonce=f"n{version}" if nonce is None else nonce, **fields)


def endpoints(version, *names, nonce=None):
    """A response of EDS; likewise."""
    return api.response(api.url("eds"), [api.resource("eds", {"cluster_name": name}) for name in names],
                        version=str(version), nonce=f"e{version}" if nonce is None else nonce)
