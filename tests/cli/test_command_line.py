#!/usr/bin/env python3
"""The built binary, run as a person or a script runs it: in a pipe and on a terminal. Needs no server.

Usage: test_command_line.py PATH_OF_XDSCOPE
"""

import json
import os
import pty
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
import unittest

XDSCOPE = ""


def run(*arguments, env=None, stdin=None):
    """One run in pipes."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run([XDSCOPE, *arguments], capture_output=True, text=True, timeout=60, env=environment,
                          input=stdin)


def run_on_terminal(*arguments, columns=80, env=None):
    """One run with stdin, stdout and stderr on a terminal; the code, and all that was drawn."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(env or {})
        os.environ.setdefault("TERM", "xterm")
        os.execv("/bin/sh", ["sh", "-c", 'stty cols "$0" && exec "$@"', str(columns), XDSCOPE, *arguments])
    drawn = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        drawn += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), drawn.decode().replace("\r\n", "\n")


def unused_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Words(unittest.TestCase):
    def test_the_version_is_one_line(self):
        result = run("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^xdscope \d+\.\d+\.\d+\n$")
        self.assertEqual(result.stderr, "")

    def test_help_is_the_same_in_all_its_spellings(self):
        texts = {run(*arguments).stdout for arguments in
                 [("help", "fetch"), ("fetch", "--help"), ("fetch", "-h"), ("-h", "fetch"), ("fetch", "x", "--help", "-Z")]}
        self.assertEqual(len(texts), 1)
        self.assertIn("--node-id", texts.pop())

    def test_the_overview_names_every_command(self):
        for arguments in [("help",), ("--help",), ("-h",)]:
            result = run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("fetch", result.stdout)
            self.assertIn("help", result.stdout)

    def test_a_wrong_line_is_one_line_and_exit_2(self):
        cases = {
            ("fecth",): "xdscope: fecth: there is no such command; did you mean fetch?\n",
            ("fetch", "--variat=ads"): "xdscope: --variat: fetch has no such flag; did you mean --variant?\n",
            ("fetch", "h:1", "clutsers"): "xdscope: clutsers: not a TYPE; did you mean clusters?\n",
            ("fetch", "plane"): "xdscope: plane: no port: expected HOST:PORT\n",
            ("fetch", "h:1", "--wait", "soon"):
                "xdscope: --wait soon: expected a duration such as 1.5s, 200ms or 2m; a bare number is seconds\n",
            ("fetch", "h:1", "-o", "toml"):
                "xdscope: --output toml: expected one of yaml, json, ndjson, text, binary, table, tree, name\n",
            ("fetch", "h:1", "vhds"):
                "xdscope: vhds: has no method for --variant ads; it is delta only: use delta or delta-ads\n",
            ("fetch", "h:1", "-H", "a: ${XDSCOPE_TEST_UNSET}"):
                "xdscope: --header a: the environment variable XDSCOPE_TEST_UNSET is not set\n",
            ("fetch", "h:1", "--bootstrap", "/nowhere"): "xdscope: --bootstrap /nowhere: No such file or directory\n",
            ("fetch",): "xdscope: TARGET: is missing; give HOST:PORT or --bootstrap FILE\n",
            (): "xdscope: COMMAND: is missing; see xdscope help\n",
        }
        for arguments, error in cases.items():
            with self.subTest(arguments=arguments):
                result = run(*arguments)
                self.assertEqual(result.stderr, error)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.returncode, 2)

    def test_grpc_never_asks_for_everything(self):
        for command in ("fetch", "watch"):
            for types, words in (((), "--client grpc: never asks for everything; give names, as in lds:NAME"),
                                 (("cds",), "cds: --client grpc never asks for everything; give names, as in cds:NAME")):
                with self.subTest(command=command, types=types):
                    result = run(command, "127.0.0.1:1", *types, "--client", "grpc")
                    self.assertEqual((result.returncode, result.stderr), (2, f"xdscope: {words}\n"))

    def test_fetch_does_not_poll(self):
        for target in ("127.0.0.1:1", "http://127.0.0.1:1"):
            result = run("fetch", target, "cds", "--poll", "1s")
            self.assertEqual(result.returncode, 2)
            self.assertIn("--poll: fetch asks once; watch", result.stderr)

    def test_flags_that_belong_to_no_command_here_do_not_exist(self):
        for flag in ["--poll=1", "--request-timeout=1", "--count=1"]:
            self.assertEqual(run("fetch", "h:1", flag).returncode, 2, flag)


