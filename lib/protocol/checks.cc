#include "lib/protocol/checks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/finding/rules.h"
#include "lib/finding/sample.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

using finding::Severity;

// What a check looks at, and where it puts what it finds.
struct Case {
  const StreamContext& stream;
  const Subscription* const asked;  // nullptr: nothing asked for the type on this stream
  const types::KnownType& type;
  const Interpretation& interpretation;
  const Response& response;

  std::optional<std::size_t> entry = {};  // that is being checked
  finding::Sample findings = {};
  std::vector<std::size_t> bad = {};  // entries

  bool is_sotw() const { return stream.variant == Variant::kSotw; }

  // Adds a finding about the response, or about one resource of it; of the rule's own severity, or of another where the
  // check knows better. `words` is a text, or makes one: what can be said of each of a million entries is put into
  // words only where it is kept.
  template <typename Words>
  void Report(std::string_view rule, const Words& words, std::string_view resource = {}) {
    Report(rule, finding::SeverityOf(rule), words, resource);
  }
  template <typename Words>
  void Report(std::string_view rule, Severity severity, const Words& words, std::string_view resource = {}) {
    if (entry && severity == Severity::kError && finding::MakesBad(rule)) bad.push_back(*entry);
    finding::Finding* finding = findings.Add(rule);
    if (finding == nullptr) return;
    finding->severity = severity;
    finding->type_url = response.type_url;
    finding->resource = resource;
    finding->entry = entry;
    if constexpr (std::is_invocable_v<Words>) {
      finding->message = words();
    } else {
      finding->message = words;
    }
  }
};

// How many entries break a rule that is reported once for a response, and the first of them.
struct Offenders {
  std::size_t count = 0;
  std::string_view first;

  void Add(std::string_view name) {
    if (count++ == 0) first = name;
  }
};

// The entries that a condition holds for.
template <typename Condition>
Offenders Find(const Case& c, Condition holds) {
  Offenders offenders;
  for (std::size_t i = 0; i < c.response.resources.size(); ++i) {
    const Resource& resource = c.response.resources[i];
    const EntryReading& reading = c.interpretation.entries[i];
    if (!resource.unreadable && holds(resource, reading)) offenders.Add(resource.name);
  }
  return offenders;
}

// ---- The response as a whole.

void CheckNonce(Case& c) {
  if (c.response.nonce.empty() && !c.stream.unary) c.Report("XDS-S001", "the response has no nonce");
}

void CheckNonceIsNew(Case& c) {
  const std::string_view nonce = c.response.nonce;
  if (nonce.empty() || c.asked == nullptr || !c.asked->SawNonce(nonce)) return;
  c.Report("XDS-S002", fmt::format("nonce '{}' was used before for this type on this stream", nonce));
}

// Once per type is enough: a server that counts by type does it all the time.
void CheckNonceOfOtherTypes(Case& c) {
  const std::string_view nonce = c.response.nonce;
  if (nonce.empty() || !c.stream.aggregated || !c.response.first) return;
  for (const Subscription& other : *c.stream.subscriptions) {
    if (&other == c.asked || !other.SawNonce(nonce)) continue;
    return c.Report("XDS-S003", fmt::format("nonce '{}' also stands for {}", nonce, other.type_url()));
  }
}

void CheckTurn(Case& c) {
  if (c.stream.unary || c.stream.requests > 0) return;
  c.Report("XDS-S021", "the server speaks before the first request");
}

void CheckTypeIsNamed(Case& c) {
  if (!c.response.said_type_url.empty() || (c.stream.unary && !c.stream.aggregated)) return;
  c.Report(c.stream.aggregated ? "XDS-S004" : "XDS-S005", "the response names no type");
}

// One cause, one finding: the wrong API version, else the wrong method, else what nobody asked for.
void CheckTypeIsAsked(Case& c) {
  const std::string_view said = c.response.said_type_url;
  if (said.empty() || c.asked != nullptr) return;
  for (const Subscription& other : *c.stream.subscriptions) {
    const std::string_view twin = types::OtherVersion(other.type_url());
    if (twin.empty() || other.requests() == 0 || base::MessageName(twin) != base::MessageName(said)) continue;
    return c.Report("XDS-S010",
                    fmt::format("{} was asked for, {} came: the other API version", other.type_url(), said));
  }
  if (!c.stream.aggregated && base::MessageName(said) != base::MessageName(c.stream.only_type)) {
    return c.Report("XDS-S006", fmt::format("{} on a stream of {}", said, c.stream.only_type));
  }
  if (c.stream.requests == 0) return;  // XDS-S021 has said it
  c.Report("XDS-S009", fmt::format("{} was not asked for on this stream", said));
}

