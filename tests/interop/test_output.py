"""Every -o, --raw, -q and -v: what a script may rely on."""

import json
import os
import re
import stat
import tempfile
import unittest

import yaml
from google.protobuf import text_format

import api
from harness import NODE, Case, GcpServer, by_type, run, snapshot, texts
from scripted_server import ScriptedServer, answers, says

STRINGS = ["yes", "no", "010", "0x1F", "1e3", "~", "null", "", " leading", "trailing ", "multi\nline\n", "multi\n\n  line", "tab\there",
           "näive ☃ 𝄞", "# no comment", "a: b", "- item", "'single'", "\"double\"", "\\backslash", "{brace", "[bracket", "@at", "`tick`",
           "%percent", "!tag", "&anchor", "*alias", "1_000", "12:30:45", "2001-01-01", ".inf", "=", "<<", "true", "On", "\x7f", "\u0085",
           "\u2028", "\ufeff", "\x01\x1b"]


class Formats(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer())

    def fetch(self, *args, **kwargs):
        return self.check(run("fetch", self.server.address, "--node-id", NODE, *args, **kwargs), 0)

    def test_yaml_is_the_default_and_equals_json(self):
        ours = list(yaml.safe_load_all(self.fetch("--show-secrets").out))
        self.assertEqual(ours, texts(self.fetch("--show-secrets", "-o", "json").out))
        self.assertEqual(self.fetch("-o", "yaml").out, self.fetch().out)

    def test_yaml_separates_types_by_three_dashes(self):
        out = self.fetch("cds", "lds").out
        self.assertEqual(len(re.findall(r"^---$", out, re.M)), 1, out[:500])

    def test_flags_in_several_spellings(self):
        want = self.fetch("cds", "-o", "json").out
        for spelling in [("-ojson",), ("-o=json",), ("--output=json",), ("--output", "json")]:
            with self.subTest(spelling=spelling):
                self.assertEqual(self.fetch("cds", *spelling).out, want)

    def test_ndjson_is_one_object_per_resource(self):
        found = {}
        for line in self.fetch("--show-secrets", "-o", "ndjson").out.splitlines():
            event = json.loads(line)
            self.assertEqual(set(event), {"type_url", "name", "version", "resource"})
            found.setdefault(event["type_url"], {})[event["name"]] = event["resource"]
        for short in ["lds", "rds", "srds", "cds", "eds", "sds", "ecds"]:
            want = {name: {"@type": api.url(short), **body} for name, body in snapshot()[short].items()}
            self.assertEqual(found[api.url(short)], want)

    def test_text_is_protobuf_text(self):
        out = self.fetch("cds", "-o", "text").out
        response = text_format.Parse(out, api.cls("envoy.service.discovery.v3.DiscoveryResponse")(),
                                     descriptor_pool=api.pool())
        self.assertEqual(by_type([api.to_json(response)])["cds"].keys(), snapshot()["cds"].keys())
        self.assertEqual([api.to_json(response)], texts(self.fetch("cds", "-o", "json").out))

    def test_binary_is_the_one_response(self):
        raw = self.fetch("cds", "-o", "binary", text=False).out
        response = api.cls("envoy.service.discovery.v3.DiscoveryResponse").FromString(raw)
        self.assertEqual([api.to_json(response)], texts(self.fetch("cds", "-o", "json").out))
        self.assertEqual((response.nonce, response.version_info), ("", "1"))

    def test_binary_redacts_secrets_too(self):
        raw = self.fetch("sds", "-o", "binary", text=False).out
        self.assertNotIn(b"HIDE-ME", raw)
        self.assertIn(b"HIDE-ME-web-key", self.fetch("sds", "-o", "binary", "--show-secrets", text=False).out)

    def test_binary_of_several_types_is_a_usage_error_before_anything_is_asked(self):
        before = len(self.server.requests)
        self.failed(run("fetch", self.server.address, "cds", "lds", "-o", "binary", "--node-id", NODE), 2, "one TYPE", hint="")
        self.assertEqual(len(self.server.requests), before)

    def test_name_prints_what_a_type_argument_takes(self):
        out = self.fetch("-o", "name").out.splitlines()
        self.assertEqual(out, [f"{short}:{name}" for short in api.ORDER
                               if short not in ("vhds", "rtds") for name in sorted(snapshot().get(short, {}))])
        again = self.fetch(*out, "-o", "name").out.splitlines()
        self.assertEqual(again, out)

    def test_table_has_a_line_for_each_resource(self):
        lines = self.fetch("cds", "eds", "-o", "table").out.splitlines()
        for name in [*snapshot()["cds"], *snapshot()["eds"]]:
            self.assertTrue(any(name in line.split() for line in lines), f"{name}\n" + "\n".join(lines))

    def test_tree_goes_from_listener_to_endpoint(self):
        lines = self.fetch("-o", "tree").out.splitlines()

        def depth(name):
            return next(len(re.match(r"[^\w]*", line)[0]) for line in lines if name in line)

        self.assertLess(depth("ingress-http"), depth("web-routes"))
        self.assertLess(depth("web-routes"), depth("web-v1"))
        self.assertLess(depth("web-v1"), depth("shop/web?version=1"))
        for name in [*snapshot()["lds"], "web-cert", "ext-authz", "aggregate", "tenant-b-routes", "ecds-lua"]:
            self.assertTrue(any(name in line for line in lines), f"{name}\n" + "\n".join(lines))

    def test_json_names(self):
        camel = texts(self.fetch("cds:web-v1", "-o", "json", "--json-names", "camel").out)[0]
        self.assertEqual(camel["versionInfo"], "1")
        self.assertIn("connectTimeout", camel["resources"][0])

    def test_emit_defaults_shows_what_was_left_out(self):
        plain = texts(self.fetch("cds:api", "-o", "json").out)[0]["resources"][0]
        full = texts(self.fetch("cds:api", "-o", "json", "--emit-defaults").out)[0]["resources"][0]
        self.assertNotIn("alt_stat_name", plain)
        self.assertEqual(full["alt_stat_name"], "")

    def test_colour_only_when_asked_for(self):
        self.assertNotIn("\x1b[", self.fetch("cds").out)
        self.assertIn("\x1b[", self.fetch("cds", "--color", "always").out)

    def test_an_unknown_output_is_a_usage_error_with_the_nearest(self):
        self.failed(run("fetch", self.server.address, "cds", "-o", "jsn"), 2, "jsn", "json", hint="")

    def test_raw_prints_the_responses_as_they_came(self):
        responses = texts(self.fetch("cds", "--raw", "-o", "json").out)
        self.assertEqual(len(responses), 1)
        self.assertNotEqual(responses[0]["nonce"], "")
        delta = texts(self.fetch("cds", "--raw", "-o", "json", "--variant", "delta").out)
        self.assertEqual(delta[0]["system_version_info"], "1")
        self.assertEqual({entry["name"] for entry in delta[0]["resources"]}, set(snapshot()["cds"]))


