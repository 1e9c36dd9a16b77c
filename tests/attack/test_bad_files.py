"""Files that mean harm: small ones that want gigabytes, and ones that swallow what stands behind a slip."""

import json
import os
import resource
import tempfile
import time
import unittest

from bounded import Attack, run  # first: it says where the next ones are

import api
from served import Client, Serve, cluster, names, swap, write

CDS = api.url("cds")

# Texts of ten megabytes or so, as a beginning and what follows it so many times. yaml-cpp alone takes gigabytes and
# minutes for most of them, and the open quotes for good.
MEGABYTES = {
    "brackets": ("- ", "[", 10 << 20),
    "braces": ("- ", "{", 10 << 20),
    "brackets and braces": ("- ", "[{a: ", 2 << 20),
    "brackets behind a key": ("a:\n  ", "[", 10 << 20),
    "commas": ("- [", ",", 10 << 20),
    "numbers": ("- [", "1,", 5 << 20),
    "aliases of one line": ("&a x: ", "*a ", 3 << 20),
    "a double quote": ("name: \"web\n", "other: x\n", 1 << 20),
    "a single quote": ("name: 'web\n", "other: x\n", 1 << 20),
    "quotes": ("", "\"", (10 << 20) + 1),
    "dashes": ("", "- ", 5 << 20),
    "question marks": ("", "? ", 5 << 20),
}


def megabytes(name):
    begin, piece, count = MEGABYTES[name]
    return begin + piece * count


def many_aliases(begin):
    """0.4 MB that stand for 10 GB: one long text, said again and again."""
    return begin + " {a: &a " + "x" * 200_000 + ", b: [" + "*a, " * 50_000 + "]}\n"


def lists_of_lists():
    """Ten aliases of ten aliases of ten …"""
    lines = ["a0: &a0 [" + "x, " * 10 + "]"]
    lines += [f"a{i}: &a{i} [" + f"*a{i - 1}, " * 10 + "]" for i in range(1, 12)]
    return "\n".join(lines) + "\n"


