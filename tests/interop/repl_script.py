"""Running scripts of `xdscope repl`, and an honest server to run them against."""

import os
import subprocess
import tempfile

import api
from harness import NODE, Case, environment, program, run
from scripted_server import ScriptedServer, answers, answers_delta

CDS, EDS = api.url("cds"), api.url("eds")
STREAMS = ("ads", "delta-ads", "sotw", "delta")
VARIANTS = (*STREAMS, "unary")
TABLE = {CDS: {name: api.resource("cds", {"name": name}) for name in ("a", "b", "c")},
         EDS: {name: api.resource("eds", {"cluster_name": name}) for name in ("a", "b")}}


class Honest(ScriptedServer):
    """Answers for TABLE, SotW and delta, by ADS and by the methods of CDS and EDS."""

    def __init__(self):
        scripts = {api.ADS: answers(TABLE), api.DELTA_ADS: answers_delta(TABLE)}
        for short in ("cds", "eds"):
            scripts[api.method(short, "stream")] = answers(TABLE)
            scripts[api.method(short, "delta")] = answers_delta(TABLE)
        super().__init__({method: self._counted(script) for method, script in scripts.items()})
        self.calls = 0

    def until_left(self):
        """Waits until every stream that was opened has ended: all that was said is known then."""
        self.wait_for(lambda _: len(self.ended) == self.calls)

    def _counted(self, script):
        def counting(call):
            self.calls += 1
            yield from script(call)
        return counting


def said(server):
    """The requests that a server has seen, as JSON without the node, by method."""
    found = {}
    for method, request in server.requests:
        found.setdefault(method, []).append(api.to_json(request))
        found[method][-1].pop("node", None)
    return found


class ReplCase(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, *lines):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write("".join(line + "\n" for line in lines))
        return self.path(name)

    def script(self, address, *lines, flags=(), code=0, timeout=40):
        """Runs a script to its end and demands its exit code."""
        path = self.write("script.xds", *lines)
        result = run("repl", address, "--script", path, "--node-id", NODE, *flags, timeout=timeout)
        self.assertEqual(result.code, code, str(result))
        return result

    def fails(self, address, *lines, at, words, flags=(), code=1):
        """A script whose line `at` fails, for a reason that has these words; no later line runs."""
        result = self.script(address, *lines, "help quit", flags=flags, code=code)
        self.assertEqual(len(result.errors), 1, str(result))
        self.assertTrue(result.errors[0].startswith(f"xdscope: {self.path('script.xds')}:{at}: "), str(result))
        for word in words:
            self.assertIn(word, result.errors[0], str(result))
        self.assertNotIn("end all streams", result.out)
        return result

    def run_driven(self, server, *lines, flags=()):
        """Begins a script that a test answers while it runs."""
        path = self.write("driven.xds", *lines)
        process = subprocess.Popen([program("XDSCOPE"), "repl", server.address, "--script", path, *flags],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def ends(self, process, code=0):
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, code, (out.decode(), err.decode()))
        return out.decode(), err.decode()
