"""`xdscope watch` in each case of protocol.md H that a client can meet. A server plays the trace; what the client sends
stands in the notation of protocol.md B, what it says of the server is found by rule, and its own requests are checked
by the rules of section D."""

import contextlib
import re
import socket
import subprocess
import tempfile
import threading
import unittest

import api
import client_rules
from driven_server import DrivenServer, cluster, clusters, endpoints
from harness import Case, environment, program
from repl_script import ReplCase
from scripted_server import ScriptedServer
from watching import Watch

SHORT = {api.url(short): short.upper() for short in api.V3}
CDS, EDS, LDS, RDS, RTDS, VHDS = (api.url(short) for short in ("cds", "eds", "lds", "rds", "rtds", "vhds"))
ADS_EDS = {"type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}, "resource_api_version": "V3"}}}
TTL = ("--client-feature", "xds.config.supports-resource-ttl")


def listed(names):
    return "[" + ",".join(sorted(names)) + "]"


def line(request):
    """A request as protocol.md B writes it."""
    error = " err" if request.HasField("error_detail") else ""
    if request.DESCRIPTOR.name == "DiscoveryRequest":
        return (f"{SHORT[request.type_url]} V={request.version_info} R={listed(request.resource_names)} "
                f"N={request.response_nonce}{error}")
    parts = [SHORT[request.type_url]]
    parts += [f"+{listed(request.resource_names_subscribe)}"] if request.resource_names_subscribe else []
    parts += [f"-{listed(request.resource_names_unsubscribe)}"] if request.resource_names_unsubscribe else []
    held = request.initial_resource_versions
    parts += ["init{" + ",".join(f"{name}:{held[name]}" for name in sorted(held)) + "}"] if held else []
    parts += [f"N={request.response_nonce}"] if request.response_nonce else []
    return " ".join(parts) + error


def eds_clusters(version, *names):
    """CDS whose clusters take their endpoints from this stream."""
    return api.response(CDS, [cluster(name, **ADS_EDS) for name in names], version=str(version), nonce=f"n{version}")


def entries(short, nonce, *pairs, removed=(), **fields):
    """A delta response: "a@1" each, and what is removed."""
    key = "cluster_name" if short == "eds" else "name"
    made = []
    for pair in pairs:
        name, version = pair.split("@")
        body = {key: name, **(fields.get("body") or {})}
        made.append(api.wrapper(name, api.resource(short, body), version))
    return api.delta_response(api.url(short), made, removed, nonce=nonce)


def heartbeat(name, version, seconds=60):
    entry = api.wrapper(name, None, version)
    entry.ttl.FromSeconds(seconds)
    return entry


def mortal(name, version, seconds=60):
    entry = heartbeat(name, version, seconds)
    entry.resource.CopyFrom(api.resource("rtds", {"name": name}))
    return entry


class Played(Case):
    def setUp(self):
        self.server = self.enterContext(DrivenServer())
        self.excused = ()
        self.addCleanup(self.check_client)

    def check_client(self, but=()):
        """No rule is broken by the client; what the protocol lets happen (a request that crosses a response) is none."""
        found = [each for each in client_rules.check(self.server.streams) if each.severity != "info"]
        self.assertEqual([each for each in found if each.rule not in (*but, *self.excused)], [])

    def watch(self, *args):
        return self.enterContext(Watch(self.server.address, "-v", *args))

    def sent(self, *lines):
        """Waits for as many requests, over all streams, and compares them all."""
        self.server.wait_for(lambda its: len(its.requests) >= len(lines), 20)
        self.assertEqual([line(request) for _, request in self.server.requests], list(lines))

    def push(self, *responses, stream=0):
        self.server.stream(stream).push(*responses)

    def rules(self, watch):
        """What was found about the server, by rule."""
        return sorted(set(re.findall(r"XDS-S\d+", "\n".join(watch.err))))

    def told(self, watch):
        """The events about resources."""
        return [f"{each['event']} {each['name']}" for each in watch.events
                if each["event"] in ("added", "changed", "removed", "expired", "absent", "refused")]


class Sotw(Played):
    def test_t01_first_fetch_and_ack(self):  # E1
        watch = self.watch("eds:foo,bar", "--count", "1")
        self.push(endpoints("X", "foo", "bar", nonce="A"))
        self.assertEqual(watch.ended(), 0)
        self.sent("EDS V= R=[bar,foo] N=", "EDS V=X R=[bar,foo] N=A")
        self.assertEqual((self.told(watch), self.rules(watch)), (["added foo", "added bar"], []))

    def test_t01_nack_then_success(self):  # E2
        watch = self.watch("eds:foo,bar", "--count", "2", "--on-invalid", "nack")
        self.push(endpoints("X", "foo", "foo", nonce="A"), endpoints("Y", "foo", "bar", nonce="B"))
        self.assertEqual(watch.ended(), 0)
        self.sent("EDS V= R=[bar,foo] N=", "EDS V= R=[bar,foo] N=A err", "EDS V=Y R=[bar,foo] N=B")
        self.assertEqual(self.told(watch), ["refused foo", "added foo", "added bar"])

    def test_t01_full_state_add_and_delete(self):  # E5
        watch = self.watch("cds", "--count", "3")
        self.push(clusters(1, "a", "b", "c"), clusters(2, "a", "b", "c", "d"), clusters(3, "a", "c", "d"))
        self.assertEqual(watch.ended(), 0)
        self.sent("CDS V= R=[] N=", "CDS V=1 R=[] N=n1", "CDS V=2 R=[] N=n2", "CDS V=3 R=[] N=n3")
        self.assertEqual((self.told(watch), self.rules(watch)),
                         (["added a", "added b", "added c", "added d", "removed b"], []))

    def test_t02_names_change_without_a_version_then_a_nack(self):  # E3
        watch = self.watch("cds", "--follow", "--on-invalid", "nack")
        self.push(eds_clusters(1, "A"))
        self.server.request(2)
        self.push(endpoints(1, "A"))
        self.server.request(3)
        self.push(eds_clusters(2, "A", "B"))
        self.server.request(5)
        self.push(endpoints(1, "B", "B", nonce="2"))
        self.sent("CDS V= R=[] N=", "CDS V=1 R=[] N=n1", "EDS V= R=[A] N=", "EDS V=1 R=[A] N=e1",
                  "CDS V=2 R=[] N=n2", "EDS V=1 R=[A,B] N=e1", "EDS V=1 R=[A,B] N=2 err")
        watch.sees("nack")
        watch.until(lambda: self.rules(watch) == ["XDS-S016"], "the rule")

    def test_t03_a_request_that_crosses_a_response(self):  # E4
        watch = self.watch("cds", "--follow")
        self.push(eds_clusters(1, "foo"))
        self.server.request(2)
        self.push(endpoints("X", "foo", nonce="A"))
        self.server.request(3)
        self.push(eds_clusters(2, "foo", "bar"), endpoints("Y", "foo", nonce="B"))
        watch.sees("ack", count=4)
        self.server.wait_for(lambda its: line(its.requests[-1][1]) == "EDS V=Y R=[bar,foo] N=B", 20)
        said = [line(request) for _, request in self.server.requests]
        self.assertEqual(said[-1], "EDS V=Y R=[bar,foo] N=B")
        self.assertIn(said[5:-1], ([], ["EDS V=X R=[bar,foo] N=A"]))
        self.assertEqual(self.rules(watch), [])

    def test_t04_what_is_sent_after_nothing_is_wanted(self):
        watch = self.watch("cds", "--follow")
        self.push(eds_clusters(1, "a"))
        self.server.request(2)
        self.push(endpoints(1, "a"))
        self.server.request(3)
        self.push(clusters(2, "b"))
        self.server.request(5)
        self.assertEqual(self.rules(watch), [])
        self.push(clusters(3, "b"), endpoints(2, "a", "never"))  # it reads an empty list as everything
        watch.until(lambda: self.rules(watch) == ["XDS-S068"], "the rule")
        self.sent("CDS V= R=[] N=", "CDS V=1 R=[] N=n1", "EDS V= R=[a] N=", "EDS V=1 R=[a] N=e1", "CDS V=2 R=[] N=n2",
                  "EDS V=1 R=[] N=e1", "CDS V=3 R=[] N=n3", "EDS V=2 R=[] N=e2")
        told = ["added a", "added a", "removed a", "added b", "removed a"]
        watch.until(lambda: self.told(watch) == told, str(told))

    def test_t11_nonces_that_are_missing_repeated_or_of_another_type(self):
        self.excused = ["XDS-C010"]  # nobody can tell the versions of one nonce apart
        watch = self.watch("cds", "eds:a", "--count", "4")
        self.server.request(1)
        self.push(clusters(1, "a", nonce=""), clusters(2, "a", nonce="x"), clusters(3, "a", nonce="x"),
                  endpoints(1, "a", nonce="x"))
        self.assertEqual(watch.ended(), 0)
        self.assertEqual(self.rules(watch), ["XDS-S001", "XDS-S002", "XDS-S003"])
        self.sent("CDS V= R=[] N=", "EDS V= R=[a] N=", "CDS V=1 R=[] N=", "CDS V=2 R=[] N=x", "CDS V=3 R=[] N=x",
                  "EDS V=1 R=[a] N=x")
        self.assertEqual(self.told(watch), ["added a", "added a"])

    def test_t13_names_that_come_twice_are_missing_or_disagree(self):
        wrong = api.packed("envoy.service.discovery.v3.Resource",
                           {"name": "x", "version": "1"})
        wrong.value += b"\x12" + bytes([len(cluster("y").SerializeToString())]) + cluster("y").SerializeToString()
        bad = [cluster("a"), cluster("a"), api.resource("cds", {"connect_timeout": "1s"}), wrong, cluster("good")]
        self.excused = ["XDS-C011"]  # gRPC's way: a partial NACK says the new version
        for policy, answer, told in (("ack", "CDS V=1 R=[] N=1", ["added a", "added #3", "added x", "added good"]),
                                     ("nack", "CDS V= R=[] N=1 err", []),
                                     ("partial", "CDS V=1 R=[] N=1 err", ["added x", "added good"])):
            with self.subTest(policy=policy), DrivenServer() as self.server:
                watch = self.watch("cds", "--count", "1", "--on-invalid", policy)
                self.push(api.response(CDS, bad, version="1", nonce="1"))
                self.assertEqual(watch.ended(), 0)
                self.sent("CDS V= R=[] N=", answer)
                self.assertEqual(self.rules(watch), ["XDS-S014", "XDS-S016", "XDS-S017"])
                self.assertEqual([each for each in self.told(watch) if each.startswith("added")], told)
                self.check_client()

    def test_t18_heartbeats_and_expiry(self):  # E8
        watch = self.watch("rtds:rt", "--count", "3", *TTL)

        def wrapped(version, entry):
            return api.response(RTDS, [api.packed_bytes(api.PREFIX + "envoy.service.discovery.v3.Resource",
                                                        entry.SerializeToString())], version="5", nonce=version)
        self.push(wrapped("1", mortal("rt", "")), wrapped("2", heartbeat("rt", "", 1)))
        self.assertEqual(watch.sees("expired", "rt")["type_url"], RTDS)
        self.push(wrapped("3", mortal("rt", "")))
        self.assertEqual(watch.ended(), 0)
        self.sent("RTDS V= R=[rt] N=", "RTDS V=5 R=[rt] N=1", "RTDS V=5 R=[rt] N=2", "RTDS V=5 R=[rt] N=3")
        self.assertEqual((self.told(watch), self.rules(watch)), (["added rt", "expired rt", "added rt"], []))

    def test_t21_make_before_break(self):  # E10
        def routes(version, target):
            route = {"match": {"prefix": "/"}, "route": {"cluster": target}}
            body = {"name": "r", "virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [route]}]}
            return api.response(RDS, [api.resource("rds", body)], version=str(version), nonce=f"r{version}")
        both, last, new, there = eds_clusters(2, "X", "Y"), eds_clusters(3, "Y"), endpoints(2, "Y"), routes(2, "Y")
        made = ["CDS V=2 R=[] N=n2", "EDS V=1 R=[X,Y] N=e1"]
        shown, routed = ["EDS V=2 R=[X,Y] N=e2"], ["RDS V=2 R=[r] N=r2"]
        broken = ["CDS V=3 R=[] N=n3", "EDS V=2 R=[Y] N=e2"]
        orders = {
            "make before break": [(both, made), (new, shown), (there, routed), (last, broken)],
            "routes before clusters": [(there, routed), (both, made), (new, shown), (last, broken)],
            "break before make": [(last, ["CDS V=3 R=[] N=n3", "EDS V=1 R=[Y] N=e1"]), (new, ["EDS V=2 R=[Y] N=e2"]),
                                  (there, routed)]}
        for order, steps in orders.items():
            with self.subTest(order=order), DrivenServer() as self.server:
                watch = self.watch("cds", "rds:r", "--follow")
                expected = ["CDS V= R=[] N=", "RDS V= R=[r] N="]
                first = [(eds_clusters(1, "X"), ["CDS V=1 R=[] N=n1", "EDS V= R=[X] N="]),
                         (endpoints(1, "X"), ["EDS V=1 R=[X] N=e1"]), (routes(1, "X"), ["RDS V=1 R=[r] N=r1"])]
                for response, answers in first + steps:
                    self.push(response)
                    expected += answers
                    self.sent(*expected)
                self.assertEqual(self.rules(watch), [])
                self.check_client()

    def test_t23_a_type_that_was_never_asked_for(self):
        watch = self.watch("cds", "--count", "2")
        self.push(endpoints(1, "a"), clusters(1, "a"))
        self.assertEqual(watch.ended(), 0)
        self.sent("CDS V= R=[] N=", "CDS V=1 R=[] N=n1")
        self.assertEqual((self.told(watch), self.rules(watch)), (["added a"], ["XDS-S009"]))

    def test_t25_an_empty_response_where_nothing_is_wanted(self):
        watch = self.watch("cds", "--follow")
        self.push(eds_clusters(1, "a"))
        self.server.request(2)
        self.push(endpoints(1, "a"))
        self.server.request(3)
        self.push(clusters(2, "b"))
        self.server.request(5)
        self.push(endpoints(2))
        watch.sees("ack", count=4)
        self.sent("CDS V= R=[] N=", "CDS V=1 R=[] N=n1", "EDS V= R=[a] N=", "EDS V=1 R=[a] N=e1", "CDS V=2 R=[] N=n2",
                  "EDS V=1 R=[] N=e1", "EDS V=2 R=[] N=e2")
        self.assertNotIn("XDS-S068", self.rules(watch))

    def test_t26_a_server_that_is_silent_until_all_names_are_asked_for(self):
        watch = self.watch("cds", "--follow")
        self.push(eds_clusters(1, "a"))
        self.server.request(2)
        self.push(eds_clusters(2, "a", "b"))
        self.server.request(4)
        self.push(endpoints(1, "a", "b"))
        watch.sees("added", "b", count=2)
        self.sent("CDS V= R=[] N=", "CDS V=1 R=[] N=n1", "EDS V= R=[a] N=", "CDS V=2 R=[] N=n2", "EDS V= R=[a,b] N=",
                  "EDS V=1 R=[a,b] N=e1")
        self.assertEqual(self.rules(watch), [])


class Delta(Played):
    def watch(self, *args):
        return super().watch(*args, "--variant", "delta-ads")

    def test_t14_ack_nack_and_a_request_of_its_own(self):  # D1
        watch = self.watch("cds", "--follow", "--on-invalid", "nack")
        self.push(entries("cds", "1", "a@1", "b@1"))
        self.server.request(1)
        self.push(entries("cds", "2", "b@2", "b@3"))
        self.server.request(2)
        self.push(entries("cds", "3", "wc@1", body=ADS_EDS))
        self.server.request(4)
        self.push(entries("eds", "4", "wc@1"))
        self.sent("CDS", "CDS N=1", "CDS N=2 err", "CDS N=3", "EDS +[wc]", "EDS N=4")
        self.assertEqual(self.told(watch), ["added a", "added b", "refused b", "added wc", "added wc"])
        self.assertEqual(watch.sees("nack")["nonce"], "2")

    def test_t14_resume(self):  # D2
        watch = self.watch("cds", "--count", "3")
        self.push(entries("cds", "1", "a@1", "b@1", "wc@1"))
        self.server.request(1)
        self.server.stream().close()
        self.push(entries("cds", "1", "b@2", removed=["a"], body={"alt_stat_name": "new"}), stream=1)
        watch.sees("changed", "b")
        self.push(entries("cds", "2", "b@3"), stream=1)
        self.assertEqual(watch.ended(), 0)
        self.sent("CDS", "CDS N=1", "CDS init{a:1,b:1,wc:1}", "CDS N=1", "CDS N=2")
        self.assertEqual(self.told(watch)[3:], ["removed a", "changed b", "changed b"])
        self.assertEqual(self.rules(watch), [])

    def test_t14_what_does_not_exist_is_created_later(self):  # D3
        watch = self.watch("eds:foo,bar", "--count", "2")
        self.push(entries("eds", "1", "foo@1", removed=["bar"]), entries("eds", "2", "bar@1"))
        self.assertEqual(watch.ended(), 0)
        self.sent("EDS +[bar,foo]", "EDS N=1", "EDS N=2")
        self.assertEqual((self.told(watch), self.rules(watch)), (["added foo", "absent bar", "added bar"], []))

    def test_t16_a_name_that_goes_and_comes_again(self):  # D5
        watch = self.watch("cds", "--follow")
        self.push(entries("cds", "1", "foo@1", body=ADS_EDS))
        self.server.request(2)
        self.push(entries("eds", "e1", "foo@7"))
        self.server.request(3)
        self.push(api.delta_response(CDS, [], ["foo"], nonce="2"))
        self.server.request(5)
        self.push(entries("cds", "3", "foo@1", body=ADS_EDS))
        self.server.request(7)
        self.push(entries("eds", "e2", "foo@7"))
        self.sent("CDS", "CDS N=1", "EDS +[foo]", "EDS N=e1", "CDS N=2", "EDS -[foo]", "CDS N=3", "EDS +[foo]",
                  "EDS N=e2")
        watch.sees("ack", count=5)
        self.assertEqual(self.told(watch), ["added foo", "added foo", "removed foo", "removed foo"] + ["added foo"] * 2)
        self.assertEqual(self.rules(watch), [])

    def test_t17_delivered_and_removed_and_removed_twice(self):
        watch = self.watch("cds", "--count", "2", "--on-invalid", "nack")
        self.push(entries("cds", "1", "a@1", removed=["a"]), entries("cds", "2", removed=["b", "b"]))
        self.assertEqual(watch.ended(), 0)
        self.sent("CDS", "CDS N=1 err", "CDS N=2 err")
        self.assertEqual(self.rules(watch), ["XDS-S039", "XDS-S040"])

    def test_t18_heartbeats_good_and_bad(self):  # D6
        watch = self.watch("rtds:rt,never", "--on-invalid", "nack", *TTL)
        self.push(api.delta_response(RTDS, [mortal("rt", "3")], ["never"], nonce="1"),
                  api.delta_response(RTDS, [heartbeat("rt", "3")], nonce="2"),
                  api.delta_response(RTDS, [heartbeat("rt", "4")], nonce="3"),
                  api.delta_response(RTDS, [heartbeat("never", "1")], nonce="4"),
                  api.delta_response(RTDS, [heartbeat("rt", "3", 1)], nonce="5"))
        watch.sees("expired", "rt")
        self.sent("RTDS +[never,rt]", "RTDS N=1", "RTDS N=2", "RTDS N=3 err", "RTDS N=4 err", "RTDS N=5")
        self.assertEqual(self.rules(watch), ["XDS-S055", "XDS-S056"])

    def test_t18_a_time_to_live_that_was_not_announced(self):
        watch = self.watch("rtds:rt", "--count", "1")
        self.push(api.delta_response(RTDS, [mortal("rt", "3")], nonce="1"))
        self.assertEqual(watch.ended(), 0)
        self.assertEqual(self.rules(watch), ["XDS-S058"])

    def test_t20_a_server_that_ignores_what_is_held(self):
        watch = self.watch("cds", "--count", "2")
        self.push(entries("cds", "1", "a@1", "b@1"))
        self.server.request(1)
        self.server.stream().close()
        self.push(entries("cds", "1", "a@1"), stream=1)  # and b has vanished without a word
        self.assertEqual(watch.ended(), 0)
        self.sent("CDS", "CDS N=1", "CDS init{a:1,b:1}", "CDS N=1")
        self.assertEqual(self.told(watch), ["added a", "added b"])

    def test_t13_a_virtual_host_is_named_by_its_wrapper(self):
        watch = self.watch("vhds:rc/www.example.com", "--count", "1")
        host = api.resource("vhds", {"name": "site", "domains": ["www.example.com"]})
        self.push(api.delta_response(VHDS, [api.wrapper("rc/site", host, "1", aliases=["rc/www.example.com"])]))
        self.assertEqual(watch.ended(), 0)
        self.assertEqual((self.told(watch), self.rules(watch)), (["added rc/site"], []))


class Slow(Played):
    """Cases whose end is fifteen seconds of silence; they are silent together."""

    def test_what_nothing_answers_is_absent(self):
        resumed = self.enterContext(DrivenServer())
        sotw = self.watch("cds", "--follow")
        self.push(eds_clusters(1, "x", "y"))
        self.server.request(2)
        self.push(endpoints(7, "x", "y"))
        self.server.request(3)
        self.server.stream().close()
        unsaid = self.enterContext(DrivenServer())  # t15, D3 without the removal
        delta = self.enterContext(Watch(unsaid.address, "eds:foo,bar", "--variant", "delta-ads"))
        unsaid.stream().push(entries("eds", "1", "foo@1"))
        again = self.enterContext(Watch(resumed.address, "eds:foo", "--variant", "delta-ads"))  # t16, exempt
        resumed.stream().push(entries("eds", "1", "foo@7"))
        resumed.request(1)
        resumed.stream().close()
        # t05, the third case of E7: the server takes an equal version for an excuse.
        self.push(eds_clusters(2, "x", "y", "z"), stream=1)
        self.assertEqual(sotw.sees("absent", "z", seconds=25)["type_url"], EDS)
        said = [line(request) for _, request in self.server.requests[4:]]
        self.assertEqual(sorted(said[:2]), ["CDS V=1 R=[] N=", "EDS V=7 R=[x,y] N="])
        self.assertEqual(said[2:], ["CDS V=2 R=[] N=n2", "EDS V=7 R=[x,y,z] N="])
        self.assertEqual(self.told(sotw), ["added x", "added y"] * 2 + ["added z", "absent z"])
        self.assertEqual(self.told(delta), ["added foo", "absent bar"])
        self.assertEqual(line(resumed.request(2)), "EDS +[foo] init{foo:7}")
        self.assertEqual(self.told(again), ["added foo"])


class SpeaksFirst(Case):
    def test_t23_a_server_that_speaks_first(self):
        def script(call):
            yield clusters(0, "early")
            call.next()
            yield clusters(1, "a")
            call.drain()
        with ScriptedServer({api.ADS: script}) as server, Watch(server.address, "cds", "-v") as watch:
            watch.sees("added", "a")
            self.assertEqual(line(server.requests[0][1]), "CDS V= R=[] N=")


class ByHand(ReplCase):
    """Cases of a client that changes its mind about what was typed: `watch` never does, the REPL is its own hand."""

    def test_t04_the_life_of_a_wildcard(self):  # E6
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "sub cds A", "unsub cds *", "unsub cds A", "wait",
                                      flags=["--auto", "ack", "-v"])
            server.stream().push(clusters(1, "A", "b"))
            server.request(4)
            server.stream().push(clusters(2, "A", "b"))
            _, err = self.ends(process)
            self.assertEqual([line(request) for _, request in server.requests],
                             ["CDS V= R=[] N=", "CDS V=1 R=[] N=n1", "CDS V=1 R=[*,A] N=n1", "CDS V=1 R=[A] N=n1",
                              "CDS V=1 R=[] N=n1", "CDS V=2 R=[] N=n2"])
            self.assertEqual([each for each in client_rules.check(server.streams) if each.severity != "info"], [])
            self.assertNotIn("XDS-S068", err)  # it may not have read the last request

    def test_t19_a_name_that_goes_while_everything_stays(self):  # D4
        with DrivenServer() as server:
            process = self.run_driven(server, "sub cds", "wait", "sub cds A", "wait", "unsub cds A", "wait",
                                      flags=["--auto", "ack", "--variant", "delta-ads"])
            server.stream().push(entries("cds", "1", "A@1", "b@1"))
            server.request(2)
            server.stream().push(entries("cds", "2", "A@1"))
            server.request(4)
            server.stream().push(entries("cds", "3", removed=["A"]))
            out, _ = self.ends(process)
            self.assertEqual([line(request) for _, request in server.requests],
                             ["CDS", "CDS N=1", "CDS +[A]", "CDS N=2", "CDS -[A]", "CDS N=3"])
            self.assertEqual(client_rules.check(server.streams), [])
            self.assertIn("(-1), 1 removed", out)  # it was held until the server had answered


class Bursts(Case):
    def peak(self, count):
        """The most memory in kB while so many responses of 50 kB are taken, one after another."""
        with DrivenServer() as server, tempfile.NamedTemporaryFile("r") as peak:
            process = subprocess.Popen(["/usr/bin/time", "--quiet", "--format=%M", f"--output={peak.name}",
                                        program("XDSCOPE"), "watch", server.address, "cds", "-o", "name", "--count",
                                        str(count)], stdout=subprocess.DEVNULL, env=environment())
            for number in range(1, count + 1):
                fat = [cluster(name, alt_stat_name=f"{name * 10_000}{number if name == 'a' else ''}") for name in "abcde"]
                server.stream().push(api.response(CDS, fat, version=str(number), nonce=str(number)).SerializeToString())
            self.assertEqual(process.wait(timeout=60), 0)
            server.wait_for(lambda its: its.ended)  # the last answers may come too late for one that leaves
            nonces = [request.response_nonce for _, request in server.requests]
            self.assertEqual(nonces, [str(number or "") for number in range(len(nonces))])
            self.assertGreater(len(nonces), count / 2)
            return int(peak.read())

    def test_two_thousand_responses_take_no_more_memory_than_two_hundred(self):
        few = self.peak(200)
        self.assertLess(self.peak(2000), 1.5 * few)  # 100 MB came


class HalfOpen(Case):
    """A connection that nobody ends and that carries nothing any more."""

    def test_keepalive_finds_it(self):
        with DrivenServer() as server, Frozen(server.address) as proxy, \
                Watch(proxy.address, "cds", "--keepalive-time", "1s") as watch:
            server.stream().push(clusters(1, "a"))
            watch.sees("added", "a")
            server.request(1)
            proxy.freeze()
            self.assertEqual(watch.sees("disconnected", seconds=30)["status"], "UNAVAILABLE")
            self.assertEqual(line(server.request(2)), "CDS V=1 R=[] N=")  # by a connection of its own
            server.stream(1).push(clusters(2, "a", "b"))
            watch.sees("added", "b")


class Frozen:
    """A proxy; what it carries when freeze() is called it carries no further, and ends nothing."""

    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self.target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._connections = []  # (two sockets, whether it still carries)

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()
        for ends, _ in self._connections:
            for end in ends:
                end.close()

    def freeze(self):
        for _, carries in self._connections:
            carries.clear()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                ends = (self._listener.accept()[0], socket.create_connection(self.target))
                carries = threading.Event()
                carries.set()
                self._connections.append((ends, carries))
                for way in (ends, ends[::-1]):
                    threading.Thread(target=self._carry, args=(*way, carries), daemon=True).start()

    def _carry(self, here, there, carries):
        with contextlib.suppress(OSError):
            while data := here.recv(65536):
                if not carries.is_set():
                    return
                there.sendall(data)


class Refusals(Case):
    def refusal(self, resources, *flags):
        with DrivenServer() as server, \
                Watch(server.address, "cds:" + ",".join(["good", "broken"]), "--on-invalid", "nack", *flags) as watch:
            server.stream().push(api.response(CDS, resources, version="1", nonce="1"))
            watch.sees("nack")
            return server.request(1)

    def test_a_nack_names_every_bad_resource_with_path_and_reason(self):
        whole = api.message("envoy.config.cluster.v3.Cluster", {"name": "broken"}).SerializeToString()
        endpoints = b"\x12\x02\x0a\xff"  # a list of localities with an address that is cut off
        bad = [api.packed_bytes(CDS, whole + b"\x8a\x02" + bytes([len(endpoints)]) + endpoints), cluster("good")]
        for client, code, version in (("envoy", 13, ""), ("grpc", 3, "1")):
            with self.subTest(client=client):
                request = self.refusal(bad, "--client", client)
                self.assertEqual((request.error_detail.code, request.version_info), (code, version))
                self.assertIn("broken: ", request.error_detail.message)
                self.assertIn("load_assignment.endpoints[0] at byte 13: malformed", request.error_detail.message)
                self.assertNotIn("good", request.error_detail.message)

    def test_the_text_ends_where_envoys_does(self):
        names = [f"bad-{number}" for number in range(200)]
        for client in ("envoy", "grpc", "strict"):
            with self.subTest(client=client):
                request = self.refusal([cluster(name) for name in names for _ in range(2)] + [cluster("good")],
                                       "--client", client)
                text = request.error_detail.message
                self.assertLessEqual(len(text.encode()), 4096)
                named = [name for name in names if f"{name}: " in text]
                self.assertEqual(named, names[:len(named)])
                self.assertGreater(len(named), 60)


if __name__ == "__main__":
    unittest.main()
