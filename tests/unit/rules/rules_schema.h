// A schema of messages that a test writes as .proto text, with rules of validate.proto on their fields.
#pragma once

#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "lib/base/status.h"
#include "lib/schema/schema.h"

namespace xdscope::rules {

class ProtoErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    ADD_FAILURE() << line << ":" << column << ": " << message;
  }
};

// Adds a file of a schema, and those that it imports, to a pool.
inline void AddFile(const google::protobuf::FileDescriptor& file, google::protobuf::DescriptorPool* pool) {
  if (pool->FindFileByName(file.name()) != nullptr) return;
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), pool);
  google::protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  ASSERT_NE(pool->BuildFile(proto), nullptr) << file.name();
}

// Makes the built-in schema with these messages of the package `t` on top, in a file of this name.
inline schema::Schema SchemaWith(std::string_view messages, const std::string& file_name = "t.proto") {
  const std::string text =
      "syntax = \"proto3\"; package t; import \"validate/validate.proto\"; import \"google/protobuf/any.proto\";"
      "import \"google/protobuf/duration.proto\"; import \"google/protobuf/timestamp.proto\";"
      "import \"google/protobuf/wrappers.proto\";\n" +
      std::string(messages);
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  ProtoErrors errors;
  google::protobuf::io::Tokenizer tokenizer(&input, &errors);
  google::protobuf::compiler::Parser parser;
  google::protobuf::compiler::SourceLocationTable locations;
  parser.RecordErrorsTo(&errors);
  parser.RecordSourceLocationsTo(&locations);
  google::protobuf::FileDescriptorSet set;
  google::protobuf::FileDescriptorProto* const file = set.add_file();
  EXPECT_TRUE(parser.Parse(&tokenizer, file));
  file->set_name(file_name);

  const schema::Schema builtin = schema::Schema::Builtin();
  google::protobuf::DescriptorPool pool;
  for (const char* name : {"validate.FieldRules", "google.protobuf.Any", "google.protobuf.UInt32Value"}) {
    AddFile(*builtin.FindMessage(name)->file(), &pool);
  }
  const google::protobuf::FileDescriptor* const built = pool.BuildFile(*file);  // reads the options
  EXPECT_NE(built, nullptr) << text;
  if (built != nullptr) {
    const google::protobuf::SourceCodeInfo comments = file->source_code_info();
    file->Clear();
    built->CopyTo(file);
    *file->mutable_source_code_info() = comments;
  }
  absl::StatusOr<schema::Schema> schema = schema::Schema::WithFiles({{"t.proto", set.SerializeAsString()}});
  EXPECT_TRUE(schema.ok()) << schema.status();
  return *std::move(schema);
}

}  // namespace xdscope::rules
