#include "cli/commands/watch/text_printer.h"

#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "absl/strings/str_split.h"
#include "cli/print/resources.h"
#include "cli/print/words.h"
#include "lib/base/status.h"
#include "lib/format/colors.h"
#include "lib/format/printable.h"
#include "lib/transport/http_status.h"

namespace xdscope::cli {
namespace {

using std::chrono::system_clock;

std::string TimeOfDay(system_clock::time_point time) {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()) % 1000;
  return fmt::format("{:%H:%M:%S}.{:03}", fmt::localtime(system_clock::to_time_t(time)), millis.count());
}

std::string DurationWords(base::Duration duration) {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(duration);
  return millis.count() < 1000 ? fmt::format("{} ms", millis.count())
                               : fmt::format("{:.1f} s", std::chrono::duration<double>(duration).count());
}

// " of CDS", where a stream has one type.
std::string OfStream(const std::string& stream) {
  return stream.empty() ? std::string() : fmt::format(" of {}", format::Printable(TypeWord(stream)));
}

}  // namespace

TextPrinter::TextPrinter(Settings settings, wire::Types& types, format::Output& out)
    : settings_(std::move(settings)),
      types_(types),
      out_(out),
      body_out_([this](std::string_view chunk) {
        body_.append(chunk);
        return absl::OkStatus();
      }),
      changes_(types, settings_.output.walk, body_out_, settings_.output.style) {}

void TextPrinter::Connected(const session::Connected& connected) {
  Line(fmt::format("-- connected{}", OfStream(connected.stream)));
}

void TextPrinter::Closed(const session::Closed& closed) {
  const std::string words = format::Printable(base::Message(closed.status));
  const bool says_itself = transport::HttpStatusOf(closed.status).has_value();
  const std::string why = closed.status.ok() ? "the server ended the stream"
                          : says_itself      ? words
                                        : fmt::format("{}: {}", absl::StatusCodeToString(closed.status.code()), words);
  const std::string next = closed.reopens_in ? fmt::format("; next attempt in {}", DurationWords(*closed.reopens_in))
                                             : std::string("; it is not opened again");
  if (closed.of_call) return Line(fmt::format("!! {}: {}{}", TypeWord(closed.stream), why, next));
  Line(fmt::format("-- disconnected{}: {}{}", OfStream(closed.stream), why, next));
}

void TextPrinter::Unreadable(const session::Unreadable& unreadable) {
  Line(fmt::format("!! no response: {}", format::Printable(base::Message(unreadable.status))));
}

void TextPrinter::Response(const source::Update& update, const client::Judgement& judgement) {
  const system_clock::time_point now = settings_.wall();
  std::string after = ResponseEnd(update);
  if (last_response_) after += fmt::format(", after {}", DurationWords(now - *last_response_));
  last_response_ = now;
  if (!settings_.files) {
    after += fmt::format(": {}", AnswerWords(judgement.verdict));
  } else if (judgement.verdict && judgement.verdict->kind != protocol::Verdict::Kind::kAck) {
    after += fmt::format(": refused: {}", judgement.verdict->message);
  }
  head_ = Head{settings_.files ? ReadingStart(update) : ResponseStart(update), std::move(after)};
}

void TextPrinter::Resource(const client::ResourceEvent& event) {
  ++counts_[static_cast<std::size_t>(event.kind)];
  switch (event.kind) {
    case Kind::kAdded:
    case Kind::kChanged:
    case Kind::kRemoved:
      return Change(event);
    case Kind::kExpired:
      return Remark("-", event, "its time to live is over");
    case Kind::kAbsent:
      return Remark("?", event, event.words.empty() ? "absent" : fmt::format("absent: {}", event.words));
    case Kind::kRefused:
      return Remark("!", event, fmt::format("refused: {}", event.words));
  }
}

void TextPrinter::Change(const client::ResourceEvent& event) {
  const bool names_only = settings_.output.layout == Layout::kNames;
  const bool whole = settings_.full || names_only;
  if (event.kind != Kind::kChanged || !whole) changes_.Resource(std::string(event.type_url), event.before, event.after);
  if (event.kind == Kind::kChanged && whole) changes_.Line("~ ", ResourceWord(event.type_url, event.name));
  if (settings_.full && event.after != nullptr) Whole(event);
}

// The resource, each line indented.
void TextPrinter::Whole(const client::ResourceEvent& event) {
  std::string text;
  format::Output to([&text](std::string_view chunk) {
    text.append(chunk);
    return absl::OkStatus();
  });
  RenderAny({event.after->type_url, event.after->payload}, event.type_url, settings_.output, types_, to);
  if (text.ends_with('\n')) text.pop_back();
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    body_out_.Append("    ");
    body_out_.Append(base::ToStd(line));
    body_out_.Append('\n');
  }
}

void TextPrinter::Remark(std::string_view mark, const client::ResourceEvent& event, std::string_view words) {
  changes_.Line(fmt::format("{} ", mark),
                fmt::format("{}: {}", ResourceWord(event.type_url, event.name), format::Printable(words)));
}

void TextPrinter::Told() {
  body_out_.Flush().IgnoreError();  // it goes to memory
  if (head_) Line(fmt::format("{}{}{}", head_->before, Counts(), head_->after));
  if (!head_ && !body_.empty()) Line(fmt::format("-- {}", CountsInWords()));
  out_.Append(body_);
  head_.reset();
  body_ = std::string();  // the first may be a thousand times larger than all others
  counts_.fill(0);
}

void TextPrinter::Repeated(const client::Repetition& repetition) {
  const std::string every =
      repetition.count > 1 ? fmt::format(", the last after {}", DurationWords(repetition.since_last)) : std::string();
  Line(fmt::format("!! {} {}: the server sends again what was refused: {}{}", ResourceWord(repetition.type_url, {}),
                   format::Printable(repetition.version), CountWords(repetition.count, "time"), every));
}

void TextPrinter::Line(std::string_view text) {
  const bool color = settings_.output.style.color;
  out_.Append(color ? format::kDimColor : "");
  out_.Append(TimeOfDay(settings_.wall()));
  out_.Append(color ? format::kPlainColor : "");
  out_.Append(' ');
  out_.Append(text);
  out_.Append('\n');
}

// " (+1 ~2 -1)"; empty where nothing changed.
std::string TextPrinter::Counts() const {
  constexpr std::string_view kMarks = "+~-x?!";
  std::string counts;
  for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
    if (counts_[kind] > 0) counts += fmt::format("{}{}{}", counts.empty() ? "" : " ", kMarks[kind], counts_[kind]);
  }
  return counts.empty() ? counts : fmt::format(" ({})", counts);
}

std::string TextPrinter::CountsInWords() const {
  std::string counts;
  for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
    if (counts_[kind] > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", counts_[kind], kEventWords[kind]);
  }
  return counts;
}

}  // namespace xdscope::cli
