#include "lib/source/routed_source.h"

#include <algorithm>
#include <utility>

#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::source {

RoutedSource::RoutedSource(std::vector<std::unique_ptr<Source>> sources, std::vector<Route> routes)
    : sources_(std::move(sources)), routes_(std::move(routes)) {}

// Updates say which source waits for the answer.
void RoutedSource::Listen(Listener listener) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    sources_[i]->Listen([listener, i](Event event) {
      auto* update = std::get_if<Update>(&event);
      if (update != nullptr && update->waiter) update->waiter->server = static_cast<std::uint32_t>(i);
      listener(std::move(event));
    });
  }
}

const Route* RoutedSource::Find(std::string_view type_url, std::string_view authority) const {
  const Route* best = nullptr;
  for (const Route& route : routes_) {
    if (route.authority != authority || (!route.type_url.empty() && route.type_url != type_url)) continue;
    if (best == nullptr || (best->type_url.empty() && !route.type_url.empty())) best = &route;
  }
  return best;
}

void RoutedSource::Know(FindHeld find_held) {
  for (const auto& source : sources_) source->Know(find_held);
}

bool RoutedSource::CanAsk(std::string_view type_url) const {
  const Route* route = Find(type_url, {});
  return route != nullptr && sources_[route->source]->CanAsk(type_url);
}

// The part of an interest that each source is asked for; what nobody routes is asked of nobody.
std::vector<protocol::Interest> RoutedSource::Split(std::string_view type_url,
                                                    const protocol::Interest& interest) const {
  std::vector<protocol::Interest> parts(sources_.size());
  for (const std::string& name : interest.names()) {
    const Route* route = Find(type_url, protocol::AuthorityOf(name));
    if (route != nullptr) parts[route->source].Add(name);
  }
  const Route* rest = Find(type_url, {});
  if (interest.everything() && rest != nullptr) parts[rest->source].SetEverything(true, interest.starred());
  return parts;
}

void RoutedSource::Want(std::string_view type_url, const protocol::InterestChange& change) {
  std::vector<protocol::Interest> add = Split(type_url, change.add);
  std::vector<protocol::Interest> remove = Split(type_url, change.remove);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const protocol::InterestChange part{std::move(add[i]), std::move(remove[i])};
    if (!part.empty() && sources_[i]->CanAsk(type_url)) sources_[i]->Want(type_url, part);
  }
}

absl::StatusOr<protocol::Changes> RoutedSource::Answer(const Waiter& waiter, const protocol::Verdict& verdict) {
  if (waiter.server >= sources_.size()) {
    return base::Error(absl::StatusCode::kNotFound, "nobody waits for this answer");
  }
  return sources_[waiter.server]->Answer(waiter, verdict);
}

bool RoutedSource::IsOpen(std::string_view type_url) const {
  return std::any_of(sources_.begin(), sources_.end(),
                     [&](const std::unique_ptr<Source>& source) { return source->IsOpen(type_url); });
}

bool RoutedSource::IsBusy() const {
  return std::any_of(sources_.begin(), sources_.end(), [](const auto& source) { return source->IsBusy(); });
}

void RoutedSource::SetNode(const std::string& node) {
  for (const std::unique_ptr<Source>& source : sources_) source->SetNode(node);
}

void RoutedSource::Open() {
  for (const std::unique_ptr<Source>& source : sources_) source->Open();
}

// The conversation of the type's names without an authority.
session::Session* RoutedSource::SessionOf(std::string_view type_url) {
  const Route* route = Find(type_url, {});
  return route == nullptr ? nullptr : sources_[route->source]->SessionOf(type_url);
}

void RoutedSource::Finish() {
  for (const std::unique_ptr<Source>& source : sources_) source->Finish();
}

}  // namespace xdscope::source
