// Files as a command reads and writes them: the one place of cli/ that touches the disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/console/streams.h"
#include "lib/base/status.h"

namespace xdscope::cli {

// Reads the whole file, or what comes out of a pipe that the shell made. Fails with INVALID_ARGUMENT and the reason
// (without the name), at once, where it cannot be read, is anything else or has more than `most` bytes.
absl::StatusOr<std::string> ReadFile(const std::string& path, std::size_t most);

// Makes the folder, and those around it, where they are missing, and returns its absolute path without links. Fails
// with UNAVAILABLE and the system's reason, without the name.
absl::StatusOr<std::string> MakeFolder(const std::string& path);

// Puts a file in place, whole, over one that is there: whoever reads or watches meets the old or the new content. The
// folder must exist and be no link (a link that is there in place of the file is replaced, not followed). With kOwner
// nobody else can read it, at no moment. Fails with UNAVAILABLE and the system's reason, without the name; what was
// there is there still.
absl::Status PutFile(const std::string& path, std::string_view contents, Readers readers);

// Adds a line to the end of a file that its owner alone can read, and makes the file and its folders where they are
// missing. Does not follow a link that stands in place of the file. Fails with UNAVAILABLE and the system's reason.
absl::Status AppendLine(const std::string& path, std::string_view line);

}  // namespace xdscope::cli
