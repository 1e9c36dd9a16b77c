"""`xdscope watch`: what changes over time, over streams that come and go."""

import json
import os
import re
import signal
import tempfile
import threading
import unittest

import grpc

import api
from driven_server import DrivenServer, cluster, clusters, endpoints
from harness import NODE, Case, GcpServer, environment, program, run, start
from scripted_server import ScriptedServer, closes_with
from served import Serve, copy_example, mortal, runtime, swap, write
from served import cluster as served_cluster
from terminal import Terminal
from watching import Watch

CDS, EDS, LDS = api.url("cds"), api.url("eds"), api.url("lds")
ADS_EDS = {"type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}, "resource_api_version": "V3"}}}
STREAMS = ("ads", "delta-ads", "sotw", "delta")


def names(events):
    return [event["name"] for event in events]


class Edits(Case):
    """The folder behind `serve` is edited."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def test_an_edit_is_told_by_path_in_every_variant(self):
        for variant in STREAMS:
            with self.subTest(variant=variant), tempfile.TemporaryDirectory() as folder, \
                    Serve(copy_example(folder)) as server, Watch(server.address, "--variant", variant) as watch:
                watch.sees("added", count=13)
                after = watch.mark()
                with open(os.path.join(folder, "clusters.yaml"), encoding="utf-8") as text:
                    edited = text.read().replace("connect_timeout: 1s", "connect_timeout: 2s")
                swap(folder, "clusters.yaml", edited)
                event = watch.sees("changed", "web", after=after)
                self.assertEqual(event["changes"], [{"path": "connect_timeout", "old": "1s", "new": "2s"}])
                self.assertEqual((event["type_url"], event["resource"]["connect_timeout"]), (CDS, "2s"))
                self.assertEqual({each["event"] for each in watch.events[after:]}, {"changed", "ack"})

    def test_what_goes_takes_along_what_it_alone_referred_to(self):
        for variant in STREAMS:
            with self.subTest(variant=variant), tempfile.TemporaryDirectory() as folder:
                write(folder, "cds.json", {"resources": [served_cluster(name, **ADS_EDS) for name in ("a", "b")]})
                write(folder, "eds.json", {"resources": [{"@type": EDS, "cluster_name": name} for name in ("a", "b")]})
                with Serve(folder) as server, Watch(server.address, "--variant", variant) as watch:
                    watch.sees("added", count=4)
                    after = watch.mark()
                    swap(folder, "cds.json", {"resources": [served_cluster("b", **ADS_EDS)]})
                    gone = watch.sees("removed", "a", after=after, count=2)
                    self.assertEqual({each["type_url"] for each in gone}, {CDS, EDS})

    def test_the_time_to_live_of_a_resource_that_nobody_renews_is_its_end(self):
        entry = api.wrapper("a", api.resource("cds", {"name": "a"}), "1")
        entry.ttl.FromSeconds(1)
        with DrivenServer() as server, Watch(server.address, "cds", "--variant", "delta-ads") as watch:
            server.stream().push(api.delta_response(CDS, [entry], nonce="1"))
            watch.sees("added", "a")
            self.assertEqual(watch.sees("expired", "a")["type_url"], CDS)

    def test_heartbeats_keep_a_resource_alive(self):
        write(self.folder, "rtds.json", {"resources": [mortal("1s", runtime("a", x=1))]})
        for variant in ("ads", "delta-ads"):
            with self.subTest(variant=variant), Serve(self.folder) as server, \
                    Watch(server.address, "rtds:a", "--variant", variant, "--client-feature",
                          "xds.config.supports-resource-ttl", "--for", "3s") as watch:
                self.assertEqual(watch.ended(), 0)
                self.assertEqual([each["event"] for each in watch.events if each["event"] != "ack"],
                                 ["connected", "added"])
                self.assertGreater(len([each for each in watch.events if each["event"] == "ack"]), 3)

    def test_lines_for_people(self):
        copy_example(self.folder)
        with Serve(self.folder) as server, Watch(server.address, "cds", "--count", "2", output=None) as watch:
            watch.says("+ cds:web")
            with open(os.path.join(self.folder, "clusters.yaml"), encoding="utf-8") as text:
                edited = text.read().replace("connect_timeout: 1s", "connect_timeout: 2s", 1)
            swap(self.folder, "clusters.yaml", edited)
            self.assertEqual(watch.ended(), 0)
        text = re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "TIME", "\n".join(watch.lines))
        text = re.sub(r"after [0-9.]+ m?s", "after A WHILE", re.sub(r"CDS [0-9a-f]{16}", "CDS VERSION", text))
        self.assertEqual(text, """\
TIME -- connected
TIME <- CDS VERSION nonce 1: 4 resources (+4), 865 B: ack
+ cds:cart
+ cds:catalog-v1
+ cds:catalog-v2
+ cds:web
TIME <- CDS VERSION nonce 2: 4 resources (~1), 865 B, after A WHILE: ack
~ cds:web
    connect_timeout: "1s" → "2s\"""")
        self.assertEqual(watch.err, [])

    def test_a_response_has_one_line_whatever_is_traced(self):
        copy_example(self.folder)
        with Serve(self.folder) as server:
            result = self.check(run("watch", server.address, "cds:web", "-v", "--count", "1"), 0)
            self.assertEqual(len(re.findall("<- CDS", result.out)), 1)
            self.assertNotIn("<- CDS", result.err)
            self.assertIn("-> CDS", result.err)
            whole = self.check(run("watch", server.address, "cds:web", "-vv", "--count", "1"), 0)
            self.assertIn("name: web", whole.err)
            events = self.check(run("watch", server.address, "cds:web", "-v", "-o", "ndjson", "--count", "1"), 0)
            self.assertIn("<- CDS", events.err)

    def test_full_prints_whole_resources(self):
        copy_example(self.folder)
        with Serve(self.folder) as server:
            result = self.check(run("watch", server.address, "cds:web", "--full", "--count", "1", "-ojson"), 0)
            lines = result.out.splitlines()
            at = lines.index("+ cds:web")
            self.assertEqual(json.loads("\n".join(lines[at + 1:]))["connect_timeout"], "1s")

    def test_secrets_are_hidden_and_their_change_is_told(self):
        with GcpServer() as server, Watch(server.address, "--node-id", NODE, "sds:web-cert") as watch:
            event = watch.sees("added", "web-cert")
            self.assertIn("[redacted]", json.dumps(event))
            self.assertNotIn("PRIVATE KEY", json.dumps(watch.events))


