#include "lib/schema/program_scan.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "lib/base/fields.h"

namespace xdscope::schema {
namespace {

using base::FieldReader;
using base::WireType;

constexpr std::string_view kSuffix = ".proto";
constexpr std::size_t kMaxName = 255;
// No descriptor is near this size; it bounds what a field that only looks like one can cover.
constexpr std::size_t kMaxDescriptor = 16 << 20;

// Fields of FileDescriptorProto.
enum : std::uint32_t {
  kName = 1,
  kPackage = 2,
  kDependency = 3,
  kMessage = 4,
  kEnum = 5,
  kService = 6,
  kExtension = 7,
  kOptions = 8,
  kSourceInfo = 9,
  kPublicDependency = 10,
  kWeakDependency = 11,
  kSyntax = 12,
  kEdition = 14,
};

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c); });
}

bool IsPackage(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '.'; });
}

bool IsFileName(std::string_view text) {
  const auto allowed = [](char c) { return IsLetter(c) || IsDigit(c) || std::strchr(".+@/-", c) != nullptr; };
  return text.size() > kSuffix.size() && text.ends_with(kSuffix) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return c != '\0' && allowed(c); });
}

bool StartsWithIdentifier(std::string_view declaration) {
  FieldReader fields(declaration);
  std::string_view name;
  return fields.Next() && fields.Is(1, &name) && IsIdentifier(name);
}

// What was read of a descriptor so far.
struct Progress {
  std::uint32_t last = kName;
  std::uint64_t imports = 0;
  std::string_view syntax;
  bool has_content = false;
};

bool IsOnce(std::uint32_t number) {
  return number == kPackage || number == kOptions || number == kSourceInfo || number == kSyntax || number == kEdition;
}

bool IsDeclaration(std::uint32_t number) {
  return number >= kMessage && number <= kExtension;
}

WireType ExpectedType(std::uint32_t number) {
  const bool is_number = number == kPublicDependency || number == kWeakDependency || number == kEdition;
  return is_number ? WireType::kVarint : WireType::kBytes;
}

// Tells whether a field of that number can come next, by its tag alone: protobuf writes fields in ascending order.
bool CanFollow(std::uint32_t number, WireType type, const Progress& progress) {
  if (number <= kName || number > kEdition || number == 13 || type != ExpectedType(number)) return false;
  return number > progress.last || (number == progress.last && !IsOnce(number));
}

bool HasPlausibleValue(const FieldReader& field, const Progress& progress) {
  switch (field.number()) {
    case kPackage:
      return IsPackage(field.bytes());
    case kDependency:
      return IsFileName(field.bytes());
    case kMessage:
    case kEnum:
    case kService:
    case kExtension:
      return StartsWithIdentifier(field.bytes());
    case kPublicDependency:
    case kWeakDependency:
      return field.value() < progress.imports;
    case kSyntax:
      return field.bytes() == "proto2" || field.bytes() == "proto3" || field.bytes() == "editions";
    case kEdition:
      return progress.syntax == "editions";
    default:
      return true;
  }
}

void Note(const FieldReader& field, Progress* progress) {
  progress->last = field.number();
  if (field.number() == kSyntax) progress->syntax = field.bytes();
  if (field.number() == kDependency) ++progress->imports;
  if (field.number() == kDependency || IsDeclaration(field.number())) progress->has_content = true;
}

// Returns the length of the descriptor at the start of `bytes`, whose first field is a name; 0 when nothing follows the
// name. Nothing in the program says how long it is, so fields are taken as long as the next one fits: its number is not
// below the last one's, its wire type is right, and its value makes sense (an import is a file name, a message begins
// with its name). What stands behind a descriptor is mostly padding, or another descriptor, which begins with field 1
// again.
std::size_t DescriptorLength(std::string_view bytes) {
  bytes = bytes.substr(0, kMaxDescriptor);
  FieldReader fields(bytes);
  fields.Next();
  std::size_t length = fields.raw().size();
  Progress progress;
  while (true) {
    std::uint64_t tag = 0;
    if (base::ReadVarint(bytes.data() + length, bytes.data() + bytes.size(), &tag) == nullptr || tag >> 3 > kEdition)
      break;
    if (!CanFollow(static_cast<std::uint32_t>(tag >> 3), static_cast<WireType>(tag & 7), progress)) break;
    if (!fields.Next() || !HasPlausibleValue(fields, progress)) break;
    Note(fields, &progress);
    length += fields.raw().size();
  }
  return progress.has_content ? length : 0;
}

