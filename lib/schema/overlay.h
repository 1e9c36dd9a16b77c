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
#include "lib/schema/build_errors.h"
#include "lib/schema/descriptor_index.h"
#include "lib/schema/schema.h"

namespace xdscope::schema {

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
  // Builds the given files in this order, which has what is imported before what imports it: so they win over embedded
  // files that have types of the same names. Demands that `builtin` outlives the overlay.
  Overlay(std::map<std::string, GivenFile> files, const std::vector<std::string>& order, DescriptorIndex* builtin);
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  const google::protobuf::DescriptorPool& pool() const { return pool_; }
  const DescriptorIndex& index() const { return given_; }
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
