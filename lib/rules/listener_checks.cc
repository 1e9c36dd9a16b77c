// Listeners: addresses, kinds of listeners, filter chains and which connections they match.
// [reference/validation.md 2.2]
#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "lib/base/status.h"
#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/rules/text_forms.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

constexpr std::string_view kListener[] = {"envoy.config.listener.v3.Listener"};

// The kind of socket that an address asks for.
enum class Socket : std::uint8_t { kStream, kDatagram };

Socket SocketOf(const View& address) {
  const std::optional<View> socket = MessageIn(address, "socket_address");
  return socket && NumberIn(*socket, "protocol").value_or(0) == 1 ? Socket::kDatagram : Socket::kStream;
}

// What checks of listeners ask again and again.
struct Listener {
  explicit Listener(const View& listener)
      : view(listener),
        address(MessageIn(listener, "address")),
        internal(Has(listener, "internal_listener")),
        api(Has(listener, "api_listener")) {
    const std::optional<View> udp_config = MessageIn(listener, "udp_listener_config");
    udp = !internal && address && SocketOf(*address) == Socket::kDatagram;
    quic = udp && udp_config && Has(*udp_config, "quic_options");
  }

  const View& view;
  std::optional<View> address;
  bool internal;
  bool api;  // the form for clients of gRPC: Envoy takes none from LDS
  bool udp;
  bool quic;
};

std::string NameOfChain(const View& chain, std::size_t index) {
  const std::string_view name = chain.GetText("name");
  return name.empty() ? fmt::format("#{}", index) : fmt::format("\"{}\"", name);
}

// ---- Addresses. [XDS-V020 to V023, V032, V033, V037]

bool IsIpv4Compatible(std::string_view address) {
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, std::string(address).c_str(), bytes.data()) != 1) return false;
  constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::equal(kMapped.begin(), kMapped.end(), bytes.begin()) ||
         std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; });
}

// `below`: the path from the place to the address.
void CheckAddress(const View& address, const Place& place, const finding::Path& below, Context& context) {
  const std::optional<View> socket = MessageIn(address, "socket_address");
  if (!socket || Has(*socket, "resolver_name")) return;
  const std::string_view ip = socket->GetText("address");
  if (!ip.empty() && !IsIpAddress(ip)) {
    finding::Finding* const finding =
        context.Add("XDS-V022", place, fmt::format("\"{}\" is no IP address: listeners never resolve names", ip));
    if (finding != nullptr) finding->path.Append(below).AddField("socket_address").AddField("address");
  } else if (IsOn(*socket, "ipv4_compat") && !IsIpv4Compatible(ip)) {
    finding::Finding* const finding =
        context.Add("XDS-V023", place, fmt::format("ipv4_compat needs :: or an IPv4-mapped address, and not {}", ip));
    if (finding != nullptr) finding->path.Append(below).AddField("socket_address").AddField("ipv4_compat");
  }
}

void CheckAddresses(const Visited& at, Context& context) {
  const Listener listener(at.message);
  if (listener.api && listener.internal) {
    context.Add("XDS-V021", At(at, "api_listener"), "a listener is an api_listener or an internal_listener, not both");
  }
  if (listener.api || listener.internal) return;
  if (!listener.address) {
    context.Add("XDS-V020", {at}, "has no address");
    return;
  }
  CheckAddress(*listener.address, At(at, "address"), {}, context);
  const Socket socket = SocketOf(*listener.address);
  std::size_t index = 0;
  for (const View& additional : MessagesIn(at.message, "additional_addresses")) {
    const Place place = At(at, "additional_addresses", index++);
    const std::optional<View> address = MessageIn(additional, "address");
    if (!address) continue;
    if (SocketOf(*address) != socket) {
      context.Add("XDS-V023", place, "the addresses of a listener are all TCP or all UDP");
    }
    CheckAddress(*address, place, finding::Path().AddField("address"), context);
  }
}

