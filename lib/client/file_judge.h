// Judges discovery files: what is wrong with each of them, and where. It reads a text as Envoy would read a file of its
// name, runs the rules over each resource in it, then over all resources of all files together, and says of each
// finding in which resource it is and where in the file it stands.
//
// It is stricter than Envoy: what Envoy takes and silently drops or corrupts is an error. Knows no folders, opens no
// files and prints nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"
#include "lib/finding/finding.h"
#include "lib/finding/sample.h"
#include "lib/format/read.h"
#include "lib/rules/inspector.h"
#include "lib/rules/set_inspector.h"
#include "lib/wire/message.h"
#include "lib/wire/type.h"

namespace xdscope::client {

// A resource that stands in a file.
struct JudgedResource {
  std::string type_url;  // "type.googleapis.com/…" as written; empty where none is
  std::string name;      // empty: it has none
  finding::Position position;
  bool read = false;  // else nothing but its spelling was judged
};

struct JudgedFile {
  std::string name;                       // as it was added
  std::vector<JudgedResource> resources;  // in the order of the file
  // In the order of their places. `entry` is a place in `resources`; `file` of what a finding is related to is empty
  // where it is the same file.
  std::vector<finding::Finding> findings;
};

// A resource that was read, and where it is from: what rules about several resources work with.
struct ResourceOrigin {
  std::size_t file = 0;   // in the order of adding
  std::size_t entry = 0;  // in JudgedFile::resources
  rules::Subject subject;
  wire::View resource;
};

class FileJudge {
 public:
  struct Options {
    // Full name or URL of the type that resources without "@type" have. With it, bare resources and lists of them are
    // no mistake.
    std::string bare_type;
    // What is there beside the files, for references that lead out of them.
    rules::SetOptions beside = {};
  };

  // `types` must live longer.
  FileJudge(wire::Types& types, Options options) : types_(types), options_(std::move(options)), inspector_(types) {}

  // Adds a file by its name, by which its format is chosen; a name without a dot ("-") says nothing of the format,
  // which then goes by what the text looks like.
  void Add(std::string name, std::string text);
  // Adds a file that could not be read: that is a finding.
  void AddUnreadable(std::string name, const absl::Status& why);

  // Returns all resources that were read, file by file. They are good until the next Add().
  std::vector<ResourceOrigin> Origins() const;

  // Says what is wrong with what was added, file by file, and forgets it. Takes time in proportion to the files.
  std::vector<JudgedFile> Judge();

 private:
  struct File {
    std::string text;
    format::Format format = format::Format::kYaml;
    format::ReadFile read;
    // Of read.resources, in their order.
    std::vector<std::size_t> entries;                    // in JudgedFile::resources
    std::vector<std::optional<wire::Message>> messages;  // nullopt: it does not open
    finding::Sample findings;
    JudgedFile judged;
  };

  void Read(File* file);
  void List(File* file);
  void TakeReading(File* file);
  void CheckDocuments(File* file);
  void Inspect(File* file);
  void InspectSet();
  void Locate(File* file, std::vector<finding::Related*> related);

  wire::Types& types_;
  Options options_;
  rules::Inspector inspector_;
  std::vector<File> files_;
};

// Returns what becomes of a resource, or a file, with this finding, as far as that is known: a line.
std::string EffectOf(const finding::Finding& finding);

}  // namespace xdscope::client
