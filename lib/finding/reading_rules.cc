#include "lib/finding/reading_rules.h"

#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

constexpr std::string_view kRefused = "Envoy refuses the whole file; the last good one stays in force";

// The severities are those of reading: what may be taken all the same is a warning here, even where it hides a mistake.
// Whoever judges for people, client::FileJudge, makes errors of those.
constexpr Rule kRules[] = {
    {kNotAResourceRule, Severity::kError, "A file is a discovery response, a resource, or a list of resources.",
     Client::kBoth, "Envoy reads discovery responses alone, and loads nothing of this"},
    {kBinaryCutOffRule, Severity::kError, "A binary file parses to its last byte; Envoy applies what stands before.",
     Client::kBoth, "Envoy takes this and applies what stands before it, unless a resource itself is cut"},
    {kSuffixRule, Severity::kError, "A file is written in the format that its suffix stands for.", Client::kBoth,
     "Envoy goes by the suffix: .pb binary, .pb_text text, .yaml and .yml YAML, all else JSON"},
    {kDuplicateKeyRule, Severity::kWarning, "A map has each key once, and a message each singular field.",
     Client::kBoth, "Envoy refuses the file"},
    {kMergeKeyRule, Severity::kWarning, "YAML uses no merge keys: Envoy takes them for unknown fields."},
    {kNumberFormRule, Severity::kWarning,
     "A number in YAML is written in decimal (010 is octal), and a text that looks like a number or boolean in "
     "quotes."},
    {kUnknownFieldRule, Severity::kWarning, "The schema has every field and every enum value that a file names.",
     Client::kBoth, kRefused},
    {kEmptyResponseRule, Severity::kWarning, "A discovery response lists resources.", Client::kBoth,
     "Envoy removes every cluster or listener that an earlier file had"},
    {kUnknownTypeRule, Severity::kError, "The schema has the type of every Any.", Client::kBoth, kRefused},
    {kNoTypeUrlRule, Severity::kError, "Every Any names its type.", Client::kBoth, kRefused},
    {kTypeUrlFormRule, Severity::kError, "A type URL is type.googleapis.com/ and the full name of a message.",
     Client::kBoth, kRefused},
    {kAnyBytesRule, Severity::kError, "The bytes of a binary Any are a message of the type that it names.",
     Client::kBoth, kRefused},
    {kSyntaxRule, Severity::kError, "A text is well-formed in its format and in UTF-8.", Client::kBoth, kRefused},
    {kLenientSyntaxRule, Severity::kWarning, "JSON keeps to the letter of its grammar, although Envoy takes more."},
    {kSeveralDocumentsRule, Severity::kWarning, "A file has one document: Envoy reads no further.", Client::kBoth,
     kRefused},
    {kValueRule, Severity::kError, "A value fits the type of its field.", Client::kBoth, kRefused},
    {kOneofRule, Severity::kError, "Of the fields of a oneof one is set, once.", Client::kBoth, kRefused},
    {kListExpectedRule, Severity::kWarning, "The value of a repeated field is one flat list."},
    {kTooDeepRule, Severity::kError, "Values, messages and Anys nest no deeper than protobuf and the readers allow."},
    {kOpenQuoteRule, Severity::kError, "A quote that is opened is closed.", Client::kBoth,
     "Envoy takes this and makes one text of the rest of the file; what stood there is gone"},
    {kUnreadableFileRule, Severity::kError, "Every file of a folder can be read."},
    {kNoNameRule, Severity::kError, "A served resource has a name."},
};

}  // namespace

std::span<const Rule> ReadingRules() {
  return kRules;
}

}  // namespace xdscope::finding
