"""Envoy as a client of `xdscope serve`: everything becomes active, and it follows what happens to the files."""

import json
import os
import tempfile
import urllib.request

import unittest

from harness import Case
from served import EXAMPLE, Serve, cluster, copy_example, link_folder, mortal, runtime, swap, write
from test_envoy import Envoy
from test_tls import authority, certificate

ADS_IN_FILES = "{resource_api_version: V3, ads: {}}"
PORTS = [("port_value: 10000", "port_value: 0"), ("port_value: 10443", "port_value: 0")]


def api_source(api_type):
    return {"api_type": api_type, "transport_api_version": "V3", "grpc_services": [{"envoy_grpc": {"cluster_name": "xds"}}]}


def bootstrap(address, api_type, aggregated):
    """What Envoy needs to know to take all its configuration from `address`."""
    host, port = address.rsplit(":", 1)
    source = {"ads": {}} if aggregated else {"api_config_source": api_source(api_type)}
    source["resource_api_version"] = "V3"
    dynamic = {"lds_config": source, "cds_config": source}
    if aggregated:
        dynamic["ads_config"] = api_source(api_type)
    endpoint = {"endpoint": {"address": {"socket_address": {"address": host, "port_value": int(port)}}}}
    http2 = {"@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
             "explicit_http_config": {"http2_protocol_options": {}}}
    xds = {"name": "xds", "connect_timeout": "1s", "type": "STATIC",
           "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": http2},
           "load_assignment": {"cluster_name": "xds", "endpoints": [{"lb_endpoints": [endpoint]}]}}
    return {"node": {"id": "envoy-1", "cluster": "shop"}, "dynamic_resources": dynamic,
            "static_resources": {"clusters": [xds]}}


def state(envoy):
    """What is active, and what is not as it should be, of /config_dump."""
    active, amiss = {"listeners": set(), "clusters": set(), "routes": {}, "endpoints": set(), "secrets": set()}, []
    for config in json.loads(envoy.get("/config_dump?include_eds"))["configs"]:
        for listener in config.get("dynamic_listeners", []):
            (active["listeners"].add(listener["name"]) if "active_state" in listener else amiss.append(listener["name"]))
            amiss += [(listener["name"], key) for key in ["warming_state", "error_state"] if key in listener]
        for cluster in config.get("dynamic_active_clusters", []):
            active["clusters"].add(cluster["cluster"]["name"])
            amiss += [cluster["error_state"]] if "error_state" in cluster else []
        amiss += config.get("dynamic_warming_clusters", []) + config.get("dynamic_warming_secrets", [])
        for route in config.get("dynamic_route_configs", []):
            active["routes"][route["route_config"]["name"]] = route["route_config"]
        for found in config.get("dynamic_endpoint_configs", []):
            active["endpoints"].add(found["endpoint_config"]["cluster_name"])
        active["secrets"] |= {secret["name"] for secret in config.get("dynamic_active_secrets", [])}
    return active, amiss


REST_SOURCE = {"api_type": "REST", "transport_api_version": "V3", "cluster_names": ["xds"], "refresh_delay": "0.3s",
               "request_timeout": "5s"}


def rest_bootstrap(address):
    """The same over REST: HTTP/1.1, each type by itself."""
    made = bootstrap(address, "REST", False)
    source = {"resource_api_version": "V3", "api_config_source": REST_SOURCE}
    made["dynamic_resources"] = {"lds_config": source, "cds_config": source}
    made["static_resources"]["clusters"][0].pop("typed_extension_protocol_options")
    return made


