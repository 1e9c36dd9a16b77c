"""What `xdscope repl` sends: what was typed, right or wrong, and the same again when a script is replayed."""

import unittest

import api
from driven_server import DrivenServer, clusters, endpoints
from harness import NODE, run, texts
from repl_script import CDS, EDS, STREAMS, Honest, ReplCase, said


class Requests(ReplCase):
    """What goes to the server is what was typed, right or wrong."""

    def test_nothing_is_sent_that_was_not_typed(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "expect not eds x --for 300ms", "show", "list", "log",
                                      "state", "preview",
                                      "node", "check", "pending", "tree")
            server.stream().push(clusters(1, "a"))
            self.ends(process)
            self.assertEqual(len(server.requests), 1)

    def test_a_verdict_carries_the_version_and_the_nonce_of_its_response(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds a", "wait", "wait", "ack", "nack bad --code 3", "wait",
                                      "nack cds worse")
            server.stream().push(clusters(1, "a"), clusters(2, "a"), clusters(3, "a"))
            self.ends(process)
            seen = [(r.version_info, r.response_nonce, r.error_detail.code, r.error_detail.message) for _,
                    r in server.requests]
            self.assertEqual(seen[1:], [("1", "n1", 0, ""), ("1", "n2", 3, "bad"), ("1", "n3", seen[3][2], "worse")])
            self.assertNotEqual(seen[3][2], 0)

    def test_a_response_can_be_answered_out_of_turn_late_and_twice(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "wait", "ack #3", "ack #2", "ack #3",
                                      "nack #2 after all")
            server.stream().push(clusters(1, "a"), clusters(2, "a"))
            out, _ = self.ends(process)
            seen = [(r.version_info, r.response_nonce, r.error_detail.message) for _, r in server.requests[1:]]
            self.assertEqual(seen[:3], [("2", "n2", ""), ("1", "n1", ""), ("2", "n2", "")])
            self.assertEqual(seen[3][1:], ("n1", "after all"))
            self.assertIn("XDS-C008", out)

    def test_a_delta_nonce_can_be_answered_twice_and_the_rule_is_said(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "ack", "ack #2", "nack #2 no",
                                      flags=["--variant", "delta-ads"])
            entry = api.wrapper("a", api.resource("cds", {"name": "a"}), "1")
            server.stream().push(api.delta_response(CDS, [entry], nonce="d1"))
            out, _ = self.ends(process)
            self.assertEqual([r.response_nonce for _, r in server.requests[1:]], ["d1"] * 3)
            self.assertIn("XDS-C015", out)

    def test_a_change_of_interest_waits_for_the_verdict_unless_now(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "sub eds a", "wait", "sub eds b", "expect not eds z --for 200ms", "ack",
                                      "wait",
                                      "sub eds c --now", "ack")
            server.stream().push(endpoints(1, "a"))
            self.assertEqual(list(server.request(1).resource_names), ["a", "b"])
            self.assertEqual(server.request(1).response_nonce, "e1")
            server.stream().push(endpoints(2, "a", "b"))
            out, _ = self.ends(process)
            seen = [(list(r.resource_names), r.version_info, r.response_nonce) for _, r in server.requests[1:]]
            self.assertEqual(seen[:2], [(["a", "b"], "1", "e1"), (["a", "b", "c"], "1", "e1")])
            self.assertEqual(seen[2], (["a", "b", "c"], "2", "e2"))
            self.assertIn("it goes out with the answer", out)
            self.assertIn("XDS-C027", out)

    def test_wildcards_are_typed_both_ways(self):
        ways = [("sub cds", [], []), ("sub cds *", ["*"], ["*"]), ("sub cds:*", ["*"], ["*"])]
        for variant, field in (("ads", "resource_names"), ("delta-ads", "resource_names_subscribe")):
            for line, first, _ in ways:
                with self.subTest(variant=variant, line=line), Honest() as server:
                    self.script(server.address, line, "wait", "ack", flags=["--variant", variant])
                    self.assertEqual(list(getattr(server.requests[0][1], field)), first)

    def test_a_name_after_everything_keeps_the_wildcard(self):
        with Honest() as server:
            self.script(server.address, "sub cds", "wait", "ack", "sub cds a", "wait", "ack", "unsub cds", "state")
            names = [sorted(r.resource_names) for _, r in server.requests]
            self.assertEqual(names[:3], [[], [], ["*", "a"]])
            server.wait_for(lambda server: len(server.requests) == 5)
            self.assertEqual(list(server.requests[-1][1].resource_names), [])

    def test_what_was_typed_last_is_sent_before_a_script_ends(self):
        for variant in STREAMS:
            for before in ([], ["sub cds a", "wait", "ack"], ["sub cds a", "reopen"]):
                with self.subTest(variant=variant, before=before), Honest() as server:
                    self.script(server.address, *before, "sub eds a", flags=["--variant", variant])
                    self.assertTrue(server.wait_for(lambda server: any(r.type_url == EDS for _, r in server.requests)),
                                    said(server))

    def test_resub_says_a_name_again(self):
        for variant in ("ads", "delta-ads"):
            with self.subTest(variant=variant), Honest() as server:
                self.script(server.address, "sub eds a b", "wait", "ack", "resub eds a", flags=["--variant", variant])
                self.assertTrue(server.wait_for(lambda server: len(server.requests) == 3), said(server))
                last = server.requests[-1][1]
                names = last.resource_names_subscribe if variant == "delta-ads" else last.resource_names
                self.assertEqual(list(names), ["a"] if variant == "delta-ads" else ["a", "b"])

    def test_preview_is_what_is_sent_then(self):
        for variant in STREAMS:
            for change, verdict in (("sub eds b", "ack"), ("unsub eds a", "ack")):
                with self.subTest(variant=variant, change=change), Honest() as server:
                    result = self.script(server.address, "set output json", "sub eds a", "wait", change, "preview eds",
                                         verdict,
                                         flags=["--variant", variant, "-q"])
                    self.assertTrue(server.wait_for(lambda server: len(server.requests) > 1), str(result))
                    shown = texts(result.out)[0]
                    sent = api.to_json(server.requests[1][1])
                    self.assertEqual(shown.pop("type_url", EDS), sent.pop("type_url", EDS))
                    shown.pop("node", None)
                    sent.pop("node", None)
                    self.assertEqual(shown, sent)

    def test_send_sends_json_and_yaml_as_they_are(self):
        forms = ['{"type_url": "%s", "version_info": "7", "response_nonce": "no such", "resource_names": ["a", "a"]}',
                 "{type_url: %s, version_info: '7', response_nonce: no such, resource_names: [a, a]}"]
        for form in forms:
            with self.subTest(form=form), Honest() as server:
                quote = "'" if form.startswith('{"') else '"'
                result = self.script(server.address, "sub cds", "wait", "ack", f"send {quote}{form % EDS}{quote}")
                self.assertTrue(server.wait_for(lambda server: len(server.requests) == 3))
                sent = api.to_json(server.requests[2][1])
                self.assertEqual(sent, {"type_url": EDS, "version_info": "7", "response_nonce": "no such",
                                        "resource_names": ["a", "a"]})
                self.assertIn("XDS-C022", result.out)

    def test_send_takes_a_delta_request_in_delta(self):
        with Honest() as server:
            self.script(server.address, "sub cds", "wait", "ack",
                        f"send '{{type_url: {EDS}, resource_names_subscribe: [b], "
                        "initial_resource_versions: {b: v}}'",
                        "wait eds", flags=["--variant", "delta-ads"])
            self.assertEqual(api.to_json(server.requests[2][1]),
                             {"type_url": EDS, "resource_names_subscribe": ["b"],
                              "initial_resource_versions": {"b": "v"}})

    def test_send_refuses_a_field_that_is_unknown_and_names_it(self):
        with Honest() as server:
            self.fails(server.address, "sub cds", "wait", "send '{type_url: x, no_such_field: 1}'", at=3,
                       words=["no_such_field"])
            self.fails(server.address, "sub cds", "wait", "send '{type_url: x, node: {identity: 1}}'", at=3,
                       words=["identity"])
            self.fails(server.address, "send '{type_url: [}'", at=1, words=[])

    def test_reopen_says_names_and_versions_again_and_fresh_forgets_them(self):
        for variant in STREAMS:
            for fresh in (False, True):
                with self.subTest(variant=variant, fresh=fresh), Honest() as server:
                    self.script(server.address, "sub eds a b", "wait", "ack", "reopen --fresh" if fresh else "reopen",
                                "wait",
                                "ack", flags=["--variant", variant])
                    self.assertTrue(server.wait_for(lambda server: len(server.requests) == 4), said(server))
                    again = server.requests[2][1]
                    self.assertEqual(again.response_nonce, "")
                    self.assertEqual(again.node.id, NODE)
                    if "delta" in variant:
                        self.assertEqual(sorted(again.resource_names_subscribe), ["a", "b"])
                        self.assertEqual(dict(again.initial_resource_versions), {} if fresh else {"a": "1", "b": "1"})
                    else:
                        self.assertEqual(list(again.resource_names), ["a", "b"])
                        self.assertEqual(again.version_info, "" if fresh else "1")

    def test_a_changed_node_is_said_by_the_next_stream(self):
        with Honest() as server:
            result = self.script(server.address, "sub eds a", "wait", "ack", "node id=second cluster=c role=edge",
                                 "sub eds b", "wait", "ack",
                                 "reopen", "wait", "node")
            nodes = [r.node for _, r in server.requests]
            self.assertEqual(nodes[0].id, NODE)
            self.assertNotIn("second", [node.id for node in nodes[1:4]])
            self.assertEqual((nodes[4].id, nodes[4].cluster, dict(nodes[4].metadata)),
                             ("second", "c", {"role": "edge"}))
            self.assertIn("the next stream", result.out)
            self.assertIn("id: second", result.out)

    def test_auto_answers_as_it_is_told(self):
        bad = api.packed_bytes(CDS, b"\xff\xff")
        answered = {"ack": [False, False], "nack": [True, True], "judge": [False, True]}
        for word, refused in answered.items():
            for by_flag in (False, True):
                with self.subTest(auto=word, by_flag=by_flag), DrivenServer() as server:
                    lines = ["sub cds", "wait", "wait"]
                    process = self.run_driven(server, *([] if by_flag else [f"auto {word}"]), *lines,
                                              flags=["--auto", word] if by_flag else [])
                    server.stream().push(clusters(1, "a"), api.response(CDS, [bad], version="2", nonce="n2"))
                    self.ends(process)
                    server.wait_for(lambda server: len(server.requests) == 3)
                    self.assertEqual([r.HasField("error_detail") for _, r in server.requests[1:]], refused)

    def test_auto_off_leaves_the_next_response_to_the_person(self):
        with DrivenServer() as server:
            process = self.run_driven(server, "auto", "sub cds", "wait", "auto off", "auto", "ack", "wait", "pending",
                                      flags=["--auto", "nack"])
            server.stream().push(clusters(1, "a"))
            server.request(1)
            out, err = self.ends(process, code=1)  # nothing waits for the ack
            self.assertIn("no response waits", err)
            self.assertIn("\nnack\n", out)
            self.assertIn("\noff\n", out)


