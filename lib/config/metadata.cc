#include "lib/config/metadata.h"

#include <utility>

#include "lib/config/document.h"
#include "lib/config/encode_setting.h"
#include "lib/config/setting.h"

namespace xdscope::config {
namespace {

absl::StatusOr<std::string> EncodeValue(const Document& document, wire::Types& types) {
  return EncodeSetting(Setting(document, document.root()), "google.protobuf.Value", encode::Unknown::kRefuse, types);
}

}  // namespace

absl::StatusOr<std::string> EncodeMetadataText(std::string_view text, std::string_view origin, wire::Types& types) {
  encode::Tree tree;
  tree.Scalar(encode::NodeKind::kText, text, 0);
  return EncodeValue(Document(text, origin, std::move(tree)), types);
}

absl::StatusOr<std::string> EncodeMetadataJson(std::string_view json, std::string_view origin, wire::Types& types) {
  const absl::StatusOr<Document> document = ParseJson(json, origin);
  if (!document.ok()) return document.status();
  return EncodeValue(*document, types);
}

}  // namespace xdscope::config
