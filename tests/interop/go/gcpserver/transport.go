package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	clusterservice "github.com/envoyproxy/go-control-plane/envoy/service/cluster/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	endpointservice "github.com/envoyproxy/go-control-plane/envoy/service/endpoint/v3"
	extensionservice "github.com/envoyproxy/go-control-plane/envoy/service/extension/v3"
	listenerservice "github.com/envoyproxy/go-control-plane/envoy/service/listener/v3"
	routeservice "github.com/envoyproxy/go-control-plane/envoy/service/route/v3"
	runtimeservice "github.com/envoyproxy/go-control-plane/envoy/service/runtime/v3"
	secretservice "github.com/envoyproxy/go-control-plane/envoy/service/secret/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
)

// tlsFiles names the files of a TLS server; all empty means plaintext.
type tlsFiles struct{ cert, key, clientCA string }

func (f tlsFiles) credentials() (credentials.TransportCredentials, error) {
	if f.cert == "" {
		return insecure.NewCredentials(), nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if f.clientCA != "" {
		text, err := os.ReadFile(f.clientCA)
		if err != nil {
			return nil, err
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: no certificate", f.clientCA)
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return credentials.NewTLS(config), nil
}

func listen(address string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return net.Listen("unix", path)
	}
	return net.Listen("tcp", address)
}

func register(g *grpc.Server, s server.Server) {
	discovery.RegisterAggregatedDiscoveryServiceServer(g, s)
	clusterservice.RegisterClusterDiscoveryServiceServer(g, s)
	endpointservice.RegisterEndpointDiscoveryServiceServer(g, s)
	listenerservice.RegisterListenerDiscoveryServiceServer(g, s)
	routeservice.RegisterRouteDiscoveryServiceServer(g, s)
	routeservice.RegisterScopedRoutesDiscoveryServiceServer(g, s)
	routeservice.RegisterVirtualHostDiscoveryServiceServer(g, s)
	secretservice.RegisterSecretDiscoveryServiceServer(g, s)
	runtimeservice.RegisterRuntimeDiscoveryServiceServer(g, s)
	extensionservice.RegisterExtensionConfigDiscoveryServiceServer(g, s)
}

// callbacks prints each request when it is asked to: {"stream": N, "request": {...}}.
func callbacks(print bool) server.CallbackFuncs {
	if !print {
		return server.CallbackFuncs{}
	}
	var lock sync.Mutex
	show := func(stream int64, request proto.Message) error {
		text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(request)
		lock.Lock()
		defer lock.Unlock()
		fmt.Fprintf(os.Stderr, "{\"stream\": %d, \"request\": %s}\n", stream, text)
		return err
	}
	return server.CallbackFuncs{
		StreamRequestFunc:      func(id int64, r *discovery.DiscoveryRequest) error { return show(id, r) },
		StreamDeltaRequestFunc: func(id int64, r *discovery.DeltaDiscoveryRequest) error { return show(id, r) },
		FetchRequestFunc:       func(_ context.Context, r *discovery.DiscoveryRequest) error { return show(0, r) },
	}
}
