// The answer that a client gives to what came, by a policy that can be said in one line. Knows findings and versions;
// finds nothing itself.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "lib/session/session.h"
#include "lib/source/update.h"

namespace xdscope::client {

struct JudgePolicy {
  // To a response in which something was found.
  enum class OnInvalid {
    kAck,      // looking must not disturb a control plane
    kNack,     // as Envoy
    kPartial,  // as gRPC: refused, and what is good in it used
  };
  OnInvalid on_invalid = OnInvalid::kAck;
  bool nack_all = false;          // refuse every response, once per version: sent again it gets no answer
  std::string nack_message = {};  // of every refusal; empty: what was found
};

class Judge {
 public:
  explicit Judge(JudgePolicy policy) : policy_(std::move(policy)) {}

  session::Verdict operator()(const source::Update& update);

 private:
  session::Verdict RefuseOnce(const source::Update& update);

  JudgePolicy policy_;
  std::set<std::pair<std::string, std::string>> refused_;  // type and version
};

// "NAME: what; NAME: what": the findings as a NACK says them.
std::string Summary(const std::vector<finding::Finding>& findings);

}  // namespace xdscope::client
