#include "cli/print/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/args/type_argument.h"
#include "lib/format/printable.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Returns the type as a line of the trace says it: "CDS", or its full name.
std::string LineWord(std::string_view type_url) {
  return types::FindByUrl(type_url) != nullptr ? Upper(TypeWord(type_url)) : TypeWord(type_url);
}

// Returns a version or nonce so that what stands behind it in the line is seen too.
std::string Short(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return format::Shortened(format::Printable(text), kLongest);
}

std::string_view KindWord(protocol::Request::Kind kind) {
  switch (kind) {
    case protocol::Request::Kind::kFirst:
      return "first request";
    case protocol::Request::Kind::kInterest:
      return "request";
    case protocol::Request::Kind::kAck:
      return "ack";
    case protocol::Request::Kind::kNack:
      return "nack";
  }
  return "";
}

}  // namespace

std::string AnswerWords(const std::optional<protocol::Verdict>& verdict) {
  if (!verdict) return "no answer";
  if (verdict->kind == protocol::Verdict::Kind::kAck) return "ack";
  return fmt::format("nack \"{}\"", verdict->message);
}

std::string SizeWords(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{} kB", (bytes + 500) / 1000);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string CountWords(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string TypeWord(std::string_view type_url) {
  if (const types::KnownType* known = types::FindByUrl(type_url)) return std::string(known->short_name);
  if (type_url.starts_with(types::kTypeUrlPrefix)) type_url.remove_prefix(types::kTypeUrlPrefix.size());
  return std::string(type_url);
}

std::string ResourceWord(std::string_view type_url, std::string_view name) {
  std::string word = format::Printable(TypeWord(type_url));
  if (name.empty()) return word;
  word.push_back(':');
  return word + EscapeName(name);
}

std::string RequestLine(const protocol::Request& request) {
  std::string line = fmt::format("-> {} {}", LineWord(request.type_url), KindWord(request.kind));
  if (!request.version.empty()) line += fmt::format(", version {}", Short(request.version));
  if (!request.nonce.empty()) line += fmt::format(", nonce {}", Short(request.nonce));
  if (!request.names.empty()) line += fmt::format(", {}", CountWords(request.names.size(), "name"));
  if (!request.unsubscribe.empty())
    line += fmt::format(", {} given up", CountWords(request.unsubscribe.size(), "name"));
  if (!request.initial_versions.empty()) line += fmt::format(", {} held", request.initial_versions.size());
  if (request.error) line += fmt::format(": {}", request.error->message);
  return line;
}

std::string ResponseLine(const source::Update& update, const std::optional<protocol::Verdict>& verdict) {
  return ResponseWords(update) + ": " + AnswerWords(verdict);
}

std::string ResponseWords(const source::Update& update, std::string_view changes) {
  return fmt::format("{}{}{}", ResponseStart(update), changes, ResponseEnd(update));
}

std::string ResponseStart(const source::Update& update) {
  return fmt::format("<- {} {} nonce {}: {}", LineWord(update.type_url),
                     update.version.empty() ? "(no version)" : Short(update.version),
                     update.nonce.empty() ? "(none)" : Short(update.nonce), CountWords(update.entries, "resource"));
}

std::string ReadingStart(const source::Update& update) {
  return fmt::format("<- {} {}: {}", LineWord(update.type_url), update.version, CountWords(update.entries, "resource"));
}

std::string ResponseEnd(const source::Update& update) {
  const auto errors = std::count_if(update.absences.begin(), update.absences.end(),
                                    [](const source::Absence& absence) { return absence.error; });
  const auto removed = static_cast<std::ptrdiff_t>(update.absences.size()) - errors;
  std::string line;
  if (removed > 0) line += fmt::format(", {} removed", removed);
  if (errors > 0) line += fmt::format(", {}", CountWords(static_cast<std::uint64_t>(errors), "error"));
  return line + fmt::format(", {}", SizeWords(update.bytes->size()));
}

}  // namespace xdscope::cli
