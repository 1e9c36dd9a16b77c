"""--out-dir writes into its folder and nowhere else, and says how far it came."""

import os
import signal
import tempfile
import time
import unittest

from bounded import Attack, run, start  # first: it knows where the others are
import api
from scripted_server import ScriptedServer, says


def endpoints(count):
    return api.response(api.url("eds"), [api.resource("eds", {"cluster_name": f"e{i:05}"}) for i in range(count)])


class OutDir(Attack):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_links_below_the_folder_are_not_followed(self):
        out, elsewhere = os.path.join(self.folder, "out"), os.path.join(self.folder, "elsewhere")
        os.mkdir(out)
        os.mkdir(elsewhere)
        os.symlink(elsewhere, os.path.join(out, "eds"))
        with ScriptedServer({api.ADS: says(endpoints(3))}) as server:
            result = run("fetch", server.address, "eds", "--out-dir", out)
            self.assertEqual(result.code, 3, result)
            self.assertIn("link", result.errors[0])
            self.assertEqual(os.listdir(elsewhere), [])

    def test_a_link_in_place_of_a_file_is_replaced(self):
        victim, out = os.path.join(self.folder, "victim"), os.path.join(self.folder, "out")
        os.makedirs(os.path.join(out, "eds"))
        with open(victim, "w") as stream:
            stream.write("mine")
        os.symlink(victim, os.path.join(out, "eds", "e00000.yaml"))
        with ScriptedServer({api.ADS: says(endpoints(1))}) as server:
            self.survives(run("fetch", server.address, "eds", "--out-dir", out), 0)
        with open(victim) as stream:
            self.assertEqual(stream.read(), "mine")

    def test_the_folder_itself_may_be_a_link(self):
        target, out = os.path.join(self.folder, "target"), os.path.join(self.folder, "out")
        os.mkdir(target)
        os.symlink(target, out)
        with ScriptedServer({api.ADS: says(endpoints(1))}) as server:
            self.survives(run("fetch", server.address, "eds", "--out-dir", out), 0)
        self.assertEqual(os.listdir(os.path.join(target, "eds")), ["e00000.yaml"])

    def test_ctrl_c_says_which_files_are_written(self):
        with ScriptedServer({api.ADS: says(endpoints(30_000))}) as server:
            process = start("fetch", server.address, "eds", "--out-dir", self.folder)
            deadline = time.monotonic() + 30
            written = os.path.join(self.folder, "eds")
            while not os.path.isdir(written) or not os.listdir(written):
                self.assertLess(time.monotonic(), deadline)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, err)
        count = len(os.listdir(written))
        self.assertLess(count, 30_000)
        self.assertIn(f"interrupted: {count} of 30000 files written: eds/e00000.yaml", err.decode())


if __name__ == "__main__":
    unittest.main()
