#include "lib/format/collector.h"

#include <fmt/format.h>

#include <utility>

#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/finding/reading_rules.h"

namespace xdscope::format {
namespace {

using encode::Node;
using encode::NodeKind;
using finding::Severity;

bool IsResponseName(std::string_view name) {
  return name == kResponseName || name == "envoy.api.v2.DiscoveryResponse";
}

// Reads an Any that was just encoded, so that nothing can be wrong with it.
base::AnyView AnyOf(std::string_view bytes) {
  base::AnyView any;
  base::EnvelopeReader(bytes).ReadAny(bytes, &any);
  return any;
}

// Returns the type URL of an Any and makes `*any` what the message in it is written as.
std::string UrlOf(Node* any) {
  if (!any->is(NodeKind::kMap)) return {};
  if (const Node url = any->Find("@type"); url.valid()) return std::string(url.text());
  encode::Children first(*any);
  if (!first.Next() || !first.key().starts_with('[') || !first.key().ends_with(']')) return {};
  const std::string_view key = first.key();
  *any = first.value();
  return std::string(key.substr(1, key.size() - 2));
}

// Returns the text of a message's first field, which is the name of nearly all resources.
std::string NameIn(const Node& message, const wire::Type* type) {
  const wire::Field* const field = type == nullptr ? nullptr : type->Find(1U);
  if (field == nullptr || field->kind != wire::FieldKind::kString || !message.is(NodeKind::kMap)) return {};
  const Node plain = message.Find(field->name);
  const Node name = plain.valid() ? plain : message.Find(field->json_name);
  return name.valid() && name.is(NodeKind::kText) ? std::string(name.text()) : std::string();
}

}  // namespace

Collector::Collector(const ReadOptions& options, wire::Types& types, encode::Findings* findings, ReadFile* file)
    : options_(options),
      types_(types),
      findings_(*findings),
      file_(*file),
      any_type_(types.Find("google.protobuf.Any")),
      bare_type_(options.bare_type.empty() ? nullptr : types.Find(options.bare_type)) {}

void Collector::BeginDocument(encode::Spelling spelling) {
  spelling_ = spelling;
  file_.documents.emplace_back();
}

bool Collector::Encode(const Node& node, const wire::Type& type, const finding::Path& path, std::string* bytes) {
  encode::EncodeOptions options;
  options.spelling = spelling_;
  options.unknown = options_.unknown;
  options.keep_unknown_types = options_.keep_unknown_types;
  options.path = path;
  return encode::Encode(node, type, options, types_, &findings_, bytes);
}

void Collector::Element(const Node& node, ListOf list, finding::Path path, std::size_t errors_before) {
  const bool typed = node.is(NodeKind::kMap) && node.Find("@type").valid();
  const bool bare = list == ListOf::kBareResources && !typed && spelling_ != encode::Spelling::kText;
  bare ? Bare(node, std::move(path), errors_before) : Any(node, std::move(path), errors_before);
}

void Collector::Any(const Node& node, finding::Path path, std::size_t errors_before) {
  std::string any;
  if (node.is(NodeKind::kNull))
    return Say(Severity::kError, finding::kNotAResourceRule, node.offset(), path, "null is not a resource");
  if (!Encode(node, *any_type_, path, &any) || findings_.errors() != errors_before) {
    return NoteUnread(node, any_type_, std::move(path));
  }
  if (any.empty()) return Say(Severity::kError, finding::kNoTypeUrlRule, node.offset(), path, "has no @type");
  const base::AnyView parts = AnyOf(any);
  ReadResource resource;
  resource.type_url = parts.type_url;
  resource.bytes = parts.value;
  resource.path = std::move(path);
  resource.offset = node.offset();
  if (base::IsResourceWrapper(resource.type_url)) {
    const Node inner = node.Find("resource");
    if (inner.valid()) resource.offset = inner.offset();
    Unwrap(&resource);
  }
  resource.document = file_.documents.size() - 1;
  if (!resource.type_url.empty()) file_.resources.push_back(std::move(resource));
}

void Collector::Bare(const Node& node, finding::Path path, std::size_t errors_before) {
  if (bare_type_ == nullptr) {
    const bool unknown = !options_.bare_type.empty();
    return Say(Severity::kError, finding::kNotAResourceRule, node.offset(), path,
               unknown ? fmt::format("unknown type {}", options_.bare_type) : "not a resource: it has no @type");
  }
  ReadResource resource;
  if (!Encode(node, *bare_type_, path, &resource.bytes) || findings_.errors() != errors_before) {
    return NoteUnread(node, bare_type_, std::move(path));
  }
  resource.type_url = fmt::format("type.googleapis.com/{}", bare_type_->full_name());
  resource.path = std::move(path);
  resource.offset = node.offset();
  resource.document = file_.documents.size() - 1;
  file_.resources.push_back(std::move(resource));
}

// Notes a resource that is left out. What it is and how it is called may be legible all the same.
void Collector::NoteUnread(const Node& node, const wire::Type* type, finding::Path path) {
  UnreadResource unread;
  unread.document = file_.documents.size() - 1;
  unread.offset = node.offset();
  Node message = node;
  if (type == any_type_) {
    unread.type_url = UrlOf(&message);
    type = types_.Find(unread.type_url);
    if (const Node payload = message.Find("resource"); base::IsResourceWrapper(unread.type_url) && payload.valid()) {
      unread.name = NameIn(message, type);
      path.AddField("resource");
      unread.offset = payload.offset();
      message = payload;
      unread.type_url = UrlOf(&message);
      type = types_.Find(unread.type_url);
    }
  }
  if (unread.name.empty()) unread.name = NameIn(message, type);
  unread.path = std::move(path);
  file_.unread.push_back(std::move(unread));
}

// Takes the payload out of a Resource. Its bytes have been encoded or opened before, so that reading them cannot fail.
void Collector::Unwrap(ReadResource* resource) {
  resource->wrapped = true;
  resource->wrapper_url = std::exchange(resource->type_url, {});
  resource->wrapper_bytes = std::exchange(resource->bytes, {});
  base::ResourceWrapper wrapper;
  base::EnvelopeReader(resource->wrapper_bytes).ReadWrapper(resource->wrapper_bytes, &wrapper);
  resource->name = wrapper.name;
  resource->version = wrapper.version;
  resource->aliases.assign(wrapper.aliases.begin(), wrapper.aliases.end());
  resource->ttl = wrapper.ttl;
  const base::AnyView payload = wrapper.resource.value_or(base::AnyView());
  resource->type_url = payload.type_url;
  resource->bytes = payload.value;
  resource->path.AddField("resource");
  if (!payload.type_url.empty()) return;
  Say(Severity::kError, finding::kNoTypeUrlRule, resource->offset, resource->path,
      "the Resource is empty, or has no @type");
}

bool Collector::IsResponseUrl(const Node& url) {
  return IsResponseName(base::MessageName(url.text()));
}

bool Collector::MayBeResponse(const Node& root) {
  if (!root.is(NodeKind::kMap)) return false;
  const Node url = root.Find("@type");
  return !url.valid() || IsResponseUrl(url);
}

void Collector::SayTwice(std::size_t offset) {
  Say(Severity::kWarning, finding::kDuplicateKeyRule, offset, finding::Path().AddField("resources"), "duplicate field");
}

void Collector::ReturnTo(const Mark& mark) {
  file_.resources.erase(file_.resources.begin() + static_cast<std::ptrdiff_t>(mark.resources), file_.resources.end());
  file_.unread.erase(file_.unread.begin() + static_cast<std::ptrdiff_t>(mark.unread), file_.unread.end());
}

bool Collector::IsResponse(const Node& root) const {
  const Node url = root.Find("@type");
  if (url.valid()) return IsResponseUrl(url);
  if (root.empty()) return bare_type_ == nullptr;
  for (const std::string_view key : {"resources", "version_info", "versionInfo", "type_url", "typeUrl", "nonce"}) {
    if (root.Find(key).valid()) return true;
  }
  return false;
}

void Collector::Root(const Node& node, bool has_resources, std::size_t errors_before) {
  if (!node.is(NodeKind::kMap)) {
    return Say(Severity::kError, finding::kNotAResourceRule, node.offset(), {},
               fmt::format("neither a discovery response nor a resource, but {}", encode::NameOf(node.kind())));
  }
  if (has_resources || IsResponse(node)) return Response(node);
  if (spelling_ == encode::Spelling::kText) return TextRoot(node, errors_before);
  if (node.Find("@type").valid()) return Any(node, {}, errors_before);
  if (!options_.bare_type.empty()) return Bare(node, {}, errors_before);
  Say(Severity::kError, finding::kNotAResourceRule, node.offset(), {},
      "neither a discovery response nor a resource: it has no resources and no @type");
}

void Collector::TextRoot(const Node& node, std::size_t errors_before) {
  encode::Children first(node);
  if (first.Next() && first.key().starts_with('[')) return Any(node, {}, errors_before);
  if (!options_.bare_type.empty()) return Bare(node, {}, errors_before);
  Response(node);  // whose fields are then unknown
}

void Collector::Response(const Node& root) {
  document().response = true;
  const Node url = root.Find("@type");
  std::string bytes;
  if (url.valid()) {
    std::string any;
    if (!Encode(root, *any_type_, {}, &any)) return;
    bytes = AnyOf(any).value;
  } else if (const wire::Type* type = types_.Find(kResponseName); type == nullptr || !Encode(root, *type, {}, &bytes)) {
    return;
  }
  document().version_info = base::FindBytes(bytes, base::kResponseVersionField).value_or(std::string_view());
  document().type_url = base::FindBytes(bytes, base::kResponseTypeUrlField).value_or(std::string_view());
  document().bytes = std::move(bytes);
}

void Collector::CheckKnown(const base::FieldReader& field) {
  const wire::Type* type = types_.Find(kResponseName);
  if (type == nullptr || wire::KnownField(*type, field) != nullptr || options_.unknown == encode::Unknown::kIgnore)
    return;
  Say(options_.unknown == encode::Unknown::kWarn ? Severity::kWarning : Severity::kError, finding::kUnknownFieldRule,
      field.offset(), {}, fmt::format("no such field in {}: number {}", kResponseName, field.number()));
}

void Collector::NoteUnread(std::string_view type_url, std::string_view bytes, const finding::Path& path,
                           std::size_t offset) {
  const wire::Type* const type = types_.Find(type_url);
  const wire::Field* const field = type == nullptr ? nullptr : type->Find(1U);
  UnreadResource unread;
  unread.type_url = type_url;
  if (field != nullptr && field->kind == wire::FieldKind::kString) {
    const std::string_view name = base::FindBytes(bytes, 1).value_or(std::string_view());
    if (base::IsUtf8(name)) unread.name = name;
  }
  unread.document = file_.documents.size() - 1;
  unread.path = path;
  unread.offset = offset;
  file_.unread.push_back(std::move(unread));
}

void Collector::AnyBytes(std::string_view any, finding::Path path, std::size_t offset) {
  const absl::StatusOr<wire::Message> message = wire::Decode(any, *any_type_);
  if (!message.ok()) {
    return Say(Severity::kError, finding::kBinaryCutOffRule, offset, path, base::Message(message.status()));
  }
  const base::AnyView parts = wire::PartsOf(message->view());
  if (parts.type_url.empty()) return Say(Severity::kError, finding::kNoTypeUrlRule, offset, path, "has no type URL");
  Payload(parts.type_url, parts.value, std::move(path), offset);
}

// Returns nothing when the bytes are no message of the type, which becomes a finding.
std::optional<wire::Message> Collector::Open(const ReadResource& resource) {
  absl::StatusOr<wire::Message> message = wire::Open(resource.type_url, resource.bytes, types_);
  if (message.ok()) return *std::move(message);
  const absl::Status& status = message.status();
  const bool unknown = status.code() == absl::StatusCode::kNotFound;
  Say(Severity::kError, unknown ? finding::kUnknownTypeRule : finding::kAnyBytesRule, resource.offset, resource.path,
      unknown ? types_.WhyUnknown(resource.type_url) : std::string(base::Message(status)));
  return std::nullopt;
}

void Collector::Payload(std::string_view type_url, std::string_view bytes, finding::Path path, std::size_t offset) {
  ReadResource resource;
  resource.type_url = type_url;
  resource.bytes = bytes;
  resource.path = std::move(path);
  resource.offset = offset;
  resource.document = file_.documents.size() - 1;
  resource.message = Open(resource);
  if (!resource.message) return NoteUnread(type_url, bytes, resource.path, offset);
  if (options_.digests) resource.digest = wire::Digest(resource.message->view(), types_);
  if (base::IsResourceWrapper(type_url)) {
    Unwrap(&resource);
    if (!resource.type_url.empty()) resource.message = Open(resource);
    if (resource.type_url.empty() || !resource.message) {
      return NoteUnread(resource.type_url, resource.bytes, resource.path, offset);
    }
  }
  file_.resources.push_back(std::move(resource));
}

}  // namespace xdscope::format
