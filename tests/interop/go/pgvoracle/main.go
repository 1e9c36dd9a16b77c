// pgvoracle judges messages by go-control-plane's generated validators: it reads lines "TYPE BYTES COUNT", the bytes in
// hexadecimal, and prints "LINE COUNT WORDS" for each whose number of violations is another one. At the end it prints
// how many lines it read. With -response it judges the resources of one binary discovery response instead, and prints how
// many violations they have.
//
// Envoy runs the validators on a resource and anew on what each Any in it holds, so this does the same.
package main

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	// What is judged, and what stands in an Any of it; these import nearly all of the API.
	_ "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/rbac/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/access_loggers/file/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/access_loggers/grpc/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/clusters/aggregate/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/cors/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_authz/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/fault/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/jwt_authn/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/local_ratelimit/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/oauth2/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ratelimit/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/redis_proxy/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/tcp_proxy/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/thrift_proxy/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/load_balancing_policies/maglev/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/load_balancing_policies/wrr_locality/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
)

// count returns how many violations an error of a validator holds, and adds the words of each.
func count(err error, words *[]string) int {
	if all, ok := err.(interface{ AllErrors() []error }); ok {
		sum := 0
		for _, each := range all.AllErrors() {
			sum += count(each, words)
		}
		return sum
	}
	if caused, ok := err.(interface{ Cause() error }); ok && caused.Cause() != nil {
		if _, ok := caused.Cause().(interface{ AllErrors() []error }); ok {
			return count(caused.Cause(), words)
		}
	}
	*words = append(*words, err.Error())
	return 1
}

// judge returns the violations of a message and of what stands in each Any below it.
func judge(message proto.Message, words *[]string) int {
	sum := 0
	if validated, ok := message.(interface{ ValidateAll() error }); ok {
		if err := validated.ValidateAll(); err != nil {
			sum += count(err, words)
		}
	}
	return sum + judgeAnys(message.ProtoReflect(), words)
}

func judgeAnys(message protoreflect.Message, words *[]string) int {
	if held, ok := message.Interface().(*anypb.Any); ok {
		inner, err := held.UnmarshalNew()
		if err != nil {
			return 0
		}
		return judge(inner, words)
	}
	sum := 0
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap():
			if field.MapValue().Message() != nil {
				value.Map().Range(func(_ protoreflect.MapKey, each protoreflect.Value) bool {
					sum += judgeAnys(each.Message(), words)
					return true
				})
			}
		case field.Message() == nil:
		case field.IsList():
			for i := 0; i < value.List().Len(); i++ {
				sum += judgeAnys(value.List().Get(i).Message(), words)
			}
		default:
			sum += judgeAnys(value.Message(), words)
		}
		return true
	})
	return sum
}

func runResponse(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var response discovery.DiscoveryResponse
	if err := proto.Unmarshal(data, &response); err != nil {
		return err
	}
	var words []string
	fmt.Println(judge(&response, &words), "violations in", len(response.Resources), "resources")
	return nil
}

func runLines() error {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	lines := 0
	for ; input.Scan(); lines++ {
		parts := strings.Split(input.Text(), " ")
		if len(parts) != 3 {
			return fmt.Errorf("line %d has %d parts", lines, len(parts))
		}
		data, err := hex.DecodeString(parts[1])
		if err != nil {
			return fmt.Errorf("line %d: %w", lines, err)
		}
		kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(parts[0]))
		if err != nil {
			return fmt.Errorf("line %d: %w", lines, err)
		}
		message := kind.New().Interface()
		if err := proto.Unmarshal(data, message); err != nil {
			return fmt.Errorf("line %d: %w", lines, err)
		}
		wanted, err := strconv.Atoi(parts[2])
		if err != nil {
			return fmt.Errorf("line %d: %w", lines, err)
		}
		var words []string
		if found := judge(message, &words); found != wanted {
			fmt.Println(lines, found, strings.Join(words, "; "))
		}
	}
	fmt.Println("read", lines)
	return input.Err()
}

func main() {
	path := flag.String("response", "", "a file with a discovery response")
	flag.Parse()
	run := runLines
	if *path != "" {
		run = func() error { return runResponse(*path) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
