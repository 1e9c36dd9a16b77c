// What a TARGET of `validate` stands for: a file, the discovery files of a folder, or standard input.
#pragma once

#include <string>

#include "lib/base/files.h"
#include "lib/client/file_judge.h"

namespace xdscope::cli {

// Adds the files of a TARGET. What cannot be read is added as such. Returns false where all of it cannot be read, or it
// is a folder without discovery files.
bool AddTarget(const std::string& target, const base::Files& files, client::FileJudge* judge);

}  // namespace xdscope::cli
