// The address of a server as a person writes it, taken apart: of a gRPC server, or of one that speaks REST.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace xdscope::transport {

struct Target {
  // The family of the address.
  enum class Family { kTcp, kUnix, kUnixAbstract };
  // What the target's own scheme says of encryption.
  enum class Security { kUnsaid, kPlaintext, kTls };

  Family family = Family::kTcp;
  Security security = Security::kUnsaid;
  std::string host;       // kTcp: name or address without brackets; else the path (or abstract name)
  std::string port;       // kTcp only; digits
  bool is_local = false;  // a unix socket, "localhost" or a loopback address: no proxy, and plaintext by default
  std::string grpc;       // the same target in gRPC's own spelling; empty for REST
  bool rest = false;      // http:// or https://
  std::string prefix;     // REST only: what stands before each path, "/xds"; without a "/" at its end

  // Returns "host:port", "[::1]:port" or the path, and of REST the URL, for messages.
  std::string Display() const;
  // Returns "host:port" or "[::1]:port". Demands kTcp.
  std::string HostPort() const;
};

// Takes host:port, [::1]:port, dns:///h:p, ipv4:a:p, ipv6:[a]:p, unix:/path, unix-abstract:x, grpc://h:p, grpcs://h:p,
// http://h[:p][/prefix], https://h[:p][/prefix]. INVALID_ARGUMENT for anything else, above all a host without a port.
absl::StatusOr<Target> ParseTarget(std::string_view text);

// Returns whether the text begins with a scheme, known ("unix:") or not ("http://"), so that it can only be meant as an
// address.
bool HasScheme(std::string_view text);

}  // namespace xdscope::transport
