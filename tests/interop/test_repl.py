"""Scripts of `xdscope repl`: conversations that run by themselves, and how they end."""

import os
import re
import subprocess
import unittest

import grpc

import api
import raw_peers
from driven_server import DrivenServer, clusters
from harness import NODE, GcpServer, environment, interrupt, program, read_until, run, texts
from repl_script import CDS, STREAMS, VARIANTS, Honest, ReplCase
from scripted_server import ScriptedServer, closes_with, silent
from served import Serve, copy_example


class RealPeers(ReplCase):
    """go-control-plane and `xdscope serve`, in every variant."""

    LINES = ["sub cds api", "wait", "ack", "expect cds api", "sub cds web-v2", "wait cds", "ack cds", "list cds",
             "state cds",
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
                    result = self.script(server.address, f"sub cds {first}", "wait", "ack", f"sub cds {second}", "wait",
                                         "ack",
                                         f"expect cds {first} {second}", "list cds", f"unsub cds {first}",
                                         flags=["--variant", variant])
                    self.assertIn(f"{second} ", result.out)

    def test_a_refusal_is_seen_with_its_code_and_words_and_the_server_sends_again(self):
        with GcpServer() as server:
            self.script(server.address, "sub cds", "wait", 'nack cds --code 9 "no good:" ${x} \'two  blanks\'',
                        "wait cds",
                        "ack cds", "expect cds api")
            self.assertTrue(server.wait_for(lambda requests: len(requests) == 3), server.requests)
            refused, accepted = [entry["request"] for entry in server.requests[1:]]
            self.assertEqual(refused["error_detail"], {"code": 9, "message": "no good: ${x} two  blanks"})
            self.assertNotIn("version_info", refused)
            self.assertEqual(accepted["version_info"], "1")

    def test_follow_reaches_endpoints_routes_and_secrets(self):
        for variant in ("ads", "delta-ads", "sotw", "delta"):
            with self.subTest(variant=variant), GcpServer() as server:
                self.script(server.address, "auto ack", "follow on", "sub cds", "sub lds", "expect cds api",
                            "expect lds ingress-http",
                            "expect eds tcp-a web-v2 'shop/web?version=1'", "expect rds web-routes",
                            "expect sds web-cert",
                            "state", "follow off", flags=["--variant", variant])

    def test_pushes_are_taken_while_a_script_waits(self):
        with GcpServer() as server:
            process = subprocess.Popen([program("XDSCOPE"), "repl", server.address, "--node-id", NODE, "--auto", "ack"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment())
            with process:
                process.stdin.write(b"sub cds\nwait\nwait --for 20s\nexpect cds added-1\n")
                process.stdin.flush()
                read_until(process, process.stdout, lambda seen: b"ack" in seen)
                server.tell("update")
                out, err = process.communicate(timeout=20)
                self.assertEqual((process.returncode, err), (0, b""), out)
                self.assertIn(b"12 resources (+1 ~1)", out)


class Streams(ReplCase):
    def test_streams_stand_side_by_side(self):
        with GcpServer() as one, Honest() as other:
            result = self.script(one.address, "auto ack", "sub cds", "wait", f"open delta-ads {other.address}",
                                 "auto ack", "sub cds", "wait",
                                 "expect cds a b c", "open sotw eds:tcp-a", "wait", "use 1", "expect cds api",
                                 "expect not cds a --for 10ms",
                                 "streams", "close 2", "streams", "use 2", code=1)
            self.assertIn("no stream 2", result.errors[0])
            rows = [line.split() for line in result.out.splitlines() if re.match(r" *\*?\d +\S+ +\S+:\d+ ", line)]
            self.assertEqual([row[0] for row in rows], ["*1", "2", "3", "*1", "3"])
            self.assertEqual([row[1:4] for row in rows[:3]],
                             [["ads", one.address, "open"], ["delta-ads", other.address, "open"],
                                                              ["sotw", one.address, "open"]])
            self.assertIn("2: <- CDS", result.out)

    def test_a_stream_that_dies_fails_what_waits_and_says_why(self):
        with ScriptedServer({api.ADS: closes_with(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many", after=1)}) as server:
            result = self.script(server.address, "sub cds", "wait", code=3)
            self.assertIn("too many", result.out + result.err)
            self.assertIn("RESOURCE_EXHAUSTED", result.out + result.err)

    def test_reopen_works_after_a_stream_has_died(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "ack", "expect not cds z --for 300ms", "reopen",
                                      "wait", "ack", "expect cds b")
            server.stream(0).push(clusters(1, "a"))
            server.request(1)
            server.stream(0).fail(grpc.StatusCode.UNAVAILABLE, "gone")
            server.stream(1).push(clusters(2, "a", "b"))
            out, _ = self.ends(process)
            self.assertIn("UNAVAILABLE: gone", out)
            self.assertEqual(server.request(2).version_info, "1")


class Waits(ReplCase):
    def test_wait_is_for_responses_that_no_wait_has_seen(self):
        with Honest() as server:
            self.script(server.address, "sub cds", "wait", "ack", "sub eds a", "wait eds", "ack eds")
            self.fails(server.address, "sub cds", "wait", "ack", "wait --for 100ms", at=4, words=["in time"])
            self.fails(server.address, "sub cds", "wait cds", "wait eds --for 100ms", at=3, words=["in time"])

    def test_waits_have_limits(self):
        with ScriptedServer({api.ADS: silent}) as server:
            for line, least, most in (("wait --for 300ms", 0.3, 2), ("expect cds a --for 300ms", 0.3, 2),
                                      ("wait", 4.5, 8)):
                with self.subTest(line=line):
                    result = self.fails(server.address, "sub cds", line, at=2, words=[])
                    self.assertGreater(result.seconds, least)
                    self.assertLess(result.seconds, most)
            result = self.fails(server.address, "set wait 300ms", "sub cds", "wait", at=3, words=["in time"])
            self.assertLess(result.seconds, 2)

    def test_expect_fails_unless_it_is_held_by_then(self):
        with Honest() as server:
            begin = ["auto ack", "sub cds", "sub eds a"]
            self.script(server.address, *begin, "expect cds", "expect cds a b c", "expect eds a")
            self.fails(server.address, *begin, "expect cds a nowhere --for 200ms", at=4, words=["nowhere"])
            self.fails(server.address, *begin, "expect rds --for 200ms", at=4, words=["rds"])

    def test_expect_not_fails_if_it_is_held_at_any_moment(self):
        with Honest() as server:
            begin = ["auto ack", "sub cds", "expect cds a"]
            self.script(server.address, *begin, "expect not cds nowhere --for 200ms")
            self.fails(server.address, *begin, "expect not cds b --for 200ms", at=4, words=["b"])
            self.fails(server.address, "auto ack", "sub cds", "expect not cds b --for 5s", at=3, words=["b"])

    def test_what_waits_for_its_verdict_is_not_held(self):
        with Honest() as server:
            self.fails(server.address, "sub cds", "wait", "expect cds a --for 200ms", at=3, words=["a"])
            self.fails(server.address, "sub cds", "wait", "nack no", "show cds a", at=4, words=["a"])


class Endings(ReplCase):
    """0 · 1 a line failed · 2 the command line · 3 no server · 4 --max-time · 130 interrupted."""

    def test_the_first_line_that_fails_ends_it(self):
        with Honest() as server:
            self.fails(server.address, "", "# a comment", "sub cds # and another", "  wait", "sho cds", "shwo cds",
                       at=6, words=["shwo", "show"])
            self.fails(server.address, "subb cds", at=1, words=["subb", "sub"])
            self.fails(server.address, "sub cdss", at=1, words=["cdss", "cds"])
            self.fails(server.address, "sub cds --no", at=1, words=["--no", "--now"])
            self.fails(server.address, "s cds", at=1, words=["show", "sub"])
            self.fails(server.address, "show 'cds", at=1, words=["'"])
            self.fails(server.address, "sub", at=1, words=["TYPE"])

    def test_the_input_may_be_a_pipe(self):
        with Honest() as server:
            for text, code, words in (("sub cds\nwait\nack\nexpect cds a", 0, ""),
                                      ("sub cds\n\nfoo\nhelp quit\n", 1, "xdscope: -:3: foo")):
                done = subprocess.run([program("XDSCOPE"), "repl", server.address], input=text, capture_output=True,
                                      text=True,
                                      env=environment(), timeout=20, check=False)
                self.assertEqual(done.returncode, code, done)
                self.assertTrue(done.stderr.startswith(words), done)
                self.assertNotIn("> ", done.stdout.replace("-> ", ""))
                self.assertNotIn("\x1b", done.stdout)

    def test_source_runs_a_script_and_names_its_line(self):
        with Honest() as server:
            inner = self.write("inner.xds", "sub cds", "wait", "ack")
            self.script(server.address, f"source {inner}", "expect cds a")
            bad = self.write("bad.xds", "sub cds", "wait", "nothing like that")
            self.fails(server.address, "help sub", f"source {bad}", at=2, words=[f"{bad}:3:", "nothing"])
            self.fails(server.address, "source /nowhere.xds", at=1, words=["/nowhere.xds"])
            endless = self.path("endless.xds")
            self.write("endless.xds", f"source {endless}")
            self.fails(server.address, f"source {endless}", at=1, words=["deep"])

    def test_a_script_is_read_once(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "set output json", "node id=other")
            stream = server.stream()
            os.remove(self.path("driven.xds"))
            stream.push(clusters(1, "a"))
            self.ends(process)

    def test_a_wrong_command_line_is_said(self):
        for args, word in ((["x:1", "--auto", "maybe"], "maybe"), (["x:1", "y:2"], "y:2"),
                           (["x:1", "--script", ""], "--script"),
                           (["x:1", "--count", "3"], "--count")):
            with self.subTest(args=args):
                self.failed(run("repl", *args), 2, word, hint="")

    def test_a_script_that_is_not_there(self):
        with Honest() as server:
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
            for lines in (["sub cds", "wait --for 1m"], ["expect not cds a --for 1m"],
                          ["sub cds", "reopen", "expect cds --for 1m"]):
                with self.subTest(lines=lines):
                    result = self.script(server.address, *lines, flags=["--max-time", "700ms"], code=4)
                    self.assertLess(result.seconds, 3)
                    self.assertEqual(len(result.errors), 1)

    def test_ctrl_c_ends_a_script(self):
        for args in (["--script", "wait.xds"], []):
            with self.subTest(args=args), ScriptedServer({api.ADS: silent}) as server:
                self.write("wait.xds", "sub cds", "wait --for 1m")
                process = subprocess.Popen([program("XDSCOPE"), "repl", server.address, *args], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                                           cwd=self.folder)
                if not args:
                    process.stdin.write(b"sub cds\nwait --for 1m\n")
                    process.stdin.flush()
                server.wait_for(lambda server: server.requests)
                _, _, seconds = interrupt(process)
                self.assertEqual(process.returncode, 130)
                self.assertLess(seconds, 2)

    def test_ctrl_c_is_no_answer_to_what_waits_and_no_later_line_runs(self):
        for line in ("expect not cds a --for 1m", "expect cds a --for 1m", "wait eds --for 1m"):
            with self.subTest(line=line), ScriptedServer({api.ADS: silent}) as server:
                process = self.run_driven(server, "sub cds", "help pending", line, "sub eds", "help quit")
                read_until(process, process.stdout, lambda seen: b"for example: pending\n" in seen)
                self.assertTrue(server.wait_for(lambda its: its.requests))
                out, err, _ = interrupt(process)
                self.assertEqual(process.returncode, 130)
                self.assertNotIn("end all streams", str(out))
                self.assertEqual(len(server.requests), 1, (out, err))

    def test_quit_ends_it_and_no_later_line_runs(self):
        with Honest() as server:
            result = self.script(server.address, "sub cds", "wait", "quit", "nonsense")
            self.assertNotIn("nonsense", result.out + result.err)


class Reading(ReplCase):
    def test_show_redacts_secrets_unless_told(self):
        with GcpServer() as server:
            result = self.script(server.address, "auto ack", "sub sds web-cert", "wait", "show sds",
                                 "set show-secrets true", "show sds", "response 2")
            hidden, shown, _ = [part.split("private_key:")[1][:80] for part in result.out.split("version_info: ")[1:]]
            self.assertIn("[redacted]", hidden)
            self.assertNotIn("[redacted]", shown)

    def test_the_state_of_a_type_is_that_of_its_last_verdict(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant), GcpServer() as server:
                result = self.script(server.address, "sub cds api", "wait", "state", "ack", "state",
                                     flags=["--variant", variant])
                self.assertEqual(self.last_verdicts(result), ["waits", "ACKED"])
        with Honest() as server:
            result = self.script(server.address, "sub cds", "wait", "nack no", "state", "reopen", "wait", "state")
            self.assertEqual(self.last_verdicts(result), ["NACKED", "waits"])

    def test_what_nobody_answers_is_requested(self):
        with ScriptedServer({api.ADS: silent}) as server:
            result = self.script(server.address, "sub cds", "state")
            self.assertRegex(result.out, r"\ncds .* REQUESTED\n")

    def last_verdicts(self, result):
        return [line.split()[-1] for line in result.out.splitlines() if re.match(r"cds +[\d*]", line)]

    def test_the_log_has_both_directions_with_verdicts(self):
        with Honest() as server:
            result = self.script(server.address, "sub cds", "wait", "nack cds not so", "sub eds a", "wait", "ack",
                                 "log", "log 1")
            rows = [line for line in result.out.splitlines() if re.match(r" *\d+ +\d+\.\d+ ", line)]
            self.assertEqual([("->" in row, "<-" in row) for row in rows[:6]],
                             [(True, False), (False, True), (True, False), (True, False), (False, True), (True, False)])
            self.assertIn('NACK "not so"', rows[1])
            self.assertIn("ACK", rows[4])
            self.assertEqual(len(rows), 7)

    def test_diff_says_what_changed_between_two_responses(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "auto ack", "sub cds", "wait", "wait", "diff cds", "diff cds a",
                                      "diff cds 2 4")
            server.stream().push(api.response(CDS, [api.resource("cds", {"name": "a", "alt_stat_name": "before"})],
                                              version="1", nonce="n1"))
            server.request(1)
            server.stream().push(api.response(CDS, [api.resource("cds", {"name": "a", "alt_stat_name": "after"}),
                                                    api.resource("cds", {"name": "b"})], version="2", nonce="n2"))
            out, _ = self.ends(process)
            for word in ("alt_stat_name", "before", "after"):
                self.assertIn(word, out)

    def test_every_verb_has_help_with_an_example(self):
        with Honest() as server:
            listed = self.script(server.address, "help").out
            verbs = [line.split()[0] for line in listed.splitlines() if re.match(r"[a-z]+ {2,}\S", line)]
            for verb in ("sub", "unsub", "resub", "ack", "nack", "auto", "pending", "follow", "show", "list", "tree",
                         "state", "check", "log",
                         "request", "response", "diff", "send", "preview", "node", "set", "wait", "expect", "open",
                         "use", "streams", "close",
                         "reopen", "save", "source", "history", "help", "quit"):
                self.assertIn(verb, verbs)
            out = self.script(server.address, *[f"help {verb}" for verb in verbs]).out
            self.assertEqual(out.count("for example: "), len(verbs))

    def test_verbs_may_be_abbreviated_where_unique(self):
        with Honest() as server:
            self.script(server.address, "auto ack", "sub cds", "wai", "exp cds a", "hel quit", "li cds", "pend", "str")


if __name__ == "__main__":
    unittest.main()
