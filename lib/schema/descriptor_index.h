// A protobuf DescriptorDatabase over serialized file descriptors. Adding a file reads its name and package, nothing
// more; a file is parsed when the pool above asks for it. Knows the layout of FileDescriptorProto, not who wins when
// two files say different things (google::protobuf::MergedDescriptorDatabase does).
#pragma once

#include <google/protobuf/descriptor_database.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace xdscope::schema {

class DescriptorIndex final : public google::protobuf::DescriptorDatabase {
 public:
  // Adds a serialized FileDescriptorProto; the bytes have to outlive the index. A name that is there already keeps its
  // first file. Returns false when no name is found; damage behind name and package shows when the file is parsed, as
  // "no such file".
  bool AddFile(std::string_view file);

  // Adds the files of a serialized FileDescriptorSet. Returns false, with what was read so far added, when it is
  // malformed or holds anything else than files.
  bool AddSet(std::string_view set);

  // Returns the serialized file of that name; nullopt when there is none.
  std::optional<std::string_view> File(std::string_view name) const;
  // Returns the serialized file that declares `symbol` (a message, an enum, a service, or something in it).
  std::optional<std::string_view> FileOfSymbol(std::string_view symbol) const;

  // Visits the full names of all messages, nested ones too, map entries not.
  void ForEachMessage(const std::function<void(std::string full_name)>& visit) const;

  // DescriptorDatabase. Extensions are never found: only the options in descriptors have any, and those are parsed by
  // generated code.
  bool FindFileByName(const std::string& name, google::protobuf::FileDescriptorProto* output) override;
  bool FindFileContainingSymbol(const std::string& symbol, google::protobuf::FileDescriptorProto* output) override;
  bool FindFileContainingExtension(const std::string& type, int number,
                                   google::protobuf::FileDescriptorProto* output) override;

 private:
  struct IndexedFile {
    std::string_view name;
    std::string_view package;
    std::string_view bytes;
  };

  const IndexedFile* FindDeclaring(std::string_view package, std::string_view top_level) const;

  std::vector<IndexedFile> files_;
  absl::flat_hash_map<std::string_view, std::size_t> by_name_;
  absl::flat_hash_map<std::string_view, std::vector<std::size_t>> by_package_;
};

}  // namespace xdscope::schema
