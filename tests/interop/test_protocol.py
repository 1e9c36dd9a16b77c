"""What xdscope says on the wire, request by request."""

import unittest

import api
from harness import Case, by_type, run, texts
from scripted_server import ScriptedServer, answers, answers_delta, says

CDS, EDS, LDS = (api.url(short) for short in ["cds", "eds", "lds"])
A, B = api.resource("cds", {"name": "a"}), api.resource("cds", {"name": "b"})
CLUSTERS = {CDS: {"a": A, "b": B}}
STREAM, DELTA = api.method("cds", "stream"), api.method("cds", "delta")
USED_TWICE = [api.resource("cds", {"name": "a"}), api.resource("cds", {"name": "a", "alt_stat_name": "second"})]
WRONG = api.packed("envoy.config.listener.v3.Listener", {"name": "a"})
BROKEN = api.packed_bytes(CDS, b"\x0a\xff")
UNNAMED = api.resource("cds", {"connect_timeout": "1s"})


class Sotw(Case):
    def exchange(self, script, *args, requests, method=api.ADS, code=0):
        """Runs a fetch against a script and waits for the number of requests that it has to make."""
        with ScriptedServer({method: script}) as server:
            result = self.check(run("fetch", server.address, *args), code)
            server.wait_for(lambda s: len(s.requests) >= requests and s.ended)
            self.assertEqual(len(server.requests), requests, f"{result}\n{server.requests}")
            return result, [request for _, request in server.requests]

    def test_the_first_request_is_complete_and_the_ack_repeats_version_and_nonce(self):
        for variant, method in [("ads", api.ADS), ("sotw", STREAM)]:
            with self.subTest(variant=variant):
                _, (first, ack) = self.exchange(says(api.response(CDS, [A], version="v7", nonce="x9")), "cds", "--variant",
                                                variant, "--node-id", "me", requests=2, method=method)
                self.assertEqual(api.to_json(first), {"node": api.to_json(first)["node"], "type_url": CDS})
                self.assertEqual(first.node.id, "me")
                self.assertEqual((ack.version_info, ack.response_nonce, ack.type_url), ("v7", "x9", CDS))
                self.assertEqual(list(ack.resource_names), [])
                self.assertFalse(ack.HasField("error_detail"))

    def test_names_are_in_every_request(self):
        _, requests = self.exchange(answers(CLUSTERS), "cds:b,a", requests=2)
        self.assertEqual([sorted(request.resource_names) for request in requests], [["a", "b"], ["a", "b"]])

    def test_the_default_node_is_xdscope(self):
        _, (first, _) = self.exchange(answers(CLUSTERS), "cds", requests=2)
        self.assertEqual(first.node.id, "xdscope")
        self.assertIn("xdscope", first.node.user_agent_name)

    def test_a_comma_in_a_name(self):
        table = {CDS: {"a,b": api.resource("cds", {"name": "a,b"})}}
        result, requests = self.exchange(answers(table), "cds:a\\,b", "-o", "name", requests=2)
        self.assertEqual(list(requests[0].resource_names), ["a,b"])
        self.assertEqual(result.out, "cds:a\\,b\n")

    def test_the_explicit_wildcard_is_a_star(self):
        for args in [("cds", "--wildcard", "explicit"), ("cds:*",), ("cds", "--client", "strict")]:
            with self.subTest(args=args):
                _, requests = self.exchange(answers(CLUSTERS), *args, requests=2)
                self.assertEqual([list(request.resource_names) for request in requests], [["*"], ["*"]])

    def test_the_envoy_client_repeats_the_node_and_the_grpc_client_does_not(self):
        _, requests = self.exchange(answers(CLUSTERS), "cds:a", requests=2)
        self.assertEqual([request.HasField("node") for request in requests], [True, True])
        _, requests = self.exchange(answers(CLUSTERS), "cds:a", "--client", "grpc", requests=2)
        self.assertEqual([request.HasField("node") for request in requests], [True, False])

    def test_the_grpc_client_never_asks_for_everything(self):
        with ScriptedServer({api.ADS: answers(CLUSTERS)}) as server:
            self.failed(run("fetch", server.address, "--client", "grpc"), 2, "lds:NAME", hint="")
            self.failed(run("fetch", server.address, "cds", "--client", "grpc"), 2, "cds:NAME", hint="")

    def test_ads_uses_one_stream_for_all_types(self):
        with ScriptedServer({api.ADS: answers({})}) as server:
            self.check(run("fetch", server.address), 0)
            server.wait_for(lambda s: len(s.requests) >= 4 and s.ended)
            first = [request.type_url for _, request in server.requests if not request.response_nonce]
            self.assertEqual(sorted(first), [CDS, LDS])
            self.assertEqual(len(server.ended), 1)

    def test_partial_answers_are_put_together(self):
        def one_by_one(call):
            names = list(call.next().resource_names)
            for i, name in enumerate(names):
                yield api.response(EDS, [api.resource("eds", {"cluster_name": name})], nonce=f"n{i}", version=f"v{i}")
                call.next()
            call.drain()

        result, requests = self.exchange(one_by_one, "eds:a,b,c", "-o", "json", requests=4)
        self.assertEqual(sorted(by_type(texts(result.out))["eds"]), ["a", "b", "c"])
        self.assertEqual([request.response_nonce for request in requests], ["", "n0", "n1", "n2"])
        self.assertEqual(texts(result.out)[0]["version_info"], "v2")

    def test_a_response_of_a_type_nobody_asked_for_is_ignored(self):
        script = says(api.response(LDS, [api.resource("lds", {"name": "l"})], nonce="stray"), api.response(CDS, [A]))
        result, requests = self.exchange(script, "cds", "-o", "json", requests=2)
        self.assertEqual(list(by_type(texts(result.out))), ["cds"])
        self.assertEqual(requests[1].response_nonce, "n1")

    def test_headers_are_sent(self):
        seen = []

        def script(call):
            seen.append(call.metadata)
            yield from answers(CLUSTERS)(call)

        self.exchange(script, "cds", "-H", "authorization: Bearer t0ken", "-H", "x-many: 1", "-H", "raw-bin: AQID",
                      "--user-agent", "tester/1", requests=2)
        self.assertEqual(seen[0]["authorization"], "Bearer t0ken")
        self.assertEqual(seen[0]["raw-bin"], b"\x01\x02\x03")
        self.assertIn("tester/1", seen[0]["user-agent"])

    def test_a_header_takes_the_environment_and_says_what_is_unset(self):
        seen = []

        def script(call):
            seen.append(call.metadata)
            yield from answers(CLUSTERS)(call)

        with ScriptedServer({api.ADS: script}) as server:
            self.check(run("fetch", server.address, "cds", "-H", "authorization: Bearer ${XDSCOPE_TEST_TOKEN}",
                           env={"XDSCOPE_TEST_TOKEN": "s3cret"}), 0)
            self.assertEqual(seen[0]["authorization"], "Bearer s3cret")
            self.failed(run("fetch", server.address, "cds", "-H", "a: ${XDSCOPE_TEST_UNSET}"), 2, "XDSCOPE_TEST_UNSET", hint="")

    def test_the_node_from_flags(self):
        _, (first, _) = self.exchange(answers(CLUSTERS), "cds", "--node-id", "n", "--node-cluster", "c", "--locality",
                                      "r/z/s", "--metadata", "A=1", "--metadata", "B:=[1,true]", "--client-feature",
                                      "envoy.lb.x", requests=2)
        node = api.to_json(first.node)
        self.assertEqual((node["id"], node["cluster"]), ("n", "c"))
        self.assertEqual(node["locality"], {"region": "r", "zone": "z", "sub_zone": "s"})
        self.assertEqual(node["metadata"], {"A": "1", "B": [1.0, True]})
        self.assertIn("envoy.lb.x", node["client_features"])

    def test_a_whole_node_from_json(self):
        _, (first, _) = self.exchange(answers(CLUSTERS), "cds", "--node", '{"id": "j", "cluster": "k"}', "--node-id", "over",
                                      requests=2)
        self.assertEqual((first.node.id, first.node.cluster), ("over", "k"))