// Types that are not known may have prefixes of their own.
void CheckPrefix(Case& c) {
  const std::string_view said = c.response.said_type_url;
  if (said.empty() || c.asked == nullptr || !c.response.first || said.starts_with(types::kTypeUrlPrefix)) return;
  c.Report("XDS-S011", c.type.known() ? Severity::kWarning : Severity::kInfo,
           fmt::format("type URL '{}' does not begin with {}", said, types::kTypeUrlPrefix));
}

void CheckVariant(Case& c) {
  if (c.response.said_type_url.empty() || c.asked == nullptr || !c.is_sotw() || !c.type.delta_only()) return;
  c.Report("XDS-S037", "a type that exists in delta only is served as state of the world");
}

void CheckVersion(Case& c) {
  if (!c.response.version.empty()) return;
  if (c.is_sotw()) c.Report("XDS-S023", "the response has no version_info");
  if (!c.is_sotw() && c.response.first) c.Report("XDS-S051", "the response has no system_version_info");
}

void CheckControlPlane(Case& c) {
  const std::string_view earlier = c.stream.earlier_control_plane;
  const std::string_view now = c.response.control_plane;
  if (earlier.empty() || now.empty() || earlier == now) return;
  c.Report("XDS-S019",
           fmt::format("the control plane called itself '{}' before and '{}' now, on one stream", earlier, now));
}

// ---- One entry.

void CheckEntryType(Case& c, const Resource& resource, const EntryReading& reading) {
  if (reading.has_right_type) return;
  c.Report(
      c.is_sotw() && resource.wrapped ? "XDS-S008" : "XDS-S007",
      [&] {
        return fmt::format("a resource of type '{}' in a response of {}", resource.type_url, c.response.type_url);
      },
      resource.name);
}

bool IsSameName(std::string_view left, std::string_view right) {
  std::string room_left;
  std::string room_right;
  return left == right || NormalName(left, &room_left) == NormalName(right, &room_right);
}

// A client that asked by an xdstp name may find the plain one inside (B.4).
void CheckNamesAgree(Case& c, const Resource& resource, const EntryReading& reading) {
  const std::string_view own = reading.payload_name;
  if (own.empty() || !c.type.known() || IsSameName(own, resource.name)) return;
  const bool renamed = IsXdstp(resource.name) && !IsXdstp(own);
  c.Report(
      "XDS-S017", renamed ? Severity::kWarning : Severity::kError,
      [&] { return fmt::format("the wrapper says '{}', the resource in it '{}'", resource.name, own); }, resource.name);
}

// A resource of an unknown type may have its name where nobody looks for it. What has the wrong type has no finding
// about its name besides.
void CheckName(Case& c, const Resource& resource, const EntryReading& reading) {
  if (!reading.has_right_type) return;
  if (resource.name.empty() && (c.type.known() || !c.is_sotw())) c.Report("XDS-S014", "a resource without a name");
  if (!resource.structured_name.empty() && resource.name != resource.structured_name) {
    c.Report("XDS-S015", "both name and resource_name are set", resource.name);
  }
}

void CheckRepeated(Case& c, const Resource& resource, const EntryReading&) {
  if (!resource.repeated) return;
  c.Report(
      "XDS-S016", [&] { return fmt::format("'{}' comes twice in one response", resource.name); }, resource.name);
}

void CheckTtl(Case& c, const Resource& resource, const EntryReading&) {
  if (resource.repeated || !resource.ttl || resource.ttl->count() > 0) return;
  c.Report("XDS-S060", "a time to live that is not positive", resource.name);
}

// An entry without payload that was asked for is a heartbeat that repeats the last version, or it is a mistake.
void CheckHeartbeat(Case& c, const Resource& resource, const EntryReading& reading) {
  if (c.asked == nullptr || resource.has_payload || resource.unasked || resource.name.empty()) return;
  if (resource.repeated || !resource.aliases.empty()) return;
  const std::string_view version = resource.version;
  if (c.type.on_demand) {
    if (resource.ttl) c.Report("XDS-S064", "a heartbeat of a type that has none", resource.name);
  } else if (resource.heartbeat) {
    if (reading.wrapper_version.empty() || reading.wrapper_version == version) return;
    c.Report(
        "XDS-S055", Severity::kWarning,  // clients do not look at the wrapper's
        [&] {
          return fmt::format("a heartbeat's wrapper has version '{}', the response '{}'", reading.wrapper_version,
                             version);
        },
        resource.name);
  } else if (!c.is_sotw() && !resource.ttl) {
    c.Report("XDS-S041", "an entry without payload says that it does not exist; removed_resources would",
             resource.name);
  } else if (reading.last_version) {
    c.Report(
        "XDS-S055",
        [&] {
          return fmt::format("a heartbeat of version '{}', while '{}' was sent last", version, *reading.last_version);
        },
        resource.name);
  } else {
    c.Report("XDS-S056", "a heartbeat of a resource that was not sent", resource.name);
  }
}

