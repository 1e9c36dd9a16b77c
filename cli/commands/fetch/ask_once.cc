#include "cli/commands/fetch/ask_once.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "cli/args/type_argument.h"
#include "cli/console/diagnosis.h"
#include "cli/print/words.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

constexpr std::chrono::seconds kLongest(1);

// The same server, spoken to by calls, and nobody else.
ConnectOptions ByCalls(ConnectOptions options, const ServerOptions& server) {
  options.where = server.where;
  options.channel = server.channel;
  options.api = server.api;
  options.variant = types::Variant::kUnary;
  options.sources.clear();
  options.routes.clear();
  options.verbosity = 0;
  return options;
}

}  // namespace

std::unique_ptr<AskOnce> AskOnce::Begin(const ConnectOptions& options, const ServerOptions& server, client::Want want,
                                        Workbench& bench, Done done) {
  const bool has_call = !types::Method(types::RowOf(want.type_url), types::Variant::kUnary, server.api).empty();
  if (!server.path.empty() || types::IsUnary(server.variant) || !has_call) return nullptr;
  std::unique_ptr<AskOnce> asked(new AskOnce(ByCalls(options, server), std::move(done)));
  auto source = bench.MakeSource(asked->options_);
  if (!source.ok()) return nullptr;
  asked->source_ = *std::move(source);
  client::FetchSettings settings;
  settings.wants = {std::move(want)};
  settings.api = server.api;
  settings.wait = kLongest;
  client::Fetch::Listener listener;
  // What ends here is not destroyed by what it calls.
  listener.done = [self = asked.get(), &bench] { bench.loop().Post([self] { self->done_(self->Words()); }); };
  asked->fetch_ = std::make_unique<client::Fetch>(bench.loop(), *asked->source_, bench.types(), std::move(settings),
                                                  std::move(listener));
  asked->fetch_->Start();
  return asked;
}

std::string AskOnce::Words() const {
  const client::Outcome& outcome = fetch_->outcome();
  if (outcome.response_count > 0) {
    return fmt::format("a single call is answered: try --variant {}", VariantName(types::Variant::kUnary));
  }
  if (outcome.failures.empty() || !outcome.failures.front().connected) return {};
  const Diagnosis diagnosis = Diagnose(outcome.failures.front().status, true, options_);
  if (!diagnosis.from_server || diagnosis.cause == Cause::kUnimplemented) return {};
  return fmt::format("asked once more by a single call, it says {}", FactOf(diagnosis));
}

}  // namespace xdscope::cli
