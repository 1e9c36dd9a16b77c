// Descriptor pools: the embedded one, and one with a person's files on top of it. Knows which files win and which
// cannot be used; does not know type URLs or who asks.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/schema/descriptor_index.h"
#include "lib/schema/schema.h"

namespace xdscope::schema {

// Takes what a pool says of files that do not build, which would go to stderr otherwise.
class BuildErrors final : public google::protobuf::DescriptorPool::ErrorCollector {
 public:
  // Returns the first thing said of a file since Clear(); empty when nothing was.
  std::string_view Of(const std::string& file) const;
  void Clear() { first_.clear(); }

  void AddError(const std::string& file, const std::string& element, const google::protobuf::Message* descriptor,
                ErrorLocation location, const std::string& message) override;

 private:
  std::map<std::string, std::string> first_;
};

// A file somebody gave, out of a set or a program.
struct GivenFile {
  std::string origin;
  std::string descriptor;
  bool from_program = false;
};

// Reads the files in `file`, by name. Fails with INVALID_ARGUMENT when it is neither a well-formed set nor a program
// with descriptors.
absl::StatusOr<std::map<std::string, GivenFile>> ReadSchemaFile(const SchemaFile& file);

// A pool over given files and, for all names that those do not have, the embedded ones. Does not move: the pool holds
// pointers to the parts.
class Overlay {
 public:
  // Demands that `builtin` outlives the overlay. Builds nothing yet.
  Overlay(std::map<std::string, GivenFile> files, DescriptorIndex* builtin);
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  // Builds all given files and returns the names of those that fail, sorted.
  std::vector<std::string> Build();

  const google::protobuf::DescriptorPool& pool() const { return pool_; }
  const DescriptorIndex& index() const { return given_; }
  const BuildErrors& errors() const { return errors_; }
  const std::map<std::string, GivenFile>& files() const { return files_; }

 private:
  std::map<std::string, GivenFile> files_;
  DescriptorIndex given_;
  google::protobuf::MergedDescriptorDatabase database_;
  BuildErrors errors_;
  google::protobuf::DescriptorPool pool_;
};

// Builds `files` over `builtin`. Files of programs that do not build are left out, each with a line in `left_out`; a
// file of a set that does not is INVALID_ARGUMENT. nullptr when no file is left.
absl::StatusOr<std::unique_ptr<Overlay>> BuildOverlay(std::map<std::string, GivenFile> files, DescriptorIndex* builtin,
                                                      std::vector<std::string>* left_out);

}  // namespace xdscope::schema
