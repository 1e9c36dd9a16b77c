// What `--out-dir` writes: which file holds what, and what is in the resources' config sources then, so that a proxy
// runs on the files alone. A pure value: knows neither disk nor format.
//
// Envoy takes all listeners, clusters and scopes from one file each, and everything else one resource per file. What it
// takes from no file stands in place: the route configurations of scopes in the scopes, virtual hosts (VHDS) in their
// route configuration.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/resource/references.h"
#include "lib/resource/snapshot.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

struct OfflineEntry {
  std::string name;
  std::string type_url;
  std::string payload;
};

// One DiscoveryResponse.
struct OfflineFile {
  std::string path;  // in the folder: "eds/web.yaml"
  std::string type_url;
  std::string version;
  std::vector<OfflineEntry> entries;  // none: the resource is absent
  bool secret = false;                // something in it is to be shown to nobody
};

struct OfflineRequest {
  std::string folder;  // absolute; what the config sources begin with
  std::string ending;  // of the files, by which Envoy knows the format: "yaml", "json", "pb", "pb_text"
  resource::ThisServer this_server;
  // Type and name of resources that were asked for and do not exist (SRDS: no name). They get a file without a
  // resource: Envoy starts with it as it would with the server, and takes the resource when somebody puts it there.
  std::set<std::pair<std::string, std::string>> absent;
};

struct OfflinePlan {
  std::vector<OfflineFile> files;           // what is referred to before what refers: best written in this order
  std::set<std::string> not_by_file;        // what Envoy takes from no file, and what became of it
  std::set<resource::Reference> unfetched;  // to this server, and not asked for: their sources stay
  std::set<resource::Reference> elsewhere;  // their sources stay
};

// Plans the files of a snapshot. The paths in the resources are those of the plan.
OfflinePlan PlanOffline(const resource::Snapshot& snapshot, const OfflineRequest& request, wire::Types& types);

}  // namespace xdscope::cli
