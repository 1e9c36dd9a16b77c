// loadclient is many clients of a control plane at once: each has a connection of its own with one or more ADS streams,
// asks for everything of one type and acknowledges what comes. It prints "first SECONDS" when all have had their first
// response, and "next SECONDS" each time all have had one more; it ends when its input does.
//
// It looks at a response's version and nonce only: unpacking thousands of resources for each client would measure itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/protobuf/encoding/protowire"
)

const (
	adsMethod   = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
	deltaMethod = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources"
)

// rawCodec leaves messages as they are: *[]byte.
type rawCodec struct{}

func (rawCodec) Name() string                  { return "proto" }
func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = data
	return nil
}

// field returns the last length-delimited field of this number.
func field(message []byte, number protowire.Number) []byte {
	var found []byte
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return found
		}
		message = message[size:]
		length := protowire.ConsumeFieldValue(n, kind, message)
		if length < 0 {
			return found
		}
		if n == number && kind == protowire.BytesType {
			found, _ = protowire.ConsumeBytes(message)
		}
		message = message[length:]
	}
	return found
}

func text(message []byte, number protowire.Number, value []byte) []byte {
	if len(value) == 0 {
		return message
	}
	return protowire.AppendBytes(protowire.AppendTag(message, number, protowire.BytesType), value)
}

type settings struct {
	typeURL string
	delta   bool
	stall   bool
}

// request is a first request (nonce empty) or an acknowledgement.
func (s settings) request(version, nonce []byte) []byte {
	if s.delta {
		return text(text(nil, 2, []byte(s.typeURL)), 6, nonce)
	}
	return text(text(text(nil, 1, version), 4, []byte(s.typeURL)), 5, nonce)
}

// run is one stream: it tells `got` of each response.
func (s settings) run(connection *grpc.ClientConn, got chan<- error) {
	method := adsMethod
	if s.delta {
		method = deltaMethod
	}
	stream, err := connection.NewStream(context.Background(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	if err != nil {
		got <- err
		return
	}
	request := s.request(nil, nil)
	for {
		if err := stream.SendMsg(&request); err != nil && err != io.EOF {
			got <- err
			return
		}
		if s.stall {
			got <- nil
			select {} // never reads
		}
		var response []byte
		if err := stream.RecvMsg(&response); err != nil {
			got <- err
			return
		}
		got <- nil
		request = s.request(field(response, 1), field(response, 5))
	}
}

func main() {
	address := flag.String("address", "", "of the control plane")
	clients := flag.Int("clients", 1, "connections")
	streams := flag.Int("streams", 1, "streams on each")
	var s settings
	flag.StringVar(&s.typeURL, "type", "type.googleapis.com/envoy.config.cluster.v3.Cluster", "URL of the resource type")
	flag.BoolVar(&s.delta, "delta", false, "the delta variant")
	flag.BoolVar(&s.stall, "stall", false, "ask, and never read")
	flag.Parse()
	encoding.RegisterCodec(rawCodec{})

	began := time.Now()
	total := *clients * *streams
	got := make(chan error, total)
	var opening sync.WaitGroup
	for i := 0; i < *clients; i++ {
		connection, err := grpc.NewClient("passthrough:///"+*address, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for j := 0; j < *streams; j++ {
			opening.Add(1)
			go func() {
				opening.Done()
				s.run(connection, got)
			}()
		}
	}
	opening.Wait()
	go func() {
		word := "first"
		for {
			for i := 0; i < total; i++ {
				if err := <-got; err != nil {
					fmt.Println("failed", err)
					return
				}
			}
			fmt.Println(word, time.Since(began).Seconds())
			word, began = "next", time.Now()
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}
