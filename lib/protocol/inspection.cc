#include "lib/protocol/inspection.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/finding/rules.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

using finding::Severity;

constexpr std::string_view kUsualPrefix = "type.googleapis.com/";

// A rule that is reported once for a response however many entries break it.
struct Tally {
  std::size_t count = 0;
  std::string_view first;

  void Add(std::string_view name) {
    if (count++ == 0) first = name;
  }
};

class Inspection {
 public:
  Inspection(const Circumstances& circumstances, const Subscription* subscription, const TypeTraits& traits,
             Response* response)
      : now_(circumstances), asked_(subscription), traits_(traits), response_(*response) {}

  Pending Run();

 private:
  // The response as a whole.
  void CheckNonce();
  void CheckTypeUrl();
  void CheckUnaskedType();
  void CheckVersion();
  void CheckControlPlane();

  // One entry.
  void TakeEntry(std::size_t index);
  void NameEntry(Resource* resource);
  bool CheckEntryType(const Resource& resource);
  void CheckName(const Resource& resource);
  bool CheckDuplicate(const Resource& resource, std::string_view key);
  void CheckRest(const Resource& resource);
  Pending::Meaning MeaningOf(Resource* resource, const Pending::Entry& entry);
  Pending::Meaning MeaningWithoutPayload(Resource* resource, const Pending::Entry& entry);
  bool IsHeartbeat(Resource* resource, const Pending::Entry& entry, std::string_view last);
  void TakeAliases(const Resource& resource, const Pending::Entry& entry);
  Asked AskedFor(const Resource& resource, std::string_view key);
  std::optional<std::string_view> LastSent(std::string_view name);

  // The entries together.
  void CheckRemoved();
  void CheckErrors();
  void CheckTallies();
  void CheckUnasked();
  void CheckOmissions();
  void CheckEmpty();

  bool IsSotw() const { return now_.variant == Variant::kSotw; }
  bool SameType(std::string_view type_url) const;
  std::string_view Normal(std::string_view name);
  // Adds a finding; its severity is the rule's own, except where the second form gives another.
  void Report(std::string_view rule, std::string message, std::string_view resource = {});
  void Report(std::string_view rule, Severity severity, std::string message, std::string_view resource = {});

  const Circumstances& now_;
  const Subscription* asked_;
  const TypeTraits& traits_;
  Response& response_;
  Pending pending_;

  std::optional<std::size_t> entry_;
  absl::flat_hash_set<absl::string_view> names_;
  std::optional<absl::flat_hash_map<absl::string_view, std::string_view>> waiting_versions_;
  bool heartbeats_ = false;
  Tally without_version_;
  Tally wrapped_unannounced_;
  Tally ttl_unannounced_;
  Tally never_asked_;
};

void Inspection::Report(std::string_view rule, std::string message, std::string_view resource) {
  Report(rule, finding::SeverityOf(rule), std::move(message), resource);
}

void Inspection::Report(std::string_view rule, Severity severity, std::string message, std::string_view resource) {
  response_.findings.push_back({.rule = rule,
                                .severity = severity,
                                .type_url = response_.type_url,
                                .resource = std::string(resource),
                                .entry = entry_,
                                .message = std::move(message)});
}

// The usual name needs no room; one that has to be brought into normal form gets it in the pending response.
std::string_view Inspection::Normal(std::string_view name) {
  if (!IsXdstp(name)) return name;
  std::string room;
  const std::string_view normal = NormalName(name, &room);
  if (normal.data() == name.data()) return name;
  return pending_.normal_forms.emplace_back(normal);
}

Pending Inspection::Run() {
  pending_.id = response_.id;
  pending_.bytes = response_.bytes;
  pending_.version = response_.version;
  pending_.nonce = response_.nonce;
  CheckNonce();
  CheckTypeUrl();
  CheckVersion();
  CheckControlPlane();
  pending_.entries.resize(response_.resources.size());
  names_.reserve(response_.resources.size());
  for (std::size_t i = 0; i < response_.resources.size(); ++i) TakeEntry(i);
  entry_.reset();
  CheckRemoved();
  CheckErrors();
  CheckTallies();
  CheckUnasked();
  CheckOmissions();
  CheckEmpty();
  return std::move(pending_);
}

