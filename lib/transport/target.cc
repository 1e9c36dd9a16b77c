#include "lib/transport/target.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "lib/base/status.h"

namespace xdscope::transport {
namespace {

enum class Form { kName, kIpv4, kIpv6, kPath, kAbstract };

struct Scheme {
  std::string_view prefix;
  Form form;
  Target::Security security = Target::Security::kUnsaid;
  std::string_view port = {};  // where the target says none; empty: it must. Only REST has one
};

// The first prefix that fits wins, so the longer of two comes first.
constexpr std::array kSchemes = {
    Scheme{"dns:///", Form::kName},
    Scheme{"dns:", Form::kName},
    Scheme{"ipv4:", Form::kIpv4},
    Scheme{"ipv6:", Form::kIpv6},
    Scheme{"unix-abstract:", Form::kAbstract},
    Scheme{"unix://", Form::kPath},
    Scheme{"unix:", Form::kPath},
    Scheme{"grpcs://", Form::kName, Target::Security::kTls},
    Scheme{"grpc://", Form::kName, Target::Security::kPlaintext},
    Scheme{"http://", Form::kName, Target::Security::kPlaintext, "80"},
    Scheme{"https://", Form::kName, Target::Security::kTls, "443"},
};

absl::Status Invalid(std::string_view target, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", target, what));
}

bool IsAddress(int family, const std::string& host) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(family, host.c_str(), address) == 1;
}

bool IsLocalHost(const std::string& host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  if (inet_pton(AF_INET6, host.c_str(), &v6) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

bool IsPort(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= 65535;
}

// Splits "host:port" and "[v6]:port". An empty port comes back when there is none.
std::pair<std::string, std::string> SplitHostPort(std::string_view text) {
  const auto colon = text.rfind(':');
  if (!text.empty() && text.front() == '[') {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return {std::string(text), ""};
    const bool has_port = colon == close + 1;
    return {std::string(text.substr(1, close - 1)), has_port ? std::string(text.substr(colon + 1)) : ""};
  }
  // A second colon without brackets is an IPv6 address that has no port.
  if (colon == std::string_view::npos || text.find(':') != colon) return {std::string(text), ""};
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

absl::StatusOr<Target> ParseTcp(std::string_view text, std::string_view address, Form form) {
  Target target;
  std::tie(target.host, target.port) = SplitHostPort(address);
  if (target.host.empty()) return Invalid(text, "no host: expected HOST:PORT");
  if (target.port.empty()) return Invalid(text, "no port: expected HOST:PORT");
  if (!IsPort(target.port)) return Invalid(text, fmt::format("'{}' is not a port", target.port));
  const bool v4 = IsAddress(AF_INET, target.host);
  const bool v6 = IsAddress(AF_INET6, target.host);
  if (form == Form::kIpv4 && !v4) return Invalid(text, fmt::format("'{}' is not an IPv4 address", target.host));
  if (form == Form::kIpv6 && !v6) return Invalid(text, fmt::format("'{}' is not an IPv6 address", target.host));
  if (!v4 && !v6 && target.host.find_first_of("/:@?#%[] ") != std::string::npos) {
    return Invalid(text, fmt::format("'{}' is not a host", target.host));
  }
  target.is_local = IsLocalHost(target.host);
  target.grpc = fmt::format("{}{}", v4 ? "ipv4:" : v6 ? "ipv6:" : "dns:///", target.HostPort());
  return target;
}

// A prefix goes into the first line of each request as it is, so that it may have nothing that would end that line.
absl::StatusOr<Target> ParseUrl(std::string_view text, std::string_view rest, const Scheme& scheme) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string address(rest.substr(0, slash));
  if (address.find('@') != std::string::npos) {
    return base::Error(
        absl::StatusCode::kInvalidArgument,
        fmt::format("{}HOST: has a user or a password; give them as -H 'authorization: …'", scheme.prefix));
  }
  std::string_view prefix = rest.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  const auto is_plain = [](char c) { return c > 0x20 && c < 0x7F && c != '?' && c != '#'; };
  if (!std::all_of(prefix.begin(), prefix.end(), is_plain)) {
    return Invalid(text, "a prefix is a path: it has neither '?', '#', blanks nor control characters");
  }
  if (SplitHostPort(address).second.empty() && !address.ends_with(':')) address += fmt::format(":{}", scheme.port);
  absl::StatusOr<Target> target = ParseTcp(text, address, Form::kName);
  if (!target.ok()) return target;
  target->rest = true;
  target->grpc.clear();
  target->prefix = prefix;
  return target;
}

// gRPC reads its targets as URIs.
std::string PercentEncoded(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

absl::StatusOr<Target> ParseUnix(std::string_view text, std::string_view path, Form form) {
  if (path.empty()) return Invalid(text, "no path");
  constexpr std::size_t kLongest = 107;  // sockaddr_un, with its final NUL
  if (path.size() > kLongest) return Invalid(text, fmt::format("a socket's path has at most {} bytes", kLongest));
  Target target;
  const bool abstract = form == Form::kAbstract;
  target.family = abstract ? Target::Family::kUnixAbstract : Target::Family::kUnix;
  target.host = path;
  target.is_local = true;
  target.grpc = fmt::format("{}:{}", abstract ? "unix-abstract" : "unix", PercentEncoded(path));
  return target;
}

}  // namespace

std::string Target::HostPort() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::string Target::Display() const {
  if (family == Family::kUnixAbstract) return fmt::format("unix-abstract:{}", host);
  if (family == Family::kUnix) return fmt::format("unix:{}", host);
  if (rest) return fmt::format("{}://{}{}", security == Security::kTls ? "https" : "http", HostPort(), prefix);
  return HostPort();
}

bool HasScheme(std::string_view text) {
  return text.find("://") != std::string_view::npos ||
         std::any_of(kSchemes.begin(), kSchemes.end(),
                     [&](const Scheme& known) { return text.starts_with(known.prefix); });
}

absl::StatusOr<Target> ParseTarget(std::string_view text) {
  Scheme scheme{"", Form::kName};
  for (const Scheme& known : kSchemes) {
    if (!text.starts_with(known.prefix)) continue;
    // "dns:443" and the like: a host that happens to have a scheme's name.
    if (known.prefix.ends_with(':') && known.form == Form::kName && IsPort(text.substr(known.prefix.size()))) continue;
    scheme = known;
    break;
  }
  const std::string_view rest = text.substr(scheme.prefix.size());
  if (scheme.form == Form::kPath || scheme.form == Form::kAbstract) return ParseUnix(text, rest, scheme.form);
  if (const auto end = rest.find("://"); end != std::string_view::npos) {
    return Invalid(text, fmt::format("unknown scheme '{}'", rest.substr(0, end)));
  }
  absl::StatusOr<Target> target =
      scheme.port.empty() ? ParseTcp(text, rest, scheme.form) : ParseUrl(text, rest, scheme);
  if (target.ok()) target->security = scheme.security;
  return target;
}

}  // namespace xdscope::transport
