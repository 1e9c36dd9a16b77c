// Judges discovery files: what is wrong with each of them, and where. It reads a text as Envoy would read a file of its
// name, runs the rules over each resource in it, then over all resources of all files together, and says of each
// finding in which resource it is and where in the file it stands.
//
// An Envoy bootstrap and a /config_dump are files too: the whole of one is judged as one resource.
//
// It is stricter than Envoy: what Envoy takes and silently drops or corrupts is an error. Knows no folders, opens no
// files and prints nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/status.h"
#include "lib/client/ignore_comments.h"
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
  IgnoredRules ignored;  // by the file's own comments; those findings are among the others
};

class FileJudge {
 public:
  struct Options {
    // Full name or URL of the type that resources without "@type" have. With it, bare resources and lists of them are
    // no mistake.
    std::string bare_type = {};
    // What the bootstrap has beside the files, and how strict references are.
    rules::SetOptions set = {};
    // The files are what a control plane is made of, and no client reads them itself: what they are called, and which
    // of them holds what, is no mistake.
    bool served = false;
  };

  // `types` must live longer.
  FileJudge(wire::Types& types, Options options) : types_(types), options_(std::move(options)), inspector_(types) {}

  // Adds a file by its name, by which its format is chosen; a name without a dot ("-") says nothing of the format,
  // which then goes by what the text looks like. Files of one set refer to one another.
  void Add(std::string name, std::string text, std::size_t set = 0);
  // Adds a file that could not be read: that is a finding.
  void AddUnreadable(std::string name, const absl::Status& why);
  // The same of one that a bootstrap names: it may be there where Envoy runs, so that it is a warning.
  void AddMissing(std::string name, const absl::Status& why);

  // Returns the files that config sources point to, in sets with an Envoy bootstrap, as they are written; each once.
  std::vector<std::string> FilesNamed() const;

  // Says what is wrong with what was added, file by file, and forgets it. Takes time in proportion to the files.
  std::vector<JudgedFile> Judge();

 private:
  struct File {
    std::string text;
    std::size_t set = 0;
    format::Format format = format::Format::kYaml;
    // What the one document is where it is no discovery response: the full name of a bootstrap or config dump.
    std::string_view root;
    format::ReadFile read;
    // Of read.resources, in their order.
    std::vector<std::size_t> entries;                    // in JudgedFile::resources
    std::vector<std::optional<wire::Message>> messages;  // nullopt: it does not open
    // Anys of an unknown type that the reader has found, each by its resource and the path in that.
    std::set<std::pair<std::size_t, std::string>> unknown_types;
    finding::Sample findings;
    JudgedFile judged;
  };

  void Read(File* file);
  bool ReadAs(std::string_view root, File* file);
  void TakeBootstrap(const File& file);
  void List(File* file);
  void TakeReading(File* file);
  void CheckDocuments(File* file);
  void CheckEmptiness(File* file);
  void CheckBareness(File* file);
  void Inspect(File* file);
  void InspectSets();
  // A place that is to be found: in a resource, by its path.
  struct Wanted {
    std::optional<std::size_t> entry;
    const finding::Path* path;
    finding::Position* place;
  };
  void Locate();
  void Locate(std::span<const Wanted> wanted, File* file);
  finding::Position ByteOf(const File& file, std::size_t number, const finding::Path& path);

  wire::Types& types_;
  Options options_;
  rules::Inspector inspector_;
  std::vector<File> files_;
};

// Returns what becomes of a resource, or a file, with this finding, as far as that is known: a line.
std::string EffectOf(const finding::Finding& finding);

}  // namespace xdscope::client
