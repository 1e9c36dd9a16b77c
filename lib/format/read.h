// Files of resources: text in, wire bytes out, and where everything stood. Reads what Envoy reads (with its leniencies,
// each with a warning), and a little more: bare resources, lists of them, several documents. Knows formats and how a
// discovery response style; does not know which resource types there are, judges nothing but spelling, opens no file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/encode/encode.h"
#include "lib/encode/findings.h"
#include "lib/finding/finding.h"
#include "lib/wire/message.h"
#include "lib/wire/type.h"

namespace xdscope::format {

enum class Format : std::uint8_t { kJson, kYaml, kText, kBinary };

// Chooses by the suffix, as Envoy does, in any case: ".pb" binary, ".pb_text" text, ".yaml" and ".yml" YAML, all else
// JSON.
Format FormatOf(std::string_view path);
// Chooses by a suffix of these, else by what the text looks like: a pipe has no name. What looks like none of the
// others is YAML.
Format FormatOf(std::string_view path, std::string_view text);

struct ReadOptions {
  // Full name or URL of the type that resources without "@type" have; empty: they are findings.
  std::string bare_type;
  // Fields and enum values that the schema does not have. (In text proto they are always refused.)
  encode::Unknown unknown = encode::Unknown::kWarn;
  bool keep_unknown_types = false;  // as in encode::EncodeOptions
  std::size_t max_findings = encode::Findings::kMost;
  bool digests = true;  // ReadResource::digest is wanted
};

// A resource that could be read completely.
struct ReadResource {
  std::string type_url;  // of the payload, as written; of a bare resource "type.googleapis.com/NAME"
  std::string bytes;     // the payload: what stands in `value` of its Any

  // wire::Digest() of the payload, or of the wrapper around it where it has one. Only where the bytes had to be decoded
  // to be read (binary): whoever needs it decodes them else.
  std::optional<std::uint64_t> digest;
  // The payload decoded, where it had to be: a message of the same bytes elsewhere, for wire::Message::MovedTo().
  std::optional<wire::Message> message = {};

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
  // itself is the resource. A path inside the resource is appended to it before Locate().
  finding::Path path;
  std::size_t offset = 0;  // where it begins, in bytes
  finding::Position position;
};

// A resource that stands in a file and could not be read: the findings say why.
struct UnreadResource {
  std::string type_url;  // as written; empty where none is
  std::string name;      // as far as it could be made out
  std::size_t document = 0;
  finding::Path path;  // as in ReadResource
  std::size_t offset = 0;
  finding::Position position;
};

// What a document says beside its resources. Empty for bare resources and lists of them.
struct ReadDocument {
  bool response = false;     // a discovery response
  std::string version_info;  // of a response
  std::string type_url;      // of a response
  std::string bytes;         // of a response: all that it says beside its resources, serialized; not of kBinary
};

struct ReadFile {
  std::vector<ReadDocument> documents;
  std::vector<ReadResource> resources;     // in the order of the file
  std::vector<UnreadResource> unread;      // the same
  std::vector<finding::Finding> findings;  // in the order of the file, paths from the root of their document
  std::size_t findings_left_out = 0;       // beyond ReadOptions::max_findings
  // Whether something is wrong that Envoy would refuse, even if `findings` had no room for it. What could be read all
  // the same is in `resources`: a resource with an error is left out, the others are not.
  bool has_errors = false;
};

// Reads a file. Never fails as a whole: what is wrong is in the result, with its place. Any bytes are safe: depth,
// expansion of aliases and the number of findings are bounded, time grows with the size.
ReadFile Read(std::string_view text, Format format, const ReadOptions& options, wire::Types& types);

}  // namespace xdscope::format
