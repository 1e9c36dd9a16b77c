#include "lib/source/update.h"

#include <fmt/format.h>

#include <algorithm>

namespace xdscope::source {
namespace {

// The rules whose breach makes a resource bad; other findings are for the eye only.
constexpr std::string_view kBadResource[] = {"XDS-S007", "XDS-S008", "XDS-S010", "XDS-S012", "XDS-S014", "XDS-S016"};

// Which resource a finding is about: by its own word, else by the entry's name.
std::string NameOf(const finding::Finding& finding, const protocol::Response& response) {
  if (!finding.resource.empty() || !finding.entry) return finding.resource;
  return std::string(response.resources[*finding.entry].name);
}

resource::Resource MakeResource(const protocol::Resource& from, const protocol::Bytes& buffer, std::size_t index,
                                wire::Types& types) {
  return {.name = from.name.empty() ? fmt::format("#{}", index + 1) : std::string(from.name),
          .version = std::string(from.version),
          .type_url = from.type_url,
          .payload = from.payload,
          .entry = from.entry,
          .wrapped = from.wrapped,
          .message = wire::Open(from.type_url, from.payload, types),
          .buffer = buffer};
}

}  // namespace

bool MakesBad(const finding::Finding& finding) {
  return finding.severity == finding::Severity::kError &&
         std::find(std::begin(kBadResource), std::end(kBadResource), finding.rule) != std::end(kBadResource);
}

Update MakeUpdate(const protocol::Response& response, bool whole, wire::Types& types) {
  Update update{.type_url = response.type_url,
                .version = std::string(response.version),
                .whole = whole,
                .resources = {},
                .removed = {response.removed.begin(), response.removed.end()},
                .findings = {},
                .entries = response.resources.size()};
  for (const finding::Finding& found : response.findings) {
    if (!MakesBad(found)) continue;
    finding::Finding& finding = update.findings.emplace_back(found);
    finding.resource = NameOf(found, response);
    finding.message = fmt::format("{} [{}]", found.message, found.rule);
  }
  update.resources.reserve(response.resources.size());
  for (std::size_t i = 0; i < response.resources.size(); ++i) {
    const protocol::Resource& from = response.resources[i];
    if (!from.has_payload || from.unasked) continue;
    resource::Resource made = MakeResource(from, response.bytes, i, types);
    if (made.message.status().code() == absl::StatusCode::kDataLoss) {
      update.findings.push_back({.rule = "XDS-S012",
                                 .type_url = update.type_url,
                                 .resource = made.name,
                                 .entry = i,
                                 .message = std::string(base::Message(made.message.status()))});
    }
    update.resources.push_back(std::move(made));
  }
  return update;
}

}  // namespace xdscope::source
