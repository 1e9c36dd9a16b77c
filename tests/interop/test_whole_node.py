"""Without a TYPE: the node's whole configuration, exactly as go-control-plane has it, in every variant."""

import base64
import copy
import unittest

import api
from harness import NODE, Case, GcpServer, by_type, run, snapshot, texts

# The fields of the snapshot that nobody may see (annotation udpa.annotations.sensitive), as paths into a Secret.
SENSITIVE = [("tls_certificate", "private_key"), ("tls_certificate", "password"), ("session_ticket_keys", "keys"),
             ("generic_secret", "secret")]
VARIANTS = ["ads", "delta-ads", "sotw", "delta", "unary"]


def expected(variant):
    """What a whole-node fetch gives: all but RTDS, which nothing refers to, and VHDS where there is no such method."""
    left_out = {"rtds"} if variant.startswith("delta") else {"rtds", "vhds"}
    return {short: resources for short, resources in snapshot().items() if short not in left_out}


def blanked(secret):
    """A Secret with every sensitive leaf replaced, to compare what remains."""
    secret = copy.deepcopy(secret)
    for outer, inner in SENSITIVE:
        if inner in secret.get(outer, {}):
            secret[outer][inner] = blank(secret[outer][inner])
    return secret


def blank(value):
    if isinstance(value, dict):
        return {key: blank(item) for key, item in value.items()}
    if isinstance(value, list):
        return [blank(item) for item in value]
    return "*"


