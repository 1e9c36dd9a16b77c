"""What `xdscope validate` writes for other programs, checked by libraries against the schemas of those forms."""

import json
import os
import subprocess
import tempfile
import unittest

import fastjsonschema
import xmlschema

XDSCOPE = os.environ["XDSCOPE"]
SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas")
FILES = {
    "a b.yaml": """resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: web
  nmae: "<&>"
  least_request_lb_config: {choice_count: 1}
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: "con\\u0001trol"
  connect_timeout: 250ms
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: good
""",
    "b.yaml": "resources: []\n",
    "c.json": "{",
    "d.pb": b"\x12\x05\x0a\x0acut",
    "e.yaml": """resources:
- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: there
  type: EDS
  eds_cluster_config: {eds_config: {path_config_source: {path: ./f.yaml}}}
""",
    "f.yaml": """resources:
- '@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: elsewhere
""",
}


def parsed(name):
    with open(os.path.join(SCHEMAS, name), encoding="utf-8") as file:
        return json.load(file)


def published_sarif():
    """The schema that OASIS publishes, as a constant in Go has it. What is ours demands more of what we write."""
    with open(os.environ["XDSCOPE_SARIF_MODULE"], encoding="utf-8") as file:
        module = file.read().strip()
    with open(os.path.join(module, "pkg", "report", "v210", "sarif", "schema.go"), encoding="utf-8") as file:
        return json.loads(file.read().split("`")[1])


class Forms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        for name, contents in FILES.items():
            with open(os.path.join(folder, name), "wb") as out:
                out.write(contents if isinstance(contents, bytes) else contents.encode())
        forms = ("json", "sarif", "junit", "gitlab")
        done = subprocess.run([XDSCOPE, "validate", ".", "gone.yaml", *(f"-o{form}={form}" for form in forms)], cwd=folder,
                              capture_output=True, timeout=60, check=False)
        assert done.returncode == 3, done.stderr
        cls.written = {}
        for form in forms:
            with open(os.path.join(folder, form), encoding="utf-8") as file:
                cls.written[form] = file.read()
        cls.findings = json.loads(cls.written["json"])["findings"]

    def test_sarif_keeps_to_its_schema_and_has_every_finding(self):
        document = json.loads(self.written["sarif"])
        for schema in (published_sarif(), parsed("sarif_part.json")):
            fastjsonschema.compile(schema, use_default=False)(document)
        (run,) = document["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(rules, sorted({finding["id"] for finding in self.findings}))
        self.assertEqual(len(run["results"]), len(self.findings))
        for result, finding in zip(run["results"], self.findings):
            self.assertEqual((result["ruleId"], rules[result["ruleIndex"]]), (finding["id"], finding["id"]))
            self.assertEqual(result["partialFingerprints"], {"xdscope/v1": finding["fingerprint"]})
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"]["uri"], finding["file"].replace(" ", "%20"))
            self.assertEqual(place.get("region", {}).get("startLine"), finding.get("line"))
        (related,) = [result["relatedLocations"] for result in run["results"] if result["ruleId"] == "XDS-V005"]
        self.assertEqual(related[0]["physicalLocation"]["artifactLocation"], {"uri": "e.yaml"})
        self.assertEqual(related[0]["physicalLocation"]["region"]["startLine"], 5)

    def test_junit_keeps_to_its_schema_and_counts_right(self):
        schema = xmlschema.XMLSchema(os.path.join(SCHEMAS, "junit_part.xsd"))
        schema.validate(self.written["junit"])
        suites = schema.to_dict(self.written["junit"])["testsuite"]
        self.assertEqual([suite["@name"] for suite in suites], ["a b.yaml", "b.yaml", "c.json", "d.pb", "e.yaml", "f.yaml", "gone.yaml"])
        for suite in suites:
            cases = suite["testcase"]
            self.assertEqual(suite["@tests"], len(cases))
            self.assertEqual(suite["@failures"], sum("failure" in case for case in cases))
        names = {(case["@classname"], case["@name"]): "failure" in case for case in suites[0]["testcase"]}
        self.assertEqual(names, {("file", "a b.yaml"): False, ("Cluster", "web"): True, ("Cluster", r"con\x01trol"): True,
                                 ("Cluster", "good"): False})
        self.assertIn("[XDS-V014]", suites[1]["testcase"][0]["system-out"])

    def test_gitlab_has_every_finding_with_a_fingerprint_and_a_line(self):
        check = fastjsonschema.compile({
            "type": "array",
            "items": {
                "type": "object",
                "required": ["description", "check_name", "fingerprint", "severity", "location"],
                "properties": {
                    "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                    "location": {
                        "type": "object",
                        "required": ["path", "lines"],
                        "properties": {"lines": {"properties": {"begin": {"type": "integer", "minimum": 1}}}},
                    },
                },
            },
        })
        rows = check(json.loads(self.written["gitlab"]))
        self.assertEqual([row["check_name"] for row in rows], [finding["id"] for finding in self.findings])


if __name__ == "__main__":
    unittest.main()
