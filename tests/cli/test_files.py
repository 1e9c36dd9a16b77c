#!/usr/bin/env python3
"""`xdscope fetch` on files: the built binary, in pipes, and beside `xdscope serve` on the same folder.

Usage: test_files.py PATH_OF_XDSCOPE
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

XDSCOPE = ""
MESH = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples", "mesh")
CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
FORMATS = {"yaml": ".yaml", "json": ".json", "text": ".pb_text", "binary": ".pb"}


def run(*arguments, stdin=b""):
    return subprocess.run([XDSCOPE, *arguments], capture_output=True, timeout=60, input=stdin, check=False)


def fetch(*arguments, stdin=b""):
    """What a run prints that has nothing to complain about."""
    done = run("fetch", *arguments, stdin=stdin)
    if done.returncode or done.stderr:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def cluster(name, **fields):
    return {"@type": CLUSTER, "name": name, **fields}


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def put(self, name, contents):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(contents if isinstance(contents, bytes) else json.dumps(contents).encode())
        return path

    def fails(self, code, *arguments, stdin=b""):
        """The lines that a run says that ends with this code, and what it prints all the same."""
        done = run("fetch", *arguments, stdin=stdin)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stderr.decode().splitlines(), done.stdout.decode()


def field(number, payload):
    """A field of bytes, or of a small number."""
    tag = number << 3 | (0 if isinstance(payload, int) else 2)
    body = varint(payload) if isinstance(payload, int) else varint(len(payload)) + payload
    return varint(tag) + body


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


class Unknown(InAFolder):
    """What the schema does not have is not left out without a word."""

    def setUp(self):
        super().setUp()
        payloads = [field(1, b"x") + field(1000, b"abc") + field(2767, 5), field(1, b"y") + field(1000, b"abc")]
        self.put("cds.pb", b"".join(field(2, field(1, CLUSTER.encode()) + field(2, payload)) for payload in payloads))

    def test_a_note_counts_them(self):
        for form in ["yaml", "json", "ndjson", "text"]:
            said, out = self.fails(0, self.folder, "-o", form)
            self.assertEqual(said, ["cds:x: 2 unknown fields (1000, 2767) and in 1 more resource; --schema FILE may know "
                                    "them, --unknown-fields prints them"])
            self.assertNotIn("1000", out)
        for form in ["binary", "table", "name"]:
            self.assertEqual(run("fetch", self.folder, "cds", "-o", form).stderr, b"")

    def test_they_are_printed_where_that_is_asked_for(self):
        document = json.loads(fetch(self.folder, "-o", "json", "--unknown-fields"))
        self.assertEqual([entry["field"] for entry in document["resources"][0]["@unknown"]], [1000, 2767])
        self.assertIn(b"# unknown field 1000, bytes: 616263", fetch(self.folder, "-o", "text", "--unknown-fields"))


class BesideServe(unittest.TestCase):
    """A folder is the same through a control plane that serves it."""

    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([XDSCOPE, "serve", MESH, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE,
                                      stdin=subprocess.DEVNULL, text=True)
        for line in cls.server.stderr:
            if line.startswith("grpc "):
                cls.address = line.split()[1]
                return
        raise AssertionError("it does not serve")

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait(timeout=10)
        cls.server.stderr.close()

    def test_all_of_it_is_the_same_in_every_output(self):
        for output in ["yaml", "json", "text", "tree", "name"]:
            for secrets in [[], ["--show-secrets"]]:
                with self.subTest(output=output, secrets=secrets):
                    self.assertEqual(fetch(MESH, "-o", output, *secrets), fetch(self.address, "-o", output, *secrets))

    def test_resources_have_the_versions_that_delta_gives_them(self):
        for output in ["ndjson", "table"]:
            self.assertEqual(fetch(MESH, "-o", output), fetch(self.address, "-o", output, "--variant", "delta-ads"))

    def test_one_type_is_the_same_from_every_variant(self):
        for request in [["cds"], ["eds"], ["eds:web,cart"], ["rds:shop"], ["cds:web", "--follow"]]:
            here = fetch(MESH, *request, "-o", "json")
            for variant in ["ads", "delta-ads", "sotw", "delta", "unary"]:
                with self.subTest(request=request, variant=variant):
                    self.assertEqual(here, fetch(self.address, *request, "-o", "json", "--variant", variant))


class Formats(InAFolder):
    def test_what_is_printed_is_read_again_from_a_file_or_a_pipe(self):
        as_it_was = fetch(MESH, "cds", "-o", "json")
        for output, suffix in FORMATS.items():
            with self.subTest(output=output):
                printed = fetch(MESH, "cds", "-o", output)
                self.assertEqual(fetch(self.put(f"x{suffix}", printed), "cds", "-o", "json"), as_it_was)
                self.assertEqual(fetch(self.put("without-suffix", printed), "cds", "-o", "json"), as_it_was)
                self.assertEqual(fetch("-", "cds", "-o", "json", stdin=printed), as_it_was)

    def test_every_document_counts(self):
        as_it_was = fetch(MESH, "-o", "name")
        for output in ["yaml", "text"]:
            printed = fetch(MESH, "--show-secrets", "-o", output)
            self.assertEqual(fetch("-", "-o", "name", stdin=printed), as_it_was)

    def test_bare_resources_and_lists(self):
        for contents in [cluster("a"), [cluster("a")], {"resources": [cluster("a")]}]:
            self.assertEqual(fetch(self.put("x.json", contents), "-o", "name"), b"cds:a\n")

    def test_a_pipe_that_the_shell_made(self):
        command = f'"$0" fetch <(cat {MESH}/clusters.yaml) cds -o name'
        done = subprocess.run(["bash", "-c", command, XDSCOPE], capture_output=True, timeout=60, check=False)
        self.assertIn(b"cds:web\n", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_v2_is_asked_for_by_its_name(self):
        path = self.put("x.json", [{"@type": "type.googleapis.com/envoy.api.v2.Cluster", "name": "old"}])
        self.assertEqual(fetch(path, "--api", "v2", "-o", "name"), b"cds:old\n")
        done = run("fetch", path, "-o", "name")
        self.assertEqual(done.stdout, b"")
        self.assertEqual(done.stderr, b"left out: 1 resource of the v2 API; --api v2 takes them\n")

    def test_files_for_envoy_from_files(self):
        out = os.path.join(self.folder, "out")
        done = run("fetch", MESH, "--out-dir", out, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lds.yaml", os.listdir(out))
        with open(os.path.join(out, "envoy.yaml"), encoding="utf-8") as bootstrap:
            self.assertIn("id: xdscope\n", bootstrap.read())
        self.assertEqual(fetch(os.path.join(out, "cds.yaml"), "cds", "-o", "name"), fetch(MESH, "cds", "-o", "name"))


class Ends(InAFolder):
    def test_a_typed_name_that_is_not_there_is_exit_1(self):
        said, printed = self.fails(1, MESH, "eds:web,nobody", "-o", "name")
        self.assertEqual(said, ["xdscope: absent: eds:nobody"])
        self.assertEqual(printed, "eds:web\n")

    def test_what_is_only_referred_to_and_not_there_is_said(self):
        path = self.put("x.json", [cluster("a", type="EDS", eds_cluster_config={"eds_config": {"ads": {}}})])
        said, printed = self.fails(0, path, "-o", "name")
        self.assertEqual(said, ["xdscope: absent: eds:a"])
        self.assertEqual(printed, "cds:a\n")
        self.fails(1, path, "--fail-on-absent")

    def test_what_cannot_be_read_is_exit_3(self):
        nowhere = os.path.join(self.folder, "nowhere.yaml")
        said, printed = self.fails(3, nowhere)
        self.assertEqual(said, [f"xdscope: {nowhere}: No such file or directory"])
        self.assertEqual(printed, "")
        said, _ = self.fails(3, self.folder)
        self.assertEqual(said, [f"xdscope: {self.folder}: there are no discovery files in it "
                                "(.yaml, .yml, .json, .pb, .pb_text)"])
        said, _ = self.fails(3, "-")
        self.assertEqual(said, ["xdscope: /dev/stdin:1:1: is empty; nothing of it is taken"])

    def test_what_is_not_understood_is_named_by_its_line_and_the_rest_is_printed(self):
        self.put("good.json", [cluster("good")])
        bad = self.put("bad.yaml", b"resources:\n- '@type': %s\n  name: bad\n  connect_timeout: soon\n"
                       b"- '@type': %s\n  name: rest\n" % ((CLUSTER.encode(),) * 2))
        said, printed = self.fails(3, self.folder, "-o", "name")
        self.assertEqual(printed, "cds:good\ncds:rest\n")
        self.assertEqual(len(said), 1, said)
        self.assertTrue(said[0].startswith(f"xdscope: {bad}:4:20: resources[0].connect_timeout: "), said)
        self.assertTrue(said[0].endswith("; the rest of it is taken (1 resource)"), said)

    def test_a_field_that_the_schema_does_not_have_is_a_remark(self):
        path = self.put("x.json", [cluster("a", newest_field=1)])
        said, printed = self.fails(0, path, "-o", "name")
        self.assertEqual(printed, "cds:a\n")
        self.assertEqual(len(said), 1, said)
        self.assertIn(f"{path}:1:", said[0])
        self.assertIn("newest_field", said[0])
        self.assertEqual(self.fails(0, path, "-o", "name", "-q")[0], [])

    def test_of_two_resources_of_one_name_the_first_is_printed(self):
        self.put("a.json", [cluster("x", alt_stat_name="first")])
        self.put("b.json", [cluster("x", alt_stat_name="second")])
        said, printed = self.fails(0, self.folder, "-o", "json")
        self.assertEqual(said, ["cds x: is in a.json:1 and in b.json:1; the first counts"])
        self.assertIn("first", printed)

    def test_a_flag_without_effect_is_exit_2(self):
        said, _ = self.fails(2, MESH, "--cacert", "/nowhere")
        self.assertEqual(said, [f"xdscope: --cacert: has no effect on files, and the TARGET is one: {MESH}"])

    def test_stdin_that_goes_on_ends_with_the_time_or_a_signal(self):
        for flags, code in [(["--max-time", "300ms"], 4), ([], 130)]:
            with self.subTest(code=code):
                process = subprocess.Popen([XDSCOPE, "fetch", "-", *flags], stdin=subprocess.PIPE,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                with process:
                    process.stdin.write(b"resources:\n")
                    process.stdin.flush()
                    if code == 130:
                        while left_in(process.stdin):  # it is reading once this is gone
                            time.sleep(0.01)
                        process.send_signal(signal.SIGINT)
                    self.assertEqual(process.wait(timeout=20), code)


def left_in(pipe):
    """How many bytes wait in a pipe for whoever reads it."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


if __name__ == "__main__":
    XDSCOPE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
