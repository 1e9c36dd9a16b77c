#include "cli/commands/repl/repl.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/repl/verb.h"
#include "cli/print/words.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

// Takes the options out of the words of a verb.
absl::StatusOr<VerbWords> ReadWords(const std::vector<Word>& line) {
  VerbWords read;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const std::string& word = line[i].text;
    std::string* value = word == "--for" ? &read.for_value : word == "--code" ? &read.code_value : nullptr;
    if (value != nullptr) {
      if (i + 1 == line.size()) return base::Error(absl::StatusCode::kInvalidArgument, word + ": a value is missing");
      *value = line[++i].text;
    } else if (word == "--now") {
      read.now = true;
    } else if (word == "--fresh") {
      read.fresh = true;
    } else {
      read.words.push_back(word);
    }
  }
  return read;
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
  const absl::StatusOr<VerbWords> read = ReadWords(*words);
  if (!read.ok()) return read.status();
  const absl::Status status = (*verb)->run(*this, *read);
  if (status.ok()) done_.emplace_back(line);
  return status;
}

void Repl::Finish() {
  for (const Numbered& each : streams_) each.stream->Close();
  const auto all_closed = [this] {
    return std::none_of(streams_.begin(), streams_.end(), [](const Numbered& each) { return each.stream->is_open(); });
  };
  console_.Wait(all_closed, std::chrono::milliseconds(500));
}

std::string Repl::Prompt() const {
  if (current_ == nullptr) return "xdscope> ";
  const auto here = std::find_if(streams_.begin(), streams_.end(),
                                 [this](const Numbered& each) { return each.stream.get() == current_; });
  const std::size_t waiting = current_->waiting().size();
  return fmt::format("{} {} {}{}{}> ", here->number, VariantName(current_->settings().variant),
                     format::Printable(current_->settings().where), current_->is_open() ? "" : " closed",
                     waiting == 0 ? "" : fmt::format(" {} waiting", waiting));
}

// ---- For the verbs.

absl::StatusOr<ReplStream*> Repl::Current() {
  if (current_ == nullptr) return absl::FailedPreconditionError("there is no stream; open one with: open");
  return current_;
}

absl::Status Repl::Open(types::Variant variant, const std::string& target) {
  auto source = services_.make_source(variant, settings_.connect.node, target);
  if (!source.ok()) return source.status();
  const int number = ++opened_;
  const std::string& where = target.empty() ? settings_.connect.where : target;
  streams_.push_back({number, std::make_unique<ReplStream>(
                                  ReplStream::Settings{where, variant, settings_.connect.api, settings_.answers},
                                  clock_, types_, *std::move(source), ListenerFor(number))});
  current_ = streams_.back().stream.get();
  return absl::OkStatus();
}

absl::StatusOr<ReplStream*> Repl::Use(int number) {
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [number](const Numbered& each) { return each.number == number; });
  if (found == streams_.end()) {
    return base::Error(absl::StatusCode::kNotFound, fmt::format("there is no stream {}; streams lists them", number));
  }
  current_ = found->stream.get();
  return current_;
}

void Repl::Remove(ReplStream* stream) {
  stream->Close();
  console_.Wait([stream] { return !stream->is_open(); }, std::chrono::milliseconds(500));
  std::erase_if(seen_, [stream](const auto& seen) { return seen.first.first == stream; });
  std::erase_if(streams_, [stream](const Numbered& each) { return each.stream.get() == stream; });
  current_ = streams_.empty() ? nullptr : streams_.back().stream.get();
}

void Repl::Remark(std::string_view text) {
  console_.Announce(fmt::format("   {}", text));
}

std::uint64_t Repl::Unseen(const ReplStream& stream, const std::string& type_url) const {
  const std::uint64_t came = type_url.empty() ? stream.responses() : stream.responses_of(type_url);
  const auto seen = seen_.find({&stream, type_url});
  return seen == seen_.end() ? came : came - seen->second;
}

void Repl::SeeAll(const ReplStream& stream, const std::string& type_url) {
  seen_[{&stream, {}}] = stream.responses();
  for (const std::string& type : stream.types()) {
    if (type_url.empty() || type == type_url) seen_[{&stream, type}] = stream.responses_of(type);
  }
}

absl::Status Repl::ExecuteScript(std::string_view text, std::string_view file) {
  constexpr int kMostDepth = 16;
  if (depth_ == kMostDepth) return absl::FailedPreconditionError("scripts that run scripts are nested too deeply");
  ++depth_;
  absl::Status status;
  for (int line = 1; !text.empty() && status.ok() && !quits_; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    status = base::Prefix(Execute(text.substr(0, end)), fmt::format("{}:{}", file, line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  --depth_;
  return status;
}

// ---- What happens by itself.

// Only with several streams a line says which it is about.
void Repl::Announce(int number, std::string_view text) {
  console_.Announce(streams_.size() < 2 ? std::string(text) : fmt::format("{}: {}", number, text));
}

ReplStream::Listener Repl::ListenerFor(int number) {
  ReplStream::Listener listener;
  listener.asked = [this, number](const protocol::Request& request) { Announce(number, RequestLine(request)); };
  listener.came = [this, number](const source::Update& update, const ReplStream::ContentCounts& counts,
                                 const client::Judgement& judgement) {
    const std::string answer = judgement.verdict ? VerdictWords(*judgement.verdict)
                               : update.waiter   ? "waiting for ack or nack"
                                                 : "no answer expected";
    Announce(number, fmt::format("{}: {}", ResponseWords(update, CountsText(counts)), answer));
    for (const finding::Finding& finding : update.findings) {
      Announce(number,
               fmt::format("   {}: {}", ResourceWord(update.type_url, finding.resource), finding::ToText(finding)));
    }
  };
  listener.unreadable = [this, number](std::string_view bytes, const absl::Status& status) {
    Announce(number, fmt::format("<- a response that cannot be read, {}: {}", SizeWords(bytes.size()),
                                 format::Printable(base::Message(status))));
  };
  listener.connected = [this, number] { Announce(number, "-- the stream is open"); };
  listener.changed = [this] { console_.Changed(); };
  listener.closed = [this, number](const session::Closed& closed) {
    Announce(number, closed.status.ok()
                         ? std::string("-- the stream is closed")
                         : fmt::format("-- the stream is closed: {}", format::Printable(base::Message(closed.status))));
  };
  return listener;
}

}  // namespace xdscope::cli
