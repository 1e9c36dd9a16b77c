#include "lib/client/rule_checker.h"

#include <algorithm>
#include <iterator>

#include "lib/client/judge.h"
#include "lib/finding/sample.h"

namespace xdscope::client {

std::vector<std::string> RuleChecker::Check(const source::Update& update, std::vector<finding::Finding>* findings) {
  std::vector<std::string> bad;
  finding::Sample all;
  for (std::size_t i = 0; i < update.resources.size(); ++i) {
    const resource::Resource& resource = update.resources[i];
    if (resource.is_held || !resource.message.ok()) continue;
    const std::string name = resource.unnamed ? std::string() : resource.name;
    finding::Sample of_resource;
    inspector_.Inspect({update.type_url, name, i}, resource.message->view(), &of_resource);
    const std::vector<finding::Finding>& found = of_resource.kept();
    if (std::any_of(found.begin(), found.end(), IsReasonToRefuse)) bad.push_back(name);
    for (const finding::Finding& finding : found) {
      if (IsReasonToRefuse(finding)) all.Add(finding);
    }
  }
  std::ranges::move(all.Take(), std::back_inserter(*findings));
  return bad;
}

}  // namespace xdscope::client
