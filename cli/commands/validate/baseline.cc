#include "cli/commands/validate/baseline.h"

#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "lib/format/json_reader.h"

namespace xdscope::cli {
namespace {

using encode::Node;
using encode::NodeKind;

absl::Status Fault(std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, what);
}

}  // namespace

absl::StatusOr<std::set<std::string, std::less<>>> ReadBaseline(std::string_view text) {
  std::set<std::string, std::less<>> fingerprints;
  const auto add = [&fingerprints](const Node& finding) {
    const Node fingerprint = finding.Find("fingerprint");
    if (fingerprint.valid()) fingerprints.emplace(fingerprint.text());
  };
  encode::Findings faults(1);
  format::JsonReader reader(text, &faults);
  bool is_report = false;
  while (reader.Peek() != 0) {
    encode::Tree tree;
    if (!reader.Value(&tree)) break;
    const Node findings = tree.root().Find("findings");
    is_report = is_report || findings.valid() || tree.root().Find("summary").valid();
    add(tree.root());
    if (!findings.valid()) continue;
    for (encode::Children finding(findings); finding.Next();) add(finding.value());
  }
  if (!reader.ok()) return Fault("is no JSON");
  if (!is_report) return Fault("is no report of validate, as -o json or -o ndjson print it");
  return fingerprints;
}

}  // namespace xdscope::cli
