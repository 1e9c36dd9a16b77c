#include "lib/server/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/files/version_hash.h"
#include "lib/protocol/response_parts.h"
#include "lib/types/known_types.h"

namespace xdscope::server {
namespace {

using protocol::SnapshotEntry;
using protocol::TypeSnapshot;
using protocol::Variant;

// A TypeSnapshot whose views look into texts of its own and not into the resources, because sessions keep old snapshots
// for a while and the resources may be gone by then.
struct OwnedSnapshot : TypeSnapshot {
  std::deque<std::pair<std::string, std::string>> texts;

  void Add(const FileResource& resource) {
    const auto& text = texts.emplace_back(resource.name, resource.version);
    TypeSnapshot::Add({text.first, text.second, resource.ttl});
  }
};

bool Before(const ResourcePtr& a, const ResourcePtr& b) {
  return a->name < b->name;
}

// Compares by version, which is a hash over all names and versions.
bool Same(const TypeSnapshot& a, const TypeSnapshot& b) {
  return a.version == b.version;
}

// Tells what became of a type: one walk through both lists, which are sorted by name.
TypeChange Compare(const TypeSnapshot* before, const TypeSnapshot* after) {
  static const std::vector<SnapshotEntry> kNone;
  const std::vector<SnapshotEntry>& old = before == nullptr ? kNone : before->resources;
  const std::vector<SnapshotEntry>& now = after == nullptr ? kNone : after->resources;
  TypeChange change;
  auto was = old.begin();
  auto is = now.begin();
  while (was != old.end() || is != now.end()) {
    if (is == now.end() || (was != old.end() && was->name < is->name)) {
      change.removed.emplace_back((was++)->name);
    } else if (was == old.end() || is->name < was->name) {
      change.added.emplace_back((is++)->name);
    } else {
      if (was->version != is->version) change.changed.emplace_back(is->name);
      ++was;
      ++is;
    }
  }
  change.total = now.size();
  return change;
}

}  // namespace

Inventory::Entries Inventory::Sort(const std::vector<ResourcePtr>& resources, std::vector<std::string>* duplicates) {
  Entries entries;
  for (auto& [name, contents] : files::SortByType(resources, duplicates)) {
    TypeEntry& entry = entries[name];
    static_cast<files::TypeContents&>(entry) = std::move(contents);
    Label(&entry);
  }
  return entries;
}

void Inventory::Label(TypeEntry* entry) {
  auto snapshot = std::make_shared<OwnedSnapshot>();
  snapshot->resources.reserve(entry->resources.size());
  for (const ResourcePtr& resource : entry->resources) snapshot->Add(*resource);
  snapshot->version = entry->version;
  entry->snapshot = std::move(snapshot);
}

Inventory::SetResult Inventory::Set(const std::vector<ResourcePtr>& resources) {
  SetResult result;
  Entries entries = Sort(resources, &result.duplicates);
  // A type of which everything went stays, empty: its streams have to be told that nothing is left.
  for (auto& [name, old] : entries_) {
    const auto now = entries.find(name);
    if (now == entries.end()) {
      TypeEntry& empty = entries[name];
      static_cast<files::TypeContents&>(empty) = files::NothingOf(old.type_url);
      Label(&empty);
    }
  }
  for (auto& [name, entry] : entries) {
    const auto old = entries_.find(name);
    const TypeSnapshot* before = old == entries_.end() ? nullptr : old->second.snapshot.get();
    if (before != nullptr && Same(*before, *entry.snapshot)) {
      entry = std::move(old->second);  // with its bodies
      continue;
    }
    TypeChange change = Compare(before, entry.snapshot.get());
    change.type_url = entry.type_url;
    change.version = entry.snapshot->version;
    result.changes.push_back(std::move(change));
  }
  std::stable_sort(result.changes.begin(), result.changes.end(), [](const TypeChange& a, const TypeChange& b) {
    return types::OutputRank(a.type_url) < types::OutputRank(b.type_url);
  });
  entries_ = std::move(entries);
  return result;
}

// Make before break [C.8]: when routes move from one cluster to another and the first goes, a client that gets the new
// clusters before the new routes would drop the traffic in between, and types come one after another. So clusters that
// go are held for a moment if anything else changes too. What points to them is not looked for: routes point through
// weighted clusters, headers and extensions, and a cluster that stays a second too long harms nobody.
std::vector<ResourcePtr> Inventory::Departing(const std::vector<ResourcePtr>& next) const {
  std::vector<std::string> ignored;
  const Entries entries = Sort(next, &ignored);
  std::vector<ResourcePtr> gone;
  bool others_change = false;
  for (const auto& [name, old] : entries_) {
    const auto now = entries.find(name);
    const types::KnownType* type = types::FindByUrl(old.type_url);
    if (type == nullptr || type->short_name != "cds") {
      others_change |= now == entries.end() ? !old.resources.empty() : !Same(*old.snapshot, *now->second.snapshot);
      continue;
    }
    const std::vector<ResourcePtr> none;
    const std::vector<ResourcePtr>& left = now == entries.end() ? none : now->second.resources;
    std::set_difference(old.resources.begin(), old.resources.end(), left.begin(), left.end(), std::back_inserter(gone),
                        Before);
  }
  if (!others_change) gone.clear();
  return gone;
}

const Inventory::TypeEntry* Inventory::EntryOf(std::string_view type_url) const {
  const auto found = entries_.find(base::MessageName(type_url));
  return found == entries_.end() ? nullptr : &found->second;
}

std::shared_ptr<const TypeSnapshot> Inventory::Find(std::string_view type_url) const {
  const TypeEntry* entry = EntryOf(type_url);
  return entry == nullptr ? nullptr : entry->snapshot;
}

std::string_view Inventory::Canonical(std::string_view type_url, std::string_view alias) const {
  const TypeEntry* entry = EntryOf(type_url);
  if (entry == nullptr) return {};
  const auto found = entry->aliases.find(alias);
  return found == entry->aliases.end() ? std::string_view() : std::string_view(found->second);
}

const FileResource* Inventory::Find(std::string_view type_url, std::string_view name) const {
  const TypeEntry* entry = EntryOf(type_url);
  if (entry == nullptr) return nullptr;
  const ResourcePtr* found = entry->Find(name);
  return found == nullptr ? nullptr : found->get();
}

std::vector<std::pair<std::string, std::size_t>> Inventory::Types() const {
  std::vector<std::pair<std::string, std::size_t>> types;
  for (const auto& [name, entry] : entries_) {
    if (!entry.resources.empty()) types.emplace_back(entry.type_url, entry.resources.size());
  }
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) {
    return types::OutputRank(a.first) < types::OutputRank(b.first);
  });
  return types;
}

