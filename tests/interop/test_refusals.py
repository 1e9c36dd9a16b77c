"""What a refusal settles and says, names that look odd, and bytes that nobody can read."""

import unittest

import api
from harness import Case, run
from scripted_server import ScriptedServer, answers, says

CDS, EDS, LDS = (api.url(short) for short in ["cds", "eds", "lds"])
A, B = api.resource("cds", {"name": "a"}), api.resource("cds", {"name": "b"})
BROKEN = api.packed_bytes(LDS, b"\x12\x80")  # no name, and cut off
BROKEN_B = api.packed_bytes(CDS, b"\x0a\x01b\x12\x80")
ODD = "a\x01\nb"
UNREADABLE = b"\xff\xff\xff"


class Refusals(Case):
    def test_a_refused_response_settles_the_names_that_it_was_to_answer(self):
        for policy in ("nack", "partial"):
            for variant in ("ads", "delta-ads"):
                with self.subTest(policy=policy, variant=variant):
                    entry = api.wrapper("", BROKEN)
                    script = says(api.response(LDS, [BROKEN]) if variant == "ads" else api.delta_response(LDS, [entry]))
                    method = api.ADS if variant == "ads" else api.DELTA_ADS
                    with ScriptedServer({method: script}) as server:
                        result = run("fetch", server.address, "lds:x", "--on-invalid", policy, "--variant", variant)
                        self.check(result, 1, within=5)
                        self.assertIn("refused", result.err)
                        self.assertNotIn("absent", result.err)

    def test_under_nack_a_different_delta_response_without_a_version_is_refused_too(self):
        def script(call):
            call.next()
            yield api.delta_response(EDS, [api.wrapper("a", api.resource("eds", {"cluster_name": "a"}), "1")],
                                     version="", nonce="1")
            call.next()
            yield api.delta_response(EDS, [api.wrapper("b", api.resource("eds", {"cluster_name": "b"}), "1")],
                                     version="", nonce="2")
            call.drain()

        with ScriptedServer({api.DELTA_ADS: script}) as server:
            result = run("fetch", server.address, "eds:a,b", "--nack", "--variant", "delta-ads")
            self.check(result, 1, within=5)
            server.wait_for(lambda s: len(s.requests) == 3)
            self.assertEqual([(r.response_nonce, r.HasField("error_detail")) for _, r in server.requests],
                             [("", False), ("1", True), ("2", True)])

    def test_the_grpc_client_says_why_and_keeps_the_good_part(self):
        with ScriptedServer({api.ADS: says(api.response(CDS, [A, BROKEN_B], version="7"))}) as server:
            result = run("fetch", server.address, "cds:a,b", "--client", "grpc", "--on-invalid", "nack")
            self.check(result, 1, within=5)
            server.wait_for(lambda s: len(s.requests) == 2)
            _, answer = server.requests[1]
            self.assertEqual(answer.error_detail.code, 3)
            self.assertIn("b: ", answer.error_detail.message)
            self.assertEqual(answer.version_info, "7")  # one resource was good

    def test_a_name_with_control_characters_is_a_name(self):
        table = {CDS: {ODD: api.resource("cds", {"name": ODD})}}
        for policy in ("ack", "nack"):
            with self.subTest(policy=policy), ScriptedServer({api.ADS: answers(table)}) as server:
                result = self.check(run("fetch", server.address, f"cds:{ODD}", "--on-invalid", policy, "-o", "name"), 0,
                                    within=5)
                self.assertEqual(result.out, "cds:a\\x01\\nb\n")
                self.assertEqual(result.err, "")

    def test_what_names_look_like_can_be_typed(self):
        table = {CDS: {ODD: api.resource("cds", {"name": ODD})}}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            for form in ("table", "tree", "name"):
                result = self.check(run("fetch", server.address, "cds:a\\x01\\nb", "-o", form), 0, within=5)
                self.assertIn("a\\x01\\nb", result.out)
                self.assertNotIn("\x01", result.out)
            self.assertEqual(list(server.requests[0][1].resource_names), [ODD])

    def test_bytes_that_are_no_response_are_shown_when_asked_for(self):
        with ScriptedServer({api.ADS: says(UNREADABLE)}) as server:
            result = self.check(run("fetch", server.address, "cds", "--raw"), 3)
            self.assertNotIn("////", result.out)  # they may hold secrets
            self.assertIn("@error", result.out)
            self.assertIn("--show-secrets", result.out)
            result = self.check(run("fetch", server.address, "cds", "--raw", "--show-secrets"), 3)
            self.assertIn("////", result.out)  # in base64
            result = self.check(run("fetch", server.address, "cds", "-vv", "--show-secrets"), 3)
            self.assertIn("////", result.err)
            self.assertIn("3 B", result.err)


if __name__ == "__main__":
    unittest.main()
