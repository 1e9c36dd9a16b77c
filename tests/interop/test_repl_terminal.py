"""`xdscope repl` on a terminal: keys, history, floods, the pager, and how it leaves the terminal behind."""

import os
import re
import signal
import stat
import unittest

import grpc

import api
from driven_server import DrivenServer, cluster, clusters
from harness import environment
from repl_terminal import Flood, Repl, ReplCase
from terminal import CTRL_BACKSLASH, CTRL_C, CTRL_D, CTRL_R, CTRL_Z, END, ENTER, HOME, LEFT, TAB, UP

CDS = api.url("cds")


class Keys(ReplCase):
    def test_the_prompt_comes_when_the_terminal_is_ready(self):
        for _ in range(10):
            with self.repl() as repl:
                repl.type(ENTER)
                row = repl.cursor[0]
                repl.until(lambda: repl.cursor[0] > row and repl.has_line(repl.prompt()), "the next prompt")
                self.assertFalse(repl.echoes)

    def test_ctrl_c_drops_the_line(self):
        with self.repl() as repl:
            repl.type("sub cds")
            repl.until_line("sub cds")
            repl.type(CTRL_C)
            repl.until_prompt()
            repl.until_shows("sub cds^C")
            repl.type("show nothing of it")
            repl.until_line("show nothing of it")
            self.assertEqual(self.server.requests, [])

    def test_ctrl_c_ten_times_fast_leaves_the_session_as_it_is(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            for times in range(1, 11):
                repl.type("x" + CTRL_C + "y" + CTRL_C)
                for _ in range(10):
                    repl.signal(signal.SIGINT)
                repl.until(lambda: not repl.is_to_get(signal.SIGINT), "the last signal")
                stream.push(clusters(times, "a"))
                repl.until_prompt(waiting=times)
            repl.say("help quit", "end all streams and leave")
            repl.type(CTRL_D)
            self.assertEqual(repl.end(), 0)

    def test_what_follows_ctrl_c_at_once_is_the_next_line(self):
        with self.repl() as repl:
            for n in range(10):
                repl.type("x")
                repl.until_line("x")
                repl.type(CTRL_C + f"help {n}")
                repl.until_line(f"help {n}")
                repl.type(CTRL_C)
                repl.until_prompt()

    def test_ctrl_c_ends_a_wait_and_no_more(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            for line in ("wait --for 1m", "expect cds a --for 1m", "expect not cds a --for 1m"):
                with self.subTest(line=line):
                    seen = repl.text.count("^C")
                    repl.type(line + ENTER)
                    repl.until(lambda: repl.echoes, "the wait")
                    repl.type(CTRL_C)
                    repl.until(lambda: repl.text.count("^C") > seen, "a new row")
                    repl.until_prompt()
            self.assertNotIn("in time", repl.text)
            stream.push(clusters(1, "a"))
            repl.until_prompt(waiting=1)

    def test_ctrl_c_ends_the_scripts_that_source_runs(self):
        with open(os.path.join(self.folder, "waits.xds"), "w", encoding="utf-8") as script:
            script.write("wait --for 1m\nhelp quit\n")
        with self.repl() as repl:
            repl.type(f"source {self.folder}/waits.xds{ENTER}")
            repl.until(lambda: repl.echoes, "the wait")
            repl.type(CTRL_C)
            repl.until_prompt()
            self.assertNotIn("end all streams", repl.text)

    def test_ctrl_d_leaves_and_says_nothing(self):
        with self.repl() as repl:
            self.subscribed(repl)
            repl.type(CTRL_D)
            self.assertEqual(repl.end(), 0)
            self.assertTrue(self.server.wait_for(lambda server: server.ended), "the stream was not closed")
            self.assertTrue(repl.as_before())

    def test_ctrl_backslash_does_not_leave(self):
        with self.repl() as repl:
            repl.type("show")
            repl.until_line("show")
            repl.type(CTRL_BACKSLASH + " nothing")
            repl.until_line("show nothing")
            repl.type(CTRL_C + CTRL_D)
            self.assertEqual(repl.end(), 0)
            self.assertTrue(repl.as_before())

    def test_a_flag_that_cannot_be_read_spoils_no_later_one(self):
        with self.repl() as repl:
            repl.say("node x:={bad", "unexpected end")
            repl.say("set output wrong", "expected one of")
            repl.say("node id=web-1")
            repl.say("node", "id: web-1")
            repl.say("set output", "yaml")

    def test_messages_in_full_are_not_cut(self):
        with self.repl("-vv", rows=60) as repl:
            self.subscribed(repl).push(clusters(1, *[f"cluster-{n}" for n in range(40)]))
            repl.until_shows("name: cluster-39")
            self.assertNotIn("more lines", repl.text)

    def test_set_and_node_leave_the_files_of_other_flags_alone(self):
        node = os.path.join(self.folder, "node.yaml")
        with open(node, "w", encoding="utf-8") as out:
            out.write("id: from-file\ncluster: c\n")
        with self.repl("--node", node) as repl:
            os.remove(node)
            repl.say("set output json")
            repl.say("node id=web-1")
            repl.say("node", '"id": "web-1"', '"cluster": "c"')
            value = os.path.join(self.folder, "value")
            for text in ("one", "two"):
                with open(value, "w", encoding="utf-8") as out:
                    out.write(text)
                repl.say(f"node k=@{value}")
                repl.say("node", f'"k": "{text}"')

    def test_messages_in_full_have_no_colours_of_their_own(self):
        with self.repl("-vv", "--color", "always") as repl:
            self.subscribed(repl)
            repl.until_shows("type_url: ")
            self.assertNotIn("\\x1b", repl.text)

    def test_ctrl_d_in_a_line_does_not_leave(self):
        with self.repl() as repl:
            repl.type("show")
            repl.until_line("show")
            repl.type(HOME + CTRL_D)
            repl.until_line("how", at=0)
            repl.type(END + CTRL_D + " now")
            repl.until_line("how now")

    def test_vi_keys(self):
        with self.repl() as repl:
            repl.type("set keys vi" + ENTER)
            repl.until_prompt()
            repl.type("show eds b\x1b0wcw" + "cds\x1b")
            repl.until_line("show cds b", at=7)
            repl.type(CTRL_C)
            repl.until_prompt()

    def test_a_pasted_script_is_done_line_by_line(self):
        with self.repl("--auto", "ack") as repl:
            repl.type("sub cds" + ENTER + "sub eds a" + ENTER + "sub eds b" + ENTER + "show")
            repl.until_line("show")
            asked = [list(self.server.request(number).resource_names) for number in range(3)]
            self.assertEqual(asked, [[], ["a"], ["a", "b"]])


class Histories(ReplCase):
    """Up and Ctrl-R: history, kept across sessions without lines that hold secrets."""

    def test_lines_of_an_earlier_session_come_back(self):
        with self.repl() as repl:
            repl.say("help sub", "sub cds a b")
            repl.say("help nack", "nack cds bad cluster")
            repl.type(CTRL_D)
            repl.end()
        with self.repl() as repl:
            repl.type(UP)
            repl.until_line("help nack")
            repl.type(UP)
            repl.until_line("help sub")
            repl.type(CTRL_C)
            repl.until_prompt()
            repl.type(CTRL_R + "nac")
            repl.until(lambda: repl.lines[repl.cursor[0]] == repl.prompt() + "help nack", "what was searched for")
            repl.type(ENTER)
            repl.until_shows("nack cds bad cluster")
        self.assertEqual(self.history(), ["help sub", "help nack", "help nack"])

    def test_lines_with_secrets_are_not_kept(self):
        secrets = ["node password=s3cret", "node api_key=s3cret", "send '{node: {metadata: {token: s3cret}}}'",
                   "node authorization='Bearer s3cret'"]
        with self.repl() as repl:
            repl.say("help sub", "sub cds a b")
            for line in secrets:
                repl.type(line + ENTER)
                repl.until(lambda line=line: repl.has_line(repl.prompt()) and line in repl.text, "the next prompt")
            repl.type(UP)
            repl.until_line(secrets[-1])  # of this session every line comes back
        self.assertEqual(self.history(), ["help sub"])
        with self.repl() as repl:
            repl.type(UP)
            repl.until_line("help sub")

    def test_nobody_else_may_read_the_file(self):
        with self.repl() as repl:
            repl.say("help sub", "sub cds a b")
        path = os.path.join(self.folder, "xdscope", "history")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)

    def test_without_a_state_folder_it_is_in_the_home_folder(self):
        with self.repl(env={"XDG_STATE_HOME": "", "HOME": self.folder}) as repl:
            repl.say("help sub", "sub cds a b")
        self.assertTrue(os.path.exists(os.path.join(self.folder, ".local/state/xdscope/history")))

    def test_a_folder_that_cannot_be_written_disturbs_nothing(self):
        with self.repl(env={"XDG_STATE_HOME": "/proc/nowhere"}) as repl:
            repl.say("help sub", "sub cds a b")
            repl.until_prompt()
            repl.type(UP)
            repl.until_line("help sub")

    def test_the_hint_stands_there_on_the_first_start_only(self):
        with self.repl() as repl:
            self.assertTrue(repl.shows("help", "Ctrl-D"), repl.text)
            repl.say("help quit", "end all streams")
        with self.repl() as repl:
            self.assertNotIn("Ctrl-D", repl.text)

    def test_history_lists_the_lines(self):
        with self.repl() as repl:
            repl.say("help sub", "sub cds a b")
            repl.until_prompt()
            before = repl.text.count("help sub")
            repl.type("history" + ENTER)
            repl.until(lambda: repl.text.count("help sub") > before, "the line in the list")


class Screens(ReplCase):
    def test_no_color_means_no_colour(self):
        for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            with self.subTest(env=env), DrivenServer() as server, self.repl("--auto", "ack", server=server,
                                                                            env=env) as repl:
                repl.say("sub cds", "-> CDS")
                server.stream().push(clusters(1, "a"))
                repl.until_shows("-> CDS ack")
                repl.until_prompt()
                repl.say("show cds", "connect_timeout")
                repl.until_prompt()
                repl.type("nack cds x" + ENTER + "send '{type_url: nonsense, response_nonce: other}'" + ENTER)
                repl.until(lambda: repl.has_line(repl.prompt()) and repl.shows("-> nonsense"), "a request")
                self.assertEqual(bool(re.search(rb"\x1b\[[0-9;]*m", repl.written)), coloured, repl.written)

    def test_a_dumb_terminal_gets_lines_and_nothing_else(self):
        with self.repl("--auto", "ack", env={"TERM": "dumb"}) as repl:
            repl.type("sub cds" + ENTER)
            repl.until_shows("-> CDS first request")
            stream = self.server.stream()
            stream.push(clusters(1, "a"))
            repl.until_shows("<- CDS 1 nonce n1", "-> CDS ack")
            repl.say("list cds", "STATIC")
            self.assertNotIn(b"\x1b", repl.written)
            repl.until(lambda: repl.has_line(repl.prompt()), "the prompt")
            repl.type(CTRL_D)
            self.assertEqual(repl.end(), 0)
            self.assertTrue(repl.as_before())

    def test_two_hundred_pushes_a_second_lose_no_key_and_leave_the_prompt(self):
        line = "nack cds " + " ".join(f"reason{n}" for n in range(12))
        with self.repl(columns=60) as repl:
            stream = self.subscribed(repl)
            with Flood(stream, 200) as flood:
                for at, char in enumerate(line, 1):
                    repl.type(char)
                    repl.until(lambda at=at: self.typed(repl).endswith("> " + line[:at]), f"the key {at}", seconds=3)
                repl.type(LEFT * 3)
                flood.until_more(100)
                repl.type("X" + ENTER)
                self.assertTrue(self.server.wait_for(lambda server: len(server.requests) > 1), "nothing was sent")
                repl.type("help quit" + ENTER)
                repl.until(lambda: repl.shows("end all streams and leave"), "an answer", seconds=5)
            refused = self.server.request(1)
            self.assertEqual(refused.error_detail.message, line[len("nack cds "):-3] + "X" + line[-3:])
            repl.type(CTRL_D)
            self.assertEqual(repl.end(), 0)

    def typed(self, repl):
        """Prompt and line, as far as the cursor, without folds; at the end of a row a blank may be missing."""
        row, column = repl.cursor
        top = max((at for at, text in enumerate(repl.lines[:row + 1]) if text.startswith("1 ads ")), default=0)
        rows = "".join(text.ljust(repl.columns) for text in repl.lines[top:row + 1])
        return rows[:(row - top) * repl.columns + column]

    def test_a_flood_does_not_hold_ctrl_c_or_ctrl_d_up(self):
        with self.repl() as repl:
            with Flood(self.subscribed(repl), 500):
                repl.type("some words")
                repl.until(lambda: self.typed(repl).endswith("> some words"), "the words", seconds=5)
                repl.type(CTRL_C)
                repl.until(lambda: self.typed(repl).endswith("> "), "the prompt", seconds=5)
                repl.type(CTRL_D)
                self.assertEqual(repl.end(), 0)
            self.assertTrue(repl.as_before())


class Deaths(ReplCase):
    """The stream dies: said at once with the status, the prompt lives on."""

    def test_a_stream_that_fails_is_said_and_can_be_opened_again(self):
        with self.repl() as repl:
            stream = self.subscribed(repl, "a")
            repl.type("list cds")
            repl.until_line("list cds")
            stream.fail(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many of you")
            repl.until_shows("closed", "RESOURCE_EXHAUSTED", "too many of you")
            repl.until_line("list cds", state=" closed")
            repl.type(CTRL_C)
            repl.until_prompt(state=" closed")
            repl.say("reopen", "the stream is open")
            repl.until_prompt()
            self.assertEqual(list(self.server.request(1).resource_names), ["a"])

    def test_a_server_that_dies_leaves_the_prompt(self):
        with DrivenServer() as server, self.repl(server=server) as repl:
            repl.say("sub cds", "-> CDS")
            repl.until_prompt()
            repl.type("help qu")
            repl.until_line("help qu")
            server.__exit__()
            repl.until_line("help qu", state=" closed")
            repl.type("it" + ENTER)
            repl.until_shows("end all streams and leave")
            for _ in range(2):
                seen = repl.text.count("the stream is closed:")
                repl.type("reopen" + ENTER)
                repl.until(lambda seen=seen: repl.text.count("the stream is closed:") > seen, "the failure")
                repl.until_prompt(state=" closed")
            self.assertIn("refused", repl.text)
            repl.type(CTRL_D)
            self.assertEqual(repl.end(), 0)

    def test_a_server_that_is_not_there_leaves_the_prompt_too(self):
        with DrivenServer() as server:
            server.__exit__()
            with Repl(server, env=environment({"TERM": "xterm", "XDG_STATE_HOME": self.folder})) as repl:
                repl.until_shows("refused")
                repl.until_prompt(state=" closed")
                repl.say("sub cds", "sub cds")
                repl.until_prompt(state=" closed")
                repl.type(CTRL_D)
                repl.end()


class Pagers(ReplCase):
    """Output longer than the screen goes through $PAGER, without blocking the stream."""

    def setUp(self):
        super().setUp()
        self.log, self.fifo = os.path.join(self.folder, "paged"), os.path.join(self.folder, "leave")
        os.mkfifo(self.fifo)
        self.pager = os.path.join(self.folder, "pager")
        with open(self.pager, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\ncat > {self.log}\necho PAGER SHOWS\nexec cat < {self.fifo}\n")
        os.chmod(self.pager, 0o755)

    def leave(self):
        """Ends the pager."""
        with open(self.fifo, "w", encoding="utf-8"):
            pass

    def full(self, repl):
        """A stream, and more on it than the screen holds."""
        repl.say("sub cds", "-> CDS")
        stream = self.server.stream()
        stream.push(clusters(1, *[f"cluster-{n}" for n in range(40)]))
        repl.until_shows("-> CDS ack")
        repl.until_prompt()
        return stream

    def test_a_push_that_comes_meanwhile_is_taken_and_announced_after(self):
        with self.repl("--auto", "ack", env={"PAGER": self.pager}) as repl:
            stream = self.full(repl)
            repl.say("show cds", "PAGER SHOWS")
            stream.push(clusters(2, "after"))
            self.assertEqual(self.server.request(2).version_info, "2", "it was answered while the pager was open")
            self.assertNotIn("<- CDS 2", repl.text)
            self.leave()
            repl.until_shows("<- CDS 2")
            repl.until_prompt()
            with open(self.log, encoding="utf-8") as paged:
                self.assertEqual(len(set(re.findall(r"cluster-\d+", paged.read()))), 40)
            self.assertNotIn("cluster-39", repl.text)

    def test_short_output_does_not_go_there(self):
        with self.repl(env={"PAGER": self.pager}) as repl:
            repl.say("help sub", "sub cds a b")
            repl.until_prompt()
            self.assertFalse(os.path.exists(self.log))

    def test_ctrl_c_in_the_pager_leaves_the_session(self):
        with self.repl("--auto", "ack", env={"PAGER": self.pager}) as repl:
            self.full(repl)
            repl.say("show cds", "PAGER SHOWS")
            repl.type(CTRL_C)
            repl.until_prompt()
            repl.say("help quit", "end all streams")

    def test_sigterm_in_the_pager_ends_the_session_with_it(self):
        with self.repl("--auto", "ack", env={"PAGER": self.pager}) as repl:
            self.full(repl)
            repl.say("show cds", "PAGER SHOWS")
            repl.signal(signal.SIGTERM)
            self.assertEqual(repl.end(), 130)
            self.assertTrue(repl.as_before())

    def test_a_pager_that_does_not_exist_or_reads_nothing_is_no_loss(self):
        for pager, shown in (("/nowhere/pager", True), ("true", False), ("cat", True)):
            with self.subTest(pager=pager), DrivenServer() as self.server:
                with self.repl("--auto", "ack", server=self.server, env={"PAGER": pager}) as repl:
                    self.full(repl)
                    repl.type("show cds" + ENTER)
                    repl.until(lambda shown=shown: not shown or repl.shows("name: cluster-39"), "the output")
                    repl.until_prompt()


class Stops(ReplCase):
    """Ctrl-Z and what ends the program leave the terminal as it was."""

    def test_ctrl_z_gives_the_terminal_back_and_the_line_is_there_when_it_goes_on(self):
        for columns in (80, 30):
            with self.subTest(columns=columns), DrivenServer() as server, self.repl(server=server,
                                                                                    columns=columns) as repl:
                repl.say("sub cds", "-> CDS")
                repl.until_prompt()
                for times in (1, 2):
                    line = "nack cds that is not good"
                    repl.type(line)
                    repl.until_line(line, waiting=times - 1)
                    repl.type(LEFT * 5)
                    repl.until_line(line, waiting=times - 1, at=len(line) - 5)
                    repl.type(CTRL_Z)
                    repl.until(lambda times=times: repl.stops == times, "a stop")
                    self.assertTrue(repl.as_before())
                    server.stream().push(clusters(times, "a"))
                    repl.go_on()
                    repl.until_line(line, waiting=times, at=len(line) - 5)
                    repl.type(CTRL_C)
                    repl.until_prompt(waiting=times)

    def test_ctrl_z_in_a_wait_stops_it_too(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            repl.type("wait --for 1m" + ENTER)
            repl.until(lambda: repl.echoes, "the wait")
            repl.type(CTRL_Z)
            repl.until(lambda: repl.stops == 1, "a stop")
            stream.push(clusters(1, "a"))
            repl.go_on()
            repl.until_prompt(waiting=1)

    def test_the_terminal_is_as_before_however_it_ends(self):
        cases = {
            "quit": lambda repl: repl.type("quit" + ENTER),
            "Ctrl-D": lambda repl: repl.type(CTRL_D),
            "SIGTERM": lambda repl: repl.signal(signal.SIGTERM),
            "--max-time": lambda repl: None,
        }
        codes = {"SIGTERM": 130, "--max-time": 4}
        for how, ends in cases.items():
            for typed in ("", "half a line"):
                if typed and how in ("quit", "Ctrl-D"):
                    continue
                flags = ["--max-time", "2s"] if how == "--max-time" else []
                with self.subTest(how=how, typed=typed), self.repl(*flags) as repl:
                    repl.type(typed)
                    repl.until_line(typed)
                    ends(repl)
                    self.assertEqual(repl.end(), codes.get(how, 0))
                    self.assertTrue(repl.as_before(), "settings or mode of the terminal have changed")

    def test_the_terminal_is_as_before_when_a_wait_is_ended(self):
        with self.repl("--max-time", "2s") as repl:
            repl.type("wait --for 1m" + ENTER)
            self.assertEqual(repl.end(), 4)
            self.assertTrue(repl.as_before())

    def test_while_a_verb_runs_the_terminal_is_a_plain_one(self):
        with self.repl() as repl:
            repl.type("wait --for 1m" + ENTER)
            repl.until(lambda: repl.echoes, "the wait")
            self.assertTrue(repl.as_before())


class Hostile(ReplCase):
    """Names and texts of a server reach the screen escaped."""

    BAD = "\x1b]0;owned\x07\x1b[2J\x9b31mred\nnew row\r\u202eesrever\u2066\u200b\x7f"

    def test_nothing_that_a_server_says_moves_the_cursor(self):
        flags = ["--auto", "ack"]
        with self.repl(*flags, columns=200, rows=60, env={"PAGER": "cat", "NO_COLOR": "1"}) as repl:
            repl.say("sub cds", "-> CDS")
            stream = self.server.stream()
            stream.push(api.response(CDS, [cluster("a" + self.BAD), cluster("plain")], version="v" + self.BAD,
                                     nonce="n" + self.BAD, control_plane={"identifier": "c" + self.BAD}))
            repl.until_shows("-> CDS ack")
            repl.until_prompt()
            for line in ("list", "show cds", "state", "state cds", "log", "response 2", "request 3", "tree", "check",
                         "preview cds", "pending", "streams", "set output name", "show cds", "set output text", "show",
                         "set output ndjson", "show"):
                repl.type(line + ENTER)
                repl.until_prompt()
            repl.type("show cds " + TAB + TAB)
            repl.until_shows("held, version")
            repl.type(CTRL_C)
            repl.until_prompt()
            self.assert_harmless(repl)

    def test_a_type_that_nobody_asked_for_is_said_escaped(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            stream.push(api.response("type" + self.BAD, [], version="1", nonce="x"))
            repl.until_shows("not asked for")
            for line in ("log", "pending", "state", "streams", "check", "response 2"):
                repl.type(line + ENTER)
                repl.until(lambda: repl.lines[repl.cursor[0]].endswith(">") and not repl.echoes, "the prompt")
            self.assert_harmless(repl)

    def test_the_words_of_a_status_are_escaped(self):
        with self.repl() as repl:
            self.subscribed(repl).fail(grpc.StatusCode.INTERNAL, "status " + self.BAD)
            repl.until_shows("closed: ", "status ")
            repl.until_prompt(state=" closed")
            self.assert_harmless(repl)

    def test_bytes_that_are_no_response_are_harmless(self):
        with self.repl() as repl:
            self.subscribed(repl).push(b"\xff\xff\x1b[2J" + self.BAD.encode())
            repl.until_shows("cannot be read")
            repl.until_prompt(state=" closed")
            self.assert_harmless(repl)

    def test_a_completed_name_is_harmless_too(self):
        with self.repl("--auto", "ack") as repl:
            repl.say("sub cds", "-> CDS")
            self.server.stream().push(clusters(1, "a" + self.BAD))
            repl.until_shows("-> CDS ack")
            repl.until_prompt()
            repl.type("show cds a" + TAB + "!")
            repl.until(lambda: "!" in repl.lines[repl.cursor[0]], "the key behind the name")
            self.assert_harmless(repl)

    def assert_harmless(self, repl):
        written = repl.written.decode()
        for bad in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u2066", "\u200b", "\x7f"):
            at = written.find(bad)
            self.assertEqual(at, -1, (bad, written[max(at - 200, 0):at + 50]))
        self.assertFalse([line for line in repl.lines if line.startswith("new row")])

    def test_a_push_with_a_hostile_name_leaves_the_typed_line(self):
        with self.repl() as repl:
            stream = self.subscribed(repl)
            repl.type("show cds a")
            repl.until_line("show cds a")
            stream.push(api.response(CDS, [cluster(self.BAD)], version=self.BAD, nonce=self.BAD))
            repl.until_line("show cds a", waiting=1)


if __name__ == "__main__":
    unittest.main()
