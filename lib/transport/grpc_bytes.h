// What a client's stream and a server's have in common: gRPC's buffers and metadata as ours.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "lib/transport/stream.h"

namespace grpc {
class ByteBuffer;
class string_ref;
}  // namespace grpc

namespace xdscope::transport {

// Takes the messages of one stream out of gRPC's buffers. The first may be its only one: it is taken with as little
// memory as can be, the others as quickly as can be. They get the room of an earlier message that nobody uses any more,
// so that the system need not find and clear as many pages for each.
class MessageTaker {
 public:
  // Returns the message as one piece, and empties the buffer. May be called on any one thread; what it returns may go
  // away on any other.
  Bytes Take(grpc::ByteBuffer* buffer);

 private:
  struct Spare {
    std::mutex mutex;
    std::string room;
  };
  std::unique_ptr<std::string> TakeSpare();
  Bytes Lend(std::unique_ptr<std::string> message);

  const std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
  bool took_one_ = false;
};

// Copies gRPC's metadata, in its order.
Metadata ToMetadata(const std::multimap<grpc::string_ref, grpc::string_ref>& map);

}  // namespace xdscope::transport
