"""What go-control-plane does not have: v2, VHDS and LEDS in full, unary answers of all sorts, custom types."""

import unittest

import api
from harness import Case, by_type, run, texts
from scripted_server import ScriptedServer, answers, answers_delta, says

V2_RESOURCES = {
    "lds": {"name": "l", "filter_chains": [{"name": "c", "filters": [{"name": "f", "config": {"cluster": "a"}}]}]},
    "rds": {"name": "r", "virtual_hosts": [{"name": "v", "domains": ["*"]}]},
    "srds": {"name": "s", "route_configuration_name": "r", "key": {"fragments": [{"string_key": "k"}]}},
    "vhds": {"name": "v", "domains": ["*"]},
    "cds": {"name": "a", "connect_timeout": "1s", "tls_context": {"sni": "x"}},
    "eds": {"cluster_name": "a", "endpoints": [{"priority": 1}]},
    "sds": {"name": "k", "tls_certificate": {"private_key": {"inline_string": "HIDE-ME"}}},
    "rtds": {"name": "t", "layer": {"x": 1}},
}


def name_of(short, fields):
    return fields["cluster_name"] if short == "eds" else fields["name"]


class V2(Case):
    table = {api.url(short, api.V2): {name_of(short, fields): api.resource(short, fields, api.V2)}
             for short, fields in V2_RESOURCES.items()}

    def fetch(self, server, short, variant, *flags):
        return run("fetch", server.address, short, "--api", "v2", "--variant", variant, "-o", "json", "--show-secrets", *flags)

    def test_each_type_in_each_variant(self):
        scripts = {api.ADS_V2: answers(self.table), api.DELTA_ADS_V2: answers_delta(self.table)}
        unary = {}
        for short, (_, _, stream, delta, fetch) in api.V2.items():
            if stream:
                scripts[api.method(short, "stream", api.V2)] = answers(self.table)
                unary[api.method(short, "fetch", api.V2)] = self.unary(short)
            scripts[api.method(short, "delta", api.V2)] = answers_delta(self.table)
        with ScriptedServer(scripts, unary) as server:
            for short, fields in V2_RESOURCES.items():
                for variant in ["ads", "delta-ads", "sotw", "delta", "unary"]:
                    if short == "vhds" and not variant.startswith("delta"):
                        continue
                    with self.subTest(type=short, variant=variant):
                        result = self.check(self.fetch(server, short, variant), 0)
                        response = texts(result.out)[0]
                        self.assertEqual(response["type_url"], api.url(short, api.V2))
                        item = response["resources"][0]
                        item = item["resource"] if short == "vhds" else item
                        self.assertEqual(item, {"@type": api.url(short, api.V2), **fields})
            self.assertTrue(all(request.DESCRIPTOR.full_name.startswith("envoy.api.v2.") for _, request in server.requests))

    def unary(self, short):
        resources = list(self.table[api.url(short, api.V2)].values())
        return lambda call, request: api.response(api.url(short, api.V2), resources, v2=True)

    def test_secrets_of_v2_are_redacted(self):
        with ScriptedServer({api.ADS_V2: answers(self.table)}) as server:
            result = self.check(run("fetch", server.address, "sds", "--api", "v2", "-vv"), 0)
            self.assertNotIn("HIDE-ME", result.out + result.err)

    def test_types_that_v2_never_had_are_usage_errors(self):
        for short in ["leds", "ecds"]:
            with self.subTest(type=short):
                self.failed(run("fetch", "127.0.0.1:1", short, "--api", "v2"), 2, short, hint="")

    def test_a_v2_node_has_a_build_version_and_a_v3_node_a_user_agent(self):
        with ScriptedServer({api.ADS_V2: answers(self.table)}) as server:
            self.check(self.fetch(server, "cds", "ads"), 0)
            node = server.requests[0][1].node
            self.assertTrue(node.build_version or node.user_agent_name)


