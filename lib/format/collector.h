// Turns the parts of a file into resources. Knows how discovery responses, `Resource` wrappers and bare resources look;
// does not know how a file is taken apart. For read.cc and binary_reader.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/fields.h"
#include "lib/encode/encode.h"
#include "lib/encode/problem.h"
#include "lib/encode/tree.h"
#include "lib/format/read.h"
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
  // All must live longer. `errors_before` is from problems->errors().
  Collector(const ReadOptions& options, wire::Types& types, encode::Problems* problems, ReadFile* file);

  // What is collected from now on belongs to a new document.
  void BeginDocument(encode::Spelling spelling);

  // An element of a list. When reading it has added errors since `errors_before`, it is left out.
  void Element(const encode::Node& node, ListOf list, std::string path, std::size_t errors_before);
  // A document that is no list, without its `resources` when those were elements (`has_resources`).
  void Root(const encode::Node& node, bool has_resources, std::size_t errors_before);

  // A resource as bytes; `any` is a google.protobuf.Any.
  void AnyBytes(std::string_view any, std::string path, std::size_t offset);
  void Payload(std::string_view type_url, std::string_view bytes, std::string path, std::size_t offset);

  // A field of a response in binary: says so when there is no such field.
  void CheckKnown(const base::FieldReader& field);

  // Whether an "@type" names a discovery response.
  static bool IsResponseUrl(const encode::Node& url);
  // False: a map that says that it is something else than a discovery response, or no map.
  static bool MayBeResponse(const encode::Node& root);
  // `resources` stands there twice.
  void SayTwice(std::size_t offset);
  // How many resources there are; those behind a number can be taken back.
  std::size_t size() const { return file_.resources.size(); }
  void ReturnTo(std::size_t size);

  const wire::Type* bare_type() const { return bare_type_; }
  ReadDocument& document() { return file_.documents.back(); }
  void Say(encode::Severity severity, encode::ProblemKind kind, std::size_t offset, std::string_view path,
           std::string_view what) {
    problems_.Add({severity, kind, offset, std::string(path), std::string(what)});
  }

 private:
  bool IsResponse(const encode::Node& root) const;
  void Response(const encode::Node& root);
  void TextRoot(const encode::Node& node, std::size_t errors_before);
  void Any(const encode::Node& node, std::string path, std::size_t errors_before);
  void Bare(const encode::Node& node, std::string path, std::size_t errors_before);
  bool Encode(const encode::Node& node, const wire::Type& type, const std::string& path, std::string* bytes);
  void Unwrap(ReadResource* resource);
  bool Opens(const ReadResource& resource);
  wire::AnyParts PartsOf(std::string_view any) const;

  const ReadOptions& options_;
  wire::Types& types_;
  encode::Problems& problems_;
  ReadFile& file_;
  encode::Spelling spelling_ = encode::Spelling::kJson;
  const wire::Type* any_type_;
  const wire::Type* bare_type_;
};

}  // namespace xdscope::format
