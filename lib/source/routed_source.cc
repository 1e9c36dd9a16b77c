#include "lib/source/routed_source.h"

#include <algorithm>
#include <utility>

#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::source {

const Route* FindRoute(const std::vector<Route>& routes, std::string_view type_url, std::string_view authority) {
  const auto rank = [](const Route& route) { return std::pair(route.authority.has_value(), !route.type_url.empty()); };
  const Route* best = nullptr;
  for (const Route& route : routes) {
    if (route.authority && *route.authority != authority) continue;
    if (!route.type_url.empty() && route.type_url != type_url) continue;
    if (best == nullptr || rank(route) > rank(*best)) best = &route;
  }
  return best;
}

RoutedSource::RoutedSource(std::vector<std::unique_ptr<Source>> sources, std::vector<Route> routes)
    : routes_(std::move(routes)) {
  for (std::unique_ptr<Source>& source : sources) sources_.push_back({std::move(source), {}});
}

void RoutedSource::Listen(Listener listener) {
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    sources_[i].source->Listen([this, listener, i](Event event) {
      SetPlace(&event, [i](session::Place& place) { place.source = i; });
      if (auto* update = std::get_if<Update>(&event)) Mark(i, update);
      listener(std::move(event));
    });
  }
}

// What one source has of a type is not all there is where another has the rest. What it leaves out it no longer has:
// that is in the Changes of the answer.
void RoutedSource::Mark(std::uint32_t source, Update* update) const {
  for (resource::Resource& resource : update->resources) resource.source = source;
  const auto asked = [update](const Asked& each) { return each.interests.contains(update->type_url); };
  if (update->whole) update->whole = std::ranges::count_if(sources_, asked) <= 1;
}

void RoutedSource::Know(const FindHeld& find_held) {
  for (const Asked& asked : sources_) asked.source->Know(find_held);
}

bool RoutedSource::CanAsk(std::string_view type_url) const {
  const Route* route = FindRoute(routes_, type_url, {});
  return route != nullptr && route->source && CanAskOf(*route->source, type_url);
}

bool RoutedSource::CanAskOf(std::uint32_t source, std::string_view type_url) const {
  return sources_[source].source->CanAsk(type_url);
}

// The part of an interest that each source is asked for; what nobody routes is asked of nobody.
std::vector<protocol::Interest> RoutedSource::Split(std::string_view type_url,
                                                    const protocol::Interest& interest) const {
  std::vector<protocol::Interest> parts(sources_.size());
  for (const std::string& name : interest.names()) {
    const Route* route = FindRoute(routes_, type_url, protocol::AuthorityOf(name));
    if (route != nullptr && route->source) parts[*route->source].Add(name);
  }
  const Route* rest = FindRoute(routes_, type_url, {});
  if (interest.everything() && rest != nullptr && rest->source) {
    parts[*rest->source].SetEverything(true, interest.starred());
  }
  return parts;
}

Source::Parts RoutedSource::PartsOf(std::string_view type_url, const protocol::InterestChange& change) const {
  std::vector<protocol::Interest> add = Split(type_url, change.add);
  std::vector<protocol::Interest> remove = Split(type_url, change.remove);
  Parts parts;
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    protocol::InterestChange part{std::move(add[i]), std::move(remove[i])};
    if (!part.empty()) parts.emplace_back(i, std::move(part));
  }
  return parts;
}

void RoutedSource::Want(std::string_view type_url, const protocol::InterestChange& change) {
  for (const auto& [source, part] : PartsOf(type_url, change)) WantOf(source, type_url, part);
}

void RoutedSource::WantOf(std::uint32_t source, std::string_view type_url, const protocol::InterestChange& change) {
  if (!CanAskOf(source, type_url)) return;
  change.ApplyTo(&sources_[source].interests[std::string(type_url)]);
  sources_[source].source->Want(type_url, change);
}

absl::StatusOr<protocol::Changes> RoutedSource::Answer(const Waiter& waiter, const protocol::Verdict& verdict) {
  if (waiter.place.source >= sources_.size()) {
    return base::Error(absl::StatusCode::kNotFound, "nobody waits for this answer");
  }
  return sources_[waiter.place.source].source->Answer(waiter, verdict);
}

bool RoutedSource::IsOpen(std::string_view type_url) const {
  return std::ranges::any_of(sources_, [&](const Asked& asked) {
    return (type_url.empty() || asked.interests.contains(type_url)) && asked.source->IsOpen(type_url);
  });
}

bool RoutedSource::IsOpenFor(std::string_view type_url, std::string_view name) const {
  return std::ranges::any_of(sources_, [&](const Asked& asked) {
    const auto interest = asked.interests.find(type_url);
    return interest != asked.interests.end() && interest->second.Has(name) && asked.source->IsOpen(type_url);
  });
}

bool RoutedSource::IsBusy() const {
  return std::ranges::any_of(sources_, [](const Asked& asked) { return asked.source->IsBusy(); });
}

void RoutedSource::SetNode(const std::string& node) {
  for (const Asked& asked : sources_) asked.source->SetNode(node);
}

void RoutedSource::Open() {
  for (const Asked& asked : sources_) asked.source->Open();
}

// The conversation of the type's names without an authority.
session::Session* RoutedSource::SessionOf(std::string_view type_url) {
  const Route* route = FindRoute(routes_, type_url, {});
  return route == nullptr || !route->source ? nullptr : sources_[*route->source].source->SessionOf(type_url);
}

void RoutedSource::Finish() {
  for (const Asked& asked : sources_) asked.source->Finish();
}

}  // namespace xdscope::source