// ---- The response as a whole.

void Inspection::CheckNonce() {
  const std::string_view nonce = response_.nonce;
  if (nonce.empty()) {
    if (!now_.unary) Report("XDS-S001", "the response has no nonce");
    return;
  }
  if (asked_ != nullptr && asked_->SawNonce(nonce)) {
    Report("XDS-S002", fmt::format("nonce '{}' was used before for this type on this stream", nonce));
  }
  // Once per type is enough: a server that counts by type does it all the time.
  if (!now_.aggregated || !response_.first) return;
  for (const Subscription& other : *now_.subscriptions) {
    if (&other == asked_ || !other.SawNonce(nonce)) continue;
    Report("XDS-S003", fmt::format("nonce '{}' also stands for {}", nonce, other.type_url()));
    return;
  }
}

void Inspection::CheckTypeUrl() {
  const std::string_view said = response_.said_type_url;
  if (!now_.unary && now_.requests == 0) {
    Report("XDS-S021", "the server speaks before the first request");
  }
  if (said.empty()) {
    if (now_.aggregated) Report("XDS-S004", "the response names no type");
    if (!now_.aggregated && !now_.unary) Report("XDS-S005", "the response names no type");
    return;
  }
  if (asked_ == nullptr) return CheckUnaskedType();
  if (response_.first && !said.starts_with(kUsualPrefix)) {
    Report("XDS-S011", traits_.known ? Severity::kWarning : Severity::kInfo,
           fmt::format("type URL '{}' does not begin with {}", said, kUsualPrefix));
  }
  if (IsSotw() && traits_.delta_only) {
    Report("XDS-S037", "a type that exists in delta only is served as state of the world");
  }
}

// One cause, one finding: the wrong API version, else the wrong method, else what nobody asked for.
void Inspection::CheckUnaskedType() {
  const std::string_view said = response_.said_type_url;
  for (const Subscription& other : *now_.subscriptions) {
    const std::string_view twin = other.traits().other_version;
    if (twin.empty() || other.requests() == 0 || MessageName(twin) != MessageName(said)) continue;
    return Report("XDS-S010", fmt::format("{} was asked for, {} came: the other API version", other.type_url(), said));
  }
  if (!now_.aggregated && MessageName(said) != MessageName(now_.only_type)) {
    return Report("XDS-S006", fmt::format("{} on a stream of {}", said, now_.only_type));
  }
  if (now_.requests == 0) return;  // XDS-S021 has said it
  Report("XDS-S009", fmt::format("{} was not asked for on this stream", said));
}

void Inspection::CheckVersion() {
  if (!response_.version.empty()) return;
  if (IsSotw()) {
    Report("XDS-S023", "the response has no version_info");
  } else if (response_.first) {
    Report("XDS-S051", "the response has no system_version_info");
  }
}

void Inspection::CheckControlPlane() {
  if (now_.earlier_control_plane.empty() || response_.control_plane.empty()) return;
  if (now_.earlier_control_plane == response_.control_plane) return;
  Report("XDS-S019", fmt::format("the control plane called itself '{}' before and '{}' now, on one stream",
                                 now_.earlier_control_plane, response_.control_plane));
}

// ---- One entry.

bool Inspection::SameType(std::string_view type_url) const {
  return type_url == response_.type_url || MessageName(type_url) == MessageName(response_.type_url);
}

