// What a source says of one type at one moment: resources that came, names that went, what is wrong with them. The same
// value whatever the source is; who prints, keeps or judges it is not known here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/protocol/response.h"
#include "lib/resource/snapshot.h"
#include "lib/wire/message.h"

namespace xdscope::source {

struct Update {
  std::string type_url;
  std::string version;  // delta: system_version_info
  bool whole = false;   // the resources are all there is of the type (LDS and CDS in SotW)
  // What came and was asked for, in the order of the response. Bad ones too: see findings.
  std::vector<resource::Resource> resources;
  std::vector<std::string> removed;
  // Why a client may refuse it: a resource whose bytes do not parse, of a wrong type, with a name twice or none. Their
  // `entry` is a place in the response.
  std::vector<finding::Finding> findings;
  std::size_t entries = 0;  // resources in the response, unasked ones and marks without payload among them
};

// Whether a finding of a response is a reason to refuse it, or for the eye only.
bool MakesBad(const finding::Finding& finding);

// Reads the resources of a response, each decoded once.
Update MakeUpdate(const protocol::Response& response, bool whole, wire::Types& types);

}  // namespace xdscope::source
