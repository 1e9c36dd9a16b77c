// Text of strangers as one harmless line for a person's eyes, and how much room text takes on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xdscope::format {

// Returns `text` with hidden characters (utf8.h) and bytes that are not UTF-8 written out: a line break as \n, a tab as
// \t, all others byte for byte as \xNN. Whatever a peer put into a name, it does not steer the terminal, and no other
// name looks like it.
std::string Printable(std::string_view text);

// Returns how many columns UTF-8 text takes on a terminal: two for a wide character (East Asian, most emoji), none for
// a mark that stands on the one before it, one for every other.
std::size_t Columns(std::string_view text);

// Returns as much of the front of `text` as fits into `columns` columns.
std::string_view Truncate(std::string_view text, std::size_t columns);
// Returns `text` with at most `columns` columns, of which the last one is "…" where something is left out.
std::string Shortened(std::string_view text, std::size_t columns);
// Does so in the middle, so that both ends are left: names of one kind often differ at the end alone.
std::string ShortenedInside(std::string_view text, std::size_t columns);

}  // namespace xdscope::format
