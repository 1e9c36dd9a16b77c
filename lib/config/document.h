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
  // A tree that was read from `text`, which must outlive the document. Messages call it `file`.
  Document(std::string_view text, std::string_view file, encode::Tree tree);

  // Returns the first value; an invalid node when the tree is empty. Nodes live as long as the document stays where it
  // is. Scalars are typed as Envoy types them: of plain YAML scalars only booleans and whole numbers are not text.
  encode::Node root() const { return tree_.root(); }
  const std::string& file() const { return file_; }
  // Returns the line, from 1, of a place that is given in bytes. Takes logarithmic time.
  int LineOf(std::size_t offset) const;

 private:
  std::string file_;
  encode::Tree tree_;
  std::vector<std::uint32_t> line_ends_;
};

// Reads one document: JSON where the text begins like it, else YAML (also for JSON with Envoy's liberties, such as keys
// without quotes). Of the entries of an Envoy /config_dump in JSON it keeps the bootstrap alone: the rest may be tens
// of megabytes and holds no settings. INVALID_ARGUMENT, "FILE:LINE: what": the text is not well formed, holds several
// documents, is nested deeper than 100, or (YAML) has aliases that stand for more than 64 MB.
absl::StatusOr<Document> ParseDocument(std::string_view text, std::string_view file);

// Reads JSON by the letter and keeps all of it. Fails as ParseDocument() does, also for comments, trailing commas and
// whatever else JSON does not have.
absl::StatusOr<Document> ParseJson(std::string_view text, std::string_view file);

// Returns the bootstrap of an Envoy /config_dump, and the root of a document that is none; an invalid node for a dump
// without a bootstrap.
encode::Node FindBootstrap(const Document& document);

// Returns the member `name` (snake_case) of a map or its lowerCamelCase form, the last one of several; an invalid node
// when there is none, when it is null, or when `map` is no map.
encode::Node FindMember(const encode::Node& map, std::string_view name);

// Returns true where a key is this name (snake_case) or its lowerCamelCase form.
bool IsNameOf(std::string_view key, std::string_view name);

// Makes the error INVALID_ARGUMENT, "FILE:LINE: path: what". Leaves out parts that are empty (or 0).
absl::Status ErrorAt(std::string_view file, int line, std::string_view path, std::string_view what);

}  // namespace xdscope::config
