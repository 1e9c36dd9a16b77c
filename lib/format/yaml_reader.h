// YAML as Envoy 1.40 reads it: by yaml-cpp, plain scalars typed by Envoy's rules (booleans of YAML 1.1, whole numbers
// in decimal, octal and hexadecimal; everything else is text), tags without effect but "!ignore" on a key, no merge
// keys.
#pragma once

#include <memory>
#include <string_view>

#include "lib/encode/findings.h"
#include "lib/encode/tree.h"

namespace xdscope::format {

// Reads one document after another. A syntax error becomes a finding and ends the reading. The text must outlive the
// trees.
class YamlReader {
 public:
  static constexpr std::size_t kMaxDepth = 100;
  // Bounds how many bytes all aliases together may stand for, in the tree.
  static constexpr std::size_t kMaxRepeated = std::size_t{64} << 20;

  YamlReader(std::string_view text, encode::Findings* findings);
  ~YamlReader();
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  // Clears `tree` and puts the next document into it. Returns false when there is none or it is broken (see ok()); the
  // tree then holds what came before the error.
  bool Next(encode::Tree* tree);
  bool ok() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A scalar without quotes, typed as Envoy types it.
struct PlainScalar {
  encode::NodeKind kind = encode::NodeKind::kText;
  std::string text;    // of numbers in decimal; "true", "false"
  bool octal = false;  // it was written like "010"
};
PlainScalar TypePlainScalar(std::string_view text);

}  // namespace xdscope::format
