// Messages of any type filled at random, from a seed: what tests compare two readers on.
#pragma once

#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lib/schema/schema.h"

namespace xdscope::fake {

class RandomMessages {
 public:
  RandomMessages(const schema::Schema& schema, std::uint32_t seed) : schema_(schema), random_(seed) {}

  // A message of the type with about half of its fields set, down to a few levels. What stands in an `Any` is one of a
  // few Envoy types; values of well-known types are in their ranges.
  std::unique_ptr<google::protobuf::Message> Make(const google::protobuf::Descriptor& descriptor, int depth = 4);

  // Uniform in [0, limit).
  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  std::string Text();

 private:
  void Fill(google::protobuf::Message& message, int depth);
  bool FillWellKnown(google::protobuf::Message& message, int depth);
  void FillField(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field, int depth);
  void SetOne(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field, int depth);

  const schema::Schema& schema_;
  std::mt19937 random_;
  google::protobuf::DynamicMessageFactory factory_;
};

// The deterministic bytes of a message: maps sorted by key.
std::string Serialized(const google::protobuf::Message& message);

}  // namespace xdscope::fake
