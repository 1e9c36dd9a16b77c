"""What xdscope writes is taken by Envoy itself: single responses as they are."""

import json
import os
import subprocess
import tempfile
import time
import unittest
import urllib.request

import api
from harness import Case, program, run
from scripted_server import ScriptedServer, answers, answers_delta
from test_follow import ADS_SOURCE, hcm, sds, socket, typed

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
        self.address = self.poll(lambda: open(address, encoding="utf-8").read())
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
    """A listener that needs routes, a filter, a secret, a cluster and its endpoints."""
    cert, key = certificate(folder)
    address = {"socket_address": {"address": "127.0.0.1", "port_value": 10000}}
    tls = typed("envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
                common_tls_context={"tls_certificate_sds_secret_configs": [sds("cert")]})
    filters = [{"name": "lua", "config_discovery": {"config_source": ADS_SOURCE, "type_urls": [LUA["@type"]]}}, ROUTER]
    route = {"match": {"prefix": "/"}, "route": {"cluster": "c"}}
    return {api.url(short): {name: api.resource(short, fields) for name, fields in resources.items()}
            for short, resources in {
                "lds": {"l": {"name": "l", "address": address, "bind_to_port": False, "filter_chains": [{
                    "transport_socket": socket(tls),
                    "filters": [hcm(rds={"route_config_name": "r", "config_source": ADS_SOURCE}, http_filters=filters)]}]}},
                "rds": {"r": {"name": "r", "virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [route]}]}},
                "cds": {"c": {"name": "c", "type": "EDS", "eds_cluster_config": {"eds_config": ADS_SOURCE,
                                                                                  "service_name": "s/1"}}},
                "eds": {"s/1": {"cluster_name": "s/1", "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}}]}]}},
                "sds": {"cert": {"name": "cert", "tls_certificate": {"certificate_chain": {"inline_string": cert},
                                                                      "private_key": {"inline_string": key}}}},
                "ecds": {"lua": {"name": "lua", "typed_config": LUA}},
            }.items()}


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



if __name__ == "__main__":
    unittest.main()
