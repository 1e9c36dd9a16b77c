// What Envoy would do with the files that are watched while they change: load them, refuse them, or not notice. Knows
// which of them had a good content to go on with; reads and watches nothing. [reference/protocol.md E.1: F04, F05, F08]
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/base/files.h"
#include "lib/base/watcher.h"
#include "lib/client/file_judge.h"

namespace xdscope::cli {

// How a file stands.
struct WatchedFile {
  std::string path;
  std::optional<base::FileStamp> stamp;  // nullopt: it is not there
  bool linked = false;                   // something on the way to it is a link
  bool is_bootstrap = false;
  std::size_t refused = 0;  // errors for which Envoy refuses it, or a resource in it
};

// Returns how many of the findings are errors for which Envoy refuses something. What it takes and silently drops or
// corrupts does not count.
std::size_t CountRefused(const client::JudgedFile& file);

class InForce {
 public:
  // Takes how the files stand after these events, and returns a line for each that has changed: what happened to it,
  // and what Envoy would do. The first time there are no lines: Envoy reads what is there when it starts.
  std::vector<std::string> Take(const std::vector<WatchedFile>& files, const std::set<base::FolderEvent>& events);

 private:
  struct Known {
    std::optional<base::FileStamp> stamp;
    bool has_good = false;  // Envoy has read it without an error
  };

  static std::string LineAbout(const WatchedFile& file, Known* known, const std::set<base::FolderEvent>& events);

  bool begun_ = false;
  std::map<std::string, Known> known_;  // by path
};

}  // namespace xdscope::cli