class DeltaOnly(Case):
    """VHDS and LEDS."""

    def test_leds_is_printed_inside_its_wrapper_by_its_own_name(self):
        endpoint = {"endpoint": {"address": {"socket_address": {"address": "10.0.0.1", "port_value": 80}}}}
        table = {api.url("leds"): {f"xds-leds/{i}": api.resource("leds", endpoint) for i in range(3)}}
        for variant, method in [("delta", api.method("leds", "delta")), ("delta-ads", api.DELTA_ADS)]:
            with self.subTest(variant=variant), ScriptedServer({method: answers_delta(table)}) as server:
                result = self.check(run("fetch", server.address, "leds:xds-leds/0,xds-leds/2", "--variant", variant, "-o",
                                        "json"), 0)
                self.assertEqual(by_type(texts(result.out)), {"leds": {"xds-leds/0": endpoint, "xds-leds/2": endpoint}})
                result = self.check(run("fetch", server.address, "leds:xds-leds/0", "--variant", variant, "-o", "name"), 0)
                self.assertEqual(result.out, "leds:xds-leds/0\n")

    def test_vhds_and_leds_in_every_output(self):
        host = {"name": "h", "domains": ["*"]}
        table = {api.url("vhds"): {"rc/h": api.resource("vhds", host)}}
        with ScriptedServer({api.method("vhds", "delta"): answers_delta(table)}) as server:
            for output in ["yaml", "json", "ndjson", "text", "binary", "table", "tree", "name"]:
                with self.subTest(output=output):
                    result = self.check(run("fetch", server.address, "vhds", "--variant", "delta", "-o", output, text=False), 0)
                    self.assertIn(b"rc/h", result.out)


class Unary(Case):
    def fetch(self, answer, *args):
        with ScriptedServer({}, {api.method("cds", "fetch"): answer}) as server:
            result = run("fetch", server.address, *args, "--variant", "unary", "-o", "json")
            return result, server.requests

    def test_one_request_one_answer(self):
        result, requests = self.fetch(lambda call, request: api.response(api.url("cds"), [api.resource("cds", {"name": "a"})],
                                                                         version="v3"), "cds", "--node-id", "me")
        self.check(result, 0)
        self.assertEqual(texts(result.out)[0]["version_info"], "v3")
        self.assertEqual(len(requests), 1)
        request = requests[0][1]
        self.assertEqual((request.node.id, request.type_url, request.version_info), ("me", api.url("cds"), ""))

    def test_an_empty_answer_is_an_answer(self):
        result, _ = self.fetch(lambda call, request: api.response(api.url("cds"), []), "cds")
        self.check(result, 0)
        self.assertEqual(by_type(texts(result.out)), {"cds": {}})

    def test_an_answer_without_the_name_says_it_is_absent(self):
        result, _ = self.fetch(lambda call, request: api.response(api.url("cds"), []), "cds:a")
        self.check(result, 1, within=3)


class CustomTypes(Case):
    """A type that xDS does not know, by its full URL."""

    URL = api.PREFIX + "google.protobuf.StringValue"

    def test_a_type_of_the_schema_works_on_aggregated_streams(self):
        table = {self.URL: {"hello": api.packed("google.protobuf.StringValue", "hello")}}
        for variant, method, script in [("ads", api.ADS, answers(table)), ("delta-ads", api.DELTA_ADS, answers_delta(table))]:
            with self.subTest(variant=variant), ScriptedServer({method: script}) as server:
                result = self.check(run("fetch", server.address, self.URL, "--variant", variant, "-o", "json"), 0)
                response = texts(result.out)[0]
                self.assertEqual(response["type_url"], self.URL)
                self.assertEqual(server.requests[0][1].type_url, self.URL)
                self.assertIn("hello", result.out)

    def test_a_type_that_nothing_knows_is_shown_as_bytes(self):
        url = api.PREFIX + "com.example.Secretive"
        table = {url: {"x": api.packed_bytes(url, b"\x0a\x05hello")}}
        with ScriptedServer({api.DELTA_ADS: answers_delta(table), api.ADS: answers(table)}) as server:
            for variant in ["ads", "delta-ads"]:
                with self.subTest(variant=variant):
                    result = self.check(run("fetch", server.address, url, "--variant", variant, "-o", "json"), 0)
                    item = texts(result.out)[0]["resources"][0]
                    self.assertEqual(item["@type"], url)
                    self.assertEqual(item["@value"], "CgVoZWxsbw==")
                    self.assertNotEqual(item["@error"], "")

    def test_a_custom_type_on_a_stream_of_its_own_is_a_usage_error(self):
        # There is no method for it.
        for variant in ["sotw", "delta", "unary"]:
            with self.subTest(variant=variant):
                self.failed(run("fetch", "127.0.0.1:1", self.URL, "--variant", variant), 2, "StringValue", hint="")


class Sotw(Case):
    def test_wrapped_resources_are_unwrapped(self):
        wrapped = api.packed_bytes("type.googleapis.com/envoy.service.discovery.v3.Resource",
                                   api.wrapper("a", api.resource("cds", {"name": "a"}), "v1").SerializeToString())
        with ScriptedServer({api.ADS: says(api.response(api.url("cds"), [wrapped]))}) as server:
            result = self.check(run("fetch", server.address, "cds", "-o", "json"), 0)
            self.assertEqual(by_type(texts(result.out)), {"cds": {"a": {"name": "a"}}})


if __name__ == "__main__":
    unittest.main()
