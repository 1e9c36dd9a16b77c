#include "lib/session/session.h"

#include <string_view>

namespace xdscope::session {
namespace {

absl::Status Refuse(protocol::AdsSession& ads, protocol::ResponseId id, const Verdict& verdict) {
  if (!verdict.partial) return ads.Nack(id, verdict.message);
  std::vector<std::string_view> refused;
  for (const finding::Finding& finding : verdict.findings) refused.push_back(finding.resource);
  return ads.NackPartly(id, verdict.message, refused);
}

absl::Status Answer(protocol::AdsSession& ads, protocol::ResponseId id, const Verdict& verdict) {
  switch (verdict.answer) {
    case Verdict::Answer::kAck:
      return ads.Ack(id);
    case Verdict::Answer::kNack:
      return Refuse(ads, id, verdict);
    case Verdict::Answer::kWithhold:
      return ads.Withhold(id);
    case Verdict::Answer::kLater:
      break;
  }
  return absl::OkStatus();
}

}  // namespace

Verdict AnswerResponse(protocol::AdsSession& ads, const Judge& judge, const protocol::Response& response) {
  Verdict verdict;
  verdict.answer = Verdict::Answer::kWithhold;
  if (!response.expects_answer) return verdict;
  verdict = judge(response);
  // Fails only for a response that waits for no answer, and this one has just come.
  (void)Answer(ads, response.id, verdict);
  return verdict;
}

}  // namespace xdscope::session
