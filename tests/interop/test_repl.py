"""Scripts of `xdscope repl`: conversations that run by themselves, against servers that watch what is said."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

import grpc

import api
import raw_peers
from driven_server import DrivenServer, clusters, endpoints
from harness import NODE, Case, GcpServer, Result, environment, interrupt, program, read_until, run, texts
from scripted_server import ScriptedServer, answers, answers_delta, closes_with, silent
from served import Serve, copy_example

CDS, EDS = api.url("cds"), api.url("eds")
STREAMS = ("ads", "delta-ads", "sotw", "delta")
VARIANTS = (*STREAMS, "unary")
TABLE = {CDS: {name: api.resource("cds", {"name": name}) for name in ("a", "b", "c")},
         EDS: {name: api.resource("eds", {"cluster_name": name}) for name in ("a", "b")}}


def honest(*kinds):
    """The scripts of an honest server of TABLE, SotW and delta, ADS and CDS and EDS alone."""
    scripts = {api.ADS: answers(TABLE), api.DELTA_ADS: answers_delta(TABLE)}
    for short in ("cds", "eds"):
        scripts[api.method(short, "stream")] = answers(TABLE)
        scripts[api.method(short, "delta")] = answers_delta(TABLE)
    return ScriptedServer(scripts)


def said(server):
    """The requests that a server has seen, as JSON without the node, by method."""
    found = {}
    for method, request in server.requests:
        found.setdefault(method, []).append(api.to_json(request))
        found[method][-1].pop("node", None)
    return found


class ReplCase(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, *lines):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write("".join(line + "\n" for line in lines))
        return self.path(name)

    def script(self, address, *lines, flags=(), code=0, timeout=40):
        """Runs a script to its end and demands its exit code."""
        path = self.write("script.xds", *lines)
        result = run("repl", address, "--script", path, "--node-id", NODE, *flags, timeout=timeout)
        self.assertEqual(result.code, code, str(result))
        return result

    def fails(self, address, *lines, at, words, flags=(), code=1):
        """A script whose line `at` fails, for a reason that has these words; no later line runs."""
        result = self.script(address, *lines, "help quit", flags=flags, code=code)
        self.assertEqual(len(result.errors), 1, str(result))
        self.assertTrue(result.errors[0].startswith(f"xdscope: {self.path('script.xds')}:{at}: "), str(result))
        for word in words:
            self.assertIn(word, result.errors[0], str(result))
        self.assertNotIn("end all streams", result.out)
        return result


class RealPeers(ReplCase):
    """go-control-plane and `xdscope serve`, in every variant."""

    LINES = ["sub cds api", "wait", "ack", "expect cds api", "sub cds web-v2", "wait cds", "ack cds", "list cds", "state cds",
             "set output json", "show cds", "unsub cds api"]

    def test_go_control_plane_in_every_variant(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant), GcpServer() as server:
                result = self.script(server.address, *self.LINES, flags=["--variant", variant])
                self.assertIn("api ", result.out)
                self.assertIn("web-v2 ", result.out)
                held = [response for response in texts(result.out[result.out.index("\n{") + 1:].split("\n->")[0]
                                                       .split("\n--")[0])]
                self.assertEqual([each["name"] for each in held[0]["resources"]], ["api", "web-v2"])
                self.asked_in_turn(server, variant)

    def asked_in_turn(self, server, variant):
        """First api, then web-v2 as well, with each response answered in between."""
        server.wait_for(lambda requests: len(requests) >= (2 if variant == "unary" else 4))
        requests = [entry["request"] for entry in server.requests]
        field = "resource_names_subscribe" if "delta" in variant else "resource_names"
        asked = [request.get(field, []) for request in requests]
        self.assertEqual(asked[0], ["api"])
        self.assertIn(["web-v2"] if "delta" in variant else ["api", "web-v2"], asked)
        if variant != "unary":
            self.assertEqual([bool(request.get("response_nonce")) for request in requests[:2]], [False, True])

    def test_serve_in_every_variant(self):
        with Serve(copy_example(self.folder)) as server:
            names = [name for name in texts(run("fetch", server.address, "cds", "-o", "ndjson").out)]
            first, second = sorted(each["name"] for each in names)[:2]
            for variant in VARIANTS:
                with self.subTest(variant=variant):
                    result = self.script(server.address, f"sub cds {first}", "wait", "ack", f"sub cds {second}", "wait", "ack",
                                         f"expect cds {first} {second}", "list cds", f"unsub cds {first}",
                                         flags=["--variant", variant])
                    self.assertIn(f"{second} ", result.out)

    def test_a_refusal_is_seen_with_its_code_and_words_and_the_server_sends_again(self):
        with GcpServer() as server:
            self.script(server.address, "sub cds", "wait", 'nack cds --code 9 "no good:" ${x} \'two  blanks\'', "wait cds",
                        "ack cds", "expect cds api")
            self.assertTrue(server.wait_for(lambda requests: len(requests) == 3), server.requests)
            refused, accepted = [entry["request"] for entry in server.requests[1:]]
            self.assertEqual(refused["error_detail"], {"code": 9, "message": "no good: ${x} two  blanks"})
            self.assertNotIn("version_info", refused)
            self.assertEqual(accepted["version_info"], "1")

    def test_follow_reaches_endpoints_routes_and_secrets(self):
        for variant in ("ads", "delta-ads", "sotw", "delta"):
            with self.subTest(variant=variant), GcpServer() as server:
                self.script(server.address, "auto ack", "follow on", "sub cds", "sub lds", "expect cds api", "expect lds ingress-http",
                            "expect eds tcp-a web-v2 'shop/web?version=1'", "expect rds web-routes", "expect sds web-cert",
                            "state", "follow off", flags=["--variant", variant])

    def test_pushes_are_taken_while_a_script_waits(self):
        with GcpServer() as server:
            process = subprocess.Popen([program("XDSCOPE"), "repl", server.address, "--node-id", NODE, "--auto", "ack"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            with process:
                process.stdin.write(b"sub cds\nwait\nwait --for 20s\nexpect cds added-1\n")
                process.stdin.flush()
                read_until(process, process.stdout, lambda seen: b"ack" in seen)
                server.tell("update")
                out, err = process.communicate(timeout=20)
                self.assertEqual((process.returncode, err), (0, b""), out)
                self.assertIn(b"12 resources (+1 ~1)", out)


class Requests(ReplCase):
    """What goes to the server is what was typed, right or wrong."""

    def run_driven(self, server, *lines, flags=()):
        """Begins a script that a test answers while it runs."""
        path = self.write("driven.xds", *lines)
        process = subprocess.Popen([program("XDSCOPE"), "repl", server.address, "--script", path, *flags],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def ends(self, process, code=0):
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, code, (out.decode(), err.decode()))
        return out.decode(), err.decode()

    def test_nothing_is_sent_that_was_not_typed(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "expect not eds x --for 300ms", "show", "list", "log", "state", "preview",
                                      "node", "check", "pending", "tree")
            server.stream().push(clusters(1, "a"))
            self.ends(process)
            self.assertEqual(len(server.requests), 1)

    def test_a_verdict_carries_the_version_and_the_nonce_of_its_response(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds a", "wait", "wait", "ack", "nack bad --code 3", "wait", "nack cds worse")
            server.stream().push(clusters(1, "a"), clusters(2, "a"), clusters(3, "a"))
            self.ends(process)
            seen = [(r.version_info, r.response_nonce, r.error_detail.code, r.error_detail.message) for _, r in server.requests]
            self.assertEqual(seen[1:], [("1", "n1", 0, ""), ("1", "n2", 3, "bad"), ("1", "n3", seen[3][2], "worse")])
            self.assertNotEqual(seen[3][2], 0)

    def test_a_response_can_be_answered_out_of_turn_late_and_twice(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "wait", "ack #3", "ack #2", "ack #3", "nack #2 after all")
            server.stream().push(clusters(1, "a"), clusters(2, "a"))
            out, _ = self.ends(process)
            seen = [(r.version_info, r.response_nonce, r.error_detail.message) for _, r in server.requests[1:]]
            self.assertEqual(seen[:3], [("2", "n2", ""), ("1", "n1", ""), ("2", "n2", "")])
            self.assertEqual(seen[3][1:], ("n1", "after all"))
            self.assertIn("XDS-C008", out)

    def test_a_delta_nonce_can_be_answered_twice_and_the_rule_is_said(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "ack", "ack #2", "nack #2 no", flags=["--variant", "delta-ads"])
            entry = api.wrapper("a", api.resource("cds", {"name": "a"}), "1")
            server.stream().push(api.delta_response(CDS, [entry], nonce="d1"))
            out, _ = self.ends(process)
            self.assertEqual([r.response_nonce for _, r in server.requests[1:]], ["d1"] * 3)
            self.assertIn("XDS-C015", out)

    def test_a_change_of_interest_waits_for_the_verdict_unless_now(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub eds a", "wait", "sub eds b", "expect not eds z --for 200ms", "ack", "wait",
                                      "sub eds c --now", "ack")
            server.stream().push(endpoints(1, "a"))
            self.assertEqual(list(server.request(1).resource_names), ["a", "b"])
            self.assertEqual(server.request(1).response_nonce, "e1")
            server.stream().push(endpoints(2, "a", "b"))
            out, _ = self.ends(process)
            seen = [(list(r.resource_names), r.version_info, r.response_nonce) for _, r in server.requests[1:]]
            self.assertEqual(seen[:2], [(["a", "b"], "1", "e1"), (["a", "b", "c"], "1", "e1")])
            self.assertEqual(seen[2], (["a", "b", "c"], "2", "e2"))
            self.assertIn("it goes out with the answer", out)
            self.assertIn("XDS-C027", out)

    def test_wildcards_are_typed_both_ways(self):
        ways = [("sub cds", [], []), ("sub cds *", ["*"], ["*"]), ("sub cds:*", ["*"], ["*"])]
        for variant, field in (("ads", "resource_names"), ("delta-ads", "resource_names_subscribe")):
            for line, first, _ in ways:
                with self.subTest(variant=variant, line=line), honest() as server:
                    self.script(server.address, line, "wait", "ack", flags=["--variant", variant])
                    self.assertEqual(list(getattr(server.requests[0][1], field)), first)

    def test_a_name_after_everything_keeps_the_wildcard(self):
        with honest() as server:
            self.script(server.address, "sub cds", "wait", "ack", "sub cds a", "wait", "ack", "unsub cds", "state")
            names = [sorted(r.resource_names) for _, r in server.requests]
            self.assertEqual(names[:3], [[], [], ["*", "a"]])
            server.wait_for(lambda server: len(server.requests) == 5)
            self.assertEqual(list(server.requests[-1][1].resource_names), [])

    def test_what_was_typed_last_is_sent_before_a_script_ends(self):
        for variant in STREAMS:
            for before in ([], ["sub cds a", "wait", "ack"], ["sub cds a", "reopen"]):
                with self.subTest(variant=variant, before=before), honest() as server:
                    self.script(server.address, *before, "sub eds a", flags=["--variant", variant])
                    self.assertTrue(server.wait_for(lambda server: any(r.type_url == EDS for _, r in server.requests)), said(server))

    def test_resub_says_a_name_again(self):
        for variant in ("ads", "delta-ads"):
            with self.subTest(variant=variant), honest() as server:
                self.script(server.address, "sub eds a b", "wait", "ack", "resub eds a", flags=["--variant", variant])
                self.assertTrue(server.wait_for(lambda server: len(server.requests) == 3), said(server))
                last = server.requests[-1][1]
                names = last.resource_names_subscribe if variant == "delta-ads" else last.resource_names
                self.assertEqual(list(names), ["a"] if variant == "delta-ads" else ["a", "b"])

    def test_preview_is_what_is_sent_then(self):
        for variant in STREAMS:
            for change, verdict in (("sub eds b", "ack"), ("unsub eds a", "ack")):
                with self.subTest(variant=variant, change=change), honest() as server:
                    result = self.script(server.address, "set output json", "sub eds a", "wait", change, "preview eds", verdict,
                                         flags=["--variant", variant, "-q"])
                    self.assertTrue(server.wait_for(lambda server: len(server.requests) > 1), str(result))
                    shown = texts(result.out)[0]
                    sent = api.to_json(server.requests[1][1])
                    self.assertEqual(shown.pop("type_url", EDS), sent.pop("type_url", EDS))
                    shown.pop("node", None)
                    sent.pop("node", None)
                    self.assertEqual(shown, sent)

    def test_send_sends_json_and_yaml_as_they_are(self):
        forms = ['{"type_url": "%s", "version_info": "7", "response_nonce": "no such", "resource_names": ["a", "a"]}',
                 "{type_url: %s, version_info: '7', response_nonce: no such, resource_names: [a, a]}"]
        for form in forms:
            with self.subTest(form=form), honest() as server:
                quote = "'" if form.startswith('{"') else '"'
                result = self.script(server.address, "sub cds", "wait", "ack", f"send {quote}{form % EDS}{quote}")
                self.assertTrue(server.wait_for(lambda server: len(server.requests) == 3))
                sent = api.to_json(server.requests[2][1])
                self.assertEqual(sent, {"type_url": EDS, "version_info": "7", "response_nonce": "no such",
                                        "resource_names": ["a", "a"]})
                self.assertIn("XDS-C022", result.out)

    def test_send_takes_a_delta_request_in_delta(self):
        with honest() as server:
            self.script(server.address, "sub cds", "wait", "ack",
                        f"send '{{type_url: {EDS}, resource_names_subscribe: [b], initial_resource_versions: {{b: v}}}}'",
                        "wait eds", flags=["--variant", "delta-ads"])
            self.assertEqual(api.to_json(server.requests[2][1]),
                             {"type_url": EDS, "resource_names_subscribe": ["b"], "initial_resource_versions": {"b": "v"}})

    def test_send_refuses_a_field_that_is_unknown_and_names_it(self):
        with honest() as server:
            self.fails(server.address, "sub cds", "wait", "send '{type_url: x, no_such_field: 1}'", at=3, words=["no_such_field"])
            self.fails(server.address, "sub cds", "wait", "send '{type_url: x, node: {identity: 1}}'", at=3, words=["identity"])
            self.fails(server.address, "send '{type_url: [}'", at=1, words=[])

    def test_reopen_says_names_and_versions_again_and_fresh_forgets_them(self):
        for variant in STREAMS:
            for fresh in (False, True):
                with self.subTest(variant=variant, fresh=fresh), honest() as server:
                    self.script(server.address, "sub eds a b", "wait", "ack", "reopen --fresh" if fresh else "reopen", "wait",
                                "ack", flags=["--variant", variant])
                    self.assertTrue(server.wait_for(lambda server: len(server.requests) == 4), said(server))
                    again = server.requests[2][1]
                    self.assertEqual(again.response_nonce, "")
                    self.assertEqual(again.node.id, NODE)
                    if "delta" in variant:
                        self.assertEqual(sorted(again.resource_names_subscribe), ["a", "b"])
                        self.assertEqual(dict(again.initial_resource_versions), {} if fresh else {"a": "1", "b": "1"})
                    else:
                        self.assertEqual(list(again.resource_names), ["a", "b"])
                        self.assertEqual(again.version_info, "" if fresh else "1")

    def test_a_changed_node_is_said_by_the_next_stream(self):
        with honest() as server:
            result = self.script(server.address, "sub eds a", "wait", "ack", "node id=second cluster=c role=edge", "sub eds b", "wait", "ack",
                                 "reopen", "wait", "node")
            nodes = [r.node for _, r in server.requests]
            self.assertEqual(nodes[0].id, NODE)
            self.assertNotIn("second", [node.id for node in nodes[1:4]])
            self.assertEqual((nodes[4].id, nodes[4].cluster, dict(nodes[4].metadata)), ("second", "c", {"role": "edge"}))
            self.assertIn("the next stream", result.out)
            self.assertIn("id: second", result.out)

    def test_auto_answers_as_it_is_told(self):
        bad = api.packed_bytes(CDS, b"\xff\xff")
        answered = {"ack": [False, False], "nack": [True, True], "judge": [False, True]}
        for word, refused in answered.items():
            for by_flag in (False, True):
                with self.subTest(auto=word, by_flag=by_flag), DrivenServer() as server:
                    lines = ["sub cds", "wait", "wait"]
                    process = self.run_driven(server, *([] if by_flag else [f"auto {word}"]), *lines,
                                              flags=["--auto", word] if by_flag else [])
                    server.stream().push(clusters(1, "a"), api.response(CDS, [bad], version="2", nonce="n2"))
                    self.ends(process)
                    server.wait_for(lambda server: len(server.requests) == 3)
                    self.assertEqual([r.HasField("error_detail") for _, r in server.requests[1:]], refused)

    def test_auto_off_leaves_the_next_response_to_the_person(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "auto", "sub cds", "wait", "auto off", "auto", "ack", "wait", "pending", flags=["--auto", "nack"])
            server.stream().push(clusters(1, "a"))
            server.request(1)
            out, err = self.ends(process, code=1)  # nothing waits for the ack
            self.assertIn("no response waits", err)
            self.assertIn("\nnack\n", out)
            self.assertIn("\noff\n", out)


class Streams(ReplCase):
    def test_streams_stand_side_by_side(self):
        with GcpServer() as one, honest() as other:
            result = self.script(one.address, "auto ack", "sub cds", "wait", f"open delta-ads {other.address}", "auto ack", "sub cds", "wait",
                                 "expect cds a b c", "open sotw eds:tcp-a", "wait", "use 1", "expect cds api", "expect not cds a --for 10ms",
                                 "streams", "close 2", "streams", "use 2", code=1)
            self.assertIn("no stream 2", result.errors[0])
            rows = [line.split() for line in result.out.splitlines() if re.match(r" *\*?\d +\S+ +\S+:\d+ ", line)]
            self.assertEqual([row[0] for row in rows], ["*1", "2", "3", "*1", "3"])
            self.assertEqual([row[1:4] for row in rows[:3]], [["ads", one.address, "open"], ["delta-ads", other.address, "open"],
                                                              ["sotw", one.address, "open"]])
            self.assertIn("2: <- CDS", result.out)

    def test_a_stream_that_dies_fails_what_waits_and_says_why(self):
        with ScriptedServer({api.ADS: closes_with(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many", after=1)}) as server:
            result = self.script(server.address, "sub cds", "wait", code=3)
            self.assertIn("too many", result.out + result.err)
            self.assertIn("RESOURCE_EXHAUSTED", result.out + result.err)

    def test_reopen_works_after_a_stream_has_died(self):
        calls = []

        def first_dies(call):
            calls.append(call)
            if len(calls) == 1:
                yield from closes_with(grpc.StatusCode.UNAVAILABLE, "gone", after=2, responses=[clusters(1, "a")])(call)
                return
            yield from answers(TABLE)(call)

        def dies_after_an_answer(call):
            calls.append(call)
            call.next()
            yield clusters(1, "a")
            call.next()
            call.fail(grpc.StatusCode.UNAVAILABLE, "gone")

        with ScriptedServer({api.ADS: lambda call: (dies_after_an_answer if not calls else first_dies)(call)}) as server:
            result = self.script(server.address, "sub cds", "wait", "ack", "expect not cds z --for 300ms", "reopen", "wait", "ack", "expect cds a b")
            self.assertIn("gone", result.out)
            self.assertEqual(server.requests[2][1].version_info, "1")


class Waits(ReplCase):
    def test_wait_is_for_responses_that_no_wait_has_seen(self):
        with honest() as server:
            self.script(server.address, "sub cds", "wait", "ack", "sub eds a", "wait eds", "ack eds")
            self.fails(server.address, "sub cds", "wait", "ack", "wait --for 100ms", at=4, words=["in time"])
            self.fails(server.address, "sub cds", "wait cds", "wait eds --for 100ms", at=3, words=["in time"])

    def test_waits_have_limits(self):
        with ScriptedServer({api.ADS: silent}) as server:
            for line, least, most in (("wait --for 300ms", 0.3, 2), ("expect cds a --for 300ms", 0.3, 2), ("wait", 4.5, 8)):
                with self.subTest(line=line):
                    result = self.fails(server.address, "sub cds", line, at=2, words=[])
                    self.assertGreater(result.seconds, least)
                    self.assertLess(result.seconds, most)
            result = self.fails(server.address, "set wait 300ms", "sub cds", "wait", at=3, words=["in time"])
            self.assertLess(result.seconds, 2)

    def test_expect_fails_unless_it_is_held_by_then(self):
        with honest() as server:
            begin = ["auto ack", "sub cds", "sub eds a"]
            self.script(server.address, *begin, "expect cds", "expect cds a b c", "expect eds a")
            self.fails(server.address, *begin, "expect cds a nowhere --for 200ms", at=4, words=["nowhere"])
            self.fails(server.address, *begin, "expect rds --for 200ms", at=4, words=["rds"])

    def test_expect_not_fails_if_it_is_held_at_any_moment(self):
        with honest() as server:
            begin = ["auto ack", "sub cds", "expect cds a"]
            self.script(server.address, *begin, "expect not cds nowhere --for 200ms")
            self.fails(server.address, *begin, "expect not cds b --for 200ms", at=4, words=["b"])
            self.fails(server.address, "auto ack", "sub cds", "expect not cds b --for 5s", at=3, words=["b"])

    def test_what_waits_for_its_verdict_is_not_held(self):
        with honest() as server:
            self.fails(server.address, "sub cds", "wait", "expect cds a --for 200ms", at=3, words=["a"])
            self.fails(server.address, "sub cds", "wait", "nack no", "show cds a", at=4, words=["a"])


class Endings(ReplCase):
    """0 · 1 a line failed · 2 the command line · 3 no server · 4 --max-time · 130 interrupted."""

    def test_the_first_line_that_fails_ends_it(self):
        with honest() as server:
            self.fails(server.address, "", "# a comment", "sub cds # and another", "  wait", "sho cds", "shwo cds", at=6, words=["shwo", "show"])
            self.fails(server.address, "subb cds", at=1, words=["subb", "sub"])
            self.fails(server.address, "sub cdss", at=1, words=["cdss", "cds"])
            self.fails(server.address, "sub cds --no", at=1, words=["--no", "--now"])
            self.fails(server.address, "s cds", at=1, words=["show", "sub"])
            self.fails(server.address, "show 'cds", at=1, words=["'"])
            self.fails(server.address, "sub", at=1, words=["TYPE"])

    def test_the_input_may_be_a_pipe(self):
        with honest() as server:
            for text, code, words in (("sub cds\nwait\nack\nexpect cds a", 0, ""), ("sub cds\n\nfoo\nhelp quit\n", 1, "xdscope: -:3: foo")):
                done = subprocess.run([program("XDSCOPE"), "repl", server.address], input=text, capture_output=True, text=True,
                                      env=environment(), timeout=20, check=False)
                self.assertEqual(done.returncode, code, done)
                self.assertTrue(done.stderr.startswith(words), done)
                self.assertNotIn("> ", done.stdout.replace("-> ", ""))
                self.assertNotIn("\x1b", done.stdout)

    def test_source_runs_a_script_and_names_its_line(self):
        with honest() as server:
            inner = self.write("inner.xds", "sub cds", "wait", "ack")
            self.script(server.address, f"source {inner}", "expect cds a")
            bad = self.write("bad.xds", "sub cds", "wait", "nothing like that")
            self.fails(server.address, "help sub", f"source {bad}", at=2, words=[f"{bad}:3:", "nothing"])
            self.fails(server.address, "source /nowhere.xds", at=1, words=["/nowhere.xds"])
            endless = self.path("endless.xds")
            self.write("endless.xds", f"source {endless}")
            self.fails(server.address, f"source {endless}", at=1, words=["deep"])

    def test_a_wrong_command_line_is_said(self):
        for args, word in ((["x:1", "--auto", "maybe"], "maybe"), (["x:1", "y:2"], "y:2"), (["x:1", "--script", ""], "--script"),
                           (["x:1", "--count", "3"], "--count")):
            with self.subTest(args=args):
                self.failed(run("repl", *args), 2, word, hint="")

    def test_a_script_that_is_not_there(self):
        with honest() as server:
            result = run("repl", server.address, "--script", "/nowhere/x.xds")
            self.assertIn("/nowhere/x.xds", result.errors[0])
            self.assertNotEqual(result.code, 0)

    def test_a_server_that_is_not_there(self):
        address = raw_peers.refused()
        for variant in STREAMS:
            with self.subTest(variant=variant):
                result = self.script(address, "sub cds", "wait", flags=["--variant", variant], code=3)
                self.assertIn("refused", result.err + result.out)
                self.assertLess(result.seconds, 3)

    def test_max_time_ends_it_wherever_it_is(self):
        with ScriptedServer({api.ADS: silent}) as server:
            for lines in (["sub cds", "wait --for 1m"], ["expect not cds a --for 1m"], ["sub cds", "reopen", "expect cds --for 1m"]):
                with self.subTest(lines=lines):
                    result = self.script(server.address, *lines, flags=["--max-time", "700ms"], code=4)
                    self.assertLess(result.seconds, 3)
                    self.assertEqual(len(result.errors), 1)

    def test_ctrl_c_ends_a_script(self):
        for args in (["--script", "wait.xds"], []):
            with self.subTest(args=args), ScriptedServer({api.ADS: silent}) as server:
                self.write("wait.xds", "sub cds", "wait --for 1m")
                process = subprocess.Popen([program("XDSCOPE"), "repl", server.address, *args], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=self.folder)
                if not args:
                    process.stdin.write(b"sub cds\nwait --for 1m\n")
                    process.stdin.flush()
                server.wait_for(lambda server: server.requests)
                _, _, seconds = interrupt(process)
                self.assertEqual(process.returncode, 130)
                self.assertLess(seconds, 2)

    def test_quit_ends_it_and_no_later_line_runs(self):
        with honest() as server:
            result = self.script(server.address, "sub cds", "wait", "quit", "nonsense")
            self.assertNotIn("nonsense", result.out + result.err)


class Replays(ReplCase):
    """A script is how a bug report is replayed."""

    CONVERSATION = ["sub cds", "wait", "ack", "sub eds a", "wait", 'nack eds "not this, \'that\'" --code 9', "sub eds b", "wait eds", "ack",
                    "unsub eds a", "wait eds", "ack #8", "resub eds b", f"send '{{type_url: {CDS}, response_nonce: other}}'", "node id=other",
                    "reopen", "wait cds", "ack cds", "reopen --fresh", "wait cds", "ack cds"]

    def replayed(self, variant, lines, flags=()):
        """What an honest server hears of a conversation, and of the script that `save` makes of it."""
        saved = self.path("saved.xds")
        with honest() as server:
            self.script(server.address, *lines, f"save {saved}", flags=["--variant", variant, *flags])
            server.wait_for(lambda server: False, 0.2)
            first = said(server)
        with honest() as server:
            result = run("repl", server.address, "--script", saved, "--node-id", NODE, "--variant", variant)
            self.assertEqual(result.code, 0, str(result))
            server.wait_for(lambda server: sum(map(len, said(server).values())) >= sum(map(len, first.values())), 2)
            again = said(server)
        with open(saved, encoding="utf-8") as text:
            return first, again, text.read()

    def test_a_saved_script_sends_the_same_requests(self):
        for variant in ("ads", "delta-ads", "sotw", "delta"):
            lines = self.CONVERSATION if variant == "ads" else [
                "sub cds a", "wait", "ack", "sub eds a b", "wait eds", "nack eds no", "unsub eds a", "sub cds b", "wait cds", "ack",
                "reopen", "wait cds", "ack cds", "unsub cds"]
            with self.subTest(variant=variant):
                first, again, script = self.replayed(variant, lines)
                self.assertEqual(again, first, script)
                self.assertGreater(sum(map(len, first.values())), 5)

    def test_what_flags_said_is_in_the_script(self):
        first, again, script = self.replayed("ads", ["sub cds", "wait", "sub eds a", "wait eds"], flags=["--auto", "ack"])
        self.assertEqual(again, first, script)

    def test_several_streams_are_repeated_too(self):
        lines = ["auto ack", "sub cds", "open delta-ads", "auto ack", "sub cds a", "wait", "use 1", "wait", "sub eds a", "use 2", "sub eds b", "wait",
                 "close 1", "unsub eds b"]
        first, again, script = self.replayed("ads", lines)
        self.assertEqual(again, first, script)

    def test_a_saved_script_can_be_saved_again(self):
        saved, again = self.path("saved.xds"), self.path("again.xds")
        with honest() as server:
            self.script(server.address, "sub cds", "wait", "ack", f"save {saved}")
            self.script(server.address, f"source {saved}", f"save {again}")
        with open(saved, encoding="utf-8") as one, open(again, encoding="utf-8") as other:
            self.assertEqual(*[[line for line in each.read().splitlines() if not line.startswith("#")] for each in (one, other)])

    def test_a_secret_is_never_in_it(self):
        saved = self.path("saved.xds")
        with honest() as server:
            self.script(server.address, "node password=s3cret", "node api_key:='\"s3cret\"'", "sub cds", "wait", "ack",
                        f"send '{{type_url: {CDS}, node: {{metadata: {{token: s3cret}}}}}}'", f"save {saved}",
                        flags=["-H", "authorization: Bearer s3cret"])
        with open(saved, encoding="utf-8") as text:
            script = text.read()
        self.assertNotIn("s3cret", script)
        self.assertIn("left out", script)
        self.assertIn("sub cds", script)

    def test_save_says_where_it_cannot_write(self):
        with honest() as server:
            self.fails(server.address, "help sub", "save /nowhere/x.xds", at=2, words=["/nowhere/x.xds"])

    def test_two_runs_of_a_script_print_the_same(self):
        lines = ["sub cds", "wait", "list", "nack cds no good", "reopen", "wait", "ack", "sub eds a b", "wait", "ack", "list", "show", "state", "state eds",
                 "tree", "check", "preview", "pending", "request 1", "response 2", "diff cds a", "help", "help nack", "set", "node", "unsub eds",
                 "set output json", "show eds", "expect cds a", "close"]
        outputs = set()
        with honest() as server:
            for _ in range(4):
                outputs.add(self.script(server.address, *lines).out)
        self.assertEqual(len(outputs), 1, "\n=====\n".join(outputs))


class Reading(ReplCase):
    def test_show_redacts_secrets_unless_told(self):
        with GcpServer() as server:
            result = self.script(server.address, "auto ack", "sub sds web-cert", "wait", "show sds", "set show-secrets true", "show sds", "response 2")
            hidden, shown, _ = [part.split("private_key:")[1][:80] for part in result.out.split("version_info: ")[1:]]
            self.assertIn("[redacted]", hidden)
            self.assertNotIn("[redacted]", shown)

    def test_the_state_of_a_type_is_that_of_its_last_verdict(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant), GcpServer() as server:
                result = self.script(server.address, "sub cds api", "wait", "state", "ack", "state", flags=["--variant", variant])
                self.assertEqual(self.last_verdicts(result), ["waits", "ACKED"])
        with honest() as server:
            result = self.script(server.address, "sub cds", "wait", "nack no", "state", "reopen", "wait", "state")
            self.assertEqual(self.last_verdicts(result), ["NACKED", "waits"])

    def last_verdicts(self, result):
        return [line.split()[-1] for line in result.out.splitlines() if re.match(r"cds +[\d*]", line)]

    def test_the_log_has_both_directions_with_verdicts(self):
        with honest() as server:
            result = self.script(server.address, "sub cds", "wait", "nack cds not so", "sub eds a", "wait", "ack", "log", "log 1")
            rows = [line for line in result.out.splitlines() if re.match(r" *\d+ +\d+\.\d+ ", line)]
            self.assertEqual([("->" in row, "<-" in row) for row in rows[:6]],
                             [(True, False), (False, True), (True, False), (True, False), (False, True), (True, False)])
            self.assertIn('NACK "not so"', rows[1])
            self.assertIn("ACK", rows[4])
            self.assertEqual(len(rows), 7)

    def test_diff_says_what_changed_between_two_responses(self):
        with DrivenServer() as server:
            path = self.write("driven.xds", "auto ack", "sub cds", "wait", "wait", "diff cds", "diff cds a", "diff cds 2 4")
            process = subprocess.Popen([program("XDSCOPE"), "repl", server.address, "--script", path], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            server.stream().push(api.response(CDS, [api.resource("cds", {"name": "a", "alt_stat_name": "before"})], version="1", nonce="n1"))
            server.request(1)
            server.stream().push(api.response(CDS, [api.resource("cds", {"name": "a", "alt_stat_name": "after"}),
                                                    api.resource("cds", {"name": "b"})], version="2", nonce="n2"))
            out, err = process.communicate(timeout=20)
            self.assertEqual((process.returncode, err), (0, b""), out)
            self.assertIn("alt_stat_name", out.decode())
            self.assertIn("before", out.decode())
            self.assertIn("after", out.decode())

    def test_every_verb_has_help_with_an_example(self):
        with honest() as server:
            listed = self.script(server.address, "help").out
            verbs = [line.split()[0] for line in listed.splitlines() if re.match(r"[a-z]+ {2,}\S", line)]
            for verb in ("sub", "unsub", "resub", "ack", "nack", "auto", "pending", "follow", "show", "list", "tree", "state", "check", "log",
                         "request", "response", "diff", "send", "preview", "node", "set", "wait", "expect", "open", "use", "streams", "close",
                         "reopen", "save", "source", "history", "help", "quit"):
                self.assertIn(verb, verbs)
            out = self.script(server.address, *[f"help {verb}" for verb in verbs]).out
            self.assertEqual(out.count("for example: "), len(verbs))

    def test_verbs_may_be_abbreviated_where_unique(self):
        with honest() as server:
            self.script(server.address, "auto ack", "sub cds", "wai", "exp cds a", "hel quit", "li cds", "pend", "str")


if __name__ == "__main__":
    unittest.main()
