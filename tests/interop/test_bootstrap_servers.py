"""A bootstrap with several servers: each type from its own, fallbacks in order, authorities, what nobody is asked for."""

import json
import os
import tempfile
import unittest

import yaml

import api
import raw_peers
import watching
from harness import Case, GcpServer, by_type, run, texts
from scripted_server import ScriptedServer, answers, answers_delta, closes_with
from served import Serve
from test_follow import ADS_SOURCE, SELF_SOURCE, elsewhere, hcm, listener, routes, world

LDS_STREAM, CDS_STREAM = api.method("lds", "stream"), api.method("cds", "stream")
CDS_DELTA, RDS_STREAM, EDS_STREAM = api.method("cds", "delta"), api.method("rds", "stream"), api.method("eds", "stream")


def over_grpc(cluster, api_type="GRPC"):
    return {"api_type": api_type, "transport_api_version": "V3", "grpc_services": [{"envoy_grpc": {"cluster_name": cluster}}]}


def source(cluster, api_type="GRPC"):
    return {"resource_api_version": "V3", "api_config_source": over_grpc(cluster, api_type)}


def cluster(name, *addresses):
    endpoints = []
    for address in addresses:
        host, port = address.rsplit(":", 1)
        endpoints.append({"endpoint": {"address": {"socket_address": {"address": host, "port_value": int(port)}}}})
    return {"name": name, "type": "STATIC", "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": endpoints}]}}


def envoy(*clusters, **dynamic):
    return {"node": {"id": "node-1", "cluster": "c"}, "dynamic_resources": dynamic, "static_resources": {"clusters": list(clusters)}}


def grpc_server(address):
    return {"server_uri": address, "channel_creds": [{"type": "insecure"}]}


def rds(name, config_source=None):
    return hcm(rds={"route_config_name": name, "config_source": config_source or ADS_SOURCE})


def eds_cluster(name, config_source):
    return {"name": name, "type": "EDS", "eds_cluster_config": {"eds_config": config_source}}


