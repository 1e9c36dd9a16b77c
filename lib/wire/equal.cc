#include <algorithm>

#include "lib/wire/message.h"
#include "lib/wire/said.h"
#include "lib/wire/view.h"

namespace xdscope::wire {
namespace {

// How deep a run stands: in Anys, and in messages through every Any.
struct Depth {
  int anys = 0;
  int messages = 0;

  Depth Below() const { return {anys, messages + 1}; }
  Depth InAny() const { return {anys + 1, messages + 1}; }
  bool MayOpen() const { return anys < kMaxAnyDepth && messages < kMaxOpenDepth; }
};

// Walks two messages side by side, field by field in the order of the numbers. Equal bytes are equal messages, so the
// usual case of a resource that did not change costs one comparison of memory; only where bytes differ does it look at
// what they say. Messages are compared as proto3 sees them: a default that was written and one that was left out are
// the same (Said leaves out both), a packed list equals one that is not, maps are sorted. An Any is opened on both
// sides, since servers that write maps in random order make other bytes of the same payload at each push.
class Comparer {
 public:
  explicit Comparer(Types& types) : types_(types) {}

  bool Messages(const View& a, const View& b, Depth depth) {
    if (a.bytes() == b.bytes()) return true;
    if (a.type().well_known() == WellKnown::kAny) return Anys(a, b, depth);
    Said left(a);
    Said right(b);
    for (; left.current() != nullptr && right.current() != nullptr; left.Next(), right.Next()) {
      if (left.current()->field != right.current()->field) return false;
      if (!Field(*left.current(), *right.current(), depth)) return false;
    }
    return left.current() == nullptr && right.current() == nullptr && Unknown(a, b);
  }

 private:
  bool Anys(const View& a, const View& b, Depth depth) {
    if (a.GetText(1U) != b.GetText(1U) || !Unknown(a, b)) return false;
    if (a.GetText(2U) == b.GetText(2U)) return true;
    if (!depth.MayOpen()) return false;
    const absl::StatusOr<Message> left = Open(a, types_);
    const absl::StatusOr<Message> right = Open(b, types_);
    return left.ok() && right.ok() && Messages(left->view(), right->view(), depth.InAny());
  }

  bool Field(const Present& a, const Present& b, Depth depth) {
    if (!a.field->repeated) return Values(Single(a), Single(b), depth);
    if (a.field->map) return Maps(SortedMap(a), SortedMap(b), depth);
    Elements left(a);
    Elements right(b);
    while (left.Next()) {
      if (!right.Next() || !Values(left.value(), right.value(), depth)) return false;
    }
    return !right.Next();
  }

  bool Maps(std::span<const MapEntry> a, std::span<const MapEntry> b, Depth depth) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const MapEntry& left, const MapEntry& right) {
      return Values(left.key, right.key, depth) && Values(left.value, right.value, depth);
    });
  }

  bool Values(const Value& a, const Value& b, Depth depth) {
    if (a.field->kind == FieldKind::kMessage) return Messages(a.AsMessage(), b.AsMessage(), depth.Below());
    return a.bits == b.bits && a.bytes == b.bytes;
  }

  static bool Unknown(const View& a, const View& b) {
    const std::vector<UnknownField> left = UnknownFields(a);
    const std::vector<UnknownField> right = UnknownFields(b);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const UnknownField& x, const UnknownField& y) { return x.raw == y.raw; });
  }

  Types& types_;
};

// A 64-bit hash in the manner of FNV-1a over words, with a final mix.
class Hash {
 public:
  void Add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 29;
  }
  void Add(std::string_view text) {
    Add(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) Add(base::LoadFixed64(text.data()));
    std::uint64_t rest = 0;
    for (const char c : text) rest = rest << 8 | static_cast<unsigned char>(c);
    Add(rest);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

// Adds to a hash just what Comparer looks at, in the same order, so that equal messages have equal digests. Each field
// begins with its number and each message ends with a mark: without them {a: {b: 1}} and {a: {}, b: 1} would add the
// same words. Where Comparer can stop at equal bytes, this one has to read everything.
class Digester {
 public:
  explicit Digester(Types& types) : types_(types) {}
  std::uint64_t value() const { return hash_.value(); }

  void Message(const View& view, Depth depth) {
    bool has_unknown = true;
    if (view.type().well_known() == WellKnown::kAny) {
      Any(view, depth);
    } else {
      Said said(view);
      for (; said.current() != nullptr; said.Next()) Field(*said.current(), depth);
      has_unknown = said.has_unknown();
    }
    if (has_unknown) {
      for (const UnknownField& unknown : UnknownFields(view)) hash_.Add(unknown.raw);
    }
    hash_.Add(kEndOfMessage);
  }

 private:
  static constexpr std::uint64_t kEndOfMessage = 0xE0F;

  void Any(const View& view, Depth depth) {
    hash_.Add(view.GetText(1U));
    const absl::StatusOr<wire::Message> opened =
        depth.MayOpen() ? Open(view, types_) : absl::StatusOr<wire::Message>(absl::DataLossError("too deep"));
    if (opened.ok()) return Message(opened->view(), depth.InAny());
    hash_.Add(view.GetText(2U));
  }

  void Field(const Present& present, Depth depth) {
    hash_.Add(present.field->number);
    if (!present.field->repeated) return Add(Single(present), depth);
    if (present.field->map) {
      for (const MapEntry& entry : SortedMap(present)) {
        Add(entry.key, depth);
        Add(entry.value, depth);
      }
      return;
    }
    Elements elements(present);
    while (elements.Next()) Add(elements.value(), depth);
  }

  void Add(const Value& value, Depth depth) {
    if (value.field->kind == FieldKind::kMessage) return Message(value.AsMessage(), depth.Below());
    hash_.Add(value.bits);
    hash_.Add(value.bytes);
  }

  Types& types_;
  Hash hash_;
};

}  // namespace

bool Equal(const View& a, const View& b, Types& types) {
  return &a.type() == &b.type() && Comparer(types).Messages(a, b, {});
}

std::uint64_t Digest(const View& view, Types& types) {
  Digester digester(types);
  digester.Message(view, {});
  return digester.value();
}

}  // namespace xdscope::wire
