// gcpserver is the control plane of the interop tests: a go-control-plane snapshot cache behind every discovery
// service that the library has. It prints "grpc HOST:PORT" once it listens and ends when stdin ends, so that it never
// outlives the test that started it.
//
// Lines on stdin: "update" pushes a changed snapshot, "clear" forgets the node; each is answered by one line on stdout.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"google.golang.org/grpc"

	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
)

type settings struct {
	listen   string
	nodes    string
	clusters int
	dangling bool
	ads      bool
	dump     bool
	requests bool
	patient  bool
	rest     string
	tls      tlsFiles
}

func parseFlags() settings {
	var s settings
	flag.StringVar(&s.listen, "listen", "127.0.0.1:0", "address, or unix:PATH")
	flag.StringVar(&s.nodes, "node", "test-node", "node ids that have a snapshot, separated by commas")
	flag.IntVar(&s.clusters, "clusters", 0, "serve this many Istio-like clusters instead of the default snapshot")
	flag.BoolVar(&s.dangling, "dangling", false, "add references to things that do not exist")
	flag.BoolVar(&s.ads, "ads", false, "ADS mode: silent until a request names all that the snapshot holds")
	flag.BoolVar(&s.dump, "dump", false, "print the snapshot as JSON and exit")
	flag.BoolVar(&s.requests, "requests", false, "print each request on stderr, one JSON object a line")
	flag.BoolVar(&s.patient, "answer-half-closed", false, "answer a client that closed its side after its request")
	flag.StringVar(&s.rest, "rest", "", "serve REST too at this address, and print it after the other")
	flag.StringVar(&s.tls.cert, "tls-cert", "", "certificate chain: serve TLS")
	flag.StringVar(&s.tls.key, "tls-key", "", "its key")
	flag.StringVar(&s.tls.clientCA, "client-ca", "", "demand client certificates of this authority")
	flag.Parse()
	return s
}

func main() {
	s := parseFlags()
	set, err := chooseResources(s)
	if err != nil {
		log.Fatal(err)
	}
	if s.dump {
		text, err := dump(set)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(text))
		return
	}
	if err := serve(s, set); err != nil {
		log.Fatal(err)
	}
}

func chooseResources(s settings) (resourceSet, error) {
	if s.clusters > 0 {
		return meshResources(s.clusters)
	}
	set, err := defaultResources()
	if err == nil && s.dangling {
		return danglingResources(set)
	}
	return set, err
}

func serve(s settings, set resourceSet) error {
	control := &control{cache: cache.NewSnapshotCache(s.ads, cache.IDHash{}, nil), nodes: strings.Split(s.nodes, ","), set: set}
	if err := control.publish(set); err != nil {
		return err
	}
	credentials, err := s.tls.credentials()
	if err != nil {
		return err
	}
	listener, err := listen(s.listen)
	if err != nil {
		return err
	}
	options := []grpc.ServerOption{grpc.Creds(credentials)}
	if s.patient {
		options = append(options, grpc.StreamInterceptor(answerHalfClosed))
	}
	grpcServer := grpc.NewServer(options...)
	discovery := server.NewServer(context.Background(), control.cache, callbacks(s.requests))
	register(grpcServer, discovery)
	go grpcServer.Serve(listener)
	fmt.Printf("grpc %s\n", listener.Addr())
	if s.rest != "" {
		rest, err := listen(s.rest)
		if err != nil {
			return err
		}
		go serveRest(discovery, rest)
		fmt.Printf("rest %s\n", rest.Addr())
	}
	control.run(os.Stdin)
	grpcServer.Stop()
	return nil
}

// control keeps the snapshot and changes it as it is told.
type control struct {
	cache   cache.SnapshotCache
	nodes   []string
	set     resourceSet
	updates int
}

func (c *control) publish(set resourceSet) error {
	snapshot, err := cache.NewSnapshot(fmt.Sprint(c.updates+1), set)
	if err != nil {
		return err
	}
	for _, node := range c.nodes {
		if err := c.cache.SetSnapshot(context.Background(), node, snapshot); err != nil {
			return err
		}
	}
	return nil
}

func (c *control) run(commands io.Reader) {
	for lines := bufio.NewScanner(commands); lines.Scan(); {
		fmt.Println(c.do(strings.TrimSpace(lines.Text())))
	}
}

func (c *control) do(command string) string {
	switch command {
	case "update":
		c.updates++
		if err := c.publish(changedResources(c.set, c.updates)); err != nil {
			return "error " + err.Error()
		}
		return fmt.Sprintf("ok version %d", c.updates+1)
	case "clear":
		for _, node := range c.nodes {
			c.cache.ClearSnapshot(node)
		}
		return "ok cleared"
	default:
		return "error unknown command " + command
	}
}