// An api_listener is what gRPC's clients want, so it is not wrong in itself.
void CheckApiListener(const Visited& at, Context& context) {
  if (Listener(at.message).api && !Has(at.message, "internal_listener")) {
    context.Add("XDS-V021", At(at, "api_listener"),
                "an api_listener from LDS is for clients of gRPC: Envoy ignores it");
  }
}

// The fields that an internal listener has no use for, when they are set.
constexpr std::string_view kNotInternal[] = {"enable_reuse_port", "tcp_backlog_size", "tcp_fast_open_queue_length",
                                             "socket_options"};
// The same, when they are true.
constexpr std::string_view kNotInternalIfOn[] = {"enable_mptcp", "freebind", "transparent"};

void CheckInternal(const Visited& at, Context& context) {
  const Listener listener(at.message);
  const auto unsupported = [&](std::string_view field) {
    context.Add("XDS-V032", At(at, field), fmt::format("an internal listener has no {}", field));
  };
  if (!listener.internal) {
    if (listener.address && Has(*listener.address, "envoy_internal_address")) {
      context.Add("XDS-V032", At(at, "address"), "an envoy_internal_address is for clusters: use internal_listener");
    }
    return;
  }
  if (listener.address || !ListOf(at.message, "additional_addresses").empty()) unsupported("address");
  for (const std::string_view field : kNotInternal) {
    if (Has(at.message, field)) unsupported(field);
  }
  for (const std::string_view field : kNotInternalIfOn) {
    if (IsOn(at.message, field)) unsupported(field);
  }
  const std::optional<View> balance = MessageIn(at.message, "connection_balance_config");
  if (balance && Has(*balance, "exact_balance")) unsupported("connection_balance_config");
}

void CheckSocketOptions(const Visited& at, Context& context) {
  const Listener listener(at.message);
  if (!listener.address || listener.internal) return;
  if (IsOn(at.message, "enable_mptcp")) {
    if (listener.udp) context.Add("XDS-V033", At(at, "enable_mptcp"), "enable_mptcp is for TCP");
    if (!Has(*listener.address, "socket_address")) {
      context.Add("XDS-V033", At(at, "enable_mptcp"), "enable_mptcp is for IP addresses");
    }
  }
  if (listener.quic && Has(at.message, "connection_balance_config")) {
    context.Add("XDS-V033", At(at, "connection_balance_config"), "QUIC has no connection_balance_config");
  }
  const bool no_reuse = Has(at.message, "enable_reuse_port") && !IsOn(at.message, "enable_reuse_port");
  if (listener.udp && no_reuse) {
    context.Add("XDS-V033", At(at, "enable_reuse_port"), "UDP with more than one worker needs enable_reuse_port");
  }
}

void CheckName(const Visited& at, Context& context) {
  if (at.message.GetText("name").empty()) {
    context.Add("XDS-V037", {at}, "has no name: Envoy makes one up, and no update can replace it");
  }
}

// ---- Filter chains. [XDS-V025 to V031, V035]

// Returns the chains of a listener with their places: the default one last.
std::vector<std::pair<View, Place>> ChainsOf(const Visited& at) {
  std::vector<std::pair<View, Place>> chains;
  std::size_t index = 0;
  for (const View& chain : MessagesIn(at.message, "filter_chains")) {
    chains.emplace_back(chain, At(at, "filter_chains", index++));
  }
  if (const std::optional<View> chain = MessageIn(at.message, "default_filter_chain")) {
    chains.emplace_back(*chain, At(at, "default_filter_chain"));
  }
  return chains;
}

void CheckHasChains(const Visited& at, Context& context) {
  const Listener listener(at.message);
  if (listener.api || (!listener.address && !listener.internal)) return;
  const auto chains = ChainsOf(at);
  if (chains.empty() && (!listener.udp || listener.quic)) {
    context.Add("XDS-V025", {at}, "has no filter chains");
  }
  if (!listener.udp) return;
  if (!listener.quic && !chains.empty()) {
    context.Add("XDS-V026", chains.front().second, "a UDP listener has filter chains for QUIC alone");
  }
  if (!listener.quic) return;
  constexpr std::string_view kQuic = "envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport";
  for (const auto& [chain, place] : chains) {
    const std::optional<View> socket = MessageIn(chain, "transport_socket");
    if (!socket) {
      context.Add("XDS-V026", place, "a filter chain of a QUIC listener has a transport_socket");
    } else if (TypeOfExtension(*socket, context.types) != kQuic) {
      context.Add("XDS-V026", place, "the transport socket of a QUIC listener is a QuicDownstreamTransport");
    }
  }
}

