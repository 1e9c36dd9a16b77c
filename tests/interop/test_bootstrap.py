"""--bootstrap: server, node, credentials and variant from an Envoy or a gRPC bootstrap; and --node from files."""

import json
import os
import tempfile
import unittest

import yaml

import api
import raw_peers
from harness import Case, by_type, run, texts
from scripted_server import ScriptedServer, answers, answers_delta
from test_follow import hcm, listener, world

CDS = api.url("cds")
TABLE = {CDS: {"a": api.resource("cds", {"name": "a"})}}
NODE = {"id": "from-bootstrap", "cluster": "edge", "metadata": {"ROLE": "proxy"}, "locality": {"zone": "z"}}


def from_server(api_type="GRPC"):
    return {"api_type": api_type, "transport_api_version": "V3", "grpc_services": [{"envoy_grpc": {"cluster_name": "xds"}}]}


def source(api_type):
    return {"resource_api_version": "V3", "api_config_source": from_server(api_type)}


def envoy(address, **dynamic):
    host, port = address.rsplit(":", 1)
    endpoint = {"endpoint": {"address": {"socket_address": {"address": host, "port_value": int(port)}}}}
    return {"node": NODE, "dynamic_resources": dynamic, "static_resources": {"clusters": [
        {"name": "unrelated", "type": "STATIC"},
        {"name": "xds", "type": "STATIC", "typed_extension_protocol_options": {
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": api.PREFIX + "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                "explicit_http_config": {"http2_protocol_options": {}}}},
         "load_assignment": {"cluster_name": "xds", "endpoints": [{"lb_endpoints": [endpoint]}]}}]}}


