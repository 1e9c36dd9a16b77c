"""What the rules of protocol.md, section D (XDS-C…), say of a client, over what a server has seen of it.

    findings = client_rules.check(server.streams)      # of a DrivenServer; all streams of one client, in their order

A finding is (rule, severity, text). Only rules that a transcript without times can decide are here, and C028."""

import collections

import api

Finding = collections.namedtuple("Finding", "rule severity text")

FULL_STATE = {api.url(short) for short in ("lds", "cds")} | {api.url(short, api.V2) for short in ("lds", "cds")}
# Types for which an empty first list is usual.
WILDCARD = FULL_STATE | {api.url(short) for short in ("srds", "vhds")}
DELTA_ONLY = {api.url(short) for short in ("vhds", "leds")}
TYPE_OF_METHOD = {api.method(short, kind, table): api.url(short, table)
                  for table in (api.V3, api.V2) for short in table for kind in ("stream", "delta")
                  if api.method(short, kind, table).rsplit("/", 1)[1] != "None"}
MOST_ERROR_TEXT = 4096


class Session:
    """What outlives a stream, by type URL."""

    def __init__(self):
        self.accepted = collections.defaultdict(list)       # SotW: versions that were acknowledged
        self.sent = collections.defaultdict(set)            # delta: (name, version) of all that was delivered
        self.streams = collections.Counter()                # with a request of this type
        self.names = {}                                     # wanted when the last stream ended


class Type:
    """One type on one stream."""

    def __init__(self):
        self.requests = []
        self.responses = {}   # by nonce
        self.order = []       # nonces
        self.judged = {}      # nonce -> accepted
        self.names = set()


def check(streams):
    """The findings about the client of these streams."""
    session, findings = Session(), []
    for number, stream in enumerate(streams):
        findings += Checker(stream, session, is_last=number == len(streams) - 1).run()
    begins = [stream.began for stream in streams]
    if any(last - first < 10 for first, last in zip(begins, begins[10:])):
        findings.append(Finding("XDS-C028", "warning", "more than ten streams in ten seconds"))
    return findings


