// Each kind of rule, by a value that keeps it and one that breaks it. One row is a message with one field `f`.
#include <gmock/gmock.h>

#include <set>

#include "lib/encode/visit.h"
#include "lib/finding/pgv_rules.h"
#include "lib/rules/pgv.h"
#include "lib/wire/message.h"
#include "tests/fake/text_messages.h"
#include "tests/unit/rules/rules_schema.h"

namespace xdscope::rules {
namespace {

struct Case {
  std::string field;    // as in the body of a message
  std::string message;  // in protobuf's text format
  std::string broken;   // the rules that are broken, in the order of the report
};

// Of the families of numbers only the way from bytes to a number differs: each is tried with bounds.
const Case kNumbers[] = {
    {"float f = 1 [(validate.rules).float = {gt: 1.5}];", "f: 1.5", "pgv.float.gt"},
    {"float f = 1 [(validate.rules).float = {gt: 1.5}];", "f: 1.6", ""},
    {"float f = 1 [(validate.rules).float = {gt: 1.5}];", "f: nan", ""},
    {"double f = 1 [(validate.rules).double = {gte: -1, lte: 1}];", "f: 1.01", "pgv.double.lte"},
    {"double f = 1 [(validate.rules).double = {gte: -1, lte: 1}];", "f: -1", ""},
    {"double f = 1 [(validate.rules).double = {gte: 1, lte: 2}];", "f: nan", ""},
    {"double f = 1 [(validate.rules).double = {in: [0.5, 2]}];", "f: 2", ""},
    {"double f = 1 [(validate.rules).double = {in: [0.5, 2]}];", "f: 3", "pgv.double.in"},
    {"int32 f = 1 [(validate.rules).int32 = {lt: 0}];", "f: -1", ""},
    {"int32 f = 1 [(validate.rules).int32 = {lt: 0}];", "", "pgv.int32.lt"},
    {"int64 f = 1 [(validate.rules).int64 = {gte: -5}];", "f: -6", "pgv.int64.gte"},
    {"uint32 f = 1 [(validate.rules).uint32 = {gte: 1}];", "", "pgv.uint32.gte"},
    {"uint32 f = 1 [(validate.rules).uint32 = {gte: 1}];", "f: 1", ""},
    {"uint32 f = 1 [(validate.rules).uint32 = {gte: 1, ignore_empty: true}];", "f: 0", ""},
    {"uint32 f = 1 [(validate.rules).uint32 = {gte: 3, ignore_empty: true}];", "f: 2", "pgv.uint32.gte"},
    {"uint32 f = 1 [(validate.rules).uint32 = {lte: 4294967294}];", "f: 4294967295", "pgv.uint32.lte"},
    {"uint64 f = 1 [(validate.rules).uint64 = {gt: 9223372036854775807}];", "f: 9223372036854775808", ""},
    {"uint64 f = 1 [(validate.rules).uint64 = {gt: 9223372036854775807}];", "f: 1", "pgv.uint64.gt"},
    {"sint32 f = 1 [(validate.rules).sint32 = {gte: -2}];", "f: -3", "pgv.sint32.gte"},
    {"sint64 f = 1 [(validate.rules).sint64 = {not_in: [-7, 7]}];", "f: -7", "pgv.sint64.not_in"},
    {"fixed32 f = 1 [(validate.rules).fixed32 = {const: 7}];", "f: 8", "pgv.fixed32.const"},
    {"fixed64 f = 1 [(validate.rules).fixed64 = {const: 7}];", "f: 7", ""},
    {"sfixed32 f = 1 [(validate.rules).sfixed32 = {lt: -1}];", "f: -1", "pgv.sfixed32.lt"},
    {"sfixed64 f = 1 [(validate.rules).sfixed64 = {lt: -1}];", "f: -2", ""},
    {"bool f = 1 [(validate.rules).bool = {const: true}];", "", "pgv.bool.const"},
    {"bool f = 1 [(validate.rules).bool = {const: true}];", "f: true", ""},
    // A range that is turned inside out forbids what is between its ends, and that is one rule.
    {"int32 f = 1 [(validate.rules).int32 = {lt: 1, gte: 5}];", "f: 1", "pgv.int32.gte"},
    {"int32 f = 1 [(validate.rules).int32 = {lt: 1, gte: 5}];", "f: 4", "pgv.int32.gte"},
    {"int32 f = 1 [(validate.rules).int32 = {lt: 1, gte: 5}];", "f: 0", ""},
    {"int32 f = 1 [(validate.rules).int32 = {lt: 1, gte: 5}];", "f: 5", ""},
    // Presence: an `optional` field that is absent has no value.
    {"optional uint32 f = 1 [(validate.rules).uint32 = {gte: 1}];", "", ""},
    {"optional uint32 f = 1 [(validate.rules).uint32 = {gte: 1}];", "f: 0", "pgv.uint32.gte"},
};

const Case kTexts[] = {
    {"string f = 1 [(validate.rules).string = {const: \"a\"}];", "f: \"b\"", "pgv.string.const"},
    {"string f = 1 [(validate.rules).string = {len: 2}];", "f: \"äö\"", ""},
    {"string f = 1 [(validate.rules).string = {len: 2}];", "f: \"abc\"", "pgv.string.len"},
    {"string f = 1 [(validate.rules).string = {min_len: 1}];", "", "pgv.string.min_len"},
    {"string f = 1 [(validate.rules).string = {min_len: 2, max_len: 3}];", "f: \"ä\"", "pgv.string.min_len"},
    {"string f = 1 [(validate.rules).string = {min_len: 2, max_len: 3}];", "f: \"abcd\"", "pgv.string.max_len"},
    {"string f = 1 [(validate.rules).string = {min_len: 2, max_len: 2}];", "f: \"abcd\"", "pgv.string.min_len"},
    {"string f = 1 [(validate.rules).string = {len_bytes: 2}];", "f: \"ä\"", ""},
    {"string f = 1 [(validate.rules).string = {len_bytes: 2}];", "f: \"a\"", "pgv.string.len_bytes"},
    {"string f = 1 [(validate.rules).string = {min_bytes: 2}];", "f: \"ä\"", ""},
    {"string f = 1 [(validate.rules).string = {min_bytes: 3}];", "f: \"ä\"", "pgv.string.min_bytes"},
    {"string f = 1 [(validate.rules).string = {max_bytes: 2}];", "f: \"äb\"", "pgv.string.max_bytes"},
    {"string f = 1 [(validate.rules).string = {min_len: 3, ignore_empty: true}];", "", ""},
    {"string f = 1 [(validate.rules).string = {min_len: 3, ignore_empty: true}];", "f: \"ab\"", "pgv.string.min_len"},
    {"string f = 1 [(validate.rules).string = {pattern: \"[a-f]{2}\"}];", "f: \"ab\"", ""},
    {"string f = 1 [(validate.rules).string = {pattern: \"[a-f]{2}\"}];", "f: \"abx\"", "pgv.string.pattern"},
    {"string f = 1 [(validate.rules).string = {prefix: \"/\"}];", "f: \"a\"", "pgv.string.prefix"},
    {"string f = 1 [(validate.rules).string = {suffix: \"/\"}];", "f: \"a\"", "pgv.string.suffix"},
    {"string f = 1 [(validate.rules).string = {contains: \"b\"}];", "f: \"a\"", "pgv.string.contains"},
    {"string f = 1 [(validate.rules).string = {not_contains: \"a\"}];", "f: \"a\"", "pgv.string.not_contains"},
    {"string f = 1 [(validate.rules).string = {in: [\"a\", \"b\"]}];", "f: \"c\"", "pgv.string.in"},
    {"string f = 1 [(validate.rules).string = {in: [\"a\", \"b\"]}];", "f: \"b\"", ""},
    {"string f = 1 [(validate.rules).string = {not_in: [\"a\"]}];", "f: \"a\"", "pgv.string.not_in"},
    {"string f = 1 [(validate.rules).string = {email: true}];", "f: \"a.b.c\"", "pgv.string.email"},
    {"string f = 1 [(validate.rules).string = {hostname: true}];", "f: \"a_b\"", "pgv.string.hostname"},
    {"string f = 1 [(validate.rules).string = {ip: true}];", "f: \"::1\"", ""},
    {"string f = 1 [(validate.rules).string = {ip: true}];", "f: \"1.2.3\"", "pgv.string.ip"},
    {"string f = 1 [(validate.rules).string = {ipv4: true}];", "f: \"::1\"", "pgv.string.ipv4"},
    {"string f = 1 [(validate.rules).string = {ipv6: true}];", "f: \"1.2.3.4\"", "pgv.string.ipv6"},
    {"string f = 1 [(validate.rules).string = {uri: true}];", "f: \"/a\"", "pgv.string.uri"},
    {"string f = 1 [(validate.rules).string = {uri_ref: true}];", "f: \"/a\"", ""},
    {"string f = 1 [(validate.rules).string = {uri_ref: true}];", "f: \"a%zz\"", "pgv.string.uri_ref"},
    {"string f = 1 [(validate.rules).string = {address: true}];", "f: \"a b\"", "pgv.string.address"},
    {"string f = 1 [(validate.rules).string = {uuid: true}];", "f: \"x\"", "pgv.string.uuid"},
    {"string f = 1 [(validate.rules).string = {well_known_regex: HTTP_HEADER_NAME}];", "f: \"a b\"",
     "pgv.string.well_known_regex"},
    {"string f = 1 [(validate.rules).string = {well_known_regex: HTTP_HEADER_NAME}];", "",
     "pgv.string.well_known_regex"},
    {"string f = 1 [(validate.rules).string = {well_known_regex: HTTP_HEADER_VALUE}];", "f: \"a\\001\"",
     "pgv.string.well_known_regex"},
    {"string f = 1 [(validate.rules).string = {well_known_regex: HTTP_HEADER_NAME, strict: false}];", "f: \"a b\"", ""},
    {"string f = 1 [(validate.rules).string = {well_known_regex: HTTP_HEADER_NAME, strict: false}];", "f: \"a\\n\"",
     "pgv.string.well_known_regex"},
    {"bytes f = 1 [(validate.rules).bytes = {const: \"a\"}];", "f: \"b\"", "pgv.bytes.const"},
    {"bytes f = 1 [(validate.rules).bytes = {len: 2}];", "f: \"abc\"", "pgv.bytes.len"},
    {"bytes f = 1 [(validate.rules).bytes = {min_len: 2}];", "f: \"\\377\\377\"", ""},
    {"bytes f = 1 [(validate.rules).bytes = {max_len: 2}];", "f: \"abc\"", "pgv.bytes.max_len"},
    {"bytes f = 1 [(validate.rules).bytes = {pattern: \"^[\\\\x80-\\\\xff]+$\"}];", "f: \"\\377\\200\"", ""},
    {"bytes f = 1 [(validate.rules).bytes = {pattern: \"a*\"}];", "f: \"ab\"", "pgv.bytes.pattern"},
    {"bytes f = 1 [(validate.rules).bytes = {prefix: \"a\"}];", "f: \"ba\"", "pgv.bytes.prefix"},
    {"bytes f = 1 [(validate.rules).bytes = {suffix: \"a\"}];", "f: \"ab\"", "pgv.bytes.suffix"},
    {"bytes f = 1 [(validate.rules).bytes = {contains: \"a\"}];", "f: \"b\"", "pgv.bytes.contains"},
    {"bytes f = 1 [(validate.rules).bytes = {in: [\"a\"]}];", "f: \"b\"", "pgv.bytes.in"},
    {"bytes f = 1 [(validate.rules).bytes = {not_in: [\"a\"]}];", "f: \"a\"", "pgv.bytes.not_in"},
    {"bytes f = 1 [(validate.rules).bytes = {ip: true}];", "f: \"abc\"", "pgv.bytes.ip"},
    {"bytes f = 1 [(validate.rules).bytes = {ipv4: true}];", "f: \"abcd\"", ""},
    {"bytes f = 1 [(validate.rules).bytes = {ipv6: true}];", "f: \"abcd\"", "pgv.bytes.ipv6"},
};

const Case kMessages[] = {
    {"enum E { A = 0; B = 1; } E f = 1 [(validate.rules).enum = {const: 1}];", "f: A", "pgv.enum.const"},
    {"enum E { A = 0; B = 1; } E f = 1 [(validate.rules).enum = {defined_only: true}];", "f: 7",
     "pgv.enum.defined_only"},
    {"enum E { A = 0; B = 1; } E f = 1 [(validate.rules).enum = {in: [1]}];", "", "pgv.enum.in"},
    {"enum E { A = 0; B = 1; } E f = 1 [(validate.rules).enum = {not_in: [0]}];", "f: B", ""},
    {"message N {} N f = 1 [(validate.rules).message.required = true];", "", "pgv.message.required"},
    {"message N {} N f = 1 [(validate.rules).message.required = true];", "f {}", ""},
    {"message N {} optional N f = 1 [(validate.rules).message.required = true];", "", ""},
    {"message N {} oneof o { N f = 1 [(validate.rules).message.required = true]; N g = 2; }", "g {}", ""},
    {"message N { string g = 1 [(validate.rules).string.min_len = 1]; } N f = 1;", "f {}", "pgv.string.min_len"},
    {"message N { string g = 1 [(validate.rules).string.min_len = 1]; } N f = 1;", "", ""},
    {"message N { string g = 1 [(validate.rules).string.min_len = 1]; } N f = 1 [(validate.rules).message.skip = "
     "true];",
     "f {}", ""},
    {"message N { option (validate.disabled) = true; string g = 1 [(validate.rules).string.min_len = 1]; } N f = 1;",
     "f {}", ""},
    {"message N { option (validate.ignored) = true; message P { string g = 1 [(validate.rules).string.min_len = 1]; }"
     " P p = 1; } N f = 1;",
     "f { p {} }", ""},
    {"oneof o { option (validate.required) = true; string f = 1; string g = 2; }", "", "pgv.oneof.required"},
    {"oneof o { option (validate.required) = true; string f = 1; string g = 2; }", "g: \"\"", ""},
    {"oneof o { string f = 1 [(validate.rules).string.min_len = 1]; string g = 2; }", "f: \"\"", "pgv.string.min_len"},
    {"oneof o { string f = 1 [(validate.rules).string.min_len = 1]; string g = 2; }", "g: \"\"", ""},
    {"google.protobuf.UInt32Value f = 1 [(validate.rules).uint32.gte = 1];", "", ""},
    {"google.protobuf.UInt32Value f = 1 [(validate.rules).uint32.gte = 1];", "f {}", "pgv.uint32.gte"},
    {"google.protobuf.UInt32Value f = 1 [(validate.rules).uint32.gte = 1];", "f { value: 1 }", ""},
    {"google.protobuf.UInt32Value f = 1 [(validate.rules) = {uint32: {gte: 1} message: {required: true}}];", "",
     "pgv.message.required"},
    {"google.protobuf.StringValue f = 1 [(validate.rules).string.min_len = 1];", "f {}", "pgv.string.min_len"},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration.required = true];", "", "pgv.duration.required"},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {gt: {}}];", "", ""},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {gt: {}}];", "f {}", "pgv.duration.gt"},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {gt: {}}];", "f { nanos: 1 }", ""},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {lt: {seconds: 4294967296}}];",
     "f { seconds: 4294967295 nanos: 999999999 }", ""},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {lte: {}, gte: {nanos: 1000000}}];",
     "f { nanos: 999999 }", "pgv.duration.gte"},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {const: {seconds: 1}}];", "f { seconds: 2 }",
     "pgv.duration.const"},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {in: [{seconds: 1}, {seconds: 2}]}];",
     "f { seconds: 3 }", "pgv.duration.in"},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {not_in: [{seconds: 1}]}];", "f { seconds: 1 }",
     "pgv.duration.not_in"},
    {"google.protobuf.Duration f = 1 [(validate.rules).duration = {gt: {}}];", "f { seconds: 1 nanos: 1000000000 }",
     "pgv.duration.valid"},
    {"google.protobuf.Timestamp f = 1 [(validate.rules).timestamp.required = true];", "", "pgv.timestamp.required"},
    {"google.protobuf.Timestamp f = 1 [(validate.rules).timestamp = {gte: {seconds: 9}}];", "f { seconds: 8 }",
     "pgv.timestamp.gte"},
    {"google.protobuf.Any f = 1 [(validate.rules).any.required = true];", "", "pgv.any.required"},
    {"google.protobuf.Any f = 1 [(validate.rules).any = {in: [\"x/a\"]}];", "f { type_url: \"x/b\" }", "pgv.any.in"},
    {"google.protobuf.Any f = 1 [(validate.rules).any = {not_in: [\"x/b\"]}];", "f { type_url: \"x/b\" }",
     "pgv.any.not_in"},
    {"google.protobuf.Any f = 1 [(validate.rules).any = {not_in: [\"x/b\"]}];", "f { type_url: \"x/a\" }", ""},
};

