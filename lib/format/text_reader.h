// protobuf's text format: every field a member, each value as it is written. Unlike protobuf's own parser it knows
// where everything stands, inside an expanded Any too; it knows no types.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "lib/finding/reading_rules.h"

namespace xdscope::format {

// Reads one message after another: a line "# proto-message: …" behind a field begins a new one, and so does an Any that
// is expanded at the top. A syntax error becomes a finding and ends the reading. The text must outlive the trees.
class TextReader {
 public:
  static constexpr std::size_t kMaxDepth = 100;

  TextReader(std::string_view text, encode::Findings* findings) : text_(text), findings_(*findings) {}

  // Clears `tree` and puts the fields of the next message into it as a map. Returns false when there is none or it is
  // broken (see ok()); the tree then holds what came before the error. An empty text is one message without fields.
  bool Next(encode::Tree* tree);
  bool ok() const { return ok_; }

 private:
  char Peek();
  void SkipComment();
  bool Fail(std::size_t at, std::string_view what, std::string_view rule = finding::kSyntaxRule);
  bool Fields(char close, encode::Tree* tree);
  bool Field(encode::Tree* tree);
  bool Name(encode::Tree* tree);
  bool TypeName(encode::Tree* tree);
  bool Value(encode::Tree* tree);
  bool Message(encode::Tree* tree);
  bool List(encode::Tree* tree);
  bool Text(encode::Tree* tree);
  bool Literal(std::string* out);
  bool Escape(std::string* out);
  bool Unicode(std::size_t digits, std::string* out);
  bool Word(encode::Tree* tree);
  std::size_t NumberEnd(std::size_t begin) const;

  std::string_view text_;
  encode::Findings& findings_;
  std::size_t at_ = 0;
  std::size_t top_fields_ = 0;  // of this message
  bool ended_ = false;          // this message, by a comment
  bool started_ = false;
  bool ok_ = true;
};

}  // namespace xdscope::format
