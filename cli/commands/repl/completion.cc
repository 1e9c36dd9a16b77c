#include "cli/commands/repl/completion.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/args/type_argument.h"
#include "cli/commands/repl/repl.h"
#include "cli/commands/repl/verb.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/print/words.h"
#include "lib/resource/references.h"

namespace xdscope::cli {
namespace {

// The words between a verb and the one that is to be completed, without options.
struct Typed {
  std::vector<std::string> words;
};
using Candidates = std::vector<Candidate>;

// The stream that verbs are about; nullptr: there is none.
ReplStream* StreamOf(Repl& repl) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  return stream.ok() ? *stream : nullptr;
}

// ---- What words there are, by what a word is. Each returns all; the beginning is compared afterwards.

Candidates Types(Repl& repl, const Typed&) {
  ReplStream* const stream = StreamOf(repl);
  Candidates found;
  if (stream != nullptr) {
    for (const source::FilesRead::Type& type : stream->types_in_files()) {
      found.push_back({TypeWord(type.type_url), fmt::format("{} in the files", type.count)});
    }
  }
  for (const types::KnownType& type : types::KnownTypes()) {
    const types::ApiNames& names = type.names(repl.settings().connect.api);
    if (!names.exists() || (stream != nullptr && !stream->CanAsk(names.type_url))) continue;
    found.push_back({std::string(type.short_name), std::string(names.message())});
  }
  if (stream == nullptr) return found;
  for (const std::string& type_url : stream->types()) found.push_back({TypeWord(type_url), "asked for"});
  return found;
}

// What is known of the names of a type: later entries do not replace earlier ones.
class Names {
 public:
  Names(ReplStream& stream, wire::Types& types, std::string type_url)
      : stream_(stream), types_(types), type_url_(std::move(type_url)) {}

  Candidates Find() {
    AddHeld();
    AddWanted();
    AddInFiles();
    AddMentioned();
    Candidates found;
    for (const auto& [name, about] : about_) found.push_back({name, about});
    return found;
  }

 private:
  void AddHeld() {
    const auto state = stream_.held().types().find(type_url_);
    if (state == stream_.held().types().end()) return;
    for (const auto& [name, resource] : state->second.resources) {
      const std::string& version = resource.version.empty() ? state->second.version : resource.version;
      about_.emplace(name, fmt::format("held, version {}", version));
    }
  }

  void AddWanted() {
    const protocol::Interest* interest = stream_.InterestIn(type_url_);
    if (interest == nullptr) return;
    for (const std::string& name : interest->names())
      about_.emplace(name, IsAbsent(name) ? "wanted, absent" : "wanted");
  }

  bool IsAbsent(const std::string& name) const {
    if (const source::FileSource* files = stream_.files()) return files->WantedOf(type_url_)->absent.contains(name);
    return stream_.Find(type_url_)->StateOf(name) == protocol::NameState::kAbsent;
  }

  void AddInFiles() {
    if (stream_.files() == nullptr) return;
    for (const std::string_view name : stream_.files()->NamesOf(type_url_)) about_.emplace(name, "in the files");
  }

  void AddMentioned() {
    resource::ReferenceFinder finder(types_);
    for (const auto& [type_url, state] : stream_.held().types()) {
      for (const auto& [name, resource] : state.resources) {
        if (!resource.message.ok()) continue;
        for (const resource::Reference& reference : finder.Find(type_url, resource.message->view(), name)) {
          if (reference.type_url != type_url_ || reference.name.empty()) continue;
          about_.emplace(reference.name, fmt::format("mentioned by {}", ResourceWord(type_url, name)));
        }
      }
    }
  }

