#include "cli/commands/repl/verb.h"

#include <array>

#include <fmt/format.h>

#include "cli/args/nearest.h"
#include "cli/commands/repl/verbs.h"

namespace xdscope::cli {

std::span<const Verb> AllVerbs() {
  static constexpr std::array kVerbs = {
      Verb{"sub", "TYPE [NAME...] [--now]", "ask for a type: everything, or names", "sub cds a b", &verbs::Sub},
      Verb{"unsub", "TYPE [NAME...] [--now]", "no longer ask: for names, or for anything of the type", "unsub cds a",
           &verbs::Unsub},
      Verb{"resub", "TYPE NAME...", "say names again that are asked for already", "resub eds web", &verbs::Resub},
      Verb{"ack", "[TYPE|#N]", "accept the oldest response that waits, or response N of the log", "ack cds",
           &verbs::Ack},
      Verb{"nack", "[TYPE|#N] MESSAGE [--code N]", "refuse a response, with these words", "nack cds bad cluster",
           &verbs::Nack},
      Verb{"auto", "[ack|nack|judge|off]", "answer by itself from now on, or no longer", "auto ack", &verbs::SetAuto},
      Verb{"pending", "", "list the responses that wait for an answer", "pending", &verbs::Pending},
      Verb{"show", "[TYPE [NAME...]]", "print what is held", "show eds web", &verbs::Show},
      Verb{"list", "[TYPE [NAME...]]", "list what is held, one line each", "list cds", &verbs::List},
      Verb{"tree", "", "draw what refers to what among all that is held", "tree", &verbs::Tree},
      Verb{"state", "[TYPE]", "say what is wanted, held and answered, by type or by name", "state cds", &verbs::State},
      Verb{"check", "[TYPE [NAME...]]", "say what is wrong with what came last", "check cds", &verbs::Check},
      Verb{"log", "[N]", "list requests and responses, the last N of them", "log 10", &verbs::ShowLog},
      Verb{"request", "N", "print request N of the log in full", "request 3", &verbs::ShowRequest},
      Verb{"response", "N", "print response N of the log in full", "response 4", &verbs::ShowResponse},
      Verb{"send", "JSON", "send a request exactly as it is written",
           "send '{type_url: type.googleapis.com/envoy.config.cluster.v3.Cluster}'", &verbs::Send},
      Verb{"node", "[KEY=VALUE...]", "print the node, or change it: id, cluster, or a key of its metadata",
           "node id=web-1", &verbs::SetNode},
      Verb{"wait", "[TYPE] [--for 5s]", "wait for a response that no earlier wait has seen", "wait cds --for 10s",
           &verbs::Wait},
      Verb{"expect", "[not] TYPE [NAME...] [--for 5s]", "fail unless it is held by then; with `not`, if it is",
           "expect eds web", &verbs::Expect},
      Verb{"open", "[VARIANT] [TYPE] [TARGET]", "open another stream", "open delta-ads localhost:18000", &verbs::Open},
      Verb{"use", "N", "make stream N the one that verbs are about", "use 2", &verbs::Use},
      Verb{"streams", "", "list the streams", "streams", &verbs::Streams},
      Verb{"close", "[N]", "end a stream", "close 2", &verbs::Close},
      Verb{"reopen", "[N] [--fresh]", "open it again as a client would, or with nothing remembered", "reopen --fresh",
           &verbs::Reopen},
      Verb{"set", "[OPTION VALUE]", "print the options, or change one: output, json-names, show-secrets, wait",
           "set output json", &verbs::Set},
      Verb{"save", "FILE", "write what was typed so far as a script", "save bug.xds", &verbs::Save},
      Verb{"source", "FILE", "do what stands in a script", "source bug.xds", &verbs::Source},
      Verb{"help", "[VERB]", "say what verbs there are, or all about one", "help sub", &verbs::Help},
      Verb{"quit", "", "end all streams and leave", "quit", &verbs::Quit},
  };
  return kVerbs;
}

absl::StatusOr<const Verb*> FindVerb(std::string_view word) {
  std::vector<std::string_view> names;
  std::vector<const Verb*> begins;
  for (const Verb& verb : AllVerbs()) {
    if (verb.name == word) return &verb;
    names.push_back(verb.name);
    if (verb.name.starts_with(word)) begins.push_back(&verb);
  }
  if (begins.size() == 1) return begins.front();
  if (begins.empty()) {
    return base::Error(absl::StatusCode::kInvalidArgument,
                       fmt::format("{}: is no verb{}", word, DidYouMean(word, names)));
  }
  std::string several;
  for (const Verb* verb : begins) several += fmt::format("{}{}", several.empty() ? "" : ", ", verb->name);
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: may be {}", word, several));
}

}  // namespace xdscope::cli
