"""grpcurl on the same server: its JSON and ours are equal, as JSON values."""

import json
import re
import subprocess
import unittest

import api
from harness import NODE, Case, GcpServer, program, run, snapshot, texts


def grpcurl(address, method, request):
    done = subprocess.run(
        [program("XDSCOPE_GRPCURL"), "-plaintext", "-max-msg-sz", "1000000000", "-protoset",
         program("XDSCOPE_API_SET_FILE"), "-d", json.dumps(request), address, method.lstrip("/")],
        capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def by_name(response):
    response = dict(response, resources=sorted(response["resources"], key=lambda r: r.get("name") or r["clusterName"]))
    response.pop("nonce", None)
    return response


class Grpcurl(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer("-answer-half-closed"))

    def test_each_type_is_the_same_json_value(self):
        for short in snapshot():
            if short == "vhds":
                continue
            with self.subTest(type=short):
                theirs = grpcurl(self.server.address, api.method(short, "stream"), {"node": {"id": NODE}})
                result = self.check(run("fetch", self.server.address, short, "--variant", "sotw", "--node-id", NODE,
                                        "-o", "json", "--json-names", "camel", "--show-secrets"), 0)
                self.assertEqual(by_name(texts(result.out)[0]), by_name(theirs))

    def test_the_unary_methods_too(self):
        for short in snapshot():
            if short == "vhds":
                continue
            with self.subTest(type=short):
                theirs = grpcurl(self.server.address, api.method(short, "fetch"), {"node": {"id": NODE}})
                result = self.check(run("fetch", self.server.address, short, "--variant", "unary", "--node-id", NODE,
                                        "-o", "json", "--json-names", "camel", "--show-secrets"), 0)
                self.assertEqual(by_name(texts(result.out)[0]), by_name(theirs))

    def test_proto_names_are_grpcurls_after_translation(self):
        # The same bytes, other names: what differs is the spelling of field names alone.
        camel = run("fetch", self.server.address, "cds:web-v1", "--node-id", NODE, "-o", "json", "--json-names", "camel")
        proto = run("fetch", self.server.address, "cds:web-v1", "--node-id", NODE, "-o", "json")
        self.assertIn('"connectTimeout"', camel.out)
        self.assertIn('"connect_timeout"', proto.out)
        self.assertEqual(len(camel.out.splitlines()), len(proto.out.splitlines()))


class Mesh(Case):
    """Two thousand clusters as Istio sends them."""

    def test_a_large_response_is_the_same_json_value(self):
        with GcpServer("-answer-half-closed", "-clusters", "2000") as server:
            theirs = grpcurl(server.address, api.method("cds", "stream"), {"node": {"id": NODE}})
            result = self.check(run("fetch", server.address, "cds", "--variant", "sotw", "--node-id", NODE, "-o", "json",
                                    "--json-names", "camel"), 0)
            ours, theirs = by_name(texts(result.out)[0]), by_name(theirs)
            self.assertEqual(len(ours["resources"]), 2000)
            for our, their in zip(ours.pop("resources"), theirs.pop("resources")):
                if our != their:  # assertEqual alone would compare two thousand before it shows one
                    self.assertEqual(our, their)
            self.assertEqual(ours, theirs)


if __name__ == "__main__":
    unittest.main()
