"""`xdscope serve`: what a folder says is what clients get, in every variant, and what changes is pushed."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import grpc

import api
from harness import Case, by_type, program, run, texts
from served import (EXAMPLE, Client, Serve, cluster, copy_example, endpoints, link_folder, mortal, names, runtime, swap,
                    write)
from test_grpcurl import by_name, grpcurl
from test_tls import authority, certificate

CDS, EDS, RTDS = api.url("cds"), api.url("eds"), api.url("rtds")


class Folder(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def serve(self, *flags):
        return self.enterContext(Serve(self.folder, *flags))

    def path(self, name):
        return os.path.join(self.folder, name)


class Example(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Serve(EXAMPLE))

    def whole(self, variant):
        return by_type(texts(self.check(run("fetch", self.server.address, "--variant", variant, "-o", "json"), 0).out))

    def test_every_variant_gives_the_same_whole_configuration(self):
        ads = self.whole("ads")
        self.assertEqual({short: sorted(found) for short, found in ads.items()}, {
            "lds": ["http", "https"], "rds": ["shop"], "cds": ["cart", "catalog-v1", "catalog-v2", "web"],
            "eds": ["cart", "catalog/v1", "catalog/v2", "web"], "sds": ["example.com-ca", "shop.example.com"]})
        for variant in ["delta-ads", "sotw", "delta", "unary"]:
            with self.subTest(variant=variant):
                self.assertEqual(self.whole(variant), ads)

    def test_it_draws_no_finding(self):
        for variant in ["ads", "delta-ads", "sotw", "delta"]:
            for wildcard in ["legacy", "explicit"]:
                with self.subTest(variant=variant, wildcard=wildcard):
                    result = self.check(run("fetch", self.server.address, "--variant", variant, "--wildcard", wildcard,
                                            "-v", "-o", "name"), 0)
                    self.assertNotIn("[XDS-", result.err, str(result))

    def test_names_that_do_not_exist_are_absent_at_once(self):
        for variant in ["delta-ads", "delta"]:
            with self.subTest(variant=variant):
                result = self.check(run("fetch", self.server.address, "eds:web,no-such", "--variant", variant, "-o", "name"),
                                    1, within=5)
                self.assertEqual(result.out.split(), ["eds:web"])
                self.assertIn("no-such", result.err)

    def test_grpcurl_says_the_same_as_fetch(self):
        for short in ["lds", "rds", "cds", "eds", "sds"]:
            for kind, variant in [("stream", "sotw"), ("fetch", "unary")]:
                with self.subTest(type=short, kind=kind):
                    theirs = grpcurl(self.server.address, api.method(short, kind), {"node": {"id": "n"}})
                    ours = self.check(run("fetch", self.server.address, short, "--variant", variant, "-o", "json",
                                          "--json-names", "camel", "--show-secrets"), 0)
                    self.assertEqual(by_name(texts(ours.out)[0]), by_name(theirs))

    def test_what_fetch_prints_can_be_served(self):
        for output, suffix in [("yaml", "yaml"), ("json", "json")]:
            with self.subTest(output=output), tempfile.TemporaryDirectory() as folder:
                fetched = self.check(run("fetch", self.server.address, "-o", output, "--show-secrets"), 0)
                write(folder, f"all.{suffix}", fetched.out)
                with Serve(folder) as again:
                    second = self.check(run("fetch", again.address, "-o", output, "--show-secrets"), 0)
                    self.assertEqual(fetched.out, second.out)
                    self.assertFalse([line for line in again.lines if f"all.{suffix}" in line], again.lines)

    def test_two_runs_have_the_same_versions(self):
        one = self.check(run("fetch", self.server.address, "cds", "-o", "json"), 0)
        with Serve(EXAMPLE) as other:
            two = self.check(run("fetch", other.address, "cds", "-o", "json"), 0)
        self.assertEqual(one.out, two.out)

    def test_a_resumed_delta_stream_gets_what_it_has_not(self):
        with Client(self.server.address, api.DELTA_ADS) as client:
            client.send(type_url=CDS)
            first = client.receive()
        held = {entry.name: entry.version for entry in first.resources}
        with Client(self.server.address, api.DELTA_ADS) as client:
            client.send(type_url=CDS, initial_resource_versions={**held, "web": "old", "gone": "1"})
            second = client.receive()
        self.assertEqual((names(second), list(second.removed_resources)), (["web"], ["gone"]))


class Changes(Folder):
    def test_only_what_changed_is_pushed_in_delta(self):
        write(self.folder, "cds.json", [cluster(name) for name in "abc"])
        server = self.serve()
        with Client(server.address, api.DELTA_ADS) as client:
            client.send(type_url=CDS)
            first = client.receive()
            self.assertEqual(names(first), ["a", "b", "c"])
            client.ack(first)
            swap(self.folder, "cds.json", [cluster("a"), cluster("b", type="EDS"), cluster("d")])
            second = client.receive()
            self.assertEqual((names(second), list(second.removed_resources)), (["b", "d"], ["c"]))

    def test_every_way_to_write_a_file(self):
        write(self.folder, "cds.json", [cluster("first")])
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            steps = [
                ("written in place", lambda: write(self.folder, "cds.json", [cluster("second")]), ["second"]),
                ("renamed", lambda: swap(self.folder, "cds.json", [cluster("third")]), ["third"]),
                ("one more file", lambda: write(self.folder, "more.json", cluster("fourth")), ["fourth", "third"]),
                ("removed", lambda: os.remove(self.path("cds.json")), ["fourth"]),
                ("moved away", lambda: os.rename(self.path("more.json"), self.path("more.txt")), []),
                ("moved back", lambda: os.rename(self.path("more.txt"), self.path("more.json")), ["fourth"]),
            ]
            for what, change, expected in steps:
                with self.subTest(what):
                    change()
                    response = client.receive()
                    self.assertEqual(names(response), expected)
                    client.ack(response)

    def test_a_swapped_link_inside_the_folder(self):
        link_folder(self.folder, "1", {"cds.json": json.dumps([cluster("one")])})
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            link_folder(self.folder, "2", {"cds.json": json.dumps([cluster("two")])})
            self.assertEqual(names(client.receive()), ["two"])

    def test_a_swapped_link_to_the_folder(self):
        for generation in ["one", "two"]:
            os.mkdir(self.path(generation))
            write(self.path(generation), "cds.json", [cluster(generation)])
        os.symlink("one", self.path("mesh"))
        server = self.enterContext(Serve(self.path("mesh")))
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            os.symlink("two", self.path("next"))
            os.rename(self.path("next"), self.path("mesh"))
            self.assertEqual(names(client.receive()), ["two"])

    def test_a_file_behind_a_link_is_watched_where_it_is(self):
        elsewhere = self.enterContext(tempfile.TemporaryDirectory())
        write(elsewhere, "real.json", [cluster("one")])
        os.symlink(os.path.join(elsewhere, "real.json"), self.path("cds.json"))
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            write(elsewhere, "real.json", [cluster("two")])
            self.assertEqual(names(client.receive()), ["two"])

    def test_a_broken_file_keeps_its_last_good_content(self):
        write(self.folder, "cds.yaml", json.dumps([cluster("good")]))
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            write(self.folder, "cds.yaml", "resources:\n- '@type': " + CDS + "\n  name: bad\n  connect_timeout: soon\n")
            line = server.hear("its last good content stays")
            self.assertTrue(line.startswith(f"xdscope: {self.path('cds.yaml')}:4:"), line)
            self.assertIn("connect_timeout", line)
            self.assertTrue(client.quiet())
            write(self.folder, "cds.yaml", json.dumps([cluster("mended")]))
            server.hear("is good again")
            self.assertEqual(names(client.receive()), ["mended"])

    def test_a_folder_that_vanishes_and_comes_back(self):
        inner = self.path("mesh")
        os.mkdir(inner)
        write(inner, "cds.json", [cluster("one")])
        server = self.enterContext(Serve(inner))
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            shutil.move(inner, self.path("away"))
            server.hear("No such file or directory; what it last held stays")
            self.assertTrue(client.quiet())
            os.mkdir(self.path("new"))
            write(self.path("new"), "cds.json", [cluster("two")])
            os.rename(self.path("new"), inner)
            self.assertEqual(names(client.receive()), ["two"])
            write(inner, "cds.json", [cluster("three")])  # and the new one is watched
            client.ack(api.cls("envoy.service.discovery.v3.DiscoveryResponse")(type_url=CDS, nonce="2"))
            self.assertEqual(names(client.receive()), ["three"])

    def test_a_cluster_goes_after_the_routes_that_used_it(self):
        def routes(target):
            route = {"match": {"prefix": "/"}, "route": {"cluster": target}}
            return [{"@type": api.url("rds"), "name": "r",
                     "virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [route]}]}]

        write(self.folder, "all.json", [cluster("old"), *routes("old")])
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            client.send(type_url=api.url("rds"), resource_names=["r"])
            client.ack(client.receive(), resource_names=["r"])
            swap(self.folder, "all.json", [cluster("new"), *routes("new")])
            seen = []
            for _ in range(3):
                response = client.receive()
                client.ack(response, resource_names=["r"] if response.type_url == api.url("rds") else [])
                seen.append((response.type_url, names(response)))
            self.assertEqual(seen, [(CDS, ["new", "old"]), (api.url("rds"), ["r"]), (CDS, ["new"])])

    def test_endpoints_are_said_again_when_their_cluster_changes(self):
        source = {"eds_cluster_config": {"eds_config": {"ads": {}, "resource_api_version": "V3"}}, "type": "EDS"}
        write(self.folder, "cds.json", [cluster("a", **source)])
        write(self.folder, "eds.json", [endpoints("a")])
        server = self.serve()
        with Client(server.address, api.DELTA_ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            client.send(type_url=EDS, resource_names_subscribe=["a"])
            client.ack(client.receive())
            write(self.folder, "cds.json", [cluster("a", lb_policy="RANDOM", **source)])
            self.assertEqual([client.receive().type_url, client.receive().type_url], [CDS, EDS])


class Judging(Folder):
    """What is wrong in the files is said with its line, and served all the same unless --strict."""

    BAD = {"least_request_lb_config": {"choice_count": 1}}

    def test_an_error_is_said_once_and_served(self):
        write(self.folder, "cds.json", [cluster("a", **self.BAD)])
        server = self.serve()
        server.hear("cds.json:1:", "error: Cluster \"a\": least_request_lb_config.choice_count", "[pgv.uint32.gte]")
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            self.assertEqual(names(client.receive()), ["a"])
        swap(self.folder, "cds.json", [cluster("b"), cluster("a", **self.BAD)])
        server.hear("cds ", "+b")
        self.assertEqual(len([line for line in server.lines if "choice_count" in line]), 1, server.lines)

    def test_strict_keeps_what_was_good(self):
        write(self.folder, "cds.json", [cluster("a")])
        server = self.serve("--strict")
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            write(self.folder, "cds.json", [cluster("a"), cluster("b", **self.BAD)])
            server.hear("1 error: what was served last stays (--strict)")
            write(self.folder, "cds.json", [cluster("a"), cluster("b")])
            self.assertEqual(sorted(names(client.receive())), ["a", "b"])

    def test_strict_does_not_begin_with_an_error(self):
        write(self.folder, "cds.json", [cluster("a", **self.BAD)])
        self.failed(run("serve", self.folder, "--strict", "--listen", "127.0.0.1:0"), 1, "1 error: nothing is served")

    def test_a_refusal_leads_to_the_line(self):
        write(self.folder, "cds.yaml", json.dumps([cluster("a")]) + "\n---\n" + json.dumps([cluster("b", **self.BAD)]))
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            response = client.receive()
            client.send(type_url=CDS, response_nonce=response.nonce, error="cluster b: I do not like it")
            server.hear("refuses cds: cluster b: I do not like it")
            self.assertEqual(server.hear(": cds:b"), f"  {self.folder}/cds.yaml:3: cds:b")
            self.assertIn("  ", server.hear("[pgv.uint32.gte]", after=server.lines.index(f"  {self.folder}/cds.yaml:3: cds:b")))

    def test_words_without_a_name_have_the_errors_of_the_type_beside_them(self):
        write(self.folder, "cds.json", [cluster("a"), cluster("b", **self.BAD)])
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            response = client.receive()
            client.send(type_url=CDS, response_nonce=response.nonce, error="Proto constraint validation failed (x)")
            server.hear("  ", "cds.json:1:", "Cluster \"b\"")


class Refusals(Folder):
    def test_a_nack_is_said_once_and_draws_no_answer(self):
        write(self.folder, "cds.json", [cluster("a")])
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            response = client.receive()
            for _ in range(100):
                client.send(type_url=CDS, response_nonce=response.nonce, error="I do not like it")
            server.hear("refuses cds: I do not like it")
            self.assertTrue(client.quiet())
        server.hear("closed")
        self.assertEqual(sum("I do not like it" in line for line in server.lines), 1)

    def test_what_is_no_request_ends_its_stream_alone(self):
        write(self.folder, "cds.json", [cluster("a")])
        server = self.serve()
        with Client(server.address, api.ADS) as good, Client(server.address, api.ADS) as bad, \
                Client(server.address, api.ADS) as untyped:
            good.send(type_url=CDS)
            self.assertEqual(names(good.receive()), ["a"])
            bad.send_bytes(b"\xff\xff\xff\xff")
            self.assertIsNone(bad.receive())
            self.assertEqual(bad.end[0], grpc.StatusCode.DATA_LOSS)
            untyped.send(version_info="1")
            self.assertIsNone(untyped.receive())
            self.assertEqual(untyped.end[0], grpc.StatusCode.INVALID_ARGUMENT)
            write(self.folder, "cds.json", [cluster("b")])
            self.assertEqual(names(good.receive()), ["b"])

    def test_bytes_that_are_no_grpc_are_no_trouble(self):
        write(self.folder, "cds.json", [cluster("a")])
        server = self.serve()
        host, port = server.address.split(":")
        for garbage in [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", os.urandom(100000), b""]:
            with socket.create_connection((host, int(port)), timeout=5) as raw:
                try:
                    raw.sendall(garbage)
                    raw.shutdown(socket.SHUT_WR)
                    while raw.recv(65536):
                        pass
                except TimeoutError:
                    raise
                except OSError:
                    pass  # the server may hang up before it has heard all
        self.assertEqual(self.check(run("fetch", server.address, "cds", "-o", "name"), 0).out.split(), ["cds:a"])

    def test_a_type_that_does_not_exist_is_no_trouble(self):
        write(self.folder, "cds.json", [cluster("a")])
        server = self.serve()
        with Client(server.address, api.ADS) as client:
            client.send(type_url="type.googleapis.com/no.such.Type", resource_names=["x"])
            client.send(type_url=CDS)
            self.assertEqual(names(client.receive()), ["a"])

    def test_v2_is_unimplemented_unless_asked_for(self):
        write(self.folder, "cds.json", [{"@type": api.url("cds", api.V2), "name": "old", "connect_timeout": "1s"}])
        server = self.serve()
        self.failed(run("fetch", server.address, "cds", "--api", "v2"), 3, "v2", hint="v3")
        with Serve(self.folder, "--v2") as both:
            for variant in ["ads", "delta-ads", "sotw", "delta", "unary"]:
                result = self.check(run("fetch", both.address, "cds", "--api", "v2", "--variant", variant, "-o", "name"), 0)
                self.assertEqual(result.out.split(), ["cds:old"], variant)

    def test_other_methods_are_unimplemented(self):
        server = self.serve()
        with Client(server.address, "/grpc.health.v1.Health/Watch") as client:
            client.send(type_url=CDS)
            self.assertIsNone(client.receive())
            self.assertEqual(client.end[0], grpc.StatusCode.UNIMPLEMENTED)


class Files(Folder):
    def test_every_format_and_shape(self):
        document = {"version_info": "7", "resources": [cluster("json")]}
        write(self.folder, "a.json", document)
        write(self.folder, "b.yaml", f"- '@type': {CDS}\n  name: yaml\n---\n'@type': {CDS}\nname: second-document\n")
        write(self.folder, "c.pb_text", f'resources {{ [{CDS}] {{ name: "text" }} }}\n')
        with open(self.path("d.pb"), "wb") as out:
            out.write(api.response(CDS, [api.resource("cds", {"name": "binary"})]).SerializeToString())
        wrapped = {"@type": api.PREFIX + "envoy.service.discovery.v3.Resource", "name": "r/x", "aliases": ["r/x.com"],
                   "resource": {"@type": api.url("vhds"), "name": "x", "domains": ["x.com"]}}
        write(self.folder, "e.json", {"resources": [wrapped]})
        write(self.folder, "ignored.txt", "not read")
        server = self.serve()
        result = self.check(run("fetch", server.address, "cds", "-o", "name"), 0)
        self.assertEqual(result.out.split(), ["cds:binary", "cds:json", "cds:second-document", "cds:text", "cds:yaml"])
        result = self.check(run("fetch", server.address, "vhds:r/x.com", "--variant", "delta-ads", "-o", "name"), 0)
        self.assertEqual(result.out.split(), ["vhds:r/x"])

    def test_what_cannot_be_served_is_one_line_each_and_the_rest_is_served(self):
        write(self.folder, "a.yaml", json.dumps([cluster("good")]))
        write(self.folder, "b.yaml", json.dumps([cluster("good")]))
        write(self.folder, "c.yaml", "resources: [")
        write(self.folder, "d.yaml", "")
        os.mkfifo(self.path("e.yaml"))
        os.mkdir(self.path("f.yaml"))
        os.symlink("nowhere", self.path("g.yaml"))
        write(self.folder, "h.yaml", "")
        os.chmod(self.path("h.yaml"), 0)
        server = self.serve()
        for words in [("cds good: is in a.yaml:1 and in b.yaml:1",), ("c.yaml:", "nothing of it is taken"),
                      ("d.yaml", "nothing of it is taken"), ("e.yaml: not a regular file",),
                      ("f.yaml: Is a directory",), ("g.yaml: No such file or directory",), ("serving", "1 cds")]:
            server.hear(*words)
        if os.getuid() != 0:
            server.hear("h.yaml: Permission denied")
        self.assertEqual(self.check(run("fetch", server.address, "cds", "-o", "name"), 0).out.split(), ["cds:good"])

    def test_an_empty_folder_is_served_until_something_is_there(self):
        server = self.serve()
        server.hear("nothing yet")
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            first = client.receive()
            self.assertEqual(names(first), [])
            client.ack(first)
            write(self.folder, "cds.json", [cluster("a")])
            self.assertEqual(names(client.receive()), ["a"])


TTL_FEATURES = ["xds.config.resource-in-sotw", "xds.config.supports-resource-ttl"]


def seconds(resource):
    return resource.ttl.seconds + resource.ttl.nanos / 1e9


def ask(client, features, **fields):
    """A first request, of a node with these features."""
    request = client.request_class(**fields)
    request.node.client_features.extend(features)
    client.send_bytes(request.SerializeToString())


class TimesToLive(Folder):
    def test_heartbeats_in_delta(self):
        write(self.folder, "rtds.json", [mortal("0.2s", runtime("rt", a=1)), runtime("other", a=1)])
        server = self.serve()
        with Client(server.address, api.DELTA_ADS) as client, Client(server.address, api.DELTA_ADS) as silent, \
                Client(server.address, api.DELTA_ADS) as elsewhere:
            for each in [client, silent]:
                each.send(type_url=RTDS, resource_names_subscribe=["rt"])
            elsewhere.send(type_url=RTDS, resource_names_subscribe=["other"])
            elsewhere.ack(elsewhere.receive())
            first, _ = client.receive(), silent.receive()
            version = first.resources[0].version
            self.assertEqual((seconds(first.resources[0]), first.resources[0].HasField("resource")), (0.2, True))
            client.ack(first)
            for _ in range(5):
                beat = client.receive()
                self.assertEqual([(entry.name, entry.version, seconds(entry), entry.HasField("resource"))
                                  for entry in beat.resources], [("rt", version, 0.2, False)])
                self.assertEqual(list(beat.removed_resources), [])
                client.ack(beat)
            # Who has not answered gets none, and who has not got the resource.
            self.assertTrue(silent.quiet(0))
            self.assertTrue(elsewhere.quiet(0))

            swap(self.folder, "rtds.json", [runtime("rt", a=1), runtime("other", a=1)])
            while not (last := client.receive()).resources[0].HasField("resource"):
                client.ack(last)
            self.assertFalse(last.resources[0].HasField("ttl"))
            client.ack(last)
            self.assertTrue(client.quiet())

    def test_in_sotw_for_those_who_announce_it(self):
        write(self.folder, "rtds.json", [mortal("0.2s", runtime("rt", a=1))])
        server = self.serve()
        with Client(server.address, api.ADS) as told, Client(server.address, api.ADS) as other:
            ask(told, TTL_FEATURES, type_url=RTDS, resource_names=["rt"])
            ask(other, TTL_FEATURES[:1], type_url=RTDS, resource_names=["rt"])
            plain = other.receive()
            self.assertEqual(plain.resources[0].type_url, RTDS)
            other.ack(plain, resource_names=["rt"])
            for _ in range(4):
                response = told.receive()
                self.assertEqual(response.version_info, plain.version_info)
                wrapper = api.cls("envoy.service.discovery.v3.Resource").FromString(response.resources[0].value)
                self.assertEqual((wrapper.name, seconds(wrapper), wrapper.resource), ("rt", 0.2, plain.resources[0]))
                told.ack(response, resource_names=["rt"])
            self.assertTrue(other.quiet(0))

    def test_a_client_that_left_costs_nothing(self):
        write(self.folder, "rtds.json", [mortal("0.1s", runtime("rt", a=1))])
        server = self.serve()
        with Client(server.address, api.DELTA_ADS) as client:
            client.send(type_url=RTDS, resource_names_subscribe=["rt"])
            for _ in range(3):
                client.ack(client.receive())
        server.hear("#1 closed")
        left = server.mark()
        with Client(server.address, api.DELTA_ADS) as client:
            client.send(type_url=RTDS, resource_names_subscribe=["rt"])
            for _ in range(3):
                client.ack(client.receive())
        self.assertFalse([line for line in server.lines[left:] if line.startswith("#1 ")])

    def test_one_that_is_not_positive_is_an_error_of_its_file(self):
        write(self.folder, "rtds.json", [mortal("-1s", runtime("rt", a=1))])
        self.assertIn("rtds.json:1", self.serve().hear("rt: its ttl is not positive", "nothing of it is taken"))

    def test_fetch_finds_no_fault_with_it(self):
        write(self.folder, "all.json", [mortal("0.2s", runtime("rt", a=1)), mortal("5s", cluster("c")), cluster("d")])
        server = self.serve()
        node = self.path("node.yaml_")
        with open(node, "w", encoding="utf-8") as out:
            out.write(json.dumps({"id": "n", "client_features": TTL_FEATURES}))
        for variant in ["ads", "delta-ads", "sotw", "delta", "unary"]:
            with self.subTest(variant=variant):
                result = self.check(run("fetch", server.address, "rtds:rt", "cds", "--variant", variant, "--node", node,
                                        "-v", "-o", "name"), 0)
                self.assertEqual(sorted(result.out.split()), ["cds:c", "cds:d", "rtds:rt"])
                self.assertNotIn("[XDS-", result.err, str(result))


class Faults(Folder):
    def setUp(self):
        super().setUp()
        write(self.folder, "cds.json", [cluster("a")])

    def test_there_are_none_unless_asked_for(self):
        server = self.serve()
        self.check(run("fetch", server.address, "cds"), 0)
        self.assertFalse([line for line in server.lines if line.startswith("fault:")])

    def test_each_is_said_at_start(self):
        server = self.serve("--delay", "1.5s", "--close-after", "1", "--drop-nonce", "--resend-refused")
        self.assertEqual([line for line in server.lines if line.startswith("fault:")], [
            "fault: each response is on its way for 1.5s",
            "fault: a stream is closed with UNAVAILABLE after 1 response",
            "fault: responses have no nonce",
            "fault: what a client refuses is sent again at once"])

    def test_delay(self):
        server = self.serve("--delay", "300ms")
        for variant in ["ads", "delta", "unary"]:
            result = self.check(run("fetch", server.address, "cds", "--variant", variant, "-o", "name"), 0)
            self.assertEqual(result.out, "cds:a\n")
            self.assertGreater(result.seconds, 0.3)

    def test_close_after(self):
        server = self.serve("--close-after", "2")
        with Client(server.address, api.ADS) as client:
            client.send(type_url=CDS)
            client.ack(client.receive())
            swap(self.folder, "cds.json", [cluster("b")])
            self.assertEqual(names(client.receive()), ["b"])
            self.assertIsNone(client.receive())
            self.assertEqual(client.end, (grpc.StatusCode.UNAVAILABLE, "closed on purpose after response 2"))
        server.hear("#1 closed: closed on purpose after response 2")
        self.check(run("fetch", server.address, "cds", "--variant", "unary"), 0)

    def test_drop_nonce(self):
        server = self.serve("--drop-nonce")
        for method in [api.ADS, api.DELTA_ADS]:
            with Client(server.address, method) as client:
                client.send(type_url=CDS)
                response = client.receive()
                self.assertEqual((names(response), response.nonce), (["a"], ""))
        for variant in ["ads", "delta-ads"]:
            self.assertIn("XDS-S001", run("fetch", server.address, "cds", "--variant", variant, "-v").err)

    def test_resend_refused(self):
        server = self.serve("--resend-refused")
        for method in [api.ADS, api.DELTA_ADS]:
            with Client(server.address, method) as client:
                client.send(type_url=CDS)
                first = response = client.receive()
                for _ in range(50):
                    client.send(type_url=CDS, response_nonce=response.nonce, error=f"no, by {method}")
                    again = client.receive()
                    self.assertNotEqual(again.nonce, response.nonce)
                    self.assertEqual(list(again.resources), list(first.resources))
                    response = again
                client.ack(response)
                self.assertTrue(client.quiet())
            self.assertIn(sum(f"no, by {method}" in line for line in server.lines), [1, 2])


class Start(Folder):
    def serve_badly(self, *args):
        return run("serve", *args, timeout=10)

    def test_usage(self):
        self.failed(self.serve_badly(), 2, "DIR", "missing")
        self.failed(self.serve_badly(self.folder, "other"), 2, "other", "one folder")
        self.failed(self.serve_badly(self.folder, "--listen", "18000"), 2, "--listen", "18000", "HOST:PORT")
        self.failed(self.serve_badly(self.folder, "--tls-cert", "x"), 2, "--tls-key")
        self.failed(self.serve_badly(self.folder, "--client-ca", "x"), 2, "--client-ca", "--tls-cert")
        self.failed(self.serve_badly(self.folder, "--plaintext"), 2, "--plaintext")
        self.failed(self.serve_badly(self.folder, "--delay", "soon"), 2, "--delay", "soon")
        self.failed(self.serve_badly(self.folder, "--close-after", "-1"), 2, "--close-after", "-1")

    def test_no_such_folder(self):
        self.failed(self.serve_badly(self.path("none")), 3, "none", "No such file")
        write(self.folder, "a.yaml", "")
        self.failed(self.serve_badly(self.path("a.yaml")), 3, "a.yaml", "Not a directory")

    def test_an_address_in_use(self):
        server = self.serve()
        self.failed(self.serve_badly(self.folder, "--listen", server.address), 3, server.address, "in use",
                    hint="--listen 127.0.0.1:0")
        self.failed(self.serve_badly(self.folder, "-q", "--listen", server.address), 3, server.address, "in use")

    def test_signals_end_it_with_streams_closed(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with self.subTest(signal=number), Serve(self.folder) as server, Client(server.address, api.ADS) as client:
                client.send(type_url=CDS)
                client.receive()
                server.process.send_signal(number)
                self.assertIsNone(client.receive())
                self.assertEqual(client.end[0], grpc.StatusCode.UNAVAILABLE)
                self.assertEqual(server.process.wait(timeout=5), 0)

    def test_a_unix_socket(self):
        socket = self.path("socket")
        process = subprocess.Popen([program("XDSCOPE"), "serve", EXAMPLE, "--listen", f"unix:{socket}"],
                                   stderr=subprocess.PIPE, text=True)
        try:
            while not (line := process.stderr.readline()).startswith("grpc "):
                self.assertNotEqual(line, "")
            self.assertEqual(line, f"grpc unix:{socket}\n")
            self.check(run("fetch", f"unix:{socket}", "cds", "-o", "name"), 0)
        finally:
            process.terminate()
            process.communicate(timeout=5)


class Tls(Folder):
    def test_tls_and_mtls(self):
        authority(self.folder, "ca")
        certificate(self.folder, "server", "ca", "IP:127.0.0.1")
        certificate(self.folder, "client", "ca", "DNS:client.example.com")
        tls = ["--tls-cert", self.path("server.crt"), "--tls-key", self.path("server.key")]
        trust = ["--cacert", self.path("ca.crt")]
        own = ["--cert", self.path("client.crt"), "--key", self.path("client.key")]
        mesh = copy_example(self.enterContext(tempfile.TemporaryDirectory()))
        with Serve(mesh, *tls) as server:
            self.check(run("fetch", server.address, "cds", *trust), 0)
            self.failed(run("fetch", server.address, "cds", "--plaintext"), 3, hint="--tls")
        with Serve(mesh, *tls, "--client-ca", self.path("ca.crt")) as server:
            self.check(run("fetch", server.address, "cds", *trust, *own), 0)
            self.failed(run("fetch", server.address, "cds", *trust), 3, hint="--cert")

    def test_a_key_of_another_certificate(self):
        authority(self.folder, "ca")
        certificate(self.folder, "one", "ca", "IP:127.0.0.1")
        certificate(self.folder, "two", "ca", "IP:127.0.0.1")
        result = run("serve", EXAMPLE, "--listen", "127.0.0.1:0", "-q", "--tls-cert", self.path("one.crt"), "--tls-key",
                     self.path("two.key"), timeout=10)
        self.failed(result, 2, "TLS", "key")


if __name__ == "__main__":
    unittest.main()
