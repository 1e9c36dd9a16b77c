// What is wrong with the folder that is served, as it was judged last: what of it is news, whether it may be served,
// and what is known of a resource that a client refuses.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/client/file_judge.h"
#include "lib/files/folder.h"

namespace xdscope::cli {

class FolderFindings {
 public:
  // So many findings are said at once, errors first, and so many of one resource or type beside a refusal.
  static constexpr std::size_t kMostSaidAtOnce = 10;
  static constexpr std::size_t kMostOfAResource = 3;

  // Keeps what was found, in place of what was found before, but for what comments in the files ignore and what is no
  // error or warning to Envoy.
  void Take(std::vector<client::JudgedFile> files);

  // Returns lines for the errors and warnings that were not there before, and one that counts where there are more of
  // them; each again only when it was gone meanwhile. What `notices` say is said.
  std::vector<std::string> News(std::span<const files::Notice> notices);

  std::size_t errors() const { return errors_; }

  // Returns lines for what was found in a resource, errors first.
  std::vector<std::string> Of(std::string_view type_url, std::string_view name) const;
  // Returns lines for the errors in all resources of a type.
  std::vector<std::string> ErrorsOf(std::string_view type_url) const;

 private:
  template <typename Predicate>
  std::vector<std::string> Lines(const Predicate& counts) const;

  std::vector<client::JudgedFile> files_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::set<std::string, std::less<>> said_;  // of what is there; a line may have moved
};

}  // namespace xdscope::cli
