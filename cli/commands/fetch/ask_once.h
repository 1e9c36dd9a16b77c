// One call after a stream that stayed silent. A server that says nothing on a stream may have words in answer to a
// call: go-control-plane waits for a snapshot on the one and says "missing snapshot for …" on the other.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/flags/options.h"
#include "cli/workbench.h"
#include "lib/client/fetch.h"
#include "lib/source/source.h"

namespace xdscope::cli {

class AskOnce {
 public:
  // What the server said, as one line for people; empty: nothing that helps.
  using Done = std::function<void(std::string words)>;

  // Asks for what is wanted of one type by the unary method of `server`, as the same node, for a second at most.
  // `done` is called once, by the loop, unless this is gone by then. Null where nothing can be asked so.
  static std::unique_ptr<AskOnce> Begin(const ConnectOptions& options, const ServerOptions& server, client::Want want,
                                        Workbench& bench, Done done);

 private:
  AskOnce(ConnectOptions options, Done done) : options_(std::move(options)), done_(std::move(done)) {}
  std::string Words() const;

  const ConnectOptions options_;
  const Done done_;
  std::unique_ptr<source::Source> source_;
  std::unique_ptr<client::Fetch> fetch_;
};

}  // namespace xdscope::cli
