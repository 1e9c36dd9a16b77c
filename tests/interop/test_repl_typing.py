"""Typing at the prompt of `xdscope repl` while a server speaks: the line, the width, completion."""

import os
import unittest

import api
from driven_server import DrivenServer, cluster, clusters
from repl_terminal import ReplCase
from terminal import CTRL_C, CTRL_R, ENTER, LEFT, TAB

CDS = api.url("cds")


class PushesWhileTyping(ReplCase):
    """A push is one line above the prompt; what is being typed stays whole, cursor in place."""

    LINES = {
        "short": "show cds a",
        "wide characters": "show cds 漢字 é ünï 界",
        "long": "nack cds " + " ".join(f"word{n}" for n in range(30)),
        "long and wide": "nack cds " + "漢字界" * 25,
    }

    def test_the_line_stays_whole_and_the_cursor_where_it_is(self):
        for columns in (80, 40, 20):
            for what, line in self.LINES.items():
                for back in (0, 1, len(line) // 2, len(line)):
                    with self.subTest(columns=columns, line=what, back=back):
                        self.pushed_upon(columns, line, back)

    def pushed_upon(self, columns, line, back):
        with DrivenServer() as server, self.repl(server=server, columns=columns) as repl:
            repl.say("sub cds", "-> CDS")
            repl.until_prompt()
            repl.type(line)
            repl.until_line(line)
            repl.type(LEFT * back)
            at = len(line) - back
            repl.until_line(line, at=at)
            for version in (1, 2, 3):
                server.stream().push(clusters(version, "a"))
                repl.until_line(line, waiting=version, at=at)
            repl.type("X")
            repl.until_line(line[:at] + "X" + line[at:], waiting=3, at=at + 1)
            for version in (1, 2, 3):
                self.assertEqual(repl.text.count(f"<- CDS {version} nonce n{version}: 1 resource"), 1, repl.text)
            # Nothing that stood there before was drawn over.
            self.assertEqual(repl.text.count("sub cds"), 1, repl.text)
            self.assertEqual(repl.text.count("-> CDS first"), 1, repl.text)

    def test_a_line_that_ends_with_its_row_stays_whole_too(self):
        with self.repl(columns=40) as repl:
            stream = self.subscribed(repl)
            version = 0
            for beyond in (-1, 0, 1):
                for back in (0, 1):
                    with self.subTest(beyond=beyond, back=back):
                        line = "x" * (2 * 40 - len(repl.prompt(version + 1)) + beyond)
                        repl.type(line)
                        repl.until_line(line, waiting=version)
                        repl.type(LEFT * back)
                        version += 1
                        stream.push(clusters(version, "a"))
                        repl.until_line(line, waiting=version, at=len(line) - back)
                        repl.type(CTRL_C)
                        repl.until_prompt(waiting=version)

    def test_what_was_typed_is_what_is_done(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            for version, char in enumerate("nack cds no", 1):
                repl.type(char)
                stream.push(clusters(version, "a"))
                repl.until_line("nack cds no"[:version], waiting=version)
            repl.type(" wäy 漢字" + ENTER)
            repl.until_shows("no wäy 漢字")
            refused = self.server.request(1)
            self.assertEqual((refused.error_detail.message, refused.response_nonce), ("no wäy 漢字", "n1"))

    def test_a_push_during_a_search_leaves_the_search_as_it_is(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            repl.say("show eds", "show eds")
            repl.until_prompt()
            repl.type(CTRL_R + "sub")
            repl.until(lambda: repl.lines[repl.cursor[0]] == repl.prompt() + "sub cds", "what was searched for")
            stream.push(clusters(1, "a"))
            repl.until(lambda: repl.lines[repl.cursor[0]] == repl.prompt(1) + "sub cds", "the search after a push")
            self.assertEqual(repl.lines[repl.cursor[0] + 1], "bck:sub")
            self.assertEqual(repl.text.count("<- CDS 1 nonce n1: 1 resource"), 1)
            self.assertEqual(repl.text.count("bck:"), 1)
            repl.type(" cds")
            repl.until(lambda: repl.lines[repl.cursor[0] + 1] == "bck:sub cds", "more of the search")
            repl.type(ENTER)
            repl.until_shows("it goes out with the answer")

    def test_a_line_that_is_higher_than_the_screen_is_done_as_it_was_typed(self):
        with self.repl(columns=20, rows=6) as repl:
            stream = self.subscribed(repl)
            reason = " ".join(f"reason{n}" for n in range(40))
            repl.type("nack cds " + reason)
            for version in (1, 2, 3):
                stream.push(clusters(version, "a"))
            repl.until(lambda: "reason39" in repl.text, "the end of the line")
            repl.until(lambda: repl.text.count("<- CDS") == 3, "the pushes")
            repl.type(" and more" + ENTER)
            self.assertEqual(self.server.request(1).error_detail.message, reason + " and more")

    def test_wide_characters_do_not_hang_on_the_locale(self):
        for locale in ("C", "C.UTF-8", "POSIX", "no_SUCH.locale"):
            with self.subTest(locale=locale), DrivenServer() as server:
                with self.repl(server=server, env={"LC_ALL": locale}) as repl:
                    repl.say("sub cds", "-> CDS")
                    repl.until_prompt()
                    repl.type("nack cds 漢字 ü")
                    repl.until_line("nack cds 漢字 ü")
                    server.stream().push(clusters(1, "a"))
                    repl.until_line("nack cds 漢字 ü", waiting=1)
                    repl.type(ENTER)
                    self.assertEqual(server.request(1).error_detail.message, "漢字 ü")

    def test_a_push_while_nothing_is_typed_counts_what_waits_in_the_prompt(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            stream.push(clusters(1, "a"), clusters(2, "a", "b"))
            repl.until_prompt(waiting=2)
            repl.say("ack", "version 1")
            repl.until_prompt(waiting=1)
            repl.say("ack", "version 2")
            repl.until_prompt()


class Resizes(ReplCase):
    def test_a_line_is_drawn_whole_at_the_new_width(self):
        line = "nack cds " + "wide 漢字 " * 9
        for back in (0, 30):
            with self.subTest(back=back), DrivenServer() as server, self.repl(server=server) as repl:
                repl.say("sub cds", "-> CDS")
                repl.until_prompt()
                repl.type(line)
                repl.until_line(line)
                repl.type(LEFT * back)
                at = len(line) - back
                repl.until_line(line, at=at)
                for version, columns in enumerate((40, 20, 33, 100, 80), 1):
                    repl.resize(columns)
                    repl.until_line(line, waiting=version - 1, at=at)
                    server.stream().push(clusters(version, "a"))
                    repl.until_line(line, waiting=version, at=at)

    def test_what_stands_above_the_line_is_left_alone(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            stream.push(clusters(1, "a"))
            repl.until_prompt(waiting=1)
            repl.type("show cds a")
            repl.until_line("show cds a", waiting=1)
            for columns in (60, 80, 50, 100):
                above = repl.lines[:repl.cursor[0]]
                repl.resize(columns)
                repl.until_line("show cds a", waiting=1)
                repl.type("b")
                repl.until_line("show cds ab", waiting=1)
                repl.type("\x7f")
                repl.until_line("show cds a", waiting=1)
                self.assertEqual([line[:columns].rstrip() for line in above], repl.lines[:repl.cursor[0]])

    def test_a_size_that_changes_during_a_wait_counts_afterwards(self):
        line = "nack cds " + "words " * 20
        with self.repl() as repl:
            stream = self.subscribed(repl)
            repl.type("wait --for 1m" + ENTER)
            repl.until(lambda: repl.echoes, "the wait")
            repl.resize(30)
            stream.push(clusters(1, "a"))
            repl.until_prompt(waiting=1)
            repl.type(line)
            repl.until_line(line, waiting=1)
            stream.push(clusters(2, "a"))
            repl.until_line(line, waiting=2)


class Completion(ReplCase):
    """Tab completes from what is true now, with a description beside each candidate."""

    def completes(self, repl, typed, whole, waiting=0):
        """Tab behind `typed` makes the line `whole`."""
        repl.type(typed + TAB)
        repl.until_line(whole, waiting)
        repl.type(CTRL_C)
        repl.until_prompt(waiting)

    def lists(self, repl, typed, *rows, waiting=0):
        """Tab behind `typed` lists these rows (blanks between their words do not count) and leaves the line."""
        def shown():
            return [" ".join(line.split()) for line in repl.lines[:repl.cursor[0]]]

        repl.type(typed + TAB)
        for row in rows:
            repl.until(lambda row=row: any(line.startswith(row) for line in shown()), f"the row {row!r}")
        repl.until_line(typed, waiting)
        repl.type(CTRL_C)
        repl.until_prompt(waiting)

    def test_verbs_with_descriptions(self):
        with self.repl() as repl:
            self.lists(repl, "s", "save write what was done", "show print what is held", "sub ask for a type")
            self.completes(repl, "sta", "state ")
            self.completes(repl, "str", "streams ")
            self.lists(repl, "help re", "reopen open it again", "resub say names again")
            self.lists(repl, "", "nack refuse a response")

    def test_types(self):
        with self.repl() as repl:
            self.lists(repl, "sub ", "cds envoy.config.cluster.v3.Cluster", "eds envoy.config.endpoint")
            self.completes(repl, "sub cd", "sub cds ")
            self.lists(repl, "expect ", "cds envoy.config.cluster", "not fail if it is held")
            self.completes(repl, "expect not ed", "expect not eds ")

    def test_names_that_are_held_wanted_or_mentioned(self):
        with self.repl("--auto", "ack") as repl:
            repl.say("sub cds", "-> CDS")
            eds = {"eds_config": {"ads": {}, "resource_api_version": "V3"}, "service_name": "mentioned-one"}
            self.server.stream().push(api.response(CDS, [
                cluster("held-one"), cluster("held-two", type="EDS", eds_cluster_config=eds)]))
            repl.until_shows("-> CDS ack")
            repl.say("sub eds wanted-one", "-> EDS")
            repl.until_prompt()
            self.lists(repl, "show cds held-", "held-one held, version 1", "held-two held, version 1")
            self.completes(repl, "show cds held-o", "show cds held-one ")
            self.lists(repl, "show eds ", "mentioned-one mentioned by cds:held-two", "wanted-one wanted")
            self.completes(repl, "sub eds m", "sub eds mentioned-one ")
            self.completes(repl, "unsub eds w", "unsub eds wanted-one ")

    def test_names_that_need_quotes_get_them(self):
        odd = ["blank in it", "it's", 'with "both\' of them', "hash#1"]
        with self.repl("--auto", "ack") as repl:
            repl.say("sub cds", "-> CDS")
            self.server.stream().push(clusters(1, *odd))
            repl.until_shows("-> CDS ack")
            repl.until_prompt()
            for beginning in ("bl", "it", "wi", "ha"):
                with self.subTest(beginning=beginning):
                    repl.type(f"list cds {beginning}{TAB}")
                    prompt = repl.prompt() + "list cds "
                    repl.until(lambda: repl.lines[repl.cursor[0]].startswith(prompt)
                               and repl.lines[repl.cursor[0]] != prompt + beginning, "a completed name")
                    seen = repl.text.count("STATIC")
                    repl.type(ENTER)
                    repl.until(lambda: repl.text.count("STATIC") > seen, "a row of the list")
                    repl.until_prompt()
            self.assertNotIn("not held", repl.text)

    def test_names_begun_in_quotes(self):
        with self.repl("--auto", "ack") as repl:
            repl.say("sub cds", "-> CDS")
            self.server.stream().push(clusters(1, "blank in it", "blank too"))
            repl.until_shows("-> CDS ack")
            repl.until_prompt()
            self.completes(repl, "show cds 'blank i", "show cds 'blank in it' ")
            self.completes(repl, 'show cds "blank t', "show cds 'blank too' ")
            repl.type("show cds 'bl" + TAB + TAB)
            repl.until_shows("  blank in it", "  blank too")
            self.completes(repl, "t", "show cds 'blank too' ")

    def test_responses_that_wait(self):
        with self.repl() as repl:
            self.subscribed(repl).push(clusters(1, "a"))
            repl.until_prompt(waiting=1)
            self.lists(repl, "ack ", "#2 <- CDS 1 nonce n1", "cds the oldest that waits", waiting=1)
            self.completes(repl, "nack #", "nack #2 ", waiting=1)

    def test_options(self):
        with self.repl() as repl:
            self.completes(repl, "sub cds --", "sub cds --now ")
            self.completes(repl, "reopen --f", "reopen --fresh ")
            self.completes(repl, "set out", "set output ")
            self.lists(repl, "set output ", "json", "yaml", "tree")
            self.lists(repl, "auto ", "ack always yes", "judge as --on-invalid nack", "off by hand")

    def test_files_and_folders(self):
        os.mkdir(os.path.join(self.folder, "scripts"))
        for name in ("one.xds", "two words.xds"):
            with open(os.path.join(self.folder, "scripts", name), "w", encoding="utf-8"):
                pass
        with self.repl(columns=200) as repl:
            self.completes(repl, f"source {self.folder}/scr", f"source {self.folder}/scripts/")
            self.completes(repl, f"source {self.folder}/scripts/o", f"source {self.folder}/scripts/one.xds ")
            self.completes(repl, f"save {self.folder}/scripts/t", f"save '{self.folder}/scripts/two words.xds' ")

    def test_a_push_leaves_a_list_and_the_line_below_it(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            repl.type("s" + TAB)
            repl.until_shows("source")
            repl.until_line("s")
            stream.push(clusters(1, "a"))
            repl.until_line("s", waiting=1)
            self.assertEqual(repl.text.count("do what stands in a script"), 1)


if __name__ == "__main__":
    unittest.main()
