"""Files that flags name: none that is meant is left out, none of them costs the machine, and no secret in a flag comes
out again."""

import contextlib
import os
import tempfile
import unittest

import bounded
from bounded import Attack

FILES = ["--cacert", "--cert", "--key", "--bootstrap", "--node", "--schema"]
SERVED = ["--tls-cert", "--tls-key", "--client-ca", "--schema"]


class FlagFiles(Attack):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name, content=b""):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def commands(self):
        """Each command line with a flag that names a file, up to that file."""
        pem = self.path("x.pem", b"-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n")
        for flag in FILES:
            pair = {"--cert": ["--key", pem], "--key": ["--cert", pem]}.get(flag, [])
            yield flag, ["fetch", "127.0.0.1:1", "cds", *pair, flag]
        for flag in SERVED:
            pair = {"--tls-cert": ["--tls-key", pem], "--tls-key": ["--tls-cert", pem],
                    "--client-ca": ["--tls-cert", pem, "--tls-key", pem]}.get(flag, [])
            yield f"serve {flag}", ["serve", self.folder, "--listen", "127.0.0.1:0", *pair, flag]

    def usage_error(self, said, args, seconds=3, **kwargs):
        result = self.survives(bounded.run(*args, **kwargs), 2, seconds=seconds, peak_mb=100)
        self.assertEqual(len(result.errors), 1, str(result))
        self.assertIn(said, result.errors[0], str(result))
        return result

    def test_an_empty_value_is_no_file(self):
        for name, command in self.commands():
            flag = command[-1]
            for line in [[*command, ""], [*command[:-1], f"{flag}="]]:
                with self.subTest(name, line=line[-1]):
                    self.usage_error(f"{flag}: the value is empty", line, timeout=10)
        self.usage_error("--target: the value is empty", ["fetch", "cds", "--target", ""])

    def test_what_has_no_end_is_no_file(self):
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        for name, command in self.commands():
            for path in ["/dev/zero", pipe]:
                with self.subTest(name, path=path):
                    self.usage_error(f"{path}: not a regular file", [*command, path], timeout=10)
        self.usage_error("not a regular file", ["fetch", "127.0.0.1:1", "cds", "--metadata", f"k=@{pipe}"], timeout=10)

    def test_a_file_has_a_limit(self):
        path = self.path("sparse")
        os.truncate(path, 5 << 30)
        for name, command in self.commands():
            most = "1024 MB" if command[-1] == "--schema" else "64 MB"
            with self.subTest(name):
                self.usage_error(f"{path}: larger than {most}", [*command, path], timeout=10)
        self.usage_error("larger than 64 MB", ["fetch", "127.0.0.1:1", "cds", "--metadata", f"k:=@{path}"], timeout=10)

    def test_a_file_that_a_bootstrap_names_has_the_limit_too(self):
        for path in ["/dev/zero", self.path("sparse")]:
            if path != "/dev/zero":
                os.truncate(path, 5 << 30)
            bootstrap = self.path("grpc.json", b'{"xds_servers": [{"server_uri": "127.0.0.1:1", "channel_creds": [{"type": '
                                               b'"tls", "config": {"ca_certificate_file": "%s"}}]}]}' % path.encode())
            self.usage_error("grpc.json:1: ", ["fetch", "cds:a", "--bootstrap", bootstrap], timeout=10)

    def test_a_pipe_of_the_shell_is_read_up_to_the_limit(self):
        node = b"{id: from-a-pipe, cluster: [}"
        result = self.usage_error("/dev/stdin:1: ", ["fetch", "127.0.0.1:1", "cds", "--node", "/dev/stdin"], stdin=node)
        self.assertNotIn("regular", result.errors[0])
        for given, said in [(b"id: [1]\n", "id: expected text"), (b"#" * (65 << 20), "larger than 64 MB")]:
            reader, writer = os.pipe()
            with self.subTest(said):
                process = bounded.start("fetch", "127.0.0.1:1", "cds", "--node", f"/dev/fd/{reader}", pass_fds=[reader])
                os.close(reader)
                with contextlib.suppress(BrokenPipeError), os.fdopen(writer, "wb") as out:
                    out.write(given)
                _, err = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 2, err)
                self.assertIn(said, err.decode())

    def test_a_header_of_the_wrong_form_is_not_repeated(self):
        for header in ["authorization=Bearer s3cret", "authorization=Bearer s3cret:part", "authorization Bearer s3cret: x",
                       "s3cret", "s3cret=: x", "authorization: Bearer ${s3cret-and more}", "authorization: Bearer ${s3cret",
                       "authorization: s3cret\n", "authorization: s3cret\x01", "x-bin: s3cret!"]:
            for flag in [["-H", header], [f"--header={header}"], [f"-H{header}"]]:
                with self.subTest(header=header):
                    result = self.usage_error("--header", ["fetch", "127.0.0.1:1", "cds", *flag])
                    self.assertNotIn(b"s3cret", result.err + result.out)


if __name__ == "__main__":
    unittest.main()
