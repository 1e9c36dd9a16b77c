"""Everything that goes wrong with a server: exit code, one line, one hint, and how soon."""

import threading
import unittest

import grpc

import api
import raw_peers
from harness import NODE, Case, GcpServer, by_type, interrupt, run, start, texts
from scripted_server import ScriptedServer, answers, answers_delta, closes_with, says, silent

CDS = api.url("cds")
CLUSTER = api.resource("cds", {"name": "a"})
ONE = {CDS: {"a": CLUSTER}}


class NoServer(Case):
    """Nobody there, or not what one thinks."""

    def test_a_refused_port_fails_at_once(self):
        for variant in ["ads", "delta-ads", "sotw", "delta", "unary"]:
            with self.subTest(variant=variant):
                address = raw_peers.refused()
                self.failed(run("fetch", address, "cds", "--variant", variant), 3, address, "refused", hint="", within=2)

    def test_a_refused_port_with_tls_fails_at_once(self):
        self.failed(run("fetch", raw_peers.refused(), "cds", "--tls"), 3, "refused", hint="", within=2)

    def test_a_socket_file_that_is_not_there(self):
        self.failed(run("fetch", "unix:/nowhere/xds.sock", "cds"), 3, "/nowhere/xds.sock", hint="", within=2)

    def test_a_host_that_does_not_exist(self):
        self.failed(run("fetch", "no-such-host.invalid:443", "cds"), 3, "no-such-host.invalid", hint="", within=12)

    def test_an_http1_server(self):
        with raw_peers.listener(raw_peers.http1) as address:
            self.failed(run("fetch", address, "cds"), 3, address, hint="", within=3)

    def test_a_port_that_accepts_and_says_nothing_ends_with_the_connect_timeout(self):
        with raw_peers.listener(raw_peers.mute) as address:
            self.failed(run("fetch", address, "cds", "--connect-timeout", "1s"), 3, address, hint="", within=4)
            self.failed(run("fetch", address, "cds", "--tls", "--connect-timeout", "1s"), 3, address, hint="", within=4)

    def test_a_port_that_closes_at_once(self):
        with raw_peers.listener(raw_peers.hangs_up) as address:
            self.failed(run("fetch", address, "cds"), 3, address, hint="", within=3)
            self.failed(run("fetch", address, "cds", "--tls"), 3, address, hint="", within=3)

    def test_a_port_that_sends_noise(self):
        with raw_peers.listener(raw_peers.noise) as address:
            self.failed(run("fetch", address, "cds"), 3, address, hint="", within=3)

    def test_a_proxy_of_the_environment_is_never_used_for_loopback(self):
        proxy = "http://" + raw_peers.refused()
        with ScriptedServer({api.ADS: answers(ONE)}) as server:
            for target in [server.address, server.address.replace("127.0.0.1", "localhost")]:
                with self.subTest(target=target):
                    self.check(run("fetch", target, "cds", env={"http_proxy": proxy, "https_proxy": proxy, "grpc_proxy": proxy}), 0)

    def test_max_time_is_its_own_exit_code(self):
        with raw_peers.listener(raw_peers.mute) as address:
            self.failed(run("fetch", address, "cds", "--max-time", "500ms"), 4, hint="", within=3)
        with ScriptedServer({api.ADS: silent}) as server:
            self.failed(run("fetch", server.address, "cds", "--max-time", "500ms"), 4, hint="", within=3)


class Refusals(Case):
    """A gRPC server that says no."""

    def refused_with(self, code, variant="ads", types=("cds",)):
        paths = [api.ADS, api.DELTA_ADS, api.method("cds", "stream"), api.method("cds", "delta")]
        with ScriptedServer({path: closes_with(code, "because", after=1) for path in paths}) as server:
            return run("fetch", server.address, *types, "--variant", variant)

    def test_permission_denied_and_unauthenticated_say_what_the_server_said(self):
        for code in [grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED]:
            for variant in ["ads", "delta-ads", "sotw", "delta"]:
                with self.subTest(code=code, variant=variant):
                    self.failed(self.refused_with(code, variant), 3, code.name, "because", hint="", within=3)

    def test_other_codes_say_what_the_server_said(self):
        for code in [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.INTERNAL,
                     grpc.StatusCode.RESOURCE_EXHAUSTED]:
            with self.subTest(code=code):
                self.failed(self.refused_with(code), 3, code.name, "because", hint="", within=3)

    def test_an_unimplemented_variant_names_the_one_that_is_there(self):
        there = {"ads": (api.ADS, answers(ONE)), "delta-ads": (api.DELTA_ADS, answers_delta(ONE)),
                 "sotw": (api.method("cds", "stream"), answers(ONE)),
                 "delta": (api.method("cds", "delta"), answers_delta(ONE))}
        for name, (path, script) in there.items():
            with ScriptedServer({path: script}) as server:
                for asked in there:
                    with self.subTest(there=name, asked=asked):
                        result = run("fetch", server.address, "cds", "--variant", asked)
                        if asked == name:
                            self.check(result, 0)
                        else:
                            self.failed(result, 3, "UNIMPLEMENTED", hint="--variant", within=3)

    def test_a_v2_server_asked_in_v3(self):
        with ScriptedServer({api.ADS_V2: answers({})}) as server:
            self.failed(run("fetch", server.address, "cds"), 3, "UNIMPLEMENTED", hint="", within=3)

    def test_unary_refusals(self):
        def deny(call, request):
            call.fail(grpc.StatusCode.PERMISSION_DENIED, "because")
        with ScriptedServer({}, unary={api.method("cds", "fetch"): deny}) as server:
            self.failed(run("fetch", server.address, "cds", "--variant", "unary"), 3, "PERMISSION_DENIED", "because",
                        hint="", within=3)
            self.failed(run("fetch", server.address, "lds", "--variant", "unary"), 3, "UNIMPLEMENTED", hint="--variant",
                        within=3)


