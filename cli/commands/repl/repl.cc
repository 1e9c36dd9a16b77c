#include "cli/commands/repl/repl.h"

#include <algorithm>

#include <fmt/format.h>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/args/nearest.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/print/message.h"
#include "cli/print/resources.h"
#include "cli/print/words.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

// Takes the options out of the words of a verb.
absl::StatusOr<VerbWords> ReadWords(const Verb& verb, const std::vector<Word>& line) {
  VerbWords read;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const std::string& word = line[i].text;
    if (line[i].quoted || !word.starts_with("--")) {
      read.words.push_back(word);
      continue;
    }
    const std::vector<std::string_view> options = OptionsOf(verb);
    if (std::find(options.begin(), options.end(), word) == options.end()) {
      return UsageError(
          word, fmt::format("{} has no such option{}; quotes make it a word", verb.name, DidYouMean(word, options)));
    }
    std::string* value = word == "--for" ? &read.for_value : word == "--code" ? &read.code_value : nullptr;
    if (value != nullptr) {
      if (i + 1 == line.size()) return UsageError(word, "a value is missing");
      *value = line[++i].text;
    }
    read.now |= word == "--now";
    read.fresh |= word == "--fresh";
  }
  return read;
}

// Returns the word that a verb cannot do without, "TYPE"; empty where there is none.
std::string_view FirstNeeded(const Verb& verb) {
  if (verb.usage.empty() || verb.usage.starts_with('[')) return {};
  return verb.usage.substr(0, verb.usage.find(' '));
}

// A word too many is a mistake, and not nothing.
absl::Status CheckCount(const Verb& verb, const std::vector<std::string>& words) {
  if (const std::string_view needed = FirstNeeded(verb); words.empty() && !needed.empty()) {
    return base::Error(absl::StatusCode::kInvalidArgument,
                       fmt::format("{} is missing; {} {}", needed, verb.name, verb.usage));
  }
  if (verb.rest != Argument::kNothing) return absl::OkStatus();
  const std::size_t most = verb.first == Argument::kNothing ? 0 : 1;
  return words.size() > most ? Unexpected(words[most]) : absl::OkStatus();
}

std::string CountsText(const ReplStream::ContentCounts& counts) {
  std::string text;
  if (counts.added > 0) text += fmt::format(" +{}", counts.added);
  if (counts.changed > 0) text += fmt::format(" ~{}", counts.changed);
  if (counts.removed > 0) text += fmt::format(" -{}", counts.removed);
  return text.empty() ? "" : fmt::format(" ({})", text.substr(1));
}

}  // namespace

Repl::Repl(Settings settings, Console& console, base::Clock& clock, wire::Types& types, Services services)
    : settings_(std::move(settings)), console_(console), clock_(clock), types_(types), services_(std::move(services)) {}

absl::Status Repl::Start() {
  return Open(settings_.connect.variant, {});
}

absl::Status Repl::Execute(std::string_view line) {
  const absl::StatusOr<std::vector<Word>> words = SplitLine(line);
  if (!words.ok()) return words.status();
  if (words->empty()) return absl::OkStatus();
  const absl::StatusOr<const Verb*> verb = FindVerb(words->front().text);
  if (!verb.ok()) return verb.status();
  const absl::StatusOr<VerbWords> read = ReadWords(**verb, *words);
  if (!read.ok()) return read.status();
  const absl::Status fits = CheckCount(**verb, read->words);
  if (!fits.ok()) return fits;
  const int stream = CurrentNumber();
  waited_for_.reset();
  const absl::Status status = (*verb)->run(*this, *read);
  if (!status.ok() || !(*verb)->recorded) return status;
  if (waited_for_) {
    recorder_.OnWait(line, stream, *waited_for_, clock_.Now());
  } else {
    recorder_.OnLine(line, stream, clock_.Now());
  }
  return status;
}

// Nobody tells when the transport has taken a request, so this looks every other moment.
void Repl::Settle(base::Duration limit) {
  constexpr std::chrono::milliseconds kMoment{2};
  const auto is_busy = [this] {
    return std::any_of(streams_.begin(), streams_.end(), [](const Numbered& each) { return each.stream->is_busy(); });
  };
  const base::Time end = clock_.Now() + limit;
  while (is_busy() && clock_.Now() < end) {
    if (absl::IsCancelled(console_.Wait([&is_busy] { return !is_busy(); }, kMoment))) return;
  }
}

absl::Status Repl::CheckOpened() const {
  const bool failed = current_ != nullptr && current_->is_over() && current_->was_never_open();
  return failed ? absl::UnavailableError("the stream could not be opened") : absl::OkStatus();
}

void Repl::Finish() {
  for (const Numbered& each : streams_) each.stream->Close();
  const auto all_closed = [this] {
    return std::none_of(streams_.begin(), streams_.end(), [](const Numbered& each) { return each.stream->is_open(); });
  };
  console_.Wait(all_closed, std::chrono::milliseconds(500)).IgnoreError();  // those that are still there are dropped
}

