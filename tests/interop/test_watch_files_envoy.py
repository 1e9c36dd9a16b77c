"""An Envoy with `path_config_source` and `xdscope watch` on the same folder: it loads what we say it would, and keeps
what we say it would not notice (protocol.md XDS-F04, F05, F08, F09, F11)."""

import json
import os
import tempfile
import unittest

from harness import Case
from served import cluster, endpoints, link_folder, swap, write
from test_envoy import Envoy
from test_serve_envoy import state
from watching import Watch


class OneFolder(Case):
    def setUp(self):
        self.mesh = self.enterContext(tempfile.TemporaryDirectory())
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.loads = 0

    def begin(self, *names, watched=False):
        """Starts both; the file has been written."""
        source = {"path": os.path.join(self.mesh, "cds.yaml")}
        if watched:
            source["watched_directory"] = {"path": self.mesh}
        write(self.folder, "envoy.json",
              {"node": {"id": "envoy-1", "cluster": "shop"},
               "dynamic_resources": {"cds_config": {"resource_api_version": "V3", "path_config_source": source}}})
        self.envoy = self.enterContext(Envoy("envoy.json", self.folder))
        self.watch = self.enterContext(Watch(self.mesh, "cds"))
        self.loaded(*names)

    def put(self, how, *names, **fields):
        how(self.mesh, "cds.yaml", {"resources": [cluster(name, **fields) for name in names]})

    def held(self):
        """What `watch` has said to be there, by its events."""
        held = set()
        for event in self.watch.events:
            if event["event"] == "added":
                held.add(event["name"])
            elif event["event"] == "removed":
                held.remove(event["name"])
        return held

    def loaded(self, *names):
        """Both have loaded these clusters: Envoy once more than before."""
        self.loads += 1
        self.watch.until(lambda: self.held() == set(names), f"{names} by watch")
        self.envoy.poll(lambda: state(self.envoy)[0]["clusters"] == set(names) and self.attempts() == self.loads)

    def refused(self, counter, *words):
        """Both refuse what is there, and keep what they had."""
        self.loads += 1
        before = self.held()
        self.said(*words)
        self.envoy.poll(lambda: self.attempts() == self.loads and self.stat(counter) == 1)
        self.assertEqual(state(self.envoy)[0]["clusters"], before)

    def said(self, *words):
        self.watch.until(lambda: any(all(word in line for word in words) for line in self.watch.err), str(words))

    def attempts(self):
        return self.stat("update_attempt")

    def stat(self, name):
        return self.envoy.stats("cluster_manager.cds.update").get(f"cluster_manager.cds.{name}", 0)


class Moves(OneFolder):
    def test_moves_writes_in_place_and_broken_files(self):
        self.put(swap, "a")
        self.begin("a")
        self.put(swap, "a", "b")
        self.loaded("a", "b")
        self.put(write, "c")
        self.said("was written in place", "Envoy would not notice")
        self.put(swap, "a", "d")
        self.loaded("a", "d")  # and not c in between
        self.assertNotIn('"c"', json.dumps(self.watch.events))
        self.put(swap, "e", connect_timeout="soon")
        self.refused("update_failure", "connect_timeout", "its last good content stays")
        os.remove(os.path.join(self.mesh, "cds.yaml"))
        self.said("is gone", "Envoy would not notice")
        self.put(write, "f")
        self.put(swap, "g")
        self.loaded("g")
        self.assertNotIn('"f"', json.dumps(self.watch.events))

    def test_a_link_that_is_moved_to_the_name(self):
        write(self.folder, "one.yaml", {"resources": [cluster("one")]})
        write(self.folder, "two.yaml", {"resources": [cluster("two")]})
        os.symlink(os.path.join(self.folder, "one.yaml"), os.path.join(self.mesh, "cds.yaml"))
        self.begin("one")
        swap(self.folder, "one.yaml", {"resources": [cluster("new")]})
        self.said("was changed behind its link", "Envoy would not notice")
        os.symlink(os.path.join(self.folder, "two.yaml"), os.path.join(self.mesh, "next"))
        os.rename(os.path.join(self.mesh, "next"), os.path.join(self.mesh, "cds.yaml"))
        self.loaded("two")


class Contents(OneFolder):
    def test_what_changes_under_the_same_version_is_loaded(self):  # XDS-F11
        def put(*names):
            swap(self.mesh, "cds.yaml", {"version_info": "1", "resources": [cluster(name) for name in names]})
        put("a")
        self.begin("a")
        put("a", "b")
        self.loaded("a", "b")

    def test_one_resource_in_a_file_of_endpoints(self):  # XDS-F09
        def put(*addresses):
            swap(self.mesh, "eds.yaml", {"resources": [endpoints(name, port) for name, port in addresses]})

        def settled(port, **counters):
            """Envoy has this endpoint, after so many attempts of each outcome."""
            def there():
                stats = self.envoy.stats("cluster.c.update")
                return f"127.0.0.1:{port}::" in self.envoy.get("/clusters") and all(
                    stats.get(f"cluster.c.update_{name}") == value for name, value in counters.items())
            self.envoy.poll(there)
        source = {"resource_api_version": "V3", "path_config_source": {"path": os.path.join(self.mesh, "eds.yaml")}}
        write(self.mesh, "cds.yaml", {"resources": [cluster("c", type="EDS", eds_cluster_config={"eds_config": source})]})
        put(("c", 1001))
        self.begin("c")
        eds = self.enterContext(Watch(self.mesh, "eds"))
        eds.sees("added", "c")
        settled(1001, success=1, rejected=0)
        put(("c", 1002), ("d", 1003))
        eds.sees("added", "d")
        words = ("eds.yaml: has 2 eds resources", "Envoy takes no more than one from a file", "keeps what it had")
        eds.until(lambda: any(all(word in line for word in words) for line in eds.err), str(words))
        settled(1001, success=1, rejected=1)
        put(("c", 1004))
        eds.sees("removed", "d")
        settled(1004, success=2, rejected=1)


class Volumes(OneFolder):
    """The layout of a Kubernetes volume."""

    def swap(self, generation, name):
        link_folder(self.mesh, generation, {"cds.yaml": {"resources": [cluster(name)]}})

    def test_a_swap_is_noticed_by_watched_directory(self):
        self.swap("1", "one")
        self.begin("one", watched=True)
        self.swap("2", "two")
        self.loaded("two")
        self.said("swapped", "`watched_directory` alone")
        self.swap("3", "three")
        self.loaded("three")

    def test_and_not_without(self):
        self.swap("1", "one")
        self.begin("one")
        self.swap("2", "two")
        self.said("swapped", "`watched_directory` alone")
        self.put(swap, "moved")
        self.loaded("moved")  # its second load: the swap was none


if __name__ == "__main__":
    unittest.main()