class Silence(Case):
    """A server that never answers: not an error of the wire, so a person needs to know where to look."""

    def test_an_unknown_node_is_silence_and_the_hint_says_which_node(self):
        with GcpServer() as server:
            for variant in ["ads", "delta-ads", "sotw", "delta"]:
                with self.subTest(variant=variant):
                    result = self.failed(run("fetch", server.address, "cds", "--node-id", "stranger", "--variant", variant,
                                             "--wait", "1s"), 3, hint="--node-id", within=4)
                    self.assertIn("stranger", result.hints[0])
                    self.assertEqual(result.out, "")

    def test_the_default_node_id_is_called_the_default(self):
        with GcpServer() as server:
            result = self.failed(run("fetch", server.address, "cds", "--wait", "1s"), 3, hint="--node-id", within=4)
            self.assertIn("default", result.hints[0])

    def test_a_silent_server_is_asked_once_more_and_its_words_are_shown(self):
        with GcpServer() as server:
            result = self.failed(run("fetch", server.address, "--node-id", "stranger", "--wait", "1s"), 3,
                                 'missing snapshot for "stranger"', hint="--node-id", within=2.5)
            self.assertIn("asked once more by a single call", result.err)
        with ScriptedServer({api.ADS: silent}) as server:
            result = self.failed(run("fetch", server.address, "cds", "--wait", "1s"), 3, hint="--node-id", within=3.5)
            self.assertNotIn("once more", result.err, "it has no such call, and that is not worth saying")

    def test_a_star_that_finds_nothing_may_be_a_name(self):
        empty = api.response(api.url("cds"), [])

        def nothing(call):
            call.next()
            yield empty
            call.next()

        with ScriptedServer({api.ADS: nothing}) as server:
            result = self.check(run("fetch", server.address, "cds", "--client", "strict", "--wait", "1s"), 0)
            self.assertIn('cds: the server sent nothing for "*"; it may take it for a name: --wildcard legacy', result.err)
        with ScriptedServer({api.ADS: nothing}) as server:
            self.assertEqual(self.check(run("fetch", server.address, "cds", "--wait", "1s"), 0).err, "")

    def test_a_node_that_has_nothing_is_said_to_have_nothing(self):
        def nothing(call):
            while (request := call.next()) is not None:
                if not request.response_nonce:
                    yield api.response(request.type_url, [])

        with ScriptedServer({api.ADS: nothing}) as server:
            result = self.check(run("fetch", server.address, "--node-id", "n", "--wait", "2s"), 0)
            self.assertIn('nothing is there for the node "n"', result.err)

    def test_a_whole_node_fetch_of_an_unknown_node_waits_once(self):
        # Not once for LDS and once more for CDS.
        with GcpServer() as server:
            result = self.failed(run("fetch", server.address, "--node-id", "stranger", "--wait", "1s"), 3,
                                 hint="--node-id", within=2.5)
            self.assertGreater(result.seconds, 0.9)

    def test_names_that_do_not_cover_the_snapshot_are_a_hint(self):
        # go-control-plane in ADS mode answers only a request whose names cover all it holds.
        with GcpServer("-ads") as server:
            result = self.failed(run("fetch", server.address, "eds:web-v2", "--node-id", NODE, "--wait", "1s"), 3,
                                 hint="names", within=4)

    def test_unary_for_an_unknown_node_says_what_the_server_said(self):
        with GcpServer() as server:
            self.failed(run("fetch", server.address, "cds", "--node-id", "stranger", "--variant", "unary"), 3, "stranger",
                        hint=False, within=3)

    def test_one_type_of_several_that_never_answers_is_an_answer_of_no(self):
        with ScriptedServer({api.ADS: answers_only(CDS)}) as server:
            result = self.check(run("fetch", server.address, "cds", "lds", "--wait", "1s", "-o", "json"), 1, within=4)
            self.assertEqual(list(by_type(texts(result.out))), ["cds"])
            self.assertIn("lds", result.err.lower())

    def test_quiet_leaves_the_error_line_alone(self):
        with ScriptedServer({api.ADS: silent}) as server:
            result = self.check(run("fetch", server.address, "cds", "--wait", "500ms", "-q"), 3)
            self.assertEqual(len(result.err.splitlines()), 1, str(result))
            self.assertEqual(result.hints, [])


