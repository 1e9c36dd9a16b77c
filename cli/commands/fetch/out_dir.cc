#include "cli/commands/fetch/out_dir.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/fetch/offline_bootstrap.h"
#include "cli/commands/fetch/offline_plan.h"
#include "cli/print/conclusion.h"
#include "cli/print/words.h"
#include "lib/base/files.h"
#include "lib/format/document.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

constexpr std::string_view kBootstrap = "envoy.yaml";

std::string_view EndingOf(format::DocumentFormat format) {
  switch (format) {
    case format::DocumentFormat::kJson:
    case format::DocumentFormat::kNdjson:
      return "json";
    case format::DocumentFormat::kText:
      return "pb_text";
    case format::DocumentFormat::kBinary:
      return "pb";
    case format::DocumentFormat::kYaml:
      break;
  }
  return "yaml";
}

// Returns what does not exist. After a conversation that broke that is only what the server had said by then: the rest
// may have been on its way.
std::set<std::pair<std::string, std::string>> AbsentOf(const client::Outcome& outcome) {
  const bool whole = outcome.failures.empty() && !outcome.out_of_time;
  std::set<std::pair<std::string, std::string>> absent;
  for (const client::MissingName& missing : outcome.missing) {
    if (whole || missing.said) absent.emplace(missing.type_url, missing.name);
  }
  const std::string srds(types::FindByWord("srds")->v3.type_url);
  const bool silent = std::find(outcome.silent.begin(), outcome.silent.end(), srds) != outcome.silent.end();
  if (whole && silent) absent.emplace(srds, "");
  return absent;
}

std::string TextOf(const OfflineFile& file, const OutputOptions& output, wire::Types& types) {
  std::string text;
  format::Output out([&text](std::string_view chunk) {
    text += chunk;
    return absl::OkStatus();
  });
  format::DocumentWriter writer(types, {.format = output.format, .walk = output.walk, .style = {}}, out);
  format::TypeListing listing{file.type_url, file.version, {}};
  for (const OfflineEntry& entry : file.entries) {
    listing.resources.push_back({.name = entry.name,
                                 .version = file.version,
                                 .type_url = entry.type_url,
                                 .payload = entry.payload,
                                 .wrapper = {}});
  }
  writer.Write(listing);
  out.Flush().IgnoreError();
  return text;
}

