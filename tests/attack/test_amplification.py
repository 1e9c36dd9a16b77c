"""A small message stays small: what is packed into it, and what is wrong with it."""

import unittest

from bounded import Attack, run  # first: it knows where the others are
import api
import grpc
from scripted_server import ScriptedServer


def sends(message, compression=grpc.Compression.NoCompression):
    def script(call):
        call.context.set_compression(compression)
        if call.next() is None:
            return
        yield message
        call.drain()
    return script


class Packed(Attack):
    def test_what_unpacks_to_too_much_is_an_error_with_its_size(self):
        with ScriptedServer({api.ADS: sends(b"\x12\x00" * 100_000_000, grpc.Compression.Gzip)}) as server:
            result = run("fetch", server.address, "cds", "--max-message", "64MB")
            self.survives(result, 3, peak_mb=100)  # unpacked it is 200 MB
            self.assertIn("a message of 200.0 MB, compressed to 0.2 MB, is larger than the limit of 64.0 MB",
                          result.errors[0])
            self.assertIn("--max-message", result.hints[0])

    def test_what_came_too_large_is_the_same_error(self):
        with ScriptedServer({api.ADS: sends(b"\x12\x00" * 5_000_000)}) as server:
            result = self.survives(run("fetch", server.address, "cds", "--max-message", "1MB"), 3)
            self.assertIn("a message of 10.0 MB is larger than the limit of 1.0 MB", result.errors[0])

    def test_what_is_packed_and_small_enough_is_read(self):
        clusters = [api.resource("cds", {"name": f"c{i}"}) for i in range(1000)]
        message = api.response(api.url("cds"), clusters).SerializeToString()
        with ScriptedServer({api.ADS: sends(message, grpc.Compression.Gzip)}) as server:
            result = self.survives(run("fetch", server.address, "cds", "-o", "name"), 0)
            self.assertEqual(len(result.out.splitlines()), 1000)


class Entries(Attack):
    def test_empty_entries(self):
        head = api.response(api.url("cds"), []).SerializeToString()
        nameless = b"\x12" + bytes([len(ANY)]) + ANY
        for kind, entries in [("empty", b"\x12\x00" * 100_000), ("nameless", nameless * 300_000)]:
            with self.subTest(kind=kind), ScriptedServer({api.ADS: sends(head + entries)}) as server:
                for policy in ["ack", "nack", "partial"]:
                    result = run("fetch", server.address, "cds", "-o", "name", "--on-invalid", policy)
                    self.survives(result, 0, 1, peak_mb=300)
                    self.assertLess(len(result.err), 100_000, policy)

    def test_more_entries_than_can_say_anything(self):
        with ScriptedServer({api.ADS: sends(b"\x12\x00" * 3_000_000)}) as server:
            result = self.survives(run("fetch", server.address, "cds"), 3, peak_mb=60)
            self.assertIn("3000000 resources and names; a response of 6000000 bytes may have 475000", result.errors[0])

    def test_more_aliases_than_can_say_anything(self):
        wrapper = api.wrapper("a", api.resource("cds", {"name": "a"}), "1").SerializeToString() + b"\x22\x00" * 3_000_000
        message = api.delta_response(api.url("cds"), []).SerializeToString() + b"\x12" + varint(len(wrapper)) + wrapper
        with ScriptedServer({api.DELTA_ADS: sends(message)}) as server:
            result = self.survives(run("fetch", server.address, "cds", "--variant", "delta-ads"), 3, peak_mb=150)
            self.assertIn("3000004 resources and names", result.errors[0])


def varint(value):
    return bytes([value & 0x7F | 0x80]) + varint(value >> 7) if value > 0x7F else bytes([value])


ANY = api.packed_bytes(api.url("cds"), b"").SerializeToString()

if __name__ == "__main__":
    unittest.main()
