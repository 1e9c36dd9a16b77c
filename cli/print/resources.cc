#include "cli/print/resources.h"

#include <fmt/format.h>

#include <thread>

#include "cli/print/message.h"
#include "cli/print/table.h"
#include "cli/print/tree.h"
#include "cli/print/words.h"
#include "lib/format/document.h"
#include "lib/format/json_writer.h"
#include "lib/format/redact.h"
#include "lib/format/table.h"
#include "lib/format/text_writer.h"
#include "lib/format/yaml_writer.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

using resource::Resource;
using resource::Snapshot;
using resource::TypeState;

format::Output::Sink SinkOf(const OutputStream& out) {
  return [&out](std::string_view chunk) {
    return out.write(chunk) ? absl::OkStatus() : absl::CancelledError("nobody reads");
  };
}

format::ListedResource ToListed(const Resource& resource, bool wrapped) {
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
  listing.resources.reserve(state.resources.size());
  for (const auto& [name, resource] : state.resources) listing.resources.push_back(ToListed(resource, wrapped));
  return listing;
}

void RenderDocuments(const Snapshot& snapshot, const OutputOptions& options, wire::Types& types, format::Output& out) {
  format::DocumentWriter writer(types,
                                {.format = options.format,
                                 .walk = options.walk,
                                 .style = options.style,
                                 .two_threads = std::thread::hardware_concurrency() > 1},
                                out);
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
    format::WriteTable(TableOf(type_url, state), static_cast<std::size_t>(options.width), options.style, out);
  }
}

void RenderTree(const Snapshot& snapshot, const OutputOptions& options, const Asked& asked, wire::Types& types,
                format::Output& out) {
  resource::ReferenceFinder references(types, asked.server);
  const Tree tree = TreeOf(snapshot, references, asked.was_asked);
  format::WriteTree(tree.roots, format::TreeLines::kUtf8, static_cast<std::size_t>(options.width), options.style, out);
  if (tree.missing > 0) out.Append(fmt::format("{} missing\n", tree.missing));
}

// A writer for whole messages, and the text that stands before each but the first and behind each.
struct MessageWriter {
  std::unique_ptr<format::Writer> writer;
  std::string_view before;  // each but the first
  std::string_view after;
};

MessageWriter WriterFor(const OutputOptions& options, format::Output& out) {
  const format::Style style = options.style;
  switch (options.format) {
    case format::DocumentFormat::kJson:
      return {std::make_unique<format::JsonWriter>(out, format::JsonWriter::Layout::kIndented, style), "", "\n"};
    case format::DocumentFormat::kNdjson:
      return {std::make_unique<format::JsonWriter>(out, format::JsonWriter::Layout::kCompact, style), "", "\n"};
    case format::DocumentFormat::kText:
      return {std::make_unique<format::TextWriter>(out, style), "\n", ""};
    default:
      return {std::make_unique<format::YamlWriter>(out, style), "---\n", ""};
  }
}

// Prints the bytes as they came, or without their secrets. Of bytes that cannot be read nothing is printed then.
void RenderRawBinary(const RawMessage& message, bool show_secrets, wire::Types& types, format::Output& out) {
  if (show_secrets) return out.Append(message.bytes);
  const wire::Type* type = types.Find(message.type);
  if (type == nullptr) return;
  const absl::StatusOr<wire::Message> decoded = wire::Decode(message.bytes, *type);
  if (decoded.ok()) out.Append(format::Redactor(types).Message(decoded->view()));
}

}  // namespace

void Render(const Snapshot& snapshot, const OutputOptions& options, const Asked& asked, wire::Types& types,
            const OutputStream& to) {
  format::Output out(SinkOf(to));
  switch (options.layout) {
    case Layout::kDocuments:
      RenderDocuments(snapshot, options, types, out);
      break;
    case Layout::kTable:
      RenderTables(snapshot, options, out);
      break;
    case Layout::kTree:
      RenderTree(snapshot, options, asked, types, out);
      break;
    case Layout::kNames:
      RenderNames(snapshot, out);
      break;
  }
  // A reader that left is no failure; that stdout cannot be written is said by whoever made the streams.
  out.Flush().IgnoreError();
}

void RenderRaw(const std::vector<RawMessage>& messages, const OutputOptions& options, wire::Types& types,
               const OutputStream& to) {
  format::Output out(SinkOf(to));
  MessageWriter as = WriterFor(options, out);
  format::Walker walker(types, options.walk, *as.writer);
  bool first = true;
  for (const RawMessage& message : messages) {
    if (!out.ok()) break;
    if (options.format == format::DocumentFormat::kBinary) {
      RenderRawBinary(message, options.walk.show_secrets, types, out);
      continue;
    }
    if (!std::exchange(first, false)) out.Append(as.before);
    WalkMessage(message.type, message.bytes, options.walk.show_secrets, types, walker);
    out.Append(as.after);
  }
  out.Flush().IgnoreError();
}

void RenderAny(const base::AnyView& any, std::string_view response_type, const OutputOptions& options,
               wire::Types& types, format::Output& out) {
  const MessageWriter as = WriterFor(options, out);
  format::Walker(types, options.walk, *as.writer).Any(any.type_url, any.value, response_type);
  out.Append(as.after);
  out.Flush().IgnoreError();
}

}  // namespace xdscope::cli
