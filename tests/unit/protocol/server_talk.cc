#include "tests/unit/protocol/server_talk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/protocol/response_parts.h"

namespace xdscope::protocol::testing {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"LDS", kLds}, {"RDS", kRds},   {"CDS", kCds},
                                                                    {"EDS", kEds}, {"RTDS", kRtds}, {"VHDS", kVhds}};

struct OwnedSnapshot : TypeSnapshot {
  struct Text {
    std::string version = "1";
    std::chrono::seconds ttl{0};
  };
  std::map<std::string, Text> texts;
};

// "name@version~seconds", of which all but the name may be missing.
void Put(std::string resource, OwnedSnapshot* snapshot) {
  OwnedSnapshot::Text text;
  if (const std::size_t at = resource.find('~'); at != std::string::npos) {
    text.ttl = std::chrono::seconds(std::stoi(resource.substr(at + 1)));
    resource.resize(at);
  }
  if (const std::size_t at = resource.find('@'); at != std::string::npos) {
    text.version = resource.substr(at + 1);
    resource.resize(at);
  }
  snapshot->texts[resource] = std::move(text);
}

std::vector<std::string> List(std::string_view text) {
  std::vector<std::string> items;
  std::istringstream stream{std::string(text)};
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

// "X=[…]" without what is around the dots.
std::vector<std::string> Inside(std::string_view word) {
  const std::size_t from = word.find_first_of("[{") + 1;
  return List(word.substr(from, word.size() - from - 1));
}

void Take(const std::string& word, Request* request) {
  const std::string_view view = word;
  if (view.starts_with("V=")) request->version = word.substr(2);
  if (view.starts_with("N=")) request->nonce = word.substr(2);
  if (view.starts_with("T=")) request->type_url = TypeUrlOf(view.substr(2));
  if (view.starts_with("R=") || view.starts_with("+[")) request->names = Inside(view);
  if (view.starts_with("-[")) request->unsubscribe = Inside(view);
  if (view == "err") request->error = RequestError{13, "no"};
  if (view.starts_with("node")) request->has_node = true;
  if (!view.starts_with("init{")) return;
  for (const std::string& pair : Inside(view)) {
    const std::size_t colon = pair.rfind(':');
    request->initial_versions.emplace_back(pair.substr(0, colon), pair.substr(colon + 1));
  }
}

template <typename Do>
void ForEach(const ServerResponse& answer, Do action) {
  const auto& held = answer.snapshot->resources;
  if (answer.all) std::for_each(held.begin(), held.end(), action);
  for (const std::uint32_t index : answer.resources) action(held.at(index));
}

}  // namespace

std::string_view TypeUrlOf(std::string_view short_name) {
  for (const auto& [word, type_url] : kTypes) {
    if (word == short_name) return type_url;
  }
  return short_name;
}

std::string ShortNameOf(std::string_view type_url) {
  for (const auto& [word, known] : kTypes) {
    if (known == type_url) return std::string(word);
  }
  return std::string(type_url);
}

void TestCache::Set(std::string_view type_url, const std::vector<std::string>& resources, const std::string& version) {
  auto snapshot = std::make_shared<OwnedSnapshot>();
  for (const std::string& resource : resources) Put(resource, snapshot.get());
  snapshot->version = version.empty() ? "v" : version;
  for (const auto& [name, own] : snapshot->texts) {
    snapshot->Add({name, own.version, own.ttl});
    if (version.empty()) snapshot->version += fmt::format(":{}@{}~{}", name, own.version, own.ttl.count());
  }
  snapshots_.insert_or_assign(std::string(type_url), std::move(snapshot));
}

std::shared_ptr<const TypeSnapshot> TestCache::Find(std::string_view type_url) const {
  const auto found = snapshots_.find(type_url);
  return found == snapshots_.end() ? nullptr : found->second;
}

std::string_view TestCache::Canonical(std::string_view /*type_url*/, std::string_view alias) const {
  const auto found = aliases_.find(alias);
  return found == aliases_.end() ? std::string_view() : found->second;
}