using EntryCheck = void (*)(Case&, const Resource&, const EntryReading&);
constexpr EntryCheck kEntryChecks[] = {
    CheckEntryType,   // XDS-S007, S008
    CheckNamesAgree,  // XDS-S017
    CheckName,        // XDS-S014, S015
    CheckRepeated,    // XDS-S016
    CheckTtl,         // XDS-S060
    CheckHeartbeat,   // XDS-S041, S055, S056, S064
};

void CheckEntries(Case& c) {
  for (std::size_t i = 0; i < c.response.resources.size(); ++i) {
    c.entry = i;
    if (c.response.resources[i].unreadable) {
      c.Report("XDS-S012", "a wrapper that cannot be read as a Resource");
      continue;
    }
    for (const EntryCheck check : kEntryChecks) check(c, c.response.resources[i], c.interpretation.entries[i]);
  }
  c.entry.reset();
}

// ---- What is removed, and errors in place of resources.

void CheckRemoved(Case& c) {
  absl::flat_hash_set<absl::string_view> removed;
  for (std::size_t i = 0; i < c.response.removed.size(); ++i) {
    const std::string_view name = c.response.removed[i];
    const std::string_view key = c.interpretation.pending.removed[i];
    if (!removed.insert(base::ToAbsl(key)).second) {
      c.Report(
          "XDS-S040", [&] { return fmt::format("'{}' is removed twice in one response", name); }, name);
    } else if (c.interpretation.names.contains(base::ToAbsl(key))) {
      c.Report(
          "XDS-S039", [&] { return fmt::format("'{}' is delivered and removed in one response", name); }, name);
    } else if (name == kStar) {
      c.Report("XDS-S070", "the server takes '*' for the name of a resource", name);
    } else if (c.asked != nullptr && c.asked->Held(key) == nullptr && c.asked->AskedFor(key) == WasAsked::kNever) {
      c.Report(
          "XDS-S050", [&] { return fmt::format("'{}' is removed, which was neither held nor asked for", name); }, name);
    }
  }
}

void CheckErrors(Case& c) {
  static constexpr std::array kUsualCodes = {2, 5, 7, 13, 14};  // TP3
  for (std::size_t i = 0; i < c.response.errors.size(); ++i) {
    const auto& [name, code, message] = c.response.errors[i];
    const std::string_view key = c.interpretation.pending.errors[i].name;
    if (c.interpretation.names.contains(base::ToAbsl(key))) {
      c.Report(
          "XDS-S020", [&] { return fmt::format("'{}' is delivered and has an error in one response", name); }, name);
    } else if (c.asked != nullptr && c.asked->AskedFor(key) == WasAsked::kNever) {
      c.Report(
          "XDS-S020", Severity::kWarning,
          [&] { return fmt::format("an error for '{}', which was not asked for", name); }, name);
    }
    if (std::find(kUsualCodes.begin(), kUsualCodes.end(), code) == kUsualCodes.end()) {
      c.Report(
          "XDS-S020", Severity::kInfo,
          [&] { return fmt::format("an error for '{}' with the unusual code {}", name, code); }, name);
    }
  }
}

// ---- All entries together, each rule reported once.

void ReportAll(Case& c, std::string_view rule, std::string_view what, const Offenders& offenders) {
  if (offenders.count == 0) return;
  c.Report(rule, fmt::format("{} of {} resources {}, first '{}'", offenders.count, c.response.resources.size(), what,
                             offenders.first));
}

void CheckVersions(Case& c) {
  if (c.is_sotw()) return;
  ReportAll(c, "XDS-S038", "have no version", Find(c, [](const Resource& resource, const EntryReading&) {
              return resource.has_payload && resource.version.empty() && !resource.repeated;
            }));
}

void CheckWrapping(Case& c) {
  if (!c.is_sotw() || c.stream.wrapping_announced) return;
  ReportAll(c, "XDS-S059", "are wrapped, which the client did not announce",
            Find(c, [](const Resource& resource, const EntryReading&) { return resource.wrapped; }));
}

void CheckTtlIsAnnounced(Case& c) {
  if (c.stream.ttl_announced) return;
  ReportAll(c, "XDS-S058", "have a time to live, which the client did not announce",
            Find(c, [](const Resource& resource, const EntryReading&) {
              return resource.ttl.has_value() && !resource.repeated;
            }));
}