class Servers(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def file(self, content, name="b.yaml"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            yaml.safe_dump(content, out) if name.endswith(".yaml") else json.dump(content, out)
        return path

    def serve(self, scripts):
        return self.enterContext(ScriptedServer(scripts))

    def fetch(self, bootstrap, *args, **kwargs):
        return run("fetch", "--bootstrap", self.file(bootstrap), *args, **kwargs)

    def found(self, result):
        return {short: sorted(held) for short, held in by_type(texts(result.out)).items() if held}


class Envoys(Servers):
    def test_each_type_comes_from_its_own_server_in_its_own_variant(self):
        both = world(lds=[listener("l")], cds=[{"name": "c"}])
        here = self.serve({LDS_STREAM: answers(both), CDS_STREAM: answers(both)})
        there = self.serve({CDS_DELTA: answers_delta(world(cds=[{"name": "there"}]))})
        bootstrap = envoy(cluster("a", here.address), cluster("b", there.address),
                          lds_config=source("a"), cds_config=source("b", "DELTA_GRPC"))
        result = self.check(self.fetch(bootstrap, "-o", "json", "-v"), 0)
        self.assertEqual(self.found(result), {"lds": ["l"], "cds": ["there"]}, str(result))
        self.assertEqual({method for method, _ in here.requests}, {LDS_STREAM})
        self.assertIn(f"lds: {here.address}, sotw (", result.err, str(result))
        self.assertIn(f"cds: {there.address}, delta (", result.err, str(result))
        self.assertIn(f"{there.address} -> CDS", result.err, str(result))

    def test_a_variant_that_is_typed_counts_for_all(self):
        table = world(lds=[listener("l")], cds=[{"name": "c"}])
        here, there = self.serve({api.ADS: answers(table)}), self.serve({api.ADS: answers(table)})
        bootstrap = envoy(cluster("a", here.address), cluster("b", there.address),
                          lds_config=source("a"), cds_config=source("b", "DELTA_GRPC"))
        self.check(self.fetch(bootstrap, "-o", "json", "--variant", "ads"), 0)
        self.assertEqual({request.type_url for _, request in here.requests}, {api.url("lds")})
        self.assertEqual({request.type_url for _, request in there.requests}, {api.url("cds")})

    def test_config_sources_lead_to_the_server_that_they_name(self):
        ads = self.serve({api.ADS: answers(world(rds=[routes("by-ads")]))})
        lds = self.serve({LDS_STREAM: answers(world(lds=[
            listener("l", rds("by-ads")), listener("m", rds("by-self", SELF_SOURCE)), listener("n", rds("by-b", elsewhere("b"))),
            listener("o", rds("by-x", elsewhere("x")))])), RDS_STREAM: answers(world(rds=[routes("by-self")]))})
        b = self.serve({CDS_STREAM: answers(world(cds=[eds_cluster("c", SELF_SOURCE)])), EDS_STREAM: answers(world(eds=[{"cluster_name": "c"}])),
                        RDS_STREAM: answers(world(rds=[routes("by-b")]))})
        bootstrap = envoy(cluster("ads", ads.address), cluster("a", lds.address), cluster("b", b.address),
                          ads_config=over_grpc("ads"), lds_config=source("a"), cds_config=source("b"))
        result = self.check(self.fetch(bootstrap, "-o", "json"), 0, within=6)
        self.assertEqual(self.found(result), {"lds": ["l", "m", "n", "o"], "rds": ["by-ads", "by-b", "by-self"], "cds": ["c"],
                                              "eds": ["c"]}, str(result))
        self.assertIn("elsewhere: rds:by-x (cluster x)", result.err, str(result))

    def test_ads_without_ads_config_is_not_followed(self):
        server = self.serve({LDS_STREAM: answers(world(lds=[listener("l", rds("r"))])), CDS_STREAM: answers({}),
                             RDS_STREAM: answers(world(rds=[routes("r")]))})
        bootstrap = envoy(cluster("a", server.address), lds_config=source("a"), cds_config={"ads": {}, "resource_api_version": "V3"})
        result = self.check(self.fetch(bootstrap, "-o", "json"), 0, within=4)
        self.assertEqual(self.found(result), {"lds": ["l"]}, str(result))
        self.assertIn("elsewhere: rds:r (ads, and the bootstrap has no ads_config)", result.err, str(result))
        self.assertIn("b.yaml:", result.err)
        self.assertIn("dynamic_resources.cds_config: ads without ads_config is asked of nobody", result.err, str(result))

    def test_a_type_that_nobody_is_asked_for(self):
        server = self.serve({LDS_STREAM: answers(world(lds=[listener("l")]))})
        bootstrap = envoy(cluster("a", server.address), lds_config=source("a"),
                          cds_config={"resource_api_version": "V3"})
        result = self.check(self.fetch(bootstrap, "-o", "name"), 0)
        self.assertEqual(result.out, "lds:l\n")
        self.assertIn("cds_config: is asked of nobody", result.err, str(result))
        self.failed(self.fetch(bootstrap, "cds"), 2, "cds: the bootstrap asks nobody for it")

    def test_clusters_by_file(self):
        path = os.path.join(self.folder, "cds.yaml")
        with open(path, "w", encoding="utf-8") as out:
            yaml.safe_dump({"resources": [{"@type": api.url("cds"), "name": "by-file"}]}, out)
        server = self.serve({LDS_STREAM: answers(world(lds=[listener("l")], cds=[{"name": "never asked"}]))})
        for form in ({"path_config_source": {"path": path}}, {"path": path}):
            with self.subTest(form=form):
                bootstrap = envoy(cluster("a", server.address), lds_config=source("a"), cds_config=form)
                result = self.check(self.fetch(bootstrap, "-o", "json", "-v"), 0, within=6)
                self.assertEqual(self.found(result), {"lds": ["l"], "cds": ["by-file"]}, str(result))
                self.assertIn(f"cds: {path}, a file", result.err, str(result))
                self.assertEqual(self.check(self.fetch(bootstrap, "cds", "-o", "name"), 0).out, "cds:by-file\n")
        os.remove(path)
        result = self.check(self.fetch(bootstrap, "-o", "name"), 3)
        self.assertEqual(result.out, "lds:l\n")
        self.assertIn(f"{path}: No such file", result.err, str(result))

    def by_files(self):
        lds, cds = (self.file({"resources": [{"@type": api.url(short)} | resource for resource in resources]},
                              f"{short}.yaml")
                    for short, resources in (("lds", [listener("l", rds("r"))]), ("cds", [{"name": "c"}])))
        return envoy(lds_config={"path_config_source": {"path": lds}}, cds_config={"path": cds}), lds, cds

    def test_files_alone(self):
        bootstrap, lds, cds = self.by_files()
        result = self.check(self.fetch(bootstrap, "-o", "name", "-v"), 0, within=6)
        self.assertEqual(result.out, "lds:l\ncds:c\n", str(result))
        self.assertIn(f"lds: {lds}, a file", result.err, str(result))
        self.assertIn("elsewhere: rds:r (ads, and the bootstrap has no ads_config)", result.err, str(result))
        self.assertEqual(self.check(self.fetch(bootstrap, "cds:c", "-o", "name"), 0).out, "cds:c\n")
        self.failed(self.fetch(bootstrap, "cds:x", "-o", "name"), 1, "cds:x")
        self.failed(self.fetch(bootstrap, "eds"), 2, "eds: the bootstrap asks nobody for it")
        self.failed(self.fetch(bootstrap, "--cacert", "ca.pem"), 2, "--cacert: has no effect on files")
        only = envoy(cds_config={"path": cds})
        self.assertEqual(self.check(self.fetch(only, "-o", "name"), 0).out, "cds:c\n")
        result = run("repl", "--bootstrap", self.file(only))
        self.failed(result, 2, f"{self.folder}/b.yaml:", "the bootstrap names no control plane")
        os.remove(cds)
        result = self.failed(self.fetch(bootstrap, "-o", "name"), 3, f"{cds}: No such file")

    def test_files_alone_are_watched(self):
        bootstrap, lds, cds = self.by_files()
        with watching.Watch("--bootstrap", self.file(bootstrap)) as watch:
            watch.sees("added", name="l")
            watch.sees("added", name="c")
            with open(cds + ".new", "w", encoding="utf-8") as out:
                yaml.safe_dump({"resources": [{"@type": api.url("cds"), "name": "d"}]}, out)
            os.rename(cds + ".new", cds)
            watch.sees("removed", name="c")
            watch.sees("added", name="d")

    def test_endpoints_are_tried_in_order(self):
        dead = raw_peers.refused()
        server = self.serve({api.ADS: answers(world(cds=[{"name": "c"}]))})
        bootstrap = envoy(cluster("a", dead, server.address), ads_config=over_grpc("a"),
                          cds_config={"ads": {}, "resource_api_version": "V3"})
        result = self.check(self.fetch(bootstrap, "cds", "-o", "name", "-v"), 0, within=4)
        self.assertEqual(result.out, "cds:c\n")
        self.assertIn(f"{dead}: connection refused: the next server was asked", result.err, str(result))
        self.assertIn(f"all else: {dead}, then {server.address}, ads", result.err, str(result))

    def test_listeners_by_rest(self):
        folder = os.path.join(self.folder, "mesh")
        os.mkdir(folder)
        with open(os.path.join(folder, "lds.yaml"), "w", encoding="utf-8") as out:
            yaml.safe_dump({"resources": [{"@type": api.url("lds"), "name": "by-rest"}]}, out)
        there = self.serve({CDS_STREAM: answers(world(cds=[{"name": "there"}]))})
        with Serve(folder, "--rest-listen", "127.0.0.1:0") as serve:
            address = serve.hear("rest ").split()[1]
            rest = {"resource_api_version": "V3", "api_config_source": {
                "api_type": "REST", "transport_api_version": "V3", "cluster_names": ["a"], "refresh_delay": "5s"}}
            bootstrap = envoy(cluster("a", raw_peers.refused(), address), cluster("b", there.address), lds_config=rest, cds_config=source("b"))
            result = self.check(self.fetch(bootstrap, "-o", "name", "-v"), 0, within=5)
        self.assertEqual(result.out, "lds:by-rest\ncds:there\n", str(result))
        self.assertIn(f"then http://{address}, rest (", result.err, str(result))

    def test_of_two_servers_one_is_dead(self):
        dead = raw_peers.refused()
        server = self.serve({CDS_STREAM: answers(world(cds=[{"name": "c"}]))})
        bootstrap = envoy(cluster("a", dead), cluster("b", server.address), lds_config=source("a"), cds_config=source("b"))
        result = self.fetch(bootstrap, "-o", "name")
        self.failed(result, 3, dead, "lds: connection refused", within=4)
        self.assertEqual(result.out, "cds:c\n")

    def test_a_second_service_is_said_and_not_asked(self):
        server = self.serve({api.ADS: answers(world(cds=[{"name": "c"}]))})
        ads = over_grpc("a")
        ads["grpc_services"].append({"envoy_grpc": {"cluster_name": "b"}})
        bootstrap = envoy(cluster("a", server.address), cluster("b", raw_peers.refused()), ads_config=ads)
        result = self.check(self.fetch(bootstrap, "cds", "-o", "name"), 0)
        self.assertIn("grpc_services[1]: is not asked: Envoy takes no second service", result.err, str(result))

    def test_one_service_in_place_of_the_list(self):
        server = self.serve({api.ADS: answers(world(cds=[{"name": "c"}]))})
        ads = over_grpc("a")
        ads["grpc_services"] = ads["grpc_services"][0]
        self.check(self.fetch(envoy(cluster("a", server.address), ads_config=ads), "cds"), 0)

    def test_static_clusters_are_not_missing(self):
        route = {"name": "r", "virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [
            {"match": {"prefix": "/"}, "route": {"cluster": "xds"}}]}]}
        server = self.serve({api.ADS: answers(world(lds=[listener("l", rds("r"))], rds=[route]))})
        bootstrap = envoy(cluster("xds", server.address), ads_config=over_grpc("xds"),
                          lds_config={"ads": {}, "resource_api_version": "V3"}, cds_config={"ads": {}, "resource_api_version": "V3"})
        result = self.check(self.fetch(bootstrap, "-o", "tree"), 0)
        self.assertIn("cds:xds (static)", result.out, str(result))
        self.assertNotIn("missing", result.out, str(result))

    def test_real_servers(self):
        folder = os.path.join(self.folder, "mesh")
        os.mkdir(folder)
        with open(os.path.join(folder, "cds.yaml"), "w", encoding="utf-8") as out:
            yaml.safe_dump({"resources": [{"@type": api.url("cds"), "name": "from-serve"}]}, out)
        with GcpServer() as plane, Serve(folder) as serve:
            bootstrap = envoy(cluster("gcp", plane.address), cluster("dead-first", raw_peers.refused(), serve.address),
                              lds_config=source("gcp"), cds_config=source("dead-first", "DELTA_GRPC"))
            bootstrap["node"]["id"] = "test-node"
            result = self.check(self.fetch(bootstrap, "-o", "json", "--no-follow"), 0)
        found = self.found(result)
        self.assertEqual(found["cds"], ["from-serve"])
        self.assertTrue(found["lds"])


