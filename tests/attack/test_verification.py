"""A bootstrap that demands verification: nothing is sent to a server that was not verified as it asks, the token least
of all. Each verdict on a certificate is Envoy's own, which is asked too."""

import base64
import hashlib
import json
import os
import subprocess
import tempfile
import unittest

os.environ["GRPC_VERBOSITY"] = "NONE"  # the server's library writes a line for every client that goes

import grpc  # noqa: E402

import bounded  # noqa: E402
from bounded import Attack  # noqa: E402
from harness import program  # noqa: E402

import api  # noqa: E402
from scripted_server import ScriptedServer, answers  # noqa: E402
from test_envoy import Envoy  # noqa: E402
from test_tls import authority, certificate  # noqa: E402

TLS = "envoy.extensions.transport_sockets.tls.v3."
TOKEN = "Bearer t0p-s3cret"
TABLE = {api.url("cds"): {"a": api.resource("cds", {"name": "a"})}}


class Plane:
    """A control plane over TLS that takes down every token it is shown."""

    def __init__(self, folder, name, client_ca=None):
        self.tokens = []
        key, chain = [open_bytes(os.path.join(folder, f"{name}.{part}")) for part in ["key", "crt"]]
        clients = client_ca and open_bytes(os.path.join(folder, f"{client_ca}.crt"))
        credentials = grpc.ssl_server_credentials([(key, chain)], clients, require_client_auth=bool(clients))
        self.server = ScriptedServer({api.ADS: self.script}, credentials=credentials)
        self.address = self.server.address

    def script(self, call):
        self.tokens.append(call.metadata.get("authorization"))
        yield from answers(TABLE)(call)

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)


def open_bytes(path):
    with open(path, "rb") as stream:
        return stream.read()


def exact(kind, name):
    return {"san_type": kind, "matcher": {"exact": name}}


