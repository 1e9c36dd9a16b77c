#include "lib/source/update.h"

#include <fmt/format.h>

#include <set>

#include <utility>

namespace xdscope::source {
namespace {

resource::Resource MakeResource(const protocol::Resource& from, const protocol::Bytes& buffer, std::size_t index,
                                wire::Types& types, const Decoded& decoded) {
  std::optional<wire::Message> message = decoded ? decoded(index, from.payload) : std::nullopt;
  resource::Resource made{.name = from.name.empty() ? fmt::format("#{}", index + 1) : std::string(from.name),
                          .unnamed = from.name.empty(),
                          .version = std::string(from.version),
                          .type_url = from.type_url,
                          .payload = from.payload,
                          .entry = from.entry,
                          .wrapped = from.wrapped,
                          .ttl = from.ttl,
                          .message = message ? *std::move(message) : wire::Open(from.type_url, from.payload, types),
                          .buffer = buffer};
  for (const std::string_view alias : from.aliases) made.aliases.emplace_back(alias);
  return made;
}

// Finds what is held of the resources of a response, one after the other.
class HeldWalk {
 public:
  explicit HeldWalk(const resource::TypeState* type) : type_(type) {}

  // Returns what is held of a resource that says the same, byte for byte; nullptr: nothing. What cannot be decoded is
  // read again, so that it is judged again. Of two resources of one name in a response the first counts, and the second
  // is never the same.
  const resource::Resource* FindSame(const protocol::Resource& from) {
    if (type_ == nullptr || from.name.empty() || from.repeated) return nullptr;
    const resource::Resource* held = Find(from);
    if (held == nullptr || held->entry != from.entry || held->wrapped != from.wrapped) return nullptr;
    return absl::IsDataLoss(held->message.status()) ? nullptr : held;
  }

 private:
  const resource::Resource* Find(const protocol::Resource& from) {
    const std::vector<const resource::Resource*>& last = type_->last_same;
    if (next_ == last.size() || last[next_]->name != from.name) return type_->Find(from.name);
    return last[next_++];
  }

  const resource::TypeState* type_;
  std::size_t next_ = 0;  // in its last_same
};

}  // namespace

// Decodes each resource once, here, where its bytes are still warm; everybody after this reads the decoded message.
Update MakeUpdate(protocol::Response response, bool whole, wire::Types& types, const FindHeld& find_held,
                  const Decoded& decoded) {
  Update update;
  update.type_url = std::move(response.type_url);
  update.version = response.version;
  update.nonce = response.nonce;
  update.asked = response.expects_answer;
  update.whole = whole;
  update.findings = std::move(response.findings);
  for (finding::Finding& finding : update.findings) {
    if (finding.resource.empty() && finding.entry) finding.resource = response.resources[*finding.entry].name;
  }
  for (const std::size_t entry : response.bad) {
    const std::string_view name = response.resources[entry].name;
    if (update.bad.empty() || update.bad.back() != name) update.bad.emplace_back(name);
  }
  update.entries = response.resources.size();
  const resource::TypeState* held = find_held ? find_held(update.type_url) : nullptr;
  HeldWalk held_walk(held);
  (held == nullptr ? update.resources.reserve(update.entries) : update.same.reserve(update.entries));
  for (std::size_t i = 0; i < response.resources.size(); ++i) {
    const protocol::Resource& from = response.resources[i];
    if (from.heartbeat) update.heartbeats.emplace_back(from.name);
    if (!from.has_payload || from.unasked) continue;
    if (const resource::Resource* same = held_walk.FindSame(from)) {
      update.same.push_back(same);
    } else {
      update.resources.push_back(MakeResource(from, response.bytes, i, types, decoded));
    }
  }
  for (const std::string_view name : response.removed) {
    update.absences.push_back({.name = std::string(name), .words = "the server removed it"});
  }
  for (const protocol::ResourceError& error : response.errors) {
    update.absences.push_back({.name = std::string(error.name),
                               .words = fmt::format("the server says {}: {}", error.code, error.message),
                               .error = true,
                               .stays = !protocol::TakesAway(error)});
  }
  update.bytes = std::move(response.bytes);
  return update;
}

void DropRefused(const protocol::Verdict& verdict, Update* update) {
  if (verdict.kind == protocol::Verdict::Kind::kAck) return;
  const bool all = verdict.kind == protocol::Verdict::Kind::kNack;
  const std::set<std::string_view> refused(verdict.refused.begin(), verdict.refused.end());
  update->whole = false;
  if (all) update->absences.clear();
  const auto is_refused = [&](const resource::Resource& resource) {
    return all || refused.contains(resource.unnamed ? std::string_view() : resource.name);
  };
  std::erase_if(update->resources, is_refused);
  std::erase_if(update->same, [&](const resource::Resource* same) { return is_refused(*same); });
}

resource::Delivery TakeDelivery(Update* update) {
  resource::Delivery delivery{.type_url = update->type_url,
                              .version = update->version,
                              .whole = update->whole,
                              .resources = std::move(update->resources),
                              .removed = {},
                              .same = std::move(update->same)};
  for (const Absence& absence : update->absences) {
    if (!absence.stays) delivery.removed.push_back(absence.name);
  }
  return delivery;
}

}  // namespace xdscope::source