class Streams(Case):
    """Streams end, and are opened again."""

    def test_a_new_stream_says_the_version_and_the_names_and_no_nonce(self):
        with DrivenServer() as server, Watch(server.address, "cds", "eds:b,a") as watch:
            server.stream().push(clusters(1, "x"), endpoints(1, "a", "b"))
            watch.sees("ack", count=2)
            self.assertTrue(server.wait_for(lambda its: len(its.requests) == 4))
            server.stream().close()
            self.assertEqual(watch.sees("disconnected")["status"], "OK")
            server.stream(1).push(clusters(2, "x", "y"))
            watch.sees("added", "y")
            self.assertTrue(server.wait_for(lambda its: len(its.requests) == 7))
            again = {request.type_url: request for _, request in reversed(server.requests[4:])}  # the first of each
            self.assertEqual((again[CDS].version_info, again[CDS].response_nonce, list(again[CDS].resource_names)),
                             ("1", "", []))
            self.assertEqual((again[EDS].version_info, again[EDS].response_nonce, list(again[EDS].resource_names)),
                             ("1", "", ["a", "b"]))
            self.assertEqual(names([each for each in watch.events if each["event"] == "added"]), ["x", "a", "b", "y"])

    def test_a_new_delta_stream_says_what_is_held(self):
        entry = api.wrapper("a", api.resource("cds", {"name": "a"}), "7")
        with DrivenServer() as server, Watch(server.address, "cds", "--variant", "delta-ads") as watch:
            server.stream().push(api.delta_response(CDS, [entry], nonce="1"))
            watch.sees("ack")
            server.request(1)
            server.stream().fail(grpc.StatusCode.UNAVAILABLE, "restarting")
            self.assertEqual({key: watch.sees("disconnected")[key] for key in ("status", "message")},
                             {"status": "UNAVAILABLE", "message": "restarting"})
            self.assertEqual(dict(server.request(2).initial_resource_versions), {"a": "7"})
            server.stream(1).push(api.delta_response(CDS, [], removed=["a"], nonce="2"))
            watch.sees("removed", "a")

    def test_fresh_streams_remember_nothing(self):
        with DrivenServer() as server, Watch(server.address, "cds", "--fresh") as watch:
            server.stream().push(clusters(1, "x"))
            watch.sees("ack")
            server.request(1)
            server.stream().close()
            self.assertEqual(server.request(2).version_info, "")
            after = watch.mark()
            server.stream(1).push(clusters(1, "x"))
            watch.sees("added", "x", after=after)

    def test_bytes_that_are_no_response_are_an_error_and_a_new_stream(self):
        def script(call):
            call.next()
            if len(server.requests) == 1:
                yield b"\x07nonsense"
            yield clusters(1, "x")
            call.drain()
        with ScriptedServer({api.ADS: script}) as server, Watch(server.address, "cds") as watch:
            self.assertEqual(watch.sees("error")["status"], "DATA_LOSS")
            watch.sees("added", "x")

    def test_a_server_that_ends_each_stream_sees_no_storm(self):
        def script(call):
            call.next()
            yield clusters(1, "x")
        with ScriptedServer({api.ADS: script}) as server:
            self.check(run("watch", server.address, "cds", "--for", "9s"), 0)
            self.assertLessEqual(len(server.requests), 20)  # a first one and an ACK on each of ten streams

    def test_where_nobody_listens_it_ends_at_once(self):
        self.failed(run("watch", "127.0.0.1:1", "cds"), 3, "refused", within=5)

    def test_what_a_server_will_never_do_ends_it(self):
        for code in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.PERMISSION_DENIED,
                     grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INVALID_ARGUMENT):
            with self.subTest(code=code), ScriptedServer({api.ADS: closes_with(code=code, text="never")}) as server:
                self.failed(run("watch", server.address, "cds"), 3, "never", hint=False, within=5)

    def test_a_type_of_its_own_stream_that_is_only_referred_to_may_be_missing(self):
        def cds(call):
            call.next()
            yield api.response(CDS, [cluster("x", **ADS_EDS)], version="1", nonce="1")
            call.drain()
        with ScriptedServer({api.method("cds", "stream"): cds}) as server, \
                Watch(server.address, "cds", "--follow", "--variant", "sotw") as watch:
            watch.sees("added", "x")
            self.assertEqual(watch.sees("disconnected")["status"], "UNIMPLEMENTED")
            self.assertIsNone(watch.process.poll())
            self.assertEqual(watch.signal(signal.SIGTERM), 130)