class Bootstrap(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            yaml.safe_dump(content, out) if name.endswith(".yaml") else json.dump(content, out)
        return path

    def fetch(self, script_by_method, bootstrap, *args):
        """Runs `fetch --bootstrap` against a server with these scripts; the bootstrap is made from its address."""
        with ScriptedServer(script_by_method) as server:
            result = run("fetch", "--bootstrap", self.file(*bootstrap(server.address)), *args)
            return result, server.requests

    def test_an_envoy_bootstrap_says_server_node_and_variant(self):
        cases = {
            api.ADS: (answers, {"ads_config": from_server(), "cds_config": {"ads": {}}, "lds_config": {"ads": {}}}),
            api.DELTA_ADS: (answers_delta, {"ads_config": from_server("DELTA_GRPC"), "cds_config": {"ads": {}},
                                            "lds_config": {"ads": {}}}),
            api.method("cds", "stream"): (answers, {"cds_config": source("GRPC")}),
            api.method("cds", "delta"): (answers_delta, {"cds_config": source("DELTA_GRPC")}),
        }
        for method, (script, dynamic) in cases.items():
            for name in ["envoy.yaml", "envoy.json"]:
                with self.subTest(method=method, file=name):
                    result, requests = self.fetch({method: script(TABLE)}, lambda a: (name, envoy(a, **dynamic)), "cds", "-o", "name")
                    self.assertEqual(self.check(result, 0).out, "cds:a\n", str(result))
                    node = api.to_json(requests[0][1].node)
                    self.assertEqual({key: node[key] for key in NODE}, NODE)

    def test_flags_override_it(self):
        dynamic = {"ads_config": from_server(), "cds_config": {"ads": {}}, "lds_config": {"ads": {}}}
        result, requests = self.fetch({api.method("cds", "delta"): answers_delta(TABLE)},
                                      lambda a: ("envoy.yaml", envoy(a, **dynamic)),
                                      "cds", "--variant", "delta", "--node-id", "mine", "--metadata", "ROLE=other")
        self.check(result, 0)
        node = api.to_json(requests[0][1].node)
        self.assertEqual((node["id"], node["cluster"], node["metadata"]["ROLE"]), ("mine", "edge", "other"))

    def test_a_target_overrides_its_server(self):
        dynamic = {"ads_config": from_server(), "cds_config": {"ads": {}}, "lds_config": {"ads": {}}}
        path = self.file("envoy.yaml", envoy(raw_peers.refused(), **dynamic))
        with ScriptedServer({api.ADS: answers(TABLE)}) as server:
            self.check(run("fetch", server.address, "cds", "--bootstrap", path), 0)
            self.assertEqual(server.requests[0][1].node.id, "from-bootstrap")

    def test_references_to_the_same_server_are_followed(self):
        # "This server" is the cluster that the bootstrap names; any other cluster is elsewhere.
        table = world(lds=[listener("l", hcm(rds={"route_config_name": "r", "config_source": source("GRPC")}))], rds=[{"name": "r"}])
        dynamic = {"ads_config": from_server(), "cds_config": {"ads": {}}, "lds_config": {"ads": {}}}
        result, _ = self.fetch({api.ADS: answers(table)}, lambda a: ("envoy.yaml", envoy(a, **dynamic)), "-o", "json")
        self.check(result, 0)
        self.assertEqual(list(by_type(texts(result.out)).get("rds", {})), ["r"], str(result))

    def test_a_grpc_bootstrap(self):
        def bootstrap(address):
            return "grpc.json", {"xds_servers": [{"server_uri": address, "channel_creds": [{"type": "insecure"}],
                                                  "server_features": ["xds_v3"]}], "node": NODE}

        result, requests = self.fetch({api.ADS: answers(TABLE)}, bootstrap, "cds:a", "-o", "name")
        self.assertEqual(self.check(result, 0).out, "cds:a\n")
        self.assertEqual(requests[0][1].node.id, "from-bootstrap")
        result, _ = self.fetch({api.ADS: answers(TABLE)}, bootstrap, "cds")
        self.failed(result, 2, "cds:NAME", hint="")

    def test_a_bootstrap_that_is_wrong_is_a_usage_error_with_its_place(self):
        path = os.path.join(self.folder, "broken.yaml")
        with open(path, "w", encoding="utf-8") as out:
            out.write("node:\n  id: [1]\n")
        self.failed(run("fetch", "--bootstrap", path, "cds"), 2, "broken.yaml", hint="")
        self.failed(run("fetch", "--bootstrap", "/nowhere.yaml", "cds"), 2, "/nowhere.yaml", hint="")
        self.failed(run("fetch", "--bootstrap", self.file("empty.json", {}), "cds"), 2, "empty.json", hint="")

    def test_a_node_from_a_file_or_a_bootstrap(self):
        for name, content in [("node.yaml", NODE), ("node.json", NODE), ("envoy.yaml", envoy("127.0.0.1:1"))]:
            with self.subTest(file=name), ScriptedServer({api.ADS: answers(TABLE)}) as server:
                self.check(run("fetch", server.address, "cds", "--node", self.file(name, content)), 0)
                node = api.to_json(server.requests[0][1].node)
                self.assertEqual({key: node[key] for key in NODE}, NODE)


class Schema(Case):
    """--schema: more types, from a descriptor set or out of a program."""

    def fetch(self, *schemas):
        url = api.PREFIX + "xdscope.test.Custom"
        table = {url: {"x": api.packed_bytes(url, b"\x0a\x01x\x10\x07")}}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            flags = [word for path in schemas for word in ("--schema", path)]
            return self.check(run("fetch", server.address, url, "-o", "json", *flags), 0)

    def test_a_descriptor_set_and_a_program_that_holds_the_type(self):
        from google.protobuf import descriptor_pb2
        file = descriptor_pb2.FileDescriptorProto(name="xdscope/test/custom.proto", package="xdscope.test", syntax="proto3")
        message = file.message_type.add(name="Custom")
        message.field.add(name="name", number=1, type=9, label=1)
        message.field.add(name="answer", number=2, type=5, label=1)
        with tempfile.TemporaryDirectory() as folder:
            described, compiled = os.path.join(folder, "custom.pb"), os.path.join(folder, "program")
            with open(described, "wb") as out:
                out.write(descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString())
            with open(compiled, "wb") as out:
                out.write(b"\x7fELF" + b"\0" * 1000 + file.SerializeToString() + b"\0" * 1000)
            self.assertIn("@error", texts(self.fetch().out)[0]["resources"][0])
            for path in [described, compiled]:
                with self.subTest(path=path):
                    item = texts(self.fetch(path).out)[0]["resources"][0]
                    self.assertEqual(item, {"@type": api.PREFIX + "xdscope.test.Custom", "name": "x", "answer": 7})

    def test_a_file_that_holds_no_types_is_a_usage_error(self):
        self.failed(run("fetch", "127.0.0.1:1", "cds", "--schema", "/etc/passwd"), 2, "/etc/passwd", hint="")
        self.failed(run("fetch", "127.0.0.1:1", "cds", "--schema", "/nowhere.pb"), 2, "/nowhere.pb", hint="")


if __name__ == "__main__":
    unittest.main()
