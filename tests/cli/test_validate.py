#!/usr/bin/env python3
"""`xdscope validate`: the built binary on files and folders, in all its forms.

Usage: test_validate.py PATH_OF_XDSCOPE
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

XDSCOPE = ""
CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
GOOD = f"""resources:
- '@type': {CLUSTER}
  name: web
  connect_timeout: 1s
"""
BAD_ENUM = GOOD + "  lb_policy: RONUD_ROBIN\n"
BAD_VALUE = GOOD + "  least_request_lb_config: {choice_count: 1}\n"


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def put(self, name, contents):
        with open(os.path.join(self.folder, name), "wb") as out:
            out.write(contents if isinstance(contents, bytes) else contents.encode())
        return name

    def contents(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def run_it(self, code, *arguments, stdin=b""):
        """What a run prints that ends with this code."""
        done = subprocess.run([XDSCOPE, "validate", *arguments], cwd=self.folder, capture_output=True, timeout=60,
                              input=stdin, check=False)
        self.assertEqual(done.returncode, code, done.stderr.decode() + done.stdout.decode())
        self.said = done.stderr.decode()
        return done.stdout.decode()

    def findings(self, code, *arguments, stdin=b""):
        return json.loads(self.run_it(code, *arguments, "-o", "json", stdin=stdin))["findings"]


class Text(InAFolder):
    def test_what_is_good_is_counted(self):
        self.put("cds.yaml", GOOD)
        self.assertRegex(self.run_it(0, "cds.yaml"), r"^no errors in 1 file \(1 resource, 0 skipped\); API Envoy [\d.]+\n$")
        self.assertEqual(self.run_it(0, "cds.yaml", "-q"), "")

    def test_a_finding_is_a_line_and_what_is_known_beside_it(self):
        self.put("cds.yaml", BAD_VALUE)
        self.assertEqual(self.run_it(1, "cds.yaml", "-q"),
                         "cds.yaml:5:29: error: choice_count must be at least 2 [pgv.uint32.gte]\n"
                         "  at Cluster \"web\": least_request_lb_config.choice_count\n"
                         "  value: 1      rule: envoy.config.cluster.v3.Cluster.LeastRequestLbConfig.choice_count {gte: 2}\n"
                         "  who: Envoy refuses the cluster, or all of the response where it is not about an extension\n")

    def test_what_envoy_drops_in_silence_is_an_error(self):
        self.put("cds.yaml", BAD_ENUM)
        self.assertIn("cds.yaml:5:14: error: no such value in envoy.config.cluster.v3.Cluster.LbPolicy "
                      "(nearest: ROUND_ROBIN) [XDS-V011]\n  at Cluster \"web\": lb_policy\n  who: Envoy takes this and drops it",
                      self.run_it(1, "cds.yaml"))

    def test_a_place_in_a_binary_file_is_a_byte(self):
        self.put("cds.pb", b"\x12\x05\x0a\x0acut")
        self.assertRegex(self.run_it(1, "cds.pb"), r"^cds\.pb:@0x[0-9a-f]+: error: ")

    def test_control_characters_do_not_reach_the_terminal(self):
        self.put("cds.yaml", GOOD.replace("name: web", 'name: "a\\e[31mb"') + "  nmae: x\n")
        self.assertIn(r'Cluster "a\x1b[31mb"', self.run_it(1, "cds.yaml"))

    def test_color_is_asked_for(self):
        self.put("cds.yaml", BAD_VALUE)
        self.assertIn("\x1b[31merror\x1b[0m", self.run_it(1, "cds.yaml", "--color", "always"))
        self.assertNotIn("\x1b", self.run_it(1, "cds.yaml"))


class Targets(InAFolder):
    def test_of_a_folder_all_discovery_files_are_judged(self):
        for name in ("cds.yaml", "lds.json", ".hidden.yaml", "readme.md", "server.pem"):
            self.put(name, GOOD if name == "cds.yaml" else "{}")
        os.mkdir(os.path.join(self.folder, "below"))
        self.put("below/cds.yaml", BAD_VALUE)
        document = json.loads(self.run_it(0, ".", "-o", "json"))
        self.assertEqual([file["file"] for file in document["files"]], ["cds.yaml", "lds.json"])

    def test_one_bad_file_leaves_the_others(self):
        self.put("a.yaml", "resources: [")
        self.put("b.yaml", BAD_VALUE)
        self.assertEqual([finding["file"] for finding in self.findings(1, ".")], ["a.yaml", "b.yaml"])

    def test_what_cannot_be_read_is_a_finding_and_exit_3(self):
        self.put("b.yaml", BAD_VALUE)
        missing, bad = self.findings(3, "gone.yaml", "b.yaml")
        self.assertEqual((missing["id"], missing["file"], missing["message"]),
                         ("XDS-V220", "gone.yaml", "No such file or directory"))
        self.assertEqual(bad["id"], "pgv.uint32.gte")

    def test_a_folder_without_discovery_files_is_no_success(self):
        self.put("readme.md", "x")
        self.assertIn("there are no discovery files", self.run_it(3, "."))

    def test_standard_input_is_a_target(self):
        self.assertEqual(self.run_it(1, "-", "-q", stdin=BAD_VALUE.encode()).split(":")[0], "-")
        self.run_it(0, "-", stdin=GOOD.encode())

    def test_bare_resources_need_their_type(self):
        self.put("clusters.yaml", "- name: web\n- name: api\n  nmae: x\n")
        self.assertEqual([finding["id"] for finding in self.findings(1, "clusters.yaml")], ["XDS-V001", "XDS-V001"])
        (finding,) = self.findings(1, "clusters.yaml", "--type", "cds")
        self.assertEqual((finding["resource"]["name"], finding["path"]), ("api", "nmae"))
        self.findings(1, "clusters.yaml", "--type", "envoy.config.cluster.v3.Cluster")


class Selecting(InAFolder):
    def setUp(self):
        super().setUp()
        self.put("cds.yaml", BAD_VALUE + "  alt_stat_name: 'x'\n  nmae: x\n")
        self.put("empty.yaml", "resources: []\n")

    def ids(self, code, *arguments):
        return [finding["id"] for finding in self.findings(code, ".", *arguments)]

    def test_only_and_disable_take_ids_and_patterns(self):
        self.assertEqual(self.ids(1), ["pgv.uint32.gte", "XDS-V011", "XDS-V014"])
        self.assertEqual(self.ids(1, "--only", "pgv.*"), ["pgv.uint32.gte"])
        self.assertEqual(self.ids(1, "--only", "pgv.*", "--only", "XDS-V011"), ["pgv.uint32.gte", "XDS-V011"])
        self.assertEqual(self.ids(0, "--disable", "XDS-V011", "--disable", "pgv.*"), ["XDS-V014"])
        self.assertEqual(self.ids(0, "--only", "pgv.*", "--disable", "pgv.*"), [])

    def test_fail_on_says_what_fails(self):
        warning = ["--only", "XDS-V014"]
        self.ids(0, *warning)
        self.ids(1, *warning, "--fail-on", "warning")


    def test_a_baseline_is_no_news(self):
        self.put("known.json", self.run_it(1, ".", "-o", "json"))
        self.put("known.ndjson", self.run_it(1, ".", "-o", "ndjson"))
        self.put("cds.yaml", "# moved\n" + self.contents("cds.yaml") + "  oops: 1\n")
        for known in ("known.json", "known.ndjson"):
            new = [finding for finding in self.findings(1, "cds.yaml", "empty.yaml", "--baseline", known)]
            self.assertEqual([finding["path"] for finding in new], ["oops"])
        self.run_it(2, ".", "--baseline", "cds.yaml")
        self.assertEqual(self.said, "xdscope: --baseline cds.yaml: is no JSON\n")

    def test_a_comment_ignores_rules_on_its_line_and_below_it(self):
        self.put("cds.yaml", GOOD + """  # It is meant so.
  # xds-ignore: pgv.uint32.*, XDS-V999
  least_request_lb_config: {choice_count: 1}
  nmae: x  # xds-ignore: XDS-V011 for now
  nmeo: x  # xds-ignore: XDS-V012
