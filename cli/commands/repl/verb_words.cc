#include "cli/commands/repl/verb_words.h"

#include <charconv>
#include <span>

#include <fmt/format.h>

#include "cli/args/flag_types.h"
#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/print/words.h"
#include "lib/format/output.h"
#include "lib/protocol/names.h"

namespace xdscope::cli {

absl::Status Missing(std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{} is missing", what));
}

absl::Status Unexpected(std::string_view word) {
  return UsageError(word, "is one word too many");
}

std::optional<int> NumberIn(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

absl::StatusOr<base::Duration> DurationIn(std::string_view word, base::Duration otherwise) {
  if (word.empty()) return otherwise;
  DurationFlag flag;
  std::string error;
  if (!AbslParseFlag(base::ToAbsl(word), &flag, &error)) return UsageError(word, error);
  return base::Duration(flag.value);
}

// One TYPE with names behind its colon or as words of their own: `cds:a b` is `cds:a,b`.
absl::StatusOr<client::Want> WantIn(Repl& repl, const std::vector<std::string>& words, types::Api api) {
  if (words.empty()) return Missing("TYPE");
  auto requests = ParseTypes(std::span(words).first(1), api, repl.settings().connect.wildcard);
  if (!requests.ok()) return requests.status();
  client::Want want = std::move(requests->front().want);
  if (words.size() == 1) return want;
  if (want.names.empty()) want.everything = want.starred = false;
  for (const std::string& name : std::span(words).subspan(1)) {
    if (name == protocol::kStar) {
      want.everything = want.starred = true;
    } else {
      want.names.push_back(name);
    }
  }
  return want;
}

absl::StatusOr<std::string> TypeIn(Repl& repl, const VerbWords& words, types::Api api) {
  if (words.words.empty()) return std::string();
  const absl::StatusOr<client::Want> want = WantIn(repl, words.words, api);
  if (!want.ok()) return want.status();
  return want->type_url;
}

protocol::Interest InterestOf(const client::Want& want) {
  return client::InterestIn(want, want.names);
}

absl::Status RefuseForFiles(const ReplStream& stream, std::string_view what, std::string_view why,
                            std::string_view instead) {
  if (stream.files() == nullptr) return absl::OkStatus();
  return base::Error(absl::StatusCode::kFailedPrecondition,
                     fmt::format("{} means nothing for files, {}; {}", what, why, instead));
}

std::string_view KindName(const ReplStream& stream) {
  return stream.files() == nullptr ? VariantName(stream.settings().variant) : "files";
}

std::string UpdateWords(const ReplStream& stream, const source::Update& update, std::string_view changes) {
  const std::string start = stream.files() == nullptr ? ResponseStart(update) : ReadingStart(update);
  return fmt::format("{}{}{}", start, changes, ResponseEnd(update));
}

std::string InForceWords(const ReplStream& stream, const std::string& type_url) {
  const auto held = stream.held().types().find(type_url);
  if (held == stream.held().types().end()) return fmt::format("in force: nothing of {}", TypeWord(type_url));
  return fmt::format("in force: {} {} ({})", TypeWord(type_url), held->second.version,
                     CountWords(held->second.resources.size(), "resource"));
}

void PrintTable(Repl& repl, const format::Table& table) {
  format::Output out([&repl](std::string_view chunk) {
    repl.Print(chunk);
    return absl::OkStatus();
  });
  const OutputOptions options = repl.Output();
  format::WriteTable(table, static_cast<std::size_t>(options.width), options.style, out);
  out.Flush().IgnoreError();
}

}  // namespace xdscope::cli
