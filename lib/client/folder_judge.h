// Judges the folder that a control plane is made of, whenever a file in it has changed. Knows which files those are;
// who is served and what becomes of a finding is not its business.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/files.h"
#include "lib/client/file_judge.h"
#include "lib/wire/type.h"

namespace xdscope::client {

class FolderJudge {
 public:
  // `files` and `types` must outlive it.
  FolderJudge(std::string folder, const base::Files& files, wire::Types& types)
      : folder_(std::move(folder)), files_(files), types_(types) {}

  // Says what is wrong with the files of the folder, which are named "FOLDER/NAME"; nullopt when they are those that
  // were judged the last time, and where the folder cannot be listed.
  std::optional<std::vector<JudgedFile>> Judge();

 private:
  std::string folder_;
  const base::Files& files_;
  wire::Types& types_;
  std::optional<std::map<std::string, base::FileStamp>> judged_;  // what there was the last time, by path
};

}  // namespace xdscope::client
