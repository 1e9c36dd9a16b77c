#include "lib/format/document.h"

#include <future>
#include <string>
#include <utility>

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

std::size_t SizeOf(const ListedResource& resource) {
  return resource.wrapper.empty() ? resource.payload.size() : resource.wrapper.size();
}

bool IsLarge(const TypeListing& listing) {
  std::size_t size = 0;
  for (const ListedResource& resource : listing.resources) size += SizeOf(resource);
  return size >= DocumentWriter::kLarge;
}

// Returns the end of a part of a listing that is worth a thread: it takes some milliseconds, and its text is no more
// than a few hundred kilobytes.
std::size_t EndOfPart(const TypeListing& listing, std::size_t begin) {
  constexpr std::size_t kPart = std::size_t{128} << 10;
  std::size_t end = begin;
  for (std::size_t size = 0; end < listing.resources.size() && size < kPart; ++end) {
    size += SizeOf(listing.resources[end]);
  }
  return end;
}

}  // namespace

DocumentWriter::DocumentWriter(wire::Types& types, const DocumentOptions& options, Output& out)
    : types_(types),
      options_(options),
      out_(out),
      writer_(MakeWriter(options.format, out, options.style)),
      redactor_(types) {
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
  Resources(listing);
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
    Resources(listing);
    writer_->EndList();
  }
  Member("type_url", "typeUrl");
  writer_->Text(Repaired(listing.type_url, space));
  writer_->EndObject();
}

// ---- Resources, which are many.

// Writes resources of a list that somebody else has begun, for him to put in their place. One thread at a time uses it.
class DocumentWriter::Ahead {
 public:
  Ahead(const schema::Schema& schema, const DocumentOptions& options)
      : types_(schema), out_([this](std::string_view chunk) { return Take(chunk); }), writer_(types_, options, out_) {
    writer_.EnterList();
  }

  // Returns the text, which stands until the next call.
  std::string_view Write(const TypeListing& listing, std::size_t begin, std::size_t end) {
    out_.Flush().IgnoreError();
    text_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      ListedResource resource = listing.resources[i];
      resource.message = nullptr;  // its types belong to the other thread
      writer_.Entry(listing.type_url, resource);
    }
    out_.Flush().IgnoreError();
    return text_;
  }

 private:
  absl::Status Take(std::string_view chunk) {
    text_ += chunk;
    return absl::OkStatus();
  }

  wire::Types types_;
  std::string text_;
  Output out_;
  DocumentWriter writer_;
};

void DocumentWriter::Resources(const TypeListing& listing) {
  if (options_.two_threads && IsLarge(listing)) return InTurns(listing);
  for (const ListedResource& resource : listing.resources) {
    if (!out_.ok()) return;
    Entry(listing.type_url, resource);
  }
}

// Of two parts that follow each other this thread writes the first where it belongs, while another one writes the
// second; then that is appended. So the first text comes as soon as ever, and no more than one part waits in memory.
// Where there is no thread to be had, the second part is written here when its turn comes.
void DocumentWriter::InTurns(const TypeListing& listing) {
  Ahead ahead(types_.schema(), options_);
  std::size_t begin = 0;
  while (begin < listing.resources.size() && out_.ok()) {
    const std::size_t middle = EndOfPart(listing, begin);
    const std::size_t end = EndOfPart(listing, middle);
    std::future<std::string_view> second = std::async(std::launch::async | std::launch::deferred,
                                                      [&, middle, end] { return ahead.Write(listing, middle, end); });
    for (std::size_t i = begin; i < middle && out_.ok(); ++i) Entry(listing.type_url, listing.resources[i]);
    out_.Append(second.get());
    begin = end;
  }
}

// Brings the writer to where it stands between two resources. What it writes on the way is not for anybody.
void DocumentWriter::EnterList() {
  if (options_.format == DocumentFormat::kNdjson) return;
  writer_->BeginObject();
  Member("resources", "resources");
  writer_->BeginList();
  writer_->BeginObject();
  writer_->EndObject();
}

void DocumentWriter::Entry(std::string_view type_url, const ListedResource& resource) {
  options_.format == DocumentFormat::kNdjson ? Line(type_url, resource) : Resource(type_url, resource);
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
