#include "lib/source/update.h"

#include <fmt/format.h>

#include <algorithm>

namespace xdscope::source {
namespace {

// The rules whose breach makes a resource bad; other irregularities are for the eye only.
constexpr std::string_view kBadResource[] = {"XDS-S007", "XDS-S008", "XDS-S010", "XDS-S012", "XDS-S014", "XDS-S016"};

// Who an irregularity is about: by its own word, else by the entry's name.
std::string NameOf(const protocol::Irregularity& irregularity, const protocol::Response& response) {
  if (!irregularity.resource.empty() || irregularity.entry >= response.resources.size()) return irregularity.resource;
  return std::string(response.resources[irregularity.entry].name);
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

bool MakesBad(const protocol::Irregularity& irregularity) {
  return irregularity.severity == protocol::Severity::kError &&
         std::find(std::begin(kBadResource), std::end(kBadResource), irregularity.rule) != std::end(kBadResource);
}

Update MakeUpdate(const protocol::Response& response, bool whole, wire::Types& types) {
  Update update{.type_url = response.type_url,
                .version = std::string(response.version),
                .whole = whole,
                .resources = {},
                .removed = {response.removed.begin(), response.removed.end()},
                .findings = {},
                .entries = response.resources.size()};
  for (const protocol::Irregularity& irregularity : response.irregularities) {
    if (MakesBad(irregularity)) {
      update.findings.push_back({NameOf(irregularity, response), irregularity.entry,
                                 fmt::format("{} [{}]", irregularity.message, irregularity.rule)});
    }
  }
  update.resources.reserve(response.resources.size());
  for (std::size_t i = 0; i < response.resources.size(); ++i) {
    const protocol::Resource& from = response.resources[i];
    if (!from.has_payload || from.unasked) continue;
    resource::Resource made = MakeResource(from, response.bytes, i, types);
    if (made.message.status().code() == absl::StatusCode::kDataLoss) {
      update.findings.push_back({made.name, i, std::string(base::Message(made.message.status()))});
    }
    update.resources.push_back(std::move(made));
  }
  return update;
}

}  // namespace xdscope::source
