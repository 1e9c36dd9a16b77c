package main

import (
	"net"
	"net/http"

	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
)

// serveRest serves the snapshot over REST, by the library's own gateway, as its tests do.
func serveRest(discovery server.Server, listener net.Listener) {
	gateway := &server.HTTPGateway{Server: discovery}
	http.Serve(listener, http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, status, err := gateway.ServeHTTP(request)
		if err != nil {
			http.Error(writer, err.Error(), status)
			return
		}
		writer.WriteHeader(status)
		writer.Write(body)
	}))
}
