// Finds the protobuf file descriptors that generated code keeps in a program: C++ and Go as plain bytes, older Go
// gzipped. Knows how a FileDescriptorProto looks on the wire; knows nothing of programs (ELF or other), so any bytes
// do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xdscope::schema {

struct FoundFile {
  std::string name;        // "envoy/config/cluster/v3/cluster.proto"
  std::string descriptor;  // a serialized FileDescriptorProto, plausible but not checked
};

// Returns what is found, sorted by name, each name once (of several the longest). Runs at memory speed, in time linear
// in the size whatever the bytes are; never fails: without descriptors the result is empty.
//
// Nothing in a program says how long a descriptor is: fields are taken for as long as they make sense as the next of a
// FileDescriptorProto. proto/descriptors.py does the same when the project is built; a test holds both together.
std::vector<FoundFile> ScanProgram(std::string_view program);

}  // namespace xdscope::schema