class Ends(Case):
    def test_count_ends_it_and_the_last_response_is_acknowledged(self):
        with DrivenServer() as server, Watch(server.address, "cds", "--count", "2") as watch:
            server.stream().push(clusters(1, "a"))
            server.stream().push(clusters(2, "b"))
            self.assertEqual(watch.ended(), 0)
            self.assertTrue(server.wait_for(lambda its: len(its.requests) == 3))
            self.assertEqual([request.response_nonce for _, request in server.requests], ["", "n1", "n2"])

    def test_time_ends_it(self):
        with DrivenServer() as server:
            self.check(run("watch", server.address, "cds", "--for", "300ms"), 0, within=5)
            self.failed(run("watch", server.address, "cds", "--max-time", "300ms"), 4, hint=False, within=5)

    def test_signals_end_it_without_a_word(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number), DrivenServer() as server, Watch(server.address, "cds") as watch:
                watch.sees("connected")
                self.assertEqual(watch.signal(number), 130)
                self.assertEqual(watch.err, [])

    def test_it_ends_silently_when_nobody_reads(self):
        with DrivenServer() as server:
            process = start("watch", server.address, "cds")
            self.addCleanup(process.stderr.close)
            process.stdout.close()
            server.stream().push(clusters(1, "a"))
            self.assertEqual(process.wait(timeout=10), 0)
            self.assertEqual(process.stderr.read(), b"")

    def test_a_moment_is_not_watched(self):
        for output in ("table", "tree", "binary"):
            self.failed(run("watch", "127.0.0.1:1", "cds", "-o", output), 2, "ndjson", hint=False)
        self.failed(run("watch", "127.0.0.1:1", "--count", "-1"), 2, "--count", hint=False)


