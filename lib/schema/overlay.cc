#include "lib/schema/overlay.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/schema/program_scan.h"
#include "lib/schema/sound.h"
#include "lib/schema/trial.h"

namespace xdscope::schema {
namespace {

using base::FieldReader;
using Files = std::map<std::string, GivenFile>;

constexpr std::uint32_t kSetFile = 1;
constexpr std::uint32_t kFileName = 1;
constexpr std::size_t kHeadBytes = 4096;

absl::Status Invalid(std::string_view origin, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", origin, what));
}

// A set starts with a file, which starts with its name. Programs start with a magic number.
bool LooksLikeSet(std::string_view bytes) {
  std::uint64_t length = 0;
  if (bytes.empty() || bytes[0] != '\n') return false;
  const char* file = base::ReadVarint(bytes.data() + 1, bytes.data() + bytes.size(), &length);
  return file != nullptr && file < bytes.data() + bytes.size() && *file == '\n';
}

absl::Status ReadSet(const SchemaFile& file, Files* files) {
  FieldReader fields(file.bytes);
  std::string_view descriptor;
  while (fields.Next()) {
    if (!fields.Is(kSetFile, &descriptor) || !IsSoundFile(descriptor)) {
      return Invalid(file.origin, fmt::format("a descriptor set damaged behind byte {}", fields.offset()));
    }
    const std::string name(*base::FindBytes(descriptor, kFileName));
    (*files)[name] = {file.origin, std::string(descriptor), false};
  }
  if (!fields.ok()) return Invalid(file.origin, fmt::format("a descriptor set cut off at byte {}", fields.offset()));
  return absl::OkStatus();
}

// Says what the file is instead, as far as its beginning tells.
std::string_view Guess(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  if (bytes.substr(0, kHeadBytes).find("syntax = \"proto") != std::string_view::npos) {
    return "a .proto source, not a descriptor set";
  }
  return "neither a descriptor set nor a program with descriptors";
}

// These files describe the descriptors themselves, and our own generated code has them: a second version would make
// options that nobody here can read.
bool IsAlwaysOurs(std::string_view name) {
  return name.starts_with("google/protobuf/") || name == "validate/validate.proto";
}

}  // namespace

absl::StatusOr<Files> ReadSchemaFile(const SchemaFile& file) {
  Files files;
  if (LooksLikeSet(file.bytes)) {
    if (const absl::Status status = ReadSet(file, &files); !status.ok()) return status;
  } else {
    for (FoundFile& found : ScanProgram(file.bytes)) {
      if (!IsSoundFile(found.descriptor)) continue;  // looked like a descriptor and is none
      files[found.name] = {file.origin, std::move(found.descriptor), true};
    }
    if (files.empty()) return Invalid(file.origin, Guess(file.bytes));
  }
  std::erase_if(files, [](const auto& entry) { return IsAlwaysOurs(entry.first); });
  return files;
}

Overlay::Overlay(Files files, const std::vector<std::string>& order, DescriptorIndex* builtin)
    : files_(std::move(files)), database_(&given_, builtin), pool_(&database_, &errors_) {
  for (const auto& [name, file] : files_) given_.AddFile(file.descriptor);
  for (const std::string& name : order) (void)pool_.FindFileByName(name);
}

absl::StatusOr<std::unique_ptr<Overlay>> BuildOverlay(Files files, DescriptorIndex* builtin,
                                                      std::vector<std::string>* left_out) {
  std::map<std::string, std::string_view> tried;
  for (const auto& [name, file] : files) tried.emplace(name, file.descriptor);
  const Trial::Result trial = Trial(*builtin).Run(tried);
  for (const auto& [name, why] : trial.unusable) {
    const auto file = files.find(name);
    const std::string what = fmt::format("{}: {}", name, why);
    if (!file->second.from_program) return Invalid(file->second.origin, what);
    left_out->push_back(fmt::format("{}: {}", file->second.origin, what));
    files.erase(file);
  }
  if (files.empty()) return nullptr;
  return std::make_unique<Overlay>(std::move(files), trial.usable, builtin);
}

}  // namespace xdscope::schema