void Inspection::TakeEntry(std::size_t index) {
  entry_ = index;
  Resource& resource = response_.resources[index];
  Pending::Entry& entry = pending_.entries[index];
  if (resource.unreadable) {
    return Report("XDS-S012", "a wrapper that cannot be read as a Resource");
  }
  const bool right_type = CheckEntryType(resource);
  if (IsSotw()) {
    entry.version = response_.version;
    if (resource.wrapped && !now_.wrapping_announced) wrapped_unannounced_.Add(resource.name);
  } else {
    entry.version = resource.version;
  }
  if (right_type) NameEntry(&resource);
  if (resource.name.empty() && !resource.structured_name.empty()) resource.name = resource.structured_name;
  entry.name = Normal(resource.name);
  if (right_type) CheckName(resource);
  if (resource.name.empty() || CheckDuplicate(resource, entry.name)) {
    CheckRest(resource);
    entry.meaning = MeaningOf(&resource, entry);
  }
  if (IsSotw()) resource.version = response_.version;
}

// XDS-S007, S008. What redirects or collects resources stands in for them (TP1).
bool Inspection::CheckEntryType(const Resource& resource) {
  if (!resource.has_payload || response_.type_url.empty() || SameType(resource.type_url)) return true;
  const std::string_view message = MessageName(resource.type_url);
  if (message == "xds.core.v3.ResourceLocator" || message.ends_with("Collection")) return true;
  const bool in_sotw_wrapper = IsSotw() && resource.wrapped;
  Report(in_sotw_wrapper ? "XDS-S008" : "XDS-S007",
         fmt::format("a resource of type '{}' in a response of {}", resource.type_url, response_.type_url),
         resource.name);
  return false;
}

// The name of its own that the payload has, against the wrapper's; XDS-S017.
void Inspection::NameEntry(Resource* resource) {
  if (!resource->has_payload || traits_.name_of == nullptr || traits_.named_by_wrapper) return;
  if (!SameType(resource->type_url)) return;
  const std::string_view own = traits_.name_of(resource->payload);
  if (resource->name.empty()) {
    if (resource->structured_name.empty()) resource->name = own;
    return;
  }
  if (own.empty() || !traits_.known || own == resource->name || Normal(own) == Normal(resource->name)) return;
  const bool renamed = IsXdstp(resource->name) && !IsXdstp(own);
  Report("XDS-S017", renamed ? Severity::kWarning : Severity::kError,
         fmt::format("the wrapper says '{}', the resource in it '{}'", resource->name, own), resource->name);
}

// XDS-S014, S015.
void Inspection::CheckName(const Resource& resource) {
  if (resource.name.empty() && (traits_.known || !IsSotw())) {
    Report("XDS-S014", "a resource without a name");
  }
  if (!resource.structured_name.empty() && resource.name != resource.structured_name) {
    Report("XDS-S015", "both name and resource_name are set", resource.name);
  }
}

bool Inspection::CheckDuplicate(const Resource& resource, std::string_view key) {
  if (names_.insert(base::ToAbsl(key)).second) return true;
  Report("XDS-S016", fmt::format("'{}' comes twice in one response", resource.name), resource.name);
  return false;
}

void Inspection::CheckRest(const Resource& resource) {
  if (!IsSotw() && resource.has_payload && resource.version.empty()) without_version_.Add(resource.name);
  if (!resource.ttl) return;
  if (!now_.ttl_announced) ttl_unannounced_.Add(resource.name);
  if (resource.ttl->count() > 0) return;
  Report("XDS-S060", "a time to live that is not positive", resource.name);
}

Asked Inspection::AskedFor(const Resource& resource, std::string_view key) {
  Asked best = asked_->AskedFor(key);
  for (const std::string_view alias : resource.aliases) best = std::min(best, asked_->AskedFor(Normal(alias)));
  return best;
}

Pending::Meaning Inspection::MeaningOf(Resource* resource, const Pending::Entry& entry) {
  if (asked_ == nullptr) return Pending::Meaning::kNothing;
  if (resource->name.empty()) return Pending::Meaning::kNothing;  // it cannot be said whether it was asked for
  const Asked asked = AskedFor(*resource, entry.name);
  resource->unasked = asked != Asked::kNow;
  if (asked == Asked::kNever) never_asked_.Add(resource->name);
  if (resource->unasked) return Pending::Meaning::kNothing;
  TakeAliases(*resource, entry);
  return resource->has_payload ? Pending::Meaning::kResource : MeaningWithoutPayload(resource, entry);
}