class Names(Case):
    """Strings that YAML is known to spoil."""

    def test_yaml_and_json_read_back_to_what_was_sent(self):
        clusters = [{"name": f"c{i:02d}", "alt_stat_name": text} for i, text in enumerate(STRINGS)]
        table = {api.url("cds"): {fields["name"]: api.resource("cds", fields) for fields in clusters}}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            from_json = texts(self.check(run("fetch", server.address, "cds", "-o", "json"), 0).out)
            from_yaml = list(yaml.safe_load_all(self.check(run("fetch", server.address, "cds"), 0).out))
        want = {fields["name"]: {key: value for key, value in fields.items() if value != ""} for fields in clusters}
        self.assertEqual(by_type(from_json)["cds"], want)
        self.assertEqual(by_type(from_yaml)["cds"], want)

    def test_keys_of_maps_are_strings_too(self):
        layer = {text: i for i, text in enumerate(STRINGS)}
        table = {api.url("rtds"): {"r": api.resource("rtds", {"name": "r", "layer": layer})}}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            from_yaml = list(yaml.safe_load_all(self.check(run("fetch", server.address, "rtds:r"), 0).out))
        self.assertEqual(by_type(from_yaml)["rtds"]["r"]["layer"], layer)


class Versions(Case):
    def test_the_last_version_is_printed(self):
        a, b = (api.resource("eds", {"cluster_name": name}) for name in "ab")
        script = says(api.response(api.url("eds"), [a], version="v1", nonce="1"),
                      api.response(api.url("eds"), [b], version="v2", nonce="2"))
        with ScriptedServer({api.ADS: script}) as server:
            result = self.check(run("fetch", server.address, "eds:a,b", "-o", "json"), 0)
            self.assertEqual(texts(result.out)[0]["version_info"], "v2")


class Verbosity(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer())

    def fetch(self, *flags):
        return self.check(run("fetch", self.server.address, "sds", "--node-id", NODE, *flags), 0)

    def test_by_default_and_quiet_a_good_fetch_says_nothing(self):
        self.assertEqual(self.fetch().err, "")
        self.assertEqual(self.fetch("-q").err, "")

    def test_v_has_a_line_for_each_message(self):
        lines = self.fetch("-v").err.splitlines()
        self.assertGreaterEqual(len([line for line in lines if "sds" in line.lower() or "Secret" in line]), 3, lines)

    def test_vv_has_them_in_full_and_redacted(self):
        for spelling in [("-vv",), ("-v", "-v")]:
            err = self.fetch(*spelling).err
            self.assertIn("web-cert", err)
            self.assertIn("public-web-cert", err)
            self.assertNotIn("HIDE-ME", err)

    def test_verbosity_does_not_touch_stdout(self):
        self.assertEqual(self.fetch("-vv").out, self.fetch().out)

if __name__ == "__main__":
    unittest.main()
