// Bytes that were checked against a type once, so that everything after it reads them without looking back. Decode() is
// the only way from bytes to a message, and a message the only way to a View.
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
  const View& view() const { return view_; }
  const Type& type() const { return view_.type(); }
  // Returns true when the message holds its bytes itself.
  bool owns() const { return owned_ != nullptr; }

  // Returns the message over a copy of its bytes that lives elsewhere: for whoever keeps a resource longer than the
  // response that brought it. Demands equal bytes; its own are not looked at, and may be gone. A message that owns its
  // bytes needs no others and returns itself.
  Message MovedTo(std::string_view same_bytes) const;

 private:
  friend absl::StatusOr<Message> Decode(std::string_view bytes, const Type& type);
  friend absl::StatusOr<Message> DecodeOwned(std::string bytes, const Type& type);
  Message(const Type& type, std::string_view bytes) : view_(type, bytes) {}
  Message(const Type& type, std::shared_ptr<const std::string> bytes)
      : owned_(std::move(bytes)), view_(type, *owned_) {}

  std::shared_ptr<const std::string> owned_;
  View view_;
};

// How deep messages may nest in one another, as in protobuf's own parser.
inline constexpr int kMaxDepth = 100;
// How deep messages may stand in an `Any` of an `Any` …: protobuf has no limit here, our stack has.
inline constexpr int kMaxAnyDepth = 32;
// How many messages may stand around an `Any` that is opened, through every `Any` around it. What it holds adds up to
// kMaxDepth to this, and our stack bears several times of both.
inline constexpr int kMaxOpenDepth = 1000;

// Checks `bytes` as protobuf's parser would, down to the last field (an `Any` counts as its bytes). Takes time in
// proportion to the bytes, whatever they hold. Keeps unknown fields, and known ones with another wire type. Fails with
// DATA_LOSS, "PATH at byte N: what", where they are cut off, overlong, nested deeper than kMaxDepth, or have text that
// is not UTF-8.
absl::StatusOr<Message> Decode(std::string_view bytes, const Type& type);
// Does the same with bytes that nobody else keeps.
absl::StatusOr<Message> DecodeOwned(std::string bytes, const Type& type);

// Opens a google.protobuf.Any. Fails with NOT_FOUND when the schema does not know the type (Types::WhyUnknown() says
// more to whoever shows it), with DATA_LOSS when the bytes are not of that type, with INVALID_ARGUMENT when there is no
// URL.
absl::StatusOr<Message> Open(const View& any, Types& types);
absl::StatusOr<Message> Open(std::string_view type_url, std::string_view bytes, Types& types);

}  // namespace xdscope::wire
