// How a text may stand in a YAML document so that every reader, of YAML 1.1 and 1.2, gets the same text back: bare
// where that is safe, else quoted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/format/output.h"

namespace xdscope::format {

enum class ScalarStyle : std::uint8_t {
  kPlain,   // as it is
  kSingle,  // 'in single quotes': text with '\' or '"' and nothing that needs an escape
  kDouble,  // "in double quotes"
  kBlock,   // lines below '|'
};

// Returns the most readable style that is safe; kBlock only for several lines. Demands UTF-8.
ScalarStyle StyleOf(std::string_view text);

// Writes `text` in one of the styles. The lines of a block stand `indent` columns in; the last is not ended.
void AppendScalar(Output& out, std::string_view text, ScalarStyle style, std::size_t indent);

}  // namespace xdscope::format
