"""Runs of xdscope that an attack cannot take the machine down with, and what they cost."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))

from harness import Case, environment, program  # noqa: E402


class Bounded:
    """How a run went: exit code (128 and its number for a signal), output, seconds, CPU seconds and peak resident memory
    in MB."""

    def __init__(self, args, code, out, err, seconds, cpu, peak_mb):
        self.args, self.code, self.out, self.err, self.seconds = args, code, out, err, seconds
        self.cpu, self.peak_mb = cpu, peak_mb

    @property
    def errors(self):
        return [line for line in self.err.decode(errors="replace").splitlines() if line.startswith("xdscope: ")]

    @property
    def hints(self):
        return [line for line in self.err.decode(errors="replace").splitlines() if line.startswith("hint:")]

    def __str__(self):
        return (f"xdscope {' '.join(self.args)}\nexit {self.code} after {self.seconds:.2f} s, CPU {self.cpu:.2f} s, "
                f"{self.peak_mb:.0f} MB\nstdout: {self.out[:2000]!r}\nstderr: {self.err[:4000]!r}")


def limited(args, memory_mb, cpu_seconds, below=()):
    """The command line of xdscope within limits, run by the command `below`. A shell sets them: what Python runs between
    fork and exec can fail where gRPC's threads are in this process."""
    limits = f"ulimit -v {memory_mb << 10} && ulimit -t {cpu_seconds}"
    return ["/bin/sh", "-c", f'{limits} && exec "$0" "$@"', *below, program("XDSCOPE"), *args]


def measured(path):
    """The command that runs xdscope and writes its peak memory in kB to a file. What wait4 says of a process begins with
    what the one that forked it held: here Python, with all that a test has made."""
    return ["/usr/bin/time", "--quiet", "--format=%M", f"--output={path}"]


def start(*args, memory_mb=4096, cpu_seconds=60, stdin=subprocess.DEVNULL, **kwargs):
    """xdscope as a process within limits, its output in pipes."""
    streams = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kwargs}
    return subprocess.Popen(limited(args, memory_mb, cpu_seconds), env=environment(), **streams)


def run(*args, memory_mb=4096, cpu_seconds=60, timeout=60, stdin=None):
    """Runs xdscope to its end within limits; one that does not end in time is killed and has code -9."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
            tempfile.NamedTemporaryFile() as peak:
        given.write(stdin or b"")
        given.seek(0)
        process = subprocess.Popen(limited(args, memory_mb, cpu_seconds, measured(peak.name)), stdin=given, stdout=out,
                                   stderr=err, env=environment(), start_new_session=True)
        killer = threading.Timer(timeout, os.killpg, [process.pid, signal.SIGKILL])
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Bounded(args, process.returncode, out.read(), err.read(), time.monotonic() - began,
                       usage.ru_utime + usage.ru_stime, int(peak.read() or 0) / 1024)


class Attack(Case):
    """A test case about what a stranger sends: xdscope lives, soon ends, and stays small."""

    def survives(self, result, *codes, seconds=10, peak_mb=200):
        """One of these exit codes, within that time and memory, and no word about an inner failure."""
        self.assertIn(result.code, codes, str(result))
        self.assertLess(result.seconds, seconds, str(result))
        self.assertLess(result.peak_mb, peak_mb, str(result))
        self.assertNotIn(b"internal", result.err.lower(), str(result))
        return result
