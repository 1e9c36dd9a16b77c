// One finding in words, for every command that judges.
#pragma once

#include <string>
#include <string_view>

#include "lib/finding/finding.h"
#include "lib/finding/path.h"

namespace xdscope::cli {

// Returns the last part of a message's name: "Cluster"; empty where there is none.
std::string_view KindOf(std::string_view type_url);
// Returns who is meant by a rule: "envoy", "grpc" or "both".
std::string_view ClientOf(const finding::Finding& finding);
// Returns a text that is the same for the same finding in every run, on whatever line it stands, and another one for
// others: a hash of rule, resource, path and value.
std::string Fingerprint(std::string_view file, const finding::Finding& finding);

// Returns "FILE:LINE:COLUMN", of a binary file "FILE:@0xBYTE", as far as it is known.
std::string PlaceText(std::string_view file, finding::Position position);

// Returns "Cluster \"payments\": type", as far as it is known. Control characters are escaped, as in all texts here.
std::string WhereText(std::string_view type_url, std::string_view resource, const finding::Path& path);

// Returns a finding as one line: "PLACE: SEVERITY: WHERE: MESSAGE [ID]"; without a place where `file` is empty.
std::string FindingLine(std::string_view file, const finding::Finding& finding);

}  // namespace xdscope::cli