""")
        self.assertEqual([finding["path"] for finding in self.findings(1, "cds.yaml")], ["nmeo"])


class Sets(InAFolder):
    """Files that are judged together."""

    ROUTES = """resources:
- '@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration
  name: main
  virtual_hosts:
  - name: all
    domains: ['*']
    routes:
    - match: {prefix: /}
      route: {cluster: nobody}
"""

    def test_a_reference_that_leads_nowhere_is_a_warning_and_with_strict_an_error(self):
        self.put("cds.yaml", GOOD)
        self.put("rds.yaml", self.ROUTES)
        for code, severity, flags in ((0, "warning", []), (1, "error", ["--strict"])):
            (finding,) = self.findings(code, ".", *flags)
            self.assertEqual((finding["id"], finding["severity"], finding["file"], finding["line"]),
                             ("XDS-V051", severity, "rds.yaml", 9))
        self.assertEqual(self.findings(0, ".", "--strict", "--known-cluster", "nobody"), [])
        self.assertEqual(len(self.findings(0, "cds.yaml", "rds.yaml")), 1)

    def test_folders_are_sets_of_their_own(self):
        for folder in ("a", "b"):
            os.mkdir(os.path.join(self.folder, folder))
        self.put("a/cds.yaml", GOOD)
        self.put("b/rds.yaml", self.ROUTES)
        self.assertEqual(self.findings(0, "a", "b"), [])


class Bootstraps(InAFolder):
    BOOTSTRAP = """node: {id: a, cluster: b}
