#!/usr/bin/env python3
"""`xdscope describe` and `xdscope types`: the built binary, for people and for programs.

Usage: test_describe.py PATH_OF_XDSCOPE
"""

import json
import subprocess
import sys
import unittest

XDSCOPE = ""


class Case(unittest.TestCase):
    def run_it(self, code, *arguments):
        """What a run prints that ends with this code."""
        done = subprocess.run([XDSCOPE, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done)
        return done.stdout if code == 0 else done.stderr


class Describe(Case):
    def test_a_field_is_found_by_the_short_name_of_a_resource_type(self):
        for name in ("cds.connect_timeout", "clusters.connectTimeout", "cluster.connect_timeout",
                     "type.googleapis.com/envoy.config.cluster.v3.Cluster.connect_timeout"):
            said = self.run_it(0, "describe", name)
            self.assertTrue(said.startswith("envoy.config.cluster.v3.Cluster.connect_timeout: google.protobuf.Duration"))
            self.assertIn("  must be greater than 0s\n", said)

    def test_fields_are_followed_through_messages(self):
        said = self.run_it(0, "describe", "cds.load_assignment.endpoints.priority")
        self.assertIn("LocalityLbEndpoints.priority: uint32\n  must be at most 128\n", said)

    def test_a_message_has_a_line_for_each_field(self):
        said = self.run_it(0, "describe", "cds")
        self.assertTrue(said.startswith("envoy.config.cluster.v3.Cluster (cds)\n"))
        self.assertRegex(said, r"\n  name +string  # must not be empty\n")
        self.assertRegex(said, r"\n  health_checks +repeated envoy\.config\.core\.v3\.HealthCheck")

    def test_an_extension_is_found_by_its_usual_name(self):
        said = self.run_it(0, "describe", "envoy.filters.http.router")
        self.assertIn("an HTTP filter, usually named envoy.filters.http.router\n", said)
        self.assertIn("used in envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.typed_config", said)
        both = json.loads(self.run_it(0, "describe", "envoy.filters.http.cors", "-ojson"))
        self.assertEqual([each["message"].split(".")[-1] for each in both], ["Cors", "CorsPolicy"])

    def test_an_enum_has_its_values(self):
        said = self.run_it(0, "describe", "envoy.config.core.v3.ApiVersion")
        self.assertIn("  V3 = 2\n", said)

    def test_a_rule_says_what_holds_and_what_breaking_it_costs(self):
        said = self.run_it(0, "describe", "xds-v027")
        self.assertIn("No two filter chains match the same connections.", said)
        self.assertIn("Envoy refuses the listener.", said)
        self.assertEqual(json.loads(self.run_it(0, "describe", "pgv.uint32.gte", "-ojson"))["severity"], "error")
        self.run_it(0, "describe", "XDS-S001")

    def test_json_has_what_the_text_has(self):
        field = json.loads(self.run_it(0, "describe", "cds.connect_timeout", "-ojson"))
        self.assertEqual(field["json_name"], "connectTimeout")
        self.assertIn("must be greater than 0s", field["rules"])

    def test_what_is_not_known_is_said_with_the_nearest_name(self):
        self.assertIn("nearest: envoy.config.cluster.v3.Cluster.connect_timeout",
                      self.run_it(1, "describe", "cds.connect_timout"))
        self.assertIn("nothing is known by that name", self.run_it(1, "describe", "no.such.thing"))
        self.assertIn("several messages are called so:\n", self.run_it(1, "describe", "Router"))
        self.assertIn("NAME: is missing", self.run_it(2, "describe"))


class Types(Case):
    def test_resource_types_are_listed_with_their_messages(self):
        lines = self.run_it(0, "types").splitlines()
        self.assertEqual(len(lines), 11)
        self.assertRegex(lines[1], r"^lds +listeners +envoy\.config\.listener\.v3\.Listener +envoy\.api\.v2\.Listener$")

    def test_a_filter_looks_at_all_names(self):
        self.assertEqual([each["name"] for each in json.loads(self.run_it(0, "types", "CLUSTER", "-ojson"))],
                         ["cds", "eds"])
        self.assertIn("envoy.extensions.load_balancing_policies.maglev.v3.Maglev\n",
                      self.run_it(0, "types", "--all", "maglev"))
        self.assertIn("--all looks at every message", self.run_it(1, "types", "maglev"))


if __name__ == "__main__":
    XDSCOPE = sys.argv.pop(1)
    unittest.main()
