"""Clients of `xdscope serve` that mean harm."""

import contextlib
import queue
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import grpc

from bounded import Attack  # first: it says where the next ones are

import api
from harness import program, run
from served import Serve, cluster, write

CDS = api.url("cds")


def descriptors(soft, hard):
    """What `ulimit -Sn` and `-Hn` say, to be called in the child."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Peers(Attack):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        write(self.folder, "cds.json", [cluster("a")])

    def serve(self, *flags, **kwargs):
        return self.enterContext(Serve(self.folder, *flags, **kwargs))

    def connections(self, server, count):
        host, port = server.address.split(":")
        kept = self.enterContext(contextlib.ExitStack())
        for _ in range(count):
            with contextlib.suppress(OSError):
                kept.enter_context(socket.create_connection((host, int(port)), timeout=5))
        return kept

    def lives(self, server):
        self.assertEqual(self.check(run("fetch", server.address, "cds", "-o", "name"), 0).out.split(), ["cds:a"])


class Amplification(Peers):
    def test_compressed_requests_are_refused_unread(self):
        server = self.serve()
        requests = queue.SimpleQueue()
        zeros = b"\x0a\x80\x80\x80\x20" + bytes(64 << 20)  # version_info of 64 MB: 64 kB on the wire
        requests.put(zeros + zeros)
        options = [("grpc.max_send_message_length", -1)]
        with grpc.insecure_channel(server.address, options, compression=grpc.Compression.Gzip) as channel:
            call = channel.stream_stream(api.ADS)(iter(requests.get, None))
            with self.assertRaises(grpc.RpcError) as refusal:
                next(call)
            requests.put(None)
        self.assertEqual(refusal.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.lives(server)
        self.assertLess(server.memory("VmHWM"), 100)

    def test_of_a_node_its_id_is_kept(self):
        server = self.serve("-q")
        request = api.cls("envoy.service.discovery.v3.DiscoveryRequest")(type_url=CDS)
        request.node.id = "n" * 1_000
        request.node.metadata.update({"padding": "x" * 1_000_000})
        raw = request.SerializeToString()
        with grpc.insecure_channel(server.address) as channel:
            queues, calls = [queue.SimpleQueue() for _ in range(200)], []
            for requests in queues:
                requests.put(raw)
                calls.append(channel.stream_stream(api.ADS)(iter(requests.get, None)))
                next(calls[-1])
            self.assertLess(server.memory(), 120)
            for requests in queues:
                requests.put(None)


class Descriptors(Peers):
    def test_the_limit_is_raised_as_far_as_it_may(self):
        server = self.serve(limits=descriptors(64, 1024))
        self.connections(server, 200)
        self.lives(server)

    def test_running_out_of_them_ends_it_with_an_error(self):
        server = self.serve(limits=descriptors(64, 64))
        self.connections(server, 100)
        self.assertEqual(server.process.wait(timeout=10), 3)
        line = server.hear("cannot take another client")
        self.assertEqual(line, f"xdscope: {server.address}: cannot take another client: Too many open files")
        server.hear("hint: each client takes one of 64 descriptors")

    def test_clients_that_leave_before_they_are_taken(self):
        server = self.serve("-q")
        host, port = server.address.split(":")
        for _ in range(2_000):
            peer = socket.create_connection((host, int(port)), timeout=5)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()  # with a reset
        self.lives(server)


class Ends(Peers):
    STREAMS = 20_000

    def test_a_signal_ends_it_with_many_streams(self):
        server = self.serve("-q")
        load = subprocess.Popen([program("XDSCOPE_LOADCLIENT"), "-address", server.address, "-clients", "2", "-streams",
                                 str(self.STREAMS // 2)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        self.addCleanup(load.stdout.close)
        self.addCleanup(load.wait, 20)
        self.addCleanup(load.stdin.close)
        self.assertIn("first", load.stdout.readline())
        began = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.process.wait(timeout=20), 0)
        self.assertLess(time.monotonic() - began, 2)


if __name__ == "__main__":
    unittest.main()
