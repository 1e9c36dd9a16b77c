#include "lib/client/judge.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "lib/base/status.h"

namespace xdscope::client {
namespace {

// The rules whose breach makes a resource bad; what breaks another is for the eye only.
constexpr std::string_view kBadResource[] = {"XDS-S007", "XDS-S008", "XDS-S010", "XDS-S012", "XDS-S014", "XDS-S016"};

// What an update says, by names and versions. A delta server need not give the state a version, so those of the
// resources count too.
std::size_t DigestOf(const source::Update& update) {
  std::size_t digest = absl::HashOf(update.type_url, update.version);
  for (const resource::Resource& resource : update.resources) {
    digest = absl::HashOf(digest, resource.name, resource.version);
  }
  for (const source::Absence& absence : update.absences) digest = absl::HashOf(digest, absence.name);
  return digest;
}

}  // namespace

// ---- Checkers.

bool IsReasonToRefuse(const finding::Finding& finding) {
  return finding.severity == finding::Severity::kError &&
         std::find(std::begin(kBadResource), std::end(kBadResource), finding.rule) != std::end(kBadResource);
}

void CheckProtocol(const source::Update& update, std::vector<finding::Finding>* findings) {
  std::copy_if(update.findings.begin(), update.findings.end(), std::back_inserter(*findings), IsReasonToRefuse);
}

void CheckDecoding(const source::Update& update, std::vector<finding::Finding>* findings) {
  for (std::size_t i = 0; i < update.resources.size(); ++i) {
    const resource::Resource& resource = update.resources[i];
    if (resource.message.status().code() != absl::StatusCode::kDataLoss) continue;
    findings->push_back({.rule = "XDS-S012",
                         .type_url = update.type_url,
                         .resource = resource.unnamed ? std::string() : resource.name,
                         .entry = i,
                         .message = std::string(base::Message(resource.message.status()))});
  }
}

// ---- Policy.

std::string Summary(const std::vector<finding::Finding>& findings) {
  std::string summary;
  for (const finding::Finding& finding : findings) {
    if (!summary.empty()) summary += "; ";
    if (!finding.resource.empty()) summary.append(finding.resource).append(": ");
    summary += finding::ToText(finding);
  }
  return summary;
}

protocol::Verdict VerdictOn(const JudgePolicy& policy, const std::vector<finding::Finding>& findings) {
  using OnInvalid = JudgePolicy::OnInvalid;
  const std::string words = !policy.nack_message.empty() ? policy.nack_message
                            : findings.empty()           ? "refused by xdscope --nack"
                                                         : Summary(findings);
  if (policy.nack_all) return protocol::Verdict::Nack(words);
  if (findings.empty() || policy.on_invalid == OnInvalid::kAck) return protocol::Verdict::Ack();
  if (policy.on_invalid == OnInvalid::kNack) return protocol::Verdict::Nack(words);
  std::vector<std::string> refused;
  for (const finding::Finding& finding : findings) refused.push_back(finding.resource);
  return protocol::Verdict::Partly(words, std::move(refused));
}

bool Judge::IsRepeated(const source::Update& update) {
  if (refused_.size() >= kMostRefused) refused_.clear();
  return !refused_.insert(DigestOf(update)).second;
}

Judgement Judge::operator()(const source::Update& update) {
  Judgement judgement;
  for (const Checker& check : checkers_) check(update, &judgement.findings);
  if (policy_.nack_all && IsRepeated(update)) return judgement;
  judgement.verdict = VerdictOn(policy_, judgement.findings);
  return judgement;
}

}  // namespace xdscope::client