// Returns a network in one form: its address without the bits behind the prefix. Empty: it is none.
std::string Network(const View& range) {
  const std::string address(range.GetText("address_prefix"));
  const bool v4 = IsIpv4(address);
  if (!v4 && !IsIpv6(address)) return {};
  std::array<unsigned char, 16> bytes{};
  inet_pton(v4 ? AF_INET : AF_INET6, address.c_str(), bytes.data());
  const std::size_t most = v4 ? 32 : 128;
  const std::size_t length = std::min<std::size_t>(NumberIn(range, "prefix_len").value_or(0), most);
  for (std::size_t bit = length; bit < most; ++bit) bytes[bit / 8] &= static_cast<unsigned char>(~(0x80U >> bit % 8));
  return fmt::format("{:02x}/{}", fmt::join(bytes, ""), v4 ? length : length + 1000);
}

// Each tells what a chain's match says of one thing, as Envoy's index has it: "" where it says nothing.
std::vector<std::string> Networks(const View& match, std::string_view field) {
  std::vector<std::string> networks;
  for (const View& range : MessagesIn(match, field)) networks.push_back(Network(range));
  if (networks.empty()) networks.emplace_back();
  return networks;
}

// Names are compared in small letters, protocols as they are.
std::vector<std::string> Names(const View& match) {
  std::vector<std::string> names;
  for (const std::string_view name : TextsIn(match, "server_names")) {
    names.push_back(absl::AsciiStrToLower(base::ToAbsl(name)));
  }
  if (names.empty()) names.emplace_back();
  return names;
}

std::vector<std::string> Protocols(const View& match) {
  const std::vector<std::string_view> texts = TextsIn(match, "application_protocols");
  std::vector<std::string> protocols(texts.begin(), texts.end());
  if (protocols.empty()) protocols.emplace_back();
  return protocols;
}

std::vector<std::string> Ports(const View& match) {
  std::vector<std::string> ports;
  for (const wire::Value& port : ListOf(match, "source_ports")) ports.push_back(std::to_string(port.AsUint()));
  if (ports.empty()) ports.emplace_back("0");
  return ports;
}

// All that a chain's match says, one list for each criterion: it matches what meets one of each.
using Criteria = std::vector<std::vector<std::string>>;

Criteria CriteriaOf(const View& match) {
  return {{std::to_string(NumberIn(match, "destination_port").value_or(0))},
          Networks(match, "prefix_ranges"),
          Names(match),
          {std::string(match.GetText("transport_protocol"))},
          Protocols(match),
          Networks(match, "direct_source_prefix_ranges"),
          {std::to_string(NumberIn(match, "source_type").value_or(0))},
          Networks(match, "source_prefix_ranges"),
          Ports(match)};
}

// What a chain without a match says.
Criteria MatchesAll() {
  return {{"0"}, {""}, {""}, {""}, {""}, {""}, {"0"}, {""}, {"0"}};
}

// Calls `each` for every combination of one text of each list.
void ForEachCombination(const Criteria& lists, std::size_t from, const std::string& prefix,
                        const std::function<void(const std::string&)>& each) {
  if (from == lists.size()) return each(prefix);
  for (const std::string& text : lists[from]) ForEachCombination(lists, from + 1, prefix + text + '\n', each);
}

// Puts a number in the place of each text, the same for equal ones, so that a combination is short however long they
// are.
void Number(absl::flat_hash_map<std::string, std::string>* numbers, Criteria* lists) {
  for (std::vector<std::string>& list : *lists) {
    for (std::string& text : list) text = numbers->try_emplace(text, std::to_string(numbers->size())).first->second;
  }
}