class Grpcs(Servers):
    def bootstrap(self, *addresses, **more):
        return {"xds_servers": [grpc_server(address) for address in addresses], "node": {"id": "node-1"}, **more}

    def test_the_next_server_is_asked_when_the_first_cannot_be_had(self):
        table = world(lds=[listener("l")])
        refusing = self.serve({api.ADS: closes_with(*refusal())})
        dead = raw_peers.refused()
        server = self.serve({api.ADS: answers(table)})
        result = self.check(self.fetch(self.bootstrap(dead, refusing.address, server.address), "lds:l", "-o", "name"), 0, within=4)
        self.assertEqual(result.out, "lds:l\n")
        self.assertIn(f"{dead}: connection refused: the next server was asked", result.err, str(result))
        self.assertIn(f"{refusing.address}: PERMISSION_DENIED: not you: the next server was asked", result.err, str(result))

    def test_the_failure_of_the_last_is_the_error(self):
        first, last = raw_peers.refused(), raw_peers.refused()
        result = self.fetch(self.bootstrap(first, last), "lds:l")
        self.failed(result, 3, last, "connection refused", within=4)
        self.assertIn(f"{first}: connection refused: the next server was asked", result.err, str(result))

    def test_a_server_that_answered_is_not_left(self):
        first = self.serve({api.ADS: answers(world(lds=[listener("l")]))})
        second = self.serve({api.ADS: answers(world(lds=[listener("l"), listener("m")]))})
        result = self.fetch(self.bootstrap(first.address, second.address), "lds:l,m", "--wait", "1")
        self.check(result, 1)
        self.assertIn("absent: lds:m", result.err)
        self.assertEqual(second.requests, [])

    def test_names_of_an_authority_are_asked_of_its_server(self):
        kind = api.url("lds").removeprefix(api.PREFIX)
        far, other = f"xdstp://far/{kind}/l", f"xdstp://other/{kind}/l"
        near = self.serve({api.ADS: answers(world(lds=[listener("l")]))})
        away = self.serve({api.ADS: answers(world(lds=[listener(far)]))})
        bootstrap = self.bootstrap(near.address, authorities={"far": {"xds_servers": [grpc_server(away.address)]}})
        result = self.check(self.fetch(bootstrap, f"lds:l,{far}", "-o", "name", "-v"), 0, within=4)
        self.assertEqual(sorted(result.out.split()), ["lds:l", f"lds:{far}"])
        self.assertEqual([list(request.resource_names) for _, request in near.requests][0], ["l"])
        self.assertEqual([list(request.resource_names) for _, request in away.requests][0], [far])
        self.assertIn(f"xdstp://far/: {away.address}, ads", result.err, str(result))
        result = self.check(self.fetch(bootstrap, f"lds:l,{other}"), 1, within=4)
        self.assertIn(f"absent: lds:{other} (there is no server to ask for it)", result.err, str(result))

    def test_a_dead_authority_holds_nobody_up(self):
        kind = api.url("lds").removeprefix(api.PREFIX)
        far, dead = f"xdstp://far/{kind}/l", raw_peers.refused()
        near = self.serve({api.ADS: answers(world(lds=[listener("l")]))})
        bootstrap = self.bootstrap(near.address, authorities={"far": {"xds_servers": [grpc_server(dead)]}})
        result = self.fetch(bootstrap, f"lds:l,{far}", "-o", "name")
        self.assertEqual(result.code, 3, str(result))
        self.assertEqual(result.errors, [f"xdscope: absent: lds:{far}", f"xdscope: {dead}: connection refused"], str(result))
        self.assertLess(result.seconds, 5)
        self.assertEqual(result.out, "lds:l\n")


