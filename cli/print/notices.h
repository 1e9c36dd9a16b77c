// What is wrong with discovery files, line by line.
#pragma once

#include <span>
#include <string>

#include "cli/console/report.h"
#include "lib/client/fetch.h"
#include "lib/files/folder.h"
#include "lib/source/source.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {

// Says errors always, remarks and resources that are there twice unless -q.
void SayNotices(std::span<const files::Notice> notices, Report& report);
void SayDuplicates(std::span<const std::string> duplicates, Report& report);

// Returns how many resources of these types (of all, where there are none) would be there if the other version of the
// API were asked for.
std::size_t LeftOut(const source::FilesRead& read, types::Api api, std::span<const client::Want> wants);
// Says so where there are any.
void SayLeftOut(std::size_t count, types::Api api, Report& report);

}  // namespace xdscope::cli
