// Checks by example: a resource in YAML that breaks a rule, and one that keeps it.
#pragma once

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/format/read.h"
#include "lib/rules/inspector.h"
#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "tests/fake/messages.h"

namespace xdscope::rules {

struct Example {
  std::string_view rule;
  std::string_view type_url;
  std::string_view bad;      // a resource in YAML
  std::string_view finding;  // "PATH: message"
  std::string_view good;     // another one, in which the rule is kept
};

// The rules that have a row in one of the tables of examples, for catalogue_test.cc.
inline std::set<std::string_view>& RulesWithExamples() {
  static std::set<std::string_view> rules;
  return rules;
}

// Notes the rules of a table; to be called before main().
template <typename Table>
bool NoteRules(const Table& table) {
  for (const auto& example : table) RulesWithExamples().insert(example.rule);
  return true;
}

class ExamplesTest : public testing::TestWithParam<Example> {
 protected:
  // "PATH: message" of each finding of a rule in a resource.
  std::vector<std::string> Findings(std::string_view rule, std::string_view type_url, std::string_view yaml) {
    std::vector<std::string> lines;
    for (const finding::Finding& finding : Inspect(type_url, yaml)) {
      if (finding.rule == rule) lines.push_back(finding::ToText(finding.path) + ": " + finding.message);
    }
    return lines;
  }

  std::vector<finding::Finding> Inspect(std::string_view type_url, std::string_view yaml) {
    const format::ReadFile file =
        format::Read(yaml, format::Format::kYaml, {.bare_type = std::string(type_url)}, types_);
    for (const finding::Finding& finding : file.findings) ADD_FAILURE() << finding::ToText(finding) << " in\n" << yaml;
    finding::Sample sample;
    for (const format::ReadResource& resource : file.resources) {
      const absl::StatusOr<wire::Message> message = wire::Decode(resource.bytes, *types_.Find(resource.type_url));
      EXPECT_TRUE(message.ok()) << message.status();
      inspector_.Inspect({resource.type_url, "r"}, message->view(), &sample);
    }
    return sample.Take();
  }

  // Expects that the bad resource has this finding, and the good one none of the rule.
  void ExpectHolds(const Example& example) {
    EXPECT_THAT(Findings(example.rule, example.type_url, example.bad), testing::Contains(example.finding))
        << example.rule;
    EXPECT_THAT(Findings(example.rule, example.type_url, example.good), testing::IsEmpty()) << example.rule;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  Inspector inspector_{types_};
};

}  // namespace xdscope::rules
