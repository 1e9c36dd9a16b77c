#include "lib/rules/description.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "lib/rules/annotations.h"
#include "lib/rules/extension_points.h"
#include "lib/rules/message_rules.h"
#include "lib/rules/type_facts.h"
#include "lib/types/known_types.h"

namespace xdscope::rules {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::SourceLocation;

// Returns the comment above a declaration, else the one behind it, without the blanks around it.
template <typename Described>
std::string CommentOf(const Described& descriptor) {
  SourceLocation location;
  if (!descriptor.GetSourceLocation(&location)) return {};
  std::string text = location.leading_comments.empty() ? location.trailing_comments : location.leading_comments;
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

std::string TypeNameOf(const FieldDescriptor& field) {
  if (field.message_type() != nullptr) return field.message_type()->full_name();
  return field.enum_type() != nullptr ? field.enum_type()->full_name() : std::string();
}

std::string SingleType(const FieldDescriptor& field) {
  const std::string name = TypeNameOf(field);
  return name.empty() ? field.type_name() : name;
}

std::string TypeTextOf(const FieldDescriptor& field) {
  if (field.is_map()) {
    const auto& entry = *field.message_type();
    return fmt::format("map<{}, {}>", SingleType(*entry.map_key()), SingleType(*entry.map_value()));
  }
  return fmt::format("{}{}", field.is_repeated() ? "repeated " : "", SingleType(field));
}

void AddWords(std::string_view about, const Constraints& constraints, std::vector<std::string>* words) {
  for (const Constraint& constraint : constraints) words->push_back(fmt::format("{}{}", about, constraint.words));
}

std::vector<std::string> WordsOf(const FieldRules& rules) {
  std::vector<std::string> words;
  if (!rules.required.empty()) words.emplace_back("must be set");
  AddWords("", rules.size, &words);
  if (rules.unique) words.emplace_back("must have each element once");
  AddWords("each key: ", rules.key.constraints, &words);
  AddWords(!rules.field->repeated ? ""
           : rules.field->map     ? "each value: "
                                  : "each element: ",
           rules.value.constraints, &words);
  const bool may_be_empty = rules.ignore_empty || rules.value.ignore_empty;
  if (may_be_empty && !words.empty()) words.emplace_back("unless it is empty");
  if (rules.value.below == Below::kSkipped) words.emplace_back("what is in it is not checked");
  return words;
}

FieldDescription DescribeField(const wire::Field& field, const MessageRules& rules, std::string_view message) {
  const FieldDescriptor& descriptor = *field.descriptor;
  FieldDescription described;
  described.name = field.name;
  described.json_name = field.json_name;
  described.number = field.number;
  described.type = TypeTextOf(descriptor);
  described.type_name =
      descriptor.is_map() ? TypeNameOf(*descriptor.message_type()->map_value()) : TypeNameOf(descriptor);
  if (const auto* oneof = descriptor.real_containing_oneof()) described.oneof = oneof->name();
  if (const FieldRules* of_field = rules.Find(field)) described.rules = WordsOf(*of_field);
  if (const ExtensionPoint* point = FindExtensionPoint(message, field.name)) {
    for (const std::string_view kind : point->kinds) {
      if (!kind.empty()) described.kinds.emplace_back(kind);
    }
  }
  const FieldAnnotations annotations = AnnotationsOf(descriptor);
  described.deprecated = annotations.deprecated;
  described.disallowed = annotations.disallowed;
  described.in_progress = annotations.in_progress;
  described.sensitive = field.sensitive == wire::Sensitive::kYes;
  described.comment = CommentOf(descriptor);
  return described;
}

}  // namespace

MessageDescription Describe(const wire::Type& type, wire::Types& types) {
  const auto& descriptor = type.descriptor();
  const TypeFacts facts = FactsOf(type);
  const std::unique_ptr<MessageRules> rules = CompileRules(type, types);
  MessageDescription described;
  described.full_name = type.full_name();
  described.file = descriptor.file()->name();
  if (const types::KnownType* known = types::FindByUrl(type.full_name())) described.resource_type = known->short_name;
  described.usual_name = facts.kind.empty() ? std::string() : facts.usual_name;
  described.kind = facts.kind;
  described.deprecated = descriptor.options().deprecated();
  described.in_progress = IsInProgress(descriptor);
  described.linked = !facts.not_linked;
  if (facts.frozen) described.successor = SuccessorOf(type.full_name(), types);
  described.comment = CommentOf(descriptor);
  for (int i = 0; i < descriptor.real_oneof_decl_count(); ++i) {
    const bool required = std::any_of(rules->oneofs.begin(), rules->oneofs.end(),
                                      [i](const RequiredOneof& oneof) { return oneof.index == i; });
    described.oneofs.push_back({descriptor.oneof_decl(i)->name(), required});
  }
  for (const wire::Field& field : type.fields()) {
    described.fields.push_back(DescribeField(field, *rules, type.full_name()));
  }
  for (const ExtensionPoint& point : ExtensionPoints()) {
    if (!facts.kind.empty() && point.Takes(facts.kind)) {
      described.uses.push_back({std::string(point.message), std::string(point.field)});
    }
  }
  return described;
}

EnumDescription Describe(const EnumDescriptor& descriptor) {
  EnumDescription described = {descriptor.full_name(), descriptor.file()->name(), CommentOf(descriptor), {}};
  for (int i = 0; i < descriptor.value_count(); ++i) {
    const auto& value = *descriptor.value(i);
    described.values.push_back(
        {value.name(), value.number(), value.options().deprecated(), IsDisallowed(value), CommentOf(value)});
  }
  return described;
}

std::vector<std::string> TypesOfExtension(std::string_view usual_name, const wire::Types& types) {
  std::vector<std::string> found;
  for (const std::string& name : types.schema().MessageNames()) {
    if (!usual_name.empty() && UsualNameOf(name) == usual_name) found.push_back(name);
  }
  return found;
}

std::string LinkTo(std::string_view file, std::string_view kind, std::string_view full_name) {
  constexpr std::string_view kApi = "envoy/";
  if (!file.starts_with(kApi) || file.find("/v3/") == std::string_view::npos) return {};
  std::string anchor(full_name.substr(std::min(kApi.size(), full_name.size())));
  for (char& c : anchor) c = c == '.' || c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return fmt::format("https://www.envoyproxy.io/docs/envoy/latest/api-v3/{}#envoy-v3-api-{}-{}",
                     file.substr(kApi.size()), kind, anchor);
}

}  // namespace xdscope::rules
