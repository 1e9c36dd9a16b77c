#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/print/message.h"
#include "cli/print/resources.h"
#include "cli/print/selection.h"
#include "cli/print/words.h"
#include "lib/client/held_judge.h"
#include "lib/format/printable.h"

namespace xdscope::cli::verbs {
namespace {

// What is held of the type or the single resources that the words name. NOT_FOUND: one is not held.
absl::StatusOr<resource::Snapshot> Chosen(Repl& repl, const ReplStream& stream, const VerbWords& words) {
  const absl::StatusOr<client::Want> want = WantIn(repl, words.words, stream.settings().api);
  if (!want.ok()) return want.status();
  const resource::Snapshot& held = stream.held();
  for (const std::string& name : want->names) {
    if (held.Find(want->type_url, name) == nullptr) {
      return base::Error(absl::StatusCode::kNotFound, fmt::format("{}: not held", ResourceWord(want->type_url, name)));
    }
  }
  resource::Snapshot chosen;
  const auto state = held.types().find(want->type_url);
  if (state == held.types().end()) return chosen;
  resource::Delivery delivery;
  delivery.type_url = want->type_url;
  delivery.version = state->second.version;
  for (const auto& [name, resource] : state->second.resources) {
    const bool named = std::find(want->names.begin(), want->names.end(), name) != want->names.end();
    if (want->names.empty() || named) delivery.resources.push_back(resource);
  }
  chosen.Apply(std::move(delivery), repl.types());
  return chosen;
}

// The first thing that a new user meets: what came is not held before it is accepted.
std::string NothingHeld(const ReplStream& stream) {
  if (stream.waiting().empty()) return "nothing is held";
  const LogEntry* entry = stream.log().Find(*stream.waiting().front().waiter);
  return fmt::format("nothing is held; a response waits: response {} shows it, ack takes it",
                     entry == nullptr ? 0 : entry->number);
}

absl::Status Print(Repl& repl, const VerbWords& words, const OutputOptions& options) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  const auto print = [&](const resource::Snapshot& snapshot) {
    if (snapshot.empty()) repl.Remark(NothingHeld(**stream));
    const WasAsked was_asked = [&](std::string_view type_url, std::string_view name) {
      const protocol::Interest* interest = (*stream)->InterestIn(type_url);
      return interest != nullptr && (interest->everything() || interest->Has(name));
    };
    Render(snapshot, options, {(*stream)->settings().this_server, was_asked}, repl.types(), repl.console().out());
    return absl::OkStatus();
  };
  if (words.words.empty()) return print((*stream)->held());
  const absl::StatusOr<resource::Snapshot> chosen = Chosen(repl, **stream, words);
  return chosen.ok() ? print(*chosen) : chosen.status();
}

// The entry of the log that a word names, "7" or "#7".
absl::StatusOr<const LogEntry*> EntryIn(Repl& repl, const VerbWords& words, bool incoming) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  if (!incoming) {
    const absl::Status has = RefuseForFiles(**stream, "request", "which take no requests", "log lists what was read");
    if (!has.ok()) return has;
  }
  std::string_view word = words.words[0];
  if (word.starts_with('#')) word.remove_prefix(1);
  const std::optional<int> number = NumberIn(word);
  const auto at = static_cast<std::uint64_t>(number.value_or(0));
  if (at > 0 && at <= (*stream)->log().dropped()) {
    return base::Error(absl::StatusCode::kNotFound, fmt::format("#{}: is no longer in the log, which begins with #{}",
                                                                at, (*stream)->log().dropped() + 1));
  }
  const LogEntry* entry = number ? (*stream)->log().Find(at) : nullptr;
  if (entry == nullptr || entry->incoming != incoming) {
    return UsageError(words.words[0], incoming ? "is no response in the log" : "is no request in the log");
  }
  if (entry->bytes == nullptr) return absl::NotFoundError("its bytes are no longer kept; only its line is");
  return entry;
}

absl::Status PrintMessage(Repl& repl, const VerbWords& words, bool incoming) {
  const absl::StatusOr<const LogEntry*> entry = EntryIn(repl, words, incoming);
  if (!entry.ok()) return entry.status();
  const ReplStream::Settings& settings = (*repl.Current())->settings();
  const std::string type = DiscoveryMessage(settings.api, types::IsDelta(settings.variant),
                                            incoming ? Direction::kResponse : Direction::kRequest);
  RenderRaw({{type, *(*entry)->bytes}}, repl.Output(), repl.types(), repl.console().out());
  return absl::OkStatus();
}

