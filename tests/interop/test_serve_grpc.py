"""gRPC's own xDS client (grpcio, xds:///NAME) makes calls through a configuration from `xdscope serve`."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import unittest

import grpc

import api
from harness import Case
from served import Client, Serve, endpoints, mortal, swap, write
from test_tls import authority, certificate

CALLER = """
import sys, grpc
call = grpc.insecure_channel("xds:///shop").unary_unary("/test.Echo/Say")
print("ready", flush=True)
for line in sys.stdin:
    try:
        print(call(line.strip().encode(), timeout=10, wait_for_ready=True).decode(), flush=True)
    except grpc.RpcError as error:
        print("failed", error.code().name, error.details(), flush=True)
"""


class Backend(grpc.GenericRpcHandler):
    """A server that answers with its own name."""

    def __init__(self, name):
        self.name = name
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(4), handlers=[self])
        self.port = self._server.add_insecure_port("127.0.0.1:0")

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self._server.stop(None).wait()

    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda request, _: f"{self.name} {request.decode()}".encode())


class Caller:
    """A process with gRPC's xDS client in it: the bootstrap is read once per process."""

    def __init__(self, bootstrap):
        self.bootstrap = bootstrap

    def __enter__(self):
        environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        self.process = subprocess.Popen([sys.executable, "-c", CALLER], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**environment, "GRPC_XDS_BOOTSTRAP": self.bootstrap})
        assert self.process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


def configuration(port):
    """File name -> resources: a listener of gRPC's kind, its route by RDS, a cluster and its endpoints by EDS."""
    ads = {"ads": {}, "resource_api_version": "V3"}
    manager = {
        "@type": api.PREFIX + "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "rds": {"route_config_name": "shop-routes", "config_source": ads},
        "http_filters": [{"name": "router", "typed_config": {
            "@type": api.PREFIX + "envoy.extensions.filters.http.router.v3.Router"}}]}
    route = {"match": {"prefix": ""}, "route": {"cluster": "echo"}}
    return {
        "lds.json": [{"@type": api.url("lds"), "name": "shop", "api_listener": {"api_listener": manager}}],
        "rds.json": [{"@type": api.url("rds"), "name": "shop-routes",
                      "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]}],
        "cds.json": [{"@type": api.url("cds"), "name": "echo", "type": "EDS", "lb_policy": "ROUND_ROBIN",
                      "eds_cluster_config": {"eds_config": ads, "service_name": "echo-endpoints"}}],
        "eds.json": [locality(port)],
    }


def locality(port):
    """gRPC demands a locality with a weight."""
    found = endpoints("echo-endpoints", port)
    found["endpoints"][0].update({"locality": {"region": "r"}, "load_balancing_weight": 1})
    return found


class Grpc(Case):
    def caller(self, address, credentials=None):
        bootstrap = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "bootstrap.json")
        with open(bootstrap, "w", encoding="utf-8") as out:
            json.dump({"xds_servers": [{"server_uri": address, "channel_creds": [credentials or {"type": "insecure"}],
                                        "server_features": ["xds_v3"]}], "node": {"id": "grpc-1"}}, out)
        return self.enterContext(Caller(bootstrap))

    def test_a_call_goes_through_and_follows_a_change_of_endpoint(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        one, two = self.enterContext(Backend("one")), self.enterContext(Backend("two"))
        for name, resources in configuration(one.port).items():
            write(folder, name, resources)
        server = self.enterContext(Serve(folder))
        caller = self.caller(server.address)
        self.assertEqual(caller.say("hello"), "one hello")
        self.assertFalse([line for line in server.lines if "refuses" in line], server.lines)

        changed_at = server.mark()
        swap(folder, "eds.json", [locality(two.port)])
        server.hear("-> eds ack", after=changed_at)
        answers = []
        for _ in range(200):  # it connects to the new endpoint first, and uses the old one until then
            answers.append(caller.say("again"))
            if answers[-1] == "two again":
                break
        self.assertEqual(answers[-1], "two again", server.lines[-20:])

    def test_it_shows_a_certificate_and_is_let_in(self):
        folder, pem = (self.enterContext(tempfile.TemporaryDirectory()) for _ in range(2))
        authority(pem, "ca")
        certificate(pem, "server", "ca", "DNS:localhost,IP:127.0.0.1")
        certificate(pem, "client", "ca", "DNS:client.example.com")
        backend = self.enterContext(Backend("one"))
        for name, resources in configuration(backend.port).items():
            write(folder, name, resources)
        at = {name: os.path.join(pem, name) for name in os.listdir(pem)}
        server = self.enterContext(Serve(folder, "--tls-cert", at["server.crt"], "--tls-key", at["server.key"],
                                         "--client-ca", at["ca.crt"]))
        tls = {"ca_certificate_file": at["ca.crt"], "certificate_file": at["client.crt"],
               "private_key_file": at["client.key"]}
        address = "localhost:" + server.address.rsplit(":", 1)[1]
        self.assertEqual(self.caller(address, {"type": "tls", "config": tls}).say("hello"), "one hello")
        self.assertFalse([line for line in server.lines if "refuses" in line], server.lines)
        stranger = self.caller(address, {"type": "tls", "config": {"ca_certificate_file": at["ca.crt"]}})
        self.assertTrue(stranger.say("hello").startswith("failed "), server.lines)

    def test_times_to_live_are_not_for_it(self):
        """It announces none, so it gets neither a wrapper with one nor a heartbeat, which it would refuse."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        backend = self.enterContext(Backend("one"))
        for name, resources in configuration(backend.port).items():
            write(folder, name, [mortal("0.4s", resource) for resource in resources])
        server = self.enterContext(Serve(folder))
        caller = self.caller(server.address)
        self.assertEqual(caller.say("hello"), "one hello")
        with Client(server.address, api.DELTA_ADS) as clock:
            clock.send(type_url=api.url("eds"), resource_names_subscribe=["echo-endpoints"])
            for _ in range(5):  # for longer than a time to live
                clock.ack(clock.receive())
        self.assertEqual(caller.say("again"), "one again")
        self.assertFalse([line for line in server.lines if "refuses" in line], server.lines)
        self.assertFalse([line for line in server.lines if line.startswith("#1 ") and "heartbeat" in line], server.lines)


if __name__ == "__main__":
    unittest.main()
