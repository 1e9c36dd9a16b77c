"""Secrets planted wherever a server can put one: none comes out, in any output, unless --show-secrets says so."""

import base64
import os
import stat
import tempfile
import unittest

from google.protobuf import descriptor_pb2

from bounded import Attack, run  # first: it leads to the modules of tests/interop
import api
from scripted_server import ScriptedServer, answers, answers_delta, says

OUTPUTS = ("yaml", "json", "ndjson", "text", "binary", "table", "tree", "name")
TLS = "envoy.extensions.transport_sockets.tls.v3"
FILTER = "envoy.extensions.filters.http"
INPUT = api.PREFIX + "envoy.type.matcher.v3"


def any_of(name, /, **fields):
    """The JSON form of an Any."""
    return {"@type": api.PREFIX + name, **fields}


def source(secret):
    return {"inline_string": secret}


def cluster(**fields):
    return "cds", api.resource("cds", {"name": "cluster", **fields})


def socket(typed):
    return cluster(transport_socket={"name": "t", "typed_config": typed})


def filtered(typed):
    """A listener with one HTTP filter."""
    manager = any_of("envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", stat_prefix="s",
                     http_filters=[{"name": "f", "typed_config": typed}])
    chain = {"filters": [{"name": "hcm", "typed_config": manager}]}
    return "lds", api.resource("lds", {"name": "listener", "filter_chains": [chain]})


def routed(**fields):
    route = {"name": "r", "match": {"prefix": "/"}, "direct_response": {"status": 200}, **fields}
    return "rds", api.resource("rds", {"name": "routes", "virtual_hosts": [
        {"name": "v", "domains": ["*"], "routes": [route]}]})


def header(key, **value):
    return routed(request_headers_to_add=[{"header": {"key": key, **value}}])


def matched(**matcher):
    return routed(match={"prefix": "/", **matcher})


def predicate(kind, key, secret):
    """A matcher of xDS: its input says what is compared, beside the value or around it."""
    read = {"name": "i", "typed_config": {"@type": f"{INPUT}.{kind}", **key}}
    action = {"action": {"name": "a", "typed_config": any_of("google.protobuf.StringValue", value="harmless")}}
    single = {"single_predicate": {"input": read, "value_match": {"exact": secret}}}
    tree = {"input": read, "exact_match_map": {"map": {secret: action}}}
    return [{"matcher_list": {"matchers": [{"predicate": single, "on_match": action}]}}, {"matcher_tree": tree}]


def metadata(fields):
    return cluster(metadata={"filter_metadata": {"envoy.lb": fields}})


def grpc(credentials):
    service = {"google_grpc": {"target_uri": "t", "stat_prefix": "s", "call_credentials": [credentials]}}
    return filtered(any_of(f"{FILTER}.ext_authz.v3.ExtAuthz", grpc_service=service))


def plugin(secret):
    """The same resource with a call credential of a plug-in: name, and message from its fields."""
    def make(name, /, **fields):
        return filtered(any_of(f"{FILTER}.ext_authz.v3.ExtAuthz", grpc_service={"google_grpc": {
            "target_uri": "t", "stat_prefix": "s",
            "call_credentials_plugin": [any_of(f"envoy.extensions.grpc_service.call_credentials.{name}", **fields)]}}))
    return [make("access_token.v3.AccessTokenCredentials", token=secret),
            make("google_iam.v3.GoogleIamCredentials", authorization_token=secret),
            make("google_refresh_token.v3.GoogleRefreshTokenCredentials", token=secret),
            make("service_account_jwt_access.v3.ServiceAccountJwtAccessCredentials", json_key=secret)]


