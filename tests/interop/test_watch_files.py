"""`xdscope watch` on files: what is moved there is read, what is written in place is said; --any-write reads both."""

import os
import signal
import tempfile
import unittest

from harness import Case, run
from served import cluster, endpoints, link_folder, swap, write
from watching import Watch

NOT_NOTICED = "Envoy would not notice"


def eds_cluster(name):
    return cluster(name, type="EDS", eds_cluster_config={"eds_config": {"ads": {}}})


class InAFolder(Case):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.put(cluster("a"))

    def put(self, *clusters, name="cds.yaml", how=swap):
        how(self.folder, name, {"resources": list(clusters)})

    def watch(self, *arguments, target=None, output="ndjson"):
        watch = self.enterContext(Watch(target or self.folder, *arguments, output=output))
        if output:
            watch.sees("added", "a")
        return watch

    def hear(self, watch, *words):
        """Waits for a line of stderr that has all the words."""
        watch.until(lambda: any(all(word in line for word in words) for line in watch.err), str(words))


class Moves(InAFolder):
    def test_what_is_moved_there_comes_changes_and_goes(self):
        watch = self.watch("cds")
        self.put(cluster("a", alt_stat_name="x"), cluster("b"))
        watch.sees("added", "b")
        changes = watch.sees("changed", "a")["changes"]
        self.assertEqual([(change["path"], change["new"]) for change in changes], [("alt_stat_name", "x")])
        self.put(cluster("b"))
        watch.sees("removed", "a")
        self.assertEqual(watch.err, [])

    def test_what_is_written_in_place_is_said_and_not_read(self):
        watch = self.watch("cds")
        self.put(cluster("b"), how=write)
        self.hear(watch, "cds.yaml: was written in place", NOT_NOTICED, "its last content stays (1 resource)")
        self.put(cluster("c"))
        watch.sees("added", "c")
        watch.sees("removed", "a")
        self.assertNotIn("b", [event.get("name") for event in watch.events])

    def test_a_file_that_is_gone_stays(self):
        watch = self.watch("cds")
        os.remove(os.path.join(self.folder, "cds.yaml"))
        self.hear(watch, "cds.yaml: is gone", NOT_NOTICED)
        self.put(cluster("b"))
        watch.sees("removed", "a")

    def test_a_broken_file_leaves_what_was_there(self):
        watch = self.watch("cds")
        self.put(cluster("b", connect_timeout="soon"))
        self.hear(watch, "cds.yaml:1:", "connect_timeout", "its last good content stays (1 resource)")
        self.put(cluster("b"))
        watch.sees("added", "b")
        self.hear(watch, "cds.yaml: is good again")

    def test_a_new_file_is_read_however_it_came(self):
        watch = self.watch("cds")
        self.put(cluster("b"), name="more.yaml", how=write)
        watch.sees("added", "b")
        self.assertEqual(watch.err, [])

    def test_a_swapped_link_as_kubernetes_does_it(self):
        link_folder(self.folder, "1", {"k.yaml": {"resources": [cluster("k1")]}})
        watch = self.watch("cds")
        watch.sees("added", "k1")
        link_folder(self.folder, "2", {"k.yaml": {"resources": [cluster("k2")]}})
        watch.sees("added", "k2")
        watch.sees("removed", "k1")
        self.hear(watch, "swapped; Envoy notices that by `watched_directory` alone")

    def test_a_file_alone(self):
        watch = self.watch("cds", target=os.path.join(self.folder, "cds.yaml"))
        self.put(cluster("b"), name="other.yaml")
        self.put(cluster("c"))
        watch.sees("added", "c")
        self.assertNotIn("b", [event.get("name") for event in watch.events])

    def test_references_are_followed_as_they_come_and_go(self):
        watch = self.watch("cds", "--follow")
        self.put(eds_cluster("a"))
        watch.sees("absent", "a")
        self.put(endpoints("a"), name="eds.yaml")
        watch.sees("added", "a", count=2)
        mark = watch.mark()
        self.put(cluster("a"))
        watch.sees("removed", "a", after=mark)


    def test_without_a_type_all_of_them_is_watched(self):
        watch = self.watch()
        self.put(endpoints("e"), name="eds.yaml")
        watch.sees("added", "e")
        watch = self.watch(output="")
        self.assertRegex(watch.says("<- EDS"), r"^[0-9:.]+ <- EDS [0-9a-f]{16}: 1 resource \(\+1\), \d+ B, after \d+ ms$")


class AnyWrite(InAFolder):
    def test_every_write_is_read_and_a_file_that_is_gone_goes(self):
        watch = self.watch("cds", "--any-write")
        self.put(cluster("b"), how=write)
        watch.sees("added", "b")
        watch.sees("removed", "a")
        os.remove(os.path.join(self.folder, "cds.yaml"))
        watch.sees("removed", "b")
        self.assertEqual(watch.err, [])


class Ends(InAFolder):
    def test_by_a_signal_and_by_count(self):
        self.assertEqual(self.watch("cds").signal(signal.SIGINT), 130)
        watch = self.watch("cds", "--count", "2")
        self.put(cluster("b"))
        self.assertEqual(watch.ended(), 0)

    def test_what_is_nowhere_is_exit_3(self):
        nowhere = os.path.join(self.folder, "nowhere.yaml")
        done = run("watch", nowhere)
        self.assertEqual(done.code, 3)
        self.assertIn(f"{nowhere}: No such file or directory", done.err)

    def test_an_empty_folder_is_waited_for(self):
        os.remove(os.path.join(self.folder, "cds.yaml"))
        watch = self.enterContext(Watch(self.folder, "cds"))
        self.hear(watch, "there are no resources in it yet")
        self.put(cluster("a"))
        watch.sees("added", "a")

    def test_what_has_no_meaning_is_exit_2(self):
        for arguments, words in [(["-"], "standard input"), ([self.folder, "--fresh"], "--fresh: has no effect on files"),
                                 (["127.0.0.1:1", "--any-write"], "--any-write: ")]:
            done = run("watch", *arguments)
            self.assertEqual(done.code, 2, arguments)
            self.assertIn(words, done.err)


if __name__ == "__main__":
    unittest.main()
