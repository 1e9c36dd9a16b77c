// What the rules for clients (XDS-C…) say to a request that a person wrote: said to him, never in his way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/protocol/ads_session.h"
#include "lib/protocol/request.h"

namespace xdscope::cli {

// What is known of the conversation before the request goes out.
struct RequestContext {
  const protocol::AdsSession& ads;
  // The version of the response of this type that had this nonce; nullopt: it is not known any more.
  std::function<std::optional<std::string>(std::string_view type_url, std::string_view nonce)> version_of;
};

// Returns "XDS-C010: the ACK repeats the older version 1, the response has 2" and the like.
std::vector<std::string> RemarksOn(const protocol::Request& request, const RequestContext& context);

}  // namespace xdscope::cli
