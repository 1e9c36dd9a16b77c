"""The checker of a client's requests: what it must find, and what it must not."""

import types
import unittest

import api
import client_rules
from driven_server import clusters, endpoints

CDS, EDS = api.url("cds"), api.url("eds")
NODE = {"node": {"id": "n"}}
ERROR = {"error_detail": {"code": 13, "message": "no"}}


def request(type_url, version="", nonce="", names=(), **fields):
    return api.message("envoy.service.discovery.v3.DiscoveryRequest",
                       {"type_url": type_url, "version_info": version, "response_nonce": nonce,
                        "resource_names": list(names), **fields})


def delta(type_url, nonce="", add=(), drop=(), held=None, **fields):
    return api.message("envoy.service.discovery.v3.DeltaDiscoveryRequest",
                       {"type_url": type_url, "response_nonce": nonce, "resource_names_subscribe": list(add),
                        "resource_names_unsubscribe": list(drop), "initial_resource_versions": held or {}, **fields})


def entries(nonce, *pairs):
    return api.delta_response(CDS, [api.wrapper(name, api.resource("cds", {"name": name}), version)
                                    for name, version in pairs], nonce=nonce)


class Rules(unittest.TestCase):
    def rules(self, *logs, method=api.ADS, apart=100):
        streams = [types.SimpleNamespace(method=method, log=log, began=apart * number)
                   for number, log in enumerate(logs)]
        return [finding.rule for finding in client_rules.check(streams)]

    def delta_rules(self, *logs):
        return self.rules(*logs, method=api.DELTA_ADS)

    def test_a_clean_client_has_no_findings(self):
        self.assertEqual(self.rules([
            request(CDS, **NODE), clusters(1, "a"), request(CDS, "1", "n1"),
            request(EDS, names=["a"]), endpoints(1, "a"), request(EDS, "1", "e1", ["a"]),
            request(EDS, "1", "e1", ["a", "b"]), endpoints(2, "b", "b"), request(EDS, "1", "e2", ["a", "b"], **ERROR)],
            [request(CDS, "1", **NODE), request(EDS, "1", names=["a", "b"])]), [])
        self.assertEqual(self.delta_rules([
            delta(CDS, **NODE), entries("1", ("a", "7")), delta(CDS, "1"), delta(CDS, add=["b"]),
            delta(CDS, drop=["b"])],
            [delta(CDS, held={"a": "7"}, **NODE)]), [])

    def test_the_node(self):
        self.assertEqual(self.rules([request(CDS)]), ["XDS-C001"])
        self.assertEqual(self.rules([request(CDS, **NODE), request(EDS, names=["a"], node={"id": "m"})]), ["XDS-C002"])

    def test_the_type(self):
        self.assertEqual(self.rules([request("", **NODE)]), ["XDS-C003"])
        self.assertEqual(self.rules([request(EDS, names=["a"], **NODE)], method=api.method("cds", "stream")),
                         ["XDS-C004"])
        self.assertEqual(self.rules([request(api.url("vhds"), **NODE)]), ["XDS-C033"])

    def test_nonces(self):
        first, sent = request(CDS, **NODE), clusters(1, "a")
        self.assertEqual(self.rules([first, sent, request(CDS, "1", "n1")],
                                    [request(CDS, "1", "n1", **NODE)]), ["XDS-C006"])
        self.assertEqual(self.rules([first, sent, request(CDS, "1", "other"), request(CDS, "1", "n1")]), ["XDS-C005"])
        self.assertEqual(self.rules([first, sent, request(CDS, "1", "n1"), request(CDS, "1", "")]), ["XDS-C007"])
        self.assertEqual(self.rules([first, sent, clusters(2, "a"), request(CDS, "1", "n1"), request(CDS, "2", "n2")]),
                         ["XDS-C008"])
        self.assertEqual(self.rules([first, sent]), ["XDS-C009"])
        self.assertEqual(self.delta_rules([delta(CDS, **NODE), entries("1"), delta(CDS, "1"), delta(CDS, "1")]),
                         ["XDS-C015"])
        self.assertEqual(self.delta_rules([delta(CDS, **NODE), delta(EDS, add=["a"]), entries("1"), delta(CDS, "1"),
                                           delta(EDS, "1")]), ["XDS-C042"])

    def test_versions(self):
        first, sent = request(CDS, **NODE), clusters(1, "a")
        self.assertEqual(self.rules([first, sent, request(CDS, "", "n1")]), ["XDS-C010"])
        self.assertEqual(self.rules([first, sent, request(CDS, "1", "n1", **ERROR)]), ["XDS-C011"])
        self.assertEqual(self.rules([first, sent, request(CDS, "1", "n1")], [request(CDS, "", **NODE)]), ["XDS-C030"])

    def test_refusals(self):
        first, sent = request(CDS, **NODE), clusters(1, "a")
        self.assertEqual(self.rules([first, sent, request(CDS, "", "n1", error_detail={"code": 13})]), ["XDS-C012"])
        self.assertEqual(self.rules([first, request(CDS, **ERROR)]), ["XDS-C013"])

    def test_names(self):
        self.assertEqual(self.rules([request(EDS, names=["a", "a"], **NODE)]), ["XDS-C022"])
        self.assertEqual(self.rules([request(EDS, **NODE)]), ["XDS-C023"])
        self.assertEqual(self.rules([request(EDS, names=["*"], **NODE)]), ["XDS-C024"])
        self.assertEqual(self.rules([request(EDS, names=["a"], **NODE)], [request(EDS, names=["b"], **NODE)]),
                         ["XDS-C019"])
        self.assertEqual(self.rules([request(CDS, **NODE), request(CDS), request(CDS, names=["a"])]),
                         ["XDS-C014", "XDS-C039"])

    def test_delta_alone(self):
        first = delta(CDS, **NODE)
        self.assertEqual(self.delta_rules([first, entries("1", ("a", "1")), delta(CDS, "1", held={"a": "1"})]),
                         ["XDS-C016"])
        self.assertEqual(self.delta_rules([delta(CDS, held={"a": "1"}, **NODE)]), ["XDS-C017", "XDS-C018"])
        self.assertEqual(self.delta_rules([delta(CDS, add=["a"], drop=["a"], **NODE)]), ["XDS-C020", "XDS-C021"])

    def test_storms(self):
        self.assertEqual(self.rules(*[[request(CDS, **NODE)]] * 11, apart=0.5), ["XDS-C028"])
        self.assertEqual(self.rules(*[[request(CDS, **NODE)]] * 11, apart=1), [])


if __name__ == "__main__":
    unittest.main()
