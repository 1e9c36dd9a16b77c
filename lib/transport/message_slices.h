// A message that is made of shared pieces, as gRPC sends it.
#pragma once

#include <vector>

#include "lib/transport/server.h"

namespace grpc {
class ByteBuffer;
}

namespace xdscope::transport {

// Makes gRPC's form of a message. Large pieces stay where they are and are held until they were sent; small ones are
// copied together, because each slice costs more than the bytes of a small piece.
grpc::ByteBuffer ToBuffer(std::vector<Chunk> message);

}  // namespace xdscope::transport
