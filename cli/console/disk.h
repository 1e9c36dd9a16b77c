// Files as a command reads and writes them: the one place of cli/ that touches the disk.
#pragma once

#include <string>
#include <string_view>

#include "cli/console/streams.h"
#include "lib/base/status.h"

namespace xdscope::cli {

// Reads the whole file. Fails with INVALID_ARGUMENT and the system's reason (without the name) where it cannot be read
// or is a folder.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Makes the folder, and those around it, where they are missing, and returns its absolute path without links. Fails
// with UNAVAILABLE and the system's reason, without the name.
absl::StatusOr<std::string> MakeFolder(const std::string& path);

// Puts a file in place, whole, over one that is there: whoever reads or watches meets the old or the new content. The
// folder must exist and be no link (a link that is there in place of the file is replaced, not followed). With kOwner
// nobody else can read it, at no moment. Fails with UNAVAILABLE and the system's reason, without the name; what was
// there is there still.
absl::Status PutFile(const std::string& path, std::string_view contents, Readers readers);

}  // namespace xdscope::cli
