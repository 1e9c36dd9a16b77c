#include "cli/commands/validate/watch_files.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/validate/in_force.h"
#include "cli/workbench.h"
#include "lib/base/type_url.h"
#include "lib/base/watcher.h"

namespace xdscope::cli {
namespace {

// What is written in several steps within this time is one change.
constexpr std::chrono::milliseconds kSettle{50};

// One run: everything that lives while the loop runs.
class WatchRun {
 public:
  WatchRun(const ValidateOptions& options, LoadedTypes& types, Workbench& bench)
      : options_(options), types_(types), bench_(bench), files_(*bench.streams().files) {}

  int Execute() {
    auto watcher = base::WatchFolders(bench_.loop(), [this](const base::FolderEvent& event) { On(event); });
    if (!watcher.ok()) return bench_.report().Fail({.cause = Cause::kOther, .status = watcher.status()});
    watcher_ = *std::move(watcher);
    Watch({});
    bench_.OnInterrupt([this] { bench_.loop().Stop(); });
    Judge();
    bench_.loop().Run();
    return bench_.Leave(code_);
  }

 private:
  // Watches where the files are, and where links lead to.
  void Watch(const std::vector<WatchedFile>& files) {
    std::vector<std::string> folders;
    const auto add = [&folders](std::string folder) {
      if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
    };
    std::vector<std::string> paths = options_.targets;
    for (const WatchedFile& file : files) paths.push_back(file.path);
    for (const std::string& path : paths) add(base::FolderOf(path));
    for (const std::string& target : options_.targets) {
      if (files_.List(target).ok()) add(target);
    }
    // Of a folder with two names the events have the first one.
    for (const std::string& path : paths) {
      const std::string resolved = files_.Resolve(path);
      if (!resolved.empty()) add(base::FolderOf(resolved));
    }
    watcher_->Watch(folders);
  }

  void On(const base::FolderEvent& event) {
    const bool begins = events_.empty();
    events_.insert(event);
    if (begins) settle_ = bench_.loop().After(kSettle, [this](base::Time) { Judge(); });
  }

  // Judges all files, and prints what was found where it is not what was found before.
  void Judge() {
    const std::set<base::FolderEvent> events = std::exchange(events_, {});
    JudgedTargets judged = JudgeTargets(options_, types_, bench_.streams());
    const std::vector<WatchedFile> files = StateOf(judged.result);
    Watch(files);
    std::vector<std::string> lines = in_force_.Take(files, events);
    Select(options_.selection, &judged.result.files);
    std::string text = FindingsText(judged.result, options_);
    if (std::exchange(printed_, text) == text && lines.empty()) return;
    for (const std::string& line : lines) bench_.report().Note(line);
    code_ = Conclude(judged, options_, bench_.streams());
  }

  std::vector<WatchedFile> StateOf(const ValidateResult& result) const {
    std::vector<WatchedFile> files;
    for (const client::JudgedFile& file : result.files) {
      WatchedFile& state = files.emplace_back();
      state.path = file.name;
      if (const auto stamp = files_.Stamp(file.name); stamp.ok()) state.stamp = *stamp;
      const std::string folder = files_.Resolve(base::FolderOf(file.name));
      state.linked = files_.Resolve(file.name) != folder + "/" + std::string(base::NameOf(file.name));
      state.is_bootstrap = file.resources.size() == 1 &&
                           base::MessageName(file.resources.front().type_url) == "envoy.config.bootstrap.v3.Bootstrap";
      state.refused = CountRefused(file);
    }
    return files;
  }

  const ValidateOptions& options_;
  LoadedTypes& types_;
  Workbench& bench_;
  const base::Files& files_;
  std::unique_ptr<base::Watcher> watcher_;
  std::set<base::FolderEvent> events_;  // that no judged has taken up
  base::Timer settle_;
  InForce in_force_;
  std::string printed_;
  int code_ = ToInt(ExitCode::kDone);
};

}  // namespace

int RunValidateWatch(const ValidateOptions& options, LoadedTypes& types, Streams& streams) {
  Workbench bench(options, types, streams);
  return WatchRun(options, types, bench).Execute();
}

}  // namespace xdscope::cli
