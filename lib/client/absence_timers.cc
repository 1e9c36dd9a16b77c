#include "lib/client/absence_timers.h"

#include <utility>

namespace xdscope::client {
namespace {

// Stands for everything of a type.
const std::string kEverything;

}  // namespace

template <typename Visit>
void AbsenceTimers::EachOf(std::uint32_t source, const std::string& stream, const Visit& visit) {
  for (auto each = wanted_.lower_bound({source, stream}); each != wanted_.end(); ++each) {
    const auto& [of, type_url] = each->first;
    if (of != source || (!stream.empty() && type_url != stream)) return;
    visit(each->first, each->second);
  }
}

void AbsenceTimers::OnWant(std::uint32_t source, const std::string& type_url, const protocol::InterestChange& change) {
  const Key key{source, type_url};
  Wanted& wanted = wanted_[key];
  for (const std::string& name : change.remove.names()) wanted.answered.erase(name);
  if (change.remove.everything()) wanted.answered.erase(kEverything);
  change.ApplyTo(&wanted.interest);
  if (connected_.contains(key) || connected_.contains({source, ""})) Begin(key, change.add);
}

void AbsenceTimers::OnResponse(std::uint32_t source, const std::string& type_url) {
  wanted_[{source, type_url}].answered.insert(kEverything);
}

void AbsenceTimers::OnChanges(std::uint32_t source, const protocol::Changes& changes) {
  Wanted& wanted = wanted_[{source, changes.type_url}];
  if (wanted.interest.names().empty()) return;
  const auto note = [&wanted](const std::string& name) {
    if (wanted.interest.Has(name)) wanted.answered.insert(name);
  };
  for (const auto* names : {&changes.held, &changes.answered, &changes.refused}) {
    for (const std::string& name : *names) note(name);
  }
  for (const protocol::Absence& absence : changes.absent) note(absence.name);
}

void AbsenceTimers::OnConnected(std::uint32_t source, const std::string& stream) {
  connected_.emplace(source, stream);
  EachOf(source, stream, [this](const Key& key, Wanted& wanted) { Begin(key, wanted.interest); });
}

void AbsenceTimers::OnClosed(std::uint32_t source, const std::string& stream) {
  connected_.erase({source, stream});
  EachOf(source, stream, [](const Key&, Wanted& wanted) {
    wanted.answered.clear();
    wanted.batches.clear();
  });
}

void AbsenceTimers::Begin(const Key& key, const protocol::Interest& interest) {
  Wanted& wanted = wanted_[key];
  std::vector<std::string> names;
  if (interest.everything() && !wanted.answered.contains(kEverything)) names.push_back(kEverything);
  for (const std::string& name : interest.names()) {
    if (!wanted.answered.contains(name) && !is_held_(key.second, name)) names.push_back(name);
  }
  if (names.empty()) return;
  const auto batch = wanted.batches.insert(wanted.batches.end(), {std::move(names), {}});
  batch->timer = clock_.After(kPatience, [this, key, batch](base::Time) { End(key, batch); });
}

// Whoever is told may ask for something else, which may begin another batch, but ends none.
void AbsenceTimers::End(const Key& key, std::list<Batch>::iterator batch) {
  Wanted& wanted = wanted_[key];
  const std::vector<std::string> names = std::move(batch->names);
  wanted.batches.erase(batch);
  for (const std::string& name : names) {
    const bool is_wanted = name.empty() ? wanted.interest.everything() : wanted.interest.Has(name);
    if (is_wanted && wanted.answered.insert(name).second) silent_(key.second, name);
  }
}

}  // namespace xdscope::client
