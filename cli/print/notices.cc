#include "cli/print/notices.h"

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

}  // namespace xdscope::cli
