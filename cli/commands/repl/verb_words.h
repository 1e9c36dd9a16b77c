// What the verbs share: reading their words, and printing tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/repl/repl.h"
#include "cli/commands/repl/verb.h"
#include "lib/base/status.h"
#include "lib/client/fetch.h"
#include "lib/format/table.h"
#include "lib/protocol/interest.h"

namespace xdscope::cli {

// Each makes INVALID_ARGUMENT.
absl::Status Missing(std::string_view what);
absl::Status Unexpected(std::string_view word);

// Reads a number that is not negative; nullopt: it is none.
std::optional<int> NumberIn(std::string_view word);
// Reads a duration as flags do; an empty word stands for `otherwise`.
absl::StatusOr<base::Duration> DurationIn(std::string_view word, base::Duration otherwise);
// Reads one TYPE with names behind its colon or as words of their own: `cds:a b` is `cds:a,b`.
absl::StatusOr<client::Want> WantIn(Repl& repl, const std::vector<std::string>& words, types::Api api);
// Reads at most one TYPE and returns its URL; empty where there is no word.
absl::StatusOr<std::string> TypeIn(Repl& repl, const VerbWords& words, types::Api api);
protocol::Interest InterestOf(const client::Want& want);

// FAILED_PRECONDITION where a stream is about files: "send means nothing for files, which take no requests; sub reads
// them", of the words before and after the semicolon.
absl::Status RefuseForFiles(const ReplStream& stream, std::string_view what, std::string_view why,
                            std::string_view instead);
// What verbs, messages and completions call how a stream is spoken to: "delta-ads", "files".
std::string_view KindName(const ReplStream& stream);
// Returns a response, or a reading, in one line: "<- CDS 3 nonce 7: 12 resources (+1 ~2), 14 kB".
std::string UpdateWords(const ReplStream& stream, const source::Update& update, std::string_view changes = {});
// Returns what a client of these files would work with: "in force: cds 3 (12 resources)".
std::string InForceWords(const ReplStream& stream, const std::string& type_url);

void PrintTable(Repl& repl, const format::Table& table);

}  // namespace xdscope::cli