// Quotes a path for the shell where that is needed, since the last line is there to be copied.
std::string Quoted(std::string_view path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=@:,%";
  if (path.find_first_not_of(kPlain) == path.npos) return std::string(path);
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The folder of one run, and what was put into it.
class OutFolder {
 public:
  OutFolder(std::string given, std::string absolute, bool show_secrets, const Streams& streams)
      : given_(std::move(given)), absolute_(std::move(absolute)), show_secrets_(show_secrets), streams_(streams) {}

  // `secret`: something in it is redacted, or would be.
  absl::Status Put(const std::string& path, std::string_view text, bool secret, Readers readers) {
    const std::string folder = base::FolderOf(path);
    if (folder != "." && folders_.insert(folder).second) {
      const auto made = streams_.make_folder(fmt::format("{}/{}", absolute_, folder));
      if (!made.ok()) return base::Prefix(made.status(), Name(folder));
    }
    if (secret && show_secrets_) readers = Readers::kOwner;
    const absl::Status status = streams_.put_file(fmt::format("{}/{}", absolute_, path), text, readers);
    if (!status.ok()) return base::Prefix(status, Name(path));
    if (secret && !show_secrets_) redacted_.push_back(path);
    written_.push_back(path);
    return absl::OkStatus();
  }

  // Returns a path as the person who gave the folder would write it.
  std::string Name(std::string_view path) const {
    return fmt::format("{}{}{}", given_, given_.ends_with('/') ? "" : "/", path);
  }

  const std::string& absolute() const { return absolute_; }
  const std::vector<std::string>& redacted() const { return redacted_; }
  const std::vector<std::string>& written() const { return written_; }

 private:
  std::string given_;
  std::string absolute_;
  bool show_secrets_;
  const Streams& streams_;
  std::set<std::string> folders_;
  std::vector<std::string> redacted_;
  std::vector<std::string> written_;
};

std::vector<std::string> WordsOf(const std::set<resource::Reference>& references) {
  std::vector<std::string> words;
  for (const resource::Reference& reference : references) {
    std::string word = ResourceWord(reference.type_url, reference.name);
    if (!reference.elsewhere.empty()) word += fmt::format(" ({})", reference.elsewhere);
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> NotesOn(const OfflinePlan& plan, const OutFolder& folder, bool followed) {
  std::vector<std::string> notes;
  // After a fetch that followed references its own report has said this.
  if (!followed && !plan.elsewhere.empty()) notes.push_back("elsewhere: " + Listed(WordsOf(plan.elsewhere)));
  if (!plan.unfetched.empty()) {
    notes.push_back(fmt::format("not fetched, so their config sources stay as they are{}: {}",
                                followed ? "" : " (--follow fetches them)", Listed(WordsOf(plan.unfetched))));
  }
  if (!plan.not_by_file.empty()) {
    notes.push_back("envoy takes from no file: " + Listed({plan.not_by_file.begin(), plan.not_by_file.end()}));
  }
  if (!folder.redacted().empty()) {
    notes.push_back(fmt::format("secrets are redacted in {}: --show-secrets writes them, for you alone to read",
                                Listed(folder.redacted())));
  }
  return notes;
}

absl::Status Interrupted(const OutFolder& folder, std::size_t all, std::string_view given) {
  const std::vector<std::string>& written = folder.written();
  return base::Error(absl::StatusCode::kCancelled,
                     fmt::format("{}: interrupted: {} of {} written{}{}", given, written.size(),
                                 CountWords(all, "file"), written.empty() ? "" : ": ", Listed(written)));
}

// A file under sds/ is for its owner alone, redacted or not: somebody will put the key into it.
Readers ReadersOf(const OfflineFile& file) {
  return types::RowOf(file.type_url).short_name == "sds" ? Readers::kOwner : Readers::kAsUsual;
}

bool IsRoot(const OfflineFile& file) {
  const types::KnownType* known = types::FindByUrl(file.type_url);
  return known != nullptr && known->full_state;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> WriteOutDir(const client::Outcome& outcome, const FetchOptions& settings,
                                                     const resource::ThisServer& this_server, wire::Types& types,
                                                     const Streams& streams, const std::function<bool()>& interrupted) {
  const std::string& given = settings.out_dir;
  const absl::StatusOr<std::string> absolute = streams.make_folder(given);
  if (!absolute.ok()) return base::Prefix(absolute.status(), given);
  const bool show_secrets = settings.output.walk.show_secrets;
  OutFolder folder(given, *absolute, show_secrets, streams);
  const std::string ending(EndingOf(settings.output.format));
  const OfflinePlan plan = PlanOffline(outcome.snapshot, {*absolute, ending, this_server, AbsentOf(outcome)}, types);
  for (const OfflineFile& file : plan.files) {
    if (interrupted()) return Interrupted(folder, plan.files.size(), given);
    const absl::Status status =
        folder.Put(file.path, TextOf(file, settings.output, types), file.secret, ReadersOf(file));
    if (!status.ok()) return status;
  }
  // Without listeners and clusters there is nothing to run: the files are for a bootstrap that is there already.
  const bool runs = std::any_of(plan.files.begin(), plan.files.end(), &IsRoot);
  if (runs) {
    const BootstrapText bootstrap = MakeBootstrap(plan, *absolute, settings.connect.node, show_secrets, types);
    const absl::Status status =
        folder.Put(std::string(kBootstrap), bootstrap.yaml, bootstrap.secret, Readers::kAsUsual);
    if (!status.ok()) return status;
  }
  std::vector<std::string> notes = NotesOn(plan, folder, settings.fetch.follow);
  std::string summary = fmt::format("wrote {} to {}", CountWords(folder.written().size(), "file"), given);
  if (runs) summary += fmt::format("; run them with: envoy -c {}", Quoted(folder.Name(kBootstrap)));
  notes.push_back(std::move(summary));
  return notes;
}

}  // namespace xdscope::cli
