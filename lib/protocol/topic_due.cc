// The half of a topic that says what is due: two states of the catalogue compared, and what is owed besides.
#include <algorithm>

#include "lib/protocol/names.h"
#include "lib/protocol/topic.h"

namespace xdscope::protocol {
namespace {

bool IsBefore(const Held& held, std::string_view name) {
  return held.name < name;
}

// The place of a name, or of where it would stand.
std::size_t PlaceOf(const Holdings& holdings, std::string_view name) {
  const auto& held = holdings.resources;
  return static_cast<std::size_t>(std::lower_bound(held.begin(), held.end(), name, IsBefore) - held.begin());
}

const Held* FindHeld(const Holdings& holdings, std::string_view name) {
  const std::size_t place = PlaceOf(holdings, name);
  if (place == holdings.resources.size() || holdings.resources[place].name != name) return nullptr;
  return &holdings.resources[place];
}

std::uint32_t IndexOf(const Holdings& holdings, const Held* held) {
  return static_cast<std::uint32_t>(held - holdings.resources.data());
}

bool IsSame(const Holdings& left, const Holdings& right) {
  return &left == &right || (!left.version.empty() && left.version == right.version);
}

std::shared_ptr<const Holdings> HoldingsOf(const Catalogue& catalogue, std::string_view type_url) {
  std::shared_ptr<const Holdings> holdings = catalogue.Find(type_url);
  return holdings != nullptr ? holdings : std::make_shared<const Holdings>();
}

// Ascending, each once; "all" said as such.
void Tidy(Topic::Due* due) {
  auto& resources = due->resources;
  if (!std::is_sorted(resources.begin(), resources.end())) std::sort(resources.begin(), resources.end());
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  due->all = !resources.empty() && resources.size() == due->holdings->resources.size();
  if (due->all) resources = {};
}

}  // namespace

// ---- Two states compared.

Topic::Difference Topic::Compare(const Holdings& now) const {
  if (IsSame(*seen_, now)) return {};
  constexpr std::size_t kSearchCost = 16;  // against a step of the walk
  const bool few = names_.size() * kSearchCost < seen_->resources.size() + now.resources.size();
  if (few && !wildcard_ && globs_ == 0 && aliases_.empty()) return CompareNamed(now);
  return CompareAll(now);
}

Topic::Difference Topic::CompareAll(const Holdings& now) const {
  Difference difference;
  auto old = seen_->resources.begin();
  const auto old_end = seen_->resources.end();
  for (const Held& held : now.resources) {
    for (; old != old_end && old->name < held.name; ++old) {
      if (Covers(old->name)) difference.gone.push_back(old->name);
    }
    const bool was_there = old != old_end && old->name == held.name;
    const bool same = was_there && old->version == held.version;
    if (was_there) ++old;
    if (!same && Covers(held.name)) difference.arrived.push_back(IndexOf(now, &held));
  }
  for (; old != old_end; ++old) {
    if (Covers(old->name)) difference.gone.push_back(old->name);
  }
  return difference;
}

Topic::Difference Topic::CompareNamed(const Holdings& now) const {
  Difference difference;
  for (const auto& [name, list] : names_) {
    const Held* before = FindHeld(*seen_, name);
    const Held* held = FindHeld(now, name);
    if (held == nullptr) {
      if (before != nullptr) difference.gone.push_back(before->name);
    } else if (before == nullptr || before->version != held->version) {
      difference.arrived.push_back(IndexOf(now, held));
    }
  }
  return difference;
}

// ---- News.

bool Topic::Owes() const {
  return !held_ && (greeting_ || everything_ != Everything::kTold || !owed_.empty());
}

bool Topic::IsQuiet(const Catalogue& catalogue) const {
  if (Owes() || !again_.empty()) return false;
  if (!wildcard_ && names_.empty()) return true;
  const std::shared_ptr<const Holdings> now = catalogue.Find(type_url_);
  return now == nullptr ? seen_->resources.empty() : IsSame(*seen_, *now);
}

std::optional<Topic::Due> Topic::News(const Catalogue& catalogue) {
  if (IsQuiet(catalogue)) return std::nullopt;
  std::shared_ptr<const Holdings> now = HoldingsOf(catalogue, type_url_);
  std::optional<Due> due = full_state() ? FullNews(now) : PartialNews(now, catalogue);
  seen_ = std::move(now);
  again_.clear();
  if (held_) return due;
  owed_.clear();
  everything_ = Everything::kTold;
  greeting_ = false;
  return due;
}

// A response of LDS or CDS holds everything, and says by omission what is gone (B.1-9). After a refusal only a change
// is worth another one (XDS-S032).
std::optional<Topic::Due> Topic::FullNews(std::shared_ptr<const Holdings> now) {
  const Difference difference = Compare(*now);
  const bool arrived = Owes() && (everything_ == Everything::kNew || NewlyNamedExists(*now));
  const bool changed = arrived || !difference.arrived.empty();
  if (changed || (Owes() && !refused_last_)) {
    shrunk_ = false;
    return Whole(std::move(now));
  }
  shrunk_ = shrunk_ || !difference.gone.empty();
  return std::nullopt;
}

bool Topic::NewlyNamedExists(const Holdings& now) const {
  if (wildcard_) return false;
  return std::any_of(owed_.begin(), owed_.end(),
                     [&now](const std::string& name) { return IsGlob(name) || FindHeld(now, name) != nullptr; });
}

Topic::Due Topic::Whole(std::shared_ptr<const Holdings> now) const {
  Due due;
  due.holdings = std::move(now);
  due.all = wildcard_ && !due.holdings->resources.empty();
  if (due.all) return due;
  for (const Held& held : due.holdings->resources) {
    if (Covers(held.name)) due.resources.push_back(IndexOf(*due.holdings, &held));
  }
  Tidy(&due);
  return due;
}

std::optional<Topic::Due> Topic::PartialNews(std::shared_ptr<const Holdings> now, const Catalogue& catalogue) {
  Difference difference = Compare(*now);
  NoteArrivals(*now, difference);
  NoteDepartures(difference);
  RecallRefused(*now, &difference);
  Due due;
  due.holdings = std::move(now);
  due.resources = std::move(difference.arrived);
  TakeAgain(&due);
  if (Owes()) {
    TakeOwed(catalogue, &due);
    TakeEverything(&due);
  }
  Tidy(&due);
  const bool empty = due.resources.empty() && !due.all && due.removed.empty() && due.unresolved.empty();
  // Where nothing can be said to be absent, nothing is what is said of it (XDS-S036).
  if (empty && !(greeting_ && is_delta())) return std::nullopt;
  return due;
}

void Topic::NoteArrivals(const Holdings& now, const Difference& difference) {
  if (gone_.empty()) return;
  for (const std::uint32_t index : difference.arrived) gone_.erase(std::string(now.resources[index].name));
}

void Topic::NoteDepartures(const Difference& difference) {
  if (!is_delta()) return;
  for (const std::string_view name : difference.gone) {
    const bool known = everything_ != Everything::kNew || HasName(name);
    if (known) gone_.emplace(name);
  }
}

// The client keeps nothing of a message that it refused (K17), so all of it is due when a part of it has changed.
void Topic::RecallRefused(const Holdings& now, Difference* difference) {
  if (refused_.empty()) return;
  const auto was_refused = [this](std::string_view name) { return refused_.contains(name); };
  const bool touched = std::any_of(difference->gone.begin(), difference->gone.end(), was_refused) ||
                       std::any_of(difference->arrived.begin(), difference->arrived.end(),
                                   [&](std::uint32_t index) { return was_refused(now.resources[index].name); });
  if (!touched) return;
  for (const std::string& name : refused_) {
    if (const Held* held = FindHeld(now, name)) {
      difference->arrived.push_back(IndexOf(now, held));
    } else if (is_delta()) {
      gone_.insert(name);
    }
  }
  refused_.clear();
}

// ---- What is owed.

void Topic::TakeOwed(const Catalogue& catalogue, Due* due) {
  for (const std::string& name : owed_) {
    if (IsGlob(name)) {
      TakeOwedGlob(name, due);
    } else {
      TakeOwedName(name, catalogue, due);
    }
  }
}

void Topic::TakeAgain(Due* due) const {
  for (const std::string& name : again_) {
    if (const Held* held = FindHeld(*due->holdings, name)) due->resources.push_back(IndexOf(*due->holdings, held));
  }
}

void Topic::TakeOwedName(const std::string& name, const Catalogue& catalogue, Due* due) {
  const Held* held = FindHeld(*due->holdings, name);
  if (held == nullptr && traits_.on_demand) {
    const std::string_view canonical = catalogue.Canonical(type_url_, name);
    held = canonical.empty() ? nullptr : FindHeld(*due->holdings, canonical);
    if (held != nullptr) NoteAlias(name, canonical);
  }
  if (held != nullptr) {
    due->resources.push_back(IndexOf(*due->holdings, held));
  } else if (is_delta() && traits_.on_demand) {
    due->unresolved.push_back(name);  // XDS-S054
  } else if (is_delta()) {
    due->removed.push_back(name);  // XDS-S042
  }
  gone_.erase(name);
}

// The members of a glob, which stand together; an empty one is itself removed (B.4-3).
void Topic::TakeOwedGlob(const std::string& glob, Due* due) const {
  const std::vector<Held>& held = due->holdings->resources;
  const std::string_view folder = std::string_view(glob).substr(0, glob.find("/*") + 1);
  bool found = false;
  for (std::size_t i = PlaceOf(*due->holdings, folder); i < held.size() && held[i].name.starts_with(folder); ++i) {
    if (!GlobCovers(glob, held[i].name)) continue;
    due->resources.push_back(static_cast<std::uint32_t>(i));
    found = true;
  }
  if (!found && is_delta()) due->removed.push_back(glob);
}

void Topic::TakeEverything(Due* due) const {
  if (everything_ == Everything::kTold) return;
  const std::vector<Held>& held = due->holdings->resources;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const bool told = everything_ == Everything::kNew && HasName(held[i].name);
    if (!told) due->resources.push_back(static_cast<std::uint32_t>(i));
  }
}

// ---- Departures.

std::optional<Topic::Due> Topic::Departures() {
  if (!HasDepartures()) return std::nullopt;
  if (std::exchange(shrunk_, false)) return Whole(seen_);
  Due due;
  due.holdings = seen_;
  AddDepartures(&due);
  return due;
}

void Topic::AddDepartures(Due* due) {
  due->removed.insert(due->removed.end(), gone_.begin(), gone_.end());
  std::sort(due->removed.begin(), due->removed.end());
  gone_.clear();
}

}  // namespace xdscope::protocol
