// Forms that PGV knows by name: addresses, host names, URIs, the names and values of HTTP headers. Knows texts alone.
// [reference/validation.md 1.1, 1.3-9]
#pragma once

#include <string_view>

namespace xdscope::rules {

bool IsIpv4(std::string_view text);
bool IsIpv6(std::string_view text);
bool IsHostname(std::string_view text);
// Takes an address alone, or behind a name in angle brackets, as Go's mail.ParseAddress does.
bool IsEmail(std::string_view text);
// A URI has a scheme; a reference need not.
bool IsUri(std::string_view text);
bool IsUriReference(std::string_view text);
bool IsUuid(std::string_view text);

// The strict forms are those of HTTP; the lenient one only has no NUL and no line breaks. A comma passes in a name,
// because the range "+-." of PGV's expression has one.
bool IsHeaderName(std::string_view text);
bool IsHeaderValue(std::string_view text);
bool IsOneLine(std::string_view text);

}  // namespace xdscope::rules