class Verdicts(Case):
    """What xdscope answers to a response that has something wrong in it, and what it says."""

    bad = {"duplicate": USED_TWICE, "wrong type": [WRONG], "broken": [BROKEN], "unnamed": [UNNAMED]}

    def fetch(self, resources, *flags):
        with ScriptedServer({api.ADS: says(api.response(CDS, resources, version="v1"))}) as server:
            result = run("fetch", server.address, "cds", "-o", "json", "--wait", "1s", *flags)
            server.wait_for(lambda s: len(s.requests) >= 2 and s.ended)
            self.assertEqual(len(server.requests), 2, f"{result}\n{server.requests}")
            return result, server.requests[1][1]

    def test_by_default_everything_is_acknowledged_and_reported(self):
        for what, resources in self.bad.items():
            with self.subTest(what=what):
                result, answer = self.fetch(resources)
                self.check(result, 0)
                self.assertEqual((answer.version_info, answer.response_nonce), ("v1", "n1"))
                self.assertFalse(answer.HasField("error_detail"))
                self.assertNotEqual(result.err, "", what)

    def test_on_invalid_nack_refuses_and_says_why(self):
        for what, resources in self.bad.items():
            with self.subTest(what=what):
                result, answer = self.fetch(resources, "--on-invalid", "nack")
                self.check(result, 1, within=3)
                self.assertEqual((answer.version_info, answer.response_nonce), ("", "n1"))
                self.assertEqual(answer.error_detail.code, 13)
                self.assertNotEqual(answer.error_detail.message, "")
                self.assertNotEqual(result.err, "", what)

    def test_on_invalid_nack_accepts_what_is_good(self):
        result, answer = self.fetch([A, B], "--on-invalid", "nack")
        self.check(result, 0)
        self.assertFalse(answer.HasField("error_detail"))

    def test_nack_refuses_everything_with_the_message_given(self):
        result, answer = self.fetch([A], "--nack", "--nack-message", "not today")
        self.check(result, 1, within=3)
        self.assertEqual(answer.error_detail.message, "not today")
        self.assertEqual(by_type(texts(result.out)), {"cds": {"a": {"name": "a"}}})

    def test_under_nack_a_refused_version_that_is_sent_again_gets_no_second_answer(self):
        again = [api.response(CDS, [A], version="v1", nonce=f"n{i}") for i in range(1, 6)]
        with ScriptedServer({api.ADS: says(*again)}) as server:
            self.check(run("fetch", server.address, "cds", "--nack"), 1, within=3)
            server.wait_for(lambda s: s.ended)
            self.assertEqual(len([r for _, r in server.requests if r.HasField("error_detail")]), 1, server.requests)

    def test_partial_refuses_at_the_new_version(self):
        result, answer = self.fetch([A, BROKEN], "--on-invalid", "partial")
        self.check(result, 1)
        self.assertTrue(answer.HasField("error_detail"))
        self.assertEqual(answer.version_info, "v1")

    def test_of_two_resources_of_one_name_the_first_is_printed(self):
        result, _ = self.fetch(USED_TWICE)
        self.assertEqual(by_type(texts(result.out)), {"cds": {"a": {"name": "a"}}})

    def test_what_was_refused_is_printed_too(self):
        result, _ = self.fetch([UNNAMED], "--on-invalid", "nack")
        self.assertEqual(texts(result.out)[0]["resources"], [{"@type": CDS, "connect_timeout": "1s"}])

    def test_a_nack_text_shows_no_secret(self):
        secret = api.resource("sds", {"name": "s", "tls_certificate": {"private_key": {"inline_string": "HIDE-ME"}}})
        with ScriptedServer({api.ADS: says(api.response(api.url("sds"), [secret, secret]))}) as server:
            result = self.check(run("fetch", server.address, "sds", "--on-invalid", "nack", "-vv"), 1)
            server.wait_for(lambda s: len(s.requests) >= 2)
            self.assertNotIn("HIDE-ME", server.requests[1][1].error_detail.message)
            self.assertNotIn("HIDE-ME", result.out + result.err)


