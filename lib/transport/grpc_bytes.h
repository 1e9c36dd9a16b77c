// What a client's stream and a server's have in common: gRPC's buffers and metadata as ours.
#pragma once

#include <map>

#include "lib/transport/stream.h"

namespace grpc {
class ByteBuffer;
class string_ref;
}  // namespace grpc

namespace xdscope::transport {

// Returns the message in `buffer` as one piece, and empties the buffer. The first message of a stream may be its only
// one: it is taken with as little memory as can be, the others as quickly as can be.
Bytes TakeBytes(grpc::ByteBuffer* buffer, bool is_first);

// Copies gRPC's metadata, in its order.
Metadata ToMetadata(const std::multimap<grpc::string_ref, grpc::string_ref>& map);

}  // namespace xdscope::transport
