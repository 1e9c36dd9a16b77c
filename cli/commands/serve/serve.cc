#include "cli/commands/serve/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/flag_types.h"
#include "cli/commands/serve/notes.h"
#include "cli/console/report.h"
#include "cli/print/words.h"
#include "cli/workbench.h"
#include "lib/base/files.h"
#include "lib/client/folder_judge.h"
#include "lib/files/folder.h"
#include "lib/files/folder_reader.h"
#include "lib/files/folder_watch.h"
#include "lib/server/control_plane.h"
#include "lib/server/inventory.h"
#include "lib/server/rest_plane.h"
#include "lib/transport/http_server.h"
#include "lib/transport/target.h"

namespace xdscope::cli {
namespace {

// A cluster stays this long after the routes that used it: long enough for a client to take the routes first.
constexpr std::chrono::milliseconds kMakeBeforeBreak{1000};
// Clients have this long to take what is on its way when the server ends.
constexpr std::chrono::milliseconds kGrace{500};
// Who ends it has waited long enough: gRPC takes ten seconds to close 50,000 streams, and the system none.
constexpr std::chrono::milliseconds kLongestEnd{600};

bool IsLocal(std::string_view address) {
  const absl::StatusOr<transport::Target> target = transport::ParseTarget(address);
  return target.ok() && target->is_local;
}

rlim_t DescriptorLimit() {
  rlimit limit{};
  (void)getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

// Each client takes a descriptor, and the limit that a shell starts with is 1024.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
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
        folder_types_(bench.types().schema()),
        folder_(settings.folder, files_, folder_types_, settings.strictness,
                [this](std::string_view path, std::uint64_t size) { SayReading(std::string(path), size); }),
        judge_(folder_.path(), files_, folder_types_),
        said_(report_, bench.types(), inventory_, folder_.path(), streams_.err.terminal),
        watch_(
            loop_, folder_, [this](const files::FolderReader::Reading& reading) { Take(reading); },
            [this] { Judge(); }),
        plane_(loop_, inventory_, said_, bench.types(), {settings.v2, settings.faults}),
        rest_plane_(loop_, inventory_, said_, bench.types(),
                    {settings.v2, settings.hold, settings.faults.delay, [this] { return plane_.NextId(); }}) {}

  int Execute() {
    const auto listed = files_.List(folder_.path());
    if (!listed.ok()) return report_.Fail({.cause = Cause::kOther, .status = listed.status()});
    const absl::Status watching = watch_.Watch(files::FolderWatch::Rule::kAnyWrite);
    if (!watching.ok()) return report_.Fail({.cause = Cause::kOther, .status = watching});
    // Listens before the files are read, because it may fail.
    RaiseDescriptorLimit();
    absl::StatusOr<std::unique_ptr<transport::Server>> server = transport::Server::Start(
        loop_, settings_.server, [this](auto stream) { Accept(std::move(stream)); },
        [this](const absl::Status& why) { Fail(why); });
    if (!server.ok()) return FailToListen("--listen", server.status());
    server_ = *std::move(server);
    const absl::Status rest = ListenForRest();
    if (!rest.ok()) return FailToListen("--rest-listen", rest);
    bench_.OnInterrupt([this] { End(); });
    watch_.Read();
    loop_.Run();
    return bench_.Leave(ToInt(code_));
  }

 private:
  absl::Status ListenForRest() {
    if (settings_.rest_listen.empty()) return absl::OkStatus();
    transport::ServerSettings settings = settings_.server;
    settings.listen = settings_.rest_listen;
    absl::StatusOr<std::unique_ptr<transport::HttpServer>> server = transport::HttpServer::Start(
        loop_, settings, {}, [this](auto call) { AcceptRest(std::move(call)); },
        [this](const absl::Status& why) { Fail(why); });
    if (!server.ok()) return server.status();
    rest_server_ = *std::move(server);
    return absl::OkStatus();
  }

  void AcceptRest(std::unique_ptr<transport::HttpCall> call) {
    loaded_ ? rest_plane_.Take(std::move(call)) : early_calls_.push_back(std::move(call));
  }

  // Streams that come before the folder was read wait for it: nothing is known of any resource yet.
  void Accept(std::unique_ptr<transport::ServerStream> stream) {
    loaded_ ? plane_.Take(std::move(stream)) : early_.push_back(std::move(stream));
  }

  // Takes what was read.
  void Take(const files::FolderReader::Reading& reading) {
    if (ending_) return;
    said_.Notices(reading.news.notices);
    said_.Findings(reading.news.notices);
    if (settings_.strict && said_.errors() > 0) return Withhold();
    if (reading.news.changed || std::exchange(withheld_, false)) {
      resources_ = reading.resources;
      Offer();
    }
    if (!std::exchange(loaded_, true)) Open();
  }

  // Runs on the thread that reads the folder, after it has read: what is found is there when that is taken.
  void Judge() {
    auto judged = judge_.Judge();
    if (!judged) return;
    loop_.Post([this, judged = std::make_shared<std::vector<client::JudgedFile>>(*std::move(judged))] {
      said_.Judged(std::move(*judged));
    });
  }

  // There is an error in the folder, and it is to be served without any (--strict).
  void Withhold() {
    const std::string errors = CountWords(said_.errors(), "error");
    if (!loaded_) {
      report_.Say(fmt::format("{}: {}: nothing is served (--strict)", folder_.path(), errors));
      code_ = ExitCode::kNo;
      return End();
    }
    withheld_ = true;
    report_.Say(fmt::format("{}: {}: what was served last stays (--strict)", folder_.path(), errors));
  }

  // Begins to serve.
  void Open() {
    Introduce(server_->address());
    streams_.err.write(fmt::format("grpc {}\n", server_->address()));
    if (rest_server_ != nullptr) streams_.err.write(fmt::format("rest {}\n", rest_server_->address()));
    for (auto& stream : std::exchange(early_, {})) plane_.Take(std::move(stream));
    for (auto& call : std::exchange(early_calls_, {})) rest_plane_.Take(std::move(call));
  }

  // Tells the loop, since the folder is read on another thread.
  void SayReading(std::string path, std::uint64_t size) {
    loop_.Post([this, path = std::move(path), size] { said_.Reading(path, size); });
  }

  // Offers what the folder holds. Clusters that go together with what pointed to them go a moment later, when this runs
  // again: make before break. A change in between starts the moment anew.
  void Offer() {
    std::vector<files::ResourcePtr> resources = resources_;
    const std::vector<files::ResourcePtr> departing = inventory_.Departing(resources);
    resources.insert(resources.end(), departing.begin(), departing.end());
    const server::Inventory::SetResult update = inventory_.Set(resources);
    said_.Update(update);
    plane_.Push(update.changes);
    if (!update.changes.empty()) rest_plane_.Push();
    departure_ = departing.empty() ? base::Timer() : loop_.After(kMakeBeforeBreak, [this](base::Time) { Offer(); });
  }

  void Introduce(const std::string& address) {
    std::string what;
    for (const auto& [type_url, count] : inventory_.Types()) {
      what += fmt::format("{}{} {}", what.empty() ? "" : ", ", count, TypeWord(type_url));
    }
    if (what.empty()) what = "nothing yet; .yaml, .json, .pb and .pb_text files that come into it will be served";
    report_.Note(fmt::format("serving {}: {}", folder_.path(), what));
    SayFaults();
    const bool local = IsLocal(address) && (rest_server_ == nullptr || IsLocal(rest_server_->address()));
    if (!settings_.server.tls && !local) {
      report_.Note("note: whoever reaches this address can read all of it, secrets too: it is plaintext");
    }
  }

  // A line for each, so that nobody looks for them in the client.
  void SayFaults() {
    const server::Faults& faults = settings_.faults;
    const auto say = [this](const std::string& what) { report_.Note("fault: " + what); };
    if (faults.delay.count() > 0)
      say(fmt::format("each response is on its way for {}", AbslUnparseFlag(DurationFlag{faults.delay})));
    if (faults.close_after > 0) {
      say(fmt::format("a stream is closed with UNAVAILABLE after {}", CountWords(faults.close_after, "response")));
    }
    if (faults.drop_nonce) say("responses have no nonce");
    if (faults.resend_refused) say("what a client refuses is sent again at once");
  }

  int FailToListen(std::string_view flag, const absl::Status& status) {
    if (absl::IsInvalidArgument(status)) return ReportUsage(base::Prefix(status, flag), streams_);
    report_.Say(base::Message(status));
    if (status.code() == absl::StatusCode::kUnavailable) {
      report_.Note(fmt::format("hint: {} 127.0.0.1:0 takes a free port", flag));
    }
    return ToInt(ExitCode::kSource);
  }

  // Ends, because clients could no longer come: better than to look alive to those that are here alone.
  void Fail(const absl::Status& why) {
    code_ = ExitCode::kSource;
    report_.Say(base::Message(why));
    report_.Note(fmt::format("hint: each client takes one of {} descriptors: raise the hard limit (ulimit -Hn)",
                             DescriptorLimit()));
    End();
  }

  void End() {
    if (std::exchange(ending_, true)) return;
    departure_ = {};
    longest_end_ = loop_.After(kLongestEnd, [this](base::Time) { loop_.Stop(); });
    server_->Stop(kGrace, [this] { loop_.Stop(); });
  }

  const ServeOptions& settings_;
  Workbench& bench_;
  Streams& streams_;
  base::Loop& loop_;
  Report& report_;
  base::DiskFiles files_;
  wire::Types folder_types_;  // of the thread that reads the folder
  files::Folder folder_;
  client::FolderJudge judge_;  // of that thread
  server::Inventory inventory_;
  ServeNotes said_;
  files::FolderWatch watch_;
  std::vector<files::ResourcePtr> resources_;  // that the folder held when it was last offered
  server::ControlPlane plane_;
  std::unique_ptr<transport::HttpServer> rest_server_;  // nullptr: REST is not served
  server::RestPlane rest_plane_;
  std::vector<std::unique_ptr<transport::ServerStream>> early_;
  std::vector<std::unique_ptr<transport::HttpCall>> early_calls_;
  std::unique_ptr<transport::Server> server_;
  base::Timer departure_;
  base::Timer longest_end_;
  bool loaded_ = false;    // the folder was read once
  bool withheld_ = false;  // what it holds was not offered (--strict)
  bool ending_ = false;
  ExitCode code_ = ExitCode::kDone;
};

}  // namespace

int RunServe(const ServeOptions& settings, LoadedTypes& types, Streams& streams) {
  Workbench bench(settings, types, streams);
  return Run(settings, bench).Execute();
}

}  // namespace xdscope::cli
