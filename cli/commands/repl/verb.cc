#include "cli/commands/repl/verb.h"

#include <array>

#include <fmt/format.h>

#include "cli/args/nearest.h"
#include "cli/commands/repl/verbs.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

// Of a word that is no verb, as a message repeats it.
constexpr std::size_t kLongestWord = 60;

}  // namespace

std::span<const Verb> AllVerbs() {
  static constexpr std::array kVerbs = {
      Verb{"sub", "TYPE [NAME...] [--now]", "ask for a type: everything, or names", "sub cds a b", Argument::kType,
           Argument::kName, true, &verbs::Sub},
      Verb{"unsub", "TYPE [NAME...] [--now]", "no longer ask: for names, or for anything of the type", "unsub cds a",
           Argument::kType, Argument::kName, true, &verbs::Unsub},
      Verb{"resub", "TYPE NAME...", "say names again that are asked for already", "resub eds web", Argument::kType,
           Argument::kName, true, &verbs::Resub},
      Verb{"ack", "[TYPE|#N]", "accept the oldest response that waits, or response N of the log", "ack cds",
           Argument::kWaiting, Argument::kNothing, true, &verbs::Ack},
      Verb{"nack", "[TYPE|#N] MESSAGE [--code N]", "refuse a response, with these words", "nack cds bad cluster",
           Argument::kWaiting, Argument::kText, true, &verbs::Nack},
      Verb{"auto", "[ack|nack|judge|off]", "answer by itself from now on, or no longer; print what it does", "auto ack",
           Argument::kAnswers, Argument::kNothing, true, &verbs::SetAuto},
      Verb{"pending", "", "list the responses that wait for an answer", "pending", Argument::kNothing,
           Argument::kNothing, false, &verbs::Pending},
      Verb{"follow", "[on|off]", "ask for what is referred to, and no longer for what is not", "follow on",
           Argument::kOnOff, Argument::kNothing, true, &verbs::SetFollow},
      Verb{"show", "[TYPE [NAME...]]", "print what is held", "show eds web", Argument::kType, Argument::kName, true,
           &verbs::Show},
      Verb{"list", "[TYPE [NAME...]]", "list what is held, one line each", "list cds", Argument::kType, Argument::kName,
           true, &verbs::List},
      Verb{"tree", "", "draw what refers to what among all that is held", "tree", Argument::kNothing,
           Argument::kNothing, true, &verbs::Tree},
      Verb{"state", "[TYPE]", "say what is wanted, held and answered, by type or by name", "state cds", Argument::kType,
           Argument::kNothing, true, &verbs::State},
      Verb{"check", "[TYPE [NAME...]]", "say what is wrong with what came last, and with what is held", "check cds",
           Argument::kType, Argument::kName, true, &verbs::Check},

      Verb{"diff", "TYPE [NAME...] [#N #M]",
           "say what a response that waits would change, or what the last two (or N and M) did", "diff cds #4 #9",
           Argument::kType, Argument::kName, true, &verbs::Diff},
      Verb{"log", "[N]", "list requests and responses, the last N of them", "log 10", Argument::kCount,
           Argument::kNothing, true, &verbs::ShowLog},
      Verb{"request", "N", "print request N of the log in full", "request 3", Argument::kRequest, Argument::kNothing,
           true, &verbs::ShowRequest},
      Verb{"response", "N", "print response N of the log in full", "response 4", Argument::kResponse,
           Argument::kNothing, true, &verbs::ShowResponse},
      Verb{"send", "REQUEST", "send a request exactly as it is written, in JSON or YAML",
           "send '{type_url: type.googleapis.com/envoy.config.cluster.v3.Cluster}'", Argument::kText,
           Argument::kNothing, true, &verbs::Send},
      Verb{"preview", "[TYPE]", "print what the next request would be, with an ACK where a response waits",
           "preview cds", Argument::kType, Argument::kNothing, true, &verbs::Preview},
      Verb{"node", "[KEY=VALUE...]", "print the node, or change it: id, cluster, or a key of its metadata",
           "node id=web-1", Argument::kNodeKey, Argument::kNodeKey, true, &verbs::SetNode},
      Verb{"wait", "[TYPE] [--for 5s]", "wait for a response that no earlier wait has seen", "wait cds --for 10s",
           Argument::kType, Argument::kNothing, true, &verbs::Wait},
      Verb{"expect", "[not] TYPE [NAME...] [--for 5s]",
           "fail unless it is held by then; with `not`, if it is held until then", "expect eds web",
           Argument::kExpected, Argument::kName, true, &verbs::Expect},
      Verb{"open", "[VARIANT] [TYPE] [TARGET]", "open another stream", "open delta-ads localhost:18000",
           Argument::kVariantOrType, Argument::kVariantOrType, true, &verbs::Open},
      Verb{"use", "N", "make stream N the one that verbs are about", "use 2", Argument::kStream, Argument::kNothing,
           true, &verbs::Use},
      Verb{"streams", "", "list the streams", "streams", Argument::kNothing, Argument::kNothing, true, &verbs::Streams},
      Verb{"close", "[N]", "end a stream", "close 2", Argument::kStream, Argument::kNothing, true, &verbs::Close},
      Verb{"reopen", "[N] [--fresh]", "open it again as a client would, or with nothing remembered", "reopen --fresh",
           Argument::kStream, Argument::kNothing, true, &verbs::Reopen},
      Verb{
          "set", "[OPTION [VALUE]]",
          "print the options, or one, or change it: output, color, json-names, show-secrets, emit-defaults, wait, keys",
          "set output json", Argument::kOption, Argument::kValue, true, &verbs::Set},
      Verb{"save", "FILE", "write what was done so far as a script", "save bug.xds", Argument::kFile,
           Argument::kNothing, false, &verbs::Save},
      Verb{"source", "FILE", "do what stands in a script", "source bug.xds", Argument::kFile, Argument::kNothing, false,
           &verbs::Source},
      Verb{"history", "", "list the lines that were typed", "history", Argument::kNothing, Argument::kNothing, false,
           &verbs::ShowHistory},
      Verb{"help", "[VERB]", "say what verbs there are, or all about one", "help sub", Argument::kVerb,
           Argument::kNothing, false, &verbs::Help},
      Verb{"quit", "", "end all streams and leave", "quit", Argument::kNothing, Argument::kNothing, false,
           &verbs::Quit},
  };
  return kVerbs;
}

std::vector<std::string_view> OptionsOf(const Verb& verb) {
  std::vector<std::string_view> options;
  for (std::size_t at = verb.usage.find("--"); at != verb.usage.npos; at = verb.usage.find("--", at + 1)) {
    options.push_back(verb.usage.substr(at, verb.usage.find_first_of(" ]", at) - at));
  }
  return options;
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
    const std::string near = DidYouMean(word, names);
    return base::Error(absl::StatusCode::kInvalidArgument,
                       fmt::format("{}: is no verb{}", format::Shortened(word, kLongestWord),
                                   near.empty() ? "; help lists them" : near));
  }
  std::string several;
  for (const Verb* verb : begins) several += fmt::format("{}{}", several.empty() ? "" : ", ", verb->name);
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: may be {}", word, several));
}

}  // namespace xdscope::cli
