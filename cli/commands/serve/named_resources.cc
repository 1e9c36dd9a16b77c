#include "cli/commands/serve/named_resources.h"

#include <algorithm>

namespace xdscope::cli {
namespace {

constexpr std::size_t kMostRead = 4096;
constexpr std::string_view kSpaces = " \t\r\n";

// Takes the brackets and the like away in which a word stands.
std::string_view Bare(std::string_view word) {
  const std::size_t begin = word.find_first_not_of("([{<,;");
  if (begin == std::string_view::npos) return {};
  return word.substr(begin, word.find_last_not_of(")]}>,;.") + 1 - begin);
}

class Finder {
 public:
  explicit Finder(const std::function<bool(std::string_view)>& is_name) : is_name_(is_name) {}

  void Quoted(std::string_view words) {
    for (const char quote : {'"', '\'', '`'}) {
      for (std::size_t open = words.find(quote); open != std::string_view::npos;) {
        const std::size_t close = words.find(quote, open + 1);
        if (close == std::string_view::npos) break;
        Take(words.substr(open + 1, close - open - 1), open);
        open = close;  // which may open the next one, where the first was an apostrophe
      }
    }
  }

  void BeforeColons(std::string_view words) {
    for (std::size_t begin = words.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
      const std::size_t end = std::min(words.find_first_of(kSpaces, begin), words.size());
      const std::string_view word = words.substr(begin, end - begin);
      const bool last = words.find_first_not_of(kSpaces, end) == std::string_view::npos;
      if (word.ends_with(':')) Take(Bare(word.substr(0, word.size() - 1)), begin);
      if (last) Take(Bare(word), begin);
      begin = words.find_first_not_of(kSpaces, end);
    }
  }

  std::vector<std::string> InOrder() {
    std::ranges::stable_sort(found_, {}, &Found::place);
    std::vector<std::string> names;
    for (const Found& found : found_) {
      if (std::ranges::find(names, found.name) == names.end()) names.emplace_back(found.name);
    }
    return names;
  }

 private:
  struct Found {
    std::size_t place = 0;
    std::string_view name;
  };

  void Take(std::string_view name, std::size_t place) {
    if (!name.empty() && is_name_(name)) found_.push_back({place, name});
  }

  const std::function<bool(std::string_view)>& is_name_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<std::string> NamedResources(std::string_view words, const std::function<bool(std::string_view)>& is_name) {
  words = words.substr(0, kMostRead);
  Finder finder(is_name);
  finder.Quoted(words);
  finder.BeforeColons(words);
  return finder.InOrder();
}

}  // namespace xdscope::cli
