#include "lib/format/document.h"

#include <string>

#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"
#include "lib/base/type_url.h"
#include "lib/format/json_writer.h"
#include "lib/format/text.h"
#include "lib/format/text_writer.h"
#include "lib/format/yaml_writer.h"

namespace xdscope::format {
namespace {

std::unique_ptr<Writer> MakeWriter(DocumentFormat format, Output& out, Style style) {
  using Layout = JsonWriter::Layout;
  switch (format) {
    case DocumentFormat::kYaml:
      return std::make_unique<YamlWriter>(out, style);
    case DocumentFormat::kJson:
      return std::make_unique<JsonWriter>(out, Layout::kIndented, style);
    case DocumentFormat::kNdjson:
      return std::make_unique<JsonWriter>(out, Layout::kCompact, style);
    case DocumentFormat::kText:
      return std::make_unique<TextWriter>(out, style);
    case DocumentFormat::kBinary:
      break;
  }
  return nullptr;
}

bool IsV2(std::string_view type_url) {
  return base::MessageName(type_url).starts_with("envoy.api.v2.");
}

// Returns the URL of the `Resource` of the API version that the type belongs to.
std::string_view WrapperUrl(std::string_view type_url) {
  return IsV2(type_url) ? "type.googleapis.com/envoy.api.v2.Resource"
                        : "type.googleapis.com/envoy.service.discovery.v3.Resource";
}

std::string_view UrlOf(std::string_view type_url, const ListedResource& resource) {
  return resource.type_url.empty() ? type_url : resource.type_url;
}

}  // namespace

DocumentWriter::DocumentWriter(wire::Types& types, const DocumentOptions& options, Output& out)
    : options_(options), out_(out), writer_(MakeWriter(options.format, out, options.style)), redactor_(types) {
  if (writer_ != nullptr) walker_ = std::make_unique<Walker>(types, options.walk, *writer_);
}

DocumentWriter::~DocumentWriter() = default;

void DocumentWriter::Write(const TypeListing& listing) {
  if (options_.format == DocumentFormat::kBinary) return BinaryResponse(listing);
  if (options_.format != DocumentFormat::kNdjson) {
    Separate(listing.type_url);
    Response(listing);
    if (options_.format == DocumentFormat::kJson) out_.Append('\n');
    return;
  }
  for (const ListedResource& resource : listing.resources) {
    if (!out_.ok()) return;
    Line(listing.type_url, resource);
  }
}

void DocumentWriter::Separate(std::string_view type_url) {
  if (options_.format == DocumentFormat::kYaml && !first_) out_.Append("---\n");
  if (options_.format == DocumentFormat::kText) {
    if (!first_) out_.Append('\n');
    out_.Append("# proto-message: ");
    out_.Append(IsV2(type_url) ? "envoy.api.v2.DiscoveryResponse" : "envoy.service.discovery.v3.DiscoveryResponse");
    out_.Append('\n');
  }
  first_ = false;
}

void DocumentWriter::Member(std::string_view name, std::string_view camel) {
  const bool use_camel = options_.walk.names == FieldNames::kCamel && writer_->mapping() == Mapping::kJson;
  writer_->NameKey(use_camel ? camel : name);
}

void DocumentWriter::Response(const TypeListing& listing) {
  const bool defaults = options_.walk.emit_defaults;
  std::string space;
  writer_->BeginObject();
  if (defaults || !listing.version.empty()) {
    Member("version_info", "versionInfo");
    writer_->Text(Repaired(listing.version, space));
  }
  if (defaults || !listing.resources.empty()) {
    Member("resources", "resources");
    writer_->BeginList();
    for (const ListedResource& resource : listing.resources) {
      if (!out_.ok()) break;
      Resource(listing.type_url, resource);
    }
    writer_->EndList();
  }
  Member("type_url", "typeUrl");
  writer_->Text(Repaired(listing.type_url, space));
  writer_->EndObject();
}

void DocumentWriter::Resource(std::string_view type_url, const ListedResource& resource) {
  if (!resource.wrapper.empty()) return walker_->Any(WrapperUrl(type_url), resource.wrapper, type_url);
  if (resource.message != nullptr) return walker_->Any(UrlOf(type_url, resource), resource.message->view(), type_url);
  walker_->Any(UrlOf(type_url, resource), resource.payload, type_url);
}

void DocumentWriter::Line(std::string_view type_url, const ListedResource& resource) {
  std::string space;
  writer_->BeginObject();
  writer_->NameKey("type_url");
  writer_->Text(Repaired(UrlOf(type_url, resource), space));
  writer_->NameKey("name");
  writer_->Text(Repaired(resource.name, space));
  writer_->NameKey("version");
  writer_->Text(Repaired(resource.version, space));
  writer_->NameKey("resource");
  Resource(type_url, resource);
  writer_->EndObject();
  out_.Append('\n');
}

// Hands the response on field by field: a message may be written in pieces, so that its resources, which are many,
// never stand in memory as a second copy. The type URL is written behind them, as a writer would that counts fields by
// number.
void DocumentWriter::BinaryResponse(const TypeListing& listing) {
  std::string field;
  if (!listing.version.empty()) base::AppendBytes(&field, base::kResponseVersionField, listing.version);
  out_.Append(field);
  for (const ListedResource& resource : listing.resources) {
    if (!out_.ok()) return;
    const bool wrapped = !resource.wrapper.empty();
    const std::string_view url = wrapped ? WrapperUrl(listing.type_url) : UrlOf(listing.type_url, resource);
    std::string_view payload = wrapped ? resource.wrapper : resource.payload;
    std::string redacted;
    if (!options_.walk.show_secrets) payload = redacted = redactor_.Payload(url, payload, listing.type_url);
    field.clear();
    base::AppendAny(&field, base::kResponseResourcesField, {url, payload});
    out_.Append(field);
  }
  field.clear();
  base::AppendBytes(&field, base::kResponseTypeUrlField, listing.type_url);
  out_.Append(field);
}

}  // namespace xdscope::format
