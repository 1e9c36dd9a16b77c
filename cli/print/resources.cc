#include "cli/print/resources.h"

#include <fmt/format.h>

#include "cli/print/table.h"
#include "cli/print/tree.h"
#include "cli/print/words.h"
#include "lib/format/document.h"
#include "lib/format/json_writer.h"
#include "lib/format/table.h"
#include "lib/format/text_writer.h"
#include "lib/format/yaml_writer.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

using resource::Resource;
using resource::Snapshot;
using resource::TypeState;

format::Output::Sink SinkOf(const Output& out) {
  return [&out](std::string_view chunk) {
    return out.write(chunk) ? absl::OkStatus() : absl::CancelledError("nobody reads");
  };
}

format::Entry EntryOf(const Resource& resource, bool wrapped) {
  return {.name = resource.name,
          .version = resource.version,
          .type_url = resource.type_url,
          .payload = resource.payload,
          .wrapper = wrapped ? resource.entry : std::string_view(),
          .message = resource.message.ok() ? &*resource.message : nullptr};
}

format::TypeListing ListingOf(const std::string& type_url, const TypeState& state) {
  const types::KnownType* known = types::FindByUrl(type_url);
  const bool wrapped = known != nullptr && known->named_by_wrapper();
  format::TypeListing listing{type_url, state.version, {}};
  listing.entries.reserve(state.resources.size());
  for (const auto& [name, resource] : state.resources) listing.entries.push_back(EntryOf(resource, wrapped));
  return listing;
}

void RenderDocuments(const Snapshot& snapshot, const OutputOptions& options, format::DocumentFormat as,
                     wire::Types& types, format::Output& out) {
  format::DocumentWriter writer(types, {.format = as, .walk = WalkOptionsOf(options), .looks = {options.color}}, out);
  for (const auto& [type_url, state] : snapshot.types()) {
    if (out.ok()) writer.Write(ListingOf(type_url, state));
  }
}

void RenderNames(const Snapshot& snapshot, format::Output& out) {
  for (const auto& [type_url, state] : snapshot.types()) {
    for (const auto& [name, resource] : state.resources) out.Append(ResourceWord(type_url, name) + "\n");
  }
}

void RenderTables(const Snapshot& snapshot, const OutputOptions& options, format::Output& out) {
  bool first = true;
  for (const auto& [type_url, state] : snapshot.types()) {
    if (!std::exchange(first, false)) out.Append('\n');
    format::WriteTable(TableOf(type_url, state), static_cast<std::size_t>(options.width), {options.color}, out);
  }
}

void RenderTree(const Snapshot& snapshot, const OutputOptions& options, const resource::ThisServer& this_server,
                wire::Types& types, format::Output& out) {
  resource::ReferenceFinder references(types, this_server);
  const std::vector<format::TreeNode> roots = TreeOf(snapshot, references);
  format::WriteTree(roots, format::TreeLines::kUtf8, static_cast<std::size_t>(options.width), {options.color}, out);
}

// A writer for whole messages, and what stands between two of them.
struct MessageWriter {
  std::unique_ptr<format::Writer> writer;
  std::string_view before;  // each but the first
  std::string_view after;
};

MessageWriter WriterFor(const OutputOptions& options, format::Output& out) {
  const format::Looks looks{options.color};
  switch (options.format) {
    case OutputFormat::kJson:
      return {std::make_unique<format::JsonWriter>(out, format::JsonWriter::Layout::kIndented, looks), "", "\n"};
    case OutputFormat::kNdjson:
      return {std::make_unique<format::JsonWriter>(out, format::JsonWriter::Layout::kCompact, looks), "", "\n"};
    case OutputFormat::kText:
      return {std::make_unique<format::TextWriter>(out, looks), "\n", ""};
    default:
      return {std::make_unique<format::YamlWriter>(out, looks), "---\n", ""};
  }
}

void RenderMessage(const RawMessage& message, format::Walker& walker, wire::Types& types) {
  const wire::Type* type = types.Find(message.type);
  const absl::StatusOr<wire::Message> decoded = type == nullptr
                                                    ? absl::StatusOr<wire::Message>(absl::NotFoundError("unknown type"))
                                                    : wire::Decode(message.bytes, *type);
  if (decoded.ok()) {
    walker.Message(decoded->view());
  } else {
    walker.Unopened(message.type, message.bytes, base::Message(decoded.status()));
  }
}

}  // namespace

format::WalkOptions WalkOptionsOf(const OutputOptions& options) {
  return {.names = options.json_names == JsonNames::kCamel ? format::Names::kCamel : format::Names::kProto,
          .show_secrets = options.show_secrets,
          .emit_defaults = options.emit_defaults};
}

void Render(const Snapshot& snapshot, const OutputOptions& options, const resource::ThisServer& this_server,
            wire::Types& types, const Output& to) {
  format::Output out(SinkOf(to));
  using format::DocumentFormat;
  switch (options.format) {
    case OutputFormat::kYaml:
      RenderDocuments(snapshot, options, DocumentFormat::kYaml, types, out);
      break;
    case OutputFormat::kJson:
      RenderDocuments(snapshot, options, DocumentFormat::kJson, types, out);
      break;
    case OutputFormat::kNdjson:
      RenderDocuments(snapshot, options, DocumentFormat::kNdjson, types, out);
      break;
    case OutputFormat::kText:
      RenderDocuments(snapshot, options, DocumentFormat::kText, types, out);
      break;
    case OutputFormat::kBinary:
      RenderDocuments(snapshot, options, DocumentFormat::kBinary, types, out);
      break;
    case OutputFormat::kTable:
      RenderTables(snapshot, options, out);
      break;
    case OutputFormat::kTree:
      RenderTree(snapshot, options, this_server, types, out);
      break;
    case OutputFormat::kName:
      RenderNames(snapshot, out);
      break;
  }
  // A reader that left is no failure; that stdout cannot be written is said by whoever made the streams.
  out.Flush().IgnoreError();
}

void RenderRaw(const std::vector<RawMessage>& messages, const OutputOptions& options, wire::Types& types,
               const Output& to) {
  format::Output out(SinkOf(to));
  MessageWriter as = WriterFor(options, out);
  format::Walker walker(types, WalkOptionsOf(options), *as.writer);
  bool first = true;
  for (const RawMessage& message : messages) {
    if (!out.ok()) break;
    if (options.format == OutputFormat::kBinary) {
      out.Append(message.bytes);
      continue;
    }
    if (!std::exchange(first, false)) out.Append(as.before);
    RenderMessage(message, walker, types);
    out.Append(as.after);
  }
  out.Flush().IgnoreError();
}

}  // namespace xdscope::cli
