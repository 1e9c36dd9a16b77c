"""A terminal with the prompt of `xdscope repl` on it, and the server that it speaks with."""

import contextlib
import os
import tempfile
import threading

from driven_server import DrivenServer, clusters
from harness import Case, environment, program
from terminal import ENTER, PATIENCE, Terminal


class Repl(Terminal):
    """A terminal with the prompt of one stream on it."""

    def __init__(self, server, *flags, **kwargs):
        super().__init__(program("XDSCOPE"), "repl", server.address, *flags, **kwargs)
        self.server = server

    def prompt(self, waiting=0, variant="ads", state=""):
        return f"1 {variant} {self.server.address}{state}{f' {waiting} waiting' if waiting else ''}> "

    def until_prompt(self, waiting=0, **kwargs):
        self.until_line("", waiting, **kwargs)

    def until_line(self, typed, waiting=0, at=None, **kwargs):
        """Until the prompt and what is typed stand whole, with the cursor before the character `at`."""
        prompt = self.prompt(waiting, **kwargs)
        line = prompt + typed
        at = None if at is None else len(prompt) + at
        self.until(lambda: self.has_line(line, at) and not self.echoes, f"the line {line!r} at {at}")

    def until_shows(self, *words):
        self.until(lambda: self.shows(*words), f"the words {words}")

    def say(self, line, *words):
        """Types a line and waits for what it is answered with."""
        self.type(line + ENTER)
        self.until_shows(*words)


class ReplCase(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.server = self.enterContext(DrivenServer())

    @contextlib.contextmanager
    def repl(self, *flags, server=None, env=None, **kwargs):
        """A conversation that has begun, with a stream that is open."""
        whole = environment({"TERM": "xterm", "PAGER": "cat", "XDG_STATE_HOME": self.folder, **(env or {})})
        with Repl(server or self.server, *flags, env=whole, **kwargs) as repl:
            repl.until_shows("the stream is open")
            if (env or {}).get("TERM") == "dumb":
                yield repl
                return
            repl.until_prompt(**({"variant": flags[flags.index("--variant") + 1]} if "--variant" in flags else {}))
            yield repl

    def subscribed(self, repl, *names):
        """Types `sub cds`, and gives the stream that it came on."""
        repl.say(" ".join(["sub cds", *names]), "-> CDS")
        repl.until_prompt()
        return self.server.stream()

    def history(self):
        with open(os.path.join(self.folder, "xdscope", "history"), encoding="utf-8") as lines:
            return lines.read().splitlines()


class Flood:
    """Pushes so many responses a second on a stream, for as long as the `with` lasts."""

    def __init__(self, stream, rate):
        self.count = 0
        self._stream, self._pause = stream, 1 / rate
        self._over = threading.Event()
        self._more = threading.Condition()
        self._thread = threading.Thread(target=self._push)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def until_more(self, count):
        aim = self.count + count
        with self._more:
            self._more.wait_for(lambda: self.count >= aim, PATIENCE)

    def _push(self):
        while not self._over.wait(self._pause):
            self._stream.push(clusters(self.count, f"a{self.count}"))
            with self._more:
                self.count += 1
                self._more.notify_all()
