// Turns the parts of a file into resources. Knows how discovery responses, `Resource` wrappers and bare resources look;
// does not know how a file is taken apart. For read.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/fields.h"
#include "lib/encode/encode.h"
#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "lib/format/read.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"

namespace xdscope::format {

inline constexpr std::string_view kResponseName = "envoy.service.discovery.v3.DiscoveryResponse";

// What a list's elements are.
enum class ListOf : std::uint8_t {
  kAnys,           // `resources` of a discovery response: each with its "@type"
  kBareResources,  // a list alone: with "@type", or of ReadOptions::bare_type
};

class Collector {
 public:
  // All must live longer. `errors_before` is from findings->errors().
  Collector(const ReadOptions& options, wire::Types& types, encode::Findings* findings, ReadFile* file);

  // Begins a document: what is collected from now on belongs to it.
  void BeginDocument(encode::Spelling spelling);

  // Takes an element of a list. Leaves it out when reading it has added errors since `errors_before`.
  void Element(const encode::Node& node, ListOf list, finding::Path path, std::size_t errors_before);
  // Takes a document that is no list, without its `resources` when those were elements (`has_resources`).
  void Root(const encode::Node& node, bool has_resources, std::size_t errors_before);

  // Take a resource as bytes; `any` is a google.protobuf.Any.
  void AnyBytes(std::string_view any, finding::Path path, std::size_t offset);
  void Payload(std::string_view type_url, std::string_view bytes, finding::Path path, std::size_t offset);

  // Adds a finding when a response has no such field.
  void CheckKnown(const base::FieldReader& field);

  // Returns true when an "@type" names a discovery response.
  static bool IsResponseUrl(const encode::Node& url);
  // Returns false for a map that says that it is something else than a discovery response, and for what is no map.
  static bool MayBeResponse(const encode::Node& root);
  // Adds the finding that `resources` stands there twice.
  void SayTwice(std::size_t offset);
  // What was collected up to a moment; ReturnTo() takes back the resources that came behind it.
  struct Mark {
    std::size_t resources, unread;
  };
  Mark mark() const { return {file_.resources.size(), file_.unread.size()}; }
  void ReturnTo(const Mark& mark);

  const wire::Type* bare_type() const { return bare_type_; }
  ReadDocument& document() { return file_.documents.back(); }
  void Say(finding::Severity severity, std::string_view rule, std::size_t offset, finding::Path path,
           std::string_view what) {
    findings_.Add(rule, severity, offset, std::move(path), std::string(what));
  }

 private:
  bool IsResponse(const encode::Node& root) const;
  void Response(const encode::Node& root);
  void TextRoot(const encode::Node& node, std::size_t errors_before);
  void Any(const encode::Node& node, finding::Path path, std::size_t errors_before);
  void Bare(const encode::Node& node, finding::Path path, std::size_t errors_before);
  bool Encode(const encode::Node& node, const wire::Type& type, const finding::Path& path, std::string* bytes);
  void NoteUnread(const encode::Node& node, const wire::Type* type, finding::Path path);
  void NoteUnread(std::string_view type_url, std::string_view bytes, const finding::Path& path, std::size_t offset);
  void Unwrap(ReadResource* resource);
  std::optional<wire::Message> Open(const ReadResource& resource);

  const ReadOptions& options_;
  wire::Types& types_;
  encode::Findings& findings_;
  ReadFile& file_;
  encode::Spelling spelling_ = encode::Spelling::kJson;
  const wire::Type* any_type_;
  const wire::Type* bare_type_;
};

}  // namespace xdscope::format
