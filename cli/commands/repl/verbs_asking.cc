#include <fmt/format.h>

#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/remarks.h"
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

// The current stream, for verbs that need one that takes requests.
absl::StatusOr<ReplStream*> AskedStream(Repl& repl, std::string_view verb) {
  absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream;
  const absl::Status takes = RefuseForFiles(**stream, verb, "which take no requests", "sub reads them");
  return takes.ok() ? stream : takes;
}

absl::Status Change(Repl& repl, const VerbWords& words, bool more) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  absl::StatusOr<client::Want> want = WantIn(repl, words.words, (*stream)->settings().api);
  if (!want.ok()) return want.status();
  const ReplStream::Settings& settings = (*stream)->settings();
  absl::Status can = CheckVariant({TypeWord(want->type_url), *want}, settings.variant, settings.api);
  if (can.ok() && words.now) can = RefuseForFiles(**stream, "--now", "which are read at once", "leave it out");
  if (!can.ok()) return can;
  protocol::InterestChange change{more ? InterestOf(*want) : Interest(), more ? Interest() : InterestOf(*want)};
  const Interest* interest = (*stream)->InterestIn(want->type_url);
  // `unsub TYPE` drops all that was asked for, by name too; `unsub TYPE *` the wildcard alone.
  const bool all = words.words.size() == 1 && words.words.front().find(':') == std::string::npos;
  if (!more && all && interest != nullptr) change.remove = *interest;
  const std::optional<Interest> before = interest == nullptr ? std::nullopt : std::optional(*interest);
  (*stream)->Want(want->type_url, change);
  interest = (*stream)->InterestIn(want->type_url);
  if ((*stream)->files() != nullptr || types::IsUnary(settings.variant)) {  // each `sub` is a reading or a request
    const bool said = (*stream)->files() == nullptr && (interest == nullptr || before != *interest);
    if (more && !said) (*stream)->AskAgain(want->type_url);
    return absl::OkStatus();
  }
  const protocol::Subscription* known = (*stream)->Find(want->type_url);
  const bool waits = known != nullptr && !known->pending().empty();
  if (waits && words.now) {
    repl.Remark("XDS-C027: a response waits for its verdict; interest changes with or after that");
    (*stream)->SessionOf(want->type_url)->Adjust([&](protocol::AdsSession& ads) {
      ads.SayInterestNow(want->type_url);
    });
  } else if (waits) {
    repl.Remark("it goes out with the answer to the response that waits (B.0-7); --now sends it at once");
  }
  return absl::OkStatus();
}

// Puts the type URL in place of a word for it (`type_url: cds`), which no server knows.
std::string CompleteType(std::string bytes, const protocol::Request& request, const ReplStream::Settings& settings) {
  const types::KnownType* known = types::FindByWord(request.type_url);
  if (known == nullptr || !known->names(settings.api).exists()) return bytes;
  return protocol::WithType(protocol::VariantOf(settings.variant), bytes, known->names(settings.api).type_url);
}

// What is known before a request goes out that a person wrote.
RequestContext ContextOf(ReplStream& stream, const protocol::AdsSession& ads) {
  return {ads, [&stream](std::string_view type_url, std::string_view nonce) {
            return stream.log().VersionOf(type_url, nonce);
          }};
}

}  // namespace

void RemarkOn(Repl& repl, ReplStream& stream, const protocol::Request& request) {
  const session::Session* session = stream.SessionOf(request.type_url);
  if (session == nullptr) return;
  for (const std::string& remark : RemarksOn(request, ContextOf(stream, session->ads()))) repl.Remark(remark);
}

absl::Status Sub(Repl& repl, const VerbWords& words) {
  return Change(repl, words, true);
}

absl::Status Unsub(Repl& repl, const VerbWords& words) {
  return Change(repl, words, false);
}

absl::Status Resub(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = AskedStream(repl, "resub");
  if (!stream.ok()) return stream.status();
  const absl::StatusOr<client::Want> want = WantIn(repl, words.words, (*stream)->settings().api);
  if (!want.ok()) return want.status();
  if (want->names.empty()) return Missing("NAME");
  session::Session* session = (*stream)->SessionOf(want->type_url);
  const bool asked = session != nullptr && session->ads().Find(want->type_url) != nullptr;
  if (!asked) {
    return base::Error(absl::StatusCode::kFailedPrecondition,
                       fmt::format("nothing was asked of {} yet; sub asks", TypeWord(want->type_url)));
  }
  absl::Status status;
  session->Adjust([&](protocol::AdsSession& ads) {
    for (const std::string& name : want->names) {
      if (status.ok()) status = ads.Resubscribe(want->type_url, name);
    }
  });
  return status;
}

