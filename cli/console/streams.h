// What a run sees of the process around it: the streams it writes to and whether they are terminals, the environment,
// and files. A value, so that a test hands in strings in place of a terminal and a disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lib/base/files.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// One output stream. It is not buffered, so whoever writes much hands over large pieces.
struct OutputStream {
  // Writes all of `text`. Returns false where nobody reads any more (`| head` has seen enough) or it cannot be written
  // (the disk is full); the caller stops writing, and Run() says the second at the end.
  std::function<bool(std::string_view text)> write;
  bool terminal = false;
  int width = 80;  // columns of the terminal
};

// Who may read a file.
enum class Readers : std::uint8_t { kOwner, kAsUsual };

struct Streams {
  OutputStream out;
  OutputStream err;
  // Reads files (or fails with INVALID_ARGUMENT and the system's reason, without the name) and environment variables.
  config::Surroundings surroundings;
  // The files that a TARGET may name. Lives as long as the process.
  const base::Files* files = nullptr;
  // Makes a folder where it is missing and returns its absolute path. UNAVAILABLE with the system's reason, without the
  // name.
  std::function<absl::StatusOr<std::string>(const std::string& path)> make_folder;
  // Puts a whole file into a folder that is there and no link, over an older one. UNAVAILABLE as above.
  std::function<absl::Status(const std::string& path, std::string_view contents, Readers readers)> put_file;
  // Adds a line to a file that its owner alone can read, see AppendLine().
  std::function<absl::Status(const std::string& path, std::string_view line)> append_line;
  bool input_is_terminal = false;  // stdin
  // Writes a line to stderr, or not where it would have to wait. Empty: there is no stderr.
  std::function<void(std::string_view line)> last_words;
  // Ends the process with this code, at once: what a run holds (20,000 resources, gRPC's threads) need not be taken
  // apart first. Empty where there is no process to end: the run returns the code.
  std::function<void(int code)> leave;
};

// The columns and rows of the terminal that a descriptor is; 80 and 24 where it does not say.
struct TerminalSize {
  int columns = 80;
  int rows = 24;
};
TerminalSize SizeOfTerminal(int descriptor);

// Returns the streams of this process, descriptors 1 and 2. Makes the process ignore SIGPIPE from now on: a reader that
// left is told by OutputStream::write. Where writing to stdout fails for another reason, that comes into *out_error.
Streams ProcessStreams(std::string* out_error);

}  // namespace xdscope::cli
