"""Resources that no real server sends: what cannot be opened is shown as far as it goes, and the rest goes on."""

import base64
import unittest

import api
from harness import Case, by_type, run, texts
from scripted_server import ScriptedServer, says

CDS = api.url("cds")
GOOD = api.resource("cds", {"name": "good"})
OUTPUTS = ["yaml", "json", "ndjson", "text", "table", "tree", "name"]


def cluster_with(any_message, name="odd"):
    """A cluster with a given Any as its transport socket."""
    cluster = api.message("envoy.config.cluster.v3.Cluster", {"name": name, "transport_socket": {"name": "t"}})
    cluster.transport_socket.typed_config.CopyFrom(any_message)
    return api.packed_bytes(CDS, cluster.SerializeToString())


class Payloads(Case):
    def fetch(self, resources, *flags):
        with ScriptedServer({api.ADS: says(api.response(CDS, resources))}) as server:
            return run("fetch", server.address, "cds", *(flags or ("-o", "json")))

    def socket_of(self, any_message):
        result = self.check(self.fetch([cluster_with(any_message), GOOD]), 0)
        found = by_type(texts(result.out))["cds"]
        self.assertEqual(found["good"], {"name": "good"})
        return found["odd"]["transport_socket"]["typed_config"], result

    def test_an_unknown_type_inside(self):
        shown, _ = self.socket_of(api.packed_bytes("type.googleapis.com/com.example.Unknown", b"\x08\x01"))
        self.assertEqual(shown["@type"], "type.googleapis.com/com.example.Unknown")
        self.assertEqual(shown["@value"], "CAE=")
        self.assertIn("@error", shown)

    def test_bytes_that_do_not_parse_inside(self):
        url = api.PREFIX + "google.protobuf.StringValue"
        shown, _ = self.socket_of(api.packed_bytes(url, b"\x0a\xff\xff"))
        self.assertEqual((shown["@type"], shown["@value"]), (url, base64.b64encode(b"\x0a\xff\xff").decode()))
        self.assertIn("@error", shown)

    def test_bytes_that_do_not_parse_and_may_hold_a_key_are_not_shown(self):
        url = api.PREFIX + "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
        shown, result = self.socket_of(api.packed_bytes(url, b"\x0a\xff\xffHIDE-ME"))
        self.assertIn("@error", shown)
        self.assertNotIn("SElERS1NR", result.out)
        self.assertNotIn(base64.b64encode(b"\x0a\xff\xffHIDE-ME").decode(), result.out)

    def test_text_that_is_not_utf8_inside(self):
        url = api.PREFIX + "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
        shown, _ = self.socket_of(api.packed_bytes(url, b"\x12\x02\xc3\x28"))
        self.assertIn("@error", shown)

    def test_another_prefix_is_opened_all_the_same(self):
        name = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
        body = api.message(name, {"sni": "x"}).SerializeToString()
        for prefix in ["types.example.com/deep/path/", "/"]:
            with self.subTest(prefix=prefix):
                shown, _ = self.socket_of(api.packed_bytes(prefix + name, body))
                self.assertEqual(shown, {"@type": prefix + name, "sni": "x"})

    def test_an_empty_any_inside(self):
        shown, _ = self.socket_of(api.packed_bytes("", b""))
        self.assertEqual(shown, {})

    def test_any_in_any_a_hundred_deep(self):
        inner = api.packed("envoy.config.cluster.v3.Cluster", {"name": "bottom"})
        for _ in range(100):
            inner = api.packed_bytes(api.PREFIX + "google.protobuf.Any", inner.SerializeToString())
        for output in OUTPUTS:
            with self.subTest(output=output):
                result = self.check(self.fetch([cluster_with(inner), GOOD], "-o", output), 0)
                self.assertIn("good", result.out)
        shown, _ = self.socket_of(inner)
        while "value" in shown:
            shown = shown["value"]
        self.assertTrue("@error" in shown or shown.get("name") == "bottom", shown)

    def test_a_value_nested_thousands_deep_is_refused_not_crashed_on(self):
        value = b""
        for _ in range(3000):
            value = _field(6, _field(1, value))  # google.protobuf.Value: a list that holds a list that …
        layer = _field(1, _field(1, b"k") + _field(2, value))
        runtime = api.packed_bytes(api.url("rtds"), _field(1, b"r") + _field(2, layer))
        with ScriptedServer({api.ADS: says(api.response(api.url("rtds"), [runtime]))}) as server:
            result = self.check(run("fetch", server.address, "rtds", "-o", "json"), 0)
            self.assertIn("@error", texts(result.out)[0]["resources"][0])

    def test_unknown_fields_do_not_hide_the_known(self):
        cluster = api.message("envoy.config.cluster.v3.Cluster", {"name": "odd", "alt_stat_name": "seen"})
        raw = cluster.SerializeToString() + b"\xfa\xff\x7f\x03abc"
        result = self.check(self.fetch([api.packed_bytes(CDS, raw)]), 0)
        self.assertEqual(by_type(texts(result.out))["cds"]["odd"]["alt_stat_name"], "seen")

    def test_a_resource_that_does_not_parse_is_shown_as_bytes_and_said(self):
        for output in OUTPUTS:
            with self.subTest(output=output):
                result = self.check(self.fetch([api.packed_bytes(CDS, b"\x0a\xff"), GOOD], "-o", output), 0)
                self.assertIn("good", result.out)
                self.assertNotEqual(result.err, "")

    def test_a_resource_of_another_type_is_shown_and_said(self):
        result = self.check(self.fetch([api.resource("lds", {"name": "stray"}), GOOD]), 0)
        self.assertIn("stray", result.out)
        self.assertEqual(len(result.err.splitlines()), 1, "one fact, one line\n" + result.err)
        self.assertIn("envoy.config.listener.v3.Listener", result.err)

    def test_an_unknown_resource_type_in_a_known_response(self):
        url = "type.googleapis.com/com.example.Unknown"
        result = self.check(self.fetch([api.packed_bytes(url, b"\x08\x01"), GOOD]), 0)
        self.assertIn(url, result.out)
        self.assertIn("good", result.out)

    def test_the_rare_wire_forms_merge_as_protobuf_merges_them(self):
        # A message field met twice is merged, a scalar met twice is the last one, packed and unpacked are the same.
        twice = (_field(1, b"odd") + b"\x22\x02\x08\x05" + b"\x22\x03\x10\xe8\x07" + _field(28, b"first") + _field(28, b"last"))
        result = self.check(self.fetch([api.packed_bytes(CDS, twice)]), 0)
        self.assertEqual(by_type(texts(result.out))["cds"]["odd"],
                         {"name": "odd", "connect_timeout": "5.000001s", "alt_stat_name": "last"})

    def test_control_characters_never_reach_a_terminal(self):
        nasty = api.resource("cds", {"name": "evil\x1b[2J\x07name"})
        for output in OUTPUTS:
            with self.subTest(output=output):
                result = self.check(self.fetch([nasty, GOOD], "-o", output, "-v"), 0)
                self.assertNotIn("\x1b", result.out + result.err)
                self.assertNotIn("\x07", result.out + result.err)

    def test_an_empty_response_is_an_answer(self):
        result = self.check(self.fetch([]), 0)
        self.assertEqual(by_type(texts(result.out)), {"cds": {}})


def _length(data):
    n, out = len(data), b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def _field(number, data):
    """A length-delimited field."""
    key, out = number << 3 | 2, b""
    while key > 0x7F:
        out += bytes([key & 0x7F | 0x80])
        key >>= 7
    return out + bytes([key]) + _length(data) + data


if __name__ == "__main__":
    unittest.main()
