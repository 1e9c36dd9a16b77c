// What is wrong with discovery files, line by line.
#pragma once

#include <span>
#include <string>

#include "cli/console/report.h"
#include "lib/files/folder.h"

namespace xdscope::cli {

// Says errors always, remarks and resources that are there twice unless -q.
void SayNotices(std::span<const files::Notice> notices, Report& report);
void SayDuplicates(std::span<const std::string> duplicates, Report& report);

}  // namespace xdscope::cli
