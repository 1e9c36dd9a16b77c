// Files of resources: text in, wire bytes out, and where everything stood. Reads what Envoy reads (with its leniencies,
// each with a warning), and a little more: bare resources, lists of them, several documents. Knows formats and how a
// discovery response looks; does not know which resource types there are, judges nothing but spelling, opens no file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/encode/encode.h"
#include "lib/encode/problem.h"
#include "lib/format/position.h"
#include "lib/wire/type.h"

namespace xdscope::format {

enum class Format : std::uint8_t { kJson, kYaml, kText, kBinary };

// By the suffix, as Envoy chooses, in any case: ".pb" binary, ".pb_text" text, ".yaml" and ".yml" YAML, all else JSON.
Format FormatOf(std::string_view path);

struct ReadOptions {
  // Full name or URL of the type that resources without "@type" have; empty: they are problems.
  std::string bare_type;
  // Fields and enum values that the schema does not have. (In text proto they are always refused.)
  encode::Unknown unknown = encode::Unknown::kWarn;
  std::size_t max_problems = encode::Problems::kMost;
};

// A resource that could be read completely.
struct ReadResource {
  std::string type_url;  // of the payload, as written; of a bare resource "type.googleapis.com/NAME"
  std::string bytes;     // the payload: what stands in `value` of its Any

  // Of a `Resource` wrapper around it, when it had one.
  bool wrapped = false;
  std::string wrapper_url;    // the type URL of the wrapper
  std::string wrapper_bytes;  // the wrapper with the payload in it
  std::string name;
  std::string version;
  std::vector<std::string> aliases;
  std::optional<std::chrono::nanoseconds> ttl;

  std::size_t document = 0;  // of the file, from 0
  // Of the payload from the root of its document: "resources[3]", "[2]", "resources[0].resource"; empty: the document
  // itself is the resource. What a path inside the resource is joined to (encode::JoinPath) before Locate().
  std::string path;
  std::size_t offset = 0;  // where it begins, in bytes
  Position position;
};

// What a document says beside its resources. Empty for bare resources and lists of them.
struct ReadDocument {
  bool response = false;     // a discovery response
  std::string version_info;  // of a response
  std::string type_url;      // of a response
};

struct Problem {
  encode::Severity severity = encode::Severity::kError;
  encode::ProblemKind kind = encode::ProblemKind::kSyntax;
  Position position;
  std::string path;  // from the root of the document, in proto field names
  std::string what;
};

struct ReadFile {
  std::vector<ReadDocument> documents;
  std::vector<ReadResource> resources;  // in the order of the file
  std::vector<Problem> problems;        // in the order of the file
  std::size_t problems_left_out = 0;    // beyond ReadOptions::max_problems
  // True when something is wrong that Envoy would refuse, whether or not `problems` had room for it. What could be
  // read all the same is in `resources`: a resource with an error is left out, the others are not.
  bool has_errors = false;
};

// Reads a file. Never fails as a whole: what is wrong is in the result, with its place. Any bytes are safe: depth,
// expansion of aliases and the number of problems are bounded, time grows with the size.
ReadFile Read(std::string_view text, Format format, const ReadOptions& options, wire::Types& types);

}  // namespace xdscope::format
