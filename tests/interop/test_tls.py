"""TLS and mTLS, and every way to get them wrong."""

import os
import subprocess
import tempfile
import unittest

import raw_peers
from harness import NODE, Case, GcpServer, program, run


def openssl(folder, *args):
    subprocess.run([program("XDSCOPE_OPENSSL"), *args], cwd=folder, check=True, capture_output=True)


def authority(folder, name):
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt")


def certificate(folder, name, signer, names):
    with open(os.path.join(folder, f"{name}.ext"), "w", encoding="utf-8") as out:
        out.write(f"subjectAltName={names}\n")
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{signer}.crt", "-CAkey", f"{signer}.key",
            "-CAcreateserial", "-days", "2", "-extfile", f"{name}.ext", "-out", f"{name}.crt")


class Tls(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        authority(cls.folder, "ca")
        authority(cls.folder, "stranger")
        certificate(cls.folder, "server", "ca", "DNS:localhost,IP:127.0.0.1")
        certificate(cls.folder, "elsewhere", "ca", "DNS:xds.example.com")
        certificate(cls.folder, "client", "ca", "DNS:client.example.com")
        certificate(cls.folder, "impostor", "stranger", "DNS:client.example.com")
        cls.plain = cls.enterClassContext(GcpServer())
        cls.tls = cls.enterClassContext(GcpServer("-tls-cert", cls.file("server.crt"), "-tls-key", cls.file("server.key")))
        cls.mtls = cls.enterClassContext(GcpServer("-tls-cert", cls.file("server.crt"), "-tls-key", cls.file("server.key"),
                                                   "-client-ca", cls.file("ca.crt")))
        cls.other = cls.enterClassContext(GcpServer("-tls-cert", cls.file("elsewhere.crt"), "-tls-key",
                                                    cls.file("elsewhere.key")))

    @classmethod
    def file(cls, name):
        return os.path.join(cls.folder, name)

    def fetch(self, server, *flags):
        address = server if isinstance(server, str) else server.address
        return run("fetch", address, "cds", "--node-id", NODE, "-o", "name", *flags)

    def test_tls_with_the_servers_authority(self):
        result = self.check(self.fetch(self.tls, "--cacert", self.file("ca.crt")), 0)
        self.assertIn("cds:api", result.out.splitlines())

    def test_grpcs_and_localhost(self):
        port = self.tls.address.rsplit(":", 1)[1]
        for target in [f"grpcs://127.0.0.1:{port}", f"localhost:{port}"]:
            with self.subTest(target=target):
                self.check(self.fetch(target, "--cacert", self.file("ca.crt")), 0)

    def test_insecure_skips_the_verification(self):
        self.check(self.fetch(self.tls, "--insecure"), 0)

    def test_an_unknown_authority_is_refused(self):
        self.failed(self.fetch(self.tls, "--cacert", self.file("stranger.crt")), 3, "certificate", hint="", within=3)
        self.failed(self.fetch(self.tls, "--tls"), 3, "certificate", hint="", within=3)

    def test_a_certificate_for_another_name_needs_authority(self):
        self.failed(self.fetch(self.other, "--cacert", self.file("ca.crt")), 3, "certificate", hint="", within=3)
        self.check(self.fetch(self.other, "--cacert", self.file("ca.crt"), "--authority", "xds.example.com"), 0)

    def test_mtls_with_a_client_certificate(self):
        self.check(self.fetch(self.mtls, "--cacert", self.file("ca.crt"), "--cert", self.file("client.crt"), "--key",
                              self.file("client.key")), 0)

    def test_mtls_without_one_or_with_a_strangers_is_refused(self):
        self.failed(self.fetch(self.mtls, "--cacert", self.file("ca.crt")), 3, "certificate", hint="", within=3)
        self.failed(self.fetch(self.mtls, "--cacert", self.file("ca.crt"), "--cert", self.file("impostor.crt"), "--key",
                               self.file("impostor.key")), 3, hint="", within=3)

    def test_a_plaintext_client_at_a_tls_port_gets_the_hint(self):
        self.failed(self.fetch(self.tls), 3, self.tls.address, hint="--tls", within=3)
        self.failed(self.fetch(self.mtls), 3, self.mtls.address, hint="--tls", within=3)

    def test_a_tls_client_at_a_plaintext_port_gets_the_hint(self):
        self.failed(self.fetch(self.plain, "--tls"), 3, self.plain.address, hint="--plaintext", within=3)
        self.failed(self.fetch(self.plain, "--cacert", self.file("ca.crt")), 3, hint="--plaintext", within=3)

    def test_a_tls_server_without_http2(self):
        context = raw_peers.tls_http1_context(self.file("server.crt"), self.file("server.key"))
        with raw_peers.listener(raw_peers.http1, context) as address:
            self.failed(self.fetch(address, "--cacert", self.file("ca.crt")), 3, address, hint="", within=5)

    def test_files_that_cannot_be_used_are_usage_errors(self):
        self.failed(self.fetch(self.tls, "--cacert", "/nowhere/ca.crt"), 2, "/nowhere/ca.crt", hint="")
        self.failed(self.fetch(self.tls, "--cacert", self.file("ca.crt"), "--cert", self.file("client.crt")), 2, "key", hint="")
        self.failed(self.fetch(self.tls, "--cacert", self.file("client.key")), 2, "client.key", hint="")

    def test_plaintext_and_tls_flags_contradict(self):
        self.failed(self.fetch(self.tls, "--plaintext", "--tls"), 2, "--plaintext", hint="")
        self.failed(self.fetch(self.tls, "--plaintext", "--cacert", self.file("ca.crt")), 2, "--plaintext", hint="")


if __name__ == "__main__":
    unittest.main()