class Failures(unittest.TestCase):
    def test_a_refused_port_fails_at_once_with_exit_3(self):
        start = time.monotonic()
        result = run("fetch", f"127.0.0.1:{unused_port()}", "cds")
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"^xdscope: 127\.0\.0\.1:\d+: .*refused.*\n$")

    def test_a_socket_file_that_is_not_there(self):
        result = run("fetch", "unix:/nowhere/xds.sock", "cds", "-q")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_quiet_has_no_hint(self):
        result = run("fetch", "-q", f"127.0.0.1:{unused_port()}", "cds")
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_max_time_is_exit_4(self):
        with socket.socket() as listener:  # accepts, says nothing
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            result = run("fetch", f"127.0.0.1:{listener.getsockname()[1]}", "cds", "--max-time", "300ms")
        self.assertEqual(result.returncode, 4, result.stderr)


BOOTSTRAP = """
node: {{id: n1}}
dynamic_resources:
  ads_config: {{api_type: GRPC, grpc_services: [{{envoy_grpc: {{cluster_name: xds}}}}]}}
static_resources:
  clusters:
  - name: xds
    load_assignment:
      endpoints: [{{lb_endpoints: [{{endpoint: {{address: {{socket_address: {{address: 127.0.0.1, port_value: {port}}}}}}}}}]}}]
"""


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_a_bootstrap_names_the_server(self):
        port = unused_port()
        result = run("fetch", "--bootstrap", self.write("b.yaml", BOOTSTRAP.format(port=port)))
        self.assertEqual(result.returncode, 3)
        self.assertTrue(result.stderr.startswith(f"xdscope: 127.0.0.1:{port}: "), result.stderr)

    def test_errors_in_files_name_file_line_and_path(self):
        bootstrap = self.write("b.yaml", BOOTSTRAP.format(port="x"))
        node = self.write("n.yaml", "id: a\nlocality: {regoin: b}\n")
        cases = {
            ("--bootstrap", bootstrap): f"xdscope: {bootstrap}:9: static_resources.clusters[0].load_assignment."
                "endpoints[0].lb_endpoints[0].endpoint.address.socket_address: 127.0.0.1:x: 'x' is not a port\n",
            ("h:1", "--node", node): f"xdscope: {node}:2: locality.regoin: no such field in "
                "envoy.config.core.v3.Locality (nearest: region)\n",
            ("h:1", "--cacert", node): f"xdscope: --cacert {node}: no CERTIFICATE in PEM form",
            ("h:1", "--node", self.folder.name): f"xdscope: --node {self.folder.name}: Is a directory\n",
        }
        for arguments, error in cases.items():
            with self.subTest(arguments=arguments):
                result = run("fetch", *arguments)
                self.assertEqual(result.returncode, 2)
                self.assertTrue(result.stderr.startswith(error), result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)

    def test_the_node_of_a_large_config_dump_is_found_quickly(self):
        cluster = {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "x" * 1000}
        dump = {"configs": [
            {"@type": "type.googleapis.com/envoy.admin.v3.ClustersConfigDump", "static_clusters": [cluster] * 20000},
            {"@type": "type.googleapis.com/envoy.admin.v3.BootstrapConfigDump", "bootstrap": {"node": {"id": 5}}},
        ]}
        path = self.write("dump.json", json.dumps(dump, indent=1))
        start = time.monotonic()
        result = run("fetch", "h:1", "--node", path)
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn("node.id: expected text, not a number", result.stderr)


