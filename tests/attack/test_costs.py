"""What a peer or a file can repeat costs in proportion to how often it does, and no depth of it costs the stack."""

import os
import tempfile
import unittest

from bounded import Attack, run  # first: it knows where the others are
import api
from google.protobuf import descriptor_pb2
from scripted_server import ScriptedServer, says



class Peers(Attack):
    def test_a_typed_struct_with_many_keys(self):
        # As the message itself, and as an Any in it, whose type is one of the keys.
        for type_url, member in [("google.protobuf.Any", None),
                                 ("envoy.config.core.v3.TypedExtensionConfig", "typed_config")]:
            with self.subTest(type_url=type_url):
                struct = api.cls("xds.type.v3.TypedStruct")(type_url=api.PREFIX + type_url)
                fields = struct.value.fields[member].struct_value.fields if member else struct.value.fields
                for i in range(16_000):
                    fields[f"k{i:05}"].string_value = "x"
                fields["@type"].string_value = api.PREFIX + "envoy.config.core.v3.HeaderValue"
                cluster = api.message(api.V3["cds"][0], {"name": "c"})
                cluster.typed_extension_protocol_options["x"].Pack(struct)
                payload = api.packed_bytes(api.url("cds"), cluster.SerializeToString())
                with ScriptedServer({api.ADS: says(api.response(api.url("cds"), [payload]))}) as server:
                    for flags in [("-o", "json"), ("-o", "tree"), ("-o", "binary"), ("--follow",)]:
                        self.survives(run("fetch", server.address, "cds", *flags), 0, 1, seconds=6)

    def test_globs_of_many_folders(self):
        table = {f"xdstp://a/{api.V3['eds'][0]}/d{i}/x": api.resource("eds", {"cluster_name": f"c{i}"})
                 for i in range(1000)}
        names = [name.rsplit("/", 1)[0] + "/*" for name in table]

        def script(call):
            call.next()
            entries = [api.wrapper(name, payload, "1") for name, payload in table.items()]
            yield api.delta_response(api.url("eds"), entries)
            call.drain()

        with ScriptedServer({api.DELTA_ADS: script}) as server:
            result = run("fetch", server.address, "eds:" + ",".join(names[:1000]),
                         "--variant", "delta-ads", "-o", "name")
            self.survives(result, 0, 1, seconds=6)


class OutDir(Attack):
    def test_names_that_make_one_file_name(self):
        long = "x" * 300
        same = [api.resource("eds", {"cluster_name": f"{long}{i}"}) for i in range(8000)]
        with ScriptedServer({api.ADS: says(api.response(api.url("eds"), same))}) as server, \
                tempfile.TemporaryDirectory() as folder:
            result = run("fetch", server.address, "eds", "--out-dir", folder)
            self.survives(result, 0, seconds=40)  # the disk may be slow
            self.assertLess(result.cpu, 8, result)
            self.assertEqual(len(os.listdir(os.path.join(folder, "eds"))), 8000)


class Schema(Attack):
    def write(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "set.pb")
        with open(path, "wb") as stream:
            stream.write(files)
        return path

    def chain(self, length, last=None):
        """A set of files that import one another in a row; the last one imports `last`."""
        files = descriptor_pb2.FileDescriptorSet()
        for i in range(length):
            file = files.file.add(name=f"f{i:05}.proto", package="chain", syntax="proto3")
            file.message_type.add(name=f"M{i}")
            if i + 1 < length or last:
                file.dependency.append(f"f{i + 1:05}.proto" if i + 1 < length else last)
        return files

    def fetch(self, path):
        with ScriptedServer({api.ADS: says(api.response(api.url("cds"), []))}) as server:
            return run("fetch", server.address, "cds", "--schema", path, "-v")

    def test_a_long_chain_of_imports(self):
        result = self.survives(self.fetch(self.write(self.chain(6500).SerializeToString())), 2, seconds=6)
        self.assertIn("a chain of more than 200 imports", result.errors[0])

    def test_a_chain_that_is_not_too_long(self):
        self.survives(self.fetch(self.write(self.chain(200).SerializeToString())), 0, seconds=6)

    def test_a_chain_whose_last_import_is_missing(self):
        files = self.chain(500, last="nowhere.proto")
        result = self.survives(self.fetch(self.write(files.SerializeToString())), 2, seconds=6)
        self.assertIn("nowhere.proto", result.errors[0])
        # The same in a program, where what cannot be used is left out.
        program = b"\x7fELF" + b"\0".join(file.SerializeToString() for file in files.file)
        result = self.survives(self.fetch(self.write(program)), 0, 2, seconds=6)
        self.assertLess(len(result.err.splitlines()), 20, result)


if __name__ == "__main__":
    unittest.main()
