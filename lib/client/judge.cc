#include "lib/client/judge.h"

#include <algorithm>
#include <iterator>

#include "absl/hash/hash.h"
#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/finding/rules.h"
#include "lib/finding/sample.h"

namespace xdscope::client {
namespace {

bool IsUndecodable(const resource::Resource& resource) {
  return resource.message.status().code() == absl::StatusCode::kDataLoss;
}

std::string NameOf(const resource::Resource& resource) {
  return resource.unnamed ? std::string() : resource.name;
}

// Returns the names of all bad resources, of those too about which the findings were not kept.
std::vector<std::string> BadNames(const source::Update& update) {
  std::vector<std::string> names = update.bad;
  for (const resource::Resource& resource : update.resources) {
    if (IsUndecodable(resource)) names.push_back(NameOf(resource));
  }
  return names;
}

// What an update says, by names and versions. A delta server need not give the state a version, so those of the
// resources count too, and entries that are no resources show in what is wrong with them. Which of the resources were
// held already may be another matter the next time, so that they are added up.
std::size_t DigestOf(const source::Update& update) {
  std::size_t resources = 0;
  for (const auto& resource : update.resources) resources += absl::HashOf(resource.name, resource.version);
  for (const auto* same : update.same) resources += absl::HashOf(same->name, same->version);
  std::size_t digest = absl::HashOf(update.type_url, update.version, resources);
  for (const source::Absence& absence : update.absences) digest = absl::HashOf(digest, absence.name);
  for (const finding::Finding& finding : update.findings) {
    if (IsReasonToRefuse(finding)) digest = absl::HashOf(digest, finding.rule, finding.resource, finding.message);
  }
  return digest;
}

}  // namespace

// ---- Checkers.

bool IsReasonToRefuse(const finding::Finding& finding) {
  return finding.severity == finding::Severity::kError && finding::MakesBad(finding.rule);
}

void CheckProtocol(const source::Update& update, std::vector<finding::Finding>* findings) {
  std::copy_if(update.findings.begin(), update.findings.end(), std::back_inserter(*findings), IsReasonToRefuse);
}

void CheckDecoding(const source::Update& update, std::vector<finding::Finding>* findings) {
  finding::Sample sample;
  for (std::size_t i = 0; i < update.resources.size(); ++i) {
    const resource::Resource& resource = update.resources[i];
    if (!IsUndecodable(resource)) continue;
    finding::Finding* finding = sample.Add("XDS-S012");
    if (finding == nullptr) continue;
    finding->type_url = update.type_url;
    finding->resource = NameOf(resource);
    finding->entry = i;
    finding->message = base::Message(resource.message.status());
  }
  findings->insert(findings->end(), sample.kept().begin(), sample.kept().end());
}

// ---- Policy.

std::string Summary(const std::vector<finding::Finding>& findings) {
  std::string summary;
  for (const finding::Finding& finding : findings) {
    if (!summary.empty()) summary += "; ";
    if (!finding.resource.empty()) summary.append(finding.resource).append(": ");
    summary += finding::ToText(finding);
    if (finding.more > 0) summary += fmt::format(" and {} more", finding.more);
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
  std::vector<std::string> broken;
  if (rules_) {
    RuleChecker::Result result = rules_->Check(update);
    std::ranges::move(result.errors, std::back_inserter(judgement.findings));
    judgement.remarks = std::move(result.remarks);
    broken = std::move(result.bad);
  }
  judgement.verdict = VerdictOn(policy_, judgement.findings);
  if (judgement.verdict->kind != protocol::Verdict::Kind::kAck) judgement.repeated = IsRepeated(update);
  if (policy_.nack_all && judgement.repeated) judgement.verdict.reset();
  if (!judgement.verdict) return judgement;
  if (judgement.verdict->kind == protocol::Verdict::Kind::kPartly) {
    std::ranges::move(BadNames(update), std::back_inserter(judgement.verdict->refused));
    std::ranges::move(broken, std::back_inserter(judgement.verdict->refused));
  }
  return judgement;
}

}  // namespace xdscope::client