class Pipes(unittest.TestCase):
    def test_a_reader_that_leaves_ends_it_quietly(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([XDSCOPE, "help", "fetch"], stdout=writer, stderr=subprocess.PIPE, timeout=60)
        os.close(writer)
        self.assertEqual(result.stderr, b"")
        self.assertEqual(result.returncode, 0)

    def test_a_full_disk_is_said(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([XDSCOPE, "help"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.stderr, b"xdscope: stdout: No space left on device\n")
        self.assertEqual(result.returncode, 3)

    def test_nothing_is_coloured_or_drawn_in_a_pipe(self):
        result = run("fetch", f"127.0.0.1:{unused_port()}", env={"TERM": "xterm"})
        self.assertNotIn("\x1b", result.stdout + result.stderr)


class Terminals(unittest.TestCase):
    def test_help_wraps_to_the_width(self):
        for columns in (60, 80, 132):
            code, drawn = run_on_terminal("help", "fetch", columns=columns)
            self.assertEqual(code, 0)
            longest = max(len(line) for line in drawn.split("\n"))
            self.assertLessEqual(longest, min(columns, 100))
            self.assertGreater(longest, min(columns, 100) - 15)

    def test_an_error_is_the_same_as_in_a_pipe(self):
        code, drawn = run_on_terminal("fetch", "plane")
        self.assertEqual(code, 2)
        self.assertEqual(drawn, "xdscope: plane: no port: expected HOST:PORT\n")

    def test_progress_is_drawn_while_it_waits_and_gone_afterwards(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            target = f"127.0.0.1:{listener.getsockname()[1]}"
            code, drawn = run_on_terminal("fetch", target, "cds", "--max-time", "2.5s")
        self.assertEqual(code, 4, drawn)
        self.assertIn("\r\x1b[K", drawn)
        self.assertIn("waiting for cds", drawn)
        self.assertRegex(drawn, re.compile(r"\r\x1b\[Kxdscope: [^\x1b\r]*\n\Z"))

    def test_a_dumb_terminal_gets_no_progress(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            target = f"127.0.0.1:{listener.getsockname()[1]}"
            _, drawn = run_on_terminal("fetch", target, "cds", "--max-time", "1s", env={"TERM": "dumb"})
        self.assertNotIn("\x1b", drawn)


class Verbs(unittest.TestCase):
    """The verbs of `repl`: those that `help` lists there, and those that the man page describes."""

    def say(self, *lines):
        """What these lines print in a conversation with nobody: in this variant a stream opens with what is asked."""
        result = run("repl", "127.0.0.1:1", "-q", "--variant=sotw", stdin="".join(f"{line}\n" for line in lines))
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.splitlines()

    def in_the_program(self):
        """Each verb, followed by its words as `help VERB` has them."""
        verbs = [line.split()[0] for line in self.say("help") if "  " in line]
        self.assertIn("sub", verbs)
        return [self.say(f"help {verb}")[0] for verb in verbs]

    def in_the_man_page(self):
        path = os.path.join(os.path.dirname(__file__), "..", "..", "man", "xdscope-repl.1")
        with open(path) as page:
            section = page.read().split("\n.SH VERBS\n")[1].split("\n.SH ")[0]
        return [entry.replace("\\-", "-") for entry in re.findall(r'^\.TP\n\.B "(.+)"$', section, re.MULTILINE)]

    def test_the_man_page_describes_the_verbs_that_there_are(self):
        self.assertCountEqual(self.in_the_man_page(), self.in_the_program())


class Speed(unittest.TestCase):
    def test_the_version_costs_no_start_up(self):
        """5 ms is the promise (tests/bench measures it); here only a mistake of another order is caught."""
        times = []
        for _ in range(10):
            start = time.perf_counter()
            run("--version")
            times.append(time.perf_counter() - start)
        self.assertLess(min(times), 0.1)


if __name__ == "__main__":
    XDSCOPE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
