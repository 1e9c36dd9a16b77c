#include "cli/commands/serve/folder_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/print/findings.h"
#include "cli/print/selection.h"
#include "cli/print/words.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

using finding::Finding;
using finding::Severity;

// A finding and the file that it is in.
struct Place {
  const client::JudgedFile* file = nullptr;
  const Finding* finding = nullptr;
};

void ErrorsFirst(std::vector<Place>* places) {
  std::ranges::stable_sort(*places, {}, [](const Place& at) { return at.finding->severity != Severity::kError; });
}

// What makes a finding the same one at another time: everything but where it stands.
std::string KeyOf(const Place& at) {
  return fmt::format("{} {} {}", at.file->name, Fingerprint(at.file->name, *at.finding), at.finding->message);
}

bool IsSaid(const Place& at, std::span<const files::Notice> notices) {
  return std::ranges::any_of(notices, [&at](const files::Notice& notice) {
    return notice.where == at.file->name && notice.finding.rule == at.finding->rule &&
           notice.finding.position == at.finding->position;
  });
}

}  // namespace

void FolderFindings::Take(std::vector<client::JudgedFile> files) {
  Select({}, &files);
  errors_ = 0;
  warnings_ = 0;
  for (client::JudgedFile& file : files) {
    std::erase_if(file.findings, [](const Finding& finding) { return finding.severity == Severity::kInfo; });
    for (const Finding& finding : file.findings) {
      (finding.severity == Severity::kError ? errors_ : warnings_) += 1 + finding.more;
    }
  }
  files_ = std::move(files);
}

std::vector<std::string> FolderFindings::News(std::span<const files::Notice> notices) {
  std::set<std::string, std::less<>> there;
  std::vector<Place> news;
  for (const client::JudgedFile& file : files_) {
    for (const Finding& finding : file.findings) {
      const Place at = {&file, &finding};
      std::string key = KeyOf(at);
      if (!said_.contains(key) && !IsSaid(at, notices)) news.push_back(at);
      there.insert(std::move(key));
    }
  }
  said_ = std::move(there);
  ErrorsFirst(&news);
  std::vector<std::string> lines;
  for (const Place& at : std::span(news).first(std::min(news.size(), kMostSaidAtOnce))) {
    lines.push_back(FindingLine(at.file->name, *at.finding));
  }
  if (lines.size() < news.size()) {
    lines.push_back(fmt::format("{} and {} in all; xdscope validate says each of them", CountWords(errors_, "error"),
                                CountWords(warnings_, "warning")));
  }
  return lines;
}

template <typename Predicate>
std::vector<std::string> FolderFindings::Lines(const Predicate& counts) const {
  std::vector<Place> places;
  for (const client::JudgedFile& file : files_) {
    for (const Finding& finding : file.findings) {
      if (counts(finding)) places.push_back({&file, &finding});
    }
  }
  ErrorsFirst(&places);
  std::vector<std::string> lines;
  for (const Place& at : std::span(places).first(std::min(places.size(), kMostOfAResource))) {
    lines.push_back(FindingLine(at.file->name, *at.finding));
  }
  if (lines.size() < places.size()) lines.push_back(fmt::format("and {} more", places.size() - lines.size()));
  return lines;
}

std::vector<std::string> FolderFindings::Of(std::string_view type_url, std::string_view name) const {
  return Lines([&](const Finding& finding) { return finding.type_url == type_url && finding.resource == name; });
}

std::vector<std::string> FolderFindings::ErrorsOf(std::string_view type_url) const {
  return Lines(
      [&](const Finding& finding) { return finding.type_url == type_url && finding.severity == Severity::kError; });
}

}  // namespace xdscope::cli
