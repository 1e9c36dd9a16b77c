"""Pipes and terminals: `| head`, the progress line, Ctrl-C on a terminal."""

import os
import pty
import signal
import subprocess
import time
import unittest

import api
from harness import NODE, Case, GcpServer, environment, program, read_until
from scripted_server import ScriptedServer, closes_with, silent


class Screen:
    """As much of a terminal as a progress line needs: carriage return, erase, newline."""

    def __init__(self):
        self.lines, self.column = [""], 0

    def write(self, text):
        at = 0
        while at < len(text):
            if text[at] == "\x1b" and text[at + 1:at + 2] == "[":
                end = at + 2
                while end < len(text) and not text[end].isalpha():
                    end += 1
                self._escape(text[at + 2:end], text[end:end + 1])
                at = end + 1
                continue
            self._put(text[at])
            at += 1
        return self

    def _put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.lines.append("")
            self.column = 0
        else:
            line = self.lines[-1].ljust(self.column)
            self.lines[-1] = line[:self.column] + char + line[self.column + 1:]
            self.column += 1

    def _escape(self, argument, kind):
        if kind == "K":
            self.lines[-1] = {"": self.lines[-1][:self.column], "0": self.lines[-1][:self.column], "2": ""}.get(
                argument, " " * self.column + self.lines[-1][self.column:])

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).strip()


class Terminal(Case):
    def start(self, *args, out=subprocess.PIPE):
        """xdscope with stderr (and stdin) on a terminal of 80 columns."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen([program("XDSCOPE"), *args], stdin=slave, stderr=slave, stdout=slave if out is None else out,
                                   env=environment({"TERM": "xterm", "COLUMNS": "80"}), start_new_session=True)
        os.close(slave)
        return process, master

    def finish(self, process, master):
        """Everything the terminal got until the process was gone."""
        collected = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not chunk:
                break
            collected += chunk
        process.wait(timeout=20)
        return collected

    def test_progress_shows_while_it_waits_and_is_gone_when_done(self):
        response = api.response(api.url("cds"), [api.resource("cds", {"name": "a"})])
        script = closes_with(None, "", 1000, [])

        def one_then_silence(call):
            call.next()
            yield response
            yield from script(call)

        with ScriptedServer({api.ADS: one_then_silence}) as server:
            process, master = self.start("fetch", server.address, "cds", "eds:late", "--wait", "3s")
            shown = read_until(process, master, lambda seen: b"\r" in seen and b"eds" in seen.lower(), 10).decode()
            self.assertIn("eds", shown.lower(), "no word of what it waits for")
            self.assertNotIn("\n", Screen().write(shown).text.replace("\r\n", "\n"), "progress is one line")
            rest = self.finish(process, master).decode()
            self.assertEqual(process.returncode, 1)
            final = Screen().write(shown + rest).text.splitlines()
            # What there is to say of the absent name and its type, and nothing of the progress.
            self.assertTrue(all(line.startswith("xdscope: ") for line in final[:-1]), final)
            self.assertIn("late", final[0])
            self.assertRegex(final[-1], r"^1 cds; 1 missing; \d+ ms$")

    def test_quiet_and_pipes_have_no_progress(self):
        with ScriptedServer({api.ADS: silent}) as server:
            process, master = self.start("fetch", server.address, "cds", "--wait", "2500ms", "-q")
            screen = self.finish(process, master).decode()
            self.assertNotIn("\x1b", screen)
            self.assertEqual(len(screen.strip().splitlines()), 1, screen)

    def test_a_fetch_leaves_the_terminal_as_it_was(self):
        with GcpServer() as server:
            process, master = self.start("fetch", server.address, "--node-id", NODE, "-q")
            screen = Screen().write(self.finish(process, master).decode()).text
            self.assertEqual((process.returncode, screen), (0, ""))

    def test_ctrl_c_on_a_terminal_clears_the_progress(self):
        with ScriptedServer({api.ADS: silent}) as server:
            process, master = self.start("fetch", server.address, "cds")
            read_until(process, master, lambda seen: b"cds" in seen.lower(), 10)
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            screen = Screen().write(self.finish(process, master).decode()).text
            self.assertEqual(process.returncode, 130)
            self.assertLess(time.monotonic() - began, 1)
            self.assertLessEqual(len(screen.splitlines()), 1, screen)


class Pipes(Case):
    def test_head_ends_it_without_a_word(self):
        with GcpServer("-clusters", "5000") as server:
            process = subprocess.Popen([program("XDSCOPE"), "fetch", server.address, "cds", "--node-id", NODE],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment(), preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
            process.stdout.readline()
            process.stdout.close()
            err = process.stderr.read().decode()
            process.stderr.close()
            code = process.wait(timeout=20)
            self.assertEqual(err, "")
            self.assertIn(code, [0, 141, -signal.SIGPIPE])

    def test_a_full_disk_is_said(self):
        with GcpServer() as server, open("/dev/full", "wb") as full:
            done = subprocess.run([program("XDSCOPE"), "fetch", server.address, "cds", "--node-id", NODE],
                                  stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, env=environment(),
                                  timeout=20, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("space", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