bool IsNameField(std::string_view bytes, std::size_t start, std::size_t name_end) {
  FieldReader fields(bytes.substr(start, name_end - start));
  std::string_view name;
  return fields.Next() && fields.Is(kName, &name) && fields.raw().size() == name_end - start && IsFileName(name);
}

// Finds where the name field starts whose text ends at `name_end`. Its tag is a line feed, which no name holds; but its
// length may be one (10), so the last line feed and the one in front of it are tried.
std::optional<std::size_t> NameFieldStart(std::string_view bytes, std::size_t name_end) {
  constexpr std::size_t kHead = 3;  // the tag and at most two bytes of length
  const std::size_t from = name_end > kMaxName + kHead ? name_end - kMaxName - kHead : 0;
  const void* line_feed = memrchr(bytes.data() + from, '\n', name_end - from);
  if (line_feed == nullptr) return std::nullopt;
  const auto start = static_cast<std::size_t>(static_cast<const char*>(line_feed) - bytes.data());
  if (IsNameField(bytes, start, name_end)) return start;
  if (start > 0 && bytes[start - 1] == '\n' && IsNameField(bytes, start - 1, name_end)) return start - 1;
  return std::nullopt;
}

std::size_t Find(std::string_view bytes, std::string_view what, std::size_t from) {
  if (from >= bytes.size()) return std::string_view::npos;
  const void* found = memmem(bytes.data() + from, bytes.size() - from, what.data(), what.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
}

using Found = std::map<std::string, std::string, std::less<>>;

void Keep(std::string_view descriptor, Found* found) {
  FieldReader fields(descriptor);
  fields.Next();
  std::string& kept = (*found)[std::string(fields.bytes())];
  if (descriptor.size() > kept.size()) kept = descriptor;
}

// Looks for ".proto", which the name of every file ends in and which is rarer than any byte of a tag: memmem() finds it
// at memory speed. A name is read backwards from there; a descriptor that was taken is not searched again for the names
// of its imports.
void FindPlain(std::string_view program, Found* found) {
  std::size_t at = Find(program, kSuffix, 0);
  while (at != std::string_view::npos) {
    std::size_t next = at + kSuffix.size();
    if (const auto start = NameFieldStart(program, next)) {
      const std::string_view descriptor = program.substr(*start, DescriptorLength(program.substr(*start)));
      if (!descriptor.empty()) {
        Keep(descriptor, found);
        next = *start + descriptor.size();
      }
    }
    at = Find(program, kSuffix, next);
  }
}

// The head that Go's gzip writer makes: deflate, no flags, no time.
constexpr std::string_view kGzipHead("\x1f\x8b\x08\0\0\0\0\0", 8);
// Bounds how much is inflated for one program; all descriptors of the largest take a few megabytes.
constexpr std::size_t kMaxInflated = 256 << 20;

// Opens a gzip member as far as it holds a file descriptor; empty when it does not. Takes what it inflated from
// `budget`.
std::string Inflate(std::string_view bytes, std::size_t* budget) {
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min(bytes.size(), kMaxDescriptor));
  std::array<char, 16384> chunk;
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() < std::min(kMaxDescriptor, *budget)) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = chunk.size();
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
    if (out.empty() || out[0] != '\n') break;  // the first byte says whether it can be a descriptor
  }
  inflateEnd(&stream);
  *budget -= std::min(out.size(), *budget);
  return result == Z_STREAM_END ? out : std::string();
}

void FindGzipped(std::string_view program, Found* found) {
  std::size_t budget = kMaxInflated;
  std::size_t at = Find(program, kGzipHead, 0);
  while (at != std::string_view::npos && budget > 0) {
    const std::string descriptor = Inflate(program.substr(at), &budget);
    const std::size_t suffix = Find(descriptor, kSuffix, 0);
    if (suffix != std::string_view::npos && IsNameField(descriptor, 0, suffix + kSuffix.size()) &&
        DescriptorLength(descriptor) == descriptor.size()) {
      Keep(descriptor, found);
    }
    at = Find(program, kGzipHead, at + kGzipHead.size());
  }
}

}  // namespace

std::vector<FoundFile> ScanProgram(std::string_view program) {
  Found found;
  FindPlain(program, &found);
  FindGzipped(program, &found);
  std::vector<FoundFile> files;
  files.reserve(found.size());
  for (auto& [name, descriptor] : found) files.push_back({name, std::move(descriptor)});
  return files;
}

}  // namespace xdscope::schema
