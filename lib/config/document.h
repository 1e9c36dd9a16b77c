// A settings text (YAML or JSON) as a tree that knows the line of each value. Knows both syntaxes, no schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"
#include "lib/encode/tree.h"

namespace xdscope::config {

class Document {
 public:
  // A document without a value. `text` must outlive the document; messages call it `file`.
  Document(std::string_view text, std::string_view file);

  // The first value; invalid while there is none. Its nodes live as long as the document stays where it is.
  encode::Node root() const { return tree.root(); }
  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  // The line of a place that is given in bytes, from 1. Takes logarithmic time.
  int LineOf(std::size_t offset) const;

  // Its offsets are those of the text. Scalars are typed as Envoy types them: of plain YAML scalars only booleans and
  // whole numbers are not text.
  encode::Tree tree;

 private:
  std::string_view text_;
  std::string file_;
  std::vector<std::uint32_t> line_ends_;
};

// Reads one document: JSON where the text begins like it, else YAML (also for JSON with Envoy's liberties, such as keys
// without quotes). Of the entries of an Envoy /config_dump in JSON it keeps the bootstrap alone: the rest may be a
// hundred megabytes and holds no settings. INVALID_ARGUMENT, "FILE:LINE: what": the text is not well formed, holds
// several documents, is nested deeper than 100, or (YAML) has more than half a million values once aliases are
// expanded.
absl::StatusOr<Document> ParseDocument(std::string_view text, std::string_view file);

// Reads JSON by the letter and keeps all of it. Fails as ParseDocument() does, also for comments, trailing commas and
// whatever else JSON does not have.
absl::StatusOr<Document> ParseJson(std::string_view text, std::string_view file);

// The bootstrap of an Envoy /config_dump; the root of a document that is none. Invalid: a dump without a bootstrap.
encode::Node FindBootstrap(const Document& document);

// The member `name` (snake_case) of a map or its lowerCamelCase form; the last one of several. Invalid: there is none,
// it is null, or `map` is no map.
encode::Node FindMember(const encode::Node& map, std::string_view name);

// INVALID_ARGUMENT, "FILE:LINE: path: what"; parts that are empty (or 0) are left out.
absl::Status ErrorAt(std::string_view file, int line, std::string_view path, std::string_view what);

}  // namespace xdscope::config
