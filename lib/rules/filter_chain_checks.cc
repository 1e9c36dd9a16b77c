// Filter chains of listeners: which a listener has, and which connections they match.
// [reference/validation.md 2.2 XDS-V025 to V030, V035]
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
#include "lib/rules/listener.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/rules/text_forms.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

std::string NameOfChain(const View& chain, std::size_t index) {
  const std::string_view name = chain.GetText("name");
  return name.empty() ? fmt::format("#{}", index) : fmt::format("\"{}\"", name);
}

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
  const bool discovered = Has(at.message, "fcds_config");
  if (chains.empty() && !discovered && (!listener.udp || listener.quic)) {
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
  const bool discovered = Has(at.message, "fcds_config");
  if (discovered && !matcher) {
    context.Add("XDS-V030", At(at, "fcds_config"), "filter chains that are discovered need a filter_chain_matcher");
  }
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
    if (discovered || names.contains(name)) continue;
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

// ---- The table.

constexpr std::string_view kListener[] = {"envoy.config.listener.v3.Listener"};
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

constexpr std::array kChecks = {
    Check{"XDS-V025", kListener, kChainReads, CheckHasChains},
    Check{"XDS-V027", kListener, kChainReads, CheckMatches},
    Check{"XDS-V028", kListener, kChainReads, CheckMatchFields},
    Check{"XDS-V030", kListener, kChainReads, CheckMatcher},
    Check{"XDS-V035", kListener, kChainReads, CheckInspector},
};

}  // namespace

std::span<const Check> FilterChainChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