  ReplStream& stream_;
  wire::Types& types_;
  std::string type_url_;
  std::map<std::string, std::string> about_;
};

Candidates NamesOfType(Repl& repl, const Typed& typed) {
  ReplStream* const stream = StreamOf(repl);
  const auto type =
      std::find_if(typed.words.begin(), typed.words.end(), [](const auto& word) { return word != "not"; });
  if (stream == nullptr || type == typed.words.end()) return {};
  const auto requests = ParseTypes(std::span(&*type, 1), stream->settings().api, protocol::Wildcard::kLegacy);
  if (!requests.ok()) return {};
  return Names(*stream, repl.types(), requests->front().want.type_url).Find();
}

Candidates Expected(Repl& repl, const Typed& typed) {
  Candidates found = Types(repl, typed);
  found.push_back({"not", "fail if it is held"});
  return found;
}

// `expect not TYPE NAME`: the word behind `not` is a TYPE.
Candidates NamesOrType(Repl& repl, const Typed& typed) {
  return typed.words.size() == 1 && typed.words.front() == "not" ? Types(repl, typed) : NamesOfType(repl, typed);
}

Candidates Waiting(Repl& repl, const Typed&) {
  ReplStream* const stream = StreamOf(repl);
  if (stream == nullptr) return {};
  Candidates found;
  for (const source::Update& update : stream->waiting()) {
    const LogEntry* entry = stream->log().Find(*update.waiter);
    found.push_back({TypeWord(update.type_url), "the oldest that waits"});
    if (entry != nullptr) found.push_back({fmt::format("#{}", entry->number), UpdateWords(*stream, update)});
  }
  return found;
}

Candidates Logged(Repl& repl, bool incoming) {
  constexpr std::size_t kLatest = 20;
  ReplStream* const stream = StreamOf(repl);
  if (stream == nullptr) return {};
  Candidates found;
  const std::deque<LogEntry>& entries = stream->log().entries();
  for (auto entry = entries.rbegin(); entry != entries.rend() && found.size() < kLatest; ++entry) {
    if (entry->incoming != incoming) continue;
    found.push_back({fmt::format("{}", entry->number),
                     fmt::format("{} version {} nonce {}", TypeWord(entry->type_url), entry->version, entry->nonce)});
  }
  return found;
}

Candidates Requests(Repl& repl, const Typed&) {
  return Logged(repl, false);
}

Candidates Responses(Repl& repl, const Typed&) {
  return Logged(repl, true);
}

Candidates Streams(Repl& repl, const Typed&) {
  Candidates found;
  for (const Repl::Numbered& each : repl.streams()) {
    found.push_back(
        {fmt::format("{}", each.number), fmt::format("{} {}", KindName(*each.stream), each.stream->settings().where)});
  }
  return found;
}

Candidates VariantsAndTypes(Repl& repl, const Typed& typed) {
  Candidates found;
  for (const types::Variant variant : AllVariants()) {
    found.push_back({std::string(VariantName(variant)), "a variant of the protocol"});
  }
  for (Candidate& type : Types(repl, typed)) found.push_back(std::move(type));
  return found;
}

Candidates Answers(Repl&, const Typed&) {
  return {{"ack", "always yes"}, {"nack", "always no"}, {"judge", "as --on-invalid nack"}, {"off", "by hand"}};
}

Candidates OnOff(Repl&, const Typed&) {
  return {{"on", ""}, {"off", ""}};
}

Candidates NodeKeys(Repl&, const Typed&) {
  return {{"id=", "the node's id", false}, {"cluster=", "the node's cluster", false}};
}

Candidates Options(Repl&, const Typed&) {
  return {{"output", "form of show"},
          {"color", "auto, always, never"},
          {"json-names", "names of fields"},
          {"show-secrets", "print keys and passwords"},
          {"emit-defaults", "print fields at their default"},
          {"unknown-fields", "print what the schema does not have"},
          {"wait", "how long wait and expect wait"},
          {"keys", "emacs or vi"}};
}

Candidates Values(Repl&, const Typed& typed) {
  static const auto* const values = new std::map<std::string, std::vector<std::string>>{
      {"output", {"yaml", "json", "ndjson", "text", "table", "tree", "name"}},
      {"color", {"auto", "always", "never"}},
      {"json-names", {"proto", "camel"}},
      {"show-secrets", {"true", "false"}},
      {"emit-defaults", {"true", "false"}},
      {"unknown-fields", {"true", "false"}},
      {"keys", {"emacs", "vi"}},
  };
  const auto of = values->find(typed.words.empty() ? "" : typed.words.front());
  if (of == values->end() || typed.words.size() > 1) return {};
  Candidates found;
  for (const std::string& value : of->second) found.push_back({value, ""});
  return found;
}

Candidates Verbs(Repl&, const Typed&) {
  Candidates found;
  for (const Verb& verb : AllVerbs()) found.push_back({std::string(verb.name), std::string(verb.summary)});
  return found;
}

Candidates Nothing(Repl&, const Typed&) {
  return {};
}

using Finder = Candidates (*)(Repl& repl, const Typed& typed);

Finder FinderOf(Argument argument) {
  switch (argument) {
    case Argument::kType:
      return &Types;
    case Argument::kName:
      return &NamesOrType;
    case Argument::kExpected:
      return &Expected;
    case Argument::kWaiting:
      return &Waiting;
    case Argument::kRequest:
      return &Requests;
    case Argument::kResponse:
      return &Responses;
    case Argument::kStream:
      return &Streams;
    case Argument::kVariantOrType:
      return &VariantsAndTypes;
    case Argument::kAnswers:
      return &Answers;
    case Argument::kOnOff:
      return &OnOff;
    case Argument::kNodeKey:
      return &NodeKeys;
    case Argument::kOption:
      return &Options;
    case Argument::kValue:
      return &Values;
    case Argument::kVerb:
      return &Verbs;
    case Argument::kNothing:
    case Argument::kFile:
    case Argument::kCount:
    case Argument::kText:
      break;
  }
  return &Nothing;
}

// Files and folders that a path may become; those that begin with a dot only where one was typed.
Candidates FilesFor(Repl& repl, const std::string& path) {
  if (repl.services().files == nullptr) return {};
  const base::Files& files = *repl.services().files;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "" : path.substr(0, slash + 1);
  const absl::StatusOr<std::vector<std::string>> names = files.List(folder.empty() ? "." : folder);
  if (!names.ok()) return {};
  const bool hidden = path.substr(folder.size()).starts_with('.');
  Candidates found;
  for (const std::string& name : *names) {
    if (name.starts_with('.') != hidden) continue;
    const std::string whole = folder + name;
    const bool is_folder = files.List(whole).ok();
    found.push_back({whole + (is_folder ? "/" : ""), is_folder ? "a folder" : "", !is_folder});
  }
  return found;
}

Typed TypedOf(const std::vector<Word>& words) {
  Typed typed;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool option = !words[i].quoted && words[i].text.starts_with("--");
    if (option && (words[i].text == "--for" || words[i].text == "--code")) ++i;
    if (!option) typed.words.push_back(words[i].text);
  }
  return typed;
}