absl::Status Send(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = AskedStream(repl, "send");
  if (!stream.ok()) return stream.status();
  const absl::StatusOr<config::Document> document = config::ParseDocument(words.words[0], "request");
  if (!document.ok()) return document.status();
  const ReplStream::Settings& settings = (*stream)->settings();
  const config::Setting request(*document, document->root());
  absl::StatusOr<std::string> bytes = config::EncodeSetting(
      request, DiscoveryMessage(settings.api, types::IsDelta(settings.variant), Direction::kRequest),
      encode::Unknown::kRefuse, repl.types());
  if (!bytes.ok()) return bytes.status();
  const protocol::Variant variant = protocol::VariantOf(settings.variant);
  absl::StatusOr<protocol::Request> read = protocol::DecodeRequest(variant, *bytes);
  if (read.ok()) read = protocol::DecodeRequest(variant, CompleteType(*std::move(bytes), *read, settings));
  if (!read.ok()) return read.status();
  RemarkOn(repl, **stream, *read);
  return (*stream)->Send(read->type_url, read->bytes);
}

absl::Status Preview(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = AskedStream(repl, "preview");
  if (!stream.ok()) return stream.status();
  absl::StatusOr<std::string> type_url = TypeIn(repl, words, (*stream)->settings().api);
  if (!type_url.ok()) return type_url.status();
  if (type_url->empty() && !(*stream)->waiting().empty()) *type_url = (*stream)->waiting().front().type_url;
  if (type_url->empty() && !(*stream)->types().empty()) *type_url = (*stream)->types().back();
  const session::Session* session = (*stream)->SessionOf(*type_url);
  if (type_url->empty() || session == nullptr) {
    return absl::FailedPreconditionError("nothing was asked for yet; sub asks");
  }
  const protocol::Subscription* known = session->ads().Find(*type_url);
  const bool waits = known != nullptr && !known->pending().empty();
  const std::optional<protocol::Request> next =
      session->ads().Preview(waits ? std::optional(known->pending().front().id) : std::nullopt);
  if (!next) {
    repl.Print("nothing is to be sent\n");
    return absl::OkStatus();
  }
  const ReplStream::Settings& settings = (*stream)->settings();
  RenderRaw({{DiscoveryMessage(settings.api, types::IsDelta(settings.variant), Direction::kRequest), next->bytes}},
            repl.Output(), repl.types(), repl.console().out());
  return absl::OkStatus();
}

absl::Status SetFollow(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  if (words.words.empty()) {
    repl.Print((*stream)->follows() ? "on\n" : "off\n");
    return absl::OkStatus();
  }
  const std::string& word = words.words[0];
  if (word != "on" && word != "off") return UsageError(word, "expected on or off");
  (*stream)->Follow(word == "on");
  for (const client::Elsewhere& elsewhere : (*stream)->elsewhere()) {
    repl.Remark(fmt::format("elsewhere: {}, {}", ResourceWord(elsewhere.type_url, elsewhere.name), elsewhere.where));
  }
  return absl::OkStatus();
}

absl::Status SetNode(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> current = repl.Current();
  if (current.ok()) {
    const absl::Status has = RefuseForFiles(**current, "node", "which are read whoever reads them",
                                            "open HOST:PORT talks with a server, and it is said there");
    if (!has.ok()) return has;
  }
  for (const std::string& word : words.words) {
    const bool is_id = word.starts_with("id=");
    const bool is_cluster = word.starts_with("cluster=");
    const std::string_view flag = is_id ? "node-id" : is_cluster ? "node-cluster" : "metadata";
    const std::string value = is_id || is_cluster ? word.substr(word.find('=') + 1) : word;
    const absl::Status status = repl.services().set_flag(flag, value, &repl.settings());
    if (!status.ok()) return status;
  }
  if (words.words.empty()) {
    RenderRaw({{"envoy.config.core.v3.Node", repl.settings().connect.node}}, repl.Output(), repl.types(),
              repl.console().out());
    return absl::OkStatus();
  }
  if (current.ok() && (*current)->is_open()) repl.Remark("the next stream says it: open, or reopen");
  return absl::OkStatus();
}

}  // namespace xdscope::cli::verbs
