// Where something happens when several servers are asked as one. Whoever asks one alone leaves it as it is.
#pragma once

#include <compare>
#include <cstdint>

namespace xdscope::session {

struct Place {
  std::uint32_t source = 0;  // which of those that are asked for different things
  std::uint32_t server = 0;  // which of those that are tried one after another

  auto operator<=>(const Place&) const = default;
};

}  // namespace xdscope::session
