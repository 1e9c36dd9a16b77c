#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

constexpr Rule kRules[] = {
    {"XDS-V004", Severity::kError, "A file of endpoints, routes or a secret that a config source points to holds one.",
     Client::kEnvoy, "Envoy refuses the file; what it had stays.",
     "A subscription to EDS, RDS, SDS or ECDS is for one name, and Envoy does not filter what stands in a file."},
    {"XDS-V005", Severity::kError, "A file that a config source points to holds what is asked for.", Client::kEnvoy,
     "Envoy refuses the file; what it had stays.",
     "The name in the file is the one that the cluster, listener or secret reference names. Case counts."},
    {"XDS-V006", Severity::kError, "All resources of a file are of the type of its subscription.", Client::kBoth,
     "Envoy and gRPC refuse the whole file or response.",
     "A discovery response holds resources of one type. On streams each has the type of the response."},
    {"XDS-V007", Severity::kError, "Each resource stands in a file once.", Client::kBoth,
     "Envoy applies the first one and refuses the other, with the words \"duplicate cluster found\" or the like.",
     "Resources of one type have names of their own."},
    {"XDS-V012", Severity::kError, "A number is one, and finite: NaN passes every bound. No duration is negative.",
     Client::kEnvoy, "Envoy takes NaN past every bound of PGV, and may refuse it later; it refuses negative durations.",
     "A double that is NaN or infinite is smaller and larger than no bound, so PGV lets it pass. Some checks of Envoy "
     "refuse it later: with a healthy_panic_threshold of NaN the server does not become ready. A negative duration is "
     "refused wherever Envoy reads it (\"Expected positive duration\"), whether PGV has a bound for it or not."},
    {"XDS-V020", Severity::kError, "A listener has an address.", Client::kEnvoy, "Envoy refuses the listener.",
     "A listener binds to its address. Only an internal_listener and an api_listener have none."},
    {"XDS-V021", Severity::kWarning, "A listener for Envoy is no api_listener.", Client::kEnvoy,
     "Envoy takes an api_listener from its bootstrap alone, and ignores one that comes by LDS.",
     "An api_listener is how control planes describe a listener to clients of gRPC. Beside an internal_listener it is "
     "nothing at all."},
    {"XDS-V022", Severity::kError, "The address of a listener is an IP address.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "Listeners never resolve names: 0.0.0.0 or :: is what a name would mean mostly. The port is a field of its own."},
    {"XDS-V023", Severity::kError, "The addresses of a listener are of one kind.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "additional_addresses are TCP where the address is, and UDP where it is. ipv4_compat is for :: and for "
     "IPv4-mapped addresses."},
    {"XDS-V024", Severity::kError, "Each listener has addresses of its own.", Client::kEnvoy,
     "Envoy refuses the second listener.",
     "TCP and UDP are told apart, and port 0 is any that is free. bind_to_port makes no difference."},
    {"XDS-V025", Severity::kError, "A TCP or QUIC listener has a filter chain.", Client::kEnvoy,
     "Envoy refuses the listener.", "One in default_filter_chain is enough."},
    {"XDS-V026", Severity::kError, "A UDP listener has filter chains exactly where it is for QUIC.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "Plain UDP has listener filters alone. QUIC has filter chains, each with a QuicDownstreamTransport."},
    {"XDS-V027", Severity::kError, "No two filter chains match the same connections.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "Envoy refuses chains with equal matches, and those that have one combination of port, address, server name, "
     "protocol and source in common, however it is written: 10.1.2.3/8 and 10.0.0.0/8 are one network, and names "
     "are compared in small letters. A chain without a match matches all that no other one does."},
    {"XDS-V028", Severity::kError, "A server name has a wildcard as its whole first label, or none.", Client::kEnvoy,
     "Envoy refuses the listener.", "\"*.example.com\" is one; \"*\", \"a*.com\" and \"a.*\" are none."},
    {"XDS-V029", Severity::kError, "A filter chain matches by networks that Envoy can read.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "An address_prefix is an IP address, its length a field of its own. address_suffix and suffix_len are in the API "
     "and nowhere else."},
    {"XDS-V030", Severity::kError, "Filter chains that a matcher chooses from have names of their own.", Client::kEnvoy,
     "Envoy refuses the listener; where a matcher names a chain that there is not, it closes the connection.",
     "With a filter_chain_matcher the filter_chain_match of the chains is ignored, and their names are what counts."},
    {"XDS-V031", Severity::kError, "A network filter that ends the chain stands last, and one stands last that does.",
     Client::kEnvoy, "Envoy refuses the listener.",
     "tcp_proxy, the HTTP connection manager and other proxies end a chain; rbac, ratelimit and their like do not. A "
     "chain without any filter is taken."},
    {"XDS-V032", Severity::kError, "An internal listener has no address and no options of sockets.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "An internal_listener is reached by its name from clusters with an envoy_internal_address, and has no socket."},
    {"XDS-V033", Severity::kError, "The options of a listener fit its kind of socket.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "Multipath TCP is for TCP over IP; QUIC balances connections itself; UDP with several workers needs a socket for "
     "each of them, which enable_reuse_port gives."},
    {"XDS-V034", Severity::kError, "A filter that is discovered can wait for its configuration, or has a default one.",
     Client::kEnvoy, "Envoy refuses the listener.",
     "apply_default_config_without_warming needs a default_config. Filters of plain UDP listeners are not discovered."},
    {"XDS-V035", Severity::kWarning, "A listener that matches by TLS looks into TLS.", Client::kEnvoy,
     "Envoy takes it, and no connection ever matches such a chain.",
     "Server names, application protocols and transport_protocol \"tls\" are known after the listener filter "
     "tls_inspector has read them. Envoy once added it by itself, and does no longer."},
    {"XDS-V037", Severity::kInfo, "A listener has a name.", Client::kEnvoy,
     "Envoy makes a name up, and no update or removal can refer to it.", "Names are what LDS goes by."},
    {"XDS-V040", Severity::kError, "An HTTP filter that ends the chain stands last, and one stands last that does.",
     Client::kBoth, "Envoy and gRPC refuse the listener.",
     "The router ends a chain of HTTP filters, the upstream codec one of upstream filters. A chain without any filter "
     "is taken by Envoy."},
    {"XDS-V041", Severity::kWarning, "Each HTTP filter has a name of its own.", Client::kBoth,
     "Envoy takes it, but typed_per_filter_config cannot tell the two apart; gRPC refuses the listener.",
     "Filters are referred to by name in the configuration of routes and virtual hosts."},
    {"XDS-V042", Severity::kError, "The options of an HTTP connection manager go together.", Client::kEnvoy,
     "Envoy refuses the listener.",
     "strip_any_host_port and strip_matching_host_port exclude each other; so do original_ip_detection_extensions and "
     "the two older ways to find a client's address, access_log_options and the two fields that it took the place of. "
     "max_response_headers_kb is for clusters."},
    {"XDS-V043", Severity::kError, "A manager has the codec HTTP3 exactly where its listener is for QUIC.",
     Client::kEnvoy, "Envoy refuses the listener.", "AUTO does not find HTTP/3 out."},
    {"XDS-V044", Severity::kError, "Each type of upgrade is configured once.", Client::kEnvoy,
     "Envoy refuses the listener or the route configuration.",
     "Types of upgrades are compared without case. A connect_config is for CONNECT and CONNECT-UDP."},
    {"XDS-V045", Severity::kError, "Each domain stands once in a route configuration.", Client::kEnvoy,
     "Envoy refuses the whole route configuration, the previous one stays active.",
     "Domains are compared in small letters. An exact name, *.example.com and example.* are three domains."},
    {"XDS-V046", Severity::kWarning, "The wildcard of a domain is its first or last character.", Client::kBoth,
     "Envoy takes the domain for a name that no request has; gRPC refuses the route configuration.",
     "\"*\", \"*.example.com\", \"*-eu.example.com\" and \"example.*\" have one."},
    {"XDS-V047", Severity::kError, "A virtual host has a matcher or routes, and its virtual clusters have headers.",
     Client::kEnvoy, "Envoy refuses the whole route configuration, the previous one stays active.",
     "A matcher takes the place of the list of routes."},
    {"XDS-V048", Severity::kError, "A route rewrites the path in one way, which fits its match.", Client::kEnvoy,
     "Envoy refuses the whole route configuration, the previous one stays active.",
     "prefix_rewrite takes the place of the prefix that matched, so it needs one; a URI template rewrites with the "
     "variables that a URI template has matched."},
    {"XDS-V049", Severity::kError, "A mirror, and a cluster with a weight, is named by itself or by a header.",
     Client::kEnvoy, "Envoy refuses the whole route configuration, the previous one stays active.",
     "One of the two fields is set, not both."},
    {"XDS-V050", Severity::kError, "The weights of clusters add up to a number from 1 to 4294967295.", Client::kBoth,
     "Envoy and gRPC refuse the whole route configuration, the previous one stays active.",
     "A weight of 0 turns a cluster off; not all of them can be."},
    {"XDS-V051", Severity::kWarning, "A cluster that is referred to is there.", Client::kBoth,
     "Envoy answers 503 for its share of traffic; it refuses routes alone, and where validate_clusters is true, as it "
     "is for those inside a connection manager.",
     "Judged where there are clusters among the files; those of a bootstrap, and of --known-cluster, count too."},
    {"XDS-V052", Severity::kError, "The longest back-off of retries is no shorter than the first.", Client::kBoth,
     "Envoy and gRPC refuse the whole route configuration, the previous one stays active.",
     "max_interval is at least base_interval."},
    {"XDS-V053", Severity::kError, "Routes modify no pseudo-header and no Host.", Client::kEnvoy,
     "Envoy refuses the whole route configuration, the previous one stays active.",
     "Headers that begin with a colon, and Host, are neither added nor overwritten nor removed: host_rewrite_literal, "
     "prefix_rewrite and their like are for that."},
    {"XDS-V054", Severity::kError, "A regular expression is one of RE2.", Client::kBoth,
     "Envoy and gRPC refuse what holds it.",
     "RE2 has no back-references and no look-around, so that it takes linear time. A substitution names groups that "
     "the expression has: Envoy leaves others empty."},
    {"XDS-V055", Severity::kError, "The body of a direct response is no longer than its configuration allows.",
     Client::kEnvoy, "Envoy refuses the whole route configuration, the previous one stays active.",
     "The limit is 4096 bytes, unless max_direct_response_body_size_bytes says more."},
    {"XDS-V056", Severity::kError, "The configuration of a filter for routes is of the form that it has for routes.",
     Client::kBoth, "Envoy refuses the whole route configuration, the previous one stays active.",
     "Many filters have another type for routes, BufferPerRoute for Buffer; some have none, the router for one. A "
     "FilterConfig has a config, an empty one to turn the filter on, or says disabled."},
    {"XDS-V057", Severity::kWarning, "The configuration of a filter for routes is for a filter that is there.",
     Client::kEnvoy, "Envoy takes it, and it never applies.",
     "The keys of typed_per_filter_config are the names of HTTP filters in the connection managers that use the "
     "routes."},
    {"XDS-V058", Severity::kError, "A route names a cluster specifier plugin that its configuration declares.",
     Client::kBoth, "Envoy and gRPC refuse the whole route configuration, the previous one stays active.",
     "cluster_specifier_plugins of the route configuration have names, by which routes refer to them."},
    {"XDS-V059", Severity::kInfo, "Each route matches what no route before it does.", Client::kBoth,
     "The route is taken, and never used.",
     "The first route that matches is taken. Behind one for the prefix / with no further condition, and behind one "
     "with "
     "the same match, no request comes to another; CONNECT requests, which have no path, and routes for a share of the "
     "requests are left out of this."},
    {"XDS-V060", Severity::kWarning, "One try may take no longer than all of them.", Client::kEnvoy,
     "Envoy takes it; the timeout of the whole ends the first try.", "per_try_timeout is at most the route's timeout."},
    {"XDS-V061", Severity::kError, "Each scope of routes has a key of its own.", Client::kEnvoy,
     "Envoy refuses all scopes of the response.", "Two scopes with the same fragments could not be told apart."},
    {"XDS-V063", Severity::kError, "A format string has whole commands, and such as Envoy knows.", Client::kEnvoy,
     "Envoy refuses what holds it.",
     "A command is %NAME%, %NAME(ARGUMENT)% or %NAME(ARGUMENT):LENGTH%; a percent sign by itself is written %%. "
     "Formatters, which are extensions, bring more commands."},
    {"XDS-V070", Severity::kError, "A cluster of type EDS says where its endpoints come from, and no other one does.",
     Client::kBoth, "Envoy refuses the cluster; what an EDS cluster has in load_assignment is ignored.",
     "eds_cluster_config is for clusters of type EDS, and they need it with an eds_config. Inline endpoints are for "
     "the "
     "other types."},
    {"XDS-V071", Severity::kError, "A DNS cluster leaves resolving to Envoy, and LOGICAL_DNS has one endpoint.",
     Client::kBoth, "Envoy and gRPC refuse the cluster.",
     "LOGICAL_DNS connects to one name, whatever that resolves to: one locality with one endpoint. Endpoints of DNS "
     "clusters have no resolver_name; a DnsCluster may name a resolver for all of them."},
    {"XDS-V072", Severity::kError, "The address of an endpoint that nobody resolves is an IP address.", Client::kBoth,
     "Envoy refuses the cluster, or all endpoints of the response; gRPC refuses the endpoints.",
     "Names are resolved in clusters of type STRICT_DNS and LOGICAL_DNS. Endpoints of STATIC clusters, and those that "
     "come by EDS, are IP addresses with numeric ports, or pipes."},
    {"XDS-V073", Severity::kError, "A cluster of type ORIGINAL_DST has no endpoints and balances no load.",
     Client::kEnvoy, "Envoy refuses the cluster.",
     "It connects to where the client wanted to go, so its lb_policy is CLUSTER_PROVIDED (the default is ROUND_ROBIN) "
     "and it has no load_assignment. A header names the destination where use_http_header is on."},
    {"XDS-V074", Severity::kError, "A cluster has CLUSTER_PROVIDED exactly where its type balances load itself.",
     Client::kEnvoy, "Envoy refuses the cluster.",
     "Clusters of the types ORIGINAL_DST, aggregate, composite, dynamic_forward_proxy, dynamic_modules, "
     "mcp_multicluster, redis and reverse_connection choose endpoints themselves, and all others need a policy."},
    {"XDS-V075", Severity::kError, "A load_balancing_policy has a known policy, and is the only place that has one.",
     Client::kEnvoy, "Envoy refuses the cluster.",
     "Envoy takes the first policy of the list that it knows. Where there is a list, the older fields "
     "lb_subset_config, "
     "zone_aware_lb_config, locality_weighted_lb_config and consistent_hashing_lb_config have to be empty."},
    {"XDS-V076", Severity::kError, "Subsets that are aware of the weights of localities have such weights.",
     Client::kEnvoy, "Envoy refuses the cluster.",
     "locality_weight_aware in lb_subset_config needs locality_weighted_lb_config in common_lb_config."},
    {"XDS-V077", Severity::kError, "A hash ring has a size between its bounds, and a maglev table a prime one.",
     Client::kEnvoy, "Envoy refuses the cluster.",
     "The bounds are 1,024 and 8,388,608 where they are not set, so a maximum below 1,024 needs a minimum too. The "
     "default size of a maglev table is 65,537."},
    {"XDS-V078", Severity::kError, "The transport socket of a cluster speaks the protocol that is chosen.",
     Client::kEnvoy, "Envoy refuses the cluster.",
     "auto_config lets client and server agree on a protocol, which they do in TLS (ALPN). HTTP/3 needs QUIC, and "
     "Envoy "
     "looks for a socket of the name envoy.transport_sockets.quic."},
    {"XDS-V079", Severity::kError, "Upstream HTTP filters end with an UpstreamCodec.", Client::kEnvoy,
     "Envoy refuses the cluster.", "The codec is added where there are no filters at all."},
    {"XDS-V080", Severity::kError, "A cluster has its options of HTTP in one place.", Client::kEnvoy,
     "Envoy refuses the cluster; older fields beside HttpProtocolOptions are ignored.",
     "HttpProtocolOptions below typed_extension_protocol_options took the place of the fields of the cluster. Among "
     "these, options of HTTP/1 and of HTTP/2 together need protocol_selection USE_DOWNSTREAM_PROTOCOL."},
    {"XDS-V081", Severity::kError, "Each of several health checks of a cluster has a name of its own.", Client::kEnvoy,
     "Envoy refuses the cluster where one has no name; that two have the same name some versions take.",
     "A single health check needs no name."},
    {"XDS-V082", Severity::kError, "The source of a resource names what is asked for it, once.", Client::kEnvoy,
     "Envoy refuses what the source belongs to.",
     "An ApiConfigSource for gRPC has one of grpc_services and no cluster_names; one for REST has one of "
     "cluster_names, "
     "no grpc_services, and a refresh_delay. Version 2 of the transport is gone. Virtual hosts on demand come by "
     "DELTA_GRPC or ads."},
    {"XDS-V083", Severity::kError, "Configuration comes from a cluster that the bootstrap has, with its endpoints.",
     Client::kEnvoy, "Envoy refuses what the source belongs to; from a bootstrap it does not start.",
     "A cluster behind an ApiConfigSource is a static one of the bootstrap, and not of type EDS, unless its endpoints "
     "are in a file: Envoy connects to it before it knows of any other. Judged where there is a bootstrap among the "
     "files; clusters of --known-cluster count too."},
    {"XDS-V084", Severity::kError, "A file that is referred to is there.", Client::kEnvoy,
     "Envoy refuses what refers to it; from a bootstrap it does not start.",
     "Files are looked for below --root. Without it relative paths in the files of a folder are looked for beside them "
     "and where this program runs, as Envoy has it; others are those of another machine and not judged."},
    {"XDS-V085", Severity::kWarning, "An aggregate cluster leads to clusters that there are, and not back to itself.",
     Client::kBoth, "Envoy takes it and never comes to an endpoint; gRPC refuses such a circle.",
     "An aggregate cluster is an ordered list of other clusters, which may be aggregates too, but no circle."},
    {"XDS-V086", Severity::kWarning, "No entry of a cluster is hidden by one before it.", Client::kEnvoy,
     "Envoy takes it, and the first one counts.",
     "Of several circuit breakers for one priority, and of several transport_socket_matches for the same endpoints, "
     "Envoy uses the first. Matches with one name share their statistics."},
    {"XDS-V087", Severity::kWarning, "The statistics of each cluster have a name of their own.", Client::kEnvoy,
     "Envoy takes it and counts both clusters in the same statistics.",
     "The name is alt_stat_name, or else that of the cluster."},
    {"XDS-V088", Severity::kError, "An upstream filter has its configuration inline, or discovers it.", Client::kEnvoy,
     "Envoy refuses the cluster.", "typed_config and config_discovery do not go together."},
    {"XDS-V090", Severity::kWarning, "An address is in a load assignment once.", Client::kBoth,
     "Envoy keeps the first and drops the others without a word; gRPC refuses the endpoints.",
     "That holds across all localities and priorities, and for additional addresses."},
    {"XDS-V091", Severity::kError, "Priorities follow each other, and a locality is in each of them once.",
     Client::kGrpc, "gRPC refuses the endpoints.",
     "Priorities count from 0 without a gap, and the weights of one add up to 4,294,967,295 at most. Localities "
     "without "
     "a weight do not count. Envoy takes all of this."},
    {"XDS-V092", Severity::kWarning, "A locality has a weight and says which one it is.", Client::kGrpc,
     "gRPC passes over a locality without a weight, and refuses the endpoints where the locality is missing.",
     "Envoy looks at the weights of localities only where locality-weighted load balancing is on; for gRPC a locality "
     "without load_balancing_weight gets no load."},
    {"XDS-V093", Severity::kError, "Requests are dropped for one category, and not more than all of them.",
     Client::kEnvoy, "Envoy refuses the endpoints, or the cluster that has them.",
     "policy.drop_overloads is a list, of which Envoy takes one entry; gRPC takes several."},
    {"XDS-V094", Severity::kError, "The endpoints of a locality are inline, or are discovered.", Client::kEnvoy,
     "Envoy refuses the endpoints.", "leds_cluster_locality_config and lb_endpoints do not go together."},
    {"XDS-V095", Severity::kError, "The local cluster of a bootstrap is static, and of one priority.", Client::kEnvoy,
     "Envoy does not start, or refuses the endpoints.",
     "cluster_manager.local_cluster_name is the cluster that Envoy itself is in. Zone-aware routing compares its "
     "localities with those of other clusters, and knows priority 0 alone."},
    {"XDS-V096", Severity::kWarning, "Endpoints can be reached, and their weights count.", Client::kEnvoy,
     "Envoy takes it: there is no healthy endpoint, nobody answers, or the weights are ignored.",
     "Weights of localities count with locality_weighted_lb_config. Where all endpoints are unhealthy Envoy panics and "
     "uses them all the same, unless healthy_panic_threshold is 0."},
    {"XDS-V100", Severity::kError, "A TLS server has certificates from one source, and a client has one of them.",
     Client::kEnvoy, "Envoy refuses what the context belongs to.",
     "A DownstreamTlsContext has tls_certificates, or names them for SDS, or has a selector. A session ticket key has "
     "80 "
     "bytes: a name of 16 and two keys of 32."},
    {"XDS-V101", Severity::kError, "Whoever compares the names in a certificate checks who signed it.", Client::kEnvoy,
     "Envoy refuses what the context belongs to.",
     "Without a trusted_ca anybody can write any name into a certificate of his own. Lists of revoked certificates and "
     "allow_expired_certificate make no sense without one either."},
    {"XDS-V102", Severity::kError, "A secret that is referred to is there.", Client::kEnvoy,
     "Envoy refuses what refers to a static secret that there is not; for one that is discovered it waits.",
     "Without an sds_config the name is that of a static secret of the bootstrap."},
    {"XDS-V103", Severity::kError, "A secret is of the kind that it is referred to as.", Client::kEnvoy,
     "Envoy refuses a secret that has to be a certificate and is none, and what refers to a static one of another "
     "kind.",
     "A Secret holds a tls_certificate, a validation_context, session_ticket_keys or a generic_secret. Where a "
     "validation context is wanted of a discovered secret, Envoy takes any for an empty one, without a word."},
    {"XDS-V104", Severity::kWarning, "A server that knows whom to trust says whether clients need a certificate.",
     Client::kEnvoy, "Envoy takes it, logs a warning and lets clients without a certificate in.",
     "require_client_certificate is false by default, even where a validation context is set. Envoy means to change "
     "that."},
    {"XDS-V105", Severity::kError, "A certificate comes with its chain and its key, which can be read.", Client::kEnvoy,
     "Envoy refuses what has the certificate; one that has expired it takes.",
     "Inline certificates and keys are PEM; pkcs12 holds both. An encrypted key needs its password. Keys are RSA with "
     "2,048 bits or more, or on the curves P-256, P-384 and P-521. Of files it counts whether they are there, as with "
     "XDS-V084; what stands in them is not looked at."},
    {"XDS-V106", Severity::kWarning, "A TLS client verifies the server and calls it by its name.", Client::kEnvoy,
     "Envoy takes it: the connection is encrypted, to whomever it leads; or the server is left to guess who is meant.",
     "Without a validation context any certificate will do. The name is sni in the UpstreamTlsContext, or comes from "
     "the request (auto_sni in the options of HTTP) or the endpoint (auto_host_sni)."},
    {"XDS-V107", Severity::kError, "A configuration to deploy has its secrets in it.", Client::kEnvoy,
     "Envoy takes \"[redacted]\" for the secret, and refuses it where a certificate or key is meant.",
     "Configurations that Envoy and other tools show have \"[redacted]\" in the place of secrets: they are for "
     "reading."},
    {"XDS-V110", Severity::kError,
     "A listener for gRPC is an api_listener, or a server's with one filter in each chain.", Client::kGrpc,
     "gRPC refuses the listener.",
     "Clients take an api_listener with an HttpConnectionManager. Servers take an address of TCP and chains with an "
     "HttpConnectionManager alone, and no use_original_dst."},
    {"XDS-V111", Severity::kError, "An HttpConnectionManager for gRPC has routes inline or from the same stream.",
     Client::kGrpc, "gRPC refuses the listener.",
     "The config_source of rds is ads or self. gRPC trusts no hops in front of it and detects no original addresses."},
    {"XDS-V112", Severity::kError, "An HTTP filter for gRPC is one that gRPC has, or is optional.", Client::kGrpc,
     "gRPC refuses the listener, or the routes that configure such a filter.",
     "gRPC has router, fault, rbac, stateful_session and gcp_authn; some versions have ext_authz, ext_proc and "
     "composite "
     "too. What is_optional marks is passed over."},
    {"XDS-V113", Severity::kWarning, "A route for gRPC matches methods and names its cluster.", Client::kGrpc,
     "gRPC passes over the route without a word.",
     "Paths are of the form /service/method, prefixes begin one. gRPC knows no query parameters and takes no cluster "
     "from a header. Other ways to match a path make it refuse the routes."},
    {"XDS-V114", Severity::kError, "A cluster for gRPC is of a type, and has a policy, that gRPC has.", Client::kGrpc,
     "gRPC refuses the cluster.",
     "The types are EDS from the same stream, LOGICAL_DNS and aggregate; the policies round_robin, ring_hash, "
     "pick_first, "
     "wrr_locality, client_side_weighted_round_robin and those that a program adds."},
    {"XDS-V115", Severity::kError, "A retry policy for gRPC retries.", Client::kGrpc, "gRPC refuses the routes.",
     "num_retries is 1 where it is not set; 0 means no retries to Envoy alone."},
    {"XDS-V116", Severity::kError, "TLS for gRPC is by certificate providers of its bootstrap.", Client::kGrpc,
     "gRPC refuses the cluster or listener.",
     "Certificates come from a tls_certificate_provider_instance, authorities from a ca_certificate_provider_instance "
     "or, "
     "in clients, from system_root_certs. gRPC has no certificates inline or by SDS, no pins and no lists of revoked "
     "ones, and no parameters of TLS."},
    {"XDS-V117", Severity::kError, "A regular expression for gRPC says itself whether case counts.", Client::kGrpc,
     "gRPC refuses what the matcher belongs to.", "Envoy takes ignore_case beside a safe_regex and ignores it."},
    {"XDS-V123", Severity::kError, "A v3 resource holds v3 types.", Client::kBoth,
     "Envoy has no extensions of v2 types any more and refuses what holds one.",
     "The types of the v2 API (envoy.api.v2, envoy.config.….v2) are in the schema, so that v2 control planes can be "
     "read; Envoy has not registered them since 2021. Each has a successor in v3."},
    {"XDS-V124", Severity::kWarning, "An extension is in the usual builds of Envoy.", Client::kEnvoy,
     "An Envoy without contrib extensions refuses what holds it.",
     "Types in a package v3alpha belong to contrib extensions, which envoy-contrib and some vendors' builds have."},
    {"XDS-V125", Severity::kError, "An extension stands where its kind belongs.", Client::kBoth,
     "Envoy finds no such extension of the kind that belongs there and refuses what holds it.",
     "Envoy looks for an extension by the type of its configuration among those of one kind: network filters in a "
     "filter chain, HTTP filters in a connection manager, and so on. One of another kind is not found."},
    {"XDS-V126", Severity::kWarning, "An extension does not have the usual name of another one.", Client::kEnvoy,
     "Envoy goes by the type and not by the name; but the configuration per route goes by the name.",
     "The name of a filter is free, since Envoy looks the extension up by the type of its configuration. One that has "
     "the well-known name of another extension is mostly a slip, and typed_per_filter_config finds it by that name."},
    {"XDS-V128", Severity::kError, "A TypedStruct spells a message of the type that it names.", Client::kEnvoy,
     "Envoy refuses what holds it.",
     "xds.type.v3.TypedStruct and udpa.type.v1.TypedStruct have the JSON form of a message as a Struct; Envoy turns it "
     "into the message that type_url names. A type that the schema does not have is skipped with a note."},
    {"XDS-V129", Severity::kError, "An extension is in Envoy.", Client::kEnvoy,
     "Envoy does not know the type and refuses the whole file or response.",
     "The API has types that Envoy does not link, for gRPC most of them: pick_first, credentials. Where an Any holds "
     "one, Envoy does not get as far as to look for another policy in the list."},
    {"XDS-V130", Severity::kWarning, "A field or enum value is not deprecated.", Client::kEnvoy,
     "Envoy takes it and logs a warning; with envoy.features.fail_on_any_deprecated_feature it refuses it.",
     "A deprecated field works until the next major version of the API, and there is mostly a newer one beside it."},
    {"XDS-V131", Severity::kError, "A field or enum value is not disallowed by default.", Client::kEnvoy,
     "Envoy refuses it unless its runtime allows it.",
     "Fields on their way out are disallowed by default (envoy.annotations.disallowed_by_default): Envoy takes them "
     "only where its runtime has a flag for them. An enum whose value 0 is disallowed has to be set."},
    {"XDS-V132", Severity::kWarning, "A field, message or file is not marked as work in progress.", Client::kEnvoy,
     "Envoy takes it and logs a warning: it may change and is not covered by the threat model.",
     "The API marks what is not finished (work_in_progress): it may change without notice and may not be secure."},
    {"XDS-V210", Severity::kWarning, "What is referred to is there.", Client::kBoth,
     "The client waits for it, and does without what needs it.",
     "Routes, endpoints, extension configurations and the like that a resource asks the same server for, where there "
     "are some of their type among the files."},
    {"XDS-V211", Severity::kError, "A requirement of the JWT filter names a provider that the filter has.",
     Client::kEnvoy, "Envoy refuses the listener.", "The providers are a map; requirements refer to its keys."},
};

}  // namespace

std::span<const Rule> ConfigRules() {
  return kRules;
}

}  // namespace xdscope::finding
