"""Messages of the Envoy API, v2 and v3, made from the descriptor set of the build and from plain dictionaries."""

import functools
import os

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

PREFIX = "type.googleapis.com/"

# Short name -> (resource message, discovery service, stream method, delta method, fetch method); None: no such method.
V3 = {
    "lds": ("envoy.config.listener.v3.Listener", "envoy.service.listener.v3.ListenerDiscoveryService",
            "StreamListeners", "DeltaListeners", "FetchListeners"),
    "rds": ("envoy.config.route.v3.RouteConfiguration", "envoy.service.route.v3.RouteDiscoveryService",
            "StreamRoutes", "DeltaRoutes", "FetchRoutes"),
    "srds": ("envoy.config.route.v3.ScopedRouteConfiguration", "envoy.service.route.v3.ScopedRoutesDiscoveryService",
             "StreamScopedRoutes", "DeltaScopedRoutes", "FetchScopedRoutes"),
    "vhds": ("envoy.config.route.v3.VirtualHost", "envoy.service.route.v3.VirtualHostDiscoveryService",
             None, "DeltaVirtualHosts", None),
    "cds": ("envoy.config.cluster.v3.Cluster", "envoy.service.cluster.v3.ClusterDiscoveryService",
            "StreamClusters", "DeltaClusters", "FetchClusters"),
    "eds": ("envoy.config.endpoint.v3.ClusterLoadAssignment", "envoy.service.endpoint.v3.EndpointDiscoveryService",
            "StreamEndpoints", "DeltaEndpoints", "FetchEndpoints"),
    "leds": ("envoy.config.endpoint.v3.LbEndpoint", "envoy.service.endpoint.v3.LocalityEndpointDiscoveryService",
             None, "DeltaLocalityEndpoints", None),
    "sds": ("envoy.extensions.transport_sockets.tls.v3.Secret", "envoy.service.secret.v3.SecretDiscoveryService",
            "StreamSecrets", "DeltaSecrets", "FetchSecrets"),
    "rtds": ("envoy.service.runtime.v3.Runtime", "envoy.service.runtime.v3.RuntimeDiscoveryService",
             "StreamRuntime", "DeltaRuntime", "FetchRuntime"),
    "ecds": ("envoy.config.core.v3.TypedExtensionConfig", "envoy.service.extension.v3.ExtensionConfigDiscoveryService",
             "StreamExtensionConfigs", "DeltaExtensionConfigs", "FetchExtensionConfigs"),
}

V2 = {
    "lds": ("envoy.api.v2.Listener", "envoy.api.v2.ListenerDiscoveryService",
            "StreamListeners", "DeltaListeners", "FetchListeners"),
    "rds": ("envoy.api.v2.RouteConfiguration", "envoy.api.v2.RouteDiscoveryService",
            "StreamRoutes", "DeltaRoutes", "FetchRoutes"),
    "srds": ("envoy.api.v2.ScopedRouteConfiguration", "envoy.api.v2.ScopedRoutesDiscoveryService",
             "StreamScopedRoutes", "DeltaScopedRoutes", "FetchScopedRoutes"),
    "vhds": ("envoy.api.v2.route.VirtualHost", "envoy.api.v2.VirtualHostDiscoveryService",
             None, "DeltaVirtualHosts", None),
    "cds": ("envoy.api.v2.Cluster", "envoy.api.v2.ClusterDiscoveryService",
            "StreamClusters", "DeltaClusters", "FetchClusters"),
    "eds": ("envoy.api.v2.ClusterLoadAssignment", "envoy.api.v2.EndpointDiscoveryService",
            "StreamEndpoints", "DeltaEndpoints", "FetchEndpoints"),
    "sds": ("envoy.api.v2.auth.Secret", "envoy.service.discovery.v2.SecretDiscoveryService",
            "StreamSecrets", "DeltaSecrets", "FetchSecrets"),
    "rtds": ("envoy.service.discovery.v2.Runtime", "envoy.service.discovery.v2.RuntimeDiscoveryService",
             "StreamRuntime", "DeltaRuntime", "FetchRuntime"),
}

ORDER = ["lds", "rds", "srds", "vhds", "cds", "eds", "leds", "sds", "rtds", "ecds"]

ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
DELTA_ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources"
ADS_V2 = "/envoy.service.discovery.v2.AggregatedDiscoveryService/StreamAggregatedResources"
DELTA_ADS_V2 = "/envoy.service.discovery.v2.AggregatedDiscoveryService/DeltaAggregatedResources"


def url(short, table=None):
    return PREFIX + (table or V3)[short][0]


def method(short, kind, table=None):
    """The path of a type's own method; kind is "stream", "delta" or "fetch"."""
    _, service, stream, delta, fetch = (table or V3)[short]
    return f"/{service}/{dict(stream=stream, delta=delta, fetch=fetch)[kind]}"


@functools.cache
def pool():
    result = descriptor_pool.DescriptorPool()
    files = descriptor_pb2.FileDescriptorSet()
    with open(os.environ["XDSCOPE_API_SET_FILE"], "rb") as stream:
        files.ParseFromString(stream.read())
    for file in files.file:
        result.AddSerializedFile(file.SerializeToString())
    return result


@functools.cache
def cls(name):
    return message_factory.GetMessageClass(pool().FindMessageTypeByName(name))


def message(name, fields=None):
    """A message from its JSON form."""
    return json_format.ParseDict(fields or {}, cls(name)(), descriptor_pool=pool())


def to_json(msg):
    return json_format.MessageToDict(msg, preserving_proto_field_name=True, descriptor_pool=pool())


def packed(name, fields):
    """A message inside an Any."""
    return packed_bytes(PREFIX + name, message(name, fields).SerializeToString())


def packed_bytes(type_url, value):
    return cls("google.protobuf.Any")(type_url=type_url, value=value)


def resource(short, fields, table=None):
    return packed((table or V3)[short][0], fields)


def wrapper(name, payload=None, version="", **fields):
    """The Resource message of delta responses."""
    out = cls("envoy.service.discovery.v3.Resource")(name=name, version=version, **fields)
    if payload is not None:
        out.resource.CopyFrom(payload)
    return out


def response(type_url, resources, version="1", nonce="n1", v2=False, **fields):
    """One DiscoveryResponse."""
    name = "envoy.api.v2.DiscoveryResponse" if v2 else "envoy.service.discovery.v3.DiscoveryResponse"
    return cls(name)(version_info=version, nonce=nonce, type_url=type_url, resources=resources, **fields)


def delta_response(type_url, resources, removed=(), version="1", nonce="n1", v2=False, **fields):
    """One DeltaDiscoveryResponse."""
    name = "envoy.api.v2.DeltaDiscoveryResponse" if v2 else "envoy.service.discovery.v3.DeltaDiscoveryResponse"
    return cls(name)(system_version_info=version, nonce=nonce, type_url=type_url, resources=resources,
                     removed_resources=list(removed), **fields)
