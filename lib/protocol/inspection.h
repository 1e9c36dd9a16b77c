// What a response says in the light of what was asked: names, heartbeats, and the rules of reference/protocol.md C that
// it breaks. Reads the subscription, changes nothing but the response.
//
// Found: XDS-S001 S002 S003 S004 S005 S006 S007 S008 S009 S010 S011 S012 (wrappers only) S014 S015 S016 S017 S019 S020
// S021 S023 S024 S027 S036 S037 S038 S039 S040 S041 S050 S051 S055 S056 S058 S059 S060 S064 S068 S070. The others need
// time, the schema, several streams or references between types. A rule that a message crossing on the wire could seem
// to break is reported only where the server has certainly read what was said (C.1).
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "lib/protocol/response.h"
#include "lib/protocol/subscription.h"

namespace xdscope::protocol {

// What the rules need to know beside the response and its type's own state.
struct Circumstances {
  Variant variant = Variant::kSotw;
  bool unary = false;
  bool aggregated = true;
  std::string_view only_type;
  std::uint64_t requests = 0;  // on this stream, of all types
  bool wrapping_announced = false;
  bool ttl_announced = false;
  std::string_view earlier_control_plane;  // of this stream; empty: none was named
  const std::deque<Subscription>* subscriptions = nullptr;
};

// Completes response->resources (names, versions, heartbeats, what was unasked) and adds response->findings.
// `subscription` is the one that asked for the type on this stream, or nullptr; `traits` are the type's.
// Returns what the response means for the names, for Subscription::OnResponse.
Pending Inspect(const Circumstances& circumstances, const Subscription* subscription, const TypeTraits& traits,
                Response* response);

}  // namespace xdscope::protocol
