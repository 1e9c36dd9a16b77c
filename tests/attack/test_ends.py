"""Every run ends: by itself, by --max-time, by a second Ctrl-C; and says of what repeats ten lines and a count."""

import fcntl
import signal
import struct
import termios
import time
import unittest

from bounded import Attack, run, start  # first: it knows where the others are
import api
from scripted_server import ScriptedServer, says

AGGREGATE = "envoy.extensions.clusters.aggregate.v3.ClusterConfig"


def clusters(count):
    return [api.resource("cds", {"name": f"c{i}", "alt_stat_name": "x" * 100}) for i in range(count)]


def aggregate(name, below):
    config = {"@type": api.PREFIX + AGGREGATE, "clusters": [below]}
    return api.resource("cds", {"name": name, "cluster_type": {"name": "envoy.clusters.aggregate",
                                                               "typed_config": config}})


def unread(pipe):
    """How many bytes wait in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, struct.pack("i", 0)))[0]


class Stuck(Attack):
    """The one thread that does the work waits for somebody to read its stderr, who never does."""

    def stuck(self, server, *flags):
        process = start("fetch", server.address, "cds", "-vv", *flags)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 20
        while unread(process.stderr) < 60_000:
            self.assertLess(time.monotonic(), deadline, "nothing was printed")
        return process

    def test_a_second_signal_ends_it(self):
        with ScriptedServer({api.ADS: says(api.response(api.url("cds"), clusters(2000)))}) as server:
            for first, second in [(signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT)]:
                with self.subTest(first=first):
                    process = self.stuck(server)
                    process.send_signal(first)
                    process.send_signal(second)
                    self.assertEqual(process.wait(timeout=5), 130)

    def test_max_time_ends_it(self):
        with ScriptedServer({api.ADS: says(api.response(api.url("cds"), clusters(2000)))}) as server:
            process = self.stuck(server, "--max-time", "2")
            self.assertEqual(process.wait(timeout=10), 4)

    def test_max_time_ends_the_printing(self):
        with ScriptedServer({api.ADS: says(api.response(api.url("cds"), clusters(2000)))}) as server:
            process = start("fetch", server.address, "cds", "--max-time", "1")
            self.assertEqual(process.wait(timeout=10), 4)
            self.assertIn(b"out of time", process.stderr.read())
            process.stdout.close()
            process.stderr.close()


class Depth(Attack):
    def test_a_chain_of_clusters_has_a_hundred_levels_in_a_tree(self):
        chain = [aggregate(f"c{i:05}", f"c{i + 1:05}") for i in range(8500)]
        with ScriptedServer({api.ADS: says(api.response(api.url("cds"), chain))}) as server:
            result = self.survives(run("fetch", server.address, "cds", "-o", "tree"), 0)
            lines = result.out.decode().splitlines()
            self.assertEqual(len(lines), 100, lines[-1])
            self.assertTrue(lines[-1].endswith("…"), lines[-1])

    def test_references_without_end_are_followed_for_a_while(self):
        def endless(call):
            sent = set()
            while (request := call.next()) is not None:
                fresh = [name for name in request.resource_names if name not in sent]
                sent.update(fresh)
                if fresh:
                    yield api.response(api.url("cds"), [aggregate(n, f"c{int(n[1:]) + 1}") for n in sent],
                                       version=str(len(sent)), nonce=str(len(sent)))
        with ScriptedServer({api.ADS: endless}) as server:
            result = self.survives(run("fetch", server.address, "cds:c0", "--follow", "-o", "name", timeout=20), 0)
            self.assertEqual(len(result.out.splitlines()), 65)
            self.assertIn(b"elsewhere: cds:c65 (more than 64 references away)", result.err)


class Quiet(Attack):
    def test_a_server_that_is_never_quiet_is_heard_for_the_wait(self):
        def chatter(call):
            call.next()
            for i in range(10_000):
                yield api.delta_response(api.url("cds"), [api.wrapper("a", clusters(1)[0], str(i))], nonce=str(i))
                time.sleep(0.1)
        with ScriptedServer({api.DELTA_ADS: chatter}) as server:
            result = run("fetch", server.address, "cds", "--variant", "delta-ads", "--wait", "1", timeout=20)
            self.survives(result, 0, seconds=5)
            self.assertIn(b"more was still coming after 1s (--wait)", result.err)

    def test_references_to_ever_new_names_are_waited_for_twice_the_wait(self):
        def changing(call):
            call.next()
            for i in range(10_000):
                config = {"ads": {}, "resource_api_version": "V3"}
                cluster = api.resource("cds", {"name": "c", "type": "EDS", "eds_cluster_config": {
                    "service_name": f"e{i}", "eds_config": config}})
                yield api.response(api.url("cds"), [cluster], version=str(i), nonce=str(i))
                time.sleep(0.1)
        with ScriptedServer({api.ADS: changing}) as server:
            result = run("fetch", server.address, "cds", "--follow", "--wait", "1", "-o", "name", timeout=20)
            self.survives(result, 1, seconds=5)  # no endpoints were sent at all
            self.assertIn(b"eds: more was still coming after 1s (--wait)", result.err)
            self.assertIn(b"absent: eds:e0, ", result.err)


class Lines(Attack):
    def test_what_repeats_is_said_ten_times_and_counted(self):
        wrong = [api.wrapper(f"w{i}", api.resource("cds", {"name": f"c{i}"}), "1") for i in range(3000)]
        with ScriptedServer({api.DELTA_ADS: says(api.delta_response(api.url("cds"), wrong))}) as server:
            for flags in [(), ("-v",)]:
                result = self.survives(run("fetch", server.address, "cds", "--variant", "delta-ads", *flags), 0)
                said = [line for line in result.err.decode().splitlines() if "XDS-S017" in line]
                self.assertEqual(len(said), 11, result)
                self.assertEqual(said[-1], "and 2990 more of XDS-S017")


if __name__ == "__main__":
    unittest.main()
