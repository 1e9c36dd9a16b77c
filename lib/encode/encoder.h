// One run of Encode(): the state that the mappings of encode*.cc share. It knows where in the message it is and writes
// the fields as they come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/encode/encode.h"
#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "lib/finding/reading_rules.h"
#include "lib/wire/type.h"

namespace xdscope::encode {

class Encoder {
 public:
  Encoder(const EncodeOptions& options, wire::Types& types, Findings* findings, std::string* out)
      : options_(options), types_(types), findings_(*findings), out_(*out) {}

  // Appends the fields of the message of `type` that `node` stands for.
  void Message(const Node& node, const wire::Type& type);
  bool failed() const { return failed_; }

 private:
  enum class StepKind : std::uint8_t { kName, kIndex, kKey, kType };
  struct Step {
    StepKind kind;
    std::string_view name;
    std::size_t index;
  };
  // Makes the path one step longer while it lives.
  class Inside;
  // A field of bytes; its end puts the length in front of them.
  class Bytes;
  // Is one message deeper while it lives; ok() is false where that is too deep, which becomes a finding.
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

  // What is wrong.
  void Unknown(const wire::Type& type, const Children& member);
  void UnknownEnum(const wire::Field& field, const Node& node);
  void Wrong(const Node& node, std::string_view what) {
    Say(finding::Severity::kError, finding::kValueRule, node.offset(), what);
  }
  // `what` is a text, or a function that makes one, which runs only when the list has room.
  template <typename What>
  void Say(finding::Severity severity, std::string_view rule, std::size_t offset, const What& what) {
    failed_ = failed_ || severity == finding::Severity::kError;
    if (!findings_.HasRoom(severity)) return;
    if constexpr (std::is_invocable_v<What>) {
      findings_.Add(rule, severity, offset, Path(), std::string(what()));
    } else {
      findings_.Add(rule, severity, offset, Path(), std::string(what));
    }
  }
  finding::Path Path() const;

  const EncodeOptions& options_;
  wire::Types& types_;
  Findings& findings_;
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

  // Returns the member that was met last; an invalid node before the first.
  Node& of(const wire::Field& field) { return fields_[static_cast<std::size_t>(field.index)]; }
  // Counts the elements of a repeated field. (Text format)
  std::size_t& count(const wire::Field& field);
  // Returns the member of the field's oneof that was met first; nullptr before the first.
  const wire::Field*& member(const wire::Field& field);

 private:
  std::vector<Node> fields_;
  std::vector<std::size_t> counts_;
  std::vector<const wire::Field*> oneofs_;
};

}  // namespace xdscope::encode