const Case kMany[] = {
    {"repeated string f = 1 [(validate.rules).repeated.min_items = 1];", "", "pgv.repeated.min_items"},
    {"repeated string f = 1 [(validate.rules).repeated.max_items = 1];", "f: \"a\" f: \"b\"", "pgv.repeated.max_items"},
    {"repeated string f = 1 [(validate.rules).repeated = {min_items: 2, ignore_empty: true}];", "", ""},
    {"repeated string f = 1 [(validate.rules).repeated = {min_items: 2, ignore_empty: true}];", "f: \"a\"",
     "pgv.repeated.min_items"},
    {"repeated string f = 1 [(validate.rules).repeated.unique = true];", "f: \"a\" f: \"b\" f: \"a\" f: \"a\"",
     "pgv.repeated.unique pgv.repeated.unique"},
    {"repeated uint32 f = 1 [(validate.rules).repeated.items.uint32.gte = 2];", "f: 1 f: 2 f: 0",
     "pgv.uint32.gte pgv.uint32.gte"},
    {"message N { string g = 1 [(validate.rules).string.min_len = 1]; }"
     " repeated N f = 1 [(validate.rules).repeated.items.message.skip = true];",
     "f {}", ""},
    {"message N { string g = 1 [(validate.rules).string.min_len = 1]; } repeated N f = 1;", "f {} f { g: \"a\" }",
     "pgv.string.min_len"},
    {"map<string, string> f = 1 [(validate.rules).map.min_pairs = 1];", "", "pgv.map.min_pairs"},
    {"map<string, string> f = 1 [(validate.rules).map.max_pairs = 1];", "f { key: \"a\" } f { key: \"b\" }",
     "pgv.map.max_pairs"},
    {"map<string, string> f = 1 [(validate.rules).map.keys.string.min_len = 1];", "f { value: \"x\" }",
     "pgv.string.min_len"},
    {"map<string, string> f = 1 [(validate.rules).map.values.string.min_len = 1];", "f { key: \"x\" }",
     "pgv.string.min_len"},
    {"message N { string g = 1 [(validate.rules).string.min_len = 1]; } map<string, N> f = 1;",
     "f { key: \"x\" value {} }", "pgv.string.min_len"},
    {"message N { string g = 1 [(validate.rules).string.min_len = 1]; }"
     " map<string, N> f = 1 [(validate.rules).map.values.message.skip = true];",
     "f { key: \"x\" value {} }", ""},
    {"map<string, N> f = 1 [(validate.rules).map.no_sparse = true]; message N {}", "f { key: \"x\" }", ""},
};

