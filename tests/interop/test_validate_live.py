"""`xdscope validate` with a control plane: what it sends is judged as files are."""

import json
import tempfile

import raw_peers
from harness import Case, GcpServer, run
from served import EXAMPLE, Serve, cluster, endpoints, write

BAD = {"least_request_lb_config": {"choice_count": 1}}
EDS = {"type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}, "resource_api_version": "V3"}}}


class Judged(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def serve(self, *resources, flags=()):
        write(self.folder, "all.json", list(resources))
        return self.enterContext(Serve(self.folder, *flags))

    def test_a_finding_names_type_resource_and_path(self):
        served = self.serve(cluster("a"), cluster("b", **BAD), flags=("--rest-listen", "127.0.0.1:0"))
        rest = "http://" + served.hear("rest 127.").split()[1]
        for target, *flags in [[served.address], [rest]] + [
                [served.address, "--variant", variant] for variant in ("delta-ads", "sotw", "delta", "unary")]:
            with self.subTest(target=target, flags=flags):
                result = self.check(run("validate", target, *flags), 1)
                lines = result.out.splitlines()
                self.assertIn(" cds: error: choice_count must be at least 2 [pgv.uint32.gte]", lines[0])
                self.assertEqual(lines[1], '  at Cluster "b": least_request_lb_config.choice_count')
                self.assertIn("1 error, 0 warnings in ", lines[-1])
                self.assertIn("(2 resources, 0 skipped)", lines[-1])

    def test_what_is_fetched_is_judged_together(self):
        served = self.serve(cluster("a", **EDS), cluster("b", **EDS), endpoints("a"))
        found = json.loads(self.check(run("validate", served.address, "--variant", "delta", "-o", "json"), 0).out)["findings"]
        self.assertEqual([(one["id"], one["resource"]["name"]) for one in found], [("XDS-V210", "b")])
        self.check(run("validate", served.address, "--variant", "delta", "--strict"), 1)

    def test_what_is_good_is_good(self):
        with Serve(EXAMPLE) as served:
            result = self.check(run("validate", served.address), 0)
            self.assertRegex(result.out, r"^no errors in 5 types \(\d+ resources, 0 skipped\)")
            self.assertEqual(result.err, "")

    def test_another_server(self):
        with GcpServer() as server:
            result = self.check(run("validate", server.address, "--node-id", "test-node"), 1)
            self.assertIn(f"{server.address} cds: error: maximum_ring_size must be at most 8388608 [pgv.uint64.lte]\n"
                          "  at Cluster \"web-v2\": ring_hash_lb_config.maximum_ring_size", result.out)

    def test_who_cannot_be_reached_is_a_finding_too(self):
        address = raw_peers.refused()
        result = self.failed(run("validate", address, "-o", "json"), 3, address, "connection refused")
        self.assertEqual(json.loads(result.out)["findings"][0]["id"], "XDS-V220")

    def test_what_does_not_go_together(self):
        address = raw_peers.refused()
        self.failed(run("validate", address, self.folder), 2, address, "judged alone")
        self.failed(run("validate", address, "--watch"), 2, "--watch", "control plane")
        self.failed(run("validate", self.folder, "--node-id", "x"), 2, "--node-id", "no effect on files")
        self.failed(run("validate"), 2, "TARGET", "missing")
