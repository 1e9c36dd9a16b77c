"""A gRPC server that does what a test tells it to, right or wrong.

A script is a generator, one per call: it takes the requests of the client and yields responses, messages or raw bytes.
Every request is recorded, so that a test can assert on the exact sequence.

    def script(call):
        first = call.next()                    # None when the client has left
        yield api.response(...)
        ack = call.next()

    with ScriptedServer({api.ADS: script}) as server:
        run("fetch", server.address, "cds")
        server.requests                        # list of (method, request)
"""

import concurrent.futures
import threading
import time

import grpc

import api


class Call:
    """What a script sees of one call: the requests, the metadata and how to end it with an error."""

    def __init__(self, server, method, requests, context):
        self.method = method
        self.metadata = {key: value for key, value in context.invocation_metadata()}
        self.context = context
        self._server = server
        self._requests = requests

    def next(self):
        """The next request, or None when the client has closed its side or is gone."""
        try:
            raw = next(self._requests)
        except (StopIteration, grpc.RpcError):
            self._server._record_end(self.method)
            return None
        except Exception:  # grpcio raises a bare Exception when the call was cancelled
            self._server._record_end(self.method)
            return None
        return self._server._record(self.method, raw)

    def drain(self):
        """Takes requests until the client leaves."""
        while self.next() is not None:
            pass

    def fail(self, code, text):
        self.context.abort(code, text)


class ScriptedServer(grpc.GenericRpcHandler):
    """Serves scripts by method path; any other method is UNIMPLEMENTED."""

    def __init__(self, scripts, unary=None, credentials=None):
        self.scripts = scripts
        self.unary = unary or {}
        self.requests = []
        self.ended = []
        self._changed = threading.Condition()
        self._server = grpc.server(
            concurrent.futures.ThreadPoolExecutor(max_workers=32), handlers=[self],
            options=[("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1)])
        if credentials:
            self.port = self._server.add_secure_port("127.0.0.1:0", credentials)
        else:
            self.port = self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{self.port}"

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self._server.stop(None).wait()

    def of(self, method):
        """The requests of one method, in order."""
        return [request for called, request in self.requests if called == method]

    def wait_for(self, predicate, seconds=5):
        """Waits until predicate(self) holds; the client's last words may arrive after its process has ended."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while not predicate(self):
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return predicate(self)
        return True

    def service(self, details):
        if details.method in self.scripts:
            return grpc.stream_stream_rpc_method_handler(self._stream(details.method))
        if details.method in self.unary:
            return grpc.unary_unary_rpc_method_handler(self._unary(details.method))
        return None

    def _stream(self, method):
        def behavior(requests, context):
            for out in self.scripts[method](Call(self, method, requests, context)):
                yield _bytes(out)
        return behavior

    def _unary(self, method):
        def behavior(raw, context):
            request = self._record(method, raw)
            call = Call(self, method, iter(()), context)
            return _bytes(self.unary[method](call, request))
        return behavior

    def _record(self, method, raw):
        request = decode_request(method, raw)
        with self._changed:
            self.requests.append((method, request))
            self._changed.notify_all()
        return request

    def _record_end(self, method):
        with self._changed:
            self.ended.append(method)
            self._changed.notify_all()


def decode_request(method, raw):
    version = "envoy.api.v2" if ".v2." in method.rsplit("/", 1)[0] else "envoy.service.discovery.v3"
    kind = "DeltaDiscoveryRequest" if "/Delta" in method else "DiscoveryRequest"
    return api.cls(f"{version}.{kind}").FromString(raw)


def _bytes(out):
    return out if isinstance(out, bytes) else out.SerializeToString()


# Scripts that many tests use.


def silent(call):
    """Takes every request, says nothing."""
    call.drain()
    return
    yield


def closes_with(code=None, text="", after=0, responses=()):
    """Yields `responses`, having taken `after` requests first, and ends the call: OK, or with `code`."""
    def script(call):
        for _ in range(after):
            call.next()
        for response in responses:
            yield response
        if code is not None:
            call.fail(code, text)
    return script


def says(*responses):
    """Takes one request, sends the responses, then listens until the client leaves."""
    def script(call):
        if call.next() is None:
            return
        for response in responses:
            yield response
        call.drain()
    return script


def answers(table):
    """An honest SotW server: `table` is type URL -> {name: Any}; answers each change of the names that are wanted."""
    def script(call):
        wanted, count = {}, 0
        while (request := call.next()) is not None:
            names = list(request.resource_names)
            if wanted.get(request.type_url) == names:
                continue
            wanted[request.type_url] = names
            held = table.get(request.type_url, {})
            chosen = [held[name] for name in names if name in held] if names and "*" not in names else list(held.values())
            full = request.type_url.endswith((".Cluster", ".Listener"))
            if not chosen and names and not full:
                continue
            count += 1
            yield api.response(request.type_url, chosen, nonce=f"n{count}", v2=".v2." in call.method.rsplit("/", 1)[0])
    return script


def answers_delta(table):
    """An honest delta server: `table` is type URL -> {name: Any}; what does not exist is in removed_resources."""
    def script(call):
        seen, count = set(), 0
        while (request := call.next()) is not None:
            first = request.type_url not in seen
            seen.add(request.type_url)
            names = list(request.resource_names_subscribe)
            if not names and not first:
                continue
            held = table.get(request.type_url, {})
            everything = not names or "*" in names
            chosen = list(held) if everything else [name for name in names if name in held]
            count += 1
            v2 = ".v2." in call.method.rsplit("/", 1)[0]
            entries = [_entry(name, held[name], v2) for name in chosen]
            removed = [name for name in names if name not in held and name != "*"]
            yield api.delta_response(request.type_url, entries, removed, nonce=f"n{count}", v2=v2)
    return script


def _entry(name, payload, v2):
    entry = api.cls("envoy.api.v2.Resource" if v2 else "envoy.service.discovery.v3.Resource")(name=name, version="1")
    entry.resource.CopyFrom(payload)
    return entry
