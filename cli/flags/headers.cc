#include "cli/flags/headers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace xdscope::cli {
namespace {

constexpr std::array<std::string_view, 5> kProxies = {"grpc_proxy", "https_proxy", "HTTPS_PROXY", "http_proxy",
                                                      "HTTP_PROXY"};
constexpr std::array<std::string_view, 3> kNoProxies = {"no_grpc_proxy", "no_proxy", "NO_PROXY"};

// The variables that count, the first that is set before the others.
std::span<const std::string_view> ProxiesOf(Carried carried) {
  const std::span<const std::string_view> all(kProxies);
  if (carried == Carried::kGrpc) return all;
  return carried == Carried::kHttps ? all.subspan(1, 2) : all.subspan(3);
}
std::span<const std::string_view> ExceptionsOf(Carried carried) {
  return std::span<const std::string_view>(kNoProxies).subspan(carried == Carried::kGrpc ? 0 : 1);
}

absl::Status Wrong(std::string_view name, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("--header {}: {}", name, what));
}

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool IsNameLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// Returns what of a header that is wrong may be repeated: what was typed up to its ':' or '=', where that can be a
// name. What was typed without one may be a secret alone.
std::string Nameable(std::string_view text) {
  const std::size_t end = text.find_first_of(":=");
  if (end == std::string_view::npos) return "VALUE";
  const std::string name = absl::AsciiStrToLower(base::ToAbsl(text.substr(0, end)));
  return !name.empty() && std::ranges::all_of(name, IsNameLetter) ? name : "VALUE";
}

bool IsVariable(std::string_view name) {
  const auto is_letter = [](char c) { return c == '_' || absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  return !name.empty() && std::ranges::all_of(name, is_letter);
}

// Returns the first of these variables that is set and not empty.
std::string FirstSet(std::span<const std::string_view> names, const Environment& environment) {
  for (const std::string_view name : names) {
    std::string value = environment(name).value_or("");
    if (!value.empty()) return value;
  }
  return {};
}

// Replaces each ${NAME}. A variable that is not set is an error: a request without its token would be refused for a
// reason that nobody would look for in the shell.
absl::StatusOr<std::string> Expand(std::string_view name, std::string_view text, const Environment& environment) {
  std::string expanded;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find("${", at), text.size());
    expanded.append(text.substr(at, open - at));
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return Wrong(name, "\"${\" is not closed");
    const std::string_view variable = text.substr(open + 2, close - open - 2);
    // What is no variable may be a piece of a password, so it is not repeated.
    if (!IsVariable(variable)) return Wrong(name, "what stands in \"${…}\" is no name of a variable");
    const std::optional<std::string> value = environment(variable);
    if (!value) return Wrong(name, fmt::format("the environment variable {} is not set", variable));
    expanded += *value;
    at = close + 1;
  }
  return expanded;
}

}  // namespace

absl::StatusOr<std::pair<std::string, std::string>> ParseHeader(std::string_view text, const Environment& environment) {
  const std::size_t colon = text.find(':');
  const std::string name = absl::AsciiStrToLower(base::ToAbsl(Trim(text.substr(0, colon))));
  if (colon == std::string_view::npos) return Wrong(Nameable(text), "expected 'name: value'");
  if (name.empty() || !std::ranges::all_of(name, IsNameLetter)) {
    return Wrong(Nameable(text), "expected 'name: value'; a name has letters, digits, '-', '_' and '.' only");
  }
  if (name.starts_with("grpc-")) return Wrong(name, "gRPC keeps names that begin with \"grpc-\" for itself");
  absl::StatusOr<std::string> value = Expand(name, Trim(text.substr(colon + 1)), environment);
  if (!value.ok()) return value.status();
  if (name.ends_with("-bin")) {
    std::string bytes;
    if (!absl::Base64Unescape(*value, &bytes)) return Wrong(name, "the value of a -bin name is base64");
    return std::pair(name, bytes);
  }
  const auto is_printable = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (!std::ranges::all_of(*value, is_printable))
    return Wrong(name, "a value is printable ASCII, or base64 of a -bin name");
  return std::pair(name, *std::move(value));
}

std::string ProxyFor(std::string_view host, Carried carried, const Environment& environment) {
  const std::string proxy = FirstSet(ProxiesOf(carried), environment);
  if (proxy.empty()) return {};
  const std::string exceptions = FirstSet(ExceptionsOf(carried), environment);
  std::string_view left = exceptions;
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    std::string_view entry = Trim(left.substr(0, comma));
    left.remove_prefix(std::min(comma + 1, left.size()));
    if (entry.starts_with('.')) entry.remove_prefix(1);
    if (entry.empty()) continue;
    const bool below =
        host.ends_with(entry) && (host.size() == entry.size() || host[host.size() - entry.size() - 1] == '.');
    if (entry == "*" || below) return {};
  }
  return proxy.find("://") == std::string::npos ? fmt::format("http://{}", proxy) : proxy;
}

}  // namespace xdscope::cli
