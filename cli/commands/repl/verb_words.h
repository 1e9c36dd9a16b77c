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

void PrintTable(Repl& repl, const format::Table& table);

}  // namespace xdscope::cli
