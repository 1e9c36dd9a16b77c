#include <fmt/format.h>

#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/print/message.h"
#include "cli/print/resources.h"
#include "cli/print/words.h"
#include "lib/config/document.h"
#include "lib/config/encode_setting.h"
#include "lib/config/setting.h"

namespace xdscope::cli::verbs {
namespace {

using protocol::Interest;

absl::Status Change(Repl& repl, const VerbWords& words, bool more) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  absl::StatusOr<client::Want> want = WantIn(repl, words.words, (*stream)->settings().api);
  if (!want.ok()) return want.status();
  if (!(*stream)->CanAsk(want->type_url)) {
    return base::Error(absl::StatusCode::kFailedPrecondition,
                       fmt::format("{} has no method in the variant {}", TypeWord(want->type_url),
                                   VariantName((*stream)->settings().variant)));
  }
  protocol::InterestChange change{more ? InterestOf(*want) : Interest(), more ? Interest() : InterestOf(*want)};
  const protocol::Subscription* known = (*stream)->Find(want->type_url);
  // Without a name everything is dropped that was asked for, by name too.
  if (!more && want->everything && want->names.empty() && known != nullptr) change.remove = known->interest();
  (*stream)->Want(want->type_url, change);
  known = (*stream)->Find(want->type_url);
  const bool waits = known != nullptr && !known->pending().empty();
  if (waits && words.now) {
    (*stream)->SessionOf(want->type_url)->Adjust([&](protocol::AdsSession& ads) {
      ads.SayInterestNow(want->type_url);
    });
  } else if (waits) {
    repl.Remark("it goes out with the answer to the response that waits (B.0-7); --now sends it at once");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Sub(Repl& repl, const VerbWords& words) {
  return Change(repl, words, true);
}

absl::Status Unsub(Repl& repl, const VerbWords& words) {
  return Change(repl, words, false);
}

absl::Status Resub(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  const absl::StatusOr<client::Want> want = WantIn(repl, words.words, (*stream)->settings().api);
  if (!want.ok()) return want.status();
  if (want->names.empty()) return Missing("NAME");
  session::Session* session = (*stream)->SessionOf(want->type_url);
  if (session == nullptr) return absl::NotFoundError("nothing was asked of this type yet");
  absl::Status status;
  session->Adjust([&](protocol::AdsSession& ads) {
    for (const std::string& name : want->names) {
      if (status.ok()) status = ads.Resubscribe(want->type_url, name);
    }
  });
  return status;
}

absl::Status Send(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  if (words.words.empty()) return Missing("a request, as JSON");
  if (words.words.size() > 1) return Unexpected(words.words[1]);
  const absl::StatusOr<config::Document> document = config::ParseDocument(words.words[0], "request");
  if (!document.ok()) return document.status();
  const ReplStream::Settings& settings = (*stream)->settings();
  const config::Setting request(*document, document->root());
  const absl::StatusOr<std::string> bytes = config::EncodeSetting(
      request, DiscoveryMessage(settings.api, types::IsDelta(settings.variant), Direction::kRequest),
      encode::Unknown::kRefuse, repl.types());
  if (!bytes.ok()) return bytes.status();
  return (*stream)->Send(std::string(request["type_url"].Text()), *bytes);
}

absl::Status SetNode(Repl& repl, const VerbWords& words) {
  for (const std::string& word : words.words) {
    const bool is_id = word.starts_with("id=");
    const bool is_cluster = word.starts_with("cluster=");
    const std::string_view flag = is_id ? "node-id" : is_cluster ? "node-cluster" : "metadata";
    const std::string value = is_id || is_cluster ? word.substr(word.find('=') + 1) : word;
    const absl::Status status = repl.services().set_flag(flag, value, &repl.settings());
    if (!status.ok()) return status;
  }
  if (words.words.empty()) {
    RenderRaw({{"envoy.config.core.v3.Node", repl.settings().connect.node}}, repl.settings().output, repl.types(),
              repl.console().out());
    return absl::OkStatus();
  }
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (stream.ok() && (*stream)->is_open()) repl.Remark("the next stream says it: open, or reopen");
  return absl::OkStatus();
}

}  // namespace xdscope::cli::verbs
