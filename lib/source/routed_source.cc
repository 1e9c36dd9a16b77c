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

bool RoutedSource::CanAsk(std::string_view type_url) const {
  const Route* route = Find(type_url, {});
  return route != nullptr && sources_[route->source]->CanAsk(type_url);
}

// Each source is told its whole part, an empty one too: what moved to another source has to be taken back.
void RoutedSource::Want(std::string_view type_url, const protocol::Interest& interest) {
  std::vector<std::vector<std::string>> names(sources_.size());
  for (const std::string& name : interest.names()) {
    const Route* route = Find(type_url, protocol::AuthorityOf(name));
    if (route != nullptr) names[route->source].push_back(name);
  }
  const Route* rest = Find(type_url, {});
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i]->CanAsk(type_url)) continue;
    const bool everything = interest.everything() && rest != nullptr && rest->source == i;
    if (everything && interest.starred()) names[i].emplace_back(protocol::kStar);
    sources_[i]->Want(type_url, everything ? protocol::Interest::EverythingAnd(std::move(names[i]))
                                           : protocol::Interest::Names(std::move(names[i])));
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

void RoutedSource::Finish() {
  for (const std::unique_ptr<Source>& source : sources_) source->Finish();
}

}  // namespace xdscope::source