void Inspection::TakeAliases(const Resource& resource, const Pending::Entry& entry) {
  for (const std::string_view alias : resource.aliases) {
    if (alias != resource.name) pending_.aliases.push_back({Normal(alias), entry.name, resource.has_payload});
  }
}

// K3: an alias answer, else a heartbeat, else the old way to say "does not exist".
Pending::Meaning Inspection::MeaningWithoutPayload(Resource* resource, const Pending::Entry& entry) {
  if (traits_.on_demand || !resource->aliases.empty()) {
    if (traits_.on_demand && resource->aliases.empty() && resource->ttl) {
      Report("XDS-S064", "a heartbeat of a type that has none", resource->name);
    }
    return Pending::Meaning::kAbsent;
  }
  const std::optional<std::string_view> last = LastSent(entry.name);
  if (last && IsHeartbeat(resource, entry, *last)) return Pending::Meaning::kHeartbeat;
  if (!IsSotw() && !resource->ttl) {
    Report("XDS-S041", "an entry without payload says that it does not exist; removed_resources would", resource->name);
  } else if (last) {
    Report("XDS-S055", fmt::format("a heartbeat of version '{}', while '{}' was sent last", entry.version, *last),
           resource->name);
  } else {
    Report("XDS-S056", "a heartbeat of a resource that was not sent", resource->name);
  }
  return IsSotw() ? Pending::Meaning::kNothing : Pending::Meaning::kAbsent;
}

bool Inspection::IsHeartbeat(Resource* resource, const Pending::Entry& entry, std::string_view last) {
  if (last != entry.version || (last.empty() && !resource->ttl)) return false;
  if (IsSotw() && !resource->version.empty() && resource->version != response_.version) {
    Report(
        "XDS-S055", Severity::kWarning,
        fmt::format("a heartbeat's wrapper has version '{}', the response '{}'", resource->version, response_.version),
        resource->name);
  }
  resource->heartbeat = true;
  heartbeats_ = true;
  return true;
}

// The version that came last for a name: with a response that still waits for its verdict, else the one held.
std::optional<std::string_view> Inspection::LastSent(std::string_view name) {
  if (!waiting_versions_) {
    waiting_versions_.emplace();
    for (const Pending& waiting : asked_->pending()) {
      for (const Pending::Entry& entry : waiting.entries) {
        if (entry.meaning == Pending::Meaning::kResource)
          (*waiting_versions_)[base::ToAbsl(entry.name)] = entry.version;
      }
    }
  }
  const auto waiting = waiting_versions_->find(base::ToAbsl(name));
  if (waiting != waiting_versions_->end()) return waiting->second;
  const HeldResource* held = asked_->Held(name);
  if (held == nullptr) return std::nullopt;
  return held->version;
}

// ---- The entries together.

void Inspection::CheckRemoved() {
  absl::flat_hash_set<absl::string_view> removed;
  for (const std::string_view name : response_.removed) {
    const std::string_view key = Normal(name);
    pending_.removed.push_back(key);
    if (!removed.insert(base::ToAbsl(key)).second) {
      Report("XDS-S040", fmt::format("'{}' is removed twice in one response", name), name);
    } else if (names_.contains(base::ToAbsl(key))) {
      Report("XDS-S039", fmt::format("'{}' is delivered and removed in one response", name), name);
    } else if (name == kStar) {
      Report("XDS-S070", "the server takes '*' for the name of a resource", name);
    } else if (asked_ != nullptr && asked_->Held(key) == nullptr && asked_->AskedFor(key) == Asked::kNever) {
      Report("XDS-S050", fmt::format("'{}' is removed, which was neither held nor asked for", name), name);
    }
  }
}

