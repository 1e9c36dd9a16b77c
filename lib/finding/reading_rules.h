// The ids of the rules that readers of files and the JSON mapping look for: what decisions are made on, never the words
// of a message. Their rows are in reading_rules.cc.
#pragma once

#include <string_view>

namespace xdscope::finding {

// Of reference/validation.md, section 2.1 and 3.2.
inline constexpr std::string_view kNotAResourceRule = "XDS-V001";
inline constexpr std::string_view kBinaryCutOffRule = "XDS-V002";
inline constexpr std::string_view kSuffixRule = "XDS-V003";
inline constexpr std::string_view kDuplicateKeyRule = "XDS-V008";
inline constexpr std::string_view kMergeKeyRule = "XDS-V009";  // the merge key; further documents are XDS-V202
inline constexpr std::string_view kNumberFormRule = "XDS-V010";
inline constexpr std::string_view kUnknownFieldRule = "XDS-V011";  // enum names too
inline constexpr std::string_view kEmptyResponseRule = "XDS-V014";
inline constexpr std::string_view kUnknownTypeRule = "XDS-V120";
inline constexpr std::string_view kNoTypeUrlRule = "XDS-V121";
inline constexpr std::string_view kTypeUrlFormRule = "XDS-V122";
inline constexpr std::string_view kAnyBytesRule = "XDS-V127";

// Rules of reading that validation.md has no row for have the numbers from 200 on.
inline constexpr std::string_view kSyntaxRule = "XDS-V200";
inline constexpr std::string_view kLenientSyntaxRule = "XDS-V201";
inline constexpr std::string_view kSeveralDocumentsRule = "XDS-V202";
inline constexpr std::string_view kValueRule = "XDS-V203";
inline constexpr std::string_view kOneofRule = "XDS-V204";
inline constexpr std::string_view kListExpectedRule = "XDS-V205";
inline constexpr std::string_view kTooDeepRule = "XDS-V206";
inline constexpr std::string_view kOpenQuoteRule = "XDS-V207";
// Rules of a folder of files, beside those of the files in it.
inline constexpr std::string_view kUnreadableFileRule = "XDS-V220";
inline constexpr std::string_view kNoNameRule = "XDS-V221";

}  // namespace xdscope::finding