// The words of CSDS for where a name stands.
std::string_view StateWord(protocol::NameState state) {
  switch (state) {
    case protocol::NameState::kUnwanted:
      return "UNKNOWN";
    case protocol::NameState::kOpen:
      return "REQUESTED";
    case protocol::NameState::kHeld:
      return "ACKED";
    case protocol::NameState::kAbsent:
      return "DOES_NOT_EXIST";
    case protocol::NameState::kRefused:
      return "NACKED";
  }
  return "";
}

std::string WantedWords(const protocol::Interest& interest) {
  const std::string names = fmt::format("{}", interest.names().size());
  if (!interest.everything()) return names;
  return interest.names().empty() ? "*" : "* " + names;
}

std::string VerdictWord(std::optional<protocol::Verdict::Kind> verdict, bool is_asked) {
  if (!verdict) return is_asked ? "REQUESTED" : "";
  return *verdict == protocol::Verdict::Kind::kAck ? "ACKED" : "NACKED";
}

std::string LastVerdict(const protocol::Subscription& subscription) {
  if (!subscription.pending().empty()) return "waits";
  return VerdictWord(subscription.last_verdict(), subscription.requests() > 0);
}

// What was read of a type and what became of it, in the words for a response.
std::string LastVerdict(const ReplStream& stream, const std::string& type_url,
                        const source::FileSource::Wanted& wanted) {
  if (stream.Waits(type_url)) return "waits";
  return VerdictWord(wanted.verdict, true);
}

protocol::NameState StateOf(const resource::Resource* held, const source::FileSource::Wanted& wanted,
                            const std::string& name) {
  const auto told = wanted.told.find(name);
  if (told != wanted.told.end() && told->second.empty()) return protocol::NameState::kRefused;
  if (held != nullptr) return protocol::NameState::kHeld;
  return wanted.absent.contains(name) ? protocol::NameState::kAbsent : protocol::NameState::kOpen;
}

// Of files, which know no nonces and say why nothing is there by not having it.
std::vector<std::string> RowOfFiles(const ReplStream& stream, const std::string& type_url,
                                    const source::FileSource::Wanted& wanted) {
  const auto held = stream.held().types().find(type_url);
  const bool none = held == stream.held().types().end();
  return {TypeWord(type_url),
          WantedWords(wanted.interest),
          fmt::format("{}", none ? 0 : held->second.resources.size()),
          fmt::format("{}", wanted.absent.size()),
          none ? "" : held->second.version,
          "",
          LastVerdict(stream, type_url, wanted)};
}

void PrintNamesOfFiles(Repl& repl, const ReplStream& stream, const std::string& type_url,
                       const source::FileSource::Wanted& wanted) {
  format::Table table{{{"NAME"}, {"STATE"}, {"VERSION"}}, {}};
  std::set<std::string, std::less<>> names(wanted.interest.names().begin(), wanted.interest.names().end());
  for (const auto& [name, version] : wanted.told) names.insert(name);
  for (const std::string& name : names) {
    const resource::Resource* held = stream.held().Find(type_url, name);
    table.rows.push_back(
        {name, std::string(StateWord(StateOf(held, wanted, name))), held == nullptr ? "" : held->version});
  }
  PrintTable(repl, table);
}

void PrintTypes(Repl& repl, const ReplStream& stream) {
  format::Table table{{{"TYPE"}, {"WANTED", true}, {"HELD", true}, {"ABSENT", true}, {"VERSION"}, {"NONCE"}, {"STATE"}},
                      {}};
  for (const std::string& type_url : stream.types()) {
    const auto* wanted = stream.files() == nullptr ? nullptr : stream.files()->WantedOf(type_url);
    if (wanted != nullptr) table.rows.push_back(RowOfFiles(stream, type_url, *wanted));
    const protocol::Subscription* known = stream.Find(type_url);
    if (known == nullptr) continue;
    table.rows.push_back({TypeWord(type_url), WantedWords(known->interest()), fmt::format("{}", known->held_count()),
                          fmt::format("{}", known->NamesIn(protocol::NameState::kAbsent).size()),
                          std::string(known->version()), std::string(known->nonce()), LastVerdict(*known)});
  }
  PrintTable(repl, table);
}

void PrintNames(Repl& repl, const protocol::Subscription& known) {
  format::Table table{{{"NAME"}, {"STATE"}, {"VERSION"}, {"WHY"}}, {}};
  std::set<std::string, std::less<>> names(known.interest().names().begin(), known.interest().names().end());
  for (const std::string_view name : known.HeldNames()) names.emplace(name);
  for (const std::string& name : names) {
    const protocol::HeldResource* held = known.Held(name);
    table.rows.push_back({name, std::string(StateWord(known.StateOf(name))), held == nullptr ? "" : held->version,
                          std::string(known.WordsAbout(name))});
  }
  PrintTable(repl, table);
}

}  // namespace

