#include "lib/finding/reading_rules.h"

#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

constexpr Rule kRules[] = {
    {kNotAResourceRule, Severity::kError, "A file is a discovery response, a resource, or a list of resources."},
    {kBinaryCutOffRule, Severity::kError, "A binary file parses to its last byte; Envoy applies what stands before."},
    {kDuplicateKeyRule, Severity::kWarning, "A map has each key once, and a message each singular field."},
    {kMergeKeyRule, Severity::kWarning, "YAML uses no merge keys: Envoy takes them for unknown fields."},
    {kNumberFormRule, Severity::kWarning, "A number in YAML is written in decimal: one like 010 is octal."},
    {kUnknownFieldRule, Severity::kWarning, "The schema has every field and every enum value that a file names."},
    {kUnknownTypeRule, Severity::kError, "The schema has the type of every Any."},
    {kNoTypeUrlRule, Severity::kError, "Every Any names its type."},
    {kTypeUrlFormRule, Severity::kError, "A type URL is type.googleapis.com/ and the full name of a message."},
    {kAnyBytesRule, Severity::kError, "The bytes of a binary Any are a message of the type that it names."},
    {kSyntaxRule, Severity::kError, "A text is well-formed in its format and in UTF-8."},
    {kLenientSyntaxRule, Severity::kWarning, "JSON keeps to the letter of its grammar, although Envoy takes more."},
    {kSeveralDocumentsRule, Severity::kWarning, "A file has one document: Envoy reads no further."},
    {kValueRule, Severity::kError, "A value fits the type of its field."},
    {kOneofRule, Severity::kError, "Of the fields of a oneof one is set, once."},
    {kListExpectedRule, Severity::kWarning, "The value of a repeated field is one flat list."},
    {kTooDeepRule, Severity::kError, "Values, messages and Anys nest no deeper than protobuf and the readers allow."},
    {kUnreadableFileRule, Severity::kError, "Every file of a folder can be read."},
    {kNoNameRule, Severity::kError, "A served resource has a name."},
};

}  // namespace

std::span<const Rule> ReadingRules() {
  return kRules;
}

}  // namespace xdscope::finding