static_resources:
  clusters:
  - name: local
    connect_timeout: 1s
dynamic_resources:
  cds_config: {path_config_source: {path: ./xds/cds.yaml}}
"""
    EDS = GOOD + "  type: EDS\n  eds_cluster_config: {eds_config: {path_config_source: {path: ./xds/eds.yaml}}}\n"
    ENDPOINTS = """resources:
- '@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: web
  endpoints: [{priority: 1000}]
"""

    def test_the_files_that_it_names_are_judged_with_it(self):
        os.mkdir(os.path.join(self.folder, "xds"))
        self.put("envoy.yaml", self.BOOTSTRAP)
        self.put("xds/cds.yaml", self.EDS)
        self.put("xds/eds.yaml", self.ENDPOINTS)
        (finding,) = self.findings(1, "envoy.yaml", "--only", "pgv.*")
        self.assertEqual((finding["file"], finding["line"], finding["path"]),
                         ("./xds/eds.yaml", 4, "endpoints[0].priority"))
        os.rename(os.path.join(self.folder, "xds"), os.path.join(self.folder, "elsewhere"))
        (missing,) = self.findings(0, "envoy.yaml")
        self.assertEqual((missing["id"], missing["severity"], missing["file"]), ("XDS-V220", "warning", "./xds/cds.yaml"))
        os.mkdir(os.path.join(self.folder, "root"))
        os.rename(os.path.join(self.folder, "elsewhere"), os.path.join(self.folder, "root", "xds"))
        self.assertEqual(len(self.findings(1, "envoy.yaml", "--root", "root", "--only", "pgv.*")), 1)

    def test_what_is_static_is_judged(self):
        self.put("envoy.yaml", self.BOOTSTRAP.replace("1s", "1s\n    least_request_lb_config: {choice_count: 1}")
                 .replace("./xds", "xds") + "nmae: x\n")
        findings = [finding for finding in self.findings(1, "envoy.yaml") if finding["severity"] == "error"]
        self.assertEqual([(finding["id"], finding["path"], finding["resource"]["kind"], finding["line"]) for finding in findings],
                         [("pgv.uint32.gte", "static_resources.clusters[0].least_request_lb_config.choice_count",
                           "Bootstrap", 6), ("XDS-V011", "nmae", "Bootstrap", 9)])
        self.assertEqual({finding["effect"].split(":")[0] for finding in findings}, {"Envoy does not start with this"})

    def test_a_dump_is_judged(self):
        cluster = {"@type": CLUSTER, "name": "web", "least_request_lb_config": {"choice_count": 1}}
        clusters = {"@type": "type.googleapis.com/envoy.admin.v3.ClustersConfigDump",
                    "dynamic_active_clusters": [{"cluster": cluster}]}
        self.put("dump.json", json.dumps({"configs": [clusters]}))
        (finding,) = self.findings(1, "dump.json")
        self.assertEqual(finding["path"],
                         "configs[0].dynamic_active_clusters[0].cluster.least_request_lb_config.choice_count")


class Forms(InAFolder):
    def test_json_is_one_document(self):
        self.put("cds.yaml", BAD_VALUE)
        document = json.loads(self.run_it(1, "cds.yaml", "-o", "json"))
        self.assertEqual(list(document), ["version", "api", "files", "findings", "summary"])
        self.assertEqual(document["files"], [{"file": "cds.yaml", "resources": 1, "skipped": 0}])
        self.assertEqual(document["summary"],
                         {"errors": 1, "warnings": 0, "notes": 0, "files": 1, "resources": 1, "skipped": 0})
        (finding,) = document["findings"]
        self.assertEqual(len(finding.pop("fingerprint")), 16)
        self.assertEqual(finding, {
            "id": "pgv.uint32.gte", "severity": "error", "message": "choice_count must be at least 2",
            "file": "cds.yaml", "line": 5, "column": 29,
            "resource": {"kind": "Cluster", "name": "web", "type_url": CLUSTER},
            "path": "least_request_lb_config.choice_count", "path_json": "leastRequestLbConfig.choiceCount", "value": "1",
            "rule": "envoy.config.cluster.v3.Cluster.LeastRequestLbConfig.choice_count {gte: 2}", "client": "both",
            "effect": "Envoy refuses the cluster, or all of the response where it is not about an extension"})

    def test_a_fingerprint_does_not_know_lines(self):
        self.put("a.yaml", BAD_VALUE)
        self.put("b.yaml", "# a comment\n" + BAD_VALUE)
        first, second = self.findings(1, ".")
        self.assertEqual(first["fingerprint"], second["fingerprint"])
        self.put("b.yaml", BAD_VALUE.replace("web", "api"))
        first, second = self.findings(1, ".")
        self.assertNotEqual(first["fingerprint"], second["fingerprint"])

    def test_ndjson_is_a_line_for_each_finding_and_one_that_counts(self):
        self.put("cds.yaml", BAD_VALUE)
        lines = [json.loads(line) for line in self.run_it(1, "cds.yaml", "-ondjson").splitlines()]
        self.assertEqual(lines[0]["id"], "pgv.uint32.gte")
        self.assertEqual(lines[1]["summary"]["errors"], 1)

    def test_several_forms_at_once(self):
        self.put("cds.yaml", BAD_VALUE)
        text = self.run_it(1, "cds.yaml", "-o", "text", "-o", "json=out.json")
        self.assertIn("[pgv.uint32.gte]", text)
        self.assertEqual(json.loads(self.contents("out.json"))["summary"]["errors"], 1)
        self.run_it(3, "cds.yaml", "-o", "json=no/such/folder.json")
        self.assertIn("no/such/folder.json: No such file or directory", self.said)

    def test_github_takes_commands(self):
        self.put("cds.yaml", BAD_VALUE + "  nmae: '50%'\n")
        first, second, last = self.run_it(1, "cds.yaml", "-o", "github").splitlines()
        self.assertEqual(first, "::error file=cds.yaml,line=5,col=29,title=pgv.uint32.gte::choice_count must be at least 2"
                         "%0A  at Cluster \"web\": least_request_lb_config.choice_count"
                         "%0A  value: 1      rule: envoy.config.cluster.v3.Cluster.LeastRequestLbConfig.choice_count {gte: 2}"
                         "%0A  who: Envoy refuses the cluster, or all of the response where it is not about an extension")
        self.assertTrue(second.startswith("::error file=cds.yaml,line=6,col=3,title=XDS-V011::no such field"))
        self.assertTrue(last.startswith("2 errors, 0 warnings in 1 file"))

    def test_gitlab_takes_a_list(self):
        self.put("cds.yaml", BAD_VALUE)
        (row,) = json.loads(self.run_it(1, "cds.yaml", "-o", "gitlab"))
        self.assertEqual(len(row.pop("fingerprint")), 16)
        self.assertEqual(row, {"description": "choice_count must be at least 2", "check_name": "pgv.uint32.gte",
                               "severity": "major", "location": {"path": "cds.yaml", "lines": {"begin": 5}}})

    def test_secrets_are_not_printed(self):
        self.put("sds.yaml", "resources:\n- '@type': type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret\n"
                 "  name: s\n  tls_certificate: {private_key: {inline_string: ''}, password: {inline_strin: hunter2}}\n")
        for form in ("text", "json", "sarif", "junit", "github", "gitlab"):
            self.assertNotIn("hunter2", self.run_it(1, "sds.yaml", "-o", form))


class Watching(InAFolder):
    """`--watch`: what is found when a file changes, on stdout; what Envoy would do with it, on stderr."""

    def setUp(self):
        super().setUp()
        self.lines, self.changed = [], threading.Condition()

    def watch(self, *arguments):
        self.process = subprocess.Popen([XDSCOPE, "validate", "--watch", *arguments], cwd=self.folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.process.kill)
        for stream in (self.process.stdout, self.process.stderr):
            self.enterContext(stream)
            threading.Thread(target=self.listen, args=(stream,), daemon=True).start()

    def listen(self, stream):
        for line in stream:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()

    def hear(self, words, after=0):
        """Waits for a line with these words among those from number `after` on."""
        def heard():
            return any(words in line for line in self.lines[after:])
        with self.changed:
            self.assertTrue(self.changed.wait_for(heard, timeout=20), f"{words!r} in {self.lines}")
            return len(self.lines)

    def move(self, name, contents):
        self.put("made", contents)
        os.rename(os.path.join(self.folder, "made"), os.path.join(self.folder, name))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20)

    def test_a_file_is_moved_and_written(self):
        self.put("cds.yaml", GOOD)
        self.watch("cds.yaml")
        heard = self.hear("no errors in 1 file")
        self.move("cds.yaml", BAD_VALUE)
        self.hear("cds.yaml: was moved here: Envoy would load it, and refuse what has 1 error; the last good one stays", heard)
        heard = self.hear("1 error, 0 warnings in 1 file", heard)
        self.put("cds.yaml", GOOD)
        self.hear("cds.yaml: was written in place: Envoy would not notice", heard)
        heard = self.hear("no errors in 1 file", heard)
        self.move("cds.yaml", BAD_ENUM)  # an error here, which Envoy takes
        self.hear("cds.yaml: was moved here: Envoy would load it", heard)
        self.hear("1 error, 0 warnings", heard)
        self.assertEqual(self.end(), 1)

    def test_the_folder_of_a_volume_is_swapped(self):
        for generation, text in (("..1", GOOD), ("..2", BAD_VALUE)):
            os.mkdir(os.path.join(self.folder, generation))
            self.put(f"{generation}/cds.yaml", text)
        os.symlink("..1", os.path.join(self.folder, "..data"))
        os.symlink("..data/cds.yaml", os.path.join(self.folder, "cds.yaml"))
        self.watch(".")
        heard = self.hear("no errors in 1 file")
        os.symlink("..2", os.path.join(self.folder, "..new"))
        os.rename(os.path.join(self.folder, "..new"), os.path.join(self.folder, "..data"))
        self.hear("a link or folder was swapped: Envoy would load it, with `watched_directory`, and refuse", heard)
        self.hear("1 error", heard)
        self.assertEqual(self.end(), 1)

    def test_what_a_bootstrap_names_is_watched(self):
        self.put("envoy.yaml", "dynamic_resources: {cds_config: {path_config_source: {path: cds.yaml}}}\n")
        self.put("cds.yaml", GOOD)
        self.watch("envoy.yaml")
        heard = self.hear("in 2 files")
        self.move("cds.yaml", GOOD.replace("web", "api"))
        heard = self.hear("cds.yaml: was moved here: Envoy would load it", heard)
        self.put("envoy.yaml", self.contents("envoy.yaml") + "node: {id: a, cluster: b}\n")
        self.hear("envoy.yaml: has changed: Envoy reads its bootstrap when it starts", heard)
        self.assertEqual(self.end(), 0)

    def test_a_file_comes_and_goes(self):
        self.put("cds.yaml", GOOD)
        self.watch(".")
        heard = self.hear("no errors in 1 file")
        self.put("more.yaml", BAD_VALUE.replace("web", "more"))
        heard = self.hear("more.yaml: is new", heard)
        os.remove(os.path.join(self.folder, "more.yaml"))
        self.hear("more.yaml: is gone: Envoy would not notice", heard)
        self.assertEqual(self.end(), 0)

    def test_standard_input_is_read_once(self):
        self.run_it(2, "-", "--watch")
        self.assertIn("--watch", self.said)


class Usage(InAFolder):
    def test_a_wrong_line_is_one_line_and_exit_2(self):
        self.put("cds.yaml", GOOD)
        for arguments, said in {
            (): "TARGET: is missing: a file, a folder, - for standard input, or a control plane",
            ("cds.yaml", "--type", "clutser"): "--type clutser: unknown type clutser",
            ("cds.yaml", "-o", "jsn"): "--output jsn: expected one of text, json, ndjson, sarif, junit, github, gitlab",
            ("cds.yaml", "-o", "json="): "--output json=: the name of the file is empty",
            ("cds.yaml", "-o", "json", "-o", "text"): "--output: one form alone goes to stdout",
            ("cds.yaml", "--only", "XDS-V01"): "--only XDS-V01: no rule has such an id; did you mean XDS-V0",
            ("cds.yaml", "--client", "istio"): "--client istio: expected one of envoy, grpc, both",
        }.items():
            self.assertEqual(self.run_it(2, *arguments), "")
            self.assertTrue(self.said.startswith("xdscope: " + said), self.said)


if __name__ == "__main__":
    XDSCOPE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
