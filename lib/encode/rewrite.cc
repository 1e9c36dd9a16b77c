#include "lib/encode/rewrite.h"

#include <string_view>
#include <vector>

#include "lib/base/fields.h"
#include "lib/encode/struct.h"
#include "lib/wire/message.h"

namespace xdscope::encode {
namespace {

using wire::WellKnown;

// The message `bytes` with some of its fields replaced. Nothing is copied before the first of them.
class Edit {
 public:
  explicit Edit(std::string_view bytes) : bytes_(bytes) {}

  // Puts `message` in the place of the field on which the reader stands.
  void Replace(const base::FieldReader& reader, std::string_view message) {
    out_.append(bytes_.substr(kept_, reader.offset() - kept_));
    base::AppendBytes(&out_, reader.number(), message);
    kept_ = reader.offset() + reader.raw().size();
    changed_ = true;
  }

  std::optional<std::string> Result() && {
    if (!changed_) return std::nullopt;
    out_.append(bytes_.substr(kept_));
    return std::move(out_);
  }

 private:
  std::string_view bytes_;
  std::string out_;
  std::size_t kept_ = 0;  // up to here the bytes are in out_
  bool changed_ = false;
};

// Counts the elements of the lists of one message.
class Counter {
 public:
  std::size_t Next(const wire::Type& type, const wire::Field& field) {
    if (!field.repeated) return 0;
    if (counts_.empty()) counts_.resize(type.fields().size());
    return counts_[static_cast<std::size_t>(field.index)]++;
  }

 private:
  std::vector<std::size_t> counts_;
};

// Goes down the message and puts it together again on the way up, but only where something below has changed:
// everything else is copied in runs, so that a resource in which one message is replaced costs one copy of its bytes
// per level, and one without any costs none. It follows the wire and not Fields(), since it has to keep what Fields()
// sums up: the order of fields, unknown ones, and members of a oneof that lost.
class Rewriter {
 public:
  Rewriter(wire::Types& types, const std::function<std::optional<std::string>(const Visited&)>& replace)
      : types_(types), replace_(replace) {}

  // Each returns what becomes of a message or a part of it; nullopt: it stays.
  std::optional<std::string> Message(const Visited& at) {
    if (std::optional<std::string> replaced = replace_(at)) return replaced;
    ++depth_;
    std::optional<std::string> changed = Below(at);
    --depth_;
    return changed;
  }

 private:
  bool MayOpen() const { return opened_ < wire::kMaxAnyDepth && depth_ < wire::kMaxOpenDepth; }

  std::optional<std::string> Below(const Visited& at) {
    switch (at.message.type().well_known()) {
      case WellKnown::kAny:
        return MayOpen() ? Any(at) : std::nullopt;
      case WellKnown::kTypedStruct:
        if (MayOpen()) Inside(at, FromTypedStruct(at.message, types_), true);
        return std::nullopt;
      default:
        return Fields(at);
    }
  }

  std::optional<std::string> Inside(const Visited& at, const absl::StatusOr<wire::Message>& opened, bool spelled) {
    if (!opened.ok()) return std::nullopt;
    ++opened_;
    std::optional<std::string> changed = Message({.message = opened->view(), .above = &at, .spelled = spelled});
    --opened_;
    return changed;
  }

  std::optional<std::string> Any(const Visited& at) {
    const std::optional<std::string> payload = Inside(at, wire::Open(at.message, types_), at.spelled);
    if (!payload) return std::nullopt;
    constexpr std::uint32_t kValue = 2;
    std::string out;
    base::FieldReader reader(at.message.bytes());
    while (reader.Next()) {
      if (reader.number() != kValue) out.append(reader.raw());
    }
    base::AppendBytes(&out, kValue, *payload);
    return out;
  }

  std::optional<std::string> Fields(const Visited& at) {
    const wire::Type& type = at.message.type();
    Edit edit(at.message.bytes());
    Counter counter;
    base::FieldReader reader(at.message.bytes());
    while (reader.Next()) {
      const wire::Field* field = wire::KnownField(type, reader);
      if (field == nullptr || field->kind != wire::FieldKind::kMessage) continue;
      const wire::View below = wire::ValueOf(*field, reader).AsMessage();
      const auto changed = field->map ? Entry(at, *field, below)
                                      : Message({below, &at, field, counter.Next(type, *field), nullptr, at.spelled});
      if (changed) edit.Replace(reader, *changed);
    }
    return std::move(edit).Result();
  }

  // An entry of a map is no message that anybody asks for: its value stands below the field and the key.
  std::optional<std::string> Entry(const Visited& at, const wire::Field& map, const wire::View& entry) {
    const wire::Field& value = *entry.type().Find(2U);
    if (value.kind != wire::FieldKind::kMessage) return std::nullopt;
    const wire::Value key = entry.Get(1U).value_or(wire::Value{entry.type().Find(1U), 0, {}});
    Edit edit(entry.bytes());
    base::FieldReader reader(entry.bytes());
    while (reader.Next()) {
      if (wire::KnownField(entry.type(), reader) != &value) continue;
      const wire::View message = wire::ValueOf(value, reader).AsMessage();
      const auto changed = Message({message, &at, &map, 0, &key, at.spelled});
      if (changed) edit.Replace(reader, *changed);
    }
    return std::move(edit).Result();
  }

  wire::Types& types_;
  const std::function<std::optional<std::string>(const Visited&)>& replace_;
  int depth_ = 0;   // messages around the one that is asked for
  int opened_ = 0;  // of them those in which something was opened
};

}  // namespace

std::optional<std::string> Rewrite(const wire::View& root, wire::Types& types,
                                   const std::function<std::optional<std::string>(const Visited&)>& replace) {
  return Rewriter(types, replace).Message({.message = root});
}

}  // namespace xdscope::encode
