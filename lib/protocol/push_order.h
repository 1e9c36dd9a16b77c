// In which order the types of one aggregated stream are sent, so that nothing points to what is not there
// (make-before-break, reference/protocol.md C.8). By the last word of a type's name, which v2 and v3 share.
#pragma once

#include <string_view>

namespace xdscope::protocol {

struct PushOrder {
  int arrival = 0;    // of what is new or changed: what is pointed to goes first
  int departure = 0;  // of what is gone: what points goes first
};

// Types that are not known go last, in either direction.
PushOrder PushOrderOf(std::string_view type_url);

}  // namespace xdscope::protocol
