// Tells whether a serialized file descriptor may be handed to protobuf, which writes to stderr about text that is not
// UTF-8.
#pragma once

#include <string_view>

namespace xdscope::schema {

// Returns true when `bytes` are a FileDescriptorProto with a name that protobuf parses without complaint. Says nothing
// about whether it makes sense: that shows when it is built.
bool IsSoundFile(std::string_view bytes);

}  // namespace xdscope::schema
