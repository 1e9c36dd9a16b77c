// What is wrong, or doubtful, about a text that somebody wrote: where, and of which kind. Knows no format; lines and
// columns are for those who know the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::encode {

enum class Severity : std::uint8_t {
  kWarning,  // Envoy takes it, with or without a word, and it may not do what was meant
  kError,    // it cannot be read; Envoy refuses it, or applies a part of it without a word
};

// What decisions are made on; never the words.
enum class ProblemKind : std::uint8_t {
  kSyntax,            // the text is no JSON, YAML …; it is not UTF-8
  kLenientSyntax,     // no JSON by the letter, but Envoy takes it: keys without quotes, a trailing comma …
  kSeveralDocuments,  // Envoy reads one only
  kNotAResource,      // neither a discovery response nor a resource
  kValue,             // a value that does not fit its field
  kUnknownField,
  kUnknownEnumValue,
  kUnknownType,   // of an Any
  kTypeUrl,       // of an Any: none, or malformed
  kDuplicateKey,  // the last one counts
  kOneofTwice,
  kListExpected,  // one value in place of a list
  kMergeKey,      // YAML's "<<", which is not applied
  kNumberForm,    // an octal number that may not have been meant as one
  kTooDeep,
};

struct Problem {
  Severity severity = Severity::kError;
  ProblemKind kind = ProblemKind::kSyntax;
  std::size_t offset = 0;  // in the text, in bytes
  // Proto field names: `resources[0].filter_chains[0].typed_per_filter_config["a.b"]`; empty when it is no field's.
  std::string path;
  std::string what;  // lower case, no advice
};

// Collects problems up to a number, so that a hostile text costs no more than a good one.
class Problems {
 public:
  static constexpr std::size_t kMost = 1000;

  explicit Problems(std::size_t most = kMost) : most_(most) {}

  void Add(Problem problem);
  // Counts an error or warning that nobody has to see in words any more. True: there is room, say it with Add().
  bool HasRoom(Severity severity);

  // What was collected up to a moment; what came behind it can be taken back.
  struct Mark {
    std::size_t size, errors, left_out;
  };
  Mark mark() const { return {all_.size(), errors_, left_out_}; }
  void ReturnTo(const Mark& mark);

  const std::vector<Problem>& all() const { return all_; }
  std::vector<Problem> Take() { return std::move(all_); }
  // Errors so far, those without room too.
  std::size_t errors() const { return errors_; }
  // How many did not find room.
  std::size_t left_out() const { return left_out_; }

 private:
  std::size_t most_;
  std::vector<Problem> all_;
  std::size_t errors_ = 0;
  std::size_t left_out_ = 0;
};

// Puts a path and what stands below it together: "resources[0]" + "name", "" + "name", "x" + "[2]".
std::string JoinPath(std::string_view path, std::string_view below);

// One step of a path: ".name", or `["odd name"]` where it is no identifier.
void AppendNameStep(std::string* path, std::string_view name);
void AppendIndexStep(std::string* path, std::size_t index);
void AppendKeyStep(std::string* path, std::string_view key);

}  // namespace xdscope::encode
