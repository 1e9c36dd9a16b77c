// What the protocol must know of resource names: their xdstp form (normal form, globs). Text only; whether a name is
// wanted or held is somebody else's business.
#pragma once

#include <string>
#include <string_view>

namespace xdscope::protocol {

// The name that asks for everything.
inline constexpr std::string_view kStar = "*";

// An xdstp name, "xdstp://…".
bool IsXdstp(std::string_view name);

// The form in which names are compared: the context parameters of an xdstp name sorted, every other name as it is
// (B.4-2). Returns `name` itself where nothing has to move, else *room, which is then overwritten.
std::string_view NormalName(std::string_view name, std::string* room);

// The authority of an xdstp name: "a" of "xdstp://a/T/name". Empty for other names.
std::string_view AuthorityOf(std::string_view name);

// "xdstp://a/T/dir/*": all names of that directory (B.4-3).
bool IsGlob(std::string_view name);
// The one glob that can stand for `name`, an xdstp name in normal form: that of its directory and context parameters.
std::string GlobOver(std::string_view name);
// The directory of an xdstp name or glob: "xdstp://a/T/dir/".
std::string_view FolderOf(std::string_view name);

}  // namespace xdscope::protocol
