// Messages with content made up at random, the same in every run: each type of a schema, filled as far down as wanted.
#pragma once

#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace xdscope::fake {

class RandomMessages {
 public:
  // `any_types`: what stands in an Any, at random.
  RandomMessages(google::protobuf::DynamicMessageFactory& factory,
                 std::vector<const google::protobuf::Descriptor*> any_types, unsigned seed)
      : factory_(factory), any_types_(std::move(any_types)), random_(seed) {}

  // Fills about half of the fields, messages `depth` levels down. Well-known types are in their valid range, floats
  // have few enough digits for every printer.
  void Fill(google::protobuf::Message* message, int depth);
  // A new message, filled like that.
  std::unique_ptr<google::protobuf::Message> Make(const google::protobuf::Descriptor& descriptor, int depth);
  // Text of all kinds: words, numbers, punctuation of YAML, control characters, non-ASCII; always UTF-8.
  std::string Text();
  // A number below `n`, and whether that is 0.
  unsigned Below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  bool OneIn(unsigned n) { return Below(n) == 0; }

 private:
  void FillField(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field, int depth);
  void FillMap(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field, int depth);
  bool FillWellKnown(google::protobuf::Message* message, int depth);
  void FillAny(google::protobuf::Message* message, int depth);
  void FillValue(google::protobuf::Message* message, int depth);
  void SetNumber(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field);
  int EnumNumber(const google::protobuf::FieldDescriptor* field);
  std::string BytesText();
  double Real();

  google::protobuf::DynamicMessageFactory& factory_;
  std::vector<const google::protobuf::Descriptor*> any_types_;
  std::mt19937 random_;
};

// The deterministic bytes of a message: maps sorted by key.
std::string Serialized(const google::protobuf::Message& message);

}  // namespace xdscope::fake