std::size_t Combinations(const Criteria& lists) {
  std::size_t count = 1;
  for (const auto& list : lists) count *= std::min<std::size_t>(list.size(), 1000);
  return count;
}

// Envoy puts every combination of what the matches name into an index, and refuses the second chain for one of them.
// Matches with so many combinations that this would take long are not compared: nobody writes them.
void CheckMatches(const Visited& at, Context& context) {
  constexpr std::size_t kMostCombinations = 100'000;
  if (Has(at.message, "filter_chain_matcher")) return;  // then the matches are ignored
  absl::flat_hash_map<std::string, std::string> numbers;
  absl::flat_hash_map<std::string, std::size_t> seen;
  const std::vector<View> chains = MessagesIn(at.message, "filter_chains");
  std::size_t combinations = 0;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const std::optional<View> match = MessageIn(chains[i], "filter_chain_match");
    Criteria criteria = match ? CriteriaOf(*match) : MatchesAll();
    Number(&numbers, &criteria);
    combinations += Combinations(criteria);
    if (combinations > kMostCombinations) return;
    std::optional<std::size_t> other;
    ForEachCombination(criteria, 0, {}, [&](const std::string& combination) {
      const auto [row, is_new] = seen.emplace(combination, i);
      if (!is_new && !other) other = row->second;
    });
    if (!other) continue;
    const std::string words =
        *other == i ? fmt::format("filter chain {} matches the same connections twice", NameOfChain(chains[i], i))
                    : fmt::format("filter chains {} and {} match the same connections",
                                  NameOfChain(chains[*other], *other), NameOfChain(chains[i], i));
    finding::Finding* const finding = context.Add("XDS-V027", At(at, "filter_chains", i), words);
    if (finding == nullptr) continue;
    if (match) finding->path.AddField("filter_chain_match");
    finding->help = "give one another server_names, prefix_ranges or destination_port, or make it default_filter_chain";
    if (*other == i) continue;
    finding->related.emplace().path.AddField("filter_chains").AddIndex(*other);
  }
}

void CheckServerNames(const View& match, const Place& place, Context& context) {
  std::size_t index = 0;
  for (const std::string_view name : TextsIn(match, "server_names")) {
    const bool partial = name.find('*') != std::string_view::npos && !name.starts_with("*.");
    if (partial) {
      finding::Finding* const finding =
          context.Add("XDS-V028", place, fmt::format("\"{}\" has a wildcard that is no \"*.\" in front", name));
      if (finding != nullptr) {
        finding->path.AddField("filter_chain_match").AddField("server_names").AddIndex(index);
      }
    }
    ++index;
  }
}

void CheckRanges(const View& match, const Place& place, std::string_view field, Context& context) {
  std::size_t index = 0;
  for (const View& range : MessagesIn(match, field)) {
    if (Network(range).empty()) {
      finding::Finding* const finding =
          context.Add("XDS-V029", place, fmt::format("\"{}\" is no IP address", range.GetText("address_prefix")));
      if (finding != nullptr) finding->path.AddField("filter_chain_match").AddField(field).AddIndex(index);
    }
    ++index;
  }
}

void CheckMatchFields(const Visited& at, Context& context) {
  const bool matcher = Has(at.message, "filter_chain_matcher");
  for (const auto& [chain, place] : ChainsOf(at)) {
    const std::optional<View> match = MessageIn(chain, "filter_chain_match");
    if (!match || place.field->name != "filter_chains") continue;
    if (!match->GetText("address_suffix").empty() || Has(*match, "suffix_len")) {
      finding::Finding* const finding =
          context.Add("XDS-V029", place, "Envoy has never implemented address_suffix and suffix_len");
      if (finding != nullptr) finding->path.AddField("filter_chain_match");
    }
    if (matcher) continue;
    CheckServerNames(*match, place, context);
    for (const std::string_view field : {"prefix_ranges", "source_prefix_ranges", "direct_source_prefix_ranges"}) {
      CheckRanges(*match, place, field, context);
    }
  }
}

