// A discovery request, SotW or delta: its fields for whoever logs or previews it, and its bytes for the wire. Knows the
// messages, not when they are due. v2 and v3 have the same fields (A.7), so one form serves both; a client and a server
// read and write it alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/protocol/response.h"

namespace xdscope::protocol {

// Why a response is refused, as google.rpc.Status says it.
struct RequestError {
  int code = 0;
  std::string message;

  friend bool operator==(const RequestError&, const RequestError&) = default;
};

struct Request {
  enum class Kind : std::uint8_t {
    kFirst,     // of its type on this stream
    kInterest,  // says what is wanted, answers nothing
    kAck,
    kNack,
  };

  Kind kind = Kind::kFirst;
  std::string type_url;
  std::string version;                   // SotW
  std::string nonce;                     // of the response that is answered; SotW: also with later interest
  std::vector<std::string> names;        // SotW: the whole list; delta: names subscribed
  std::vector<std::string> unsubscribe;  // delta
  std::vector<std::pair<std::string, std::string>> initial_versions;  // delta: name and version, on resuming
  std::optional<RequestError> error;                                  // present: a NACK
  bool has_node = false;
  std::string bytes;  // what goes on the wire
};

// Fills request->bytes from the other fields; `node` is a serialized Node, written where has_node says so. The same
// fields always give the same bytes.
void EncodeRequest(Variant variant, std::string_view node, Request* request);

// Returns the bytes of a request with this type URL in place of the one that they have, all else as it is. Demands
// bytes that DecodeRequest() reads.
std::string WithType(Variant variant, std::string_view bytes, std::string_view type_url);

// The request in `bytes`; its kind is told by the fields alone: kNack and kAck by nonce and error, else kInterest.
// DATA_LOSS: the bytes are no such message.
absl::StatusOr<Request> DecodeRequest(Variant variant, std::string bytes);

}  // namespace xdscope::protocol