class Refusals(Case):
    def twice(self, version):
        return clusters(version, "bad", "bad")

    def test_what_is_refused_names_what_is_bad_and_changes_nothing(self):
        with DrivenServer() as server, Watch(server.address, "cds", "--on-invalid", "nack") as watch:
            server.stream().push(clusters(1, "a"))
            watch.sees("added", "a")
            server.stream().push(self.twice(2))
            refused, nack = watch.sees("refused"), watch.sees("nack")
            self.assertEqual((refused["name"], nack["version"], nack["nonce"]), ("bad", "2", "n2"))
            self.assertIn("bad", nack["message"])
            request = server.request(2)
            self.assertEqual((request.version_info, request.response_nonce), ("1", "n2"))
            self.assertEqual((request.error_detail.code, request.error_detail.message), (13, nack["message"]))
            server.stream().push(clusters(3, "a", "b"))
            watch.sees("added", "b")
            self.assertEqual(server.request(3).version_info, "3")

    def test_a_server_that_sends_it_again_for_ever_is_not_fought(self):
        def insists(call):  # answers each NACK at once, until the content is mended
            call.next()
            for number in range(1, 100):
                if mended.is_set():
                    break
                yield clusters(1, "bad", "bad", nonce=str(number))
                call.next()
            yield clusters(2, "good")
            call.drain()
        mended = threading.Event()
        with ScriptedServer({api.ADS: insists}) as server, \
                Watch(server.address, "cds", "--on-invalid", "nack") as watch:
            watch.until(lambda: any("sends again" in each.get("message", "") for each in watch.events), "a count")
            refusals = [request for _, request in server.requests if request.HasField("error_detail")]
            self.assertEqual(len(refusals), 1)
            mended.set()  # it hears of that with the next answer
            watch.sees("added", "good")

    def test_under_nack_a_version_gets_one_answer(self):
        with DrivenServer() as server, Watch(server.address, "cds", "--nack") as watch:
            server.stream().push(*[clusters(1, "a", nonce=str(number)) for number in range(5)])
            watch.sees("nack")
            server.stream().push(clusters(2, "a", nonce="last"))
            watch.sees("nack", count=2)
            self.assertEqual(server.request(2).response_nonce, "last")
            self.assertEqual([each["nonce"] for each in watch.events if each["event"] == "nack"], ["0", "last"])

    def test_partial_keeps_what_is_good(self):
        with DrivenServer() as server, Watch(server.address, "cds", "--on-invalid", "partial") as watch:
            server.stream().push(clusters(1, "good", "bad", "bad"))
            watch.sees("added", "good")
            watch.sees("nack")

    def test_rules_of_the_protocol_are_said(self):
        with DrivenServer() as server, Watch(server.address, "cds", "-v", "--count", "1") as watch:
            server.stream().push(clusters(1, "a", nonce=""))
            self.assertEqual(watch.ended(), 0)
            self.assertIn("[XDS-S", "\n".join(watch.err))


class Peers(Case):
    def test_go_control_plane_updates_and_withdraws(self):
        for variant in STREAMS:
            with self.subTest(variant=variant), GcpServer() as server, \
                    Watch(server.address, "--node-id", NODE, "cds", "eds", "--variant", variant) as watch:
                watch.sees("ack", count=2)
                after = watch.mark()
                server.tell("update")
                watch.until(lambda: any(each["event"] in ("added", "changed", "removed")
                                        for each in watch.events[after:]), "a change")


class OnATerminal(Case):
    def test_the_status_line_stands_below_what_is_printed(self):
        with DrivenServer() as server, \
                Terminal(program("XDSCOPE"), "watch", server.address, "cds", columns=100,
                         env=environment({"TERM": "xterm-256color"})) as terminal:
            server.stream().push(clusters(1, "a", "b"))
            terminal.until(lambda: "+ cds:b" in terminal.text and "2 cds, last response" in terminal.text, "status")
            server.stream().push(clusters(2, "a"))
            terminal.until(lambda: "- cds:b" in terminal.text and "1 cds, last response" in terminal.text, "status")
            lines = [line for line in terminal.lines if line.strip()]
            self.assertEqual(len([line for line in lines if "last response" in line]), 1)
            self.assertIn("1 stream, 1 cds, last response", lines[-1])
            self.assertTrue(all(re.match(r"\d\d:\d\d:\d\d\.|[+-] cds:", line) for line in lines[:-1]), lines)


if __name__ == "__main__":
    unittest.main()
