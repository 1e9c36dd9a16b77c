#include "lib/client/folder_judge.h"

#include <fmt/format.h>

#include <new>

#include "lib/base/status.h"
#include "lib/files/folder.h"

namespace xdscope::client {

// The stamps are taken before the files are read: what is written in between is met by the next look.
std::optional<std::vector<JudgedFile>> FolderJudge::Judge() {
  const absl::StatusOr<std::vector<std::string>> names = files_.List(folder_);
  if (!names.ok()) return std::nullopt;
  std::map<std::string, base::FileStamp> there;
  for (const std::string& name : *names) {
    if (!files::IsDiscoveryFile(name)) continue;
    const std::string path = fmt::format("{}/{}", folder_, name);
    there.emplace(path, files_.Stamp(path).value_or(base::FileStamp()));
  }
  if (judged_ == there) return std::nullopt;
  judged_ = there;
  FileJudge judge(types_, {.served = true});
  // A file that takes all memory is one bad file, which whoever reads the folder says.
  try {
    for (const auto& [path, stamp] : there) {
      absl::StatusOr<std::string> text = files_.Read(path, files::Folder::kLargestFile);
      text.ok() ? judge.Add(path, *std::move(text)) : judge.AddUnreadable(path, text.status());
    }
    return judge.Judge();
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

}  // namespace xdscope::client
