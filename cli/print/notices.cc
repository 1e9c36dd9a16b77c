#include "cli/print/notices.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/print/words.h"

namespace xdscope::cli {

void SayNotices(std::span<const files::Notice> notices, Report& report) {
  for (const files::Notice& notice : notices) {
    const bool error = notice.finding.severity == finding::Severity::kError;
    error ? report.Say(ToText(notice)) : report.Note(ToText(notice));
  }
}

void SayDuplicates(std::span<const std::string> duplicates, Report& report) {
  for (const std::string& duplicate : duplicates) report.Note(duplicate);
}

std::size_t LeftOut(const source::FilesRead& read, types::Api api, std::span<const client::Want> wants) {
  std::size_t left_out = 0;
  for (const source::FilesRead::Type& type : read.types) {
    if (type.api.value_or(api) == api) continue;
    const auto is_other = [&](const client::Want& want) { return types::OtherVersion(want.type_url) == type.type_url; };
    if (wants.empty() || std::ranges::any_of(wants, is_other)) left_out += type.count;
  }
  return left_out;
}

void SayLeftOut(std::size_t count, types::Api api, Report& report) {
  if (count == 0) return;
  const std::string_view other = api == types::Api::kV3 ? "v2" : "v3";
  report.Note(
      fmt::format("left out: {} of the {} API; --api {} takes them", CountWords(count, "resource"), other, other));
}

}  // namespace xdscope::cli
