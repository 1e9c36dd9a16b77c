#include "cli/commands/validate/in_force.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "cli/print/words.h"
#include "lib/files/folder.h"
#include "lib/finding/reading_rules.h"
#include "lib/finding/rules.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

using Kind = base::FolderEvent::Kind;

// Errors that a person means and Envoy does not: it takes the file, and drops or corrupts what they are about.
constexpr std::string_view kTaken[] = {
    finding::kBinaryCutOffRule, finding::kDuplicateKeyRule,     finding::kMergeKeyRule,
    finding::kUnknownFieldRule, finding::kSeveralDocumentsRule, finding::kOpenQuoteRule,
};

bool IsRefused(const finding::Finding& finding) {
  const finding::Rule* const rule = finding::FindRule(finding.rule);
  return finding.severity == finding::Severity::kError && (rule == nullptr || rule->client != finding::Client::kGrpc) &&
         std::ranges::find(kTaken, finding.rule) == std::end(kTaken);
}

bool WasMoved(const WatchedFile& file, const std::set<base::FolderEvent>& events) {
  return events.contains({base::FolderOf(file.path), std::string(base::NameOf(file.path)), Kind::kMovedHere});
}

// Its folder was replaced, or it is behind a link and another name was moved into its folder: "..data" of a Kubernetes
// volume. [F05]
bool WasSwapped(const WatchedFile& file, const std::set<base::FolderEvent>& events) {
  const std::string folder = base::FolderOf(file.path);
  return std::ranges::any_of(events, [&](const base::FolderEvent& event) {
    if (event.kind != Kind::kMovedHere) return false;
    const bool beside = event.folder == folder && !files::IsDiscoveryFile(event.name);
    return (file.linked && beside) || (event.folder == base::FolderOf(folder) && event.name == base::NameOf(folder));
  });
}

}  // namespace

std::size_t CountRefused(const client::JudgedFile& file) {
  std::size_t count = 0;
  for (const finding::Finding& finding : file.findings) count += IsRefused(finding) ? 1 + finding.more : 0;
  return count;
}

std::string InForce::LineAbout(const WatchedFile& file, Known* known, const std::set<base::FolderEvent>& events) {
  const std::string name = format::Printable(file.path);
  if (file.is_bootstrap)
    return fmt::format("{}: has changed: Envoy reads its bootstrap when it starts, and no more", name);
  const bool moved = WasMoved(file, events);
  const bool swapped = !moved && WasSwapped(file, events);
  if (!file.stamp || (!moved && !swapped)) {
    return fmt::format("{}: {}: Envoy would not notice, and what it read before stays in force", name,
                       file.stamp ? "was written in place" : "is gone");
  }
  const std::string_view how = moved ? "was moved here" : "a link or folder was swapped";
  const std::string_view where = moved ? "" : ", with `watched_directory`";
  if (file.refused == 0) {
    known->has_good = true;
    return fmt::format("{}: {}: Envoy would load it{}", name, how, where);
  }
  return fmt::format("{}: {}: Envoy would load it{}, and refuse what has {}; {}", name, how, where,
                     CountWords(file.refused, "error"),
                     known->has_good ? "the last good one stays in force" : "there was no good one before");
}

std::vector<std::string> InForce::Take(const std::vector<WatchedFile>& files,
                                       const std::set<base::FolderEvent>& events) {
  std::vector<std::string> lines;
  std::set<std::string, std::less<>> there;
  for (const WatchedFile& file : files) {
    there.insert(file.path);
    const auto [row, is_new] = known_.try_emplace(file.path);
    Known& known = row->second;
    if (is_new && begun_ && file.stamp) lines.push_back(fmt::format("{}: is new", format::Printable(file.path)));
    if (is_new) known.has_good = file.stamp && file.refused == 0;
    if (!is_new && known.stamp != file.stamp) lines.push_back(LineAbout(file, &known, events));
    known.stamp = file.stamp;
  }
  for (auto& [path, known] : known_) {
    if (there.contains(path) || !known.stamp) continue;
    known.stamp.reset();
    WatchedFile gone;
    gone.path = path;
    lines.push_back(LineAbout(gone, &known, events));
  }
  begun_ = true;
  return lines;
}

}  // namespace xdscope::cli
