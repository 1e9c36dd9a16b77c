#include "lib/schema/sound.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "lib/base/fields.h"

namespace xdscope::schema {
namespace {

using base::FieldReader;
using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptorProto;

// The field as the generated parser knows it, options that are linked in as extensions too.
const FieldDescriptor* FieldOf(const Descriptor& message, std::uint32_t number) {
  const int signed_number = static_cast<int>(number);
  const FieldDescriptor* field = message.FindFieldByNumber(signed_number);
  if (field != nullptr) return field;
  return DescriptorPool::generated_pool()->FindExtensionByNumber(&message, signed_number);
}

bool TextIsUtf8(std::string_view bytes, const Descriptor& message, int depth_left) {
  if (depth_left == 0) return false;
  FieldReader fields(bytes);
  while (fields.Next()) {
    if (fields.type() != base::WireType::kBytes) continue;
    const FieldDescriptor* field = FieldOf(message, fields.number());
    if (field == nullptr) continue;
    if (field->type() == FieldDescriptor::TYPE_STRING && !base::IsUtf8(fields.bytes())) return false;
    if (field->type() == FieldDescriptor::TYPE_MESSAGE &&
        !TextIsUtf8(fields.bytes(), *field->message_type(), depth_left - 1)) {
      return false;
    }
  }
  return fields.ok();
}

}  // namespace

bool IsSoundFile(std::string_view bytes) {
  constexpr int kMaxDepth = 100;  // that of protobuf's parser
  if (!TextIsUtf8(bytes, *FileDescriptorProto::descriptor(), kMaxDepth)) return false;
  FileDescriptorProto file;
  return file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) && !file.name().empty();
}

}  // namespace xdscope::schema