def answers_only(type_url):
    def script(call):
        while (request := call.next()) is not None:
            if request.type_url == type_url and not request.response_nonce:
                yield api.response(type_url, [CLUSTER])
    return script


class Ends(Case):
    """A stream that ends before its time."""

    def test_a_stream_that_closes_at_once_is_a_failure_at_once(self):
        for code in [None, grpc.StatusCode.UNAVAILABLE]:
            for after in [0, 1]:
                with self.subTest(code=code, after=after):
                    with ScriptedServer({api.ADS: closes_with(code, "going away", after)}) as server:
                        self.failed(run("fetch", server.address, "cds"), 3, server.address, hint=False, within=3)

    def test_a_stream_that_dies_half_way_leaves_what_came(self):
        # cli.md: no second stream when the first dies; what came is printed, exit 3.
        script = closes_with(grpc.StatusCode.UNAVAILABLE, "going away", 2, [api.response(CDS, [CLUSTER])])
        with ScriptedServer({api.ADS: script}) as server:
            result = self.check(run("fetch", server.address, "cds", "lds", "-o", "json"), 3, within=3)
            self.assertEqual(by_type(texts(result.out)), {"cds": {"a": {"name": "a"}}})
            self.assertEqual(len([method for method, request in server.requests if not request.response_nonce]), 2)

    def test_a_delta_stream_closed_with_ok_while_settling_has_said_all(self):
        script = closes_with(None, "", 1, [api.delta_response(CDS, [api.wrapper("a", CLUSTER, "1")])])
        with ScriptedServer({api.method("cds", "delta"): script}) as server:
            result = self.check(run("fetch", server.address, "cds", "--variant", "delta", "--settle", "5s", "-o", "json"), 0,
                                within=3)
            self.assertEqual(by_type(texts(result.out)), {"cds": {"a": {"name": "a"}}})

    def test_a_stream_that_ends_after_all_was_said_is_no_failure(self):
        script = closes_with(None, "", 1, [api.response(CDS, [CLUSTER])])
        with ScriptedServer({api.ADS: script}) as server:
            self.check(run("fetch", server.address, "cds"), 0, within=3)


class Bytes(Case):
    """Responses that are no responses, and very large ones."""

    def test_garbage_is_not_understood(self):
        for variant, path in [("ads", api.ADS), ("delta-ads", api.DELTA_ADS), ("sotw", api.method("cds", "stream")),
                              ("delta", api.method("cds", "delta"))]:
            for garbage in [b"\xff\xff\xff\xff garbage", b"\x12\xff\x01", b"\x08"]:
                with self.subTest(variant=variant, garbage=garbage):
                    with ScriptedServer({path: says(garbage)}) as server:
                        self.failed(run("fetch", server.address, "cds", "--variant", variant), 3, hint="", within=3)

    def test_garbage_from_a_unary_method(self):
        with ScriptedServer({}, unary={api.method("cds", "fetch"): lambda call, request: b"\x12\xff\x01"}) as server:
            self.failed(run("fetch", server.address, "cds", "--variant", "unary"), 3, hint="", within=3)

    def test_fifty_megabytes_in_one_response(self):
        # gRPC's own limit is 4 MiB; xdscope lifts it.
        big = "x" * 100_000
        clusters = [api.resource("cds", {"name": f"c{i:03d}", "alt_stat_name": big}) for i in range(500)]
        response = api.response(CDS, clusters).SerializeToString()
        self.assertGreater(len(response), 50_000_000)
        with ScriptedServer({api.method("cds", "stream"): says(response)}) as server:
            result = self.check(run("fetch", server.address, "cds", "--variant", "sotw", "-o", "json"), 0, within=20)
            found = by_type(texts(result.out))["cds"]
            self.assertEqual(len(found), 500)
            self.assertEqual(found["c499"]["alt_stat_name"], big)


class Interrupted(Case):
    def test_ctrl_c_ends_a_wait_at_once(self):
        for variant, path in [("ads", api.ADS), ("delta", api.method("cds", "delta"))]:
            with self.subTest(variant=variant), ScriptedServer({path: silent}) as server:
                process = start("fetch", server.address, "cds", "--variant", variant)
                server.wait_for(lambda s: s.requests)
                out, err, seconds = interrupt(process)
                self.assertEqual(process.returncode, 130, err)
                self.assertLess(seconds, 1)
                self.assertEqual(out, "")
                self.assertLessEqual(len(err.splitlines()), 1, err)

    def test_ctrl_c_while_connecting(self):
        reached = threading.Event()

        def mute(connection, done):
            reached.set()
            done.wait()

        with raw_peers.listener(mute) as address:
            process = start("fetch", address, "cds")
            self.assertTrue(reached.wait(10))
            _, err, seconds = interrupt(process)
            self.assertEqual(process.returncode, 130, err)
            self.assertLess(seconds, 1)


if __name__ == "__main__":
    unittest.main()
