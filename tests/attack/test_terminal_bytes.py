"""Nothing that a peer says reaches a terminal or a log as it is: no command, no line end, nothing turned or unseen."""

import json
import os
import pty
import unicodedata
import unittest

import yaml

from bounded import Attack, run, start  # first: it knows where the others are
import api
import grpc
from scripted_server import ScriptedServer, closes_with, says

# One of each kind: C0, DEL, C1, line and paragraph separators, bidirectional marks, joiners, fillers, tags.
HIDDEN = ("\x00\x07\x08\t\n\r\x1b[2J\x7f\x85\x9b31m\xad\u061c\u115f\u180e\u200b\u200d\u200e\u2028\u2029\u202e\u2060\u2066"
          "\u3164\ufe0f\ufeff\ufff9\U000e0041")
OUTPUTS = ["yaml", "json", "ndjson", "text", "table", "tree", "name"]


def is_hidden(character):
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") or character in "\u115f\u3164\ufe0f"


def nasty(where):
    return f"{where}{HIDDEN}end"


def cluster():
    """A cluster with hidden characters in its name, texts, keys, and in an Any that nobody can open."""
    fields = {"name": nasty("name"), "alt_stat_name": nasty("text"),
              "metadata": {"filter_metadata": {nasty("key"): {nasty("inner"): nasty("value")}}},
              "eds_cluster_config": {"service_name": nasty("service"), "eds_config": {"ads": {}}}, "type": "EDS"}
    message = api.message(api.V3["cds"][0], fields)
    message.typed_extension_protocol_options[nasty("option")].CopyFrom(
        api.packed_bytes(api.PREFIX + nasty("type"), b"\xff" + HIDDEN.encode()))
    message.transport_socket_matches.add(name=nasty("socket"))
    return message


class TerminalBytes(Attack):
    def clean(self, result, streams=("out", "err")):
        for stream in streams:
            text = getattr(result, stream).decode()  # fails where it is no UTF-8
            found = sorted({hex(ord(c)) for c in text if is_hidden(c) and c != "\n"})
            self.assertEqual(found, [], f"{stream} of {result}")
        return result

    def fetch(self, script, *args, method=api.ADS):
        with ScriptedServer({method: script}) as server:
            return self.clean(run("fetch", server.address, *args))

    def response(self, **fields):
        payload = api.packed_bytes(api.url("cds"), cluster().SerializeToString())
        return api.response(api.url("cds"), [payload], version=nasty("version"), nonce=nasty("nonce"), **fields)

    def test_every_output(self):
        for output in OUTPUTS:
            for flags in [(), ("-v",), ("--raw",), ("--color", "never", "--emit-defaults")]:
                with self.subTest(output=output, flags=flags):
                    if flags == ("--raw",) and output in ("table", "tree", "name"):
                        continue
                    result = self.fetch(says(self.response()), "cds", "-o", output, *flags)
                    self.assertIn(result.code, (0, 1), result)

    def test_the_text_comes_back_as_it_was(self):
        for output in ["json", "yaml"]:
            result = self.fetch(says(self.response()), "cds", "-o", output)
            read = (yaml.safe_load if output == "yaml" else json.loads)(result.out.decode())
            self.assertEqual(read["resources"][0]["alt_stat_name"], nasty("text"))

    def test_one_line_for_each_name(self):
        resources = [api.resource("cds", {"name": f"a{i}\nb\u2028c\x85d\re"}) for i in range(3)]
        result = self.fetch(says(api.response(api.url("cds"), resources)), "cds", "-o", "name")
        self.assertEqual(len(result.out.decode().splitlines()), 3, result)

    def test_traces_are_lines(self):
        result = self.fetch(says(self.response()), "cds", "-v", "-o", "name")
        lines = result.err.decode().split("\n")
        self.assertTrue(all(len(line) <= 200 for line in lines), result)
        self.assertEqual(len([line for line in lines if line.startswith("<- ")]), 1, result)
        self.assertEqual(len([line for line in lines if line.startswith("-> ")]), 2, result)
        long = api.response(api.url("cds"), [], version="v" * 5000, nonce="n" * 5000)
        result = self.fetch(says(long), "cds", "-v")
        self.assertTrue(all(len(line) <= 200 for line in result.err.decode().split("\n")), result)
        self.assertIn(": 0 resources, ", result.err.decode())

    def test_whole_messages(self):
        self.fetch(says(self.response()), "cds", "-vv")
        self.fetch(says(b"\xff" + HIDDEN.encode()), "cds", "-vv")

    def test_what_a_server_says_at_its_end(self):
        self.fetch(closes_with(grpc.StatusCode.INTERNAL, nasty("status"), after=1), "cds")

    def test_findings(self):
        wrong = [api.wrapper(nasty("wrapper"), api.resource("cds", {"name": nasty("inner")}), nasty("v")),
                 api.wrapper("b", api.packed_bytes(api.PREFIX + nasty("t"), b""), "1")]
        answer = api.delta_response(api.url("cds"), wrong, [nasty("removed")], version=nasty("v"))
        error = answer.resource_errors.add()
        error.resource_name.name = nasty("error")
        error.error_detail.message = nasty("message")
        for flags in [(), ("-v",), ("--on-invalid", "nack", "-v")]:
            self.fetch(says(answer), "cds", "eds:x", "--wait", "1", "--variant", "delta-ads", *flags, method=api.DELTA_ADS)

    def test_absent_and_elsewhere(self):
        elsewhere = {"name": "c", "type": "EDS", "eds_cluster_config": {
            "service_name": nasty("service"), "eds_config": {"path_config_source": {"path": nasty("path")}}}}
        answer = api.response(api.url("cds"), [api.resource("cds", elsewhere)])
        self.fetch(says(answer), "cds", "--follow", "--wait", "1")
        self.fetch(says(self.response()), "cds", "--follow", "--wait", "1")

    def test_binary_does_not_go_to_a_terminal(self):
        master, slave = pty.openpty()
        with ScriptedServer({api.ADS: says(self.response())}) as server:
            process = start("fetch", server.address, "cds", "-o", "binary", stdout=slave)
            self.assertEqual(process.wait(timeout=20), 2)
            self.assertIn(b"-o binary", process.stderr.read())
        process.stderr.close()
        os.close(slave)
        os.close(master)


if __name__ == "__main__":
    unittest.main()
