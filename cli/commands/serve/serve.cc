#include "cli/commands/serve/serve.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/commands/serve/notes.h"
#include "cli/console/report.h"
#include "cli/print/words.h"
#include "cli/workbench.h"
#include "lib/base/files.h"
#include "lib/base/watcher.h"
#include "lib/server/control_plane.h"
#include "lib/server/folder.h"
#include "lib/server/inventory.h"

namespace xdscope::cli {
namespace {

// What is written in several steps within this time (by an editor, by swapping a link) is one change.
constexpr std::chrono::milliseconds kSettle{50};
// A cluster stays this long after the routes that used it: long enough for a client to take the routes first.
constexpr std::chrono::milliseconds kMakeBeforeBreak{1000};
// Clients have this long to take what is on its way when the server ends.
constexpr std::chrono::milliseconds kGrace{500};

bool IsLocal(std::string_view address) {
  return address.starts_with("127.") || address.starts_with("[::1]") || address.starts_with("unix:");
}

// One run: everything that lives while the loop runs.
class Run {
 public:
  Run(const ServeOptions& settings, Workbench& bench)
      : settings_(settings),
        bench_(bench),
        streams_(bench.streams()),
        loop_(bench.loop()),
        report_(bench.report()),
        said_(report_, bench.types(), streams_.err.terminal),
        folder_(settings.folder, files_, bench.types(),
                [this](std::string_view path, std::uint64_t size) { said_.Reading(path, size); }),
        plane_(inventory_, said_, bench.types(), {settings.v2}) {}

  int Execute() {
    const auto listed = files_.List(folder_.path());
    if (!listed.ok()) return report_.Fail({.cause = Cause::kOther, .status = listed.status()});
    const absl::Status watching = Watch();
    if (!watching.ok()) return report_.Fail({.cause = Cause::kOther, .status = watching});
    // Listens before the files are read, because it may fail; whoever connects meanwhile is heard when the loop runs.
    auto server =
        transport::Server::Start(loop_, settings_.server, [this](auto stream) { plane_.Take(std::move(stream)); });
    if (!server.ok()) return FailToListen(server.status());
    Load();
    Introduce((*server)->address());
    streams_.err.write(fmt::format("grpc {}\n", (*server)->address()));
    bench_.OnInterrupt([&] { End(**server); });
    loop_.Run();
    return ToInt(ExitCode::kDone);
  }

 private:
  absl::Status Watch() {
    auto watcher = base::WatchFolders(loop_, [this](const std::string& folder, const std::string& name) {
      if (!folder_.Concerns(folder, name) || std::exchange(dirty_, true)) return;
      settle_ = loop_.After(kSettle, [this](base::Time) {
        dirty_ = false;
        Load();
      });
    });
    if (!watcher.ok()) return watcher.status();
    watcher_ = *std::move(watcher);
    return absl::OkStatus();
  }

  // Reads the folder. Watches it first: what happens from here on is told, so nothing is missed between reading and
  // watching; what happens meanwhile is read twice, which changes nothing.
  void Load() {
    watcher_->Watch(folder_.WatchedFolders());
    const server::Folder::News news = folder_.Rescan();
    said_.Notices(news.notices);
    watcher_->Watch(folder_.WatchedFolders());  // links may lead elsewhere now
    if (news.changed) Offer();
  }

  // Offers what the folder holds. Clusters that go together with what pointed to them go a moment later, when this runs
  // again: make before break. A change in between starts the moment anew.
  void Offer() {
    std::vector<server::ResourcePtr> resources = folder_.Resources();
    const std::vector<server::ResourcePtr> departing = inventory_.Departing(resources);
    resources.insert(resources.end(), departing.begin(), departing.end());
    const server::Inventory::SetResult update = inventory_.Set(resources);
    said_.Update(update);
    plane_.Push(update.changes);
    departure_ = departing.empty() ? base::Timer() : loop_.After(kMakeBeforeBreak, [this](base::Time) { Offer(); });
  }

  void Introduce(const std::string& address) {
    std::string what;
    for (const auto& [type_url, count] : inventory_.Types()) {
      what += fmt::format("{}{} {}", what.empty() ? "" : ", ", count, TypeWord(type_url));
    }
    if (what.empty()) what = "nothing yet; .yaml, .json, .pb and .pb_text files that come into it will be served";
    report_.Note(fmt::format("serving {}: {}", folder_.path(), what));
    if (!settings_.server.tls && !IsLocal(address)) {
      report_.Note("note: whoever reaches this address can read all of it, secrets too: it is plaintext");
    }
  }

  int FailToListen(const absl::Status& status) {
    if (absl::IsInvalidArgument(status)) return ReportUsage(base::Prefix(status, "--listen"), streams_);
    report_.Say(base::Message(status));
    if (status.code() == absl::StatusCode::kUnavailable) report_.Note("hint: --listen 127.0.0.1:0 takes a free port");
    return ToInt(ExitCode::kSource);
  }

  void End(transport::Server& server) {
    settle_ = {};
    departure_ = {};
    server.Stop(kGrace, [this] { loop_.Stop(); });
  }

  const ServeOptions& settings_;
  Workbench& bench_;
  Streams& streams_;
  base::Loop& loop_;
  Report& report_;
  base::DiskFiles files_;
  ServeNotes said_;
  server::Folder folder_;
  server::Inventory inventory_;
  server::ControlPlane plane_;
  std::unique_ptr<base::Watcher> watcher_;
  base::Timer settle_;
  base::Timer departure_;
  bool dirty_ = false;  // something happened that Load() has not seen
};

}  // namespace

int RunServe(const ServeOptions& settings, LoadedTypes& types, Streams& streams) {
  Workbench bench(settings, types, streams);
  return Run(settings, bench).Execute();
}

}  // namespace xdscope::cli
