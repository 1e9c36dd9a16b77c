#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/print/changes.h"
#include "cli/print/words.h"
#include "lib/format/printable.h"

namespace xdscope::cli::verbs {
namespace {

using Resources = std::map<std::string_view, const resource::Resource*>;

// What is compared: contents by name, and what they are called.
struct Side {
  std::string title;
  Resources resources;
};

// Returns the number of a word such as "#4" or "4".
std::optional<std::uint64_t> EntryNumberIn(std::string_view word) {
  if (word.starts_with('#')) word.remove_prefix(1);
  const std::optional<int> number = NumberIn(word);
  return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

// Takes the two numbers at the end of the words out of them; none where there are not two.
std::vector<std::uint64_t> TakeNumbers(std::vector<std::string>* words) {
  if (words->size() < 3) return {};
  const auto first = EntryNumberIn((*words)[words->size() - 2]);
  const auto second = EntryNumberIn(words->back());
  if (!first || !second) return {};
  words->resize(words->size() - 2);
  return {*first, *second};
}

// Reads a response of the log as a client does that asks for everything.
absl::StatusOr<source::Update> ReadAgain(const LogEntry& entry, types::Variant variant, wire::Types& types) {
  if (entry.bytes == nullptr) {
    return base::Error(absl::StatusCode::kNotFound, fmt::format("#{}: its bytes are no longer kept", entry.number));
  }
  protocol::AdsSession::Options options;
  options.variant = protocol::VariantOf(variant);
  options.only_type = entry.type_url;
  protocol::AdsSession session(std::move(options));
  session.Change(entry.type_url, {protocol::Interest::Everything()});
  session.OnStreamOpened();
  while (session.NextRequest()) continue;
  absl::StatusOr<protocol::Response> response = session.OnMessage(entry.bytes);
  if (!response.ok()) return response.status();
  return source::MakeUpdate(*std::move(response), types::SaysAll(variant, entry.type_url), types);
}

Side SideOf(const source::Update& update, std::uint64_t number) {
  Side side{fmt::format("#{} (version {})", number, format::Printable(update.version)), {}};
  for (const resource::Resource& resource : update.resources) side.resources.emplace(resource.name, &resource);
  return side;
}

// Prints what a response changes of what was there. One that does not say all there is leaves alone what it does not
// name.
void PrintDifference(Repl& repl, const Side& before, const Side& after, const source::Update& latest,
                     const client::Want& want) {
  std::set<std::string_view> names;
  for (const auto& [name, resource] : after.resources) names.insert(name);
  for (const source::Absence& absence : latest.absences) names.insert(absence.name);
  if (latest.whole) {
    for (const auto& [name, resource] : before.resources) names.insert(name);
  }
  format::Output out([&repl](std::string_view chunk) {
    repl.Print(chunk);
    return absl::OkStatus();
  });
  out.Append(fmt::format("{} → {}\n", before.title, after.title));
  ChangePrinter printer(repl.types(), repl.Output().walk, out);
  const auto find = [](const Side& side, std::string_view name) {
    const auto found = side.resources.find(name);
    return found == side.resources.end() ? nullptr : found->second;
  };
  bool any = false;
  for (const std::string_view name : names) {
    const bool meant = want.names.empty() || std::find(want.names.begin(), want.names.end(), name) != want.names.end();
    const resource::Resource* const old = find(before, name);
    const resource::Resource* const now = find(after, name);
    if (meant && (old != nullptr || now != nullptr)) any |= printer.Resource(want.type_url, old, now);
  }
  if (!any) out.Append("nothing changed\n");
  out.Flush().IgnoreError();
}

// The responses of a type in the log, the latest first; two at most.
std::vector<const LogEntry*> LatestOf(ReplStream& stream, std::string_view type_url) {
  std::vector<const LogEntry*> latest;
  const std::deque<LogEntry>& entries = stream.log().entries();
  for (auto entry = entries.rbegin(); entry != entries.rend() && latest.size() < 2; ++entry) {
    if (entry->incoming && entry->type_url == type_url) latest.push_back(&*entry);
  }
  return latest;
}

absl::StatusOr<const LogEntry*> ResponseOf(ReplStream& stream, std::uint64_t number, const std::string& type_url) {
  const LogEntry* entry = stream.log().Find(number);
  if (entry == nullptr || !entry->incoming || entry->type_url != type_url) {
    return UsageError(fmt::format("#{}", number),
                      fmt::format("is no response of {}; log lists them", TypeWord(type_url)));
  }
  return entry;
}

absl::Status CompareResponses(Repl& repl, ReplStream& stream, const LogEntry& older, const LogEntry& newer,
                              const client::Want& want) {
  const types::Variant variant = stream.settings().variant;
  const absl::StatusOr<source::Update> before = ReadAgain(older, variant, repl.types());
  if (!before.ok()) return before.status();
  const absl::StatusOr<source::Update> after = ReadAgain(newer, variant, repl.types());
  if (!after.ok()) return after.status();
  PrintDifference(repl, SideOf(*before, older.number), SideOf(*after, newer.number), *after, want);
  return absl::OkStatus();
}

// What would change if the latest response that waits was accepted.
void CompareWithHeld(Repl& repl, ReplStream& stream, const source::Update& waits, const client::Want& want) {
  Side held{"what is held", {}};
  const auto state = stream.held().types().find(want.type_url);
  if (state != stream.held().types().end()) {
    for (const auto& [name, resource] : state->second.resources) held.resources.emplace(name, &resource);
  }
  const LogEntry* entry = stream.log().Find(*waits.waiter);
  PrintDifference(repl, held, SideOf(waits, entry == nullptr ? 0 : entry->number), waits, want);
}

}  // namespace

absl::Status Diff(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> current = repl.Current();
  if (!current.ok()) return current.status();
  ReplStream& stream = **current;
  std::vector<std::string> named = words.words;
  const std::vector<std::uint64_t> numbers = TakeNumbers(&named);
  const absl::StatusOr<client::Want> want = WantIn(repl, named, stream.settings().api);
  if (!want.ok()) return want.status();
  if (!numbers.empty()) {
    const absl::StatusOr<const LogEntry*> older = ResponseOf(stream, numbers[0], want->type_url);
    if (!older.ok()) return older.status();
    const absl::StatusOr<const LogEntry*> newer = ResponseOf(stream, numbers[1], want->type_url);
    if (!newer.ok()) return newer.status();
    return CompareResponses(repl, stream, **older, **newer, *want);
  }
  const auto waits = std::find_if(stream.waiting().rbegin(), stream.waiting().rend(),
                                  [&](const source::Update& update) { return update.type_url == want->type_url; });
  if (waits != stream.waiting().rend()) {
    CompareWithHeld(repl, stream, *waits, *want);
    return absl::OkStatus();
  }
  const std::vector<const LogEntry*> latest = LatestOf(stream, want->type_url);
  if (latest.size() < 2) {
    return base::Error(absl::StatusCode::kFailedPrecondition,
                       fmt::format("there are no two responses of {} to compare", TypeWord(want->type_url)));
  }
  return CompareResponses(repl, stream, *latest[1], *latest[0], *want);
}

}  // namespace xdscope::cli::verbs