// Finds the names in the actions of a matcher: texts in a google.protobuf.StringValue, wherever they stand.
std::set<std::string> NamesInMatcher(const View& matcher, wire::Types& types) {
  std::set<std::string> names;
  encode::Visit(matcher, types, [&](const Visited& at) {
    const bool in_any = at.above != nullptr && at.above->message.type().well_known() == wire::WellKnown::kAny;
    if (in_any && at.message.type().full_name() == "google.protobuf.StringValue") {
      names.emplace(at.message.GetText("value"));
    }
    return true;
  });
  return names;
}

void CheckMatcher(const Visited& at, Context& context) {
  const std::optional<View> matcher = MessageIn(at.message, "filter_chain_matcher");
  if (!matcher) return;
  std::set<std::string, std::less<>> names;
  std::size_t index = 0;
  for (const View& chain : MessagesIn(at.message, "filter_chains")) {
    const Place place = At(at, "filter_chains", index++);
    const std::string_view name = chain.GetText("name");
    if (name.empty()) {
      context.Add("XDS-V030", place, "a filter chain has a name where there is a filter_chain_matcher");
    } else if (!names.emplace(name).second) {
      context.Add("XDS-V030", place, fmt::format("\"{}\" is the name of another filter chain too", name));
    }
  }
  for (const std::string& name : NamesInMatcher(*matcher, context.types)) {
    if (names.contains(name)) continue;
    finding::Finding* const finding =
        context.Add("XDS-V030", At(at, "filter_chain_matcher"),
                    fmt::format("the matcher names a filter chain \"{}\" that there is not", name));
    if (finding != nullptr) finding->severity = finding::Severity::kWarning;
  }
}

// Without the inspector nothing is known of a connection's TLS. [XDS-V035]
void CheckInspector(const Visited& at, Context& context) {
  const Listener listener(at.message);
  if (listener.udp || listener.internal) return;
  constexpr std::string_view kInspector = "envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector";
  for (const View& filter : MessagesIn(at.message, "listener_filters")) {
    if (TypeOfExtension(filter, context.types) == kInspector || Has(filter, "config_discovery")) return;
  }
  std::size_t index = 0;
  for (const View& chain : MessagesIn(at.message, "filter_chains")) {
    const Place place = At(at, "filter_chains", index++);
    const std::optional<View> match = MessageIn(chain, "filter_chain_match");
    if (!match) continue;
    const bool by_tls = !ListOf(*match, "server_names").empty() || !ListOf(*match, "application_protocols").empty() ||
                        match->GetText("transport_protocol") == "tls";
    if (!by_tls) continue;
    finding::Finding* const finding =
        context.Add("XDS-V035", place, "matches by TLS, and no listener filter looks into it");
    if (finding == nullptr) continue;
    finding->path.AddField("filter_chain_match");
    finding->help = "add envoy.filters.listener.tls_inspector to listener_filters";
    return;
  }
}

// ---- Filters. [XDS-V031, V034]

constexpr std::string_view kExtensionSource[] = {"envoy.config.core.v3.ExtensionConfigSource"};

void CheckDiscovery(const Visited& at, Context& context) {
  if (IsOn(at.message, "apply_default_config_without_warming") && !Has(at.message, "default_config")) {
    context.Add("XDS-V034", At(at, "apply_default_config_without_warming"),
                "apply_default_config_without_warming needs a default_config");
  }
}

void CheckUdpDiscovery(const Visited& at, Context& context) {
  if (!Listener(at.message).udp || Listener(at.message).quic) return;
  std::size_t index = 0;
  for (const View& filter : MessagesIn(at.message, "listener_filters")) {
    if (Has(filter, "config_discovery")) {
      context.Add("XDS-V034", At(at, "listener_filters", index), "a UDP listener filter has no config_discovery");
    }
    ++index;
  }
}

