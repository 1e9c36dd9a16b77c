#include "cli/commands/all.h"

#include <array>

#include "cli/commands/describe/flags.h"
#include "cli/commands/fetch/flags.h"
#include "cli/commands/help.h"
#include "cli/commands/repl/flags.h"
#include "cli/commands/serve/flags.h"
#include "cli/commands/validate/flags.h"
#include "cli/commands/watch/flags.h"
#include "cli/flags/channel.h"
#include "cli/flags/follow.h"
#include "cli/flags/messages.h"
#include "cli/flags/node.h"
#include "cli/flags/output.h"
#include "cli/flags/protocol.h"
#include "cli/flags/schema.h"

namespace xdscope::cli {

std::span<const Command> AllCommands() {
  static const auto* const groups = new std::array{
      FlagGroup{"Fetching", FetchFlags()}, FlagGroup{"", FollowFlags()},
      FlagGroup{"Output", OutputFlags()},  FlagGroup{"Connection", ConnectionFlags()},
      FlagGroup{"Who asks", NodeFlags()},  FlagGroup{"How it is asked", ProtocolFlags()},
      FlagGroup{"", SchemaFlags()},        FlagGroup{"Messages", MessageFlags()},
  };
  static const auto* const repl_groups = new std::array{
      FlagGroup{"The conversation", ReplFlags()},    FlagGroup{"Output", OutputFlags()},
      FlagGroup{"Connection", ConnectionFlags()},    FlagGroup{"Who asks", NodeFlags()},
      FlagGroup{"How it is asked", ProtocolFlags()}, FlagGroup{"", SchemaFlags()},
      FlagGroup{"Messages", MessageFlags()},
  };
  static const auto* const watch_groups = new std::array{
      FlagGroup{"Watching", WatchFlags()}, FlagGroup{"", FollowFlags()},
      FlagGroup{"Output", OutputFlags()},  FlagGroup{"Connection", ConnectionFlags()},
      FlagGroup{"Who asks", NodeFlags()},  FlagGroup{"How it is asked", ProtocolFlags()},
      FlagGroup{"", SchemaFlags()},        FlagGroup{"Messages", MessageFlags()},
  };
  static const auto* const serve_groups = new std::array{
      FlagGroup{"Serving", ServeFlags()},
      FlagGroup{"Types", SchemaFlags()},
      FlagGroup{"Messages", MessageFlags()},
  };
  static const auto* const validate_groups = new std::array{
      FlagGroup{"Judging", ValidateFlags()},
      FlagGroup{"", SchemaFlags()},
      FlagGroup{"Output", ValidateOutputFlags()},
      FlagGroup{"", ColorFlags()},
      FlagGroup{"Connection", ConnectionFlags()},
      FlagGroup{"Who asks", NodeFlags()},
      FlagGroup{"How it is asked", ValidateAskingFlags()},
      FlagGroup{"Messages", MessageFlags()},
  };
  static const auto* const describe_groups = new std::array{
      FlagGroup{"Describing", DescribeFlags()},
      FlagGroup{"Types", SchemaFlags()},
  };
  static const auto* const types_groups = new std::array{
      FlagGroup{"Listing", TypesFlags()},
      FlagGroup{"Types", SchemaFlags()},
  };
  static const auto* const commands = new std::array{
      Command{"fetch", "fetch [TARGET] [TYPE[:NAME,...]]... [flags]",
              "ask a control plane for resources, print them and leave", kFetchDetails, *groups, &RunFetchLine},
      Command{"watch", "watch [TARGET] [TYPE[:NAME,...]]... [flags]",
              "say how what a control plane sends changes over time", kWatchDetails, *watch_groups, &RunWatchLine},
      Command{"repl", "repl [TARGET] [flags]", "talk with a control plane by hand, message by message", kReplDetails,
              *repl_groups, &RunReplLine},
      Command{"validate", "validate TARGET... [flags]",
              "say whether Envoy would take files, or what a server sends, and where it would not", kValidateDetails,
              *validate_groups, &RunValidateLine},
      Command{"serve", "serve DIR [flags]", "be a control plane from a folder of discovery files", kServeDetails,
              *serve_groups, &RunServeLine},
      Command{"describe", "describe NAME [flags]", "say what a message, a field, an enum or a rule is",
              kDescribeDetails, *describe_groups, &RunDescribeLine},
      Command{"types", "types [FILTER] [flags]", "list resource types, or all messages", kTypesDetails, *types_groups,
              &RunTypesLine},
      Command{"help", "help [COMMAND]", "say what a command does and which flags it takes", "", {}, &RunHelp},
  };
  return *commands;
}

}  // namespace xdscope::cli
