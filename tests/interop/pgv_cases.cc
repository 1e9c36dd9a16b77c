// Makes messages of the Envoy API at random and judges them by lib/rules: prints a line "TYPE BYTES COUNT" for each,
// the bytes in hexadecimal, COUNT the number of violations of PGV. With "-v" and the number of a line it prints what it
// found in that one instead.
//
//   pgv_cases 2000 7          2,000 lines of the seed 7
//   pgv_cases 2000 7 -v 13
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lib/encode/visit.h"
#include "lib/rules/pgv.h"
#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "tests/fake/random_message.h"

namespace {

using namespace xdscope;  // NOLINT: a program of one file

constexpr const char* kTypes[] = {
    "envoy.config.cluster.v3.Cluster",
    "envoy.config.endpoint.v3.ClusterLoadAssignment",
    "envoy.config.listener.v3.Listener",
    "envoy.config.route.v3.RouteConfiguration",
    "envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig",
    "envoy.extensions.clusters.aggregate.v3.ClusterConfig",
    "envoy.extensions.filters.http.ext_authz.v3.ExtAuthz",
    "envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor",
    "envoy.extensions.filters.http.fault.v3.HTTPFault",
    "envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication",
    "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
    "envoy.extensions.filters.http.oauth2.v3.OAuth2",
    "envoy.extensions.filters.http.ratelimit.v3.RateLimit",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    "envoy.extensions.filters.network.redis_proxy.v3.RedisProxy",
    "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
    "envoy.extensions.filters.network.thrift_proxy.v3.ThriftProxy",
    "envoy.extensions.load_balancing_policies.maglev.v3.Maglev",
    "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
    "envoy.extensions.transport_sockets.tls.v3.Secret",
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
};

void PrintLine(std::string_view type, const std::string& bytes, std::size_t count) {
  std::string hex;
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    hex.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  std::printf("%.*s %s %zu\n", static_cast<int>(type.size()), type.data(), hex.c_str(), count);
}

void PrintFindings(const std::vector<finding::Finding>& findings) {
  for (const finding::Finding& finding : findings) {
    std::printf("%s: %s: %s\n", finding::ToText(finding.path).c_str(), finding::ToText(finding).c_str(),
                finding.value.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int lines = argc > 1 ? std::atoi(argv[1]) : 1000;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  const int shown = argc > 4 ? std::atoi(argv[4]) : -1;
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  rules::Pgv pgv(types);
  google::protobuf::DynamicMessageFactory factory;
  std::vector<const google::protobuf::Descriptor*> roots;
  for (const char* name : kTypes) roots.push_back(schema.FindMessage(name));
  fake::RandomMessages random(factory, roots, seed);
  for (int line = 0; line < lines; ++line) {
    const auto* const descriptor = roots[random.Below(roots.size())];
    const int depth = 2 + static_cast<int>(random.Below(4));
    const std::string bytes = fake::Serialized(*random.Make(*descriptor, depth));
    const absl::StatusOr<wire::Message> message = wire::Decode(bytes, types.Get(*descriptor));
    if (!message.ok()) return 1;
    finding::Sample sample;
    rules::Report report(types, sample);
    encode::Visit(message->view(), types, [&](const encode::Visited& at) {
      pgv.Check(at, &report);
      return true;
    });
    std::vector<finding::Finding> errors = sample.Take();
    std::erase_if(errors,
                  [](const finding::Finding& finding) { return finding.severity != finding::Severity::kError; });
    if (shown < 0) PrintLine(descriptor->full_name(), bytes, finding::CountOf(errors));
    if (shown == line) PrintFindings(errors);
  }
  return 0;
}
