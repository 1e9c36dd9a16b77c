package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpoint "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	listener "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	runtime "github.com/envoyproxy/go-control-plane/envoy/service/runtime/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"

	// The messages that the snapshot holds inside an Any.
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/access_loggers/grpc/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/clusters/aggregate/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_authz/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/lua/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/oauth2/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/on_demand/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/listener/tls_inspector/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/tcp_proxy/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/load_balancing_policies/least_request/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
)

//go:embed snapshot/*.json
var snapshotFiles embed.FS

// resourceSet is what a snapshot is made of: resources by type URL.
type resourceSet map[resource.Type][]types.Resource

// kinds says which file holds which type; the order is that of the dump.
var kinds = []struct {
	file    string
	typeURL resource.Type
	message proto.Message
}{
	{"listeners", resource.ListenerType, &listener.Listener{}},
	{"routes", resource.RouteType, &route.RouteConfiguration{}},
	{"scoped_routes", resource.ScopedRouteType, &route.ScopedRouteConfiguration{}},
	{"virtual_hosts", resource.VirtualHostType, &route.VirtualHost{}},
	{"clusters", resource.ClusterType, &cluster.Cluster{}},
	{"endpoints", resource.EndpointType, &endpoint.ClusterLoadAssignment{}},
	{"secrets", resource.SecretType, &tls.Secret{}},
	{"runtimes", resource.RuntimeType, &runtime.Runtime{}},
	{"extension_configs", resource.ExtensionConfigType, &core.TypedExtensionConfig{}},
}

// defaultResources reads the snapshot that is compiled in.
func defaultResources() (resourceSet, error) {
	set := resourceSet{}
	for _, kind := range kinds {
		text, err := snapshotFiles.ReadFile("snapshot/" + kind.file + ".json")
		if err != nil {
			return nil, err
		}
		set[kind.typeURL], err = parseResources(text, kind.message)
		if err != nil {
			return nil, fmt.Errorf("%s.json: %w", kind.file, err)
		}
	}
	return set, nil
}

func parseResources(text []byte, message proto.Message) ([]types.Resource, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return nil, err
	}
	var resources []types.Resource
	for i, item := range items {
		out := reflect.New(reflect.TypeOf(message).Elem()).Interface().(types.Resource)
		if err := protojson.Unmarshal(item, out); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		resources = append(resources, out)
	}
	return resources, nil
}

// changedResources is the set after `update` number n: one cluster changed, one added, one route configuration changed.
func changedResources(set resourceSet, n int) resourceSet {
	out := resourceSet{}
	for typeURL, resources := range set {
		for _, r := range resources {
			out[typeURL] = append(out[typeURL], proto.Clone(r))
		}
	}
	for _, r := range out[resource.ClusterType] {
		if c := r.(*cluster.Cluster); c.GetName() == "api" {
			c.AltStatName = fmt.Sprintf("api-%d", n)
		}
	}
	out[resource.ClusterType] = append(out[resource.ClusterType], &cluster.Cluster{
		Name:                 fmt.Sprintf("added-%d", n),
		ClusterDiscoveryType: &cluster.Cluster_Type{Type: cluster.Cluster_STATIC},
	})
	for _, r := range out[resource.RouteType] {
		if c := r.(*route.RouteConfiguration); c.GetName() == "web-routes" {
			c.InternalOnlyHeaders = []string{fmt.Sprintf("x-update-%d", n)}
		}
	}
	return out
}

// danglingResources adds a listener and a cluster whose children do not exist.
func danglingResources(set resourceSet) (resourceSet, error) {
	listeners, err := parseResources([]byte(`[{"name": "dangling", "filter_chains": [{"filters": [{"name": "hcm", "typed_config": {
		"@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
		"stat_prefix": "dangling",
		"rds": {"route_config_name": "missing-routes", "config_source": {"ads": {}, "resource_api_version": "V3"}}}}]}]}]`),
		&listener.Listener{})
	if err != nil {
		return nil, err
	}
	clusters, err := parseResources([]byte(`[{"name": "dangling", "type": "EDS", "eds_cluster_config": {
		"service_name": "missing-endpoints", "eds_config": {"ads": {}, "resource_api_version": "V3"}}}]`), &cluster.Cluster{})
	if err != nil {
		return nil, err
	}
	set[resource.ListenerType] = append(set[resource.ListenerType], listeners...)
	set[resource.ClusterType] = append(set[resource.ClusterType], clusters...)
	return set, nil
}

// dump writes the set as one JSON object: type URL, then name, then the resource as Go's protojson has it.
func dump(set resourceSet) ([]byte, error) {
	options := protojson.MarshalOptions{UseProtoNames: true}
	out := map[string]map[string]json.RawMessage{}
	for typeURL, resources := range set {
		out[typeURL] = map[string]json.RawMessage{}
		for _, r := range resources {
			text, err := options.Marshal(r)
			if err != nil {
				return nil, err
			}
			out[typeURL][cache.GetResourceName(r)] = text
		}
	}
	return json.Marshal(out)
}