def fields(secret):
    """Fields of every kind that hold a secret."""
    wasm = "envoy.extensions.wasm.v3.PluginConfig"
    text = any_of("google.protobuf.StringValue", value=secret)
    tls = any_of(f"{TLS}.UpstreamTlsContext", common_tls_context={"tls_certificates": [{
        "private_key": source(secret), "password": {"inline_bytes": base64.b64encode(secret.encode()).decode()}}]})
    lambda_credentials = {"access_key_id": "id", "secret_access_key": secret, "session_token": secret}
    return [
        socket(tls),
        filtered(any_of(f"{FILTER}.aws_lambda.v3.Config", arn="arn", credentials=lambda_credentials)),
        filtered(any_of(f"{FILTER}.jwt_authn.v3.JwtAuthentication", providers={"p": {"local_jwks": source(secret)}})),
        filtered(any_of(f"{FILTER}.basic_auth.v3.BasicAuth", users=source(secret))),
        filtered(any_of(f"{FILTER}.api_key_auth.v3.ApiKeyAuth", credentials=[{"key": secret, "client": "c"}])),
        filtered(any_of(f"{FILTER}.lua.v3.Lua", inline_code=secret)),
        filtered(any_of(f"{FILTER}.lua.v3.Lua", source_codes={"s": source(secret)})),
        filtered(any_of(f"{FILTER}.wasm.v3.Wasm", config={"configuration": text})),
        filtered(any_of(f"{FILTER}.wasm.v3.Wasm", config={"vm_config": {
            "configuration": text, "environment_variables": {"key_values": {"A": secret}}}})),
        filtered(any_of(f"{FILTER}.dynamic_modules.v3.DynamicModuleFilter", filter_config=text)),
        filtered(any_of("envoy.config.trace.v3.LightstepConfig", access_token=source(secret))),
        filtered(any_of("envoy.extensions.filters.common.jwks.v3.JwtHandshakeValidator", local_jwks=source(secret))),
        filtered(any_of(wasm, configuration=any_of("google.protobuf.Struct", value={"harmless": secret}))),
        filtered(any_of("envoy.config.core.v3.TypedExtensionConfig", name="n", typed_config=tls)),
        grpc({"access_token": secret}),
        grpc({"google_refresh_token": secret}),
        grpc({"google_iam": {"authorization_token": secret, "authority_selector": "a"}}),
        grpc({"service_account_jwt_access": {"json_key": secret}}),
        *plugin(secret),
        metadata({"password": secret}),
        metadata({"a": [{"clientSecret": {"deep": [secret]}}]}),
        filtered(any_of("xds.type.v3.TypedStruct", type_url=f"{api.PREFIX}{FILTER}.lua.v3.Lua", value={"inlineCode": secret})),
        filtered(any_of("xds.type.v3.TypedStruct", type_url="x/no.such.Type", value={"api_key": secret})),
        filtered(any_of("envoy.service.auth.v3.AttributeContext", context_extensions={"access_token": secret})),
    ]


def headers(secret):
    """Headers and query parameters, added and compared."""
    keys = ("authorization", "x-vault-token", "private-token", "jwt", "pwd", "hmac-key", "x-api-key", "X-Functions-Key",
            "x-hub-signature-256", "set-cookie", "x.client/secret", "x_auth_token", "key")
    found = [header(key, value=secret) for key in keys]
    found += [header("authorization", raw_value=base64.b64encode(secret.encode()).decode())]
    for key in ("authorization", "x-api-key", "cookie"):
        for match in ({"exact_match": secret}, {"prefix_match": secret}, {"suffix_match": secret},
                      {"contains_match": secret}, {"safe_regex_match": {"google_re2": {}, "regex": secret}},
                      {"string_match": {"exact": secret}}):
            found.append(matched(headers=[{"name": key, **match}]))
    found.append(matched(query_parameters=[{"name": "access_token", "string_match": {"contains": secret}}]))
    found.append(matched(query_parameters=[{"name": "key", "string_match": {"exact": secret}}]))
    found.append(matched(cookies=[{"name": "sid", "string_match": {"exact": secret}}]))
    trees = predicate("HttpRequestHeaderMatchInput", {"header_name": "authorization"}, secret)
    trees += predicate("HttpRequestQueryParamMatchInput", {"query_param": "token"}, secret)
    for tree in trees:
        found.append(("rds", api.resource("rds", {"name": "routes", "virtual_hosts": [
            {"name": "v", "domains": ["*"], "matcher": tree}]})))
    return found


def cut(resource):
    """The resource with one bad byte at its end, which nobody can read."""
    return api.packed_bytes(resource.type_url, resource.value + b"\xff")


def with_unknown(resource, secret):
    """The resource with a field behind it that no schema has."""
    return api.packed_bytes(resource.type_url, resource.value + b"\xea\x3f" + bytes([len(secret)]) + secret.encode())


def unreadable(secret):
    """One bad byte at the end of a resource, or of a message inside one."""
    broken = [fields(secret)[0], fields(secret)[1], header("cookie", value=secret)]
    inner = api.packed_bytes(api.PREFIX + f"{TLS}.UpstreamTlsContext", secret.encode() + b"\xff")
    return [*[(short, cut(resource)) for short, resource in broken], socket_of(inner)]


