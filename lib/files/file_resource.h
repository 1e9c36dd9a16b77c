// One resource as a file has it: its name, the version that its content has, its bytes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/status.h"
#include "lib/format/read.h"
#include "lib/wire/message.h"
#include "lib/wire/type.h"

namespace xdscope::files {

struct FileResource {
  std::string type_url;  // "type.googleapis.com/…", whatever prefix the file has
  std::string name;      // the wrapper's, else the payload's own; xdstp names in normal form
  std::string version;   // the same exactly when the content is, in this run and in others
  std::vector<std::string> aliases;
  std::string payload;
  std::string origin;               // where it was read: "cds.yaml:12"
  std::chrono::nanoseconds ttl{0};  // the wrapper's; 0: it has none, and in v2 nothing has one
  // The payload decoded, where it had to be to be read: see format::ReadResource.
  std::optional<wire::Message> message = {};
};

// Shared by the folder, which keeps what a file last said, and whoever offers it.
using ResourcePtr = std::shared_ptr<const FileResource>;

// Names a resource that was read and gives it its version. INVALID_ARGUMENT: it has no name. OUT_OF_RANGE: its time to
// live is not positive (XDS-S060). DATA_LOSS: its bytes are not of its type.
absl::StatusOr<FileResource> MakeFileResource(format::ReadResource read, wire::Types& types);

}  // namespace xdscope::files
