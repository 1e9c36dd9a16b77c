package main

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	matcher "github.com/envoyproxy/go-control-plane/envoy/type/matcher/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
)

// meshResources is the set of the benchmarks: n clusters such as Istio sends to each sidecar of a large mesh.
func meshResources(n int) (resourceSet, error) {
	clusters := make([]types.Resource, 0, n)
	for i := range n {
		c, err := meshCluster(i)
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, c)
	}
	return resourceSet{resource.ClusterType: clusters}, nil
}

func meshCluster(i int) (*cluster.Cluster, error) {
	service, namespace := fmt.Sprintf("svc-%05d", i), fmt.Sprintf("team-%02d", i%50)
	host := fmt.Sprintf("%s.%s.svc.cluster.local", service, namespace)
	port := 8000 + i%100
	socket, err := meshTLS(host, service, namespace, port)
	if err != nil {
		return nil, err
	}
	metadata, err := meshMetadata(host, service, namespace, port)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("outbound|%d||%s", port, host)
	return &cluster.Cluster{
		Name:                 name,
		ClusterDiscoveryType: &cluster.Cluster_Type{Type: cluster.Cluster_EDS},
		EdsClusterConfig:     &cluster.Cluster_EdsClusterConfig{EdsConfig: fromADS(), ServiceName: name},
		ConnectTimeout:       durationpb.New(10 * time.Second),
		LbPolicy:             cluster.Cluster_LEAST_REQUEST,
		CircuitBreakers:      &cluster.CircuitBreakers{Thresholds: []*cluster.CircuitBreakers_Thresholds{unlimited()}},
		TransportSocket:      socket,
		Metadata:             metadata,
	}, nil
}

func meshTLS(host, service, namespace string, port int) (*core.TransportSocket, error) {
	context, err := anypb.New(&tls.UpstreamTlsContext{
		Sni: fmt.Sprintf("outbound_.%d_._.%s", port, host),
		CommonTlsContext: &tls.CommonTlsContext{
			AlpnProtocols:                  []string{"istio-peer-exchange", "istio", "h2"},
			TlsCertificateSdsSecretConfigs: []*tls.SdsSecretConfig{{Name: "default", SdsConfig: fromADS()}},
			ValidationContextType: &tls.CommonTlsContext_CombinedValidationContext{
				CombinedValidationContext: &tls.CommonTlsContext_CombinedCertificateValidationContext{
					DefaultValidationContext: &tls.CertificateValidationContext{
						MatchTypedSubjectAltNames: []*tls.SubjectAltNameMatcher{{
							SanType: tls.SubjectAltNameMatcher_URI,
							Matcher: &matcher.StringMatcher{MatchPattern: &matcher.StringMatcher_Exact{
								Exact: fmt.Sprintf("spiffe://cluster.local/ns/%s/sa/%s", namespace, service),
							}},
						}},
					},
					ValidationContextSdsSecretConfig: &tls.SdsSecretConfig{Name: "ROOTCA", SdsConfig: fromADS()},
				},
			},
		},
	})
	if err != nil {
		return nil, err
	}
	return &core.TransportSocket{
		Name:       "envoy.transport_sockets.tls",
		ConfigType: &core.TransportSocket_TypedConfig{TypedConfig: context},
	}, nil
}

func meshMetadata(host, service, namespace string, port int) (*core.Metadata, error) {
	istio, err := structpb.NewStruct(map[string]any{
		"config":                "/apis/networking.istio.io/v1/namespaces/" + namespace + "/destination-rule/" + service,
		"default_original_port": float64(port),
		"services":              []any{map[string]any{"host": host, "name": service, "namespace": namespace}},
	})
	if err != nil {
		return nil, err
	}
	return &core.Metadata{FilterMetadata: map[string]*structpb.Struct{"istio": istio}}, nil
}

func unlimited() *cluster.CircuitBreakers_Thresholds {
	return &cluster.CircuitBreakers_Thresholds{
		MaxConnections:     wrapperspb.UInt32(4294967295),
		MaxPendingRequests: wrapperspb.UInt32(4294967295),
		MaxRequests:        wrapperspb.UInt32(4294967295),
		MaxRetries:         wrapperspb.UInt32(4294967295),
		TrackRemaining:     true,
	}
}

func fromADS() *core.ConfigSource {
	return &core.ConfigSource{
		ConfigSourceSpecifier: &core.ConfigSource_Ads{Ads: &core.AggregatedConfigSource{}},
		InitialFetchTimeout:   durationpb.New(0),
		ResourceApiVersion:    core.ApiVersion_V3,
	}
}