class Verification(Attack):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        authority(cls.folder, "ca")
        authority(cls.folder, "stranger")
        certificate(cls.folder, "server", "ca", "DNS:xds.example.com,DNS:*.wild.example.com,URI:spiffe://mesh/ns/plane,"
                                                "IP:10.9.8.7,email:plane@example.com")
        certificate(cls.folder, "client", "ca", "DNS:client.example.com")
        cls.plane = cls.enterClassContext(Plane(cls.folder, "server"))

    def setUp(self):
        self.plane.tokens.clear()

    @classmethod
    def file(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def hashes(cls):
        """The SHA-256 of the server's certificate in hexadecimal digits, and of its public key in base64."""
        def openssl(*args, given=None):
            return subprocess.run([program("XDSCOPE_OPENSSL"), *args], cwd=cls.folder, input=given, check=True,
                                  capture_output=True).stdout
        whole = hashlib.sha256(openssl("x509", "-in", "server.crt", "-outform", "DER")).hexdigest()
        key = openssl("pkey", "-pubin", "-outform", "DER", given=openssl("x509", "-in", "server.crt", "-noout", "-pubkey"))
        return whole, base64.b64encode(hashlib.sha256(key).digest()).decode()

    def write(self, name, content):
        with open(self.file(name), "w", encoding="utf-8") as out:
            out.write(content if isinstance(content, str) else json.dumps(content, indent=1))
        return self.file(name)

    def bootstrap(self, common=None, cluster=None, address=None, **upstream):
        host, port = (address or self.plane.address).rsplit(":", 1)
        endpoint = {"endpoint": {"address": {"socket_address": {"address": host, "port_value": int(port)}}}}
        context = {"@type": api.PREFIX + TLS + "UpstreamTlsContext", "common_tls_context": common or {}, **upstream}
        return self.write("bootstrap.json", {
            "node": {"id": "n", "cluster": "c"},
            "dynamic_resources": {
                "ads_config": {"api_type": "GRPC", "transport_api_version": "V3", "grpc_services": [{
                    "envoy_grpc": {"cluster_name": "xds"},
                    "initial_metadata": [{"key": "authorization", "value": TOKEN}]}]},
                "cds_config": {"ads": {}, "resource_api_version": "V3"}},
            "static_resources": {"clusters": [{
                "name": "xds", "type": "STATIC", "connect_timeout": "1s",
                "transport_socket": {"name": "tls", "typed_config": context},
                "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                    "@type": api.PREFIX + "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                    "explicit_http_config": {"http2_protocol_options": {}}}},
                "load_assignment": {"cluster_name": "xds", "endpoints": [{"lb_endpoints": [endpoint]}]},
                **(cluster or {})}]}})

    def validation(self, context, **upstream):
        return self.bootstrap({"validation_context": context}, **upstream)

    def sds(self, name, secret):
        path = self.write(name, {"resources": [{"@type": api.PREFIX + TLS + "Secret", **secret}]})
        return {"path_config_source": {"path": path}, "resource_api_version": "V3"}

    def fetch(self, bootstrap, *flags):
        return bounded.run("fetch", "--bootstrap", bootstrap, "cds", "-o", "name", "--connect-timeout", "5", *flags)

    def taken(self, bootstrap, *flags):
        """The server is taken for the right one, and shown the token."""
        result = self.survives(self.fetch(bootstrap, *flags), 0)
        self.assertEqual(result.out, b"cds:a\n", str(result))
        self.assertEqual(self.plane.tokens, [TOKEN], str(result))
        self.plane.tokens.clear()
        return result

    def refused(self, code, bootstrap, *flags):
        """The server is not shown the token."""
        result = self.survives(self.fetch(bootstrap, *flags), code)
        self.assertEqual(self.plane.tokens, [], str(result))
        self.assertNotIn(TOKEN.encode(), result.out + result.err)
        return result

    @property
    def ca(self):
        return {"trusted_ca": {"filename": self.file("ca.crt")}}

    def demands_that_cannot_be_met(self):
        ca = self.ca
        yield "provider", self.validation({"ca_certificate_provider_instance": {"instance_name": "x"}})
        yield "validator", self.validation({"custom_validator_config": {"name": "envoy.tls.cert_validator.spiffe"}})
        yield "validator beside a CA", self.validation({**ca, "custom_validator_config": {"name": "x"}})
        yield "empty CA", self.validation({"trusted_ca": {"inline_string": ""}})
        yield "no source", self.validation({"trusted_ca": {}})
        yield "empty file", self.validation({"trusted_ca": {"filename": self.write("empty.pem", "")}})
        yield "no file", self.validation({"trusted_ca": {"filename": "/nowhere.pem"}})
        yield "CRL", self.validation({**ca, "crl": {"filename": self.file("ca.crt")}})
        yield "depth", self.validation({**ca, "max_verify_depth": 1})
        yield "other name", self.validation({**ca, "match_typed_subject_alt_names": [
            {"san_type": "OTHER_NAME", "oid": "1.2.3", "matcher": {"exact": "x"}}]})
        yield "names without a CA", self.validation({"match_typed_subject_alt_names": [exact("DNS", "xds.example.com")]})
        yield "hash that is none", self.validation({"verify_certificate_hash": ["abc"]})
        yield "SPKI that is none", self.validation({"verify_certificate_spki": ["abc"]})
        yield "SDS over gRPC", self.bootstrap({"validation_context_sds_secret_config": {
            "name": "s", "sds_config": {"ads": {}, "resource_api_version": "V3"}}})
        yield "SDS over gRPC and a default", self.bootstrap({"combined_validation_context": {
            "default_validation_context": {"match_typed_subject_alt_names": [exact("DNS", "xds.example.com")]},
            "validation_context_sds_secret_config": {"name": "s", "sds_config": {"ads": {}}}}})
        yield "SDS by a name alone", self.bootstrap({"validation_context_sds_secret_config": {"name": "s"}})
        yield "SDS file that is not there", self.bootstrap({"validation_context_sds_secret_config": {
            "name": "s", "sds_config": {"path_config_source": {"path": "/nowhere.yaml"}}}})
        yield "SDS file with another secret", self.bootstrap({"validation_context_sds_secret_config": {
            "name": "s", "sds_config": self.sds("other.json", {"name": "other", "validation_context": ca})}})
        yield "provider of the context", self.bootstrap({"validation_context_certificate_provider_instance": {
            "instance_name": "x"}})
        yield "handshaker", self.bootstrap({"validation_context": ca, "custom_handshaker": {"name": "x"}})
        yield "TLS 1.3", self.bootstrap({"validation_context": ca, "tls_params": {
            "tls_minimum_protocol_version": "TLSv1_3"}})
        yield "FIPS", self.bootstrap({"validation_context": ca, "tls_params": {"compliance_policies": ["FIPS_202205"]}})
        yield "unknown", self.bootstrap({"validation_contexts": ca})
        yield "matches", self.bootstrap(cluster={"transport_socket_matches": [{"name": "m", "match": {}}]})
        yield "name of the request", self.bootstrap({"validation_context": ca}, {"upstream_http_protocol_options": {
            "auto_san_validation": True}})

    def test_what_cannot_be_met_is_a_usage_error_with_its_place_and_the_way_out(self):
        for name, path in self.demands_that_cannot_be_met():
            with self.subTest(name):
                result = self.refused(2, path)
                self.assertEqual(len(result.errors), 1, str(result))
                self.assertRegex(result.errors[0], r"^xdscope: /\S+:\d+: \S+", str(result))
                self.assertIn("--cacert", result.errors[0])
                self.assertIn("--insecure", result.errors[0])
                self.taken(path, "--insecure")
                # The authority that a person names does not void the name of the server.
                self.refused(3, path, "--cacert", self.file("ca.crt"), "--authority", "elsewhere.example.com")
                self.refused(3, path, "--cacert", self.file("stranger.crt"), "--authority", "xds.example.com")

    def test_the_authority_that_a_person_names_is_a_way_out(self):
        for name, path in self.demands_that_cannot_be_met():
            with self.subTest(name):
                self.taken(path, "--cacert", self.file("ca.crt"), "--authority", "xds.example.com")

    def verdicts(self):
        """What Envoy can be asked: a name, its bootstrap, and whether the server is the right one."""
        whole, key = self.hashes()
        ca, stranger = self.ca, {"trusted_ca": {"filename": self.file("stranger.crt")}}
        yield "nothing", self.bootstrap(), True
        yield "the authority", self.validation(ca), True
        yield "TLS 1.2", self.bootstrap({"validation_context": ca, "tls_params": {
            "tls_minimum_protocol_version": "TLSv1_2"}}), True
        yield "another authority", self.validation(stranger), False
        yield "another authority, untrusted is fine", self.validation(
            {**stranger, "trust_chain_verification": "ACCEPT_UNTRUSTED"}), True
        yield "an SNI that is no name of it", self.validation(ca, sni="elsewhere.example.com"), True
        yield "an SNI that must be", self.validation(ca, sni="elsewhere.example.com", auto_sni_san_validation=True), False
        yield "an SNI that must be and is", self.validation(ca, sni="xds.example.com", auto_sni_san_validation=True), True
        for kind, good, bad in [("DNS", "XDS.example.com", "example.com"), ("DNS", "a.wild.example.com", "a.b.wild.example.com"),
                                ("URI", "spiffe://mesh/ns/plane", "spiffe://mesh/ns/Plane"), ("IP_ADDRESS", "10.9.8.7", "127.0.0.1"),
                                ("EMAIL", "plane@example.com", "xds.example.com")]:
            yield f"{kind} {good}", self.validation({**ca, "match_typed_subject_alt_names": [exact(kind, good)]}), True
            yield f"{kind} {bad}", self.validation({**ca, "match_typed_subject_alt_names": [exact(kind, bad)]}), False
        for matcher, right in [({"prefix": "spiffe://mesh/"}, True), ({"prefix": "SPIFFE://mesh/"}, False),
                               ({"prefix": "SPIFFE://mesh/", "ignore_case": True}, True), ({"suffix": "/plane"}, True),
                               ({"contains": "mesh"}, True), ({"contains": "mess"}, False),
                               ({"safe_regex": {"regex": "spiffe://[a-z]+/ns/.*"}}, True),
                               ({"safe_regex": {"regex": "spiffe://"}}, False)]:
            yield f"URI {matcher}", self.validation({**ca, "match_typed_subject_alt_names": [
                {"san_type": "URI", "matcher": matcher}]}), right
        yield "the older field", self.validation({**ca, "match_subject_alt_names": [{"exact": "10.9.8.7"}]}), True
        yield "the older field, another", self.validation({**ca, "match_subject_alt_names": [{"exact": "127.0.0.1"}]}), False
        yield "the hash", self.validation({"verify_certificate_hash": [whole]}), True
        yield "another hash", self.validation({"verify_certificate_hash": ["0" * 64]}), False
        yield "another hash, and the authority", self.validation({**ca, "verify_certificate_hash": ["0" * 64]}), False
        yield "the hash, another authority", self.validation({**stranger, "verify_certificate_hash": [whole]}), False
        yield "the SPKI", self.validation({"verify_certificate_spki": [key]}), True
        yield "another hash, the SPKI", self.validation(
            {"verify_certificate_hash": ["0" * 64], "verify_certificate_spki": [key]}), True
        yield "another SPKI", self.validation({"verify_certificate_spki": [base64.b64encode(b"0" * 32).decode()]}), False
        for named, right in [("xds.example.com", True), ("elsewhere.example.com", False)]:
            source = self.sds("ca.json", {"name": "s", "validation_context": {
                **ca, "match_typed_subject_alt_names": [exact("DNS", named)]}})
            yield f"SDS from a file, {named}", self.bootstrap({"validation_context_sds_secret_config": {
                "name": "s", "sds_config": source}}), right
            source = self.sds("ca.json", {"name": "s", "validation_context": ca})
            yield f"SDS from a file over a default, {named}", self.bootstrap({"combined_validation_context": {
                "default_validation_context": {"match_typed_subject_alt_names": [exact("DNS", named)]},
                "validation_context_sds_secret_config": {"name": "s", "sds_config": source}}}), right

    def test_what_can_be_met_is_checked(self):
        for name, path, right in self.verdicts():
            with self.subTest(name):
                if right:
                    self.taken(path)
                else:
                    result = self.refused(3, path)
                    self.assertRegex(result.errors[0], "the server's certificate is", str(result))

    def test_envoy_says_the_same(self):
        for name, path, right in self.verdicts():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder, Envoy(path, folder) as envoy:
                def ends():
                    counts = envoy.stats("^cluster.xds.(ssl.handshake|ssl.fail_.*|upstream_cx_connect_fail)$")
                    return [name for name, count in counts.items() if count]
                self.assertEqual("cluster.xds.ssl.handshake" in envoy.poll(ends), right, envoy.said())

    def test_our_own_certificate_comes_from_files_of_sds_too(self):
        own = self.sds("own.json", {"name": "own", "tls_certificate": {
            "certificate_chain": {"filename": self.file("client.crt")}, "private_key": {"filename": self.file("client.key")}}})
        trusted = self.sds("ca.json", {"name": "ca", "validation_context": self.ca})
        with Plane(self.folder, "server", client_ca="ca") as plane:
            path = self.bootstrap({"tls_certificate_sds_secret_configs": [{"name": "own", "sds_config": own}],
                                   "validation_context_sds_secret_config": {"name": "ca", "sds_config": trusted}},
                                  address=plane.address)
            self.survives(self.fetch(path), 0)
            self.assertEqual(plane.tokens, [TOKEN])
            result = self.survives(self.fetch(self.bootstrap({"validation_context": self.ca}, address=plane.address)), 3)
            self.assertIn("wants a client certificate", result.errors[0])
            self.assertEqual(plane.tokens, [TOKEN])

    def test_what_is_not_verified_is_a_note(self):
        self.assertIn(b"the server's certificate is not verified", self.taken(self.bootstrap()).err)
        self.assertIn(b"the name in the server's certificate is not verified", self.taken(self.validation(self.ca)).err)
        named = self.validation({**self.ca, "match_typed_subject_alt_names": [exact("DNS", "xds.example.com")]})
        self.assertEqual(self.taken(named).err, b"")
        self.assertNotIn(b"not verified", self.taken(self.bootstrap(), "--insecure").err)

    def test_a_target_or_an_authority_of_a_person_is_verified_by_its_name(self):
        path = self.validation(self.ca)
        self.refused(3, path, "--target", self.plane.address, "--tls")
        self.refused(3, path, "--authority", "elsewhere.example.com")
        self.taken(path, "--authority", "xds.example.com")
        self.taken(path, "--target", self.plane.address, "--tls", "--authority", "xds.example.com")
        self.refused(3, self.bootstrap(), "--insecure=false")

    def test_the_systems_roots_are_not_everybody(self):
        self.refused(3, self.validation({"system_root_certs": {}}))

    def test_grpcs_own_bootstrap_and_google_grpc(self):
        empty = self.write("empty.pem", "")
        own = self.write("grpc.json", {"xds_servers": [{"server_uri": self.plane.address, "channel_creds": [
            {"type": "tls", "config": {"ca_certificate_file": empty}}]}]})
        self.assertIn("empty", self.refused(2, own, "--client=envoy").errors[0])
        credentials = {"ssl_credentials": {"root_certs": {"filename": empty}}}
        google = self.write("google.json", {"dynamic_resources": {"ads_config": {"api_type": "GRPC", "grpc_services": [{
            "google_grpc": {"target_uri": self.plane.address, "stat_prefix": "x", "channel_credentials": credentials},
            "initial_metadata": [{"key": "authorization", "value": TOKEN}]}]}}})
        self.assertIn("empty", self.refused(2, google).errors[0])


if __name__ == "__main__":
    unittest.main()