constexpr std::string_view kListenerReads[] = {
    "envoy.config.core.v3.Address.envoy_internal_address",
    "envoy.config.core.v3.Address.socket_address",
    "envoy.config.core.v3.SocketAddress.address",
    "envoy.config.core.v3.SocketAddress.ipv4_compat",
    "envoy.config.core.v3.SocketAddress.protocol",
    "envoy.config.core.v3.SocketAddress.resolver_name",
    "envoy.config.listener.v3.AdditionalAddress.address",
    "envoy.config.listener.v3.Listener.additional_addresses",
    "envoy.config.listener.v3.Listener.address",
    "envoy.config.listener.v3.Listener.api_listener",
    "envoy.config.listener.v3.Listener.connection_balance_config",
    "envoy.config.listener.v3.Listener.enable_mptcp",
    "envoy.config.listener.v3.Listener.enable_reuse_port",
    "envoy.config.listener.v3.Listener.freebind",
    "envoy.config.listener.v3.Listener.internal_listener",
    "envoy.config.listener.v3.Listener.name",
    "envoy.config.listener.v3.Listener.socket_options",
    "envoy.config.listener.v3.Listener.tcp_backlog_size",
    "envoy.config.listener.v3.Listener.tcp_fast_open_queue_length",
    "envoy.config.listener.v3.Listener.transparent",
    "envoy.config.listener.v3.Listener.udp_listener_config",
    "envoy.config.listener.v3.UdpListenerConfig.quic_options",
};
constexpr std::string_view kChainReads[] = {
    "envoy.config.core.v3.CidrRange.address_prefix",
    "envoy.config.core.v3.CidrRange.prefix_len",
    "envoy.config.listener.v3.FilterChain.filter_chain_match",
    "envoy.config.listener.v3.FilterChain.name",
    "envoy.config.listener.v3.FilterChain.transport_socket",
    "envoy.config.listener.v3.FilterChainMatch.address_suffix",
    "envoy.config.listener.v3.FilterChainMatch.application_protocols",
    "envoy.config.listener.v3.FilterChainMatch.destination_port",
    "envoy.config.listener.v3.FilterChainMatch.direct_source_prefix_ranges",
    "envoy.config.listener.v3.FilterChainMatch.prefix_ranges",
    "envoy.config.listener.v3.FilterChainMatch.server_names",
    "envoy.config.listener.v3.FilterChainMatch.source_ports",
    "envoy.config.listener.v3.FilterChainMatch.source_prefix_ranges",
    "envoy.config.listener.v3.FilterChainMatch.source_type",
    "envoy.config.listener.v3.FilterChainMatch.suffix_len",
    "envoy.config.listener.v3.FilterChainMatch.transport_protocol",
    "envoy.config.listener.v3.Listener.default_filter_chain",
    "envoy.config.listener.v3.Listener.filter_chain_matcher",
    "envoy.config.listener.v3.Listener.filter_chains",
    "envoy.config.listener.v3.Listener.listener_filters",
    "envoy.config.listener.v3.ListenerFilter.config_discovery",
};
constexpr std::string_view kDiscoveryReads[] = {
    "envoy.config.core.v3.ExtensionConfigSource.apply_default_config_without_warming",
    "envoy.config.core.v3.ExtensionConfigSource.default_config",
};

constexpr std::array kChecks = {
    Check{"XDS-V020", kListener, kListenerReads, CheckAddresses},
    Check{"XDS-V021", kListener, kListenerReads, CheckApiListener},
    Check{"XDS-V025", kListener, kChainReads, CheckHasChains},
    Check{"XDS-V027", kListener, kChainReads, CheckMatches},
    Check{"XDS-V028", kListener, kChainReads, CheckMatchFields},
    Check{"XDS-V030", kListener, kChainReads, CheckMatcher},
    Check{"XDS-V032", kListener, kListenerReads, CheckInternal},
    Check{"XDS-V033", kListener, kListenerReads, CheckSocketOptions},
    Check{"XDS-V034", kExtensionSource, kDiscoveryReads, CheckDiscovery},
    Check{"XDS-V034", kListener, kChainReads, CheckUdpDiscovery},
    Check{"XDS-V035", kListener, kChainReads, CheckInspector},
    Check{"XDS-V037", kListener, kListenerReads, CheckName},
};

}  // namespace

std::span<const Check> ListenerChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
