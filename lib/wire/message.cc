#include "lib/wire/message.h"

#include <fmt/format.h>

#include <bitset>
#include <cassert>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/base/type_url.h"
#include "lib/finding/path.h"

namespace xdscope::wire {
namespace {

using base::FieldReader;
using base::WireType;
using finding::Path;

// Of the first so many fields of a type a bit tells whether one has been seen; messages of larger types always merge.
constexpr std::size_t kMaxFields = 256;

// Returns how many occurrences of a field stand in a message before the one that begins at `end`.
std::size_t IndexOf(const Field& field, std::string_view message, const char* end) {
  std::size_t index = 0;
  FieldReader reader(message.substr(0, static_cast<std::size_t>(end - message.data())));
  while (reader.Next()) {
    if (reader.number() == field.number && reader.type() == WireType::kBytes) ++index;
  }
  return index;
}

// One run of Decode(). It walks down the message field by field and stops at the first thing that is wrong. On the way
// back up it notes the steps of the path, and only then does it count which element of a list it came from: a message
// that is well formed pays nothing for its paths.
class Checker {
 public:
  explicit Checker(std::string_view whole) : whole_(whole) {}

  // Returns false when the bytes are no message of the type; status() says why.
  bool Check(std::string_view bytes, const Type& type, int depth);
  // Returns true when a singular message may stand more than once somewhere in what was checked.
  bool needs_merge() const { return needs_merge_; }
  absl::Status status() const;

 private:
  bool Fail(const char* at, std::string_view problem) {
    offset_ = static_cast<std::size_t>(at - whole_.data());
    problem_ = problem;
    return false;
  }
  bool CheckField(const Field& field, std::string_view bytes, int depth, std::bitset<kMaxFields>* seen);
  bool CheckPacked(const Field& field, std::string_view bytes);
  bool CheckBytes(const Field& field, std::string_view bytes, int depth);
  void AddSteps(const Field& field, std::string_view message, const FieldReader& reader);
  bool AddKey(const Field& field, std::string_view entry);

