"""REST-JSON: fetch from scripted servers and from `serve`, and what `serve` answers (protocol.md E.2)."""

import contextlib
import functools
import gzip
import http.client
import http.server
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

import api
from harness import NODE, Case, GcpServer, by_type, environment, program, run, texts
from served import Serve, cluster, copy_example, endpoints, swap, write
from test_tls import authority, certificate

VARIANTS = ("ads", "delta-ads", "sotw", "delta", "unary")


class Scripted:
    """A server whose answers a test gives: path -> (status, body, headers), or a function of the request."""

    def __init__(self, answers):
        self.answers, self.requests = answers, []

    def __enter__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.requests.append((self.path, headers, body, self.client_address))
                answer = outer.answers.get(self.path.rsplit(":", 1)[-1], (404, ""))
                status, text, *headers = answer(body) if callable(answer) else answer
                data = text if isinstance(text, bytes) else text.encode()
                try:
                    self.answer(status, data, headers[0] if headers else {})
                except OSError:
                    pass  # the client has left

            def answer(self, status, data, headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Tunnel:
    """A proxy that takes each CONNECT to one address, wherever it was to go, or refuses it with `answer`."""

    def __init__(self, address):
        self.address, self.answer, self.requests = address, None, []

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self.socket.accept()[0],), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += client.recv(1)
            request, *lines = head.decode().strip().split("\r\n")
            self.requests.append((request, {name.lower(): value for name, value in (line.split(": ") for line in lines)}))
            if self.answer:
                client.sendall(self.answer)
                return
            host, port = self.address.rsplit(":", 1)
            with socket.create_connection((host, int(port))) as server:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                threading.Thread(target=self._carry, args=(server, client), daemon=True).start()
                self._carry(client, server)

    @staticmethod
    def _carry(here, there):
        with contextlib.suppress(OSError):
            while data := here.recv(65536):
                there.sendall(data)
            there.shutdown(socket.SHUT_WR)


class Raw:
    """A server that sends the same bytes to each client, whatever it asks."""

    def __init__(self, *pieces, hold=False):
        self.pieces, self.hold = pieces, hold

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client):
        with client:
            try:
                client.recv(65536)
                for piece in self.pieces:
                    for part in (piece() if callable(piece) else [piece]):
                        client.sendall(part)
                if self.hold:
                    client.recv(1)
            except OSError:
                pass


def body(version, *resources, **fields):
    return json.dumps({"version_info": version, "resources": list(resources), **fields})


def fetch(server, *args, **kwargs):
    return run("fetch", server.url, *args, "--node-id", NODE, **kwargs)


