// pushserver pushes clusters to one client at a time and measures how long the client takes: each response is made
// before it is sent, and the next one is sent when the one before is answered. So what is measured is what a client
// does from the first byte of a push to its answer.
//
// SotW: all clusters of a response, of which 10 change from one push to the next. Delta: all of them once, then one a
// push. With -client it is a client of such a server, on go-control-plane's generated code, that unmarshals what it gets.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
)

const changed = 10

// raw is a codec that sends bytes as they are and does not look at what comes.
type raw struct{}

func (raw) Marshal(message any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(message.([]byte))}, nil
}
func (raw) Unmarshal(data mem.BufferSlice, message any) error {
	*message.(*[]byte) = data.Materialize()
	return nil
}
func (raw) Name() string { return "proto" }

// states are the clusters of a response, as its server made them; of a state some have another alt_stat_name.
type states []*anypb.Any

func read(file string) (states, error) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	response := &discovery.DiscoveryResponse{}
	if err := proto.Unmarshal(bytes, response); err != nil {
		return nil, err
	}
	return response.Resources, nil
}

func (s states) at(number, version int) (string, *anypb.Any) {
	message := &cluster.Cluster{}
	if err := s[number].UnmarshalTo(message); err != nil {
		panic(err)
	}
	if version == 0 {
		return message.Name, s[number]
	}
	message.AltStatName = fmt.Sprint(version)
	packed, err := anypb.New(message)
	if err != nil {
		panic(err)
	}
	return message.Name, packed
}

func marshal(message proto.Message) []byte {
	bytes, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	return bytes
}

// sotwPushes are two states, sent in turns.
func (s states) sotwPushes() [][]byte {
	var pushes [][]byte
	for version := range 2 {
		response := &discovery.DiscoveryResponse{VersionInfo: fmt.Sprint(version), Nonce: fmt.Sprint(version),
			TypeUrl: resource.ClusterType, Resources: append(states{}, s...)}
		for i := range changed {
			number := i * len(s) / changed
			_, response.Resources[number] = s.at(number, version)
		}
		pushes = append(pushes, marshal(response))
	}
	return pushes
}

func (s states) deltaPushes(pushes int) [][]byte {
	entry := func(number, version int) *discovery.Resource {
		name, packed := s.at(number, version)
		return &discovery.Resource{Name: name, Version: fmt.Sprint(version), Resource: packed}
	}
	all := &discovery.DeltaDiscoveryResponse{Nonce: "all", TypeUrl: resource.ClusterType}
	for i := range s {
		all.Resources = append(all.Resources, entry(i, 0))
	}
	made := [][]byte{marshal(all)}
	for i := 1; i <= pushes; i++ {
		made = append(made, marshal(&discovery.DeltaDiscoveryResponse{Nonce: fmt.Sprint(i), TypeUrl: resource.ClusterType,
			Resources: []*discovery.Resource{entry(i%len(s), i)}}))
	}
	return made
}

// push sends all but the first in turns, `count` times, and prints the seconds from each push to its answer, together.
func push(stream grpc.ServerStream, pushes [][]byte, count int) error {
	var request []byte
	if err := stream.RecvMsg(&request); err != nil {
		return err
	}
	var spent time.Duration
	for i := 0; i <= count; i++ {
		began := time.Now()
		if err := stream.SendMsg(pushes[i%len(pushes)]); err != nil {
			return err
		}
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		if i > 0 {
			spent += time.Since(began)
		}
	}
	fmt.Printf("%.6f\n", spent.Seconds())
	return nil
}

func serve(file string, count int, delta bool) error {
	clusters, err := read(file)
	if err != nil {
		return err
	}
	pushes := clusters.sotwPushes()
	if delta {
		pushes = clusters.deltaPushes(count)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(
		func(_ any, stream grpc.ServerStream) error { return push(stream, pushes, count) }))
	fmt.Printf("grpc %s\n", listener.Addr())
	return server.Serve(listener)
}

// follow unmarshals every resource and keeps it by its name, as a client does that works with them.
func follow(address string) error {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
	if err != nil {
		return err
	}
	defer connection.Close()
	stream, err := discovery.NewAggregatedDiscoveryServiceClient(connection).DeltaAggregatedResources(context.Background())
	if err != nil {
		return err
	}
	held := map[string]proto.Message{}
	request := &discovery.DeltaDiscoveryRequest{Node: &core.Node{Id: "go"}, TypeUrl: resource.ClusterType}
	for {
		if err := stream.Send(request); err != nil {
			return nil
		}
		response, err := stream.Recv()
		if err != nil {
			return nil // the server has ended it
		}
		for _, entry := range response.Resources {
			message, err := entry.Resource.UnmarshalNew()
			if err != nil {
				return err
			}
			held[entry.Name] = message
		}
		request = &discovery.DeltaDiscoveryRequest{TypeUrl: resource.ClusterType, ResponseNonce: response.Nonce}
	}
}

func main() {
	response := flag.String("response", "", "a DiscoveryResponse of clusters, in binary")
	pushes := flag.Int("pushes", 10, "how many follow the first response")
	delta := flag.Bool("delta", false, "speak delta")
	client := flag.String("client", "", "be a delta client of the server at this address")
	flag.Parse()
	run := func() error { return serve(*response, *pushes, *delta) }
	if *client != "" {
		run = func() error { return follow(*client) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