absl::Status Show(Repl& repl, const VerbWords& words) {
  return Print(repl, words, repl.Output());
}

absl::Status List(Repl& repl, const VerbWords& words) {
  OutputOptions options = repl.Output();
  options.layout = Layout::kTable;
  return Print(repl, words, options);
}

absl::Status Tree(Repl& repl, const VerbWords& words) {
  OutputOptions options = repl.Output();
  options.layout = Layout::kTree;
  return Print(repl, words, options);
}

absl::Status State(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  if (words.words.empty()) {
    PrintTypes(repl, **stream);
    return absl::OkStatus();
  }
  const absl::StatusOr<std::string> type_url = TypeIn(repl, words, (*stream)->settings().api);
  if (!type_url.ok()) return type_url.status();
  const auto* wanted = (*stream)->files() == nullptr ? nullptr : (*stream)->files()->WantedOf(*type_url);
  const protocol::Subscription* known = (*stream)->Find(*type_url);
  if (wanted == nullptr && known == nullptr) return absl::NotFoundError("nothing was asked of this type");
  wanted != nullptr ? PrintNamesOfFiles(repl, **stream, *type_url, *wanted) : PrintNames(repl, *known);
  return absl::OkStatus();
}

absl::Status ShowLog(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  std::optional<int> last;
  if (!words.words.empty()) {
    last = NumberIn(words.words[0]);
    if (!last) return UsageError(words.words[0], "expected how many entries to show");
  }
  const std::deque<LogEntry>& entries = (*stream)->log().entries();
  if (const std::uint64_t dropped = (*stream)->log().dropped(); !last && dropped > 0) {
    repl.Remark(fmt::format("{} older entries are no longer kept", dropped));
  }
  const std::size_t count = last ? std::min(static_cast<std::size_t>(*last), entries.size()) : entries.size();
  format::Table table{{{"#", true},
                       {"TIME", true},
                       {""},
                       {"TYPE"},
                       {"VERSION"},
                       {"NONCE"},
                       {"COUNT", true},
                       {"SIZE", true},
                       {"VERDICT"}},
                      {}};
  for (std::size_t i = entries.size() - count; i < entries.size(); ++i) {
    const LogEntry& entry = entries[i];
    const double seconds = std::chrono::duration<double>(entry.at - (*stream)->begin()).count();
    table.rows.push_back({fmt::format("{}", entry.number), fmt::format("{:.3f}", seconds), entry.incoming ? "<-" : "->",
                          TypeWord(entry.type_url), entry.version, entry.nonce, fmt::format("{}", entry.count),
                          SizeWords(entry.size), entry.verdict});
  }
  PrintTable(repl, table);
  return absl::OkStatus();
}

absl::Status ShowRequest(Repl& repl, const VerbWords& words) {
  return PrintMessage(repl, words, false);
}

absl::Status ShowResponse(Repl& repl, const VerbWords& words) {
  return PrintMessage(repl, words, true);
}

// What is wrong with what came last, which may still wait, and then with what is held, where it is not the same. What
// is referred to and not held may not have been asked for yet.
absl::Status Check(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  client::Want want;
  if (!words.words.empty()) {
    const absl::StatusOr<client::Want> named = WantIn(repl, words.words, (*stream)->settings().api);
    if (!named.ok()) return named.status();
    want = *named;
  }
  std::set<std::string> said;
  const auto say = [&](const finding::Finding& finding) {
    if (!want.type_url.empty() && want.type_url != finding.type_url) return;
    const bool named = std::find(want.names.begin(), want.names.end(), finding.resource) != want.names.end();
    if (!want.names.empty() && !named) return;
    const std::string path = finding.path.empty() ? "" : finding::ToText(finding.path) + ": ";
    const std::string line = fmt::format("{}: {}: {}{}", ResourceWord(finding.type_url, finding.resource),
                                         finding::WordOf(finding.severity), path, finding::ToText(finding));
    if (said.insert(line).second) repl.Print(format::Printable(line) + "\n");
  };
  for (const std::string& type_url : (*stream)->types()) {
    for (const finding::Finding& finding : (*stream)->FindingsOf(type_url)) say(finding);
  }
  std::vector<client::JudgedFile> held = client::JudgeHeld((*stream)->held(), {.where = {}}, repl.types());
  Select({}, &held);
  for (const client::JudgedFile& type : held) {
    for (const finding::Finding& finding : type.findings) say(finding);
  }
  if (said.empty()) repl.Print("nothing is wrong\n");
  return absl::OkStatus();
}

}  // namespace xdscope::cli::verbs
