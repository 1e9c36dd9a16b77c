#include "lib/client/rule_checker.h"

#include <algorithm>

#include "lib/client/judge.h"
#include "lib/finding/rules.h"
#include "lib/finding/sample.h"

namespace xdscope::client {

namespace {

// What gRPC alone does not do is no business of the others.
bool IsAboutGrpcAlone(const finding::Finding& finding) {
  const finding::Rule* const rule = finding::FindRule(finding.rule);
  return rule != nullptr && rule->client == finding::Client::kGrpc;
}

}  // namespace

RuleChecker::Result RuleChecker::Check(const source::Update& update) {
  Result result;
  const bool all = depth_ == rules::Depth::kAll;
  finding::Sample errors;
  finding::Sample remarks;
  for (std::size_t i = 0; i < update.resources.size(); ++i) {
    const resource::Resource& resource = update.resources[i];
    if (!resource.message.ok()) continue;
    const std::string name = resource.unnamed ? std::string() : resource.name;
    finding::Sample of_resource;
    inspector_.Inspect({update.type_url, name, i}, resource.message->view(), &of_resource);
    bool bad = false;
    for (const finding::Finding& finding : of_resource.kept()) {
      if (IsAboutGrpcAlone(finding)) continue;
      const bool is_error = all ? finding.severity == finding::Severity::kError : IsReasonToRefuse(finding);
      if (is_error || all) (is_error ? errors : remarks).Add(finding);
      bad |= is_error;
    }
    if (bad) result.bad.push_back(name);
  }
  result.errors = errors.Take();
  result.remarks = remarks.Take();
  return result;
}

}  // namespace xdscope::client