class PgvValuesTest : public testing::TestWithParam<std::span<const Case>> {};

TEST_P(PgvValuesTest, EachRuleHoldsForWhatKeepsItAndNotForWhatBreaksIt) {
  std::string messages;
  for (std::size_t i = 0; i < GetParam().size(); ++i) {
    messages += "message M" + std::to_string(i) + " { " + GetParam()[i].field + " }\n";
  }
  const schema::Schema schema = SchemaWith(messages);
  wire::Types types(schema);
  Pgv pgv(types);
  fake::TextMessages texts(schema);
  for (std::size_t i = 0; i < GetParam().size(); ++i) {
    const Case& test = GetParam()[i];
    const std::string name = "t.M" + std::to_string(i);
    const std::string bytes = texts.Bytes(name, test.message);
    const absl::StatusOr<wire::Message> message = wire::Decode(bytes, *types.Find(name));
    ASSERT_TRUE(message.ok());
    finding::Sample sample;
    Report report(types, sample);
    encode::Visit(message->view(), types, [&](const encode::Visited& at) {
      pgv.Check(at, &report);
      return true;
    });
    std::string broken;
    for (const finding::Finding& finding : sample.kept()) {
      broken += (broken.empty() ? "" : " ") + std::string(finding.rule);
    }
    EXPECT_EQ(broken, test.broken) << test.field << " with " << test.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, PgvValuesTest, testing::Values(std::span<const Case>(kNumbers)));
INSTANTIATE_TEST_SUITE_P(Texts, PgvValuesTest, testing::Values(std::span<const Case>(kTexts)));
INSTANTIATE_TEST_SUITE_P(Messages, PgvValuesTest, testing::Values(std::span<const Case>(kMessages)));
INSTANTIATE_TEST_SUITE_P(Many, PgvValuesTest, testing::Values(std::span<const Case>(kMany)));

// The rules that differ only in their family are tried by the first family that has them.
TEST(PgvRulesTest, EachRuleOfTheTablesIsBrokenByACase) {
  std::set<std::string> broken;
  const std::span<const Case> all[] = {kNumbers, kTexts, kMessages, kMany};
  for (const std::span<const Case> cases : all) {
    for (const Case& test : cases) broken.insert(test.broken.substr(test.broken.find_last_of('.') + 1));
  }
  for (const finding::Rule& rule : finding::PgvRules()) {
    EXPECT_TRUE(broken.contains(std::string(rule.id.substr(rule.id.find_last_of('.') + 1)))) << rule.id;
  }
}

}  // namespace
}  // namespace xdscope::rules
