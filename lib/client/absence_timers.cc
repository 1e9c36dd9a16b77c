#include "lib/client/absence_timers.h"

#include <utility>

namespace xdscope::client {
namespace {

// Stands for everything of a type.
const std::string kEverything;

}  // namespace

template <typename Visit>
void AbsenceTimers::EachOf(const std::string& stream, const Visit& visit) {
  for (auto& [type_url, wanted] : wanted_) {
    if (stream.empty() || stream == type_url) visit(type_url, wanted);
  }
}

void AbsenceTimers::OnWant(const std::string& type_url, const protocol::InterestChange& change) {
  Wanted& wanted = wanted_[type_url];
  for (const std::string& name : change.remove.names()) wanted.answered.erase(name);
  if (change.remove.everything()) wanted.answered.erase(kEverything);
  change.ApplyTo(&wanted.interest);
  if (connected_.contains(type_url) || connected_.contains("")) Begin(type_url, change.add);
}

void AbsenceTimers::OnResponse(const std::string& type_url) {
  wanted_[type_url].answered.insert(kEverything);
}

void AbsenceTimers::OnChanges(const protocol::Changes& changes) {
  Wanted& wanted = wanted_[changes.type_url];
  if (wanted.interest.names().empty()) return;
  const auto note = [&wanted](const std::string& name) {
    if (wanted.interest.Has(name)) wanted.answered.insert(name);
  };
  for (const auto* names : {&changes.held, &changes.answered, &changes.refused}) {
    for (const std::string& name : *names) note(name);
  }
  for (const protocol::Absence& absence : changes.absent) note(absence.name);
}

void AbsenceTimers::OnConnected(const std::string& stream) {
  connected_.insert(stream);
  EachOf(stream, [this](const std::string& type_url, Wanted& wanted) { Begin(type_url, wanted.interest); });
}

void AbsenceTimers::OnClosed(const std::string& stream) {
  connected_.erase(stream);
  EachOf(stream, [](const std::string&, Wanted& wanted) {
    wanted.answered.clear();
    wanted.batches.clear();
  });
}

void AbsenceTimers::Begin(const std::string& type_url, const protocol::Interest& interest) {
  Wanted& wanted = wanted_[type_url];
  std::vector<std::string> names;
  if (interest.everything() && !wanted.answered.contains(kEverything)) names.push_back(kEverything);
  for (const std::string& name : interest.names()) {
    if (!wanted.answered.contains(name) && !is_held_(type_url, name)) names.push_back(name);
  }
  if (names.empty()) return;
  const auto batch = wanted.batches.insert(wanted.batches.end(), {std::move(names), {}});
  batch->timer = clock_.After(kPatience, [this, type_url, batch](base::Time) { End(type_url, batch); });
}

// Whoever is told may ask for something else, which may begin another batch, but ends none.
void AbsenceTimers::End(const std::string& type_url, std::list<Batch>::iterator batch) {
  Wanted& wanted = wanted_[type_url];
  const std::vector<std::string> names = std::move(batch->names);
  wanted.batches.erase(batch);
  for (const std::string& name : names) {
    const bool is_wanted = name.empty() ? wanted.interest.everything() : wanted.interest.Has(name);
    if (is_wanted && wanted.answered.insert(name).second) silent_(type_url, name);
  }
}

}  // namespace xdscope::client
