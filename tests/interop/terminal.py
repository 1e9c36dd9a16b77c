"""A program on a terminal of its own: keys go in, and pyte keeps the screen that a person would see.

    with Terminal(program("XDSCOPE"), "repl", address, columns=40) as terminal:
        terminal.until(lambda: terminal.shows("> "))
        terminal.type("sub cds\n")

A small leader of the session stands between the test and the program, as a shell does: it gives the terminal away, is
told when the program stops, lets it go on, and keeps the terminal open when the program is gone, so that a test can
read how the program left it.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

PATIENCE = 20  # seconds; only a test that fails waits them out

CTRL_C, CTRL_D, CTRL_R, CTRL_Z, TAB, ENTER = "\x03", "\x04", "\x12", "\x1a", "\t", "\r"
CTRL_BACKSLASH = "\x1c"
LEFT, UP, HOME, END = "\x1b[D", "\x1b[A", "\x01", "\x05"


def columns_of(char):
    import wcwidth  # the leader has no use for it, and its interpreter begins sooner without
    return max(wcwidth.wcwidth(char), 0)


def _screen(columns, rows):
    import pyte

    class Screen(pyte.Screen):
        """A screen that wraps wide characters as terminals do, and remembers what has left it at the top."""

        def __init__(self):
            super().__init__(columns, rows)
            self.gone = []

        def draw(self, data):
            for char in data:
                if columns_of(char) == 2 and self.cursor.x == self.columns - 1:
                    self.cursor.x = self.columns
                super().draw(char)

        def index(self):
            if self.cursor.y == self.lines - 1 and not self.margins:
                self.gone.append(self.display[0])
            super().index()

    return Screen()


class Terminal:
    """A program and its terminal, for as long as the `with` lasts."""

    def __init__(self, *command, columns=80, rows=24, env=None):
        import pyte
        self._command, self._env = command, env
        self._screen = _screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._reports = b""
        self.written = b""

    def __enter__(self):
        self._master, self.slave = pty.openpty()
        self._set_size()
        self._settings, self._mode = self._now()
        told, self._tell = os.pipe()
        self._hear, says = os.pipe()
        self._leader = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), str(told), str(says), *self._command], stdin=self.slave,
            stdout=self.slave, stderr=self.slave, env=self._env, pass_fds=(told, says), start_new_session=True)
        os.close(told)
        os.close(says)
        self.until(lambda: self._reported("pid"), "a program")
        return self

    def __exit__(self, *_):
        if self.is_there():
            os.kill(self.pid, signal.SIGKILL)
        os.close(self._tell)  # the leader ends by that
        self._leader.wait(timeout=PATIENCE)
        for descriptor in (self._hear, self._master, self.slave):
            os.close(descriptor)

    # What the program does.

    @property
    def pid(self):
        return int(self._reported("pid")[0].split()[1])

    @property
    def stops(self):
        """How often the program was stopped."""
        return len(self._reported("stopped"))

    @property
    def ended(self):
        return bool(self._reported("ended"))

    def is_there(self):
        """False when the program is gone, whether that was reported or is about to be."""
        return not self.ended and os.path.exists(f"/proc/{self.pid}")

    def end(self):
        """Waits until the program is gone; returns its exit code, or minus the signal that ended it."""
        self.until(lambda: self.ended, "the end of the program")
        return int(self._reported("ended")[0].split()[1])

    def signal(self, number):
        if self.is_there():
            os.kill(self.pid, number)

    def is_to_get(self, number):
        """True while a signal was sent that the program did not take yet."""
        if not self.is_there():
            return False
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as status:
            waiting = [int(line.split()[1], 16) for line in status if line.startswith(("SigPnd:", "ShdPnd:"))]
        return any(bits >> (number - 1) & 1 for bits in waiting)

    def go_on(self):
        """What `fg` does in a shell."""
        os.write(self._tell, b"go on\n")

    def as_before(self):
        """True when the terminal has the settings and the mode that it had before the program began."""
        return self._now() == (self._settings, self._mode)

    # What a person does.

    def type(self, keys):
        left = keys.encode()
        while left:
            left = left[os.write(self._master, left):]

    def resize(self, columns, rows=24):
        """What xterm does: lines that are too long lose their ends, and nothing is folded anew."""
        self._screen.resize(rows, columns)
        self._screen.cursor.x = min(self._screen.cursor.x, columns - 1)
        self._screen.cursor.y = min(self._screen.cursor.y, rows - 1)
        self._set_size()

    # What a person sees.

    @property
    def lines(self):
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self):
        """The screen and what has left it at the top, with lines that fill a row joined to the next."""
        rows = [*self._screen.gone, *self._screen.display]
        return "".join(row if row[-1:].strip() else row.rstrip() + "\n" for row in rows)

    @property
    def cursor(self):
        """Row and column; behind the last column is the beginning of the next row."""
        cursor = self._screen.cursor
        return (cursor.y + 1, 0) if cursor.x >= self._screen.columns else (cursor.y, cursor.x)

    @property
    def columns(self):
        return self._screen.columns

    @property
    def echoes(self):
        """True while the terminal itself shows what is typed."""
        return bool(self._now()[0][3] & termios.ECHO)

    def shows(self, *words):
        return all(word in self.text for word in words)

    def has_line(self, typed, at=None):
        """True when `typed`, prompt and all, stands whole at the bottom with nothing behind it, and the cursor before
        its character number `at` (None: at its end)."""
        row, column = place(typed, len(typed) if at is None else at, self.columns)
        top = self.cursor[0] - row
        if top < 0 or self.cursor[1] != column:
            return False
        rows = fold(typed, self.columns)
        shown = self.lines[top:]
        return [line.rstrip() for line in rows] == shown[:len(rows)] and not any(shown[len(rows):])

    def until(self, predicate, what="what the test waits for", seconds=PATIENCE):
        """Reads what the program writes until predicate() holds; a test fails when it never does."""
        deadline = time.monotonic() + seconds
        while not predicate():
            if time.monotonic() > deadline:
                raise AssertionError(f"never saw {what}; the cursor is at {self.cursor}, the screen is:\n" +
                                     "\n".join(f"|{line}" for line in self.lines))
            self._read(0.05)

    def _read(self, seconds):
        ready, _, _ = select.select([self._master, self._hear], [], [], seconds)
        if self._master in ready:
            chunk = os.read(self._master, 65536)
            self.written += chunk
            self._stream.feed(chunk)
        if self._hear in ready:
            self._reports += os.read(self._hear, 4096)

    def _reported(self, word):
        lines = self._reports.decode().split("\n")[:-1]
        return [line for line in lines if line.split()[0] == word]

    def _now(self):
        return termios.tcgetattr(self.slave), fcntl.fcntl(self.slave, fcntl.F_GETFL)

    def _set_size(self):
        size = struct.pack("HHHH", self._screen.lines, self._screen.columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)


# How a terminal folds a line.


def fold(text, columns):
    """The rows of a line; a wide character that does not fit begins the next one."""
    rows, used = [""], 0
    for char in text:
        if used + columns_of(char) > columns:
            rows.append("")
            used = 0
        rows[-1] += char
        used += columns_of(char)
    return rows


def place(text, at, columns):
    """Row and column of the character number `at`; of the one that could follow where there is none."""
    rows = fold(text[:at] + (text[at:at + 1] or " "), columns)
    return len(rows) - 1, sum(columns_of(char) for char in rows[-1][:-1])


# The leader of the session.


def _lead(told, says, command):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # it gives the terminal away from the background
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    child = os.fork()
    if child == 0:
        _become(command, told, says)
    os.write(says, b"pid %d\n" % child)
    threading.Thread(target=_obey, args=(told, child), daemon=True).start()
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            os.tcsetpgrp(0, os.getpgrp())
            os.write(says, b"stopped\n")
            continue
        os.tcsetpgrp(0, os.getpgrp())
        os.write(says, b"ended %d\n" % os.waitstatus_to_exitcode(status))
        threading.Event().wait()


def _become(command, told, says):
    os.close(told)
    os.close(says)
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(command[0], command)


def _obey(told, child):
    while os.read(told, 64):
        os.tcsetpgrp(0, child)
        os.kill(child, signal.SIGCONT)
    os._exit(0)


if __name__ == "__main__":
    _lead(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