class Fetching(Case):
    def test_the_request_is_in_proto_names_and_has_the_node(self):  # XDS-R01, R10, R13, R14
        with Scripted({"endpoints": (200, body("1", endpoints("b"), endpoints("a")))}) as server:
            result = self.check(fetch(server, "eds:b,a", "--node-cluster", "c", "-o", "name"), 0)
            self.assertEqual(result.out, "eds:a\neds:b\n")
            path, headers, request, _ = server.requests[0]
        self.assertEqual(path, "/v3/discovery:endpoints")
        self.assertEqual(headers["content-type"], "application/json")
        self.assertEqual(request["resource_names"], ["a", "b"])
        self.assertEqual(request["type_url"], api.url("eds"))
        self.assertEqual((request["node"]["id"], request["node"]["cluster"]), (NODE, "c"))
        self.assertNotIn("version_info", request)

    def test_a_prefix_headers_and_gzip(self):
        answer = (200, gzip.compress(body("1", cluster("a")).encode()), {"content-encoding": "gzip"})
        with Scripted({"clusters": answer}) as server:
            self.check(run("fetch", server.url + "/base/", "cds", "-H", "authorization: Bearer x"), 0)
            path, headers, _, _ = server.requests[0]
        self.assertEqual(path, "/base/v3/discovery:clusters")
        self.assertEqual(headers["authorization"], "Bearer x")

    def test_references_are_followed_on_the_same_connection(self):
        eds = cluster("a", type="EDS", eds_cluster_config={"eds_config": {"ads": {}}})
        with Scripted({"clusters": (200, body("1", eds)), "listeners": (200, body("1")),
                       "endpoints": (200, body("1", endpoints("a")))}) as server:
            result = self.check(fetch(server, "-o", "name"), 0)
            self.assertEqual(result.out, "cds:a\neds:a\n")
            self.assertLess(len({address for *_, address in server.requests}), 3)

    def test_rest_sources_are_followed_to_the_server_that_was_asked(self):
        source = {"api_config_source": {"api_type": "REST", "cluster_names": ["plane"], "transport_api_version": "V3"}}
        eds = cluster("a", type="EDS", eds_cluster_config={"eds_config": source})
        with Scripted({"clusters": (200, body("1", eds)), "endpoints": (200, body("1", endpoints("a")))}) as server:
            self.assertEqual(self.check(fetch(server, "-o", "name"), 0).out, "cds:a\neds:a\n")

    def test_a_404_for_one_type_is_a_note(self):
        with Scripted({"clusters": (200, body("1", cluster("a")))}) as server:
            result = self.check(fetch(server, "-o", "name"), 0)
            self.assertIn("lds: nothing there: HTTP 404", result.err)
            result = self.check(fetch(server, "cds", "eds:x", "-o", "name"), 1)
            self.assertIn("absent: eds:x", result.err)
            self.failed(fetch(server, "eds:x"), 3, "HTTP 404", hint="prefix")

    def test_other_statuses_end_it(self):  # XDS-R03
        rows = ((503, "busy\x1b[2J", {}, "HTTP 503 Service Unavailable: \"busy\\x1b[2J\"", None),
                (307, "", {"location": "https://other/"}, "HTTP 307 Temporary Redirect to https://other/", "redirects"),
                (422, '{"detail":[{"loc":["body","node","cluster"]}]}', {}, "cluster", "--node-cluster"),
                (401, "", {}, "HTTP 401", "authorization"),
                (304, "", {}, "said no version", None))
        for status, text, headers, words, hint in rows:
            with self.subTest(status), Scripted({"clusters": (status, text, headers)}) as server:
                self.failed(fetch(server, "cds"), 3, words, hint=hint, within=5)

    def test_a_broken_body_is_named_by_line_and_column(self):
        broken = '{"version_info":"1","resources":[\n{"name":"a","@type":"' + api.url("cds") + '"},\n{"name":1}]}'
        with Scripted({"clusters": (200, broken), "secrets": (200, '{"resources":[{"x":"hush"')}) as server:
            self.failed(fetch(server, "cds"), 3, f"{server.url}/v3/discovery:clusters:3:1: resources[1]: has no @type")
            result = self.failed(fetch(server, "sds:a"), 3, ":1:26: unexpected end of the text")
            self.assertNotIn("hush", result.err)

    def test_a_request_that_takes_too_long(self):
        def slowly(_):
            time.sleep(3)
            return 200, "{}"
        with Scripted({"clusters": slowly}) as server:
            self.failed(fetch(server, "cds", "--request-timeout", "300ms"), 3, "no whole answer within 0.3s",
                        hint="--request-timeout", within=2)

    def test_a_proxy_is_used_and_not_for_loopback(self):
        with Scripted({"clusters": (200, body("1", cluster("a")))}) as proxy:
            env = {"http_proxy": proxy.url.replace("http://", "http://u:p@")}
            self.check(run("fetch", "http://xds.invalid/base", "cds", env=env), 0)
            path, headers, _, _ = proxy.requests[0]
            self.assertEqual(path, "http://xds.invalid/base/v3/discovery:clusters")
            self.assertTrue(headers["proxy-authorization"].startswith("Basic "))
            self.failed(run("fetch", "http://127.0.0.1:1", "cds", env=env), 3, "refused")

    def test_https_goes_through_a_tunnel(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        authority(folder, "ca")
        certificate(folder, "server", "ca", "DNS:xds.invalid")
        file = functools.partial(os.path.join, folder)
        mesh = file("mesh")
        os.mkdir(mesh)
        write(mesh, "cds.json", [cluster("a")])
        args = ["fetch", "https://xds.invalid", "cds", "-o", "name", "--cacert", file("ca.crt")]
        with RestServe(mesh, "--tls-cert", file("server.crt"), "--tls-key", file("server.key")) as served, \
                Tunnel(served.rest) as proxy:
            env = {"https_proxy": proxy.url.replace("http://", "http://u:p@")}
            self.assertEqual(self.check(run(*args, env=env), 0).out, "cds:a\n")
            (request, headers), = proxy.requests
            self.assertEqual(request, "CONNECT xds.invalid:443 HTTP/1.1")
            self.assertEqual(headers["proxy-authorization"], "Basic dTpw")
            self.failed(run(*args, env={**env, "no_proxy": ".invalid"}), 3, "xds.invalid")
            self.failed(run(*args, env={"http_proxy": proxy.url}), 3, "xds.invalid")
            self.assertEqual(len(proxy.requests), 1)
            proxy.answer = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
            self.failed(run(*args, env=env), 3, "407", within=5)
            proxy.answer = b"SSH-2.0-OpenSSH_9.2\r\n"
            self.failed(run(*args, env=env), 3, "proxy 127.0.0.1", within=5)

    def test_a_server_of_grpc(self):
        with GcpServer() as server:
            self.failed(run("fetch", f"http://{server.address}", "cds"), 3, "speaks HTTP/2", hint="HOST:PORT", within=5)

    def test_what_has_no_rest_form(self):  # XDS-R12
        self.failed(run("fetch", "http://127.0.0.1:1", "vhds"), 2, "no REST form")
        self.failed(run("fetch", "http://127.0.0.1:1", "leds"), 2, "no REST form")
        self.failed(run("fetch", "http://127.0.0.1:1", "type.googleapis.com/a.B"), 2, "no REST path")
        self.failed(run("fetch", "http://127.0.0.1:1", "cds", "--variant", "ads"), 2, "--variant", "REST")
        self.failed(run("fetch", "127.0.0.1:1", "cds", "--request-timeout", "1s"), 2, "--request-timeout", "REST")


class Watching(Case):
    """`watch` over REST: what one poll after the other brings."""

    def watch(self, answers, *flags, seconds=20):
        """The events, and the requests, of answers that are given one after the other; the last one stays."""
        left = list(answers)

        def answer(_):
            return left.pop(0) if len(left) > 1 else left[0]
        with Scripted({"clusters": answer}) as server:
            result = run("watch", server.url, "cds", "--poll", "100ms", "-o", "ndjson", *flags, timeout=seconds)
            return result, [json.loads(line) for line in result.out.splitlines()], server.requests

    def test_what_changes_from_poll_to_poll(self):  # XDS-R02, R03, R04, R07, R18
        answers = [(200, body("1", cluster("a"))), (304, ""), (503, "busy"), (200, "{"), (304, ""),
                   (200, body("2", cluster("a", type="EDS"), cluster("b")))]
        result, events, requests = self.watch(answers, "--count", "2")
        self.check(result, 0, within=15)
        self.assertEqual([event["event"] for event in events],
                         ["connected", "ack", "added", "error", "connected", "error", "connected", "ack", "changed", "added"])
        errors = [event for event in events if event["event"] == "error"]
        self.assertEqual([error["status"] for error in errors], ["HTTP 503", "DATA_LOSS"])
        self.assertEqual([request.get("version_info") for _, _, request, _ in requests], [None, "1", "1", "1", "1", "1"])

    def test_a_refused_body_keeps_the_old_version(self):  # XDS-R04
        bad = (200, body("2", cluster("a"), cluster("a")))
        for flags, said in ((["--error-detail"], True), ([], False)):
            with self.subTest(flags):
                result, _, requests = self.watch([(200, body("1", cluster("a"))), bad, (304, "")], "--on-invalid", "nack",
                                                 "--for", "2s", *flags)
                self.check(result, 0)
                self.assertEqual(requests[2][2]["version_info"], "1")
                self.assertEqual("error_detail" in requests[2][2], said)

    def test_a_server_that_repeats_itself(self):  # XDS-R09
        result, events, _ = self.watch([(200, body("1", cluster("a")))], "--count", "3", "-v")
        self.check(result, 0, within=15)
        self.assertEqual([event["event"] for event in events], ["connected", "ack", "added", "ack", "ack"])
        self.assertIn("the request said version '1' and is answered with 200 and what came before", result.err)
        self.assertIn("[XDS-R09]", result.err)

    def test_a_server_that_says_no_ends_it(self):
        result, events, _ = self.watch([(403, "no")])
        self.failed(result, 3, "HTTP 403", hint="authorization", within=5)
        self.failed(run("watch", "http://127.0.0.1:1", "cds"), 3, "refused", within=5)
        self.failed(run("watch", "http://127.0.0.1:1", "cds", "--poll", "1ms"), 2, "--poll")
        self.failed(run("watch", "127.0.0.1:1", "cds", "--poll", "1s"), 2, "--poll", "REST")

    def test_a_served_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "cds.json", [cluster("a")])
            with RestServe(folder, "--hold", "3s") as served:
                threading.Timer(1.5, swap, (folder, "cds.json", [cluster("a"), cluster("b")])).start()
                began = time.monotonic()
                result = run("watch", served.url, "cds", "--poll", "100ms", "--count", "2", "-o", "ndjson")
                self.check(result, 0)
                self.assertIn('"name":"b"', result.out)
                self.assertLess(time.monotonic() - began, 6)