std::string RequestBytes(Variant variant, const std::string& line) {
  Request request;
  std::istringstream words(line);
  for (std::string word; words >> word;) Take(word, &request);
  const bool announces = line.ends_with("node+");
  const std::string node =
      announces ? Node({"xds.config.resource-in-sotw", "xds.config.supports-resource-ttl"}) : Node();
  EncodeRequest(variant, node, &request);
  return request.bytes;
}

ServerTalk::ServerTalk(Variant variant, std::string_view only_type)
    : variant_(variant), session_({.variant = variant, .only_type = std::string(only_type)}) {}

absl::StatusOr<Received> ServerTalk::Hear(const std::string& line) {
  return session_.OnRequest(RequestBytes(variant_, line));
}

std::vector<std::string> ServerTalk::Sent() {
  std::vector<std::string> lines;
  while (const std::optional<ServerResponse> answer = session_.Next(catalogue_, now_))
    lines.push_back(AnswerLine(variant_, *answer));
  return lines;
}

std::vector<std::string> ServerTalk::Say(const std::string& line) {
  const absl::StatusOr<Received> received = Hear(line);
  EXPECT_TRUE(received.ok()) << received.status();
  return Sent();
}

Received::Kind ServerTalk::KindOf(const std::string& line) {
  const absl::StatusOr<Received> received = Hear(line);
  EXPECT_TRUE(received.ok()) << received.status();
  return received.ok() ? received->kind : Received::Kind::kFirst;
}

std::string AnswerLine(Variant variant, const ServerResponse& answer) {
  const bool sotw = variant == Variant::kSotw;
  std::vector<std::string> names;
  ForEach(answer, [&](const SnapshotEntry& held) {
    std::string name = sotw ? std::string(held.name) : fmt::format("{}@{}", held.name, held.version);
    if (held.ttl.count() > 0 && (!sotw || answer.wrapped)) {
      name += fmt::format("~{}", std::chrono::duration_cast<std::chrono::seconds>(held.ttl).count());
    }
    names.push_back(std::move(name));
  });
  const std::string list = fmt::format("{}", fmt::join(names, ","));
  const std::string type = ShortNameOf(answer.type_url);
  const std::string_view beat = answer.heartbeat && answer.payloads ? " beat" : "";
  if (sotw) return fmt::format("V={} R=[{}] N={} T={}{}", answer.version, list, answer.nonce, type, beat);
  std::string line = fmt::format("T={}", type);
  if (!names.empty()) line += fmt::format(" {}[{}]", answer.payloads ? "res" : "beat", list);
  if (!answer.removed.empty()) line += fmt::format(" rm[{}]", fmt::join(answer.removed, ","));
  if (!answer.unresolved.empty()) line += fmt::format(" unresolved[{}]", fmt::join(answer.unresolved, ","));
  return line + fmt::format(" N={}{}", answer.nonce, beat);
}

namespace {

std::string EntryBytes(bool sotw, const ServerResponse& answer, const SnapshotEntry& held) {
  const std::string payload = Payload(held.name, held.version);
  if (!answer.payloads) return EncodeHeartbeat(held.name, held.version, held.ttl);
  if (!sotw) return EncodeDeltaEntry({held.name, held.version, {}, answer.type_url, payload, held.ttl});
  return held.ttl.count() > 0 && answer.wrapped ? EncodeWrappedEntry(held.name, held.ttl, answer.type_url, payload)
                                                : EncodeSotwEntry(answer.type_url, payload);
}

}  // namespace

std::string ResponseBytes(Variant variant, const ServerResponse& answer) {
  const bool sotw = variant == Variant::kSotw;
  std::string bytes = sotw ? SotwEnvelope(answer.version, answer.type_url, answer.nonce)
                           : DeltaEnvelope(answer.version, answer.type_url, answer.nonce, answer.removed);
  ForEach(answer, [&](const SnapshotEntry& held) { bytes += EntryBytes(sotw, answer, held); });
  for (const std::string& alias : answer.unresolved) bytes += EncodeUnresolved(alias);
  return bytes;
}

}  // namespace xdscope::protocol::testing
