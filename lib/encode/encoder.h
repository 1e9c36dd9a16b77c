// One run of Encode(). For encode*.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/encode/encode.h"
#include "lib/encode/tree.h"
#include "lib/wire/type.h"

namespace xdscope::encode {

class Encoder {
 public:
  Encoder(const EncodeOptions& options, wire::Types& types, Problems* problems, std::string* out)
      : options_(options), types_(types), problems_(*problems), out_(*out) {}

  // The fields of a message of `type`.
  void Message(const Node& node, const wire::Type& type);
  bool failed() const { return failed_; }

 private:
  enum class StepKind : std::uint8_t { kName, kIndex, kKey };
  struct Step {
    StepKind kind;
    std::string_view name;
    std::size_t index;
  };
  // The path is one step longer while it lives.
  class Inside;
  // A field of bytes, whose length is put in front of them when it dies.
  class Bytes;
  // One more message deep; ok() is false when that is too deep, which is said.
  class Deeper;

  // What one message has seen of its fields.
  class Seen;

  // encode.cc: members, lists, maps, scalars of the JSON mapping
  void Members(const Node& map, const wire::Type& type, bool in_any);
  bool Counts(const wire::Field& field, const Children& member, Seen* seen);
  void Value(const wire::Field& field, const Node& node);
  void DropDefault(const wire::Field& field, std::size_t before);
  void Repeated(const wire::Field& field, const Node& node);
  void Elements(const wire::Field& field, const Node& list, std::size_t* index);
  void NullElement(const wire::Field& field, const Node& node);
  void Map(const wire::Field& field, const Node& map);
  void MapEntry(const wire::Field& field, const Children& entry);
  void MapKey(const wire::Field& key_field, const Children& entry);
  bool One(const wire::Field& field, const Node& node);
  bool Scalar(const wire::Field& field, const Node& node);
  bool Enum(const wire::Field& field, const Node& node);
  bool Text(const wire::Field& field, const Node& node);
  void SubMessage(const wire::Field& field, const Node& node);
  void AppendNumber(const wire::Field& field, std::uint64_t bits);
  void AppendText(const wire::Field& field, std::string_view text, const Node& node);

  // encode_known.cc: Any and the well-known types
  bool WellKnownScalar(const Node& node, const wire::Type& type);
  void Any(const Node& node, const wire::Type& any);
  void AnyPayload(const Node& node, const wire::Type& type);
  void UnopenedAny(const Node& node, std::string_view url);
  const wire::Type* AnyType(const Node& url);
  void StructValue(const Node& node, const wire::Type& type);
  void TimeOf(const Node& node, bool duration);
  void FieldMask(const Node& node, const wire::Type& type);

  // encode_text.cc: the text format's mapping
  void TextMessage(const Node& node, const wire::Type& type);
  void TextMember(const wire::Field& field, const Children& member, Seen* seen);
  void TextElement(const wire::Field& field, const Node& node, Seen* seen);
  void TextOne(const wire::Field& field, const Node& node);
  void TextEnum(const wire::Field& field, const Node& node);
  void TextAny(const Children& expanded, const wire::Type& any);

  // Problems.
  void Unknown(const wire::Type& type, const Children& member);
  void UnknownEnum(const wire::Field& field, const Node& node);
  void Wrong(const Node& node, std::string_view what) {
    Say(Severity::kError, ProblemKind::kValue, node.offset(), what);
  }
  // `what` is a text, or makes one when somebody wants it.
  template <typename What>
  void Say(Severity severity, ProblemKind kind, std::size_t offset, const What& what) {
    failed_ = failed_ || severity == Severity::kError;
    if (!problems_.HasRoom(severity)) return;
    if constexpr (std::is_invocable_v<What>) {
      problems_.Add({severity, kind, offset, Path(), std::string(what())});
    } else {
      problems_.Add({severity, kind, offset, Path(), std::string(what)});
    }
  }
  std::string Path() const;

  const EncodeOptions& options_;
  wire::Types& types_;
  Problems& problems_;
  std::string& out_;
  std::vector<Step> steps_;
  int depth_ = 0;      // of messages in one another
  int any_depth_ = 0;  // of Anys in one another
  bool failed_ = false;
};

class Encoder::Inside {
 public:
  Inside(Encoder& encoder, StepKind kind, std::string_view name, std::size_t index = 0) : encoder_(encoder) {
    encoder_.steps_.push_back({kind, name, index});
  }
  ~Inside() { encoder_.steps_.pop_back(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Encoder& encoder_;
};

class Encoder::Bytes {
 public:
  Bytes(std::string& out, std::uint32_t number);
  ~Bytes();
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

 private:
  std::string& out_;
  std::size_t at_;
};

class Encoder::Deeper {
 public:
  Deeper(Encoder& encoder, const Node& node);
  ~Deeper() { --encoder_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  bool ok() const { return ok_; }

 private:
  Encoder& encoder_;
  bool ok_;
};

class Encoder::Seen {
 public:
  explicit Seen(const wire::Type& type) : fields_(type.fields().size()) {}

  // The member that was met last, by index of its field; an invalid node before the first.
  Node& of(const wire::Field& field) { return fields_[static_cast<std::size_t>(field.index)]; }
  // How many elements of a repeated field there were. (Text format)
  std::size_t& count(const wire::Field& field);
  // The member of the field's oneof that was met first; nullptr: none.
  const wire::Field*& member(const wire::Field& field);

 private:
  std::vector<Node> fields_;
  std::vector<std::size_t> counts_;
  std::vector<const wire::Field*> oneofs_;
};

}  // namespace xdscope::encode
