#include <fmt/format.h>

#include <span>

#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/print/words.h"
#include "lib/format/printable.h"
#include "lib/protocol/names.h"

namespace xdscope::cli::verbs {
namespace {

using Words = std::vector<std::string>;

// The response that a verb is about: `#N`, the oldest of a TYPE, or the oldest at all.
absl::StatusOr<const LogEntry*> Answered(ReplStream& stream, Words* words) {
  const auto oldest = [&stream](std::string_view type_url) -> const LogEntry* {
    for (const source::Update& update : stream.waiting()) {
      if (type_url.empty() || update.type_url == type_url) return stream.log().Find(*update.waiter);
    }
    return nullptr;
  };
  std::string type_url;
  if (!words->empty() && words->front().starts_with('#')) {
    const std::optional<int> number = NumberIn(std::string_view(words->front()).substr(1));
    const LogEntry* entry = number ? stream.log().Find(static_cast<std::uint64_t>(*number)) : nullptr;
    if (entry == nullptr || !entry->incoming) return UsageError(words->front(), "is no response; log lists them");
    words->erase(words->begin());
    return entry;
  }
  if (!words->empty() && IsTypeWord(words->front())) {
    const auto requests = ParseTypes(std::span(*words).first(1), stream.settings().api, protocol::Wildcard::kLegacy);
    if (!requests.ok()) return requests.status();
    type_url = requests->front().want.type_url;
    words->erase(words->begin());
  }
  const LogEntry* entry = oldest(type_url);
  if (entry == nullptr) {
    return absl::FailedPreconditionError(type_url.empty() ? "no response waits for an answer"
                                                          : "no response of this type waits for an answer");
  }
  return entry;
}

// An answer that the protocol has no place for any more is written by hand and sent all the same.
absl::Status AnswerAnyway(Repl& repl, ReplStream& stream, const LogEntry& entry, const protocol::Verdict& verdict) {
  if (stream.files() != nullptr) {
    return absl::FailedPreconditionError("it has had its answer, and files take none twice; sub reads them again");
  }
  session::Session* session = stream.SessionOf(entry.type_url);
  const protocol::Subscription* known = stream.Find(entry.type_url);
  if (session == nullptr || known == nullptr) return absl::FailedPreconditionError("nothing was asked of this type");
  protocol::Request request;
  request.type_url = entry.type_url;
  request.nonce = entry.nonce;
  const bool refuses = verdict.kind != protocol::Verdict::Kind::kAck;
  if (!known->is_delta()) {
    request.version = refuses ? std::string(known->version()) : entry.version;
    if (known->interest().starred()) request.names.emplace_back(protocol::kStar);
    request.names.insert(request.names.end(), known->interest().names().begin(), known->interest().names().end());
  }
  if (refuses) request.error = {verdict.code.value_or(session->ads().options().nack_code), verdict.message};
  protocol::EncodeRequest(session->ads().options().variant, {}, &request);
  RemarkOn(repl, stream, request);
  return session->Send(std::move(request.bytes));
}

absl::Status Give(Repl& repl, const VerbWords& typed, bool refuses) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  Words words = typed.words;
  const absl::StatusOr<const LogEntry*> entry = Answered(**stream, &words);
  if (!entry.ok()) return entry.status();
  protocol::Verdict verdict;
  if (refuses) {
    std::string message;
    for (const std::string& word : words) message += (message.empty() ? "" : " ") + word;
    if (message.empty()) return Missing("MESSAGE");
    verdict = protocol::Verdict::Nack(std::move(message));
    if (!typed.code_value.empty()) {
      const absl::Status has = RefuseForFiles(**stream, "--code", "which are told of no refusal", "leave it out");
      if (!has.ok()) return has;
      const std::optional<int> code = NumberIn(typed.code_value);
      if (!code) return UsageError("--code", "expected a number, as of google.rpc.Code");
      verdict.code = *code;
    }
  } else if (!words.empty()) {
    return Unexpected(words.front());
  }
  const std::string type_url = (*entry)->type_url;
  if (!(*entry)->waiter) return AnswerAnyway(repl, **stream, **entry, verdict);
  const absl::Status status = (*stream)->Answer(*(*entry)->waiter, verdict);
  if (status.code() == absl::StatusCode::kNotFound) return AnswerAnyway(repl, **stream, **entry, verdict);
  if (status.ok() && (*stream)->files() != nullptr) repl.Remark(InForceWords(**stream, type_url));
  return status;
}

}  // namespace

absl::Status Ack(Repl& repl, const VerbWords& words) {
  return Give(repl, words, false);
}

absl::Status Nack(Repl& repl, const VerbWords& words) {
  return Give(repl, words, true);
}

absl::Status SetAuto(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  if (words.words.empty()) {
    repl.Print(fmt::format("{}\n", AutoName((*stream)->settings().answers)));
    return absl::OkStatus();
  }
  const std::optional<Auto> answers = FindAuto(words.words[0]);
  if (!answers) return UsageError(words.words[0], "expected ack, nack, judge or off");
  return (*stream)->set_answers(*answers);
}

absl::Status Pending(Repl& repl, const VerbWords& /*words*/) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  if ((*stream)->waiting().empty()) repl.Remark("no response waits");
  for (const source::Update& update : (*stream)->waiting()) {
    const LogEntry* entry = (*stream)->log().Find(*update.waiter);
    const std::uint64_t number = entry == nullptr ? 0 : entry->number;
    repl.Print(fmt::format("#{} {}\n", number, format::Printable(UpdateWords(**stream, update))));
  }
  return absl::OkStatus();
}

}  // namespace xdscope::cli::verbs
