"""What xdscope writes is taken by Envoy itself: single responses as they are, and whole folders offline."""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest
import urllib.request

import api
import raw_peers
from harness import Case, program, run
from scripted_server import ScriptedServer, answers, answers_delta
from served import Serve
from test_bootstrap_servers import cluster, source
from test_follow import ADS_SOURCE, hcm, sds, socket, typed

HTTP2 = {"typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions", explicit_http_config={"http2_protocol_options": {}})}}
ADMIN = '{admin: {address: {socket_address: {address: 127.0.0.1, port_value: 0}}}}'


class Envoy:
    """Envoy with a bootstrap file, for as long as the `with` lasts."""

    def __init__(self, bootstrap, folder):
        self.bootstrap, self.folder = bootstrap, folder

    def __enter__(self):
        address = os.path.join(self.folder, "admin-address")
        self.log = open(os.path.join(self.folder, "envoy.log"), "wb")
        self.process = subprocess.Popen(
            [program("XDSCOPE_ENVOY"), "-c", self.bootstrap, "--config-yaml", ADMIN, "--admin-address-path", address,
             "--concurrency", "1", "--disable-hot-restart", "--use-dynamic-base-id", "-l", "warning"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.address = self.poll(lambda: pathlib.Path(address).read_text(encoding="utf-8"))
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=5) as answer:
            return answer.read().decode()

    def poll(self, question, seconds=20):
        """Asks until there is an answer: Envoy gives no other sign of being ready."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if found := question():
                    return found
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError("envoy did not come so far:\n" + self.said())

    def said(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as stream:
            return stream.read()[-4000:]

    def stats(self, pattern):
        found = json.loads(self.get(f"/stats?format=json&filter={pattern}"))["stats"]
        return {entry["name"]: entry["value"] for entry in found if "value" in entry}


def certificate(folder):
    """A certificate and its key, as text."""
    subprocess.run([program("XDSCOPE_OPENSSL"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=test", "-keyout", "key.pem", "-out", "cert.pem"],
                   cwd=folder, check=True, capture_output=True)
    texts = []
    for name in ["cert.pem", "key.pem"]:
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            texts.append(stream.read())
    return texts


ROUTER = {"name": "envoy.filters.http.router", "typed_config": typed("envoy.extensions.filters.http.router.v3.Router")}
LUA = typed("envoy.extensions.filters.http.lua.v3.Lua", default_source_code={"inline_string": "-- yes: no\n"})


def world(folder):
    """Listeners that need everything Envoy takes by file: routes, scopes, filters, secrets, clusters, endpoints."""
    cert, key = certificate(folder)
    tls = typed("envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
                common_tls_context={"tls_certificate_sds_secret_configs": [sds("cert")],
                                    "validation_context_sds_secret_config": sds("../../ca")})
    upstream = typed("envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext", sni="c",
                     common_tls_context={"tls_certificate_sds_secret_configs": [sds("cert")]})
    filters = [{"name": "lua", "config_discovery": {"config_source": ADS_SOURCE, "type_urls": [LUA["@type"]]}}, ROUTER]
    scoped = {"name": "s", "rds_config_source": ADS_SOURCE, "scoped_rds": {"scoped_rds_config_source": ADS_SOURCE},
              "scope_key_builder": {"fragments": [{"header_value_extractor": {"name": "h", "index": 0}}]}}
    vhds = {"config_source": ADS_SOURCE}

    def listener(name, port, *filters, **chain):  # the ports are never opened
        return {"name": name, "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
                "bind_to_port": False, "filter_chains": [{"filters": list(filters), **chain}]}

    def routes(name, **fields):
        return {"name": name, "virtual_hosts": [host("v")], **fields}

    def host(name, *domains):
        return {"name": name, "domains": list(domains or "*"),
                "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "c"}}]}

    def rds(name):
        return {"route_config_name": name, "config_source": ADS_SOURCE}

    def scope(name, route):
        return {"name": name, "route_configuration_name": route, "key": {"fragments": [{"string_key": name}]}}

    return {api.url(short): {resource.get("cluster_name") or resource["name"]: api.resource(short, resource)
                             for resource in resources} for short, resources in {
        "lds": [listener("l", 10000, hcm(rds=rds("r"), http_filters=filters), transport_socket=socket(tls)),
                listener("scoped", 10001, hcm(scoped_routes=scoped, http_filters=[ROUTER])),
                listener("vhds", 10002, hcm(rds=rds("with-vhds"), http_filters=[ROUTER])),
                listener("lost", 10003, hcm(rds=rds("absent"), http_filters=[ROUTER]))],
        "rds": [routes("r"), routes("sa"), routes("sb"), {"name": "with-vhds", "vhds": vhds}],
        "srds": [scope("a", "sa"), scope("b", "sb")],
        "vhds": [host("with-vhds/h.com", "h.com")],
        "cds": [{"name": "c", "type": "EDS", "transport_socket": socket(upstream),
                 "eds_cluster_config": {"eds_config": ADS_SOURCE, "service_name": "s/1"}},
                {"name": "empty", "type": "EDS", "eds_cluster_config": {"eds_config": ADS_SOURCE}}],
        "eds": [endpoints("s/1", 10000)],
        "sds": [{"name": "cert", "tls_certificate": {"certificate_chain": {"inline_string": cert},
                                                     "private_key": {"inline_string": key}}},
                {"name": "../../ca", "validation_context": {"trusted_ca": {"inline_string": cert}}}],
        "ecds": [{"name": "lua", "typed_config": LUA}],
    }.items()}


def endpoints(name, port):
    address = {"socket_address": {"address": "127.0.0.1", "port_value": port}}
    return {"cluster_name": name, "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}}]}]}


class Takes(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def file(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        return path

    def test_a_single_response_is_a_file_for_its_filesystem_subscription(self):
        clusters = {name: api.resource("cds", {"name": name, "type": "STATIC"}) for name in ["one", "010", "yes"]}
        listener = {"name": "l", "bind_to_port": False, "filter_chains": [{"filters": [hcm(
            route_config={"name": "r"}, http_filters=[ROUTER])]}],
                    "address": {"socket_address": {"address": "127.0.0.1", "port_value": 10000}}}
        table = {api.url("cds"): clusters, api.url("lds"): {"l": api.resource("lds", listener)}}
        for output, ending in [("yaml", "yaml"), ("json", "json"), ("binary", "pb"), ("text", "pb_text")]:
            with self.subTest(output=output), ScriptedServer({api.ADS: answers(table)}) as server:
                sources = {}
                for short in ["lds", "cds"]:
                    result = self.check(run("fetch", server.address, short, "-o", output, text=False), 0)
                    path = self.file(f"{short}-{output}.{ending}")
                    with open(path, "wb") as out:
                        out.write(result.out)
                    sources[f"{short}_config"] = {"resource_api_version": "V3", "path_config_source": {"path": path}}
                bootstrap = self.file(f"{output}.json", json.dumps({"node": {"id": "n", "cluster": "c"},
                                                                    "dynamic_resources": sources}))
                with Envoy(bootstrap, self.enterContext(tempfile.TemporaryDirectory())) as envoy:
                    envoy.poll(lambda: "l::" in envoy.get("/listeners"))
                    stats = envoy.stats("update_(success|rejected)")
                    self.assertEqual((stats["cluster_manager.cds.update_rejected"],
                                      stats["listener_manager.lds.update_rejected"]), (0, 0), envoy.said())
                    for name in clusters:
                        self.assertIn(f"\n{name}::", "\n" + envoy.get("/clusters"))


class RunsOffline(Case):
    """What --out-dir wrote is all that Envoy needs."""

    @classmethod
    def setUpClass(cls):
        cls.table = world(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def setUp(self):
        self.folder = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "a folder: of files")

    def fetch(self, server, *flags):
        return self.check(run("fetch", server.address, "--out-dir", self.folder, "--show-secrets", "--wait", "1s", *flags), 0)

    def envoy(self):
        """Envoy on the written bootstrap, from another folder, once it serves."""
        envoy = self.enterContext(Envoy(os.path.join(self.folder, "envoy.yaml"),
                                        self.enterContext(tempfile.TemporaryDirectory())))
        envoy.poll(lambda: json.loads(envoy.get("/server_info"))["state"] == "LIVE")
        return envoy

    def configs(self, envoy):
        """What /config_dump says, by kind."""
        dump = json.loads(envoy.get("/config_dump?include_eds"))["configs"]
        return {config["@type"].rsplit(".", 1)[1]: config for config in dump}

    def is_whole(self, envoy):
        """Nothing refused, nothing warming, nothing missing; returns the dump."""
        stats = envoy.stats("(update_rejected|update_failure|config_fail|init_fetch_timeout)$")
        self.assertTrue(any(name.endswith("lds.update_rejected") for name in stats), stats)
        self.assertEqual({name: value for name, value in stats.items() if value}, {}, envoy.said())
        dump = self.configs(envoy)
        text = json.dumps(dump)
        for word in ["warming_state", "dynamic_warming", "error_state"]:
            self.assertNotIn(word, text)
        listeners = dump["ListenersConfigDump"]["dynamic_listeners"]
        self.assertEqual({entry["name"] for entry in listeners if "active_state" in entry},
                         set(self.table[api.url("lds")]))
        clusters = dump["ClustersConfigDump"]["dynamic_active_clusters"]
        self.assertEqual({entry["cluster"]["name"] for entry in clusters}, set(self.table[api.url("cds")]))
        secrets = dump["SecretsConfigDump"]["dynamic_active_secrets"]
        self.assertEqual({entry["name"] for entry in secrets}, set(self.table[api.url("sds")]))
        routes = dump["RoutesConfigDump"]["dynamic_route_configs"]
        self.assertLessEqual({"r", "with-vhds"}, {entry["route_config"]["name"] for entry in routes})
        scopes = dump["ScopedRoutesConfigDump"]["dynamic_scoped_route_configs"][0]["scoped_route_configs"]
        self.assertEqual({entry["route_configuration"]["name"] for entry in scopes}, {"sa", "sb"})
        held = dump["EndpointsConfigDump"]["dynamic_endpoint_configs"]
        self.assertIn(("s/1", 1), {(entry["endpoint_config"]["cluster_name"],
                                    len(entry["endpoint_config"].get("endpoints", []))) for entry in held})
        filters = dump["EcdsConfigDump"]["ecds_filters"]
        self.assertEqual({entry["ecds_filter"]["name"] for entry in filters}, {"lua"})
        return dump

    def test_in_every_format_all_of_it_is_active(self):
        for output in ["yaml", "json", "text", "binary"]:
            with self.subTest(output=output), ScriptedServer({api.ADS: answers(self.table)}) as server:
                self.folder += "+"
                result = self.fetch(server, "-o", output)
                self.assertIn(f"run them with: envoy -c '{self.folder}/envoy.yaml'", result.err)
                self.assertIn("absent: ", result.err)
                self.is_whole(self.envoy())

    def test_virtual_hosts_of_vhds_stand_in_their_route_configuration(self):
        with ScriptedServer({api.DELTA_ADS: answers_delta(self.table)}) as server:
            self.fetch(server, "--variant", "delta-ads")
        routes = self.is_whole(self.envoy())["RoutesConfigDump"]["dynamic_route_configs"]
        hosts = {entry["route_config"]["name"]: entry["route_config"].get("virtual_hosts") for entry in routes}
        self.assertEqual([host["domains"] for host in hosts["with-vhds"]], [["h.com"]])

    def test_a_folder_that_is_written_again_reaches_the_running_envoy(self):
        table = {**self.table}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            self.fetch(server)
            envoy = self.envoy()
            self.assertIn("c::127.0.0.1:10000::", envoy.get("/clusters"))
            table[api.url("eds")] = {"s/1": api.resource("eds", endpoints("s/1", 10001))}
            self.fetch(server)
            envoy.poll(lambda: "c::127.0.0.1:10001::" in envoy.get("/clusters"))
            self.is_whole(envoy)

    def test_what_the_server_does_not_have_keeps_no_listener_and_no_cluster_out(self):
        table = {**self.table, api.url("sds"): {}, api.url("ecds"): {}, api.url("eds"): {}, api.url("rds"): {}}
        with ScriptedServer({api.DELTA_ADS: answers_delta(table)}) as server:
            self.fetch(server, "--variant", "delta-ads")
        envoy = self.envoy()
        dump = self.configs(envoy)
        self.assertEqual({entry["name"] for entry in dump["ListenersConfigDump"]["dynamic_listeners"]
                          if "active_state" in entry}, set(table[api.url("lds")]), envoy.said())
        self.assertEqual({entry["cluster"]["name"] for entry in dump["ClustersConfigDump"]["dynamic_active_clusters"]},
                         set(table[api.url("cds")]), envoy.said())

    def test_runtimes_are_layers_of_the_bootstrap(self):
        table = {**self.table, api.url("rtds"): {"r/1": api.resource("rtds", {"name": "r/1", "layer": {"a.b": 7}})}}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            self.fetch(server, "lds", "cds", "rtds:r/1", "--follow")
        entries = json.loads(self.envoy().get("/runtime"))["entries"]
        self.assertEqual(entries["a.b"]["final_value"], "7")



class SameAsEnvoy(Case):
    """One bootstrap with several servers, given to Envoy and to fetch."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def serve(self, name, *resources):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        for short in ("lds", "cds"):
            chosen = [{"@type": api.url(short), **resource} for kind, resource in resources if kind == short]
            with open(os.path.join(folder, f"{short}.json"), "w", encoding="utf-8") as out:
                json.dump({"resources": chosen}, out)
        return self.enterContext(Serve(folder))

    def test_listeners_here_and_clusters_there(self):
        proxy = {"name": "tcp", "typed_config": typed("envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
                                                      stat_prefix="s", cluster="there")}

        def listener(name):  # the port is never opened
            return "lds", {"name": name, "address": {"socket_address": {"address": "127.0.0.1", "port_value": 10000}},
                           "bind_to_port": False, "filter_chains": [{"filters": [proxy]}]}

        here = self.serve("here", listener("here"), ("cds", {"name": "not-asked"}))
        there = self.serve("there", listener("not-asked"), ("cds", {"name": "there"}))
        bootstrap = {
            "node": {"id": "test", "cluster": "test"},
            "dynamic_resources": {"lds_config": source("one"), "cds_config": source("two", "DELTA_GRPC")},
            "static_resources": {"clusters": [{**cluster("one", here.address), **HTTP2},
                                              {**cluster("two", raw_peers.refused(), there.address), **HTTP2}]}}
        path = os.path.join(self.folder, "envoy.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(bootstrap, out)
        with Envoy(path, self.folder) as envoy:
            taken = envoy.poll(lambda: self.taken(envoy, 2))
        result = self.check(run("fetch", "--bootstrap", path, "-o", "name"), 0)
        self.assertEqual(sorted(result.out.split()), taken, str(result))
        self.assertEqual(taken, ["cds:there", "lds:here"])

    def taken(self, envoy, count):
        """What Envoy has from its servers, once it is so many."""
        found = [f"cds:{each['cluster']['name']}" for each in self.dump(envoy, "dynamic_active_clusters")]
        found += [f"lds:{each['name']}" for each in self.dump(envoy, "dynamic_listeners") if "active_state" in each]
        return sorted(found) if len(found) >= count else None

    def dump(self, envoy, resource):
        return json.loads(envoy.get(f"/config_dump?resource={resource}")).get("configs", [])

    def test_ads_without_ads_config_is_refused(self):
        rds = {"route_config_name": "r", "config_source": ADS_SOURCE}
        here = self.serve("here", ("lds", {
            "name": "l", "address": {"socket_address": {"address": "127.0.0.1", "port_value": 10000}}, "bind_to_port": False,
            "filter_chains": [{"filters": [hcm(rds=rds, http_filters=[ROUTER])]}]}))
        bootstrap = {"node": {"id": "test", "cluster": "test"}, "dynamic_resources": {"lds_config": source("one")},
                     "static_resources": {"clusters": [{**cluster("one", here.address), **HTTP2}]}}
        path = os.path.join(self.folder, "envoy.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(bootstrap, out)
        with Envoy(path, self.folder) as envoy:
            envoy.poll(lambda: "ADS must be configured" in envoy.said())
        result = self.check(run("fetch", "--bootstrap", path, "-o", "name"), 0)
        self.assertIn("elsewhere: rds:r (ads, and the bootstrap has no ads_config)", result.err, str(result))


if __name__ == "__main__":
    unittest.main()
