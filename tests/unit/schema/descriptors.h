// Descriptors for the schema tests, written as protobuf text.
#pragma once

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace xdscope::schema {

// A serialized FileDescriptorProto.
inline std::string File(const std::string& text) {
  google::protobuf::FileDescriptorProto file;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &file)) << text;
  return file.SerializeAsString();
}

// A serialized FileDescriptorSet.
inline std::string Set(std::initializer_list<std::string> files) {
  google::protobuf::FileDescriptorSet set;
  for (const std::string& file : files) EXPECT_TRUE(set.add_file()->ParseFromString(file));
  return set.SerializeAsString();
}

// A proto3 file with one message that has one field of a scalar type, such as "TYPE_STRING".
inline std::string OneMessage(const std::string& name, const std::string& package, const std::string& message,
                              const std::string& field, const std::string& type) {
  return File("name: '" + name + "' package: '" + package + "' syntax: 'proto3' message_type { name: '" + message +
              "' field { name: '" + field + "' number: 1 label: LABEL_OPTIONAL type: " + type + " } }");
}

}  // namespace xdscope::schema
