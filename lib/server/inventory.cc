#include "lib/server/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/protocol/response_parts.h"
#include "lib/types/known_types.h"

namespace xdscope::server {
namespace {

using protocol::SnapshotEntry;
using protocol::TypeSnapshot;
using protocol::Variant;

// TypeSnapshot whose views look into texts of their own, not into the resources: sessions keep old ones for a while.
struct OwnedSnapshot : TypeSnapshot {
  std::deque<std::pair<std::string, std::string>> texts;

  void Add(const ServedResource& resource) {
    const auto& text = texts.emplace_back(resource.name, resource.version);
    resources.push_back({text.first, text.second});
  }
};

// A hash over names and versions; the same in every run.
class VersionHash {
 public:
  void Add(std::string_view text) {
    for (const char c : text) Add(static_cast<unsigned char>(c));
    Add(0xFF);  // in no UTF-8 text
  }
  std::string Hex() const { return fmt::format("{:016x}", state_); }

 private:
  void Add(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001B3U; }
  std::uint64_t state_ = 0xCBF29CE484222325U;  // FNV-1a
};

bool Before(const ResourcePtr& a, const ResourcePtr& b) {
  return a->name < b->name;
}

// The version is a hash over all names and versions.
bool Same(const TypeSnapshot& a, const TypeSnapshot& b) {
  return a.version == b.version;
}

std::string ShortName(std::string_view type_url) {
  const types::KnownType* known = types::FindByUrl(type_url);
  return std::string(known != nullptr ? known->short_name : base::MessageName(type_url));
}

// Both sorted by name.
Change Compare(const TypeSnapshot* before, const TypeSnapshot* after) {
  static const std::vector<SnapshotEntry> kNone;
  const std::vector<SnapshotEntry>& old = before == nullptr ? kNone : before->resources;
  const std::vector<SnapshotEntry>& now = after == nullptr ? kNone : after->resources;
  Change change;
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

Inventory::Shelves Inventory::Sort(const std::vector<ResourcePtr>& resources, std::vector<std::string>* duplicates) {
  Shelves shelves;
  for (const ResourcePtr& resource : resources) {
    Shelf& shelf = shelves[std::string(base::MessageName(resource->type_url))];
    shelf.type_url = resource->type_url;
    shelf.resources.push_back(resource);
  }
  for (auto& [name, shelf] : shelves) {
    std::vector<ResourcePtr>& all = shelf.resources;
    std::stable_sort(all.begin(), all.end(), Before);
    const auto same = [&](const ResourcePtr& first, const ResourcePtr& other) {
      if (first->name != other->name) return false;
      duplicates->push_back(fmt::format("{} {}: is in {} and in {}; the first counts", ShortName(shelf.type_url),
                                        first->name, first->origin, other->origin));
      return true;
    };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    Label(&shelf);
  }
  return shelves;
}

void Inventory::Label(Shelf* shelf) {
  auto snapshot = std::make_shared<OwnedSnapshot>();
  snapshot->resources.reserve(shelf->resources.size());
  VersionHash hash;
  for (const ResourcePtr& resource : shelf->resources) {
    snapshot->Add(*resource);
    hash.Add(resource->name);
    hash.Add(resource->version);
    for (const std::string& alias : resource->aliases) shelf->aliases.emplace(alias, resource->name);
  }
  snapshot->version = hash.Hex();
  shelf->snapshot = std::move(snapshot);
}

Inventory::Update Inventory::Set(const std::vector<ResourcePtr>& resources) {
  Update update;
  Shelves shelves = Sort(resources, &update.duplicates);
  // A type of which everything went stays, empty: its streams have to be told.
  for (auto& [name, old] : shelves_) {
    const auto now = shelves.find(name);
    if (now == shelves.end()) {
      Shelf& empty = shelves[name];
      empty.type_url = old.type_url;
      Label(&empty);
    }
  }
  for (auto& [name, shelf] : shelves) {
    const auto old = shelves_.find(name);
    const TypeSnapshot* before = old == shelves_.end() ? nullptr : old->second.snapshot.get();
    if (before != nullptr && Same(*before, *shelf.snapshot)) {
      shelf = std::move(old->second);  // with its bodies
      continue;
    }
    Change change = Compare(before, shelf.snapshot.get());
    change.type_url = shelf.type_url;
    change.version = shelf.snapshot->version;
    update.changes.push_back(std::move(change));
  }
  std::stable_sort(update.changes.begin(), update.changes.end(), [](const Change& a, const Change& b) {
    return types::OutputRank(a.type_url) < types::OutputRank(b.type_url);
  });
  shelves_ = std::move(shelves);
  return update;
}

std::vector<ResourcePtr> Inventory::Departing(const std::vector<ResourcePtr>& next) const {
  std::vector<std::string> ignored;
  const Shelves shelves = Sort(next, &ignored);
  std::vector<ResourcePtr> gone;
  bool others_change = false;
  for (const auto& [name, old] : shelves_) {
    const auto now = shelves.find(name);
    const types::KnownType* type = types::FindByUrl(old.type_url);
    if (type == nullptr || type->short_name != "cds") {
      others_change |= now == shelves.end() ? !old.resources.empty() : !Same(*old.snapshot, *now->second.snapshot);
      continue;
    }
    const std::vector<ResourcePtr> none;
    const std::vector<ResourcePtr>& left = now == shelves.end() ? none : now->second.resources;
    std::set_difference(old.resources.begin(), old.resources.end(), left.begin(), left.end(), std::back_inserter(gone),
                        Before);
  }
  if (!others_change) gone.clear();
  return gone;
}

const Inventory::Shelf* Inventory::ShelfOf(std::string_view type_url) const {
  const auto found = shelves_.find(base::MessageName(type_url));
  return found == shelves_.end() ? nullptr : &found->second;
}

std::shared_ptr<const TypeSnapshot> Inventory::Find(std::string_view type_url) const {
  const Shelf* shelf = ShelfOf(type_url);
  return shelf == nullptr ? nullptr : shelf->snapshot;
}

std::string_view Inventory::Canonical(std::string_view type_url, std::string_view alias) const {
  const Shelf* shelf = ShelfOf(type_url);
  if (shelf == nullptr) return {};
  const auto found = shelf->aliases.find(alias);
  return found == shelf->aliases.end() ? std::string_view() : std::string_view(found->second);
}

const ServedResource* Inventory::Find(std::string_view type_url, std::string_view name) const {
  const Shelf* shelf = ShelfOf(type_url);
  if (shelf == nullptr) return nullptr;
  const auto& all = shelf->resources;
  const auto found = std::lower_bound(
      all.begin(), all.end(), name, [](const ResourcePtr& resource, std::string_view n) { return resource->name < n; });
  return found != all.end() && (*found)->name == name ? found->get() : nullptr;
}

std::vector<std::pair<std::string, std::size_t>> Inventory::Types() const {
  std::vector<std::pair<std::string, std::size_t>> types;
  for (const auto& [name, shelf] : shelves_) {
    if (!shelf.resources.empty()) types.emplace_back(shelf.type_url, shelf.resources.size());
  }
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) {
    return types::OutputRank(a.first) < types::OutputRank(b.first);
  });
  return types;
}

const Inventory::Body& Inventory::BodyOf(Shelf& shelf, Variant variant) {
  Body& body = variant == Variant::kSotw ? shelf.sotw : shelf.delta;
  if (body.bytes != nullptr) return body;
  std::string bytes;
  std::size_t size = 0;
  for (const ResourcePtr& resource : shelf.resources)
    size += resource->payload.size() + 2 * resource->name.size() + 128;
  bytes.reserve(size);
  body.ends.reserve(shelf.resources.size());
  for (const ResourcePtr& r : shelf.resources) {
    bytes += variant == Variant::kSotw
                 ? protocol::EncodeSotwEntry(r->type_url, r->payload)
                 : protocol::EncodeDeltaEntry({r->name, r->version, r->aliases, r->type_url, r->payload});
    body.ends.push_back(bytes.size());
  }
  body.bytes = std::make_shared<const std::string>(std::move(bytes));
  return body;
}

std::vector<transport::Chunk> Inventory::Compose(Variant variant, const protocol::ServerResponse& answer) {
  std::vector<transport::Chunk> chunks;
  const auto add = [&](std::string bytes) {
    chunks.push_back({std::make_shared<const std::string>(std::move(bytes)), 0, std::string::npos});
  };
  add(variant == Variant::kSotw
          ? protocol::SotwEnvelope(answer.version, answer.type_url, answer.nonce)
          : protocol::DeltaEnvelope(answer.version, answer.type_url, answer.nonce, answer.removed));
  for (const std::string& alias : answer.unresolved) add(protocol::EncodeUnresolved(alias));
  const auto shelf = shelves_.find(base::MessageName(answer.type_url));
  if (shelf == shelves_.end() || answer.resource_count() == 0) return chunks;
  const Body& body = BodyOf(shelf->second, variant);
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
