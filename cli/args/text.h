// Text of strangers as harmless text, and how much room text takes on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace xdscope::cli {

// `text` with control characters and bytes that are not UTF-8 written out (\n, \x1b), so that it is one harmless line.
std::string Printable(std::string_view text);

// How many columns `text` takes, a character one.
std::size_t Columns(std::string_view text);

// The first `columns` columns of `text`.
std::string_view Truncate(std::string_view text, std::size_t columns);

}  // namespace xdscope::cli
