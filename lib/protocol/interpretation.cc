#include "lib/protocol/interpretation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

class Interpreter {
 public:
  Interpreter(Variant variant, const Subscription* subscription, const types::KnownType& type, Response* response)
      : variant_(variant), subscription_(subscription), type_(type), response_(*response) {}

  Interpretation Run();

 private:
  void ReadEntry(std::size_t index);
  bool HasRightType(const Resource& resource) const;
  void Name(Resource* resource, EntryReading* reading) const;
  Pending::Meaning MeaningOf(Resource* resource, const Pending::Entry& entry, EntryReading* reading);
  Pending::Meaning MeaningWithoutPayload(Resource* resource, const Pending::Entry& entry, EntryReading* reading);
  WasAsked AskedFor(const Resource& resource, std::string_view key);
  void ReadAliases(const Resource& resource, const Pending::Entry& entry);
  std::optional<std::string_view> LastVersion(std::string_view name);

  bool IsSotw() const { return variant_ == Variant::kSotw; }
  bool IsTypeOfResponse(std::string_view type_url) const;
  std::string_view Normal(std::string_view name);

  const Variant variant_;
  const Subscription* subscription_;
  const types::KnownType& type_;
  Response& response_;
  Interpretation result_;
  // By name, the versions in responses that wait for their verdict; made when first needed.
  std::optional<absl::flat_hash_map<absl::string_view, std::string_view>> waiting_versions_;
};

// The usual name needs no room; one that has to be brought into normal form gets it in the pending response.
std::string_view Interpreter::Normal(std::string_view name) {
  if (!IsXdstp(name)) return name;
  std::string room;
  const std::string_view normal = NormalName(name, &room);
  if (normal.data() == name.data()) return name;
  return result_.pending.normal_forms.emplace_back(normal);
}

Interpretation Interpreter::Run() {
  Pending& pending = result_.pending;
  pending.id = response_.id;
  pending.bytes = response_.bytes;
  pending.version = response_.version;
  pending.nonce = response_.nonce;
  pending.entries.resize(response_.resources.size());
  result_.entries.resize(response_.resources.size());
  result_.names.reserve(response_.resources.size());
  for (std::size_t i = 0; i < response_.resources.size(); ++i) ReadEntry(i);
  for (const std::string_view name : response_.removed) pending.removed.push_back(Normal(name));
  for (const ResourceError& error : response_.errors) {
    pending.errors.push_back({Normal(error.name), error.code, error.message});
  }
  return std::move(result_);
}

bool Interpreter::IsTypeOfResponse(std::string_view type_url) const {
  return type_url == response_.type_url || base::MessageName(type_url) == base::MessageName(response_.type_url);
}

void Interpreter::ReadEntry(std::size_t index) {
  Resource& resource = response_.resources[index];
  Pending::Entry& entry = result_.pending.entries[index];
  EntryReading& reading = result_.entries[index];
  if (resource.unreadable) return;
  reading.has_right_type = HasRightType(resource);
  if (reading.has_right_type) Name(&resource, &reading);
  if (resource.name.empty()) resource.name = resource.structured_name;
  if (IsSotw()) reading.wrapper_version = std::exchange(resource.version, response_.version);
  entry.name = Normal(resource.name);
  entry.version = resource.version;
  resource.repeated = !entry.name.empty() && !result_.names.insert(base::ToAbsl(entry.name)).second;
  if (!resource.repeated) entry.meaning = MeaningOf(&resource, entry, &reading);
}

// What redirects or collects resources stands in for them (TP1).
bool Interpreter::HasRightType(const Resource& resource) const {
  if (!resource.has_payload || response_.type_url.empty() || IsTypeOfResponse(resource.type_url)) return true;
  const std::string_view message = base::MessageName(resource.type_url);
  return message == "xds.core.v3.ResourceLocator" || message.ends_with("Collection");
}

// The wrapper's name counts, else the one that the payload has of its own.
void Interpreter::Name(Resource* resource, EntryReading* reading) const {
  if (!resource->has_payload || !IsTypeOfResponse(resource->type_url)) return;
  const std::string_view own = types::NameInPayload(type_, resource->payload);
  if (!resource->name.empty()) {
    reading->payload_name = own;
  } else if (resource->structured_name.empty()) {
    resource->name = own;
  }
}

WasAsked Interpreter::AskedFor(const Resource& resource, std::string_view key) {
  WasAsked best = subscription_->AskedFor(key);
  for (const std::string_view alias : resource.aliases) best = std::min(best, subscription_->AskedFor(Normal(alias)));
  return best;
}

Pending::Meaning Interpreter::MeaningOf(Resource* resource, const Pending::Entry& entry, EntryReading* reading) {
  if (subscription_ == nullptr) return Pending::Meaning::kNothing;
  if (resource->name.empty()) return Pending::Meaning::kNothing;  // it cannot be said whether it was asked for
  reading->asked = AskedFor(*resource, entry.name);
  resource->unasked = reading->asked != WasAsked::kNow;
  if (resource->unasked) return Pending::Meaning::kNothing;
  ReadAliases(*resource, entry);
  return resource->has_payload ? Pending::Meaning::kResource : MeaningWithoutPayload(resource, entry, reading);
}

void Interpreter::ReadAliases(const Resource& resource, const Pending::Entry& entry) {
  for (const std::string_view alias : resource.aliases) {
    if (alias != resource.name) {
      result_.pending.aliases.push_back({Normal(alias), entry.name, resource.has_payload});
    }
  }
}

// An entry without payload says one of three things (K3). With aliases, or where names are asked for by alias, it
// answers an alias that nothing goes by. With the version that came last it is a heartbeat. Else it is the old way of a
// delta server to say "does not exist"; in SotW it says nothing.
Pending::Meaning Interpreter::MeaningWithoutPayload(Resource* resource, const Pending::Entry& entry,
                                                    EntryReading* reading) {
  if (type_.on_demand || !resource->aliases.empty()) return Pending::Meaning::kAbsent;
  reading->last_version = LastVersion(entry.name);
  const bool same = reading->last_version == entry.version;
  if (same && (!entry.version.empty() || resource->ttl)) {
    resource->heartbeat = true;
    return Pending::Meaning::kHeartbeat;
  }
  return IsSotw() ? Pending::Meaning::kNothing : Pending::Meaning::kAbsent;
}

// A response that waits for its verdict is later than what is held.
std::optional<std::string_view> Interpreter::LastVersion(std::string_view name) {
  if (!waiting_versions_) {
    waiting_versions_.emplace();
    for (const Pending& waiting : subscription_->pending()) {
      for (const Pending::Entry& entry : waiting.entries) {
        if (entry.meaning != Pending::Meaning::kResource) continue;
        (*waiting_versions_)[base::ToAbsl(entry.name)] = entry.version;
      }
    }
  }
  const auto waiting = waiting_versions_->find(base::ToAbsl(name));
  if (waiting != waiting_versions_->end()) return waiting->second;
  const HeldResource* held = subscription_->Held(name);
  if (held == nullptr) return std::nullopt;
  return held->version;
}

}  // namespace

Interpretation Interpret(Variant variant, const Subscription* subscription, const types::KnownType& type,
                         Response* response) {
  return Interpreter(variant, subscription, type, response).Run();
}

}  // namespace xdscope::protocol