std::string Repl::Prompt() const {
  if (current_ == nullptr) return "xdscope> ";
  const std::size_t waiting = current_->waiting().size();
  return fmt::format("{} {} {}{}{}> ", CurrentNumber(), KindName(*current_),
                     format::Printable(current_->settings().where), current_->is_over() ? " closed" : "",
                     waiting == 0 ? "" : fmt::format(" {} waiting", waiting));
}

// ---- For the verbs.

absl::StatusOr<ReplStream*> Repl::Current() {
  if (current_ == nullptr) return absl::FailedPreconditionError("there is no stream; open one with: open");
  return current_;
}

OutputOptions Repl::Output() {
  OutputOptions options = settings_.output;
  if (console_.out().terminal) options.width = console_.out().width;
  return options;
}

absl::Status Repl::Open(types::Variant variant, const std::string& target) {
  auto source = services_.make_source(variant, settings_.connect.node, target);
  if (!source.ok()) return source.status();
  const bool files = (*source)->Files() != nullptr;
  const int number = ++opened_;
  // Another target is another server: what the bootstrap calls the first does not name it. Files are called nothing.
  resource::ThisServer this_server;
  if (!files && target.empty()) this_server = ThisServerOf(settings_.connect);
  if (!files && !target.empty()) this_server = {{}, {target}, variant == types::Variant::kRest};
  ReplStream::Settings made{.where = target.empty() ? settings_.connect.where : target,
                            // A reading says what came, changed and went, as a delta response does.
                            .variant = files ? types::Variant::kDeltaAds : variant,
                            .api = settings_.connect.api,
                            .answers = settings_.answers,
                            .judge = settings_.connect.policy,
                            .this_server = this_server};
  if (variant == types::Variant::kRest) made.polling = settings_.polling;
  if (!settings_.nack_message.empty()) made.nack_message = settings_.nack_message;
  streams_.push_back({number, std::make_unique<ReplStream>(std::move(made), clock_, types_, *std::move(source),
                                                           ListenerFor(number, target))});
  current_ = streams_.back().stream.get();
  if (settings_.connect.verbosity > 0) {
    const std::string node = files ? "" : fmt::format(", as node \"{}\"", settings_.connect.node_id);
    Announce(number, fmt::format("-- {}, {}{}", current_->settings().where, KindName(*current_), node));
  }
  return current_->Open();
}

const Repl::Numbered* Repl::Find(int number) const {
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [number](const Numbered& each) { return each.number == number; });
  return found == streams_.end() ? nullptr : &*found;
}

int Repl::CurrentNumber() const {
  const auto here = std::find_if(streams_.begin(), streams_.end(),
                                 [this](const Numbered& each) { return each.stream.get() == current_; });
  return here == streams_.end() ? 0 : here->number;
}

absl::StatusOr<ReplStream*> Repl::At(int number) const {
  if (const Numbered* found = Find(number)) return found->stream.get();
  return base::Error(absl::StatusCode::kNotFound, fmt::format("there is no stream {}; streams lists them", number));
}

absl::StatusOr<ReplStream*> Repl::Use(int number) {
  absl::StatusOr<ReplStream*> stream = At(number);
  if (stream.ok()) current_ = *stream;
  return stream;
}

void Repl::Remove(ReplStream* stream) {
  stream->Close();
  console_.Wait([stream] { return !stream->is_open(); }, std::chrono::milliseconds(500)).IgnoreError();
  std::erase_if(streams_, [stream](const Numbered& each) { return each.stream.get() == stream; });
  if (current_ == stream) current_ = streams_.empty() ? nullptr : streams_.back().stream.get();
}

void Repl::Remark(std::string_view text) {
  if (!settings_.connect.quiet) console_.Remark(fmt::format("   {}", format::Printable(text)));
}

std::string Repl::Script() const {
  const std::string first =
      settings_.answers == Auto::kOff ? "" : fmt::format("auto {}\n", AutoName(settings_.answers));
  // A value may have several lines, as --node '{…}' has.
  const std::string replay = absl::StrReplaceAll(services_.replay, {{"\n", "\n# "}});
  return fmt::format("# {} --script FILE\n{}{}", replay, first, recorder_.Script());
}

absl::Status Repl::ExecuteScript(std::string_view text, std::string_view file) {
  constexpr int kMostDepth = 16;
  if (depth_ == kMostDepth) return absl::FailedPreconditionError("scripts that run scripts are nested too deeply");
  ++depth_;
  Settle(settings_.wait);
  absl::Status status = CheckOpened();
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(base::ToAbsl(text), '\n')) {
    if (!status.ok() || quits_) break;
    status = base::Prefix(Execute(base::ToStd(line)), fmt::format("{}:{}", file, ++number));
    Settle(settings_.wait);
  }
  --depth_;
  return status.ok() ? CheckOpened() : status;
}

// ---- What happens by itself.

void Repl::Announce(int number, std::string_view text) {
  if (!settings_.connect.quiet) console_.Announce(Marked(number, text));
}

// Only with several streams a line says which it is about.
std::string Repl::Marked(int number, std::string_view text) const {
  const std::string line = format::Printable(text);
  return streams_.size() < 2 ? line : fmt::format("{}: {}", number, line);
}

