"""What the tests share: the programs, running them, reading what xdscope prints."""

import functools
import json
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import api

NODE = "test-node"


def program(variable):
    path = os.environ.get(variable)
    if not path or not os.path.exists(path):
        raise RuntimeError(f"{variable}: no such program: {path}")
    return path


class Result:
    """How a run of xdscope went."""

    def __init__(self, args, code, out, err, seconds):
        self.args, self.code, self.out, self.err, self.seconds = args, code, out, err, seconds

    @property
    def hints(self):
        return [line for line in self.err.splitlines() if line.startswith("hint:")]

    @property
    def errors(self):
        return [line for line in self.err.splitlines() if line.startswith("xdscope: ")]

    def __str__(self):
        return (f"xdscope {' '.join(self.args)}\nexit {self.code} after {self.seconds:.2f} s\n"
                f"stdout: {self.out[:2000]}\nstderr: {self.err[:4000]}")


def environment(extra=None):
    """The environment of a run: nothing of the person who runs the tests."""
    keep = {key: value for key, value in os.environ.items()
            if key not in ("XDG_CONFIG_HOME", "NO_COLOR") and not key.lower().endswith("_proxy")}
    return {**keep, "HOME": tempfile.gettempdir(), **(extra or {})}


def start(*args, **kwargs):
    """xdscope as a process, for tests that do something while it runs."""
    return subprocess.Popen([program("XDSCOPE"), *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment(), **kwargs)


def run(*args, env=None, timeout=40, text=True):
    """Runs xdscope to its end."""
    began = time.monotonic()
    done = subprocess.run([program("XDSCOPE"), *args], stdin=subprocess.DEVNULL, capture_output=True,
                          env=environment(env), timeout=timeout, check=False)
    out = done.stdout.decode() if text else done.stdout
    return Result(args, done.returncode, out, done.stderr.decode(errors="replace"), time.monotonic() - began)


class GcpServer:
    """The go-control-plane server, for as long as the `with` lasts."""

    def __init__(self, *flags):
        self.flags = flags
        self.requests = []
        self._changed = threading.Condition()

    def __enter__(self):
        self._process = subprocess.Popen([program("XDSCOPE_GCPSERVER"), "-requests", *self.flags], text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        threading.Thread(target=self._listen, daemon=True).start()
        first = self._process.stdout.readline().split()
        if len(first) != 2:
            raise RuntimeError("gcpserver did not start")
        self.address = first[1]
        self.rest = self._process.stdout.readline().split()[1] if "-rest" in self.flags else None
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def tell(self, command):
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer.startswith("ok"):
            raise RuntimeError(answer)

    def wait_for(self, predicate, seconds=5):
        """Waits until predicate(requests) holds."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while not predicate(self.requests):
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return predicate(self.requests)
        return True

    def _listen(self):
        for line in self._process.stderr:
            if line.startswith("{"):
                with self._changed:
                    self.requests.append(json.loads(line))
                    self._changed.notify_all()
        self._process.stderr.close()


@functools.cache
def snapshot(*flags):
    """What gcpserver serves: short type name -> {name: resource}, without "@type"."""
    text = subprocess.run([program("XDSCOPE_GCPSERVER"), "-dump", *flags], capture_output=True, check=True).stdout
    urls = {api.url(short): short for short in api.V3}
    return {urls[type_url]: resources for type_url, resources in json.loads(text).items()}


def texts(out):
    """The JSON texts that follow one another on stdout."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(out):
        if out[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(out, at)
        found.append(value)
    return found


NAME_FIELDS = {"eds": "cluster_name"}
WRAPPER = api.PREFIX + "envoy.service.discovery.v3.Resource"


def by_type(responses, table=None):
    """DiscoveryResponses as JSON -> short type name -> {name: resource without "@type"}; demands the promised form."""
    urls = {api.url(short, table): short for short in (table or api.V3)}
    found = {}
    for response in responses:
        short = urls[response["type_url"]]
        if short in found:
            raise AssertionError(f"{short} was printed twice")
        found[short] = {}
        for item in response.get("resources", []):
            name, body = _unwrapped(short, item, response["type_url"])
            if name in found[short]:
                raise AssertionError(f"{short}:{name} was printed twice")
            found[short][name] = body
    return found


def _unwrapped(short, item, type_url):
    if short in ("vhds", "leds"):
        if item["@type"] != WRAPPER:
            raise AssertionError(f"{short} is printed inside its wrapper, not as {item['@type']}")
        name, item = item["name"], item["resource"]
    else:
        name = item[NAME_FIELDS.get(short, "name")]
    if item["@type"] != type_url:
        raise AssertionError(f"{item['@type']} in a response of {type_url}")
    return name, {key: value for key, value in item.items() if key != "@type"}


class Case(unittest.TestCase):
    """A test case that shows the whole run when it fails."""

    maxDiff = 20000

    def check(self, result, code, within=None):
        """The exit code, and what holds for every run: at most one hint, and a failure is one line."""
        self.assertEqual(result.code, code, str(result))
        self.assertLessEqual(len(result.hints), 1, str(result))
        if code not in (0, 1):
            self.assertLessEqual(len(result.errors), 1, str(result))
        if within is not None:
            self.assertLess(result.seconds, within, str(result))
        return result

    def failed(self, result, code, *words, hint=None, within=None):
        """A failure: exit code, one line on stderr with these words, a hint that has this word (or none at all)."""
        self.check(result, code, within)
        self.assertEqual(len(result.errors), 1, str(result))
        for word in words:
            self.assertIn(word.lower(), result.errors[0].lower(), str(result))
        if hint is None:
            self.assertEqual(result.hints, [], str(result))
        elif hint:
            self.assertEqual(len(result.hints), 1, str(result))
            self.assertIn(hint.lower(), result.hints[0].lower(), str(result))
        return result


def read_until(process, stream, predicate, seconds=10):
    """Collects what a process writes until predicate(bytes) holds or the time is over."""
    collected, deadline = b"", time.monotonic() + seconds
    while not predicate(collected) and (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([stream], [], [], left)
        if not ready:
            break
        chunk = os.read(stream.fileno() if hasattr(stream, "fileno") else stream, 65536)
        if not chunk:
            break
        collected += chunk
    return collected


def interrupt(process):
    """Ctrl-C."""
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=20)
    return out.decode(), err.decode(), time.monotonic() - began