def refusal():
    import grpc
    return grpc.StatusCode.PERMISSION_DENIED, "not you", 1


class Environment(Servers):
    def test_the_variables_count_where_nothing_else_is_said(self):
        table = world(lds=[listener("l")])
        server = self.serve({api.ADS: answers(table)})
        bootstrap = {"xds_servers": [grpc_server(server.address)], "node": {"id": "from-variable"}}
        path = self.file(bootstrap, "grpc.json")
        for env, said in [({"GRPC_XDS_BOOTSTRAP": path}, f"bootstrap: {path} (GRPC_XDS_BOOTSTRAP)"),
                          ({"GRPC_XDS_BOOTSTRAP_CONFIG": json.dumps(bootstrap)}, "bootstrap: GRPC_XDS_BOOTSTRAP_CONFIG"),
                          ({"GRPC_XDS_BOOTSTRAP": path, "GRPC_XDS_BOOTSTRAP_CONFIG": "{"}, f"bootstrap: {path} ")]:
            with self.subTest(env=env):
                result = self.check(run("fetch", "lds:l", "-o", "name", "-v", env=env), 0)
                self.assertEqual(result.out, "lds:l\n")
                self.assertIn(said, result.err, str(result))
                self.assertEqual(server.requests[-2][1].node.id, "from-variable")
                self.assertNotIn("bootstrap", run("fetch", "lds:l", env=env).err)

    def test_a_target_or_a_bootstrap_is_what_counts(self):
        server = self.serve({api.ADS: answers(world(lds=[listener("l")]))})
        env = {"GRPC_XDS_BOOTSTRAP": "/nowhere.json"}
        self.check(run("fetch", server.address, "lds:l", env=env), 0)
        path = self.file({"xds_servers": [grpc_server(server.address)]}, "grpc.json")
        self.check(run("fetch", "--bootstrap", path, "lds:l", env=env), 0)
        self.failed(run("fetch", "lds:l", env=env), 2, "GRPC_XDS_BOOTSTRAP=/nowhere.json")
        self.failed(run("fetch", "lds:l", env={"GRPC_XDS_BOOTSTRAP_CONFIG": "{}"}), 2, "GRPC_XDS_BOOTSTRAP_CONFIG: is no bootstrap")
        self.failed(run("fetch", "lds:l", env={"GRPC_XDS_BOOTSTRAP": ""}), 2, "TARGET: is missing")


