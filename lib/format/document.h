// Resources as documents: one DiscoveryResponse per type, in one of the formats for values, or one JSON line per
// resource. Knows how a response style; does not know where resources come from, nor their types' short names.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/format/output.h"
#include "lib/format/redact.h"
#include "lib/format/walk.h"
#include "lib/format/writer.h"
#include "lib/wire/message.h"

namespace xdscope::format {

enum class DocumentFormat : std::uint8_t { kYaml, kJson, kNdjson, kText, kBinary };

// A resource to print. Texts and bytes belong to somebody else, who keeps them until Write() returns.
struct ListedResource {
  std::string_view name;
  std::string_view version;
  std::string_view type_url;  // of the payload; empty: the listing's
  std::string_view payload;   // the resource's own bytes, decodable or not
  // Bytes of the `Resource` message to print instead of the bare payload; empty for all types whose resources have
  // names of their own.
  std::string_view wrapper;
  // The payload, when somebody has decoded it already.
  const wire::Message* message = nullptr;
};

// The resources of one type, in the order in which they are printed.
struct TypeListing {
  std::string_view type_url;
  std::string_view version;
  std::vector<ListedResource> resources;
};

struct DocumentOptions {
  DocumentFormat format = DocumentFormat::kYaml;
  WalkOptions walk = {};
  Style style = {};
  // Lets a second thread write parts of a large listing ahead. The text is the same.
  bool two_threads = false;
};

class DocumentWriter {
 public:
  // `types` and `out` must live longer.
  DocumentWriter(wire::Types& types, const DocumentOptions& options, Output& out);
  ~DocumentWriter();
  DocumentWriter(const DocumentWriter&) = delete;
  DocumentWriter& operator=(const DocumentWriter&) = delete;

  // From so many bytes of resources on a listing is large.
  static constexpr std::size_t kLarge = std::size_t{2} << 20;

  // Writes a whole DiscoveryResponse (without a nonce), or the lines of ndjson; the format's separator comes before
  // each but the first. Ends early when nobody takes the output any more. In kBinary nothing separates two responses.
  void Write(const TypeListing& listing);

 private:
  void Separate(std::string_view type_url);
  void Response(const TypeListing& listing);
  void BinaryResponse(const TypeListing& listing);
  void Resources(const TypeListing& listing);
  void InTurns(const TypeListing& listing);
  void EnterList();
  void Entry(std::string_view type_url, const ListedResource& resource);
  void Resource(std::string_view type_url, const ListedResource& resource);
  void Line(std::string_view type_url, const ListedResource& resource);
  void Member(std::string_view name, std::string_view camel);

  class Ahead;

  wire::Types& types_;
  DocumentOptions options_;
  Output& out_;
  std::unique_ptr<Writer> writer_;  // none for kBinary
  std::unique_ptr<Walker> walker_;
  Redactor redactor_;
  bool first_ = true;
};

}  // namespace xdscope::format
