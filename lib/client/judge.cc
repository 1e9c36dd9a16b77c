#include "lib/client/judge.h"

#include <fmt/format.h>

namespace xdscope::client {

using Answer = session::Verdict::Answer;

std::string Summary(const std::vector<finding::Finding>& findings) {
  std::string summary;
  for (const finding::Finding& finding : findings) {
    if (!summary.empty()) summary += "; ";
    summary += finding.resource.empty() ? finding.message : fmt::format("{}: {}", finding.resource, finding.message);
  }
  return summary;
}

session::Verdict Judge::operator()(const source::Update& update) {
  if (policy_.nack_all) return RefuseOnce(update);
  session::Verdict verdict;
  verdict.findings = update.findings;
  if (update.findings.empty() || policy_.on_invalid == JudgePolicy::OnInvalid::kAck) return verdict;
  verdict.answer = Answer::kNack;
  verdict.partial = policy_.on_invalid == JudgePolicy::OnInvalid::kPartial;
  verdict.message = policy_.nack_message.empty() ? Summary(update.findings) : policy_.nack_message;
  return verdict;
}

session::Verdict Judge::RefuseOnce(const source::Update& update) {
  session::Verdict verdict;
  verdict.findings = update.findings;
  const bool again = !refused_.emplace(update.type_url, update.version).second;
  verdict.answer = again ? Answer::kWithhold : Answer::kNack;
  verdict.message = !policy_.nack_message.empty() ? policy_.nack_message
                    : update.findings.empty()     ? "refused by xdscope --nack"
                                                  : Summary(update.findings);
  return verdict;
}

}  // namespace xdscope::client
