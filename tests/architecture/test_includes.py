"""The project's includes are those of the design, and the check that says so finds each kind of offence."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import includes  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


class TheProject(unittest.TestCase):
    def test_includes_what_the_design_allows(self):
        self.assertEqual(includes.complaints(ROOT), [])

    def test_has_files_to_check(self):
        self.assertGreater(len(includes.sources(ROOT, "lib")), 50)
        for folder in (ROOT / "lib").iterdir():
            self.assertIn(folder.name, includes.EDGES)

    def test_has_no_circle_in_the_table(self):
        allowed = {folder: set(edges) for folder, edges in includes.EDGES.items()}
        while allowed:
            free = [folder for folder, edges in allowed.items() if not edges & allowed.keys()]
            self.assertTrue(free, f"a circle among {sorted(allowed)}")
            for folder in free:
                del allowed[folder]


class TheCheck(unittest.TestCase):
    def complaints_about(self, path, *lines):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("lib/base/loop.h", "lib/schema/schema.h", "cli/commands/all.h", "cli/commands/watch.h",
                         "cli/commands/fetch/rows.h", "cli/flags/settings.h", "cli/console/report.h", path):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            (root / path).write_text("\n".join(lines) + "\n")
            return includes.complaints(root)

    def assert_refused(self, path, line, reason):
        found = self.complaints_about(path, line)
        self.assertEqual(len(found), 1, (line, found))
        self.assertIn(reason, found[0])

    def assert_allowed(self, path, *lines):
        self.assertEqual(self.complaints_about(path, *lines), [])

    def test_refuses_an_edge_that_is_not_in_the_table(self):
        self.assert_refused("lib/types/a.h", '#include "lib/schema/schema.h"', "lib/types may not include lib/schema")
        self.assert_refused("lib/base/a.cc", '  #  include "lib/schema/schema.h"', "may not include")
        self.assert_refused("lib/protocol/a.cc", '#include "lib/schema/schema.h"', "may not include")
        self.assert_refused("lib/client/a.cc", '#include "cli/flags/settings.h"', "outside of lib/")

    def test_allows_the_edges_of_the_table(self):
        self.assert_allowed("lib/schema/a.cc", '#include "lib/base/loop.h"', '#include "lib/schema/schema.h"')
        self.assert_allowed("cli/run.cc", '#include "lib/schema/schema.h"', '#include "cli/commands/watch.h"')

    def test_refuses_an_edge_inside_cli_that_is_not_in_the_table(self):
        self.assert_refused("cli/args/a.h", '#include "cli/flags/settings.h"', "cli/args may not include cli/flags")
        self.assert_refused("cli/flags/a.cc", '#include "cli/console/report.h"', "cli/flags may not include cli/console")
        self.assert_refused("cli/print/a.cc", '#include "cli/commands/watch.h"', "cli/print may not include cli/commands")
        self.assert_refused("cli/workbench.h", '#include "cli/commands/watch.h"', "may not include cli/commands")
        self.assert_allowed("cli/print/a.cc", '#include "cli/flags/settings.h"', '#include "cli/console/report.h"')
        self.assert_allowed("cli/workbench.cc", '#include "cli/console/report.h"')
        self.assert_refused("cli/util/a.cc", "", "no such place")
        self.assert_refused("cli/util.cc", "", "no such place")

    def test_keeps_grpc_and_boost_in_their_folders_and_out_of_headers(self):
        self.assert_allowed("lib/transport/a.cc", "#include <grpcpp/grpcpp.h>", "#include <boost/asio.hpp>")
        self.assert_allowed("lib/base/a.cc", "#include <boost/asio.hpp>")
        self.assert_refused("lib/transport/a.h", "#include <grpcpp/grpcpp.h>", "gRPC stays behind")
        self.assert_refused("lib/base/a.h", "#include <boost/asio.hpp>", "Boost stays behind")
        self.assert_refused("lib/session/a.cc", "#include <grpc/grpc.h>", "gRPC stays behind")
        self.assert_refused("lib/base/a.cc", '#include "grpcpp/channel.h"', "gRPC stays behind")
        self.assert_refused("lib/source/a.cc", "#include <boost/beast.hpp>", "Boost stays behind")

    def test_keeps_threads_time_and_files_out_of_the_protocol(self):
        for header in ("thread", "mutex", "fstream", "filesystem", "absl/time/clock.h",
                       "absl/synchronization/mutex.h"):
            self.assert_refused("lib/protocol/a.cc", f"#include <{header}>", "no threads, clock or files")
            self.assert_allowed("lib/session/a.cc", f"#include <{header}>")

        self.assert_allowed("lib/protocol/a.h", "#include <chrono>", "std::chrono::nanoseconds ttl;")
        self.assert_refused("lib/protocol/a.cc", "auto now = std::chrono::steady_clock::now();", "no clock")

    def test_keeps_generated_messages_out(self):
        self.assert_refused("lib/protocol/a.cc", "#include <envoy/service/discovery/v3/discovery.pb.h>", "generated")
        self.assert_refused("lib/protocol/a.cc", '#include "google/rpc/status.pb.h"', "generated")
        self.assert_refused("lib/rules/a.cc", "#include <validate/validate.pb.h>", "generated")
        self.assert_allowed("lib/schema/a.cc", "#include <google/protobuf/descriptor.pb.h>")

    def test_keeps_flags_and_printing_out_of_the_library(self):
        self.assert_refused("lib/base/a.cc", '#include "absl/flags/flag.h"', "flags are for cli/")
        self.assert_refused("lib/base/a.cc", "#include <iostream>", "does not print")

    def test_refuses_a_command_that_includes_another(self):
        self.assert_refused("cli/commands/fetch/a.cc", '#include "cli/commands/watch.h"', "another command")
        self.assert_refused("cli/commands/watch.cc", '#include "cli/commands/fetch/rows.h"', "another command")
        self.assert_allowed("cli/commands/watch.cc", '#include "cli/commands/watch.h"', '#include "cli/flags/settings.h"')
        self.assert_allowed("cli/commands/fetch/a.cc", '#include "cli/commands/fetch/rows.h"')
        self.assert_allowed("cli/commands/all.cc", '#include "cli/commands/fetch/rows.h"', '#include "cli/commands/watch.h"')
        self.assert_allowed("cli/commands/help.cc", '#include "cli/commands/all.h"')

    def test_refuses_includes_not_spelled_from_the_root(self):
        self.assert_refused("lib/base/a.cc", '#include "loop.h"', "not spelled from the root")
        self.assert_refused("lib/base/a.cc", '#include "lib/base/none.h"', "does not exist")
        self.assert_refused("lib/base/a.cc", "#include <lib/base/loop.h>", "belongs in quotes")

    def test_refuses_a_folder_that_the_design_does_not_have(self):
        self.assert_refused("lib/util/a.cc", "", "no such folder")


if __name__ == "__main__":
    unittest.main()