class Delta(Case):
    def exchange(self, script, *args, requests, code=0, method=DELTA, variant="delta"):
        with ScriptedServer({method: script}) as server:
            result = self.check(run("fetch", server.address, *args, "--variant", variant), code)
            server.wait_for(lambda s: len(s.requests) >= requests and s.ended)
            self.assertEqual(len(server.requests), requests, f"{result}\n{server.requests}")
            return result, [request for _, request in server.requests]

    def test_the_wildcard_is_two_empty_lists_and_the_ack_is_a_nonce(self):
        for variant, method in [("delta", DELTA), ("delta-ads", api.DELTA_ADS)]:
            with self.subTest(variant=variant):
                result, (first, ack) = self.exchange(answers_delta(CLUSTERS), "cds", "-o", "json", requests=2, method=method,
                                                     variant=variant)
                self.assertEqual(sorted(by_type(texts(result.out))["cds"]), ["a", "b"])
                self.assertEqual(list(first.resource_names_subscribe), [])
                self.assertEqual(dict(first.initial_resource_versions), {})
                self.assertEqual((first.response_nonce, ack.response_nonce), ("", "n1"))
                self.assertEqual((list(ack.resource_names_subscribe), list(ack.resource_names_unsubscribe)), ([], []))
                self.assertFalse(ack.HasField("error_detail"))

    def test_names_are_subscribed_once(self):
        _, (first, ack) = self.exchange(answers_delta(CLUSTERS), "cds:a,b", requests=2)
        self.assertEqual(sorted(first.resource_names_subscribe), ["a", "b"])
        self.assertEqual(list(ack.resource_names_subscribe), [])

    def test_a_removed_name_is_absent_at_once(self):
        result, _ = self.exchange(answers_delta(CLUSTERS), "cds:a,gone", "-o", "json", requests=2, code=1)
        self.assertLess(result.seconds, 3, str(result))
        self.assertIn("gone", result.err)
        self.assertEqual(list(by_type(texts(result.out))["cds"]), ["a"])

    def test_resource_errors_make_a_name_absent_at_once(self):
        errors = [{"resource_name": {"name": "gone"}, "error_detail": {"code": 5, "message": "never heard of it"}}]
        response = api.message("envoy.service.discovery.v3.DeltaDiscoveryResponse",
                               {"type_url": CDS, "nonce": "n1", "resource_errors": errors})
        response.resources.append(api.wrapper("a", A, "1"))
        result, _ = self.exchange(says(response), "cds:a,gone", requests=2, code=1)
        self.assertLess(result.seconds, 3, str(result))
        self.assertIn("gone", result.err)

    def test_settle_waits_for_quiet_after_the_last_response(self):
        def in_three(call):
            call.next()
            for i, name in enumerate("abc"):
                entry = api.wrapper(name, api.resource("cds", {"name": name}), "1")
                yield api.delta_response(CDS, [entry], nonce=f"n{i}")
                call.next()
            call.drain()

        result, requests = self.exchange(in_three, "cds", "-o", "json", requests=4)
        self.assertEqual(sorted(by_type(texts(result.out))["cds"]), ["a", "b", "c"])
        self.assertEqual([request.response_nonce for request in requests], ["", "n0", "n1", "n2"])

    def test_an_explicit_name_ends_without_settling(self):
        result, _ = self.exchange(answers_delta(CLUSTERS), "cds:a", "--settle", "10s", requests=2)
        self.assertLess(result.seconds, 3, str(result))

    def test_a_removal_takes_back_what_was_delivered(self):
        def changes_its_mind(call):
            call.next()
            yield api.delta_response(CDS, [api.wrapper("a", A, "1"), api.wrapper("b", B, "1")], nonce="n1")
            yield api.delta_response(CDS, [], ["a"], nonce="n2")
            call.drain()

        result, _ = self.exchange(changes_its_mind, "cds", "-o", "json", requests=3)
        self.assertEqual(list(by_type(texts(result.out))["cds"]), ["b"])

    def test_an_empty_response_ends_a_wildcard(self):
        result, _ = self.exchange(says(api.delta_response(CDS, [])), "cds", requests=2)
        self.assertLess(result.seconds, 3, str(result))

    def test_the_printed_version_is_the_systems(self):
        result, _ = self.exchange(says(api.delta_response(CDS, [api.wrapper("a", A, "7")], version="s1")), "cds", "-o", "json",
                                  requests=2)
        self.assertEqual(texts(result.out)[0]["version_info"], "s1")

    def test_ndjson_has_the_version_of_the_resource(self):
        import json
        result, _ = self.exchange(says(api.delta_response(CDS, [api.wrapper("a", A, "7")], version="s1")), "cds", "-o",
                                  "ndjson", requests=2)
        self.assertEqual(json.loads(result.out)["version"], "7")

    def test_an_alias_answer_appears_under_its_canonical_name(self):
        host = api.resource("vhds", {"name": "site", "domains": ["www.example.com"]})
        entry = api.wrapper("rc/site", host, "1", aliases=["rc/www.example.com"])
        result, _ = self.exchange(says(api.delta_response(api.url("vhds"), [entry])), "vhds:rc/www.example.com", "-o", "json",
                                  requests=2, method=api.method("vhds", "delta"))
        self.assertEqual(by_type(texts(result.out)), {"vhds": {"rc/site": {"name": "site", "domains": ["www.example.com"]}}})

    def test_an_alias_answer_without_payload_means_absent(self):
        entry = api.wrapper("rc/nope", None, "1", aliases=["rc/nope"])
        result, _ = self.exchange(says(api.delta_response(api.url("vhds"), [entry])), "vhds:rc/nope", requests=2, code=1,
                                  method=api.method("vhds", "delta"))
        self.assertLess(result.seconds, 3, str(result))

    def test_an_entry_without_payload_means_absent(self):
        result, _ = self.exchange(says(api.delta_response(CDS, [api.wrapper("a", A, "1"), api.wrapper("gone")])),
                                  "cds:a,gone", requests=2, code=1)
        self.assertLess(result.seconds, 3, str(result))
        self.assertIn("gone", result.err)

    def test_a_bad_delta_response_is_refused_when_told_to(self):
        twice = api.delta_response(CDS, [api.wrapper("a", A, "1"), api.wrapper("a", A, "2")])
        _, (_, answer) = self.exchange(says(twice), "cds", "--on-invalid", "nack", requests=2, code=1)
        self.assertEqual(answer.error_detail.code, 13)
        self.assertEqual(answer.response_nonce, "n1")


if __name__ == "__main__":
    unittest.main()
