#include "lib/protocol/names.h"

#include <algorithm>
#include <vector>

namespace xdscope::protocol {
namespace {

// An xdstp name taken apart at its '?'. Directives ('#') belong to locators and never travel in a name (B.4-1).
struct Parts {
  std::string_view path;
  std::string_view parameters;
};

Parts Split(std::string_view name) {
  const std::size_t mark = name.find('?');
  if (mark == std::string_view::npos) return {name, {}};
  return {name.substr(0, mark), name.substr(mark + 1)};
}

std::vector<std::string_view> SplitParameters(std::string_view parameters) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t end = parameters.find('&');
    result.push_back(parameters.substr(0, end));
    if (end == std::string_view::npos) return result;
    parameters.remove_prefix(end + 1);
  }
}

}  // namespace

bool IsXdstp(std::string_view name) {
  return name.starts_with("xdstp://");
}

std::string_view NormalName(std::string_view name, std::string* room) {
  if (!IsXdstp(name) || name.find('&') == std::string_view::npos) return name;
  const Parts parts = Split(name);
  std::vector<std::string_view> parameters = SplitParameters(parts.parameters);
  if (std::is_sorted(parameters.begin(), parameters.end())) return name;
  std::sort(parameters.begin(), parameters.end());
  room->assign(parts.path);
  char separator = '?';
  for (const std::string_view parameter : parameters) {
    room->push_back(separator);
    room->append(parameter);
    separator = '&';
  }
  return *room;
}

std::string_view AuthorityOf(std::string_view name) {
  if (!IsXdstp(name)) return {};
  name.remove_prefix(std::string_view("xdstp://").size());
  return name.substr(0, name.find('/'));
}

bool IsGlob(std::string_view name) {
  return IsXdstp(name) && Split(name).path.ends_with("/*");
}

std::string GlobOver(std::string_view name) {
  const Parts parts = Split(name);
  std::string glob(FolderOf(name));
  glob.push_back('*');
  if (!parts.parameters.empty()) glob.append("?").append(parts.parameters);
  return glob;
}

std::string_view FolderOf(std::string_view name) {
  const std::string_view path = Split(name).path;
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace xdscope::protocol