void Inspection::CheckErrors() {
  static constexpr std::array kUsualCodes = {2, 5, 7, 13, 14};
  for (const ResourceError& error : response_.errors) {
    const std::string_view key = Normal(error.name);
    pending_.errors.push_back({key, error.code, error.message});
    if (names_.contains(base::ToAbsl(key))) {
      Report("XDS-S020", fmt::format("'{}' is delivered and has an error in one response", error.name), error.name);
    } else if (asked_ != nullptr && asked_->AskedFor(key) == Asked::kNever) {
      Report("XDS-S020", Severity::kWarning, fmt::format("an error for '{}', which was not asked for", error.name),
             error.name);
    }
    if (std::find(kUsualCodes.begin(), kUsualCodes.end(), error.code) == kUsualCodes.end()) {
      Report("XDS-S020", Severity::kInfo,
             fmt::format("an error for '{}' with the unusual code {}", error.name, error.code), error.name);
    }
  }
}

void Inspection::CheckTallies() {
  const std::size_t all = response_.resources.size();
  const auto say = [this, all](const Tally& tally, std::string_view rule, std::string_view what) {
    if (tally.count == 0) return;
    Report(rule, fmt::format("{} of {} resources {}, first '{}'", tally.count, all, what, tally.first));
  };
  say(without_version_, "XDS-S038", "have no version");
  say(wrapped_unannounced_, "XDS-S059", "are wrapped, which the client did not announce");
  say(ttl_unannounced_, "XDS-S058", "have a time to live, which the client did not announce");
}

// XDS-S068, S027. That the server has not yet read that nothing is wanted any more can be ruled out in two cases: it
// delivers what was never wanted, or it goes on after it was answered.
void Inspection::CheckUnasked() {
  if (asked_ == nullptr || response_.resources.empty()) return;
  const std::size_t all = response_.resources.size();
  if (asked_->AskedForNothing()) {
    if (never_asked_.count == 0 && asked_->answered_since_nothing() == 0) return;
    return Report(
        "XDS-S068",
        fmt::format("{} resources though nothing is asked for any more; an empty list may be read as everything", all));
  }
  if (never_asked_.count == 0) return;
  Report("XDS-S027", never_asked_.count * 2 > all ? Severity::kWarning : Severity::kInfo,
         fmt::format("{} of {} resources were not asked for, first '{}'", never_asked_.count, all, never_asked_.first));
}

// XDS-S024: the version says that nothing changed, and something is missing.
void Inspection::CheckOmissions() {
  if (asked_ == nullptr || !IsSotw() || !traits_.full_state || heartbeats_) return;
  if (response_.version.empty() || response_.version != asked_->version()) return;
  const auto kept = std::count_if(names_.begin(), names_.end(), [this](absl::string_view name) {
    return asked_->Held(base::ToStd(name)) != nullptr;
  });
  if (static_cast<std::size_t>(kept) == asked_->held_count()) return;
  Tally missing;
  for (const std::string_view name : asked_->HeldNames()) {
    if (!names_.contains(base::ToAbsl(name)) && asked_->AskedFor(name) == Asked::kNow) missing.Add(name);
  }
  if (missing.count == 0) return;
  Report("XDS-S024", fmt::format("{} resources of version '{}' are missing at the same version, first '{}'",
                                 missing.count, response_.version, missing.first));
}

// XDS-S036.
void Inspection::CheckEmpty() {
  if (asked_ == nullptr || !IsSotw() || traits_.full_state) return;
  if (!response_.resources.empty() || !response_.errors.empty()) return;
  const bool deletes = asked_->held_count() > 0;
  Report("XDS-S036", deletes ? Severity::kWarning : Severity::kInfo,
         deletes ? "an empty response takes nothing away from what is held" : "an empty response");
}

}  // namespace

Pending Inspect(const Circumstances& circumstances, const Subscription* subscription, const TypeTraits& traits,
                Response* response) {
  return Inspection(circumstances, subscription, traits, response).Run();
}

}  // namespace xdscope::protocol
