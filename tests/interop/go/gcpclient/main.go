// gcpclient is go-control-plane's own client library as a program: it subscribes to everything of one type over ADS and
// prints the names of each response as one line of JSON, acknowledging it or, with -nack, refusing the first.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/client/sotw/v3"

	// What the resources may hold.
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
)

func main() {
	address := flag.String("address", "", "of the control plane")
	typeURL := flag.String("type", "", "URL of the resource type")
	nack := flag.Bool("nack", false, "refuse the first response")
	flag.Parse()
	if err := follow(*address, *typeURL, *nack); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func follow(address, typeURL string, nack bool) error {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	client := sotw.NewADSClient(context.Background(), &core.Node{Id: "go-client"}, typeURL)
	if err := client.InitConnect(connection); err != nil {
		return err
	}
	for first := true; ; first = false {
		response, err := client.Fetch()
		if err != nil {
			return err
		}
		names := []string{}
		for _, packed := range response.Resources {
			message, err := packed.UnmarshalNew()
			if err != nil {
				return err
			}
			names = append(names, cache.GetResourceName(message.(types.Resource)))
		}
		line, _ := json.Marshal(names)
		fmt.Println(string(line))
		if nack && first {
			err = client.Nack("refused by the test")
		} else {
			err = client.Ack()
		}
		if err != nil {
			return err
		}
	}
}
