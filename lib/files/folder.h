// A folder of discovery files, or one of them alone: what each file last said, read again when it changes. A file that
// breaks keeps what it last said. Knows files and formats, and after which events Envoy reads a file; does not know who
// uses them, and waits for nothing: whoever watches the folder says when to look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/files.h"
#include "lib/base/status.h"
#include "lib/base/watcher.h"
#include "lib/files/file_resource.h"
#include "lib/finding/finding.h"
#include "lib/format/read.h"
#include "lib/wire/type.h"

namespace xdscope::files {

// Something that whoever keeps the files should know: what is wrong with a file or the folder, and what follows from
// it.
struct Notice {
  std::string where;             // the file or folder: "DIR/cds.yaml"
  finding::Finding finding;      // kInfo and without a rule where something is well again
  std::size_t more = 0;          // errors of the same file beside this one
  std::string consequence = {};  // "its last good content stays (2 resources)"; empty: nothing follows
};

// Prints "DIR/cds.yaml:12:3: path: what (and 2 more); what follows from it".
std::string ToText(const Notice& notice);

// What becomes of a resource with a field or an enum value that the schema does not have.
enum class Strictness : std::uint8_t {
  kRefuse,   // it is an error, as a bad value is
  kLenient,  // it is taken without, as Envoy would read it
};

// Returns true for a finding about a field or an enum value that the schema does not have.
bool IsUnknown(const finding::Finding& finding);

class Folder {
 public:
  // Larger files are refused: they are none that a person or a control plane writes.
  static constexpr std::size_t kLargestFile = std::size_t{512} << 20;
  // So many remarks about one file are told in words.
  static constexpr std::size_t kMostRemarks = 5;

  // Reading files of this size takes time that a person notices.
  static constexpr std::uint64_t kLargeFile = 8 << 20;
  using Reading = std::function<void(std::string_view path, std::uint64_t size)>;

  // `files` and `types` must outlive the folder. Where `path` leads to a file when it is first looked at, that file is
  // all there is, whatever its name. Tells `reading` before a large file is read.
  Folder(std::string path, const base::Files& files, wire::Types& types, Strictness strictness, Reading reading = {});

  struct News {
    bool changed = false;  // the folder holds something else than before
    std::vector<Notice> notices;
  };

  // Looks at every file, reads those that are new or have changed, forgets those that are gone. When the folder itself
  // cannot be listed everything stays as it is, and that is a notice (once, until it can be listed again).
  News Rescan();

  // Looks as Envoy does after these events (XDS-F04 to F06, F08): reads the files that were moved to their names, those
  // behind a link that was swapped, and those that are new. All others stay as they were read: that one was written
  // where it stands, or is gone, is a notice, because Envoy would not notice; and so is more in a file than Envoy takes
  // (XDS-F09). Like Rescan() the first time.
  News LoadMoved(const std::set<base::FolderEvent>& events);

  // Returns how many files there are, readable or not.
  std::size_t size() const { return held_.size(); }
  // Returns everything, file by file in the order of their names, resources in the order of their file.
  std::vector<ResourcePtr> Resources() const;

  // Returns the folders in which something may happen that changes the content: its own, the one above, where it may be
  // replaced, and then that of each link in it; these by paths without links, so that one may be its own once more.
  std::vector<std::string> WatchedFolders() const;
  // Returns whether an event is a reason to look.
  bool Concerns(const base::FolderEvent& event) const;

  const std::string& path() const { return path_; }

 private:
  struct File {
    absl::StatusOr<base::FileStamp> stamp = absl::UnknownError("not looked at");
    bool broken = false;
    bool left_behind = false;  // it is not what was read any more, and that was said
    std::vector<ResourcePtr> resources;
  };

  // What events say about files.
  struct Signs {
    std::set<std::string, std::less<>> moved;
    std::set<std::string, std::less<>> touched;
    bool swapped = false;       // a link on the way to some files
    bool behind_links = false;  // something happened where links lead to
    bool all_swapped = false;   // the folder itself, or nobody knows
  };

  absl::StatusOr<std::vector<std::string>> Names();
  std::optional<std::vector<std::string>> List(News* news);
  Signs SignsOf(const std::set<base::FolderEvent>& events) const;
  bool IsLinked(const std::string& name) const;
  void NoteLeftBehind(const std::string& name, File* file, News* news);
  void NoteTooMany(const std::string& name, const File& file, News* news) const;
  std::string PathOf(const std::string& name) const;
  bool Look(const std::string& name, News* news);
  void ReadAndTake(const std::string& name, const std::string& path, File* file, News* news);
  static std::vector<finding::Finding> Judge(const std::string& path, const format::ReadFile& read, News* news);
  void Take(const std::string& name, const std::string& text, File* file, News* news);
  void Refuse(const std::string& name, std::vector<finding::Finding> errors, std::vector<ResourcePtr> rest, File* file,
              News* news);

  std::string path_;
  const base::Files& files_;
  wire::Types& types_;
  Strictness strictness_;
  Reading reading_;
  bool lost_ = false;  // it could not be listed the last time
  bool swap_was_said_ = false;
  enum class Kind : std::uint8_t { kUnknown, kFolder, kFile } kind_ = Kind::kUnknown;  // what the path leads to
  std::map<std::string, File> held_;
};

// Returns whether a file of this name counts in a folder: .yaml .yml .json .pb .pb_text, and not hidden.
bool IsDiscoveryFile(std::string_view name);

}  // namespace xdscope::files
