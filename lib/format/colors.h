// The colours of values in all formats, and of changes: escape codes of a terminal.
#pragma once

#include <string_view>

namespace xdscope::format {

inline constexpr std::string_view kKeyColor = "\x1b[34;1m";
inline constexpr std::string_view kTextColor = "\x1b[32m";
inline constexpr std::string_view kNumberColor = "\x1b[36m";
inline constexpr std::string_view kWordColor = "\x1b[33m";  // true, false, null, names of enum values
inline constexpr std::string_view kAddedColor = "\x1b[32m";
inline constexpr std::string_view kRemovedColor = "\x1b[31m";
inline constexpr std::string_view kChangedColor = "\x1b[33m";
inline constexpr std::string_view kDimColor = "\x1b[2m";
inline constexpr std::string_view kPlainColor = "\x1b[0m";

}  // namespace xdscope::format