class WholeNode(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer())

    def fetch(self, variant, *flags, server=None):
        return run("fetch", (server or self.server).address, "--node-id", NODE, "--variant", variant, *flags)

    def test_every_variant_gives_exactly_the_snapshot(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                result = self.check(self.fetch(variant, "-o", "json", "--show-secrets"), 0)
                found = by_type(texts(result.out))
                self.assertEqual(sorted(found), sorted(expected(variant)), str(result))
                for short, resources in expected(variant).items():
                    self.assertEqual(found[short], resources, f"{variant} {short}")

    def test_a_complete_configuration_costs_no_waiting(self):
        # No time-out of 15 s is near: not for what refers elsewhere, not for VHDS in SotW, not to be sure.
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                self.check(self.fetch(variant), 0, within=4)

    def test_types_come_in_the_promised_order_and_names_sorted(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                result = self.check(self.fetch(variant, "-o", "json"), 0)
                urls = [response["type_url"] for response in texts(result.out)]
                self.assertEqual(urls, [api.url(short) for short in api.ORDER if short in expected(variant)])
                for short, resources in by_type(texts(result.out)).items():
                    self.assertEqual(list(resources), sorted(resources), short)

    def test_responses_carry_the_version_and_no_nonce(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                result = self.check(self.fetch(variant, "-o", "json"), 0)
                for response in texts(result.out):
                    self.assertEqual(response["version_info"], "1", str(result))
                    self.assertNotIn("nonce", response)

    def test_secrets_are_redacted_and_the_rest_of_them_is_not(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                result = self.check(self.fetch(variant, "-o", "json"), 0)
                secrets = by_type(texts(result.out))["sds"]
                self.assertEqual({name: blanked(secret) for name, secret in secrets.items()},
                                 {name: blanked(secret) for name, secret in snapshot()["sds"].items()})
                self.assertEqual(secrets["web-cert"]["tls_certificate"]["private_key"]["inline_string"], "[redacted]")

    def test_no_output_and_no_note_shows_a_secret(self):
        for output in ["yaml", "json", "ndjson", "text", "table", "tree", "name"]:
            for variant in ["ads", "delta"]:
                with self.subTest(output=output, variant=variant):
                    result = self.check(self.fetch(variant, "-o", output, "-vv"), 0)
                    for hidden in self.secret_texts():
                        self.assertNotIn(hidden, result.out)
                        self.assertNotIn(hidden, result.err)

    def test_show_secrets_shows_them(self):
        result = self.check(self.fetch("ads", "-o", "yaml", "--show-secrets"), 0)
        self.assertIn("HIDE-ME-web-password", result.out)

    def test_what_refers_elsewhere_is_listed_once_and_not_fetched(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                result = self.check(self.fetch(variant), 0)
                elsewhere = [line for line in result.err.splitlines() if "elsewhere:" in line]
                for name in ["workload-cert", "tcp-b", "file-routes"]:
                    self.assertEqual(sum(line.count(name) for line in elsewhere), 1, str(result))

    def test_quiet_says_nothing_of_elsewhere(self):
        result = self.check(self.fetch("ads", "-q"), 0)
        self.assertEqual(result.err, "")

    def test_a_server_in_ads_mode_that_waits_for_all_names_is_satisfied(self):
        # go-control-plane's ADS mode stays silent until a request names everything the snapshot holds of that type.
        with GcpServer("-ads") as server:
            for variant in ["ads", "delta-ads"]:
                with self.subTest(variant=variant):
                    result = self.check(self.fetch(variant, "-o", "json", "--show-secrets", server=server), 0, within=6)
                    found = by_type(texts(result.out))
                    for short, resources in expected(variant).items():
                        self.assertEqual(found.get(short), resources, f"{variant} {short}\n{result.err}")

    def test_without_follow_the_roots_come_alone(self):
        result = self.check(self.fetch("ads", "--no-follow", "-o", "json"), 0)
        self.assertEqual(sorted(by_type(texts(result.out))), ["cds", "lds"])

    def test_follow_starts_at_what_was_asked(self):
        result = self.check(run("fetch", self.server.address, "lds:ingress-http", "--follow", "--node-id", NODE,
                                "-o", "json"), 0)
        found = by_type(texts(result.out))
        self.assertIn("web-routes", found["rds"])
        self.assertIn("ecds-lua", found["ecds"])
        self.assertEqual(sorted(found["sds"])[0], "oauth-hmac")

    def secret_texts(self):
        hidden = [b"HIDE-ME-web-key", b"HIDE-ME-web-password", b"HIDE-ME-ticket-key-1", b"HIDE-ME-ticket-key-2",
                  b"HIDE-ME-oauth-token", b"HIDE-ME-oauth-hmac", b"HIDE-ME-upstream-key"]
        return [text.decode() for text in hidden] + [base64.b64encode(text).decode().rstrip("=") for text in hidden]


class Dangling(Case):
    """References to what does not exist: said, not fatal."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer("-dangling"))

    def fetch(self, *flags):
        return run("fetch", self.server.address, "--node-id", NODE, "--wait", "1s", *flags)

    def test_absent_children_are_listed_and_the_rest_is_printed(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                result = self.check(self.fetch("--variant", variant, "-o", "json"), 0, within=6)
                self.assertIn("missing-routes", result.err)
                self.assertIn("missing-endpoints", result.err)
                found = by_type(texts(result.out))
                self.assertIn("dangling", found["lds"])
                self.assertEqual(sorted(found["rds"]), sorted(snapshot()["rds"]))

    def test_fail_on_absent_makes_it_an_answer_of_no(self):
        self.check(self.fetch("--fail-on-absent"), 1)

    def test_the_tree_marks_what_dangles(self):
        result = self.check(self.fetch("-o", "tree"), 0)
        marked = [line for line in result.out.splitlines() if "missing-routes" in line or "missing-endpoints" in line]
        held = [line for line in result.out.splitlines() if "web-routes" in line]
        self.assertEqual(len(marked), 2, str(result))
        self.assertTrue(held, str(result))
        marks = [line.split("missing-", 1)[1].split(maxsplit=1) for line in marked]
        self.assertTrue(all(len(parts) == 2 for parts in marks), f"no mark behind the name\n{result}")


class Timing(Case):
    """What happens on the wire while a fetch runs."""

    def test_every_response_is_acknowledged_before_the_client_leaves(self):
        for variant in ["ads", "delta-ads", "sotw", "delta"]:
            with self.subTest(variant=variant), GcpServer() as server:
                self.check(run("fetch", server.address, "--node-id", NODE, "--variant", variant), 0)
                wanted = set(expected(variant))

                def acknowledged(requests):
                    return {entry["request"]["type_url"] for entry in requests if "response_nonce" in entry["request"]}

                server.wait_for(lambda requests: {api.url(s) for s in wanted} <= acknowledged(requests))
                self.assertEqual(acknowledged(server.requests), {api.url(short) for short in wanted})
                self.assertFalse([entry for entry in server.requests if "error_detail" in entry["request"]])


if __name__ == "__main__":
    unittest.main()