def socket_of(typed):
    """The same as socket(), with an Any as it is."""
    whole = api.message("envoy.config.cluster.v3.Cluster", {"name": "cluster", "transport_socket": {"name": "t"}})
    whole.transport_socket.typed_config.CopyFrom(typed)
    return "cds", api.packed_bytes(api.url("cds"), whole.SerializeToString())


def unknown(secret):
    """Fields that the schema does not have, beside those that are secrets."""
    certificate = with_unknown(api.packed(f"{TLS}.TlsCertificate", {}), secret)
    context = api.message(f"{TLS}.UpstreamTlsContext", {})
    context.common_tls_context.tls_certificates.add().MergeFromString(certificate.value)
    return [socket_of(api.packed_bytes(api.PREFIX + f"{TLS}.UpstreamTlsContext", context.SerializeToString())),
            ("sds", with_unknown(api.resource("sds", {"name": "s"}), secret)),
            ("sds", with_unknown(api.resource("sds", {"name": "s", "tls_certificate": {}}), secret))]


def secrets(secret):
    """What a server may send as a Secret, Secrets and others."""
    named = [{"tls_certificate": {"private_key": source(secret), "password": source(secret), "pkcs12": source(secret)}},
             {"session_ticket_keys": {"keys": [{"filename": secret}, source(secret)]}},
             {"generic_secret": {"secret": source(secret), "secrets": {"k": source(secret)}}},
             {"tls_certificate": {"private_key_provider": {"provider_name": "p", "typed_config": any_of(
                 "google.protobuf.Struct", value={"harmless": secret})}}}]
    own = [api.resource("sds", {"name": f"s{i}", **kind}) for i, kind in enumerate(named)]
    foreign = [api.packed("google.protobuf.StringValue", secret),
               api.packed("google.protobuf.BytesValue", base64.b64encode(secret.encode()).decode()),
               api.packed("google.protobuf.Struct", {"harmless": secret}),
               api.packed("envoy.config.cluster.v3.Cluster", {"name": secret, "alt_stat_name": secret}),
               api.packed(f"{TLS}.GenericSecret", {"secret": source(secret)}),
               api.packed_bytes("type.googleapis.com/no.such.Type", secret.encode()),
               api.packed_bytes(api.PREFIX + "google.protobuf.StringValue", secret.encode() + b"\xff")]
    return [("sds", resource) for resource in [*own, cut(own[0]), *foreign]]


def referring(secret):
    """What refers to a name, in a response of Secrets: [resource]."""
    ads = {"ads": {}, "resource_api_version": "V3"}
    by_sds = {"common_tls_context": {"tls_certificate_sds_secret_configs": [{"name": secret, "sds_config": ads}]}}
    manager = any_of("envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", stat_prefix="s",
                     rds={"route_config_name": secret, "config_source": ads})
    eds = {"type": "EDS", "eds_cluster_config": {"service_name": secret, "eds_config": ads}}
    file = {"type": "EDS", "eds_cluster_config": {"eds_config": {"path_config_source": {"path": secret}}}}
    found = [cluster(**eds), cluster(**file), socket(any_of(f"{TLS}.UpstreamTlsContext", **by_sds)), routed(direct_response=None, route={"cluster": secret}),
             ("lds", api.resource("lds", {"name": "l", "filter_chains": [{"filters": [{"name": "h", "typed_config": manager}]}]})),
             ("sds", api.resource("sds", {"name": "s", "tls_certificate": {"private_key_provider": {
                 "provider_name": "p", "typed_config": any_of("envoy.config.cluster.v3.Cluster", **eds)}}}))]
    return [resource for _, resource in found]


def spellings(secret):
    """The secret as it is, in hexadecimal, and as part of something in base64 at each of the three places there."""
    plain = secret.encode()
    found = [plain, plain.hex().encode()]
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + plain).rstrip(b"=")
        found.append(text[4 if shift else 0:-2])
    return found


SHOWN_AS_TEXT = (fields, headers, unreadable, secrets)


def plant(*kinds):
    """[(short type, resource, the secret in it)]: every secret is another one."""
    planted = []
    for make in kinds or (*SHOWN_AS_TEXT, unknown):
        for i in range(len(make("x"))):
            secret = f"HUSH{i:03}{make.__name__}SECRET"
            planted.append((*make(secret)[i], secret))
    return planted


def secrets_of(planted):
    return [secret for _, _, secret in planted]


def found_in(text, planted):
    return [secret for _, _, secret in planted if any(spelling in text for spelling in spellings(secret))]


