"""Each resource type alone: by every spelling of TYPE, in every variant that has it, against go-control-plane."""

import unittest

import api
from harness import NODE, Case, GcpServer, by_type, run, snapshot, texts

VARIANTS = ["ads", "delta-ads", "sotw", "delta", "unary"]
PLURALS = {"lds": "listeners", "rds": "routes", "srds": "scoped-routes", "vhds": "virtual-hosts", "cds": "clusters",
           "eds": "endpoints", "sds": "secrets", "rtds": "runtime", "ecds": "extension_configs"}


class Types(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer())

    def fetch(self, *args, **kwargs):
        return run("fetch", self.server.address, "--node-id", NODE, "--show-secrets", "-o", "json", *args, **kwargs)

    def test_each_type_in_each_variant_gives_all_of_it(self):
        for short in snapshot():
            for variant in VARIANTS:
                if short == "vhds" and not variant.startswith("delta"):
                    continue
                with self.subTest(type=short, variant=variant):
                    result = self.check(self.fetch(short, "--variant", variant), 0, within=3)
                    self.assertEqual(by_type(texts(result.out)), {short: snapshot()[short]})

    def test_each_name_alone_in_each_variant(self):
        for short, resources in snapshot().items():
            name = sorted(resources)[0]
            for variant in VARIANTS:
                if short == "vhds" and not variant.startswith("delta"):
                    continue
                with self.subTest(type=short, variant=variant):
                    result = self.check(self.fetch(f"{short}:{name}", "--variant", variant), 0, within=3)
                    self.assertEqual(by_type(texts(result.out)), {short: {name: resources[name]}})

    def test_vhds_where_there_is_no_such_method_is_a_usage_error(self):
        for short in ["vhds", "leds"]:
            for variant in ["ads", "sotw", "unary"]:
                with self.subTest(type=short, variant=variant):
                    self.failed(self.fetch(short, "--variant", variant), 2, short, "delta", hint="", within=1)

    def test_a_method_that_the_server_does_not_have_is_a_failure_that_says_so(self):
        # go-control-plane has no LEDS service.
        result = self.fetch("leds:a", "--variant", "delta")
        self.check(result, 3, within=3)
        self.assertIn("unimplemented", result.err.lower(), str(result))

    def test_every_spelling_of_a_type(self):
        for short, plural in PLURALS.items():
            full = api.V3[short][0]
            for spelling in [plural, full, api.PREFIX + full]:
                with self.subTest(spelling=spelling):
                    result = self.check(self.fetch(spelling, "--variant", "delta-ads"), 0)
                    self.assertEqual(by_type(texts(result.out)), {short: snapshot()[short]})

    def test_names_after_one_colon_and_a_type_given_twice(self):
        result = self.check(self.fetch("eds:shop/web?version=1,web-v2", "eds:tcp-a", "rds:web-routes"), 0)
        found = by_type(texts(result.out))
        self.assertEqual(sorted(found["eds"]), ["shop/web?version=1", "tcp-a", "web-v2"])
        self.assertEqual(sorted(found["rds"]), ["web-routes"])

    def test_the_explicit_wildcard(self):
        # In delta alone: go-control-plane's SotW takes "*" for a name (XDS-S070). test_protocol has SotW.
        for variant in ["delta-ads", "delta"]:
            with self.subTest(variant=variant):
                result = self.check(self.fetch("cds", "--wildcard", "explicit", "--variant", variant), 0)
                self.assertIn("api", by_type(texts(result.out)).get("cds", {}), str(result))

    def test_several_types_share_one_run_in_every_variant(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                result = self.check(self.fetch("cds", "lds", "sds", "--variant", variant), 0)
                self.assertEqual([response["type_url"] for response in texts(result.out)],
                                 [api.url("lds"), api.url("cds"), api.url("sds")])

    def test_envoys_names_of_the_variants(self):
        for name in ["GRPC", "DELTA_GRPC", "AGGREGATED_GRPC", "AGGREGATED_DELTA_GRPC"]:
            with self.subTest(name=name):
                result = self.check(self.fetch("cds", "--variant", name), 0)
                self.assertEqual(by_type(texts(result.out)), {"cds": snapshot()["cds"]})

    def test_an_unknown_type_is_a_usage_error_with_the_nearest_name(self):
        self.failed(self.fetch("cdss"), 2, "cdss", "cds", hint="")

    def test_targets_in_several_forms(self):
        port = self.server.address.rsplit(":", 1)[1]
        for target in [f"localhost:{port}", f"grpc://127.0.0.1:{port}", f"ipv4:127.0.0.1:{port}", f"dns:///localhost:{port}"]:
            with self.subTest(target=target):
                result = self.check(run("fetch", target, "cds", "--node-id", NODE, "-o", "name"), 0)
                self.assertEqual(result.out.splitlines(), [f"cds:{name}" for name in sorted(snapshot()["cds"])])

    def test_a_host_without_a_port_is_a_usage_error_that_says_so(self):
        self.failed(run("fetch", "localhost", "cds"), 2, "port", hint="")


class UnixSocket(Case):
    def test_a_unix_socket_is_a_target(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder, GcpServer("-listen", f"unix:{folder}/xds.sock"):
            result = self.check(run("fetch", f"unix:{folder}/xds.sock", "cds", "--node-id", NODE, "-o", "name"), 0)
            self.assertEqual(len(result.out.splitlines()), len(snapshot()["cds"]))


class Absent(Case):
    """A name that is asked for and does not exist."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer())

    def fetch(self, *args):
        return run("fetch", self.server.address, "--node-id", NODE, "-o", "json", *args)

    def test_in_cds_and_lds_the_first_response_without_it_says_so_at_once(self):
        for name in ["cds:api,nothing", "lds:tcp,nothing"]:
            for variant in ["ads", "sotw"]:
                with self.subTest(name=name, variant=variant):
                    result = self.check(self.fetch(name, "--variant", variant), 1, within=3)
                    self.assertIn("nothing", result.err)
                    self.assertEqual(len(texts(result.out)[0]["resources"]), 1, str(result))

    def test_elsewhere_in_sotw_and_delta_the_wait_runs_out(self):
        for variant in ["ads", "sotw", "delta-ads", "delta"]:
            with self.subTest(variant=variant):
                result = self.check(self.fetch("eds:web-v2,nothing", "--variant", variant, "--wait", "1s"), 1, within=4)
                self.assertGreater(result.seconds, 0.9)
                self.assertEqual(list(by_type(texts(result.out))["eds"]), ["web-v2"])
                lines = [line for line in result.err.splitlines() if "nothing" in line]
                self.assertEqual(len(lines), 1, str(result))

    def test_an_unary_answer_without_it_says_so_at_once(self):
        result = self.check(self.fetch("eds:web-v2,nothing", "--variant", "unary"), 1, within=3)
        self.assertIn("nothing", result.err)

    def test_the_line_names_ten_and_counts_the_rest_even_when_quiet(self):
        names = ",".join(f"nothing-{i:02d}" for i in range(25))
        result = self.check(self.fetch(f"eds:web-v2,{names}", "--variant", "unary", "-q"), 1)
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, str(result))
        self.assertEqual(lines[0].count("nothing-"), 10, str(result))
        self.assertRegex(lines[0], r"\b(15|25)\b")

    def test_names_that_all_are_absent_still_are_an_answer(self):
        # The server answered (an empty response): the answer is no.
        self.check(self.fetch("cds:nothing", "--variant", "sotw"), 1, within=3)


class Updates(Case):
    """A snapshot that changes while the client is connected."""

    def test_a_push_during_the_quiet_time_of_delta_is_part_of_the_answer(self):
        import threading
        for variant in ["delta", "delta-ads"]:
            with self.subTest(variant=variant), GcpServer() as server:
                box = []
                thread = threading.Thread(target=lambda: box.append(
                    run("fetch", server.address, "cds", "--node-id", NODE, "--variant", variant, "--settle", "1500ms",
                        "-o", "json")))
                thread.start()
                server.wait_for(lambda requests: any("response_nonce" in entry["request"] for entry in requests))
                server.tell("update")
                thread.join()
                result = self.check(box[0], 0)
                found = by_type(texts(result.out))["cds"]
                self.assertIn("added-1", found)
                self.assertEqual(found["api"]["alt_stat_name"], "api-1")
                self.assertEqual(texts(result.out)[0]["version_info"], "2")

    def test_a_snapshot_that_appears_while_the_client_waits_is_fetched(self):
        import threading
        for variant in ["ads", "delta-ads", "sotw", "delta"]:
            with self.subTest(variant=variant), GcpServer() as server:
                server.tell("clear")
                box = []
                thread = threading.Thread(target=lambda: box.append(
                    run("fetch", server.address, "cds", "--node-id", NODE, "--variant", variant, "-o", "json")))
                thread.start()
                server.wait_for(lambda requests: requests)
                server.tell("update")
                thread.join()
                result = self.check(box[0], 0, within=10)
                self.assertIn("added-1", by_type(texts(result.out))["cds"])

    def test_the_next_fetch_sees_the_update(self):
        with GcpServer() as server:
            server.tell("update")
            result = self.check(run("fetch", server.address, "--node-id", NODE, "-o", "json"), 0)
            found = by_type(texts(result.out))
            self.assertIn("added-1", found["cds"])
            self.assertEqual(found["rds"]["web-routes"]["internal_only_headers"], ["x-update-1"])


if __name__ == "__main__":
    unittest.main()
