"""`xdscope serve` as a process, folders for it, and a client that speaks to it by hand."""

import json
import os
import queue
import shutil
import subprocess
import threading
import time

import grpc

import api
from harness import WRAPPER, environment, program

EXAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples", "mesh")


class Serve:
    """`xdscope serve FOLDER`, for as long as the `with` lasts. `limits` is called in the child before it begins."""

    def __init__(self, folder, *flags, limits=None):
        self.limits = limits
        self.command = [program("XDSCOPE"), "serve", folder, "--listen", "127.0.0.1:0", "-v", *flags]
        self.lines = []
        self._changed = threading.Condition()

    def __enter__(self):
        self.process = subprocess.Popen(self.command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, env=environment(), preexec_fn=self.limits)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.address = self.hear("grpc ").split()[1]
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=10)
        self._listener.join(timeout=10)
        self.process.stderr.close()

    def hear(self, *words, seconds=15, after=0):
        """The first line from number `after` on that has all the words; waits for it."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                for line in self.lines[after:]:
                    if all(word in line for word in words):
                        return line
                left = deadline - time.monotonic()
                if left <= 0 or self.process.poll() is not None and not self._changed.wait(1):
                    raise AssertionError(f"never said {words}:\n" + "\n".join(self.lines[-40:]))
                self._changed.wait(left)

    def mark(self):
        """Where hear() may begin, to hear only of what happens from now on."""
        with self._changed:
            return len(self.lines)

    def memory(self, field="VmRSS"):
        """Resident megabytes; VmHWM: the most there ever were."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
        raise AssertionError(f"no {field}")

    def _listen(self):
        for line in self.process.stderr:
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()


def copy_example(folder, replace=()):
    """The example in a folder of the test's own; `replace`: pairs of text and what takes its place."""
    for name in os.listdir(EXAMPLE):
        with open(os.path.join(EXAMPLE, name), encoding="utf-8") as stream:
            text = stream.read()
        for old, new in replace:
            text = text.replace(old, new)
        write(folder, name, text)
    return folder


def write(folder, name, contents):
    """Writes a file in place."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(contents if isinstance(contents, str) else json.dumps(contents))


def swap(folder, name, contents):
    """Writes a file beside it and renames it."""
    write(folder, f".{name}.new", contents)
    os.rename(os.path.join(folder, f".{name}.new"), os.path.join(folder, name))


def cluster(name, **fields):
    return {"@type": api.url("cds"), "name": name, "connect_timeout": "1s", **fields}


def endpoints(name, port=8080, address="127.0.0.1"):
    endpoint = {"endpoint": {"address": {"socket_address": {"address": address, "port_value": port}}}}
    return {"@type": api.url("eds"), "cluster_name": name, "endpoints": [{"lb_endpoints": [endpoint]}]}


def runtime(name, **fields):
    return {"@type": api.url("rtds"), "name": name, "layer": fields}


def mortal(ttl, resource):
    """A resource in a wrapper with a time to live."""
    return {"@type": WRAPPER, "name": resource.get("cluster_name") or resource["name"], "ttl": ttl, "resource": resource}


def link_folder(folder, generation, files):
    """The layout of a Kubernetes volume: folder/FILE -> ..data/FILE, ..data -> ..GENERATION."""
    inner = os.path.join(folder, f"..{generation}")
    os.mkdir(inner)
    for name, contents in files.items():
        write(inner, name, contents)
        if not os.path.lexists(os.path.join(folder, name)):
            os.symlink(os.path.join("..data", name), os.path.join(folder, name))
    data = os.path.join(folder, "..data")
    old = os.readlink(data) if os.path.lexists(data) else None
    os.symlink(f"..{generation}", data + "_tmp")
    os.rename(data + "_tmp", data)
    if old:
        shutil.rmtree(os.path.join(folder, old))


class Client:
    """A stream that is driven by hand: send() requests, receive() responses."""

    def __init__(self, address, method, credentials=None):
        options = [("grpc.max_receive_message_length", -1)]
        self.channel = (grpc.secure_channel(address, credentials, options) if credentials
                        else grpc.insecure_channel(address, options))
        self.delta = "Delta" in method
        name = "DeltaDiscovery" if self.delta else "Discovery"
        self._package = "envoy.api.v2." if "v2" in method else "envoy.service.discovery.v3."
        self.request_class = api.cls(f"{self._package}{name}Request")
        self.response_class = api.cls(f"{self._package}{name}Response")
        self._requests = queue.SimpleQueue()
        self.call = self.channel.stream_stream(method)(iter(self._requests.get, None))
        self._responses = queue.SimpleQueue()
        self.end = None
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call.cancel()
        self._requests.put(None)
        self.channel.close()

    def send(self, **fields):
        request = self.request_class()
        if "error" in fields:
            request.error_detail.code, request.error_detail.message = 3, fields.pop("error")
        for name, value in fields.items():
            if isinstance(value, dict):
                getattr(request, name).update(value)
            elif isinstance(value, list):
                getattr(request, name).extend(value)
            else:
                setattr(request, name, value)
        self._requests.put(request.SerializeToString())

    def send_bytes(self, raw):
        self._requests.put(raw)

    def half_close(self):
        self._requests.put(None)

    def receive(self, seconds=10):
        """The next response; None: the stream has ended, and `end` says how."""
        raw = self._responses.get(timeout=seconds)
        return None if raw is None else self.response_class.FromString(raw)

    def quiet(self, seconds=0.3):
        """True when nothing comes for so long."""
        try:
            raw = self._responses.get(timeout=seconds)
        except queue.Empty:
            return True
        self._responses.put(raw)
        return False

    def ack(self, response, **fields):
        if not self.delta:
            fields["version_info"] = response.version_info
        self.send(type_url=response.type_url, response_nonce=response.nonce, **fields)

    def _read(self):
        try:
            for raw in self.call:
                self._responses.put(raw)
            self.end = grpc.StatusCode.OK, ""
        except grpc.RpcError as error:
            self.end = error.code(), error.details()
        self._responses.put(None)


def names(response):
    """The names in a response: of wrappers in delta, of resources else."""
    found = []
    for entry in response.resources:
        if hasattr(entry, "type_url"):
            fields = api.to_json(api.cls(entry.type_url.rsplit("/", 1)[1]).FromString(entry.value))
            found.append(fields.get("name") or fields.get("cluster_name"))
        else:
            found.append(entry.name)
    return found
