#include "lib/rules/inspector.h"

#include <algorithm>

#include "lib/encode/visit.h"

namespace xdscope::rules {

void Inspector::Inspect(const Subject& subject, const wire::View& resource, finding::Sample* findings) {
  Report report(types_, *findings);
  report.Begin(subject);
  Context context = {types_, report};
  unknown_ = {};
  const auto look = [&](const encode::Visited& at) {
    pgv_.Check(at, &report);
    if (at.fields->has_unknown()) NoteFields(at.message);
    if (depth_ == Depth::kRefusals) return true;
    annotations_.Check(at, context);
    anys_.Check(at, context);
    for (const Check* check : ChecksOf(at.message.type())) check->run(at, context);
    return true;
  };
  const auto unopened = [&](const encode::Visited& at, const absl::Status& why) {
    Anys::ReportUnopened(at, why, context);
    if (absl::IsNotFound(why)) NoteType(at.message.GetText("type_url"));
  };
  encode::Visit(resource, types_, look, unopened);
}

void Inspector::NoteFields(const wire::View& message) {
  for (const wire::UnknownField& field : wire::UnknownFields(message)) {
    ++unknown_.fields;
    const bool is_new = std::ranges::find(unknown_.numbers, field.number) == unknown_.numbers.end();
    if (is_new && unknown_.numbers.size() < Unknown::kMost) unknown_.numbers.push_back(field.number);
  }
}

void Inspector::NoteType(std::string_view type_url) {
  const bool is_new = std::ranges::find(unknown_.types, type_url) == unknown_.types.end();
  if (is_new && unknown_.types.size() < Unknown::kMost) unknown_.types.emplace_back(type_url);
}

const std::vector<const Check*>& Inspector::ChecksOf(const wire::Type& type) {
  const auto [row, is_new] = checks_.try_emplace(&type);
  if (!is_new) return row->second;
  for (const Check& check : AllChecks()) {
    const bool looks = check.messages.empty() || std::find(check.messages.begin(), check.messages.end(),
                                                           type.full_name()) != check.messages.end();
    if (looks && CanRun(check)) row->second.push_back(&check);
  }
  return row->second;
}

// Tells whether the schema has every field that a check reads.
bool Inspector::CanRun(const Check& check) {
  return std::all_of(check.reads.begin(), check.reads.end(), [this](std::string_view path) {
    const std::size_t dot = path.rfind('.');
    const wire::Type* const type = types_.Find(path.substr(0, dot));
    return type != nullptr && type->Find(path.substr(dot + 1)) != nullptr;
  });
}

}  // namespace xdscope::rules
