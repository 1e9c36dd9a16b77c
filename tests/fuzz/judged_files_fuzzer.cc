// A discovery file that somebody wrote, in each format: read, judged by all rules, alone and as a set, and every
// finding put in its place.
//
// The first byte says which file it is, as kFiles has them; the rest is the file.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "lib/client/file_judge.h"
#include "lib/finding/rules.h"
#include "lib/schema/schema.h"
#include "tests/fake/messages.h"

namespace xdscope {
namespace {

struct File {
  std::string_view name;
  std::string_view bare_type;
};
constexpr File kFiles[] = {
    {"a.yaml", ""}, {"a.json", ""},    {"a.pb_text", ""},      {"a.pb", ""},
    {"-", ""},      {"-", fake::kLds}, {"a.yaml", fake::kRds}, {"a.pb", fake::kCds},
};

wire::Types& Types() {
  static const auto* const schema = new schema::Schema(schema::Schema::Builtin());
  static auto* const types = new wire::Types(*schema);
  return *types;
}

// What must not happen.
void Demand(bool holds) {
  if (!holds) std::abort();
}

void Check(const client::JudgedFile& file) {
  for (const finding::Finding& finding : file.findings) {
    Demand(finding::FindRule(finding.rule) != nullptr);
    Demand(!finding.message.empty());
    Demand(!finding.entry || *finding.entry < file.resources.size());
    Demand(finding.position.line >= 0 && finding.position.column >= 0);
    static_cast<void>(client::EffectOf(finding));
    static_cast<void>(finding::ToText(finding.path));
  }
}

}  // namespace
}  // namespace xdscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace xdscope;  // NOLINT(google-build-using-namespace): a program of one function
  if (size == 0) return 0;
  const File& file = kFiles[data[0] % std::size(kFiles)];
  client::FileJudge judge(Types(), {.bare_type = std::string(file.bare_type), .set = {.strict = true}});
  judge.Add(std::string(file.name), std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  static_cast<void>(judge.FilesNamed());
  const std::vector<client::JudgedFile> judged = judge.Judge();
  std::for_each(judged.begin(), judged.end(), Check);
  return 0;
}
