// The rules of reference/protocol.md C that one response can break, each looked for by a small function. They read what
// the response was found to mean (interpretation.h) and change nothing.
//
// Found: XDS-S001 S002 S003 S004 S005 S006 S007 S008 S009 S010 S011 S012 (wrappers only) S014 S015 S016 S017 S019 S020
// S021 S023 S024 S027 S036 S037 S038 S039 S040 S041 S050 S051 S055 S056 S058 S059 S060 S064 S068 S070. The others need
// time, the schema, several streams or references between types. A rule that a message crossing on the wire could seem
// to break is reported only where the server has certainly read what was said (C.1).
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/protocol/interpretation.h"
#include "lib/protocol/response.h"
#include "lib/protocol/subscription.h"
#include "lib/types/known_types.h"

namespace xdscope::protocol {

// What the checks need to know of the stream that a response came on.
struct StreamContext {
  Variant variant = Variant::kSotw;
  bool unary = false;
  bool aggregated = true;
  std::string_view only_type;                               // of a stream that is not aggregated
  std::uint64_t requests = 0;                               // sent on it, of all types
  bool wrapping_announced = false;                          // by the node: resources of SotW may come in wrappers
  bool ttl_announced = false;                               // by the node: resources may have a time to live
  std::string_view earlier_control_plane;                   // the identifier that came before; empty: none did
  const std::deque<Subscription>* subscriptions = nullptr;  // of all types
};

// Puts what is wrong with a response into its `findings`, in the order in which it stands in it, and the bad resources
// into `bad`. `subscription` and `type` as in Interpret(), which must have completed the response.
void CheckResponse(const StreamContext& stream, const Subscription* subscription, const types::KnownType& type,
                   const Interpretation& interpretation, Response* response);

}  // namespace xdscope::protocol
