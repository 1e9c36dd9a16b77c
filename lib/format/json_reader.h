// JSON as Envoy 1.40 reads it: by the letter, and with the liberties of protobuf's parser (keys without quotes, single
// quotes, trailing commas, control characters and two more escapes in strings), each of which is a warning. Not with
// RapidJSON: that refuses those, and YAML, which would take them, takes much more than Envoy does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "lib/finding/reading_rules.h"

namespace xdscope::format {

// Reads one value after another, whole or step by step, so that a large list need not be in memory at once. A syntax
// error becomes a finding and ends the reading. The text must outlive the trees.
class JsonReader {
 public:
  static constexpr int kMaxDepth = 100;

  JsonReader(std::string_view text, encode::Findings* findings) : text_(text), findings_(findings) {}

  bool ok() const { return ok_; }
  // Skips blanks and returns the byte that comes next; 0 at the end and after an error.
  char Peek();
  std::size_t offset() const { return at_; }

  // Adds the next value to `tree`. Returns false on a syntax error; the tree then holds what came before it.
  bool Value(encode::Tree* tree);

  // Goes through a list or map step by step. Peek() must have returned '[' or '{'.
  class Steps {
   public:
    explicit Steps(JsonReader& reader);
    // Returns true when one more value comes next; of a map it has read the key, which `tree` keeps. Returns false at
    // the end and on an error.
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
  // What Envoy takes although it is no JSON; each becomes a finding once.
  enum Liberty : unsigned {
    kBareKey = 1,
    kSingleQuotes = 2,
    kTrailingComma = 4,
    kControlCharacter = 8,
    kOddEscape = 16
  };

  bool Fail(std::size_t at, std::string_view rule, std::string_view what);
  bool Fail(std::size_t at, std::string_view what) { return Fail(at, finding::kSyntaxRule, what); }
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
  encode::Findings* findings_;
  std::size_t at_ = 0;
  int depth_ = 0;
  unsigned taken_ = 0;
  bool ok_ = true;
};

}  // namespace xdscope::format
