// JSON as Envoy 1.40 reads it: by the letter, and with the liberties of protobuf's parser (keys without quotes, single
// quotes, trailing commas, control characters and two more escapes in strings), each of which is a warning. Not with
// RapidJSON: that refuses those, and YAML, which would take them, takes much more than Envoy does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/encode/problem.h"
#include "lib/encode/tree.h"

namespace xdscope::format {

// Reads one value after another, whole or step by step, so that a large list need not be in memory at once. After a
// syntax error, which `problems` has then, nothing more comes. The text must outlive the trees.
class JsonReader {
 public:
  static constexpr int kMaxDepth = 100;

  JsonReader(std::string_view text, encode::Problems* problems) : text_(text), problems_(problems) {}

  bool ok() const { return ok_; }
  // The first byte of what comes next, blanks skipped; 0 at the end, and once nothing is ok.
  char Peek();
  std::size_t offset() const { return at_; }

  // Adds the next value to `tree`. False: a syntax error; the tree then holds what came before it.
  bool Value(encode::Tree* tree);

  // For lists and maps step by step: what Peek() says is '[' or '{'.
  class Steps {
   public:
    explicit Steps(JsonReader& reader);
    // True: one more value comes next; of a map its key was read, which `tree` keeps. False: the end, or an error.
    bool Next(encode::Tree* tree);
    std::string_view key() const { return key_; }
    std::size_t key_offset() const { return key_offset_; }

   private:
    bool Advance();

    JsonReader& reader_;
    char close_;
    bool first_ = true;
    std::string_view key_;
    std::size_t key_offset_ = 0;
  };

 private:
  // Liberties, each said once.
  enum Liberty : unsigned {
    kBareKey = 1,
    kSingleQuotes = 2,
    kTrailingComma = 4,
    kControlCharacter = 8,
    kOddEscape = 16
  };

  bool Fail(std::size_t at, encode::ProblemKind kind, std::string_view what);
  bool Fail(std::size_t at, std::string_view what) { return Fail(at, encode::ProblemKind::kSyntax, what); }
  bool FailHere(std::string_view expected);
  void Take(Liberty liberty, std::size_t at, std::string_view what);
  bool Nested(encode::NodeKind kind, encode::Tree* tree);
  bool Key(std::string_view* key, encode::Tree* tree);
  bool String(std::string_view* value, encode::Tree* tree);
  bool Escaped(std::size_t begin, char quote, std::string_view* value, encode::Tree* tree);
  bool Escape(std::string* out);
  bool UnicodeEscape(std::string* out);
  bool Hex4(std::uint32_t* value);
  bool Number(encode::Tree* tree);
  bool Word(encode::Tree* tree);

  std::string_view text_;
  encode::Problems* problems_;
  std::size_t at_ = 0;
  int depth_ = 0;
  unsigned taken_ = 0;
  bool ok_ = true;
};

}  // namespace xdscope::format
