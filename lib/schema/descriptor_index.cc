#include "lib/schema/descriptor_index.h"

#include <google/protobuf/descriptor.pb.h>

#include <utility>

#include "lib/base/fields.h"

namespace xdscope::schema {
namespace {

using base::FieldReader;
using google::protobuf::FileDescriptorProto;

// Fields of FileDescriptorProto, DescriptorProto and MessageOptions.
constexpr std::uint32_t kFileName = 1;
constexpr std::uint32_t kFilePackage = 2;
constexpr std::uint32_t kFileMessage = 4;
constexpr std::uint32_t kFileEnum = 5;
constexpr std::uint32_t kFileService = 6;
constexpr std::uint32_t kName = 1;  // of messages, enums and services
constexpr std::uint32_t kMessageNested = 3;
constexpr std::uint32_t kMessageOptions = 7;
constexpr std::uint32_t kOptionsMapEntry = 7;

// Descriptors nest as deep as protobuf's own parser goes.
constexpr int kMaxDepth = 100;

std::string_view NameOf(std::string_view declaration) {
  return base::FindBytes(declaration, kName).value_or(std::string_view{});
}

bool IsMapEntry(std::string_view message) {
  FieldReader options(base::FindBytes(message, kMessageOptions).value_or(std::string_view{}));
  while (options.Next()) {
    if (options.number() == kOptionsMapEntry && options.value() != 0) return true;
  }
  return false;
}

std::string Join(std::string_view scope, std::string_view name) {
  std::string full(scope);
  if (!full.empty()) full += '.';
  full += name;
  return full;
}

// Visits the messages of a file or of a message, whose field for them is `field`; those inside come before the one
// around them.
void VisitMessages(std::string_view holder, std::uint32_t field, const std::string& scope, int depth,
                   const std::function<void(std::string)>& visit) {
  if (depth > kMaxDepth) return;
  FieldReader fields(holder);
  std::string_view message;
  while (fields.Next()) {
    if (!fields.Is(field, &message) || IsMapEntry(message)) continue;
    const std::string full = Join(scope, NameOf(message));
    VisitMessages(message, kMessageNested, full, depth + 1, visit);
    visit(full);
  }
}

bool Declares(std::string_view file, std::string_view top_level) {
  FieldReader fields(file);
  std::string_view declaration;
  while (fields.Next()) {
    if ((fields.Is(kFileMessage, &declaration) || fields.Is(kFileEnum, &declaration) ||
         fields.Is(kFileService, &declaration)) &&
        NameOf(declaration) == top_level) {
      return true;
    }
  }
  return false;
}

bool Parse(std::optional<std::string_view> file, FileDescriptorProto* output) {
  return file && output->ParseFromArray(file->data(), static_cast<int>(file->size()));
}

}  // namespace

bool DescriptorIndex::AddFile(std::string_view file) {
  IndexedFile entry{{}, {}, file};
  FieldReader fields(file);
  std::string_view value;
  // Both come first in what protobuf writes; the rest stays unread, and with it most pages of the embedded set.
  while ((entry.name.empty() || entry.package.empty()) && fields.Next()) {
    if (fields.Is(kFileName, &value)) entry.name = value;
    if (fields.Is(kFilePackage, &value)) entry.package = value;
  }
  if (!fields.ok() || entry.name.empty()) return false;
  if (!by_name_.try_emplace(entry.name, files_.size()).second) return true;
  by_package_[entry.package].push_back(files_.size());
  files_.push_back(entry);
  return true;
}

bool DescriptorIndex::AddSet(std::string_view set) {
  constexpr std::size_t kUsualFile = 1024;
  files_.reserve(files_.size() + set.size() / kUsualFile);
  by_name_.reserve(files_.size() + set.size() / kUsualFile);
  FieldReader fields(set);
  std::string_view file;
  while (fields.Next()) {
    if (!fields.Is(1, &file) || !AddFile(file)) return false;
  }
  return fields.ok();
}

std::optional<std::string_view> DescriptorIndex::File(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return files_[found->second].bytes;
}

const DescriptorIndex::IndexedFile* DescriptorIndex::FindDeclaring(std::string_view package,
                                                                   std::string_view top_level) const {
  const auto found = by_package_.find(package);
  if (found == by_package_.end()) return nullptr;
  for (const std::size_t index : found->second) {
    if (Declares(files_[index].bytes, top_level)) return &files_[index];
  }
  return nullptr;
}

// Finds the file without an index of all symbols: to make one would read every descriptor at every start. Nothing says
// where the package ends in "a.b.C.D", so every place is tried, from the longest package on; the files of a package are
// few, and only the names of their outermost declarations are read.
std::optional<std::string_view> DescriptorIndex::FileOfSymbol(std::string_view symbol) const {
  std::string_view package = symbol;
  while (!package.empty()) {
    const std::size_t dot = package.rfind('.');
    package = dot == std::string_view::npos ? std::string_view{} : package.substr(0, dot);
    std::string_view rest = symbol.substr(dot == std::string_view::npos ? 0 : dot + 1);
    rest = rest.substr(0, rest.find('.'));
    if (const IndexedFile* entry = FindDeclaring(package, rest)) return entry->bytes;
  }
  return std::nullopt;
}

void DescriptorIndex::ForEachMessage(const std::function<void(std::string)>& visit) const {
  for (const IndexedFile& entry : files_)
    VisitMessages(entry.bytes, kFileMessage, std::string(entry.package), 0, visit);
}

bool DescriptorIndex::FindFileByName(const std::string& name, FileDescriptorProto* output) {
  return Parse(File(name), output);
}

bool DescriptorIndex::FindFileContainingSymbol(const std::string& symbol, FileDescriptorProto* output) {
  return Parse(FileOfSymbol(symbol), output);
}

bool DescriptorIndex::FindFileContainingExtension(const std::string&, int, FileDescriptorProto*) {
  return false;
}

}  // namespace xdscope::schema
