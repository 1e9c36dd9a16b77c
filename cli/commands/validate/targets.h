// What a TARGET of `validate` stands for: a file, the discovery files of a folder, or standard input.
#pragma once

#include <cstddef>
#include <string>

#include "lib/base/files.h"
#include "lib/client/file_judge.h"

namespace xdscope::cli {

// Adds the files of a TARGET. Those of a folder are set number `set`, single files are all of set 0. What cannot be
// read is added as such. Returns false where all of it cannot be read, or it is a folder without discovery files.
bool AddTarget(const std::string& target, std::size_t set, const base::Files& files, client::FileJudge* judge);

// Adds the files that config sources of a bootstrap point to, and those that the resources in these point to; none
// twice. `root`: the folder that their names begin in; empty: where this program runs, as Envoy has it.
void AddNamedFiles(const std::string& root, const base::Files& files, client::FileJudge* judge);

}  // namespace xdscope::cli