class Watch(Servers):
    def test_it_asks_as_fetch_does(self):
        here = self.serve({LDS_STREAM: answers(world(lds=[listener("l")])), CDS_STREAM: answers({})})
        there = self.serve({CDS_DELTA: answers_delta(world(cds=[{"name": "there"}]))})
        dead = raw_peers.refused()
        bootstrap = envoy(cluster("a", here.address), cluster("b", dead, there.address),
                          lds_config=source("a"), cds_config=source("b", "DELTA_GRPC"))
        result = self.check(run("watch", "--bootstrap", self.file(bootstrap), "--count", "2", "-o", "ndjson"), 0, within=10)
        events = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual(sorted(event["name"] for event in events if event["event"] == "added"), ["l", "there"], str(result))
        self.assertIn(f"{dead}: connection refused: the next server is asked", result.err, str(result))
        self.assertEqual({method for method, _ in here.requests}, {LDS_STREAM})

    def test_the_failure_of_the_last_ends_it(self):
        first, last = raw_peers.refused(), raw_peers.refused()
        bootstrap = {"xds_servers": [grpc_server(first), grpc_server(last)], "node": {"id": "node-1"}}
        self.failed(run("watch", "--bootstrap", self.file(bootstrap), "lds:l"), 3, last, "connection refused", within=5)


class Repl(Servers):
    def test_it_opens_the_main_server_and_names_the_others(self):
        here, there = self.serve({LDS_STREAM: answers({})}), self.serve({CDS_STREAM: answers(world(cds=[{"name": "c"}]))})
        bootstrap = envoy(cluster("a", here.address), cluster("b", there.address), lds_config=source("a"), cds_config=source("b"))
        script = os.path.join(self.folder, "s.xds")
        with open(script, "w", encoding="utf-8") as out:
            out.write("sub cds\nwait cds\nack cds\nexpect cds c\nstreams\n")
        result = self.check(run("repl", "--bootstrap", self.file(bootstrap), "--script", script), 0)
        self.assertIn(there.address, result.out, str(result))
        self.assertIn(f"this server is not asked, only {there.address} is", result.err, str(result))
        self.assertEqual(here.requests, [])


if __name__ == "__main__":
    unittest.main()