def table_of(planted, wrap):
    """Type URL -> {name: resource}; in SotW in a wrapper that names it, since of two with one name the first counts."""
    table = {api.url(short): {} for short in ("lds", "cds", "rds", "sds")}
    for i, (short, resource, _) in enumerate(planted):
        table[api.url(short)][f"n{i}"] = wrapped(f"n{i}", resource) if wrap else resource
    return table


def wrapped(name, resource):
    return api.packed_bytes(api.PREFIX + "envoy.service.discovery.v3.Resource",
                            api.wrapper(name, resource).SerializeToString())


def serving(planted):
    return ScriptedServer({api.ADS: answers(table_of(planted, True)), api.DELTA_ADS: answers_delta(table_of(planted, False))})


TYPES = ("lds", "cds", "rds", "sds")
# What is asked for beside the output. In each of these all messages are said on stderr too.
WAYS = (("-vv", "--on-invalid", "nack", "--emit-defaults"),
        ("-vv", "--variant", "delta-ads", "--json-names", "camel"),
        ("-vv", "--raw"))


class PlantedSecrets(Attack):
    def test_none_comes_out_of_any_output(self):
        planted = plant()
        self.assertGreater(len(planted), 80)
        with serving(planted) as server:
            for output in OUTPUTS:
                for way in WAYS:
                    if "--raw" in way and output in ("table", "tree", "name"):
                        continue
                    for types in ([(short,) for short in TYPES] if output == "binary" else [TYPES]):
                        result = run("fetch", server.address, *types, "-o", output, "--no-follow", *way)
                        self.survives(result, 0, 1)
                        self.assertEqual(found_in(result.out + result.err, planted), [], " ".join(result.args))
            said = b"".join(request.SerializeToString() for _, request in server.requests)
            self.assertEqual(found_in(said, planted), [], "in a request")

    def test_names_in_what_came_as_a_secret_are_not_followed(self):
        for wrap in (False, True):
            resources = [wrapped(f"n{i}", each) if wrap else each for i, each in enumerate(referring("HUSH"))]
            table = {api.url("sds"): {f"n{i}": each for i, each in enumerate(resources)}}
            for output in ("tree", "name", "table", "yaml"):
                for way in ((), ("--follow", "-vv")):
                    with ScriptedServer({api.ADS: answers(table)}) as server:
                        result = run("fetch", server.address, "sds", "-o", output, *way)
                        self.survives(result, 0, 1)
                        self.assertNotIn(b"HUSH", result.out + result.err)
                        asked = {request.type_url for _, request in server.requests}
                        self.assertEqual(asked, {api.url("sds")}, str(result))

    def test_all_are_shown_on_demand(self):
        planted = plant()
        with serving(planted) as server:
            for output in ("yaml", "json", "text"):
                for way in ((), ("--raw",)):
                    result = run("fetch", server.address, *TYPES, "-o", output, "--no-follow", "--show-secrets", *way)
                    self.survives(result, 0, 1)
                    self.assertEqual(found_in(result.out, planted), secrets_of(plant(*SHOWN_AS_TEXT)), str(result.args))
            shown = b"".join(run("fetch", server.address, short, "-o", "binary", "--no-follow", "--show-secrets").out
                             for short in TYPES)
            self.assertEqual(found_in(shown, planted), secrets_of(planted), "binary")

    def test_no_folder_has_one_or_it_is_its_owners_alone(self):
        planted = plant()
        with serving(planted) as server:
            for output in ("yaml", "json", "text", "binary"):
                self.assertEqual(self.fetched(server, planted, output), [])
            self.assertEqual(self.fetched(server, planted, "yaml", "--show-secrets"), secrets_of(plant(*SHOWN_AS_TEXT)))
            self.assertEqual(self.fetched(server, planted, "binary", "--show-secrets"), secrets_of(planted))

    def fetched(self, server, planted, output, *flags):
        """The secrets in a folder of files."""
        with tempfile.TemporaryDirectory() as parent:
            folder = os.path.join(parent, "out")
            result = run("fetch", server.address, *TYPES, "--no-follow", "--variant", "delta-ads", "-o", output,
                         "--out-dir", folder, *flags)
            self.survives(result, 0, 1)
            found = self.in_folder(folder, planted)
            return [secret for secret in secrets_of(planted) if secret in found]

    def in_folder(self, folder, planted):
        """The secrets in its files; checks who may read those."""
        everything = set()
        for base, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(base, name)
                with open(path, "rb") as stream:
                    found = found_in(stream.read(), planted)
                if found or os.path.basename(base) == "sds":
                    self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600, path)
                everything.update(found)
        return everything


