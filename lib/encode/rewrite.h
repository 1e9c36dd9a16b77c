// Resources written anew, with other messages in the place of some: wherever those stand, inside an Any too. Knows how
// a visit finds them; what takes their place is said by whoever calls. Every byte that is not replaced stays as it was.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lib/encode/visit.h"

namespace xdscope::encode {

// Calls `replace` for `root` and each message below it, as Visit() does but in the order of the wire, and puts the
// bytes that it returns in the place of the message; where it returns nullopt the message stays, and what is below it
// is asked for. Returns the bytes of `root` after that; nullopt when nothing was replaced.
//
// A TypedStruct is written in JSON's terms and stays as it is: what it spells is shown to `replace` with `spelled` set,
// and bytes that come back for it are dropped.
std::optional<std::string> Rewrite(const wire::View& root, wire::Types& types,
                                   const std::function<std::optional<std::string>(const Visited&)>& replace);

}  // namespace xdscope::encode