// Under -vv a message follows its line, in full.
void Repl::AnnounceMessage(int number, std::string_view bytes, bool is_response) {
  const Numbered* stream = Find(number);
  if (settings_.connect.verbosity < 2 || settings_.connect.quiet || stream == nullptr) return;
  const ReplStream::Settings& settings = stream->stream->settings();
  std::string text;
  OutputStream collect;
  collect.write = [&text](std::string_view chunk) {
    text.append(chunk);
    return true;
  };
  const std::string type = DiscoveryMessage(settings.api, types::IsDelta(settings.variant),
                                            is_response ? Direction::kResponse : Direction::kRequest);
  OutputOptions options = Output();
  options.style.color = false;  // each line is made printable
  RenderRaw({{type, bytes}}, options, types_, collect);
  if (text.ends_with('\n')) text.pop_back();
  std::string lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!lines.empty()) lines.push_back('\n');
    lines += Marked(number, fmt::format("   {}", base::ToStd(line)));
  }
  console_.Announce(lines);
}

void Repl::OnClosed(int number, const std::string& target, const session::Closed& closed, bool was_connected) {
  if (closed.status.ok()) return Announce(number, "-- the stream is closed");
  const Explanation why = services_.explain(closed.status, was_connected, target);
  Announce(number, fmt::format("-- the stream is closed: {}", why.what));
  if (!why.hint.empty()) Remark(why.hint);
}

ReplStream::Listener Repl::ListenerFor(int number, const std::string& target) {
  ReplStream::Listener listener;
  listener.asked = [this, number](const protocol::Request& request) {
    Announce(number, RequestLine(request));
    AnnounceMessage(number, request.bytes, false);
  };
  listener.came = [this, number](const source::Update& update, const ReplStream::ContentCounts& counts,
                                 const client::Judgement& judgement) {
    recorder_.OnResponse({number, TypeWord(update.type_url), Find(number)->stream->responses(), clock_.Now()});
    Announce(number, fmt::format("{}: {}", UpdateWords(*Find(number)->stream, update, CountsText(counts)),
                                 AnswerText(number, update, judgement)));
    AnnounceMessage(number, *update.bytes, true);
    std::vector<std::string> findings;
    for (const finding::Finding& finding : update.findings) {
      findings.push_back(
          fmt::format("   {}: {}", ResourceWord(update.type_url, finding.resource), finding::ToText(finding)));
    }
    AnnounceSome(number, findings, "check has them all");
  };
  listener.unreadable = [this, number](std::string_view bytes, const absl::Status& status) {
    Announce(number, fmt::format("<- a response that cannot be read, {}: {}", SizeWords(bytes.size()),
                                 format::Printable(base::Message(status))));
  };
  listener.unchanged = [this, number](std::string_view type_url) {
    Announce(number, fmt::format("<- {}: nothing newer", TypeWord(type_url)));
  };
  listener.connected = [this, number] { Announce(number, "-- the stream is open"); };
  listener.read = [this, number](const source::FilesRead& read, bool is_first) {
    AnnounceRead(number, read, is_first);
  };
  listener.changed = [this] { console_.Changed(); };
  listener.closed = [this, number, target](const session::Closed& closed, bool was_connected) {
    OnClosed(number, target, closed, was_connected);
  };
  return listener;
}

std::string Repl::AnswerText(int number, const source::Update& update, const client::Judgement& judgement) const {
  if (!judgement.verdict) return update.waiter ? "waiting for ack or nack" : "no answer expected";
  const ReplStream& stream = *Find(number)->stream;
  const bool stays = stream.files() != nullptr && judgement.verdict->kind == protocol::Verdict::Kind::kNack;
  return VerdictWords(*judgement.verdict) + (stays ? "; " + InForceWords(stream, update.type_url) : "");
}

// What is wrong with the files is said at each reading that finds it, what they hold at the first.
void Repl::AnnounceRead(int number, const source::FilesRead& read, bool is_first) {
  std::vector<std::string> notices;
  for (const files::Notice& notice : read.notices) notices.push_back(fmt::format("!! {}", ToText(notice)));
  for (const std::string& duplicate : read.duplicates) notices.push_back(fmt::format("!! {}", duplicate));
  AnnounceSome(number, notices, "validate the files to see them all");
  if (!is_first) return;
  std::string counts;
  for (const source::FilesRead::Type& type : std::span(read.types).first(std::min(read.types.size(), kMostSaid))) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", type.count, TypeWord(type.type_url));
  }
  if (read.types.size() > kMostSaid) {
    counts += fmt::format(" and {}", CountWords(read.types.size() - kMostSaid, "other type"));
  }
  Announce(number,
           fmt::format("-- the files are read: {}", counts.empty() ? "there are no resources in them" : counts));
}

// Ten at most: a peer may give cause for a million.
void Repl::AnnounceSome(int number, std::span<const std::string> lines, std::string_view rest) {
  const std::size_t said = std::min(lines.size(), kMostSaid);
  for (const std::string& line : lines.first(said)) Announce(number, line);
  if (said < lines.size()) Announce(number, fmt::format("   and {} more; {}", lines.size() - said, rest));
}

}  // namespace xdscope::cli
