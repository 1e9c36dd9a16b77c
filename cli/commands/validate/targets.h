// What a TARGET of `validate` stands for: a file, the discovery files of a folder, or standard input.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/files.h"
#include "lib/client/file_judge.h"

namespace xdscope::cli {

// Adds the files of a TARGET. Those of a folder are set number `set`, single files are all of set 0. What cannot be
// read is added as such. Returns false where all of it cannot be read, or it is a folder without discovery files.
bool AddTarget(const std::string& target, std::size_t set, const base::Files& files, client::FileJudge* judge);

// Returns what tells whether a path in a configuration leads to nothing. Below `root`, where that is not empty, each
// can be looked for. Else a folder among the TARGETs is what Envoy is to have: relative paths in its files begin there,
// or where this program runs. Of others nobody can say. `files` has to live as long.
std::function<bool(std::string_view path, std::string_view file)> MissingFiles(const std::string& root,
                                                                               const std::vector<std::string>& targets,
                                                                               const base::Files& files);

// Adds the files that config sources of a bootstrap point to, and those that the resources in these point to; none
// twice. One that cannot be read is a finding, unless `root` is given, where it is one
// beside its name [XDS-V084]. `root`: the folder that their names begin in; empty: where
// this program runs, as Envoy has it.
void AddNamedFiles(const std::string& root, const base::Files& files, client::FileJudge* judge);

}  // namespace xdscope::cli
