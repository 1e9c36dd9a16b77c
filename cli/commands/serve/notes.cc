#include "cli/commands/serve/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/commands/serve/named_resources.h"
#include "cli/print/message.h"
#include "cli/print/notices.h"
#include "cli/print/trace.h"
#include "cli/print/words.h"
#include "lib/server/methods.h"

namespace xdscope::cli {
namespace {

constexpr std::size_t kMostNames = 3;

// "+web" where names are few, "+12" where they are not; nothing where there are none.
void AppendNames(std::string* words, char mark, const std::vector<std::string>& names) {
  if (names.empty()) return;
  if (names.size() > kMostNames) {
    *words += fmt::format(" {}{}", mark, names.size());
    return;
  }
  for (const std::string& name : names) *words += fmt::format(" {}{}", mark, name);
}

std::string WantedWords(const protocol::Received& received) {
  std::string words = received.wildcard ? "everything" : "";
  const std::vector<std::string>& names = received.request.names;
  if (names.empty()) return words;
  if (!words.empty()) words += " and ";
  if (names.size() > kMostNames) return words + CountWords(names.size(), "name");
  for (const std::string& name : names) {
    if (name == "*") continue;
    if (!words.empty() && !words.ends_with(' ')) words += ", ";
    words += name;
  }
  return words;
}

std::string MethodWord(const server::ClientStream& client) {
  const auto method = server::FindMethod(client.method);
  if (!method) return client.method;
  constexpr std::string_view kVariants[] = {"ads", "delta-ads", "sotw", "delta", "unary", "rest"};
  std::string word(kVariants[static_cast<std::size_t>(method->variant)]);
  if (method->type != nullptr) word += fmt::format(" {}", method->type->short_name);
  return method->api == types::Api::kV2 ? word + " v2" : word;
}

// "#3": short, and the same in all lines of one stream.
std::string Mark(const server::ClientStream& client) {
  return fmt::format("#{}", client.id);
}

// Returns a change in one line, "cds 5f3a…: 12 resources (+web ~api -old)"; of many names only their number.
std::string ChangeLine(const server::TypeChange& change) {
  std::string names;
  AppendNames(&names, '+', change.added);
  AppendNames(&names, '~', change.changed);
  AppendNames(&names, '-', change.removed);
  return fmt::format("{} {}: {}{}", TypeWord(change.type_url), change.version, CountWords(change.total, "resource"),
                     names.empty() ? "" : fmt::format(" ({})", names.substr(1)));
}

}  // namespace

void ServeNotes::Reading(std::string_view path, std::uint64_t size) {
  if (terminal_) report_.Note(fmt::format("reading {} ({})", path, SizeWords(size)));
}

void ServeNotes::Notices(std::span<const files::Notice> notices) {
  SayNotices(notices, report_);
  const bool unknown = std::any_of(notices.begin(), notices.end(), [](const files::Notice& notice) {
    return notice.finding.severity == finding::Severity::kError && files::IsUnknown(notice.finding);
  });
  if (unknown) report_.Note("hint: --lenient serves the rest of such a resource; --schema FILE adds what is missing");
}

void ServeNotes::Findings(std::span<const files::Notice> notices) {
  for (const std::string& line : findings_.News(notices)) report_.Note(line);
}

void ServeNotes::Update(const server::Inventory::SetResult& update) {
  SayDuplicates(update.duplicates, report_);
  for (const server::TypeChange& change : update.changes) report_.Trace(1, ChangeLine(change));
}

void ServeNotes::OnOpened(const server::ClientStream& client) {
  if (report_.Traces(1)) report_.Trace(1, fmt::format("{} {} {}", Mark(client), client.peer, MethodWord(client)));
}

void ServeNotes::OnRequest(const server::ClientStream& client, const protocol::Received& received) {
  using Kind = protocol::Received::Kind;
  if (received.kind == Kind::kNack) Refusal(client, received);
  if (!report_.Traces(1)) return;
  std::string line = fmt::format("{} -> {} ", Mark(client), TypeWord(received.type_url));
  const std::string& nonce = received.request.nonce;
  switch (received.kind) {
    case Kind::kFirst:
      line += fmt::format("wants {}", WantedWords(received));
      if (!client.node_id.empty()) line += fmt::format(" (node {})", client.node_id);
      break;
    case Kind::kSubscription:
      line += fmt::format("+{} -{} names", received.added, received.removed);
      break;
    case Kind::kResubscription:
      line += fmt::format("asks again for {}", WantedWords(received));
      break;
    case Kind::kAck:
      line += fmt::format("ack {}", nonce);
      break;
    case Kind::kNack:
      line += fmt::format("nack {}", nonce);
      break;
    case Kind::kStale:
      line += fmt::format("stale, nonce {}", nonce);
      break;
  }
  const bool verdict = received.kind == Kind::kAck || received.kind == Kind::kNack;
  if (verdict && received.added + received.removed > 0) {
    line += fmt::format(", +{} -{} names", received.added, received.removed);
  }
  report_.Trace(1, line);
  Whole(client, true, received.request.bytes);
}

void ServeNotes::Refusal(const server::ClientStream& client, const protocol::Received& received) {
  const std::string words = received.request.error ? received.request.error->message : std::string();
  Refused& last = refused_[{client.id, received.type_url}];
  if (last.nonce == received.request.nonce) return;
  last.nonce = received.request.nonce;
  if (std::exchange(last.words, words) == words) return;
  const std::string who = client.node_id.empty() ? client.peer : client.node_id;
  report_.Note(fmt::format("{} refuses {}: {}", who, TypeWord(received.type_url), words));
  WhatIsMeant(received.type_url, words);
}

// Says where the resources stand that a refusal names, and what was found in them. Envoy does not always name one: then
// what was found in any of the type may be what it means.
void ServeNotes::WhatIsMeant(std::string_view type_url, std::string_view words) {
  const auto is_name = [&](std::string_view name) { return inventory_.Find(type_url, name) != nullptr; };
  const std::vector<std::string> named = NamedResources(words, is_name);
  const auto say = [this](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) report_.Note("  " + line);
  };
  for (const std::string& name : std::span(named).first(std::min(named.size(), kMostNames))) {
    const server::FileResource& resource = *inventory_.Find(type_url, name);
    report_.Note(fmt::format("  {}/{}: {}", folder_, resource.origin, ResourceWord(type_url, name)));
    say(findings_.Of(resource.type_url, name));
  }
  if (named.size() > kMostNames) report_.Note(fmt::format("  and {} more", named.size() - kMostNames));
  if (named.empty()) say(findings_.ErrorsOf(type_url));
}

