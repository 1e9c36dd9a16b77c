// The answer to a response, as somebody gives it when he likes: a policy at once, a person later, or nobody ever. To
// withhold an answer is to give none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xdscope::protocol {

struct Verdict {
  enum class Kind : std::uint8_t {
    kAck,
    kNack,
    kPartly,  // a NACK after which everything but the resources named in `refused` is used, as gRPC does (B.1-3, K17)
  };

  Kind kind = Kind::kAck;
  std::string message;               // why it is refused; what error_detail says
  std::optional<int> code = {};      // of error_detail; nullopt: the client's own
  std::vector<std::string> refused;  // kPartly: names in any form; an empty one stands for resources without a name

  static Verdict Ack() { return {}; }
  static Verdict Nack(std::string message) { return {Kind::kNack, std::move(message), {}, {}}; }
  static Verdict Partly(std::string message, std::vector<std::string> refused) {
    return {Kind::kPartly, std::move(message), {}, std::move(refused)};
  }
};

}  // namespace xdscope::protocol
