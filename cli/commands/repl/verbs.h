// The verbs, by subject. Each does what its row in AllVerbs() says; for their statuses see Repl::Execute(), which has
// compared the number of words with the row.
#pragma once

#include "cli/commands/repl/repl.h"
#include "cli/commands/repl/verb.h"

namespace xdscope::cli::verbs {

// ---- Streams.
absl::Status Open(Repl& repl, const VerbWords& words);
absl::Status Use(Repl& repl, const VerbWords& words);
absl::Status Streams(Repl& repl, const VerbWords& words);
absl::Status Close(Repl& repl, const VerbWords& words);
absl::Status Reopen(Repl& repl, const VerbWords& words);

// ---- Asking.
absl::Status Sub(Repl& repl, const VerbWords& words);
absl::Status Unsub(Repl& repl, const VerbWords& words);
absl::Status SetFollow(Repl& repl, const VerbWords& words);
absl::Status Resub(Repl& repl, const VerbWords& words);
absl::Status Send(Repl& repl, const VerbWords& words);
absl::Status Preview(Repl& repl, const VerbWords& words);
absl::Status SetNode(Repl& repl, const VerbWords& words);

// Says what the rules for clients say to a request that a person wrote, before it goes out.
void RemarkOn(Repl& repl, ReplStream& stream, const protocol::Request& request);

// ---- Answering.
absl::Status Ack(Repl& repl, const VerbWords& words);
absl::Status Nack(Repl& repl, const VerbWords& words);
absl::Status SetAuto(Repl& repl, const VerbWords& words);
absl::Status Pending(Repl& repl, const VerbWords& words);

// ---- Reading.
absl::Status Show(Repl& repl, const VerbWords& words);
absl::Status List(Repl& repl, const VerbWords& words);
absl::Status Tree(Repl& repl, const VerbWords& words);
absl::Status State(Repl& repl, const VerbWords& words);
absl::Status ShowLog(Repl& repl, const VerbWords& words);
absl::Status ShowRequest(Repl& repl, const VerbWords& words);
absl::Status ShowResponse(Repl& repl, const VerbWords& words);
absl::Status Diff(Repl& repl, const VerbWords& words);
absl::Status Check(Repl& repl, const VerbWords& words);

// ---- Waiting.
absl::Status Wait(Repl& repl, const VerbWords& words);
absl::Status Expect(Repl& repl, const VerbWords& words);

// ---- The conversation itself.
absl::Status Set(Repl& repl, const VerbWords& words);
absl::Status Save(Repl& repl, const VerbWords& words);
absl::Status Source(Repl& repl, const VerbWords& words);
absl::Status ShowHistory(Repl& repl, const VerbWords& words);
absl::Status Help(Repl& repl, const VerbWords& words);
absl::Status Quit(Repl& repl, const VerbWords& words);

}  // namespace xdscope::cli::verbs
