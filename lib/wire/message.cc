#include "lib/wire/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>

namespace xdscope::wire {
namespace {

using base::FieldReader;
using base::WireType;

constexpr std::size_t kMaxFields =
    256;  // of one type, for which repeats are noticed by a bit; larger types always merge

// One run of Decode(): walks down the message, and back up with the path when something is wrong.
class Checker {
 public:
  explicit Checker(std::string_view whole) : whole_(whole) {}

  bool Check(std::string_view bytes, const Type& type, int depth);
  bool needs_merge() const { return needs_merge_; }
  absl::Status status() const {
    return base::Error(absl::StatusCode::kDataLoss,
                       fmt::format("{}{}at byte {}: {}", path_, path_.empty() ? "" : " ", offset_, problem_));
  }

 private:
  bool Fail(const char* at, std::string_view problem) {
    offset_ = static_cast<std::size_t>(at - whole_.data());
    problem_ = problem;
    return false;
  }
  bool CheckPacked(const Field& field, std::string_view bytes);
  bool CheckBytes(const Field& field, std::string_view bytes, int depth);
  void AddStep(std::string_view name) { path_ = path_.empty() ? std::string(name) : fmt::format("{}.{}", name, path_); }

  std::string_view whole_;
  std::string path_;
  std::string_view problem_;
  std::size_t offset_ = 0;
  bool needs_merge_ = false;
};

bool Checker::Check(std::string_view bytes, const Type& type, int depth) {
  if (depth > kMaxDepth) return Fail(bytes.data(), "messages are nested too deeply");
  std::bitset<kMaxFields> seen;
  FieldReader reader(bytes, kMaxDepth - depth);
  while (reader.Next()) {
    const Field* field = type.Find(reader.number());
    if (field == nullptr || reader.type() != WireType::kBytes) continue;
    if (field->packable()) {
      if (!field->repeated || CheckPacked(*field, reader.bytes())) continue;
    } else {
      if (field->kind == Kind::kMessage && !field->repeated) {
        const auto index = static_cast<std::size_t>(field->index);
        if (index >= kMaxFields || seen.test(index)) needs_merge_ = true;
        if (index < kMaxFields) seen.set(index);
      }
      if (CheckBytes(*field, reader.bytes(), depth)) continue;
    }
    AddStep(field->name);
    return false;
  }
  return reader.ok() || Fail(bytes.data() + reader.offset(), "malformed or cut off field");
}

bool Checker::CheckBytes(const Field& field, std::string_view bytes, int depth) {
  if (field.kind == Kind::kMessage) return Check(bytes, field.message(), depth + 1);
  return !field.utf8 || base::IsUtf8(bytes) || Fail(bytes.data(), "text is not UTF-8");
}

bool Checker::CheckPacked(const Field& field, std::string_view bytes) {
  const std::size_t width = FixedWidth(field.kind);
  if (width > 0) return bytes.size() % width == 0 || Fail(bytes.data(), "packed numbers are cut off");
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t ignored = 0;
  while (at != end) {
    const char* after = base::ReadVarint(at, end, &ignored);
    if (after == nullptr) return Fail(at, "packed numbers are cut off");
    at = after;
  }
  return true;
}

// A field of the message under merge: as it stands, or the merged payload of a message.
struct Piece {
  const Field* field;  // nullptr: unknown
  std::string_view raw;
  std::string payload;
};

std::string Merge(const View& view);

bool IsSingular(const Piece& piece) {
  return piece.field != nullptr && !piece.field->repeated;
}

// Puts a singular field behind what was read before it, as proto3 merges: a message joins the one before it, anything
// else takes its place; another member of its oneof goes.
void AddSingular(std::vector<Piece>& pieces, Piece piece) {
  const auto before = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& other) {
    return IsSingular(other) &&
           (other.field == piece.field || (piece.field->oneof >= 0 && other.field->oneof == piece.field->oneof));
  });
  if (before != pieces.end()) {
    if (before->field == piece.field) piece.payload.insert(0, before->payload);
    pieces.erase(before);
  }
  pieces.push_back(std::move(piece));
}

std::vector<Piece> Pieces(const View& view) {
  std::vector<Piece> pieces;
  FieldReader reader(view.bytes());
  while (reader.Next()) {
    Piece piece{KnownField(view.type(), reader), reader.raw(), {}};
    const bool message = piece.field != nullptr && piece.field->kind == Kind::kMessage;
    if (message) piece.payload = reader.bytes();
    if (IsSingular(piece)) {
      AddSingular(pieces, std::move(piece));
    } else {
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

// The bytes of a message in which every singular field stands once, all the way down.
std::string Merge(const View& view) {
  std::string merged;
  for (const Piece& piece : Pieces(view)) {
    if (piece.field != nullptr && piece.field->kind == Kind::kMessage) {
      base::AppendBytes(&merged, piece.field->number, Merge(View(piece.field->message(), piece.payload)));
    } else {
      merged.append(piece.raw);
    }
  }
  return merged;
}

}  // namespace

absl::StatusOr<Message> Decode(std::string_view bytes, const Type& type) {
  Checker checker(bytes);
  if (!checker.Check(bytes, type, 0)) return checker.status();
  if (!checker.needs_merge()) return Message(type, bytes);
  return Message(type, std::make_shared<const std::string>(Merge(View(type, bytes))));
}

absl::StatusOr<Message> DecodeOwned(std::string bytes, const Type& type) {
  auto owned = std::make_shared<const std::string>(std::move(bytes));
  absl::StatusOr<Message> decoded = Decode(*owned, type);
  if (!decoded.ok() || decoded->owns()) return decoded;
  return Message(type, std::move(owned));
}

absl::StatusOr<Message> Open(std::string_view type_url, std::string_view bytes, Types& types) {
  if (type_url.empty()) return base::Error(absl::StatusCode::kInvalidArgument, "no type URL");
  const Type* type = types.Find(type_url);
  if (type != nullptr) return Decode(bytes, *type);
  const std::string_view name = TypeName(type_url);
  const std::string nearest = types.schema().Nearest(name);
  return base::Error(absl::StatusCode::kNotFound, nearest.empty()
                                                      ? fmt::format("unknown type {}", name)
                                                      : fmt::format("unknown type {} (nearest: {})", name, nearest));
}

absl::StatusOr<Message> Open(const View& any, Types& types) {
  const AnyParts parts = PartsOf(any);
  return Open(parts.type_url, parts.value, types);
}

}  // namespace xdscope::wire