void ServeNotes::OnResponse(const server::ClientStream& client, const protocol::ServerResponse& answer,
                            std::span<const transport::Chunk> message) {
  if (const auto last = refused_.find({client.id, answer.type_url}); last != refused_.end()) {
    if (std::exchange(last->second.version, answer.version) != answer.version) last->second.words.reset();
  }
  if (!report_.Traces(1)) return;
  std::size_t size = 0;
  for (const transport::Chunk& chunk : message) size += chunk.bytes().size();
  const std::string nonce = answer.nonce.empty() ? "no nonce" : fmt::format("nonce {}", answer.nonce);
  std::string line = fmt::format("{} <- {} {} {}: {}", Mark(client), TypeWord(answer.type_url), answer.version, nonce,
                                 CountWords(answer.resource_count(), "resource"));
  if (answer.heartbeat) line += ", heartbeat";
  if (!answer.removed.empty()) line += fmt::format(", {} removed", answer.removed.size());
  report_.Trace(1, fmt::format("{}, {}", line, SizeWords(size)));
  if (!report_.Traces(2)) return;
  std::string whole;
  for (const transport::Chunk& chunk : message) whole += chunk.bytes();
  Whole(client, false, whole);
}

void ServeNotes::OnUnchanged(const server::ClientStream& client, std::string_view type_url) {
  report_.Trace(1, fmt::format("{} <- {} nothing newer", Mark(client), TypeWord(type_url)));
}

void ServeNotes::Whole(const server::ClientStream& client, bool request, std::string_view bytes) {
  const auto method = server::FindMethod(client.method);
  if (!method || !report_.Traces(2)) return;
  const Direction direction = request ? Direction::kRequest : Direction::kResponse;
  TraceWhole(DiscoveryMessage(method->api, types::IsDelta(method->variant), direction), bytes, false, types_, report_);
}

void ServeNotes::OnClosed(const server::ClientStream& client, const absl::Status& status) {
  refused_.erase(refused_.lower_bound({client.id, std::string()}),
                 refused_.lower_bound({client.id + 1, std::string()}));
  if (status.ok() || absl::IsCancelled(status)) {
    report_.Trace(1, fmt::format("{} closed", Mark(client)));
  } else if (absl::IsUnavailable(status)) {  // by us, and not for what the client did
    report_.Trace(1, fmt::format("{} closed: {}", Mark(client), base::Message(status)));
  } else {
    report_.Note(fmt::format("{} {}: closed: {}", client.peer, MethodWord(client), base::Message(status)));
  }
}

}  // namespace xdscope::cli
