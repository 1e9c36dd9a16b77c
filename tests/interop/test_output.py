"""Every -o, --out-dir, --raw, -q and -v: what a script may rely on."""

import contextlib
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
from scripted_server import ScriptedServer, answers, says, silent

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


@contextlib.contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def tree(folder):
    """Path in the folder -> mode."""
    return {os.path.relpath(os.path.join(base, name), folder): stat.S_IMODE(os.stat(os.path.join(base, name)).st_mode)
            for base, _, names in os.walk(folder) for name in names}


def response(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as stream:
        return yaml.safe_load(stream)


class OutDir(Case):
    """--out-dir: files in place of stdout. That Envoy runs on them is shown in test_envoy."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(GcpServer())

    def setUp(self):
        self.parent = self.enterContext(tempfile.TemporaryDirectory())
        self.folder = os.path.join(self.parent, "new", "out")
        self.enterContext(umask(0o022))

    def fetch(self, *args, server=None, code=0):
        address = (server or self.server).address
        result = self.check(run("fetch", address, "--node-id", NODE, "--out-dir", self.folder, *args), code)
        self.assertEqual(result.out, "", str(result))
        return result

    def test_a_file_for_listeners_clusters_and_scopes_and_one_for_each_other_resource(self):
        self.fetch()
        files = set(tree(self.folder))
        self.assertLessEqual({"envoy.yaml", "lds.yaml", "cds.yaml", "srds.yaml", "rds/web-routes.yaml", "sds/web-cert.yaml",
                              "eds/shop%2Fweb%3Fversion=1.yaml", "ecds/ecds-lua.yaml"}, files)
        self.assertEqual(len([name for name in files if name.startswith("eds/")]), len(snapshot()["eds"]))
        held = response(self.folder, "lds.yaml")
        self.assertEqual({item["name"] for item in held["resources"]}, set(snapshot()["lds"]))
        self.assertEqual((held["version_info"], held["type_url"]), ("1", api.url("lds")))
        routes = response(self.folder, "rds/web-routes.yaml")["resources"]
        self.assertEqual(routes, [{"@type": api.url("rds"), **snapshot()["rds"]["web-routes"]}])

    def test_the_sources_of_this_server_are_the_files_and_nothing_else_changed(self):
        self.fetch("--show-secrets")
        text = json.dumps(response(self.folder, "cds.yaml")["resources"])
        for name in ["eds/shop%2Fweb%3Fversion=1", "eds/web-v2", "eds/tcp-a", "sds/upstream-cert", "sds/upstream-ca"]:
            source = {"path_config_source": {"path": f"{os.path.realpath(self.folder)}/{name}.yaml"}}
            self.assertIn(json.dumps(source)[1:-1], text)
        self.assertNotRegex(text, '"(ads|self)"')
        self.assertIn("other-control-plane", text)  # leads elsewhere
        ours = {item["name"]: item for item in response(self.folder, "cds.yaml")["resources"]}
        self.assertEqual(ours["aggregate"], {"@type": api.url("cds"), **snapshot()["cds"]["aggregate"]})
        self.assertEqual(ours["web-v1"]["eds_cluster_config"]["eds_config"]["initial_fetch_timeout"], "0s")

    def test_the_cluster_of_this_server_in_the_bootstrap_is_this_server(self):
        def cluster(name, server):
            service = {"envoy_grpc": {"cluster_name": server}}
            return api.resource("cds", {"name": name, "type": "EDS", "eds_cluster_config": {"eds_config": {
                "api_config_source": {"api_type": "GRPC", "grpc_services": [service]}}}})

        table = {api.url("cds"): {"a": cluster("a", "xds"), "b": cluster("b", "other")},
                 api.url("eds"): {"a": api.resource("eds", {"cluster_name": "a"})}, api.url("lds"): {}}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            host, port = server.address.split(":")
            address = {"socket_address": {"address": host, "port_value": int(port)}}
            bootstrap = {"static_resources": {"clusters": [{"name": "xds", "load_assignment": {"endpoints": [
                {"lb_endpoints": [{"endpoint": {"address": address}}]}]}}]}, "dynamic_resources": {"ads_config": {
                    "api_type": "GRPC", "grpc_services": [{"envoy_grpc": {"cluster_name": "xds"}}]}}}
            path = os.path.join(self.parent, "bootstrap.json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump(bootstrap, out)
            self.check(run("fetch", "--bootstrap", path, "--out-dir", self.folder), 0)
        sources = {item["name"]: item["eds_cluster_config"]["eds_config"]
                   for item in response(self.folder, "cds.yaml")["resources"]}
        self.assertEqual(sources["a"]["path_config_source"]["path"], os.path.realpath(self.folder) + "/eds/a.yaml")
        self.assertIn("api_config_source", sources["b"])

    def test_the_bootstrap_names_the_node_and_the_files(self):
        self.fetch("--node-cluster", "front", "--metadata", "team=a", "--metadata", "api_key=HIDE-ME")
        text = response(self.folder, "envoy.yaml")
        self.assertEqual(text["node"], {"id": NODE, "cluster": "front",
                                        "metadata": {"team": "a", "api_key": "[redacted]"}})
        self.assertEqual(text["dynamic_resources"]["cds_config"]["path_config_source"]["path"],
                         os.path.realpath(self.folder) + "/cds.yaml")
        self.assertEqual(text["admin"]["address"]["socket_address"]["address"], "127.0.0.1")

    def test_formats(self):
        for output, ending in [("json", "json"), ("text", "pb_text"), ("binary", "pb")]:
            self.fetch("-o", output)
            for name in ["lds", "srds", "eds/tcp-a"]:
                self.assertTrue(os.path.exists(f"{self.folder}/{name}.{ending}"))
        with open(f"{self.folder}/eds/tcp-a.pb", "rb") as stream:
            got = api.cls("envoy.service.discovery.v3.DiscoveryResponse").FromString(stream.read())
        with open(f"{self.folder}/eds/tcp-a.json", encoding="utf-8") as stream:
            self.assertEqual(json.load(stream), api.to_json(got))

    def test_secrets_are_redacted_and_it_says_so(self):
        result = self.fetch()
        self.assertIn("secrets are redacted in ", result.err)
        self.assertIn("sds/web-cert.yaml", result.err)
        self.assertIn("--show-secrets", result.err)
        for name, mode in tree(self.folder).items():
            self.assertEqual(mode, 0o600 if name.startswith("sds/") else 0o644, name)
        self.assertNotIn("HIDE-ME", self.everything())

    def test_secrets_that_are_shown_are_for_their_owner_alone(self):
        result = self.fetch("--show-secrets")
        self.assertNotIn("redacted", result.err)
        modes = tree(self.folder)
        self.assertIn("HIDE-ME-web-key", self.everything())
        for name, mode in modes.items():
            with open(os.path.join(self.folder, name), encoding="utf-8") as stream:
                holds = "HIDE-ME" in stream.read()
            self.assertTrue(mode == 0o600 or not holds, name)
        self.assertEqual((modes["sds/web-cert.yaml"], modes["sds/upstream-ca.yaml"], modes["lds.yaml"]),
                         (0o600, 0o600, 0o644))

    def everything(self):
        texts_ = []
        for name in tree(self.folder):
            with open(os.path.join(self.folder, name), encoding="utf-8") as stream:
                texts_.append(stream.read())
        return "".join(texts_)

    def test_names_are_never_paths(self):
        names = ["../../up", "..", ".", "/etc/passwd", "a/b", "a%2Fb", "A%2fB", "x" * 300, "x" * 301, "näive\n", "~", "-o"]
        table = {api.url("eds"): {name: api.resource("eds", {"cluster_name": name}) for name in names}}
        with ScriptedServer({api.ADS: answers(table)}) as server:
            result = self.fetch("eds", server=server)
        self.assertIn(f"wrote {len(names)} files to {self.folder}\n", result.err)
        files = tree(self.parent)
        self.assertEqual({os.path.dirname(name) for name in files}, {"new/out/eds"})
        held = {response(self.parent, name)["resources"][0]["cluster_name"] for name in files}
        self.assertEqual(held, set(names))
        self.assertEqual(len({name.lower() for name in files}), len(names))

    def test_files_are_replaced_and_others_stay(self):
        os.makedirs(os.path.join(self.folder, "eds"))
        for name in ["cds.yaml", "mine.txt", "eds/mine.yaml"]:
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
                out.write("mine")
        before = os.stat(os.path.join(self.folder, "cds.yaml")).st_ino
        self.fetch()
        self.assertNotEqual(os.stat(os.path.join(self.folder, "cds.yaml")).st_ino, before)
        self.assertEqual([name for name in tree(self.folder) if name.endswith(".tmp")], [])
        for name in ["mine.txt", "eds/mine.yaml"]:
            with open(os.path.join(self.folder, name), encoding="utf-8") as stream:
                self.assertEqual(stream.read(), "mine")

    def test_a_folder_that_cannot_be_written_is_exit_3_with_the_reason(self):
        blocked = os.path.join(self.parent, "file")
        with open(blocked, "w", encoding="utf-8"):
            pass
        for folder, reason in [(blocked, "Not a directory"), (blocked + "/below", "Not a directory")]:
            result = run("fetch", self.server.address, "--node-id", NODE, "--out-dir", folder)
            self.failed(result, 3, folder, reason)
            self.assertEqual(result.out, "")
        os.makedirs(os.path.join(self.folder, "cds.yaml", "in-the-way"))
        self.failed(run("fetch", self.server.address, "--node-id", NODE, "--out-dir", self.folder), 3,
                    self.folder + "/cds.yaml", "Is a directory")
        self.assertEqual([name for name in tree(self.folder) if name.endswith(".tmp")], [])

    def test_what_does_not_go_with_it_is_a_usage_error(self):
        for flags in [("--raw",), ("-o", "table"), ("-o", "ndjson"), ("-o", "tree"), ("-o", "name"), ("--api", "v2")]:
            self.failed(run("fetch", self.server.address, "--out-dir", self.folder, *flags), 2, "--out-dir")
        self.failed(run("fetch", self.server.address, "--out-dir", ""), 2, "--out-dir")
        self.assertFalse(os.path.exists(self.folder))

    def test_the_summary_is_the_last_line_and_quiet_has_none(self):
        result = self.fetch()
        self.assertEqual(result.err.splitlines()[-1], f"wrote {len(tree(self.folder))} files to {self.folder}; "
                         f"run them with: envoy -c {self.folder}/envoy.yaml")
        self.assertEqual(self.fetch("-q").err, "")

    def test_absent_names_keep_their_exit_code_and_get_a_file_without_a_resource(self):
        result = self.fetch("eds:tcp-a,gone", "--wait", "500ms", code=1)
        self.assertIn("absent: eds:gone", result.err)
        self.assertEqual(response(self.folder, "eds/gone.yaml").get("resources", []), [])
        self.assertNotIn("envoy.yaml", tree(self.folder))  # there is nothing to run

    def test_what_was_not_fetched_stays_as_it_is_and_is_said(self):
        result = self.fetch("cds")
        self.assertIn("--follow", result.err)
        self.assertIn("eds:web-v2", result.err)
        self.assertIn("elsewhere: eds:tcp-b (cluster other-control-plane)", result.err)
        self.assertIn('"ads"', json.dumps(response(self.folder, "cds.yaml")))

    def test_what_no_file_can_bring_is_said_in_one_line(self):
        for variant, became in [("ads", "left out"), ("delta-ads", "now in it")]:
            lines = [line for line in self.fetch("--variant", variant).err.splitlines() if "from no file" in line]
            self.assertEqual(len(lines), 1)
            self.assertIn(f"vhds of rds:vhds-routes ({became})", lines[0])
        hosts = response(self.folder, "rds/vhds-routes.yaml")["resources"][0]["virtual_hosts"]
        self.assertLessEqual(set(snapshot()["vhds"]), {host["name"] for host in hosts})

    def test_a_server_that_says_nothing_leaves_no_folder(self):
        with ScriptedServer({api.ADS: silent}) as server:
            self.failed(run("fetch", server.address, "--out-dir", self.folder, "--wait", "300ms"), 3, "no response", hint="")
        self.assertFalse(os.path.exists(self.folder))


if __name__ == "__main__":
    unittest.main()