std::string Inventory::VersionOf(const protocol::ServerResponse& answer) {
  if (answer.all) return answer.version;
  files::VersionHash hash;
  for (const std::uint32_t index : answer.resources) {
    const protocol::SnapshotEntry& entry = answer.snapshot->resources[index];
    hash.Add(entry.name);
    hash.Add(entry.version);
  }
  return hash.Hex();
}

// Where nothing has a time to live, clients that know of it share the body with those that do not.
Inventory::Form Inventory::FormOf(Variant variant, const TypeEntry& entry, const protocol::ServerResponse& answer) {
  if (variant == Variant::kDelta) return answer.payloads ? Form::kDelta : Form::kHeartbeat;
  return answer.wrapped && !entry.snapshot->by_ttl.empty() ? Form::kWrapped : Form::kSotw;
}

std::string Inventory::Encode(Form form, const FileResource& r) {
  const bool expires = r.ttl.count() > 0;
  switch (form) {
    case Form::kSotw:
      break;
    case Form::kWrapped:
      if (!expires) break;
      return protocol::EncodeWrappedEntry(r.name, r.ttl, r.type_url, r.payload);
    case Form::kDelta:
      return protocol::EncodeDeltaEntry({r.name, r.version, r.aliases, r.type_url, r.payload, r.ttl});
    case Form::kHeartbeat:
      return expires ? protocol::EncodeHeartbeat(r.name, r.version, r.ttl) : std::string();
  }
  return protocol::EncodeSotwEntry(r.type_url, r.payload);
}

const Inventory::Body& Inventory::BodyOf(TypeEntry& entry, Form form) {
  Body& body = entry.bodies[static_cast<std::size_t>(form)];
  if (body.bytes != nullptr) return body;
  // One allocation for all: a text that grows to 15 MB would be copied a dozen times.
  std::string bytes;
  std::size_t size = 0;
  for (const ResourcePtr& resource : entry.resources) {
    if (form != Form::kHeartbeat) size += resource->payload.size();
    size += 2 * resource->name.size() + 128;
  }
  bytes.reserve(size);
  body.ends.reserve(entry.resources.size());
  for (const ResourcePtr& r : entry.resources) {
    bytes += Encode(form, *r);
    body.ends.push_back(bytes.size());
  }
  body.bytes = std::make_shared<const std::string>(std::move(bytes));
  return body;
}

// A message of protobuf is its fields one after another, in any order: an envelope that is made for this answer, then
// the entries as they stand in the body that all answers share. Entries that stand side by side are one chunk.
std::vector<transport::Chunk> Inventory::Compose(Variant variant, const protocol::ServerResponse& answer) {
  std::vector<transport::Chunk> chunks;
  const auto add = [&](std::string bytes) {
    chunks.push_back({std::make_shared<const std::string>(std::move(bytes)), 0, std::string::npos});
  };
  add(variant == Variant::kSotw
          ? protocol::SotwEnvelope(answer.version, answer.type_url, answer.nonce)
          : protocol::DeltaEnvelope(answer.version, answer.type_url, answer.nonce, answer.removed));
  for (const std::string& alias : answer.unresolved) add(protocol::EncodeUnresolved(alias));
  const auto entry = entries_.find(base::MessageName(answer.type_url));
  if (entry == entries_.end() || answer.resource_count() == 0) return chunks;
  const Body& body = BodyOf(entry->second, FormOf(variant, entry->second, answer));
  if (answer.all) {
    chunks.push_back({body.bytes, 0, body.bytes->size()});
    return chunks;
  }
  for (const std::uint32_t index : answer.resources) {
    const std::size_t begin = index == 0 ? 0 : body.ends[index - 1];
    const std::size_t size = body.ends[index] - begin;
    transport::Chunk& last = chunks.back();
    if (last.buffer == body.bytes && last.offset + last.size == begin) {
      last.size += size;
    } else {
      chunks.push_back({body.bytes, begin, size});
    }
  }
  return chunks;
}

}  // namespace xdscope::server