class EnvoyCase(Case):
    """A folder of the test's own, and Envoy on what serves it."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def envoy(self, server, api_type="GRPC", aggregated=True):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "bootstrap.json")
        write(folder, "bootstrap.json", bootstrap(server.address, api_type, aggregated))
        return self.enterContext(Envoy(path, folder))

    def settled(self, envoy, wanted):
        """Waits until what `wanted` says of the active state is so and nothing is under way."""
        def good():
            active, amiss = state(envoy)
            return not amiss and wanted(active)
        try:
            envoy.poll(good)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{state(envoy)}") from error
        self.assertEqual({name: value for name, value in envoy.stats("update_rejected").items() if value}, {}, envoy.said())
        self.assertEqual({name: value for name, value in envoy.stats("init_fetch_timeout").items() if value}, {})

    def whole(self, active):
        return (active["listeners"] == {"http", "https"} and list(active["routes"]) == ["shop"]
                and active["clusters"] == {"web", "catalog-v1", "catalog-v2", "cart"}
                and active["endpoints"] >= {"web", "catalog/v1", "catalog/v2", "cart"}
                and active["secrets"] == {"shop.example.com", "example.com-ca"})

    def health(self, envoy):
        """The body that the route /healthz of the http listener gives."""
        for line in envoy.get("/listeners").splitlines():
            if line.startswith("http::"):
                with urllib.request.urlopen(f"http://{line[6:]}/healthz", timeout=5) as answer:
                    return answer.read().decode()
        return None

    def example(self, *more):
        return copy_example(self.folder, [*PORTS, *more])


class EnvoyFollows(EnvoyCase):
    def test_everything_over_rest(self):  # XDS-R01, R02, R07, R10
        source = json.dumps({"resource_api_version": "V3", "api_config_source": REST_SOURCE})
        copy_example(self.folder, [(ADS_IN_FILES, source), *PORTS])
        with Serve(self.folder, "--rest-listen", "127.0.0.1:0") as served:
            folder = self.enterContext(tempfile.TemporaryDirectory())
            write(folder, "bootstrap.json", rest_bootstrap(served.hear("rest 127.").split()[1]))
            envoy = self.enterContext(Envoy(os.path.join(folder, "bootstrap.json"), folder))
            self.settled(envoy, lambda active: active["listeners"] == {"http", "https"} and "shop" in active["routes"] and
                         len(active["clusters"]) == 4 and len(active["endpoints"]) == 4)
            served.hear("nothing newer")
            with open(os.path.join(self.folder, "clusters.yaml"), encoding="utf-8") as stream:
                text = stream.read()
            swap(self.folder, "clusters.yaml", text.replace("name: web", "name: web2"))
            self.settled(envoy, lambda active: "web2" in active["clusters"] and "web" not in active["clusters"])

    def test_all_is_active_in_every_variant(self):
        for api_type, aggregated in [("GRPC", True), ("DELTA_GRPC", True), ("GRPC", False), ("DELTA_GRPC", False)]:
            with self.subTest(api_type=api_type, aggregated=aggregated):
                own = "{resource_api_version: V3, api_config_source: %s}" % json.dumps(api_source(api_type))
                self.example(*([] if aggregated else [(ADS_IN_FILES, own)]))
                with Serve(self.folder) as server:
                    envoy = self.envoy(server, api_type, aggregated)
                    self.settled(envoy, self.whole)
                    self.assertEqual(self.health(envoy), "ok\n")
                    self.assertFalse([line for line in server.lines if "refuses" in line])

    def follow(self, api_type):
        self.example()
        with open(os.path.join(self.folder, "routes.yaml"), encoding="utf-8") as stream:
            routes = stream.read()
        with open(os.path.join(self.folder, "clusters.yaml"), encoding="utf-8") as stream:
            clusters = stream.read()
        server = self.enterContext(Serve(self.folder))
        envoy = self.envoy(server, api_type)
        self.settled(envoy, self.whole)

        write(self.folder, "routes.yaml", routes.replace('"ok\\n"', '"written\\n"'))
        envoy.poll(lambda: self.health(envoy) == "written\n")

        # A changed cluster warms until its endpoints are said again; one more comes with endpoints of its own.
        swap(self.folder, "clusters.yaml", clusters.replace("connect_timeout: 1s", "connect_timeout: 2s"))
        server.hear("cds", "~")
        self.settled(envoy, self.whole)
        envoy.poll(lambda: '"connect_timeout": "2s"' in envoy.get("/config_dump?resource=dynamic_active_clusters"))
        self.settled(envoy, self.whole)

        broken_at = server.mark()
        write(self.folder, "routes.yaml", routes.replace("status: 200", "status: many"))
        self.assertIn("routes.yaml:", server.hear("its last good content stays", after=broken_at))
        self.assertEqual(self.health(envoy), "written\n")
        write(self.folder, "routes.yaml", routes.replace('"ok\\n"', '"mended\\n"'))
        envoy.poll(lambda: self.health(envoy) == "mended\n")

        # A route and its clusters go.
        without = clusters[:clusters.index("- '@type'", clusters.index("catalog-v1") + 1)]
        self.assertNotIn("catalog-v2", without)
        swap(self.folder, "routes.yaml", f"- '@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
                                         f"  name: shop\n  virtual_hosts: []\n")
        swap(self.folder, "clusters.yaml", without)
        self.settled(envoy, lambda active: active["clusters"] == {"web", "catalog-v1"}
                     and "virtual_hosts" not in active["routes"]["shop"])

    def test_it_follows_the_files(self):
        self.follow("GRPC")

    def test_it_follows_the_files_in_delta(self):
        self.follow("DELTA_GRPC")

    def test_it_follows_a_swapped_link(self):
        files = {}
        for name in os.listdir(EXAMPLE):
            with open(os.path.join(EXAMPLE, name), encoding="utf-8") as stream:
                files[name] = stream.read()
                for old, new in PORTS:
                    files[name] = files[name].replace(old, new)
        link_folder(self.folder, "1", files)
        server = self.enterContext(Serve(self.folder))
        envoy = self.envoy(server)
        self.settled(envoy, self.whole)
        files["routes.yaml"] = files["routes.yaml"].replace('"ok\\n"', '"swapped\\n"')
        link_folder(self.folder, "2", files)
        envoy.poll(lambda: self.health(envoy) == "swapped\n")
        self.settled(envoy, self.whole)


class EnvoyShowsACertificate(EnvoyCase):
    """The same over TLS on both sides: with a certificate it is let in, without one it gets nothing."""

    def setUp(self):
        super().setUp()
        self.pem = self.enterContext(tempfile.TemporaryDirectory())
        authority(self.pem, "ca")
        certificate(self.pem, "server", "ca", "DNS:localhost,IP:127.0.0.1")
        certificate(self.pem, "client", "ca", "DNS:client.example.com")

    def file(self, name):
        return os.path.join(self.pem, name)

    def envoy_with(self, server, api_type, certificates):
        settings = bootstrap(server.address, api_type, True)
        trusted = {"trusted_ca": {"filename": self.file("ca.crt")}}
        settings["static_resources"]["clusters"][0]["transport_socket"] = {
            "name": "tls", "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                "sni": "localhost",
                "common_tls_context": {"tls_certificates": certificates, "validation_context": trusted}}}
        own = self.enterContext(tempfile.TemporaryDirectory())
        write(own, "bootstrap.json", settings)
        return self.enterContext(Envoy(os.path.join(own, "bootstrap.json"), own))

    def test_all_is_active(self):
        self.example()
        server = self.enterContext(Serve(self.folder, "--tls-cert", self.file("server.crt"), "--tls-key",
                                         self.file("server.key"), "--client-ca", self.file("ca.crt")))
        known = [{"certificate_chain": {"filename": self.file("client.crt")},
                  "private_key": {"filename": self.file("client.key")}}]
        for api_type in ("GRPC", "DELTA_GRPC"):
            with self.subTest(api_type=api_type):
                self.settled(self.envoy_with(server, api_type, known), self.whole)
        stranger = self.envoy_with(server, "GRPC", [])
        stranger.poll(lambda: stranger.stats("^cluster.xds.upstream_cx_destroy_remote")
                      .get("cluster.xds.upstream_cx_destroy_remote"))  # sent away
        self.assertEqual(state(stranger)[0]["clusters"], set())


class EnvoyRefuses(EnvoyCase):
    """What Envoy says stands beside the line that it is about."""

    def test_a_cluster_is_named(self):
        bad = {"typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions"}}}
        write(self.folder, "cds.yaml", "".join(f"- {json.dumps(one)}\n" for one in [cluster("a"), cluster("b", **bad)]))
        server = self.enterContext(Serve(self.folder))
        self.envoy(server)
        server.hear("envoy-1 refuses cds:", "b: ", "upstream_protocol_options")
        self.assertEqual(server.hear(": cds:b"), f"  {self.folder}/cds.yaml:2: cds:b")
        line = server.lines[server.lines.index(server.hear(": cds:b")) + 1]
        self.assertRegex(line, r"^  .*/cds\.yaml:2:\d+: error: Cluster \"b\": .* \[pgv\.oneof\.required\]$")

    def test_a_cluster_is_named_by_what_envoy_prints_of_it(self):
        bad = cluster("b", least_request_lb_config={"choice_count": 1})
        write(self.folder, "cds.yaml", "".join(f"- {json.dumps(one)}\n" for one in [cluster("a"), bad]))
        server = self.enterContext(Serve(self.folder))
        self.envoy(server)
        server.hear("envoy-1 refuses cds:", "Proto constraint validation failed", "ChoiceCount")
        place = server.hear(": cds:b")
        self.assertIn("choice_count must be at least 2", server.hear("  ", after=server.lines.index(place) + 1))


class EnvoyExpires(Case):
    """What has a time to live of a second lives as long as the server does."""

    def live_and_die(self, api_type):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        write(folder, "all.json", [mortal("1s", cluster("brief")), cluster("lasting"), mortal("1s", runtime("rt", brief=7))])
        server = self.enterContext(Serve(folder))
        settings = bootstrap(server.address, api_type, True)
        settings["node"]["client_features"] = ["xds.config.resource-in-sotw", "xds.config.supports-resource-ttl"]
        ads = {"ads": {}, "resource_api_version": "V3"}
        settings["layered_runtime"] = {"layers": [{"name": "rt", "rtds_layer": {"name": "rt", "rtds_config": ads}}]}
        own = self.enterContext(tempfile.TemporaryDirectory())
        write(own, "bootstrap.json", settings)
        envoy = self.enterContext(Envoy(os.path.join(own, "bootstrap.json"), own))

        def clusters():
            return {line.split("::")[0] for line in envoy.get("/clusters").splitlines()} & {"brief", "lasting"}

        def has_layer():
            return '"brief"' in envoy.get("/runtime")

        envoy.poll(lambda: clusters() == {"brief", "lasting"} and has_layer())
        for short in ["cds", "rtds"]:
            for _ in range(4):  # two seconds
                server.hear(f"<- {short}", "heartbeat", after=server.mark())
        self.assertEqual((clusters(), has_layer()), ({"brief", "lasting"}, True))
        self.assertEqual(envoy.stats("^cluster_manager.cluster_removed$"), {"cluster_manager.cluster_removed": 0})
        self.assertEqual({name: value for name, value in envoy.stats("update_rejected").items() if value}, {}, envoy.said())
        self.assertFalse([line for line in server.lines if "refuses" in line])

        server.process.kill()
        envoy.poll(lambda: clusters() == {"lasting"} and not has_layer())

    def test_in_delta(self):
        self.live_and_die("DELTA_GRPC")

    def test_in_sotw(self):
        self.live_and_die("GRPC")


if __name__ == "__main__":
    unittest.main()
