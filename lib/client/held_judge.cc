#include "lib/client/held_judge.h"

#include <algorithm>
#include <utility>

#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/finding/reading_rules.h"
#include "lib/finding/rules.h"
#include "lib/rules/inspector.h"
#include "lib/types/known_types.h"

namespace xdscope::client {
namespace {

std::string FileNameOf(std::string_view type_url) {
  const std::string_view word = types::RowOf(type_url).short_name;
  return std::string(word.empty() ? base::MessageName(type_url) : word);
}

// Adds that a resource cannot be opened: that its type is not known, or its bytes are not of its type.
void AddClosed(const rules::Subject& subject, const absl::Status& why, finding::Sample* findings) {
  const std::string_view rule = absl::IsNotFound(why) ? finding::kUnknownTypeRule : finding::kAnyBytesRule;
  finding::Finding* const finding = findings->Add(rule);
  if (finding == nullptr) return;
  finding->severity = finding::SeverityOf(rule);
  finding->type_url = subject.type_url;
  finding->resource = subject.name;
  finding->entry = subject.entry;
  finding->message = base::Message(why);
}

}  // namespace

std::vector<JudgedFile> JudgeHeld(const resource::Snapshot& held, const rules::SetOptions& options,
                                  wire::Types& types) {
  rules::Inspector inspector(types);
  std::vector<JudgedFile> files;
  std::vector<finding::Sample> findings(held.types().size());
  std::vector<std::string> names;
  std::vector<rules::Member> members;
  for (const auto& [type_url, state] : held.types()) {
    finding::Sample& found = findings[files.size()];
    JudgedFile& file = files.emplace_back();
    file.name = FileNameOf(type_url);
    for (const auto& [name, resource] : state.resources) {
      const rules::Subject subject = {type_url, resource.unnamed ? std::string_view() : name, file.resources.size()};
      const bool opens = resource.message.ok();
      file.resources.push_back({type_url, std::string(subject.name), {}, opens});
      if (!opens) {
        AddClosed(subject, resource.message.status(), &found);
        continue;
      }
      inspector.Inspect(subject, resource.message->view(), &found);
      members.push_back({names.size(), subject, resource.message->view()});
    }
    names.push_back(file.name);
  }
  rules::SetInspector(types, options).Inspect(names, members, [&](std::size_t file) -> finding::Sample& {
    return findings[file];
  });
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].findings = findings[i].Take();
    std::ranges::stable_sort(files[i].findings, {}, &finding::Finding::entry);
  }
  return files;
}

}  // namespace xdscope::client