Offenders NeverAsked(const Case& c) {
  return Find(c, [](const Resource&, const EntryReading& reading) { return reading.asked == WasAsked::kNever; });
}

// That the server has not yet read that nothing is wanted any more can be ruled out in two cases: it has answered what
// was said later, of another type; or it delivers what was never wanted, and so has read an empty list as everything.
void CheckNothingIsAsked(Case& c) {
  if (c.asked == nullptr || c.response.resources.empty() || !c.asked->AskedForNothing()) return;
  const auto is_later = [&c](const Subscription& other) {
    return other.responses() > 0 && other.first_request() > c.asked->nothing_since();
  };
  const bool was_read = std::any_of(c.stream.subscriptions->begin(), c.stream.subscriptions->end(), is_later);
  if (!was_read && NeverAsked(c).count == 0) return;
  c.Report("XDS-S068",
           fmt::format("{} resources though nothing is asked for any more; an empty list may be read as everything",
                       c.response.resources.size()));
}

void CheckUnasked(Case& c) {
  if (c.asked == nullptr || c.asked->AskedForNothing()) return;
  const Offenders unasked = NeverAsked(c);
  if (unasked.count == 0) return;
  const std::size_t all = c.response.resources.size();
  c.Report("XDS-S027", unasked.count * 2 > all ? Severity::kWarning : Severity::kInfo,
           fmt::format("{} of {} resources were not asked for, first '{}'", unasked.count, all, unasked.first));
}

// The version says that nothing has changed, and something is missing. A server that has not yet read that a name is
// asked for (again) leaves it out by right. A response with heartbeats does not list what is unchanged.
void CheckOmissions(Case& c) {
  if (c.asked == nullptr || !c.is_sotw() || !c.type.full_state) return;
  if (c.response.version.empty() || c.response.version != c.asked->version()) return;
  const auto& resources = c.response.resources;
  if (std::any_of(resources.begin(), resources.end(), [](const Resource& each) { return each.heartbeat; })) return;
  const auto& names = c.interpretation.names;
  const auto is_held = [&c](absl::string_view name) { return c.asked->Held(base::ToStd(name)) != nullptr; };
  const auto kept = static_cast<std::size_t>(std::count_if(names.begin(), names.end(), is_held));
  if (kept == c.asked->held_count()) return;
  Offenders missing;
  for (const std::string_view name : c.asked->HeldNames()) {
    if (!names.contains(base::ToAbsl(name)) && c.asked->ServerKnows(name)) missing.Add(name);
  }
  if (missing.count == 0) return;
  c.Report("XDS-S024", fmt::format("{} resources of version '{}' are missing at the same version, first '{}'",
                                   missing.count, c.response.version, missing.first));
}

// A server that sends nothing where names are held probably means to take them away.
void CheckEmpty(Case& c) {
  if (c.asked == nullptr || !c.is_sotw() || c.type.full_state) return;
  if (!c.response.resources.empty() || !c.response.errors.empty()) return;
  const bool deletes = c.asked->held_count() > 0;
  c.Report("XDS-S036", deletes ? Severity::kWarning : Severity::kInfo,
           deletes ? "an empty response takes nothing away from what is held" : "an empty response");
}

using Check = void (*)(Case&);
constexpr Check kChecks[] = {
    CheckNonce,              // XDS-S001
    CheckNonceIsNew,         // XDS-S002
    CheckNonceOfOtherTypes,  // XDS-S003
    CheckTurn,               // XDS-S021
    CheckTypeIsNamed,        // XDS-S004, S005
    CheckTypeIsAsked,        // XDS-S006, S009, S010
    CheckPrefix,             // XDS-S011
    CheckVariant,            // XDS-S037
    CheckVersion,            // XDS-S023, S051
    CheckControlPlane,       // XDS-S019
    CheckEntries,            // XDS-S012 and kEntryChecks
    CheckRemoved,            // XDS-S039, S040, S050, S070
    CheckErrors,             // XDS-S020
    CheckVersions,           // XDS-S038
    CheckWrapping,           // XDS-S059
    CheckTtlIsAnnounced,     // XDS-S058
    CheckNothingIsAsked,     // XDS-S068
    CheckUnasked,            // XDS-S027
    CheckOmissions,          // XDS-S024
    CheckEmpty,              // XDS-S036
};

}  // namespace

void CheckResponse(const StreamContext& stream, const Subscription* subscription, const types::KnownType& type,
                   const Interpretation& interpretation, Response* response) {
  Case c{stream, subscription, type, interpretation, *response};
  for (const Check check : kChecks) check(c);
  response->findings = c.findings.Take();
  response->bad = std::move(c.bad);
}

}  // namespace xdscope::protocol