class Given(Attack):
    """By --node and --bootstrap: the command line is wrong, at once."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def refused(self, text, *words, flags=("--node", "--bootstrap")):
        path = os.path.join(self.folder, "file.yaml")
        write(self.folder, "file.yaml", text)
        for flag in flags:
            result = self.survives(run("fetch", "127.0.0.1:1", "cds", flag, path), 2, seconds=8)
            self.assertEqual(len(result.errors), 1, str(result))
            for word in words:
                self.assertIn(word, result.errors[0])

    def test_aliases_are_counted_in_bytes(self):
        self.refused(many_aliases("metadata:"), "file.yaml:1", "aliases stand for more than 64 MB")
        self.refused(lists_of_lists(), "file.yaml:", "aliases stand for more than 64 MB")

    def test_what_yaml_cpp_would_hold_in_memory(self):
        for name in MEGABYTES:
            with self.subTest(name):
                self.refused(megabytes(name), "file.yaml:", flags=["--node"])

    def test_utf_16(self):
        path = os.path.join(self.folder, "file.yaml")
        with open(path, "wb") as out:
            out.write(("\ufeff- " + "[" * (5 << 20)).encode("utf-16-le"))
        result = self.survives(run("fetch", "127.0.0.1:1", "cds", "--node", path), 2)
        self.assertIn("file.yaml:1: YAML has to be UTF-8", result.errors[0])

    def test_an_open_quote_is_an_error_where_it_opens(self):
        for quote in "\"'":
            self.refused(f"id: a\ncluster: {quote}web\nmetadata: {{}}\n", "file.yaml:2", "unterminated quote")

    def test_no_memory_is_an_error_of_the_file(self):
        path = os.path.join(self.folder, "file.yaml")
        write(self.folder, "file.yaml", "- [" + "," * 3_900_000)
        result = run("fetch", "127.0.0.1:1", "cds", "--node", path, memory_mb=200)
        self.survives(result, 2)
        self.assertRegex(result.errors[0], r"file\.yaml(:1)?: there is not enough memory to read it")


class Served(Attack):
    """In a folder that is served: what was good stays, all else goes on."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        write(self.folder, "good.json", [cluster("good")])
        write(self.folder, "cds.yaml", json.dumps([cluster(f"c{i}") for i in range(4)]))

    def serve(self, *flags, **kwargs):
        return self.enterContext(Serve(self.folder, *flags, **kwargs))

    def clusters(self, server):
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            return sorted(names(client.receive()))

    def test_an_open_quote_takes_no_cluster_away(self):
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            for quote in "\"'":
                text = "resources:\n" + "".join(
                    f"- '@type': {CDS}\n  name: {quote if i == 0 else ''}c{i}\n" for i in range(4))
                mark = server.mark()
                swap(self.folder, "cds.yaml", text)
                line = server.hear("cds.yaml:3:9: unterminated quote", "its last good content stays (4 resources)",
                                   after=mark)
                self.assertTrue(line.startswith("xdscope: "), line)
                self.assertTrue(client.quiet())
                swap(self.folder, "cds.yaml", json.dumps([cluster(f"c{i}") for i in range(4)]))
                server.hear("cds.yaml: is good again", after=mark)

    def test_bombs_stop_nothing(self):
        server = self.serve()
        cluster_with = f"- '@type': {CDS}\n  name: c\n  metadata:\n    filter_metadata:\n      x:"
        for text in [many_aliases(cluster_with), lists_of_lists(), megabytes("brackets")]:
            mark = server.mark()
            swap(self.folder, "cds.yaml", text)
            server.hear("cds.yaml:", "its last good content stays (4 resources)", after=mark)
            self.assertEqual(self.clusters(server), ["c0", "c1", "c2", "c3", "good"])
        self.assertLess(server.memory("VmHWM"), 300)

    def test_a_file_that_takes_all_memory_is_one_bad_file(self):
        server = self.serve()
        most = int(server.memory("VmSize") + 250) << 20
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (most, most))
        swap(self.folder, "cds.yaml", "[" + "," * 3_900_000)
        server.hear("cds.yaml", "there is not enough memory to read it; its last good content stays (4 resources)")
        self.assertEqual(self.clusters(server), ["c0", "c1", "c2", "c3", "good"])

    def test_streams_are_served_while_a_file_is_read(self):
        server = self.serve()
        padding = "".join(f"  k{i}: {{a: [b, c, d], e: f}}\n" for i in range(150_000))
        swap(self.folder, "slow.yaml", f"ignored:\n{padding}")
        began = time.monotonic()
        slowest = 0
        while not any("slow.yaml:" in line for line in server.lines):
            asked = time.monotonic()
            self.assertEqual(len(self.clusters(server)), 5)
            slowest = max(slowest, time.monotonic() - asked)
            self.assertLess(asked, began + 30)
        self.assertGreater(time.monotonic() - began, 3 * slowest)

    def test_what_the_schema_does_not_know_breaks_a_file(self):
        for unknown in [{"no_such_field": 1}, {"lb_policy": "NO_SUCH_POLICY"}]:
            with self.subTest(unknown), Serve(self.folder) as server:
                with Client(server.address, api.ADS) as client:
                    client.send(type_url=CDS)
                    client.ack(client.receive())
                    swap(self.folder, "good.json", [cluster("good", **unknown)])
                    server.hear("good.json:1:", "no such", "its last good content stays (1 resource)")
                    server.hear("hint: --lenient")
                    self.assertTrue(client.quiet())
                    swap(self.folder, "good.json", [cluster("good", alt_stat_name=str(unknown))])
                    server.hear("good.json: is good again")
                    self.assertIn("good", names(client.receive()))

    def test_lenient_serves_the_rest_and_says_what_is_left_out(self):
        server = self.serve("--lenient")
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            swap(self.folder, "good.json", [cluster("lenient", no_such_field=1, lb_policy="NO_SUCH_POLICY")])
            for words in [("no_such_field: no such field",), ("lb_policy: no such value",)]:
                line = server.hear("good.json:1:", *words)
                self.assertTrue(line.endswith("; it is left out"), line)
            self.assertIn("lenient", names(client.receive()))


if __name__ == "__main__":
    unittest.main()
