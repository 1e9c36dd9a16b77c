// What a run sees of the process around it: the three standard streams, whether they are terminals, and the
// environment. A value, so that a test hands in strings in place of a terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace xdscope::cli {

// One output stream. Unbuffered: who writes much hands over large pieces.
struct Output {
  // Writes all of `text`. False: nobody reads any more (`| head` has seen enough) or it cannot be written (the disk is
  // full); the caller stops writing, and Run() says the second at the end.
  std::function<bool(std::string_view text)> write;
  bool terminal = false;
  int width = 80;  // columns; of a terminal
};

struct Streams {
  Output out;
  Output err;
  std::function<std::string()> read_input;  // all of stdin
  // An environment variable; nullopt when it is not set.
  std::function<std::optional<std::string>(std::string_view name)> environment;
};

// The streams of this process: descriptors 0, 1 and 2. From now on SIGPIPE is ignored: a reader that left is told by
// Output::write. Why writing to stdout failed, if it did for another reason, is in *out_error.
Streams ProcessStreams(std::string* out_error);

}  // namespace xdscope::cli
