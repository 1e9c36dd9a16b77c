#include "cli/commands/repl/remarks.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lib/format/printable.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

using protocol::Request;
using protocol::Subscription;

// A request, and what the rules need to know of its conversation.
struct Case {
  const Request& request;
  const RequestContext& context;
  const Subscription* known;  // nullptr: nothing was ever asked of the type

  bool is_delta() const { return context.ads.options().variant == protocol::Variant::kDelta; }
  bool is_aggregated() const { return context.ads.options().only_type.empty(); }
  bool is_first() const { return known == nullptr || known->requests() == 0; }
  bool knows_nonce() const { return known != nullptr && known->SawNonce(request.nonce); }
  bool waits() const {
    return known != nullptr && std::any_of(known->pending().begin(), known->pending().end(),
                                           [this](const auto& pending) { return pending.nonce == request.nonce; });
  }
  bool is_stale() const { return knows_nonce() && request.nonce != known->newest_nonce(); }
};

// Each returns what there is to say, or nothing.
std::string NoType(const Case& the) {
  return the.is_aggregated() && the.request.type_url.empty() ? "an ADS request names a type URL" : "";
}

std::string OtherMethod(const Case& the) {
  const bool other = !the.is_aggregated() && !the.request.type_url.empty() &&
                     the.request.type_url != the.context.ads.options().only_type;
  return other ? fmt::format("the method of this stream is that of {}", the.context.ads.options().only_type) : "";
}

std::string ForeignNonce(const Case& the) {
  if (the.request.nonce.empty() || the.knows_nonce() || the.request.error || the.is_first()) return "";
  return "this nonce was not issued on this stream for this type";
}

std::string NonceTooEarly(const Case& the) {
  const bool early = !the.request.nonce.empty() && !the.knows_nonce() && the.is_first();
  return early ? "the first request of a type on a stream has no nonce" : "";
}

std::string NoNonce(const Case& the) {
  const bool lacks = !the.is_delta() && the.request.nonce.empty() && the.known != nullptr && the.known->responses() > 0;
  return lacks ? "after a response, requests of its type carry the newest nonce" : "";
}

std::string StaleNonce(const Case& the) {
  return !the.is_delta() && the.is_stale() ? "the nonce is stale: a newer response has come, and servers ignore this"
                                           : "";
}

std::string OtherVersion(const Case& the) {
  if (the.is_delta() || the.request.error || the.request.nonce.empty()) return "";
  const std::optional<std::string> version = the.context.version_of(the.request.type_url, the.request.nonce);
  if (!version || *version == the.request.version) return "";
  const bool older = the.known != nullptr && the.request.version == the.known->version();
  return fmt::format("the ACK repeats {} version {}, the response has {}", older ? "the older" : "another",
                     format::Printable(the.request.version.empty() ? "(none)" : the.request.version),
                     format::Printable(*version));
}

std::string RefusedVersion(const Case& the) {
  if (the.is_delta() || !the.request.error || the.request.version.empty()) return "";
  const std::optional<std::string> version = the.context.version_of(the.request.type_url, the.request.nonce);
  const bool accepted = the.known != nullptr && the.known->version() == the.request.version;
  return version == the.request.version && !accepted ? "a NACK keeps the last good version, not the one it refuses"
                                                     : "";
}

std::string EmptyNack(const Case& the) {
  if (!the.request.error) return "";
  if (the.request.error->code == 0) return "a NACK with code 0 (OK) says nothing";
  return the.request.error->message.empty() ? "a NACK says why, in its message" : "";
}

std::string NackOfNothing(const Case& the) {
  return the.request.error && !the.knows_nonce() ? "a NACK refers to a response by its nonce" : "";
}

std::string SameAgain(const Case& the) {
  const bool same = !the.is_delta() && the.knows_nonce() && !the.waits() && !the.is_stale() &&
                    the.request.version == the.known->version();
  return same ? "the response with this nonce has had its answer; an identical request says nothing new" : "";
}

std::string AnsweredTwice(const Case& the) {
  const bool twice = the.is_delta() && the.knows_nonce() && !the.waits();
  return twice ? "in delta a nonce stands in one ACK or NACK alone, and this one was answered" : "";
}

std::string VersionsTooLate(const Case& the) {
  const bool late = !the.request.initial_versions.empty() && !the.is_first();
  return late ? "initial_resource_versions stand in the first request of a type alone" : "";
}

std::string BothWays(const Case& the) {
  const std::set<std::string_view> gone(the.request.unsubscribe.begin(), the.request.unsubscribe.end());
  const auto both = std::find_if(the.request.names.begin(), the.request.names.end(),
                                 [&gone](const std::string& name) { return gone.contains(name); });
  if (both == the.request.names.end()) return "";
  return fmt::format("{} is subscribed and unsubscribed at once", format::Printable(*both));
}

std::string SameNameTwice(const Case& the) {
  std::set<std::string_view> seen;
  for (const std::string& name : the.request.names) {
    if (!seen.insert(name).second) return fmt::format("{} stands in the list twice", format::Printable(name));
  }
  return "";
}

std::string InterestBeforeVerdict(const Case& the) {
  if (the.known == nullptr || the.known->pending().empty() || the.waits() || the.is_first()) return "";
  return "a response waits for its verdict; interest changes with or after that";
}

std::string DeltaOnly(const Case& the) {
  return !the.is_delta() && types::RowOf(the.request.type_url).delta_only() ? "this type exists in delta alone" : "";
}

struct Rule {
  std::string_view id;
  std::string (*words)(const Case& the);
};

constexpr Rule kRules[] = {
    {"XDS-C003", &NoType},          {"XDS-C004", &OtherMethod},
    {"XDS-C005", &ForeignNonce},    {"XDS-C006", &NonceTooEarly},
    {"XDS-C007", &NoNonce},         {"XDS-C008", &StaleNonce},
    {"XDS-C010", &OtherVersion},    {"XDS-C011", &RefusedVersion},
    {"XDS-C012", &EmptyNack},       {"XDS-C013", &NackOfNothing},
    {"XDS-C014", &SameAgain},       {"XDS-C015", &AnsweredTwice},
    {"XDS-C016", &VersionsTooLate}, {"XDS-C020", &BothWays},
    {"XDS-C022", &SameNameTwice},   {"XDS-C027", &InterestBeforeVerdict},
    {"XDS-C033", &DeltaOnly},
};

}  // namespace

std::vector<std::string> RemarksOn(const Request& request, const RequestContext& context) {
  const std::string& only_type = context.ads.options().only_type;
  const Case the{request, context, context.ads.Find(request.type_url.empty() ? only_type : request.type_url)};
  std::vector<std::string> remarks;
  for (const Rule& rule : kRules) {
    if (const std::string words = rule.words(the); !words.empty()) {
      remarks.push_back(fmt::format("{}: {}", rule.id, words));
    }
  }
  return remarks;
}

}  // namespace xdscope::cli