Candidates CandidatesFor(Repl& repl, const std::vector<Word>& words) {
  const Word& last = words.back();
  if (words.size() == 1) return Verbs(repl, {});
  const absl::StatusOr<const Verb*> verb = FindVerb(words.front().text);
  if (!verb.ok()) return {};
  if (last.text.starts_with("--") && !last.quoted) {
    Candidates found;
    for (const std::string_view option : OptionsOf(**verb)) found.push_back({std::string(option), ""});
    return found;
  }
  const Typed typed = TypedOf(words);
  const Argument argument = typed.words.empty() ? (*verb)->first : (*verb)->rest;
  if (argument == Argument::kFile) return FilesFor(repl, last.text);
  Candidates found = FinderOf(argument)(repl, typed);
  // A TARGET may be files; before anything is typed they would hide the rest.
  if (argument == Argument::kVariantOrType && !last.text.empty()) {
    for (Candidate& file : FilesFor(repl, last.text)) found.push_back(std::move(file));
  }
  return found;
}

}  // namespace

Completion Complete(Repl& repl, std::string_view line) {
  std::vector<Word> words = SplitUnfinished(line);
  if (words.empty() || words.back().end < line.size()) words.push_back({{}, false, line.size(), line.size()});
  Completion completion{words.back().begin, CandidatesFor(repl, words)};
  Candidates& candidates = completion.candidates;
  std::erase_if(candidates, [&](const Candidate& each) { return !each.text.starts_with(words.back().text); });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
  const auto same = [](const Candidate& a, const Candidate& b) { return a.text == b.text; };
  candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
  return completion;
}

std::string CommonBeginning(const std::vector<Candidate>& candidates) {
  if (candidates.empty()) return "";
  std::string common = candidates.front().text;
  for (const Candidate& candidate : candidates) {
    const auto differs = std::mismatch(common.begin(), common.end(), candidate.text.begin(), candidate.text.end());
    common.erase(differs.first, common.end());
  }
  // Not in the middle of a character.
  const std::string& first = candidates.front().text;
  const auto continues = [&first](std::size_t at) { return at < first.size() && (first[at] & 0xC0) == 0x80; };
  while (!common.empty() && continues(common.size())) common.pop_back();
  return common;
}

}  // namespace xdscope::cli