class OtherWays(Attack):
    def test_a_response_that_nobody_can_read(self):
        planted = plant(fields)[:2]
        for short, resource, _ in planted:
            whole = api.response(api.url(short), [resource]).SerializeToString() + b"\xff"
            with ScriptedServer({api.ADS: says(whole)}) as server:
                for flags in (("-vv",), ("--raw",), ("--raw", "-o", "text"), ("--raw", "-o", "binary")):
                    result = self.survives(run("fetch", server.address, short, *flags), 3)
                    self.assertEqual(found_in(result.out + result.err, planted), [], str(result))
                result = self.survives(run("fetch", server.address, short, "--raw", "--show-secrets"), 3)
                self.assertEqual(len(found_in(result.out, planted)), 1, str(result))

    def test_our_own_metadata_is_not_repeated(self):
        with ScriptedServer({api.ADS: says(api.response(api.url("cds"), []))}) as server:
            result = run("fetch", server.address, "cds", "-vv", "-H", "authorization: Bearer HUSH", "-H", "x-vault-token: HUSH",
                         "--metadata", "api_key=HUSH", "--metadata", 'deep:={"client_secret": ["HUSH"]}')
            self.survives(result, 0)
            self.assertNotIn(b"HUSH", result.out + result.err)

    def test_no_schema_can_switch_it_off(self):
        """The types of the API under other names, without annotations, with fields moved or left out."""
        planted = plant(fields)[:1] + plant(secrets)[:6]
        for name, change in {"renamed": rename_all, "unannotated": drop_options, "as bytes": messages_to_bytes,
                             "left out": leave_out}.items():
            with tempfile.NamedTemporaryFile(suffix=".pb") as schema:
                schema.write(changed_api(change))
                schema.flush()
                with serving(planted) as server:
                    for output in ("yaml", "text", "binary"):
                        for way in ((), ("--raw", "-vv")):
                            for short in ("cds", "sds"):
                                result = run("fetch", server.address, short, "--no-follow", "-o", output, "--schema",
                                             schema.name, *way)
                                with self.subTest(schema=name):
                                    self.survives(result, 0, 1, seconds=30)
                                    self.assertEqual(found_in(result.out + result.err, planted), [], str(result))

    def test_hidden_bytes_are_base64_that_everybody_can_read(self):
        resource = api.resource("sds", {"name": "s", "session_ticket_keys": {"keys": [{"inline_bytes": "SFVTSA=="}]}})
        with ScriptedServer({api.ADS: says(api.response(api.url("sds"), [resource]))}) as server:
            result = self.survives(run("fetch", server.address, "sds", "-o", "json"), 0)
            self.assertIn(b'"inline_bytes": "W3JlZGFjdGVkXQ=="', result.out)


def rename_all(field, _message):
    if field.type_name.endswith("Entry"):
        return  # the name of a map belongs to that of its entry
    field.name = f"f{field.number}"
    field.ClearField("json_name")
    field.ClearField("options")


def drop_options(field, _message):
    field.ClearField("options")


def messages_to_bytes(field, message):
    if field.type == field.TYPE_MESSAGE and message in CHANGED:
        field.type = field.TYPE_BYTES
        field.ClearField("type_name")
    field.ClearField("options")


def leave_out(field, message):
    if field.number > 1 and message in CHANGED:
        field.name = ""


CHANGED = ("Secret", "TlsCertificate", "TransportSocket", "GenericSecret", "CommonTlsContext")


def changed_api(change):
    """A descriptor set: the files that hold what is planted, with each field changed."""
    files = descriptor_pb2.FileDescriptorSet()
    with open(os.environ["XDSCOPE_API_SET_FILE"], "rb") as stream:
        files.ParseFromString(stream.read())
    out = descriptor_pb2.FileDescriptorSet()
    for file in files.file:
        if not any(message.name in CHANGED for message in file.message_type) or "/v2" in file.name:
            continue
        for message in file.message_type:
            if message.name not in CHANGED:
                continue
            for field in message.field:
                change(field, message.name)
            kept = [field for field in message.field if field.name]
            del message.field[:]
            message.field.extend(kept)
            used = {field.oneof_index for field in kept if field.HasField("oneof_index")}
            if len(used) < len(message.oneof_decl):
                for field in message.field:
                    field.ClearField("oneof_index")
                del message.oneof_decl[:]
        out.file.append(file)
    return out.SerializeToString()


if __name__ == "__main__":
    unittest.main()