class Talking(Case):
    def test_sub_is_one_poll_and_auto_polls_on(self):  # XDS-R04
        answers = [(200, body("1", cluster("a"))), (304, ""), (200, body("2", cluster("a"), cluster("b")))]

        def answer(_):
            return answers.pop(0) if len(answers) > 1 else answers[0]
        with tempfile.TemporaryDirectory() as folder, Scripted({"clusters": answer}) as server:
            write(folder, "script", "sub cds\nwait cds\nack cds\nsub cds\nexpect not cds b --for 300ms\n"
                                    "state\nauto nack\nsub cds\nwait cds\nwait cds\n")
            result = self.check(run("repl", server.url, "--poll", "100ms", "--script", os.path.join(folder, "script")), 0)
            self.assertIn("<- cds: nothing newer", result.err + result.out)
            self.assertRegex(result.out, r"\ncds .* ACKED\n")
            versions = [request.get("version_info") for _, _, request, _ in server.requests]
        self.assertEqual(versions[:3], [None, "1", "1"])
        self.assertGreaterEqual(len(versions), 4)
        self.assertEqual(set(versions[3:]), {"1"})  # what was refused is not said

    def test_another_stream_of_the_other_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "cds.json", [cluster("a")])
            with RestServe(folder) as served:
                write(folder, "script", f"open {served.url}\nsub cds\nexpect cds a\nopen delta-ads {served.address}\n"
                                        "sub cds\nexpect cds a\n")
                self.check(run("repl", served.address, "--auto", "ack", "--script", os.path.join(folder, "script")), 0)
                self.check(run("repl", served.url, "--auto", "ack", "--script", os.path.join(folder, "script")), 0)
                write(folder, "script", f"open delta {served.url}\n")
                self.assertIn("REST", run("repl", served.url, "--script", os.path.join(folder, "script")).err)


