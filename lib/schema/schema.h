// The types that resources can have: the Envoy API embedded in the program and, on top of it, the files a person gave.
// Knows descriptors and how a type URL names one; builds only what is asked for. Does not know what a resource type is,
// decodes nothing and prints nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace google::protobuf {
class Descriptor;
class EnumDescriptor;
class ServiceDescriptor;
}  // namespace google::protobuf

namespace xdscope::schema {

// A file of types: a FileDescriptorSet, or a program (any that protobuf generated code is part of) to search for
// descriptors. `origin` is what messages call it.
struct SchemaFile {
  std::string origin;
  std::string bytes;
};

// Descriptors live as long as the Schema they came from, wherever it is moved to. Safe to read from several threads.
class Schema {
 public:
  // Makes a schema of the embedded Envoy API alone. Takes well under a millisecond: nothing is parsed yet.
  static Schema Builtin();

  // Makes a schema of the embedded API with `files` on top: of two files with one name, or two types, the one given
  // last wins, the embedded one loses. google/protobuf/* and validate/validate.proto are always ours. Where an embedded
  // type does not fit a given one that it refers to, it stays whole as it was embedded.
  //
  // Fails with INVALID_ARGUMENT, "ORIGIN: what": neither a descriptor set nor a program with descriptors; a set that is
  // damaged or whose files do not build on top of the embedded ones. What does not build in a program is left out
  // instead.
  static absl::StatusOr<Schema> WithFiles(std::vector<SchemaFile> files);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Each finds a declaration by its full name, "envoy.config.cluster.v3.Cluster"; nullptr when there is none.
  const google::protobuf::Descriptor* FindMessage(std::string_view full_name) const;
  const google::protobuf::EnumDescriptor* FindEnum(std::string_view full_name) const;
  const google::protobuf::ServiceDescriptor* FindService(std::string_view full_name) const;
  // Finds a message as it is embedded, whatever the given files say of it; nullptr when it is not.
  const google::protobuf::Descriptor* FindEmbedded(std::string_view full_name) const;

  // Returns the full name of a known message that `name` may have been meant to be: one with the same last part, in the
  // package most like the one given, else the one with the fewest letters different. Empty when nothing is near.
  std::string Nearest(std::string_view name) const;

  // Returns the full names of all messages, those inside others too (but not the entries of maps), sorted.
  std::vector<std::string> MessageNames() const;

  // Returns the full names of messages, enums and services in the given files that the embedded API has too, with other
  // content; sorted. Compares at every call.
  std::vector<std::string> Overridden() const;
  // Says "ORIGIN: FILE.proto: why" for each file of a program that could not be used.
  const std::vector<std::string>& left_out() const;

 private:
  struct State;
  explicit Schema(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace xdscope::schema
