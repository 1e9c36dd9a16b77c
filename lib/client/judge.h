// The answer that a client gives to what came: checkers find what is wrong with an update, a policy that can be said in
// one line makes a verdict of the findings, and a judge joins the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/client/rule_checker.h"
#include "lib/finding/finding.h"
#include "lib/protocol/verdict.h"
#include "lib/source/update.h"
#include "lib/wire/type.h"

namespace xdscope::client {

// Adds what it finds wrong with an update, for which a client may refuse it.
using Checker = std::function<void(const source::Update& update, std::vector<finding::Finding>* findings)>;

// Finds resources that break a rule of the protocol: of a wrong type or API version, with a name twice or none, in a
// wrapper that cannot be read, delivered and removed at once, without payload though it is no heartbeat of what was
// sent last (B.2-18, B.2-20). Other broken rules are no reason to refuse anything.
void CheckProtocol(const source::Update& update, std::vector<finding::Finding>* findings);
// Finds resources whose bytes are not those of their type.
void CheckDecoding(const source::Update& update, std::vector<finding::Finding>* findings);

// Whether a finding of the source's own is one that CheckProtocol() reports.
bool IsReasonToRefuse(const finding::Finding& finding);

struct JudgePolicy {
  // What a client answers to an update in which something was found.
  enum class OnInvalid : std::uint8_t {
    kAck,      // looking must not disturb a control plane
    kNack,     // as Envoy
    kPartial,  // as gRPC: it is refused, and what is good in it used
  };
  OnInvalid on_invalid = OnInvalid::kAck;
  bool nack_all = false;          // refuse every update, once: sent again it gets no answer
  std::string nack_message = {};  // of every refusal; empty: what was found
};

// The verdict that the policy comes to. Depends on nothing else.
protocol::Verdict VerdictOn(const JudgePolicy& policy, const std::vector<finding::Finding>& findings);

// What was found, as a NACK says it: "NAME: what [RULE]; NAME: what [RULE]".
std::string Summary(const std::vector<finding::Finding>& findings);

// What a judge says of an update.
struct Judgement {
  std::vector<finding::Finding> findings;
  std::vector<finding::Finding> remarks = {};  // for which nobody refuses anything; of a judge by all rules alone
  std::optional<protocol::Verdict> verdict;    // nullopt: it gets no answer
  bool repeated = false;                       // the same was refused before: by its type, version, names
};

class Judge {
 public:
  explicit Judge(JudgePolicy policy, std::vector<Checker> checkers = {CheckProtocol, CheckDecoding})
      : policy_(std::move(policy)), checkers_(std::move(checkers)) {}
  // Judges what resources say too: as clients do on the spot, or by all rules. `types` must live longer.
  Judge(JudgePolicy policy, wire::Types& types, rules::Depth depth = rules::Depth::kRefusals)
      : Judge(std::move(policy)) {
    rules_.emplace(types, depth);
  }

  Judgement operator()(const source::Update& update);

 private:
  // Refused updates that are remembered, so that a stream of ever new ones does not grow.
  static constexpr std::size_t kMostRefused = 10'000;

  bool IsRepeated(const source::Update& update);

  JudgePolicy policy_;
  std::vector<Checker> checkers_;
  std::optional<RuleChecker> rules_;
  std::set<std::size_t> refused_;  // digests of what was refused
};

}  // namespace xdscope::client