class Replays(ReplCase):
    """A script is how a bug report is replayed."""

    CONVERSATION = ["sub cds", "wait", "ack", "sub eds a", "wait", 'nack eds "not this, \'that\'" --code 9',
                    "sub eds b", "wait eds", "ack",
                    "unsub eds a", "wait eds", "ack #8", "resub eds b",
                    f"send '{{type_url: {CDS}, response_nonce: other}}'", "node id=other",
                    "reopen", "wait cds", "ack cds", "reopen --fresh", "wait cds", "ack cds"]

    def replayed(self, variant, lines, flags=()):
        """What an honest server hears of a conversation, and of the script that `save` makes of it."""
        saved = self.path("saved.xds")
        with Honest() as server:
            self.script(server.address, *lines, f"save {saved}", flags=["--variant", variant, *flags])
            server.until_left()
            first = said(server)
        with Honest() as server:
            result = run("repl", server.address, "--script", saved, "--node-id", NODE, "--variant", variant)
            self.assertEqual(result.code, 0, str(result))
            server.until_left()
            again = said(server)
        with open(saved, encoding="utf-8") as text:
            return first, again, text.read()

    def test_a_saved_script_sends_the_same_requests(self):
        for variant in ("ads", "delta-ads", "sotw", "delta"):
            lines = self.CONVERSATION if variant == "ads" else [
                "sub cds a", "wait", "ack", "sub eds a b", "wait eds", "nack eds no", "unsub eds a", "sub cds b",
                                                                "wait cds", "ack cds",
                "reopen", "wait cds", "ack cds", "wait eds", "ack eds", "sub eds a", "wait eds", "ack eds", "unsub cds"]
            with self.subTest(variant=variant):
                first, again, script = self.replayed(variant, lines)
                self.assertEqual(again, first, script)
                self.assertGreater(sum(map(len, first.values())), 5)

    def test_what_flags_said_is_in_the_script(self):
        first, again, script = self.replayed("ads", ["sub cds", "wait", "sub eds a", "wait eds"],
                                             flags=["--auto", "ack"])
        self.assertEqual(again, first, script)

    def test_several_streams_are_repeated_too(self):
        lines = ["auto ack", "sub cds", "open delta-ads", "auto ack", "sub cds a", "wait", "use 1", "wait", "sub eds a",
                 "use 2", "sub eds b", "wait",
                 "close 1", "unsub eds b"]
        first, again, script = self.replayed("ads", lines)
        self.assertEqual(again, first, script)

    def test_a_saved_script_can_be_saved_again(self):
        saved, again = self.path("saved.xds"), self.path("again.xds")
        with Honest() as server:
            self.script(server.address, "sub cds", "wait", "ack", f"save {saved}")
            self.script(server.address, f"source {saved}", f"save {again}")
        scripts = []
        for path in (saved, again):
            with open(path, encoding="utf-8") as script:
                scripts.append([line for line in script.read().splitlines() if not line.startswith("#")])
        self.assertEqual(*scripts)

    def test_a_secret_is_never_in_it(self):
        saved = self.path("saved.xds")
        with Honest() as server:
            self.script(server.address, "node password=s3cret", "node api_key:='\"s3cret\"'", "sub cds", "wait", "ack",
                        f"send '{{type_url: {CDS}, node: {{metadata: {{token: s3cret}}}}}}'", f"save {saved}",
                        flags=["-H", "authorization: Bearer s3cret"])
        with open(saved, encoding="utf-8") as text:
            script = text.read()
        self.assertNotIn("s3cret", script)
        self.assertIn("left out", script)
        self.assertIn("sub cds", script)

    def test_save_says_where_it_cannot_write(self):
        with Honest() as server:
            self.fails(server.address, "help sub", "save /nowhere/x.xds", at=2, words=["/nowhere/x.xds"])

    def test_two_runs_of_a_script_print_the_same(self):
        lines = ["sub cds", "wait", "list", "nack cds no good", "reopen", "wait", "ack", "sub eds a b", "wait", "ack",
                 "list", "show", "state", "state eds",
                 "tree", "check", "preview", "pending", "request 1", "response 2", "diff cds a", "help", "help nack",
                 "set", "node", "unsub eds", "wait eds",
                 "set output json", "show eds", "expect cds a", "close"]
        outputs = set()
        with Honest() as server:
            for _ in range(4):
                outputs.add(self.script(server.address, *lines).out)
        self.assertEqual(len(outputs), 1, "\n=====\n".join(outputs))


if __name__ == "__main__":
    unittest.main()
