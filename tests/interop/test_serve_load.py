"""`xdscope serve` under load: many clients, large folders, clients that do not read. Bounds are of memory, not of time."""

import json
import os
import subprocess
import tempfile
import unittest

import api
from harness import Case, GcpServer, program, run
from served import Serve, cluster, copy_example, write

CLUSTERS = 20000


class Load:
    """Many clients at once, in a process of their own."""

    def __init__(self, address, clients=1, streams=1, *flags):
        self.command = [program("XDSCOPE_LOADCLIENT"), "-address", address, "-clients", str(clients), "-streams",
                        str(streams), *flags]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()

    def hear(self):
        """ "first" or "next": all clients have one more response."""
        return self.process.stdout.readline().split(" ")[0]


class ManyClients(Case):
    def setUp(self):
        self.folder = copy_example(self.enterContext(tempfile.TemporaryDirectory()))
        self.server = self.enterContext(Serve(self.folder, "-q"))

    def follow(self, *load):
        with Load(self.server.address, *load) as clients:
            self.assertEqual(clients.hear(), "first")
            for name in ["one", "two"]:
                write(self.folder, "more.json", cluster(name))
                self.assertEqual(clients.hear(), "next")
            return self.server.memory()

    def test_a_thousand_clients(self):
        self.assertLess(self.follow(1000), 150)

    def test_ten_thousand_streams_of_one_client(self):
        self.assertLess(self.follow(1, 10000), 500)
        self.check(run("fetch", self.server.address, "cds", "-o", "name"), 0)


class ManyResources(Case):
    """20,000 clusters, about 16 MB: what is sent is shared, so memory is a few times that whatever the clients are."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        with GcpServer("-clusters", str(CLUSTERS)) as source:
            fetched = run("fetch", source.address, "cds", "--node-id", "test-node", "-o", "binary", text=False)
        assert fetched.code == 0, fetched.err
        with open(os.path.join(cls.folder, "cds.pb"), "wb") as out:
            out.write(fetched.out)
        cls.server = cls.enterClassContext(Serve(cls.folder, "-q"))
        cls.size = len(fetched.out) / 1e6

    def limit(self):
        return 20 + 6 * self.size

    def test_fifty_clients(self):
        for flags in [[], ["-delta"]]:
            with self.subTest(flags=flags), Load(self.server.address, 50, 1, *flags) as clients:
                self.assertEqual(clients.hear(), "first")
                write(self.folder, "more.json", cluster("more" + "".join(flags)))
                self.assertEqual(clients.hear(), "next")
                self.assertLess(self.server.memory(), self.limit())

    def test_clients_that_never_read(self):
        with Load(self.server.address, 50, 1, "-stall") as clients:
            self.assertEqual(clients.hear(), "first")
            for i in range(5):
                # Each change is told to a client that does read, so all others have had their turn too.
                write(self.folder, "more.json", cluster(f"change-{i}"))
                result = run("fetch", self.server.address, f"cds:change-{i}", "--variant", "delta-ads", "-o", "name")
                while result.code == 1 and "absent" in result.err:
                    result = run("fetch", self.server.address, f"cds:change-{i}", "--variant", "delta-ads", "-o", "name")
                self.check(result, 0)
            self.assertLess(self.server.memory(), self.limit())

    def test_a_file_of_200_megabytes(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        padding = {"metadata": {"filter_metadata": {"padding": {"text": "x" * 100000}}}}
        text = json.dumps([cluster(f"c{i}", **padding) for i in range(2000)])
        self.assertGreater(len(text), 200e6)
        write(folder, "cds.json", text)
        with Serve(folder, "-q") as server:
            result = self.check(run("fetch", server.address, "cds:c1999", "--variant", "delta-ads", "-o", "name"), 0)
            self.assertEqual(result.out.split(), ["cds:c1999"])


class GoClient(Case):
    """go-control-plane's own client library."""

    def follow(self, server, *flags):
        process = subprocess.Popen([program("XDSCOPE_GCPCLIENT"), "-address", server.address, "-type", api.url("cds"),
                                    *flags], text=True, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.kill)
        return process

    def test_it_gets_everything_and_follows(self):
        folder = copy_example(self.enterContext(tempfile.TemporaryDirectory()))
        server = self.enterContext(Serve(folder))
        example = ["cart", "catalog-v1", "catalog-v2", "web"]
        client, refusing = self.follow(server), self.follow(server, "-nack")
        for process in [client, refusing]:
            self.assertEqual(json.loads(process.stdout.readline()), example)
        server.hear("go-client refuses cds: refused by the test")
        server.hear("cds ack")
        write(folder, "more.json", cluster("more"))
        for process in [client, refusing]:
            self.assertEqual(json.loads(process.stdout.readline()), sorted([*example, "more"]))


if __name__ == "__main__":
    unittest.main()
