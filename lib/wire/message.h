// Bytes that were checked against a type once, so that everything after it reads them without looking back.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/base/status.h"
#include "lib/wire/view.h"

namespace xdscope::wire {

// A decoded message. Usually the bytes stay where they were and must outlive it; where proto3 had to merge (a singular
// message that stood there twice) it owns the merged bytes. Cheap to copy.
class Message {
 public:
  Message(const Type& type, std::string_view bytes) : view_(type, bytes) {}
  Message(const Type& type, std::shared_ptr<const std::string> bytes)
      : owned_(std::move(bytes)), view_(type, *owned_) {}

  const View& view() const { return view_; }
  const Type& type() const { return view_.type(); }
  // True when the message holds its bytes itself.
  bool owns() const { return owned_ != nullptr; }

 private:
  std::shared_ptr<const std::string> owned_;
  View view_;
};

// How deep messages may nest in one another, as in protobuf's own parser.
inline constexpr int kMaxDepth = 100;
// How deep messages may stand in an `Any` of an `Any` …: protobuf has no limit here, our stack has.
inline constexpr int kMaxAnyDepth = 32;

// Checks `bytes` as protobuf's parser would, down to the last field (an `Any` counts as its bytes). DATA_LOSS, with the
// path and byte offset: cut off, overlong, nested deeper than kMaxDepth, text that is not UTF-8. Unknown fields, and
// known ones with another wire type, are kept.
absl::StatusOr<Message> Decode(std::string_view bytes, const Type& type);
// The same for bytes that nobody else keeps.
absl::StatusOr<Message> DecodeOwned(std::string bytes, const Type& type);

// Opens a google.protobuf.Any. NOT_FOUND: the schema does not know the type (the nearest name is in the message).
// DATA_LOSS: the bytes are not of that type. INVALID_ARGUMENT: no type URL.
absl::StatusOr<Message> Open(const View& any, Types& types);
absl::StatusOr<Message> Open(std::string_view type_url, std::string_view bytes, Types& types);

}  // namespace xdscope::wire
