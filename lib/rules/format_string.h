// The format strings of access logs and headers: text with commands such as %REQ(X-ID)% in it. Knows their grammar and
// the names of the commands, not what they mean. [XDS-V063]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xdscope::rules {

// What a format string must have: commands that are whole, and such as Envoy knows. Extensions bring more commands.
enum class Commands : bool { kBuiltIn, kAny };

// Returns what is wrong with a format string: "no command at byte 5", "unknown command BYTES"; nullopt when nothing is.
std::optional<std::string> FlawOfFormat(std::string_view format, Commands commands);

}  // namespace xdscope::rules
