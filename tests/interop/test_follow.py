"""References are found wherever they sit: nested filters, sockets in sockets, matchers, other variants' types."""

import unittest

import api
from harness import Case, by_type, run, texts
from scripted_server import ScriptedServer, answers, answers_delta

ADS_SOURCE = {"ads": {}, "resource_api_version": "V3"}
SELF_SOURCE = {"self": {}, "resource_api_version": "V3"}


def elsewhere(cluster):
    return {"resource_api_version": "V3", "api_config_source": {
        "api_type": "GRPC", "transport_api_version": "V3", "grpc_services": [{"envoy_grpc": {"cluster_name": cluster}}]}}


def typed(name, **fields):
    return {"@type": api.PREFIX + name, **fields}


def sds(name, source=None):
    return {"name": name, "sds_config": source or ADS_SOURCE}


def upstream_tls(secret):
    return typed("envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                 common_tls_context={"tls_certificate_sds_secret_configs": [sds(secret)]})


def socket(config, name="envoy.transport_sockets.tls"):
    return {"name": name, "typed_config": config}


def hcm(**fields):
    return {"name": "hcm", "typed_config": typed(
        "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", stat_prefix="s", **fields)}


def listener(name, *filters, **chain):
    return {"name": name, "filter_chains": [{"filters": list(filters), **chain}]}


def world(**types):
    """Short type name -> list of resources, as the table that scripts serve."""
    table = {}
    for short, resources in types.items():
        field = "cluster_name" if short == "eds" else "name"
        table[api.url(short)] = {fields[field]: api.resource(short, fields) for fields in resources}
    return table


def routes(name, **fields):
    return {"name": name, **fields}


def secret(name):
    return {"name": name, "generic_secret": {"secret": {"inline_string": "x"}}}


class Follow(Case):
    """Each test is a small world; the fetch has to bring all of it, in both families of variants."""

    def brings(self, table, *, within=4, variants=("ads", "delta-ads"), err=()):
        scripts = {api.ADS: answers(table), api.DELTA_ADS: answers_delta(table)}
        for variant in variants:
            with self.subTest(variant=variant), ScriptedServer(scripts) as server:
                result = self.check(run("fetch", server.address, "--variant", variant, "-o", "json"), 0, within=within)
                found = {short: sorted(resources) for short, resources in by_type(texts(result.out)).items() if resources}
                urls = {api.url(short): short for short in api.V3}
                self.assertEqual(found, {urls[url]: sorted(held) for url, held in table.items()}, str(result))
                for word in err:
                    self.assertIn(word, result.err, str(result))

    def test_routes_of_routes_of_scopes(self):
        self.brings(world(
            lds=[listener("l", hcm(scoped_routes={
                "name": "s", "scope_key_builder": {"fragments": [{"header_value_extractor": {"name": "h", "index": 0}}]},
                "rds_config_source": ADS_SOURCE, "scoped_rds": {"scoped_rds_config_source": ADS_SOURCE}}))],
            srds=[{"name": "a", "route_configuration_name": "ra", "key": {"fragments": [{"string_key": "a"}]}},
                  {"name": "b", "route_configuration_name": "rb", "key": {"fragments": [{"string_key": "b"}]}}],
            rds=[routes("ra"), routes("rb")]))

    def test_secrets_of_a_socket_inside_a_socket(self):
        proxy = typed("envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport",
                      transport_socket=socket(upstream_tls("inner")))
        tap = typed("envoy.extensions.transport_sockets.tap.v3.Tap",
                    common_config={"admin_config": {"config_id": "t"}}, transport_socket=socket(proxy, "pp"))
        self.brings(world(cds=[{"name": "c", "transport_socket": socket(tap, "tap")}], sds=[secret("inner")]))

    def test_secrets_of_quic(self):
        quic = typed("envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport", downstream_tls_context={
            "common_tls_context": {"tls_certificate_sds_secret_configs": [sds("quic")]}})
        self.brings(world(lds=[listener("l", hcm(route_config={"name": "r"}), transport_socket=socket(quic, "quic"))],
                          sds=[secret("quic")]))

    def test_secrets_of_socket_matches(self):
        self.brings(world(cds=[{"name": "c", "transport_socket_matches": [
            {"name": "m", "match": {}, "transport_socket": socket(upstream_tls("match"))}]}], sds=[secret("match")]))

    def test_secrets_of_filters(self):
        injector = {"name": "i", "typed_config": typed(
            "envoy.extensions.filters.http.credential_injector.v3.CredentialInjector", credential={
                "name": "g", "typed_config": typed("envoy.extensions.http.injected_credentials.generic.v3.Generic",
                                                   credential=sds("injected", SELF_SOURCE))})}
        self.brings(world(lds=[listener("l", hcm(route_config={"name": "r"}, http_filters=[injector]))],
                          sds=[secret("injected")]))

    def test_extensions_of_a_matcher_inside_a_filter(self):
        action = typed("envoy.extensions.filters.http.composite.v3.ExecuteFilterAction", dynamic_config={
            "name": "late", "config_discovery": {"config_source": ADS_SOURCE,
                                                 "type_urls": [api.PREFIX + "envoy.extensions.filters.http.lua.v3.Lua"]}})
        matcher = typed("envoy.extensions.common.matching.v3.ExtensionWithMatcher",
                        extension_config={"name": "c", "typed_config": typed("envoy.extensions.filters.http.composite.v3.Composite")},
                        xds_matcher={"on_no_match": {"action": {"name": "a", "typed_config": action}}})
        self.brings(world(lds=[listener("l", hcm(route_config={"name": "r"}, http_filters=[{"name": "m", "typed_config": matcher}]))],
                          ecds=[{"name": "late", "typed_config": typed("envoy.extensions.filters.http.lua.v3.Lua")}]))

    def test_extensions_that_refer_on(self):
        inner = hcm(rds={"route_config_name": "deep", "config_source": ADS_SOURCE})["typed_config"]
        discovered = {"name": "net", "config_discovery": {"config_source": ADS_SOURCE, "type_urls": [inner["@type"]]}}
        self.brings(world(lds=[listener("l", discovered)], ecds=[{"name": "net", "typed_config": inner}], rds=[routes("deep")]))

    def test_an_extension_with_a_default_is_fetched_all_the_same(self):
        lua = typed("envoy.extensions.filters.http.lua.v3.Lua")
        filters = [{"name": "f", "config_discovery": {"config_source": ADS_SOURCE, "default_config": lua,
                                                      "type_urls": [lua["@type"]]}}]
        self.brings(world(lds=[listener("l", hcm(route_config={"name": "r"}, http_filters=filters))],
                          ecds=[{"name": "f", "typed_config": lua}]))

    def test_a_filter_inside_a_route(self):
        lua = typed("envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", stat_prefix="odd",
                    rds={"route_config_name": "second", "config_source": ADS_SOURCE})
        self.brings(world(
            lds=[listener("l", hcm(rds={"route_config_name": "first", "config_source": ADS_SOURCE}))],
            rds=[routes("first", virtual_hosts=[{"name": "v", "domains": ["*"], "typed_per_filter_config": {"x": lua}}]),
                 routes("second")]))

    def test_endpoints_by_service_name_or_by_the_clusters_own(self):
        self.brings(world(
            cds=[{"name": "own", "type": "EDS", "eds_cluster_config": {"eds_config": ADS_SOURCE}},
                 {"name": "other", "type": "EDS", "eds_cluster_config": {"eds_config": SELF_SOURCE, "service_name": "svc"}},
                 {"name": "static", "type": "STATIC"}],
            eds=[{"cluster_name": "own"}, {"cluster_name": "svc"}]))

    def test_virtual_hosts_come_in_delta_alone(self):
        table = world(lds=[listener("l", hcm(rds={"route_config_name": "r", "config_source": ADS_SOURCE}))],
                      rds=[routes("r", vhds={"config_source": ADS_SOURCE})])
        with_hosts = {**table, api.url("vhds"): {"r/v": api.resource("vhds", {"name": "v", "domains": ["*"]})}}
        self.brings(with_hosts, variants=["delta-ads"])
        self.brings(table, variants=["ads"], within=3)

    def test_locality_endpoints_come_in_delta_alone(self):
        collection = "xdstp://authority/envoy.config.endpoint.v3.LbEndpoint/zone-a/*"
        table = world(cds=[{"name": "c", "type": "EDS", "eds_cluster_config": {"eds_config": ADS_SOURCE}}],
                      eds=[{"cluster_name": "c", "endpoints": [{"leds_cluster_locality_config": {
                          "leds_config": ADS_SOURCE, "leds_collection_name": collection}}]}])

        def with_glob(call):
            # The members answer for the collection: their names are siblings of its star.
            inner = answers_delta(table)
            for response in inner(Globbed(call)):
                yield response

        class Globbed:
            """Hides LEDS from the honest script and remembers that it was asked."""
            def __init__(self, call):
                self.call, self.method = call, call.method

            def next(self):
                while (request := self.call.next()) is not None:
                    if request.type_url != api.url("leds"):
                        return request
                return None

        self.brings(table, variants=["ads"], within=3)
        with ScriptedServer({api.DELTA_ADS: with_glob}) as server:
            # Nothing ever comes of this type, which cli.md makes an answer of no.
            result = self.check(run("fetch", server.address, "--variant", "delta-ads", "--wait", "1s"), 1)
            self.assertIn(collection, result.err)
            asked = [list(request.resource_names_subscribe) for _, request in server.requests
                     if request.type_url == api.url("leds")]
            self.assertEqual(asked[0], [collection])

    def test_what_refers_elsewhere_is_listed_and_costs_nothing(self):
        table = world(
            lds=[listener("l", hcm(rds={"route_config_name": "file-routes",
                                        "config_source": {"path_config_source": {"path": "/x"}}}))],
            cds=[{"name": "c", "type": "EDS", "eds_cluster_config": {"eds_config": elsewhere("other"), "service_name": "far"},
                  "transport_socket": socket(typed(
                      "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext", common_tls_context={
                          "tls_certificate_sds_secret_configs": [sds("mesh", elsewhere("sds-grpc"))]}))}])
        self.brings(table, within=3, err=["elsewhere:", "file-routes", "far", "mesh"])

    def test_a_static_secret_is_no_reference(self):
        # An SdsSecretConfig without a source names a secret of the bootstrap.
        self.brings(world(cds=[{"name": "c", "transport_socket": socket(typed(
            "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
            common_tls_context={"tls_certificate_sds_secret_configs": [{"name": "static"}]}))}]), within=3)

    def test_a_reference_met_many_times_is_asked_once(self):
        rds = {"route_config_name": "r", "config_source": ADS_SOURCE}
        table = world(lds=[listener(f"l{i}", hcm(rds=rds)) for i in range(5)], rds=[routes("r")])
        with ScriptedServer({api.DELTA_ADS: answers_delta(table)}) as server:
            self.check(run("fetch", server.address, "--variant", "delta-ads"), 0)
            asked = [name for _, request in server.requests for name in request.resource_names_subscribe]
            self.assertEqual(asked, ["r"])

    def test_per_type_variants_open_only_the_streams_they_need(self):
        table = world(lds=[listener("l", hcm(rds={"route_config_name": "r", "config_source": ADS_SOURCE}))], rds=[routes("r")])
        scripts = {api.method(short, "stream"): answers(table) for short in api.V3 if api.V3[short][2]}
        with ScriptedServer(scripts) as server:
            self.check(run("fetch", server.address, "--variant", "sotw"), 0, within=3)
            self.assertEqual({method for method, _ in server.requests},
                             {api.method(short, "stream") for short in ["lds", "cds", "rds"]})


if __name__ == "__main__":
    unittest.main()
