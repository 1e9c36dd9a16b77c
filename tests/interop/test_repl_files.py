"""`xdscope repl` about files: readings by hand, watching, and a prompt on a folder."""

import json
import os
import re
import subprocess
import tempfile
import threading
import types
import unittest

from harness import environment, program, run
from repl_script import Honest, ReplCase
from repl_terminal import Repl
from served import cluster, endpoints, link_folder, swap, write
from terminal import CTRL_C, ENTER, TAB
from watching import PATIENCE


class Talk:
    """`xdscope repl FOLDER` in a pipe: say() writes a line, sees() waits for what it prints."""

    def __init__(self, *args):
        self.process = subprocess.Popen([program("XDSCOPE"), "repl", *args], text=True, env=environment(),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = []
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._seen = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        self.process.wait()

    def say(self, line, *words):
        """Types a line; with words, waits for a line that comes after it and has them all."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.sees(*words) if words else None

    def sees(self, *words):
        def found():
            for i in range(self._seen, len(self.lines)):
                if all(word in self.lines[i] for word in words):
                    self._seen = i + 1
                    return True
            return False
        with self._more:
            if not self._more.wait_for(found, PATIENCE):
                raise AssertionError(f"never came: {words}\n" + "\n".join(self.lines[-30:]))
            return self.lines[self._seen - 1]

    def ends(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self._reader.join()
        return self.process.returncode

    def _read(self):
        for line in self.process.stdout:
            with self._more:
                self.lines.append(line.rstrip("\n"))
                self._more.notify_all()


def eds_cluster(name, **fields):
    return cluster(name, type="EDS", eds_cluster_config={"eds_config": {"ads": {}}}, **fields)


class FilesCase(ReplCase):
    def setUp(self):
        super().setUp()
        self.mesh = self.path("mesh")
        os.mkdir(self.mesh)
        write(self.mesh, "cds.json", [eds_cluster("web"), cluster("plain")])
        write(self.mesh, "eds.json", [endpoints("web")])


class Scripts(FilesCase):
    def test_a_folder_is_read_and_answered(self):
        result = self.script(self.mesh, "sub cds", "wait cds", "state", "diff cds", "ack", "state cds", "expect cds web",
                             "follow on", "wait eds", "ack", "tree", "log", "check", "pending", "history", "streams",
                             f"save {self.path('again.xds')}", flags=())
        for line in ("-- the files are read: 2 cds, 1 eds", "+ cds:web", "└── eds:web", "nothing is wrong"):
            self.assertIn(line, result.out.splitlines())
        self.assertRegex(result.out, r"\n<- CDS [0-9a-f]{16}: 2 resources \(\+2\), \d+ B: waiting for ack or nack\n")
        self.assertRegex(result.out, r"\ncds .* waits\n")
        self.assertRegex(result.out, r"\nweb +ACKED ")
        self.assertRegex(result.out, r"in force: cds [0-9a-f]{16} \(2 resources\)")
        self.assertRegex(result.out, r"\n +\*1 +files +")
        again = self.check(run("repl", self.mesh, "--script", self.path("again.xds")), 0)
        self.assertIn("└── eds:web", again.out.splitlines())

    def test_it_shows_what_fetch_shows(self):
        fetched = self.check(run("fetch", self.mesh, "cds", "-o", "json"), 0)
        result = self.script(self.mesh, "sub cds", "wait", "ack", "show cds", flags=("-q", "-o", "json"))
        self.assertEqual(json.loads(result.out), json.loads(fetched.out))

    def test_each_sub_reads_what_is_there_now(self):
        with Talk(self.mesh) as talk:
            talk.say("sub cds", "2 resources (+2)")
            talk.say("ack", "in force")
            write(self.mesh, "cds.json", [eds_cluster("web", lb_policy="RANDOM"), cluster("new")])
            talk.say("sub cds", "2 resources (+1 ~1 -1)", "waiting")
            talk.say("diff cds", "+ cds:new")
            talk.say("nack not so", "in force: cds", "2 resources")
            talk.say("list", "plain")
            talk.say("state cds", "new", "NACKED")
            talk.say("sub cds", "2 resources (+1 ~1 -1)", "waiting")
            talk.say("ack")
            talk.say("sub cds", "cds: nothing newer")
            write(self.mesh, "cds.json", "[")
            talk.say("sub cds", "!!", "cds.json", "last good content stays")
            talk.say("expect cds new")
            talk.say("history", "nack not so")
            self.assertEqual(talk.ends(), 0)

    def test_auto_watches_as_envoy_does(self):
        with Talk(self.mesh, "--auto", "ack") as talk:
            talk.say("sub cds", "2 resources (+2)", "ACK")
            swap(self.mesh, "cds.json", [cluster("moved")])
            talk.sees("1 resource (+1 -2)", "ACK")
            write(self.mesh, "cds.json", [cluster("written")])
            talk.sees("cds.json", "Envoy would not notice")
            talk.say("expect cds moved")
            talk.say("auto off")
            swap(self.mesh, "cds.json", [cluster("unseen")])
            talk.say("expect not cds unseen --for 500ms")
            talk.say("sub cds", "waiting for ack or nack")
            talk.say("auto nack")
            swap(self.mesh, "cds.json", [cluster("refused")])
            talk.sees("NACK", "in force: cds")
            talk.say("expect cds moved")
            self.assertEqual(talk.ends(), 0)

    def test_auto_notices_what_kubernetes_swaps(self):
        folder = self.path("volume")
        os.mkdir(folder)
        link_folder(folder, "1", {"cds.json": [cluster("a")]})
        with Talk(folder) as talk:
            talk.say("sub cds", "(+1)")
            talk.say("ack", "in force")
            talk.say("auto judge")
            link_folder(folder, "2", {"cds.json": [cluster("b")]})
            talk.sees("(+1 -1)", "ACK")
            self.assertEqual(talk.ends(), 0)

    def test_files_stand_beside_a_server(self):
        with Honest() as server:
            self.script(server.address, "sub cds a", "wait", "ack", f"open {self.mesh}", "sub cds", "wait", "ack",
                        "expect cds plain", "use 1", "expect cds a", "expect not cds plain --for 0s")
            self.script(self.mesh, "sub cds", "wait", "ack", f"open {server.address}", "node id=x", "reopen", "sub cds a",
                        "wait", "ack", "expect cds a", "open", "streams", flags=())
            self.assertEqual(server.requests[-1][1].node.id or "x", "x")

    def test_what_means_nothing_for_files_says_what_to_do(self):
        for line, words in (("resub cds web", "sub reads them"), ("send '{}'", "sub reads them"),
                            ("preview", "sub reads them"), ("node id=x", "open HOST:PORT"),
                            ("reopen --fresh", "unsub and sub"), ("request 1", "log lists")):
            with self.subTest(line=line):
                self.fails(self.mesh, "sub cds", line, at=2, words=("means nothing for files", words))

    def test_a_reading_that_waited_is_there_again_after_reopen(self):
        self.script(self.mesh, "sub cds", "wait", "reopen", "wait", "ack", "expect cds web", "close", flags=())

    def test_what_cannot_be_read_is_said(self):
        missing = self.path("missing.yaml")
        result = self.failed(run("repl", missing, "--script", self.write("s.xds", "sub cds")), 3)
        self.assertIn("No such file", result.out)
        with Talk(missing) as talk:
            talk.sees("the stream is closed")
            self.assertEqual(talk.ends(), 3)
        self.failed(run("repl", "-"), 2, "-", "read once", hint=False)
        self.failed(run("repl", self.mesh, "--variant", "delta"), 2, "--variant", "files", hint=False)
        self.fails(self.mesh, f"open delta {self.mesh}", at=1, words=("files have none",))

    def script(self, address, *lines, flags=(), code=0, timeout=40):
        """As for a server, whose node files do not have."""
        path = self.write("script.xds", *lines)
        result = run("repl", address, "--script", path, *flags, timeout=timeout)
        self.assertEqual(result.code, code, str(result))
        return result


class Prompt(FilesCase):
    """A terminal with the prompt of a folder on it."""

    def repl(self, *flags):
        whole = environment({"TERM": "xterm", "PAGER": "cat", "XDG_STATE_HOME": self.folder})
        return Repl(types.SimpleNamespace(address=self.mesh), *flags, env=whole, columns=200)

    def test_what_is_typed_stays_whole_while_the_folder_changes(self):
        with self.repl("--auto", "ack") as repl:
            repl.until_shows("the files are read")
            repl.until_prompt(variant="files")
            repl.say("sub cds", "<- CDS", "ACK")
            repl.type("show cds we")
            repl.until_line("show cds we", variant="files")
            swap(self.mesh, "cds.json", [cluster("web")])
            repl.until_shows("1 resource (~1 -1)")
            repl.until_line("show cds we", variant="files")
            self.assertTrue(re.search("<- CDS .*~1", repl.text))

    def test_verbs_types_names_and_files_are_completed(self):
        with self.repl() as repl:
            repl.until_shows("the files are read")
            repl.until_prompt(variant="files")
            for typed, whole in (("sub cds w", "sub cds web "), ("resu", "resub "), ("sub eds ", "sub eds web "),
                                 (f"open {self.mesh}/cd", f"open {self.mesh}/cds.json ")):
                repl.type(typed + TAB)
                repl.until_line(whole, variant="files")
                repl.type(CTRL_C)
                repl.until_prompt(variant="files")
            repl.type("sub " + TAB + TAB)
            repl.until_shows("2 in the files")

    def test_what_waits_stands_in_the_prompt(self):
        with self.repl() as repl:
            repl.until_prompt(variant="files")
            repl.type("sub cds" + ENTER)
            repl.until_prompt(1, variant="files")
            repl.say("ack", "in force: cds")
            repl.until_prompt(variant="files")


if __name__ == "__main__":
    unittest.main()
