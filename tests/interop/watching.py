"""`xdscope watch` as a process: its events, or its lines, as they come."""

import json
import subprocess
import threading
import time

from harness import environment, program

PATIENCE = 20


class Watch:
    """`xdscope watch ARGS -o ndjson`, for as long as the `with` lasts. Events are read as they come."""

    def __init__(self, *args, output="ndjson"):
        self.command = [program("XDSCOPE"), "watch", *args, *(["-o", output] if output else [])]
        self.lines = []
        self.err = []
        self._changed = threading.Condition(threading.RLock())

    def __enter__(self):
        self.process = subprocess.Popen(self.command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment())
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.err))]
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.ended()

    @property
    def events(self):
        with self._changed:
            return [json.loads(line) for line in self.lines]

    def ended(self, seconds=PATIENCE):
        """The exit code; waits for the end."""
        code = self.process.wait(timeout=seconds)
        for reader in self._readers:
            reader.join(timeout=seconds)
        return code

    def signal(self, number):
        self.process.send_signal(number)
        return self.ended()

    def mark(self):
        """Where sees() may begin, to see only what comes from now on."""
        with self._changed:
            return len(self.lines)

    def sees(self, event, name=None, after=0, count=1, seconds=PATIENCE):
        """The first `count` events of this kind (and name) from number `after` on; waits for them."""
        found = []

        def there():
            found[:] = [each for each in self.events[after:]
                        if each["event"] == event and name in (None, each.get("name"))]
            return len(found) >= count
        self.until(there, f"{count} times {event} {name or ''}", seconds)
        return found[0] if count == 1 else found[:count]

    def says(self, *words, seconds=PATIENCE):
        """The first line that has all the words; waits for it."""
        found = []

        def there():
            found[:] = [line for line in self.lines if all(word in line for word in words)]
            return bool(found)
        self.until(there, str(words), seconds)
        return found[0]

    def until(self, predicate, what, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        with self._changed:
            while not predicate():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"never came: {what}\n" + "\n".join(self.lines[-40:] + self.err[-10:]))
                self._changed.wait(min(left, 1))

    def _read(self, stream, lines):
        for line in stream:
            with self._changed:
                lines.append(line.rstrip("\n"))
                self._changed.notify_all()
        stream.close()