  std::string_view whole_;
  std::vector<Path::Step> steps_;  // from the innermost to the outermost
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
    if (CheckField(*field, reader.bytes(), depth, &seen)) continue;
    AddSteps(*field, bytes, reader);
    return false;
  }
  return reader.ok() || Fail(bytes.data() + reader.offset(), "malformed or cut off field");
}

// Checks one length-delimited field. `seen` has the singular messages that stood before it.
inline bool Checker::CheckField(const Field& field, std::string_view bytes, int depth, std::bitset<kMaxFields>* seen) {
  if (field.packable()) return !field.repeated || CheckPacked(field, bytes);
  if (field.kind == FieldKind::kMessage && !field.repeated) {
    const auto index = static_cast<std::size_t>(field.index);
    if (index >= kMaxFields || seen->test(index)) needs_merge_ = true;
    if (index < kMaxFields) seen->set(index);
  }
  return CheckBytes(field, bytes, depth);
}

bool Checker::CheckBytes(const Field& field, std::string_view bytes, int depth) {
  if (field.kind == FieldKind::kMessage) return Check(bytes, field.message(), depth + 1);
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

// Adds the steps from a message to the field on which the reader stands: `name`, `name[2]` or `name["key"]`.
void Checker::AddSteps(const Field& field, std::string_view message, const FieldReader& reader) {
  const bool is_list = field.repeated && !field.packable();
  if (is_list && !(field.map && AddKey(field, reader.bytes()))) {
    steps_.emplace_back(Path::Index{IndexOf(field, message, message.data() + reader.offset())});
  }
  steps_.emplace_back(Path::Field{std::string(field.name)});
}

// Adds the key of a map's entry in place of the step to the entry's value. Returns false when the value is not what is
// wrong: then the entry has no key that could be shown.
bool Checker::AddKey(const Field& field, std::string_view entry) {
  if (field.sensitive == Sensitive::kKeysToo) return false;
  const Field& value = *field.message().Find(2U);
  if (steps_.empty() || steps_.back() != Path::Step(Path::Field{std::string(value.name)})) return false;
  const Field& key = *field.message().Find(1U);
  Value found{&key, 0, {}};
  FieldReader reader(entry);
  while (reader.Next()) {
    if (KnownField(field.message(), reader) == &key) found = ValueOf(key, reader);
  }
  if (!base::IsUtf8(found.bytes)) return false;
  steps_.back() = Path::Key{KeyText(found)};
  return true;
}

absl::Status Checker::status() const {
  const std::string path = finding::ToText(Path({steps_.rbegin(), steps_.rend()}));
  return base::Error(absl::StatusCode::kDataLoss,
                     fmt::format("{}{}at byte {}: {}", path, path.empty() ? "" : " ", offset_, problem_));
}

// Writes a message anew so that each singular message stands in it once, all the way down.
//
// proto3 says that a singular message that stands twice is one message: the fields of the second follow those of the
// first, which is what their bytes one behind the other say. Everything after Decode() reads one field of a message at
// a time and relies on finding it in one place, so the rare messages that are split are joined here, once.
//
// A message under merge is a list of pieces of bytes, in the order of the wire, that are read one after the other; at
// the top there is one piece. Each field gets a row. A repeated or unknown one gets a row for each occurrence. A
// singular one, or a whole oneof, has one row, which `rows_of_` finds again: a further occurrence of a message adds its
// piece to the row, any other takes the row over (the last scalar holds, and so does the last member of a oneof, which
// starts afresh). So no row is looked for, moved or taken out, and no bytes are copied before the row is written: each
// occurrence costs the same, however many there are. Bytes are copied once for each level that they are below, of which
// there are at most kMaxDepth.
class Merger {
 public:
  using Pieces = std::vector<std::string_view>;

  static std::string Merge(const Type& type, const Pieces& pieces) {
    Merger merger(type);
    for (const std::string_view piece : pieces) merger.Read(piece);
    return merger.Write();
  }

 private:
  struct Row {
    const Field* field = nullptr;  // nullptr: unknown
    std::string_view raw;          // the last occurrence, tag included
    Pieces messages;               // the payloads of a message's occurrences
  };

  explicit Merger(const Type& type) : type_(type) {}

  void Read(std::string_view piece) {
    FieldReader reader(piece);
    while (reader.Next()) {
      const Field* field = KnownField(type_, reader);
      Row& row = RowOf(field);
      if (row.field != field) row = {};
      row.field = field;
      row.raw = reader.raw();
      if (field != nullptr && field->kind == FieldKind::kMessage) row.messages.push_back(reader.bytes());
    }
  }

  Row& RowOf(const Field* field) {
    if (field != nullptr && !field->repeated) {
      const int slot = field->oneof >= 0 ? -1 - field->oneof : field->index;  // a oneof's members share one
      const auto [known, is_new] = rows_of_.try_emplace(slot, rows_.size());
      if (!is_new) return rows_[known->second];
    }
    return rows_.emplace_back();
  }

  std::string Write() const {
    std::string merged;
    for (const Row& row : rows_) {
      if (row.messages.empty()) {
        merged.append(row.raw);
      } else {
        base::AppendBytes(&merged, row.field->number, Merge(row.field->message(), row.messages));
      }
    }
    return merged;
  }

  const Type& type_;
  std::vector<Row> rows_;
  absl::flat_hash_map<int, std::size_t> rows_of_;  // of singular fields and of oneofs
};

}  // namespace

// Two passes at most. The first checks, in place and without a copy: it looks at each byte once, and remembers in a bit
// per field whether a singular message came a second time. Only then is there a second one, which merges.
absl::StatusOr<Message> Decode(std::string_view bytes, const Type& type) {
  Checker checker(bytes);
  if (!checker.Check(bytes, type, 0)) return checker.status();
  if (!checker.needs_merge()) return Message(type, bytes);
  return Message(type, std::make_shared<const std::string>(Merger::Merge(type, {bytes})));
}

absl::StatusOr<Message> DecodeOwned(std::string bytes, const Type& type) {
  auto owned = std::make_shared<const std::string>(std::move(bytes));
  absl::StatusOr<Message> decoded = Decode(*owned, type);
  if (!decoded.ok() || decoded->owns()) return decoded;
  return Message(type, std::move(owned));
}

Message Message::MovedTo(std::string_view same_bytes) const {
  if (owns()) return *this;
  assert(same_bytes.size() == view_.bytes().size());  // the others may be gone by now
  return Message(type(), same_bytes);
}

absl::StatusOr<Message> Open(std::string_view type_url, std::string_view bytes, Types& types) {
  if (type_url.empty()) return base::Error(absl::StatusCode::kInvalidArgument, "no type URL");
  const Type* type = types.Find(type_url);
  if (type != nullptr) return Decode(bytes, *type);
  return base::Error(absl::StatusCode::kNotFound, fmt::format("unknown type {}", base::MessageName(type_url)));
}

absl::StatusOr<Message> Open(const View& any, Types& types) {
  const base::AnyView parts = PartsOf(any);
  return Open(parts.type_url, parts.value, types);
}

}  // namespace xdscope::wire
