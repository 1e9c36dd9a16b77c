#include "lib/source/update.h"

#include <fmt/format.h>

#include <set>

#include <utility>

namespace xdscope::source {
namespace {

resource::Resource MakeResource(const protocol::Resource& from, const protocol::Bytes& buffer, std::size_t index,
                                wire::Types& types) {
  resource::Resource made{.name = from.name.empty() ? fmt::format("#{}", index + 1) : std::string(from.name),
                          .unnamed = from.name.empty(),
                          .version = std::string(from.version),
                          .type_url = from.type_url,
                          .payload = from.payload,
                          .entry = from.entry,
                          .wrapped = from.wrapped,
                          .ttl = from.ttl,
                          .message = wire::Open(from.type_url, from.payload, types),
                          .buffer = buffer};
  for (const std::string_view alias : from.aliases) made.aliases.emplace_back(alias);
  return made;
}

// Returns what is held of a resource that says the same, byte for byte; nullptr: nothing.
const resource::Resource* FindSame(const std::string& type_url, const protocol::Resource& from,
                                   const FindHeld& find_held) {
  const resource::Resource* held = find_held && !from.name.empty() ? find_held(type_url, from.name) : nullptr;
  return held != nullptr && held->entry == from.entry && held->wrapped == from.wrapped ? held : nullptr;
}

}  // namespace

// Decodes each resource once, here, where its bytes are still warm; everybody after this reads the decoded message.
Update MakeUpdate(protocol::Response response, bool whole, wire::Types& types, const FindHeld& find_held) {
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
  update.resources.reserve(response.resources.size());
  for (std::size_t i = 0; i < response.resources.size(); ++i) {
    const protocol::Resource& from = response.resources[i];
    if (from.heartbeat) update.heartbeats.emplace_back(from.name);
    if (!from.has_payload || from.unasked) continue;
    if (const resource::Resource* same = FindSame(update.type_url, from, find_held)) {
      update.resources.push_back(*same);
      update.resources.back().is_held = true;
    } else {
      update.resources.push_back(MakeResource(from, response.bytes, i, types));
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
  std::erase_if(update->resources, [&](const resource::Resource& resource) {
    return all || refused.contains(resource.unnamed ? std::string_view() : resource.name);
  });
}

resource::Delivery TakeDelivery(Update* update) {
  resource::Delivery delivery{.type_url = update->type_url,
                              .version = update->version,
                              .whole = update->whole,
                              .resources = std::move(update->resources),
                              .removed = {}};
  for (const Absence& absence : update->absences) {
    if (!absence.stays) delivery.removed.push_back(absence.name);
  }
  return delivery;
}

}  // namespace xdscope::source