class Checker:
    """Walks through one stream."""

    def __init__(self, stream, session, is_last):
        self.stream, self.session, self.is_last = stream, session, is_last
        self.is_delta = "/Delta" in stream.method
        self.only_type = TYPE_OF_METHOD.get(stream.method)
        self.types = collections.defaultdict(Type)
        self.node = None
        self.findings = []

    def run(self):
        for message in list(self.stream.log):
            name = "" if isinstance(message, bytes) else message.DESCRIPTOR.name
            if name.endswith("Request"):
                self.on_request(message)
            elif name.endswith("Response"):
                self.on_response(message)
        self.at_the_end()
        return self.findings

    def report(self, rule, severity, text):
        self.findings.append(Finding(rule, severity, text))

    def on_response(self, response):
        state = self.types[response.type_url or self.only_type]
        if not state.requests:
            return  # clients drop what they did not ask for
        if response.nonce:
            state.responses[response.nonce] = response
            state.order.append(response.nonce)
        if self.is_delta:
            self.session.sent[response.type_url] |= {(each.name, each.version) for each in response.resources}

    def on_request(self, request):
        self.check_node(request)
        type_url = request.type_url or self.only_type
        if not type_url:
            return self.report("XDS-C003", "error", "a request on an aggregated stream without a type URL")
        if self.only_type and type_url != self.only_type:
            self.report("XDS-C004", "error", f"{type_url} on a stream of {self.only_type}")
        state = self.types[type_url]
        self.check_error(request, state)
        self.check_nonce(request, type_url, state)
        (self.check_delta if self.is_delta else self.check_sotw)(request, type_url, state)
        if not state.requests:
            self.check_first(request, type_url, state)
        if request.response_nonce in state.responses:
            state.judged.setdefault(request.response_nonce, not request.HasField("error_detail"))
        state.requests.append(request)

    def check_node(self, request):
        if self.node is None:
            self.node = request.node if request.HasField("node") else False
            if not self.node or not self.node.id:
                self.report("XDS-C001", "error", "the first request has no node with an id")
        elif request.HasField("node") and request.node != self.node:
            self.report("XDS-C002", "error", "the node changes within the stream")

    def check_error(self, request, state):
        if not request.HasField("error_detail"):
            return
        if request.error_detail.code == 0 or not request.error_detail.message:
            self.report("XDS-C012", "warning", "a NACK without a code or a text")
        if len(request.error_detail.message.encode()) > MOST_ERROR_TEXT:
            self.report("XDS-C012", "info", "a NACK with a text of more than 4096 bytes")
        if request.response_nonce not in state.responses:
            self.report("XDS-C013", "error", f"a NACK of nonce '{request.response_nonce}', which nobody sent")

    def check_nonce(self, request, type_url, state):
        nonce = request.response_nonce
        if not nonce:
            if state.judged and not self.is_delta:
                self.report("XDS-C007", "error", f"a request of {type_url} without a nonce, after an answer with one")
            return
        if not state.requests:
            self.report("XDS-C006", "error", f"the first request of {type_url} has nonce '{nonce}'")
        elif nonce not in state.responses:
            elsewhere = any(nonce in other.responses for other in self.types.values())
            rule = "XDS-C042" if elsewhere and self.is_delta else "XDS-C005"
            self.report(rule, "error", f"nonce '{nonce}' was not sent for {type_url}")
        elif self.is_delta and nonce in state.judged:
            self.report("XDS-C015", "error", f"nonce '{nonce}' had its answer before")
        elif not self.is_delta and nonce != state.order[-1]:
            self.report("XDS-C008", "info", f"nonce '{nonce}' is older than '{state.order[-1]}'")

    def check_first(self, request, type_url, state):
        """The first request of a type on a stream."""
        names = state.names
        if not names and type_url not in WILDCARD:
            self.report("XDS-C023", "warning", f"an empty first request of {type_url}")
        missing = self.session.names.get(type_url, set()) - names
        if missing:
            self.report("XDS-C019", "warning", f"{sorted(missing)} of the last stream are not asked for again")
        self.session.streams[type_url] += 1

    # ---- SotW.

    def check_sotw(self, request, type_url, state):
        names = list(request.resource_names)
        if len(set(names)) < len(names):
            self.report("XDS-C022", "warning", f"a name stands twice in {names}")
        if "*" in names and type_url not in WILDCARD:
            self.report("XDS-C024", "warning", f"'*' as a name of {type_url}")
        if type_url in DELTA_ONLY:
            self.report("XDS-C033", "error", f"{type_url} exists in delta only")
        self.check_version(request, type_url, state)
        if state.requests:
            self.check_repeated(request, state)
            if not state.requests[0].resource_names and names and "*" not in names and not state.names and \
                    type_url in FULL_STATE:
                self.report("XDS-C039", "warning", "names without '*' after everything was asked for")
        state.names = set(names)

    def check_version(self, request, type_url, state):
        accepted, version = self.session.accepted[type_url], request.version_info
        if not state.requests:
            last = accepted[-1] if accepted else ""
            if version != last:
                severity = "warning" if not version or version not in accepted else "info"
                self.report("XDS-C030", severity, f"the stream begins with version '{version}' in place of '{last}'")
            return
        nonce = request.response_nonce
        if nonce not in state.responses or nonce in state.judged:
            return
        sent = state.responses[nonce].version_info
        if request.HasField("error_detail"):
            if version == sent and version not in accepted:
                self.report("XDS-C011", "warning", f"a NACK with the refused version '{version}'")
        elif version != sent and (request.resource_names or type_url in FULL_STATE):
            self.report("XDS-C010", "error", f"an ACK of '{sent}' that says '{version}'")
        else:
            accepted.append(version)

    def check_repeated(self, request, state):
        before = state.requests[-1]
        same = all(getattr(request, field) == getattr(before, field)
                   for field in ("version_info", "response_nonce", "resource_names"))
        if same and not request.HasField("error_detail") and not before.HasField("error_detail"):
            self.report("XDS-C014", "info", "the same request twice")

    # ---- Delta.

    def check_delta(self, request, type_url, state):
        subscribed, gone = list(request.resource_names_subscribe), set(request.resource_names_unsubscribe)
        if len(set(subscribed)) < len(subscribed):
            self.report("XDS-C022", "warning", f"a name stands twice in {subscribed}")
        if "*" in subscribed and type_url not in WILDCARD:
            self.report("XDS-C024", "warning", f"'*' as a name of {type_url}")
        if gone & set(subscribed):
            self.report("XDS-C020", "warning", f"{sorted(gone & set(subscribed))} come and go in one request")
        if gone - state.names:
            self.report("XDS-C021", "info", f"{sorted(gone - state.names)} go, which were not asked for")
        held = dict(request.initial_resource_versions)
        if held and state.requests:
            self.report("XDS-C016", "error", "initial_resource_versions in a later request")
        if held and not self.session.streams[type_url]:
            self.report("XDS-C017", "info", "initial_resource_versions on the first stream")
        unknown = [name for name, version in held.items()
                   if not version or (name, version) not in self.session.sent[type_url]]
        if unknown:
            self.report("XDS-C018", "warning", f"initial_resource_versions has {unknown}, which were never sent")
        state.names = (state.names | set(subscribed)) - gone

    # ---- The end.

    def at_the_end(self):
        for type_url, state in self.types.items():
            if not state.requests:
                continue
            self.session.names[type_url] = state.names
            # Of SotW the answer to the newest response is the answer to all; a stream that is over takes none.
            owed = state.order if self.is_delta else state.order[-1:]
            if self.is_last and any(nonce not in state.judged for nonce in owed):
                self.report("XDS-C009", "warning", f"a response of {type_url} has no answer")
