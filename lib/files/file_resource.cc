#include "lib/files/file_resource.h"

#include <fmt/format.h>

#include <utility>

#include "lib/base/fields.h"
#include "lib/base/type_url.h"
#include "lib/protocol/names.h"
#include "lib/types/known_types.h"
#include "lib/wire/message.h"

namespace xdscope::files {
namespace {

std::string NameOf(const format::ReadResource& read) {
  std::string_view name = read.name;
  if (name.empty()) name = types::NameInPayload(read.type_url, read.bytes);
  std::string room;
  return std::string(protocol::NormalName(name, &room));
}

// Returns the same number for what is the same however it is written: the order of fields and maps and packing do not
// count, so a file that is only formatted anew pushes nothing. Of a type that the schema does not have only the bytes
// can be compared.
absl::StatusOr<std::uint64_t> DigestOf(std::string_view type_url, std::string_view bytes, wire::Types& types) {
  const wire::Type* type = types.Find(type_url);
  std::string any;
  if (type == nullptr) {
    type = types.Find("google.protobuf.Any");
    base::AppendBytes(&any, 1, type_url);
    base::AppendBytes(&any, 2, bytes);
    bytes = any;
  }
  const absl::StatusOr<wire::Message> message = wire::Decode(bytes, *type);
  if (!message.ok()) return message.status();
  return wire::Digest(message->view(), types);
}

// Returns false for types of v2, whose resources have no time to live (K28).
bool MayExpire(std::string_view type_url) {
  return types::RowOf(type_url).v2.message() != base::MessageName(type_url);
}

}  // namespace

absl::StatusOr<FileResource> MakeFileResource(format::ReadResource read, wire::Types& types) {
  FileResource made;
  made.name = NameOf(read);
  if (made.name.empty()) {
    return base::Error(absl::StatusCode::kInvalidArgument,
                       fmt::format("{}: has no name", base::MessageName(read.type_url)));
  }
  if (read.ttl && read.ttl->count() <= 0) {
    return base::Error(absl::StatusCode::kOutOfRange, fmt::format("{}: its ttl is not positive", made.name));
  }
  if (read.ttl && MayExpire(read.type_url)) made.ttl = *read.ttl;
  // The wrapper's digest covers its aliases and its time to live.
  const absl::StatusOr<std::uint64_t> digest = read.digest    ? *read.digest
                                               : read.wrapped ? DigestOf(read.wrapper_url, read.wrapper_bytes, types)
                                                              : DigestOf(read.type_url, read.bytes, types);
  if (!digest.ok()) return digest.status();
  made.version = fmt::format("{:016x}", *digest);
  made.type_url = fmt::format("{}{}", types::kTypeUrlPrefix, base::MessageName(read.type_url));
  made.aliases = std::move(read.aliases);
  made.payload = std::move(read.bytes);
  made.message = std::move(read.message);
  return made;
}

}  // namespace xdscope::files