class Hostile(Case):
    HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"

    def test_bodies_that_do_not_end_well(self):
        def forever():
            while True:
                yield b"10000\r\n" + b" " * 0x10000 + b"\r\n"

        def headers():
            for number in range(100000):
                yield b"x-%d: y\r\n" % number
        bomb = gzip.compress(b" " * 200_000_000, 9)
        rows = (
            ("cut off", [self.HEAD + b"content-length: 100\r\n\r\n{"], "lost in the middle"),
            ("no length", [self.HEAD + b"\r\n{"], "unexpected end of the text"),
            ("longer than said", [self.HEAD + b"content-length: 2\r\n\r\n{}{}{}"], None),
            ("chunked for ever", [self.HEAD + b"transfer-encoding: chunked\r\n\r\n", forever], "limit of 10.0 MB"),
            ("no such chunk", [self.HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n"], "no HTTP/1.1"),
            ("too large", [self.HEAD + b"content-length: 99999999999\r\n\r\n"], "limit of 10.0 MB"),
            ("many headers", [b"HTTP/1.1 200 OK\r\n", headers], "headers of more than 64 kB"),
            ("a long header", [self.HEAD + b"x: " + b"y" * 300_000], "headers of more than 64 kB"),
            ("no HTTP", [b"SSH-2.0-x\r\n\r\n"], "no HTTP/1.1"),
            ("nothing", [], "closed the connection"),
            ("interim answers", [b"HTTP/1.1 102 Processing\r\n\r\n" * 1000], "no HTTP/1.1"),
            ("a bomb", [self.HEAD + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(bomb) + bomb],
             "limit of 10.0 MB"),
            ("a bad gzip", [self.HEAD + b"content-encoding: gzip\r\ncontent-length: 20\r\n\r\n" + b"\x1f\x8b" + b"x" * 14 + b"\x09\0\0\0"],
             "compressed message"),
            ("an odd packing", [self.HEAD + b"content-encoding: br\r\ncontent-length: 2\r\n\r\n{}"], "'br'"),
            ("deep", [self.HEAD + b"content-length: 100000\r\n\r\n" + b"[" * 100000], "nested too deeply"),
        )
        for name, pieces, words in rows:
            with self.subTest(name), Raw(*pieces) as server:
                result = fetch(server, "cds", "--max-message", "10MB", "--request-timeout", "10s")
                if words is None:
                    self.check(result, 0, within=10)
                else:
                    self.failed(result, 3, words, hint="" if "limit" in words else None, within=10)

    def test_a_body_that_trickles_runs_out_of_time(self):
        def trickle():
            while True:
                time.sleep(0.05)
                yield b" "
        with Raw(self.HEAD + b"content-length: 1000\r\n\r\n", trickle) as server:
            self.failed(fetch(server, "cds", "--request-timeout", "1s"), 3, "no whole answer", hint="--request", within=4)


class Sovereign:
    """sovereign, a control plane that speaks REST alone, with the templates of the folder sovereign."""

    def __enter__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sovereign")
        env = environment({"SOVEREIGN_CONFIG": f"file://{folder}/sovereign.yaml", "SOVEREIGN_HOST": "127.0.0.1",
                           "SOVEREIGN_PORT": str(port), "SOVEREIGN_WORKERS": "1"})
        self.process = subprocess.Popen([program("XDSCOPE_SOVEREIGN")], cwd=folder, env=env, start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.1)
        raise AssertionError("sovereign did not start")

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)  # its workers too
        self.process.wait(timeout=20)


class RealPeers(Case):
    def test_the_gateway_of_go_control_plane(self):
        with GcpServer("-rest", "127.0.0.1:0") as server:
            rest = self.check(run("fetch", f"http://{server.rest}", "--node-id", NODE, "-o", "json"), 0)
            ads = self.check(run("fetch", server.address, "--node-id", NODE, "-o", "json"), 0)
            self.assertEqual(by_type(texts(rest.out)), by_type(texts(ads.out)))
            self.failed(run("fetch", f"http://{server.rest}", "cds", "--node-id", "nobody"), 3, "HTTP 500", "nobody")

    def test_sovereign(self):
        with Sovereign() as server:
            result = self.check(fetch(server, "--node-cluster", "c", "-o", "name"), 0)
            self.assertEqual(result.out.split(), ["cds:web1", "cds:web2", "eds:web1", "eds:web2"])
            self.failed(fetch(server, "cds"), 3, "HTTP 422", "Field required", hint="--node-cluster")
            result = self.check(fetch(server, "cds", "eds:nobody", "--node-cluster", "c", "-o", "name"), 1)
            self.assertIn("eds: nothing there: HTTP 404", result.err)


class RestServe(Serve):
    def __init__(self, folder, *flags):
        super().__init__(folder, "--rest-listen", "127.0.0.1:0", *flags)

    def __enter__(self):
        super().__enter__()
        self.rest = self.hear("rest 127.").split()[1]
        self.url = f"http://{self.rest}"
        return self

    def post(self, path, text, method="POST", timeout=10):
        connection = http.client.HTTPConnection(self.rest, timeout=timeout)
        connection.request(method, path, text, {"content-type": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, json.loads(data) if data else None


class Served(Case):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def test_the_same_from_every_variant(self):
        copy_example(self.folder)
        write(self.folder, "v2.json", [{"@type": api.url("cds", api.V2), "name": name} for name in ("old", "older")])
        with RestServe(self.folder, "--v2") as served:
            for request, api_version in (("cds", "v3"), ("lds", "v3"), ("eds:*", "v3"), ("sds", "v3"), ("cds", "v2")):
                with self.subTest(request=request, api=api_version):
                    flags = [request, "--api", api_version, "-o", "json", "--show-secrets"]
                    wanted = self.check(run("fetch", served.address, *flags), 0).out
                    for variant in VARIANTS:
                        result = self.check(run("fetch", served.address, *flags, "--variant", variant), 0)
                        self.assertEqual(result.out, wanted, variant)
                    self.assertEqual(self.check(run("fetch", served.url, *flags), 0).out, wanted)
                    self.assertEqual(self.check(run("fetch", self.folder, *flags), 0).out, wanted)
                    self.assertTrue(texts(wanted)[0]["resources"])
            whole = self.check(run("fetch", served.url, "-o", "json"), 0)
            ads = self.check(run("fetch", served.address, "-o", "json"), 0)
            self.assertEqual(by_type(texts(whole.out)), by_type(texts(ads.out)))

    def test_polls_by_hand(self):  # XDS-R02, R09
        write(self.folder, "cds.json", [cluster("a")])
        with RestServe(self.folder) as served:
            status, first = served.post("/v3/discovery:clusters", '{"node":{"id":"x"}}')
            self.assertEqual((status, first["resources"][0]["name"]), (200, "a"))
            again = json.dumps({"version_info": first["version_info"]})
            self.assertEqual(served.post("/v3/discovery:clusters", again), (304, None))
            swap(self.folder, "cds.json", [cluster("a"), cluster("b")])
            served.hear("cds", "+b")
            status, second = served.post("/v3/discovery:clusters", again)
            self.assertEqual((status, len(second["resources"])), (200, 2))
            status, error = served.post("/v3/discovery:clusters", '{"node":1}')
            self.assertEqual((status, error), (400, {"error": "1:9: node: expected a map, not a number"}))
            self.assertEqual(served.post("/v3/discovery:nothing", "{}")[0], 404)
            self.assertEqual(served.post("/v3/discovery:clusters", "", method="GET")[0], 405)

    def test_a_long_poll_ends_with_a_change(self):  # XDS-R09
        write(self.folder, "cds.json", [cluster("a")])
        with RestServe(self.folder, "--hold", "20s") as served:
            _, first = served.post("/v3/discovery:clusters", "{}")
            answers = []
            asked = threading.Thread(target=lambda: answers.append(served.post(
                "/v3/discovery:clusters", json.dumps({"version_info": first["version_info"]}), timeout=20)))
            asked.start()
            time.sleep(0.3)
            self.assertEqual(answers, [])
            swap(self.folder, "cds.json", [cluster("b")])
            asked.join(timeout=10)
            self.assertEqual(answers[0][1]["resources"][0]["name"], "b")

    def test_a_client_that_leaves_a_long_poll_is_forgotten(self):
        write(self.folder, "cds.json", [cluster("a")])
        with RestServe(self.folder, "--hold", "20s") as served:
            _, first = served.post("/v3/discovery:clusters", "{}")
            mark = served.mark()
            with self.assertRaises(TimeoutError):
                served.post("/v3/discovery:clusters", json.dumps({"version_info": first["version_info"]}), timeout=0.5)
            served.hear("closed", after=mark, seconds=5)

    def test_clients_that_are_no_clients(self):
        write(self.folder, "cds.json", [cluster("a")])
        with RestServe(self.folder) as served:
            host, port = served.rest.split(":")
            for text, status in ((b"garbage\r\n\r\n", b"400"), (b"POST / HTTP/1.1\r\nx: " + b"y" * 200_000, b"431"),
                                 (b"POST /v3/discovery:clusters HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n", b"413"),
                                 (b"POST / HTTP/1.1\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n{}", b"404")):
                with self.subTest(status), socket.create_connection((host, int(port)), timeout=10) as client:
                    client.sendall(text)
                    answer = b""
                    while status not in answer and (more := client.recv(65536)):
                        answer += more
                    self.assertIn(b"HTTP/1.1 " + status, answer)
            idle = [socket.create_connection((host, int(port))) for _ in range(200)]
            self.assertEqual(served.post("/v3/discovery:clusters", "{}")[0], 200)
            for client in idle:
                client.close()
            self.assertEqual(served.post("/v3/discovery:clusters", "{}")[0], 200)

    def test_flags_that_need_one_another(self):
        self.failed(run("serve", self.folder, "--hold", "1s"), 2, "--hold", "--rest-listen")
        self.failed(run("serve", self.folder, "--listen", "127.0.0.1:0", "--rest-listen", "nowhere"), 2, "--rest-listen")

    def test_tls_and_certificates_of_clients(self):
        authority(self.folder, "ca")
        certificate(self.folder, "server", "ca", "DNS:localhost")
        certificate(self.folder, "client", "ca", "DNS:client")
        ca, server, key, own, own_key = (os.path.join(self.folder, name) for name in (
            "ca.crt", "server.crt", "server.key", "client.crt", "client.key"))
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "cds.json", [cluster("a")])
            with RestServe(folder, "--tls-cert", server, "--tls-key", key) as served:
                url = f"https://localhost:{served.rest.rsplit(':', 1)[1]}"
                for flags in (["--cacert", ca], ["--insecure"]):
                    self.assertEqual(self.check(run("fetch", url, "cds", "-o", "name", *flags), 0).out, "cds:a\n")
                other = f"https://{served.rest}"
                self.failed(run("fetch", other, "cds", "--cacert", ca), 3, "for another name", hint="localhost")
                self.check(run("fetch", other, "cds", "--cacert", ca, "--authority", "localhost"), 0)
                self.failed(run("fetch", url, "cds"), 3, "unknown authority", hint="--cacert")
                self.failed(run("fetch", f"http://{served.rest}", "cds"), 3, "speaks TLS", hint="https://")
                self.failed(run("fetch", f"http://{served.rest}", "cds", "--cacert", ca), 2, "https://")
            with RestServe(folder, "--tls-cert", server, "--tls-key", key, "--client-ca", ca) as served:
                url = f"https://localhost:{served.rest.rsplit(':', 1)[1]}"
                self.check(run("fetch", url, "cds", "--cacert", ca, "--cert", own, "--key", own_key), 0)
                self.failed(run("fetch", url, "cds", "--cacert", ca), 3, hint="")
