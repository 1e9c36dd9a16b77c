#include "lib/schema/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/base/fields.h"
#include "lib/base/status.h"
#include "lib/schema/program_scan.h"
#include "lib/schema/sound.h"

namespace xdscope::schema {
namespace {

using base::FieldReader;
using Files = std::map<std::string, GivenFile>;

constexpr std::uint32_t kSetFile = 1;
constexpr std::uint32_t kFileName = 1;
constexpr std::uint32_t kFileDependency = 3;
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

// Returns the failing files that fail by themselves: those that import no other failing one.
std::vector<std::string> Causes(const std::vector<std::string>& failing, const Files& files) {
  const auto imports_failing = [&](const std::string& name) {
    FieldReader fields(files.at(name).descriptor);
    std::string_view import;
    while (fields.Next()) {
      if (fields.Is(kFileDependency, &import) && std::binary_search(failing.begin(), failing.end(), import))
        return true;
    }
    return false;
  };
  std::vector<std::string> causes;
  std::copy_if(failing.begin(), failing.end(), std::back_inserter(causes),
               [&](const std::string& name) { return !imports_failing(name); });
  return causes.empty() ? failing : causes;  // empty when they import each other
}

std::string Describe(const Overlay& overlay, const std::string& name) {
  const std::string_view error = overlay.errors().Of(name);
  return fmt::format("{}: {}", name, error.empty() ? "it cannot be built" : error);
}

}  // namespace

std::string_view BuildErrors::Of(const std::string& file) const {
  const auto found = first_.find(file);
  return found == first_.end() ? std::string_view{} : found->second;
}

void BuildErrors::AddError(const std::string& file, const std::string& element, const google::protobuf::Message*,
                           ErrorLocation, const std::string& message) {
  first_.try_emplace(file, element == file ? message : fmt::format("{}: {}", element, message));
}

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

Overlay::Overlay(Files files, DescriptorIndex* builtin)
    : files_(std::move(files)), database_(&given_, builtin), pool_(&database_, &errors_) {
  for (const auto& [name, file] : files_) given_.AddFile(file.descriptor);
}

std::vector<std::string> Overlay::Build() {
  std::vector<std::string> failing;
  for (const auto& [name, file] : files_) {
    if (pool_.FindFileByName(name) == nullptr) failing.push_back(name);
  }
  return failing;
}

// A file that does not build spoils every file that imports it, and a pool that has tried a file does not try it again.
// So each round makes a new pool, leaves out the files that fail by themselves, and lets the others try once more:
// those may then find the embedded file of the same name instead. Each round leaves out at least one file, so it ends.
absl::StatusOr<std::unique_ptr<Overlay>> BuildOverlay(Files files, DescriptorIndex* builtin,
                                                      std::vector<std::string>* left_out) {
  while (!files.empty()) {
    auto overlay = std::make_unique<Overlay>(files, builtin);
    const std::vector<std::string> failing = overlay->Build();
    if (failing.empty()) return overlay;
    for (const std::string& name : Causes(failing, files)) {
      const GivenFile& file = files.at(name);
      const std::string what = Describe(*overlay, name);
      if (!file.from_program) return Invalid(file.origin, what);
      left_out->push_back(fmt::format("{}: {}", file.origin, what));
      files.erase(name);
    }
  }
  return nullptr;
}

}  // namespace xdscope::schema
