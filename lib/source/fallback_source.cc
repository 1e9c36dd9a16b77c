#include "lib/source/fallback_source.h"

#include <utility>

#include "lib/base/status.h"

namespace xdscope::source {

FallbackSource::FallbackSource(std::size_t servers, Make make) : most_(servers), make_(std::move(make)) {
  servers_.push_back({.source = make_(0)});
}

void FallbackSource::Listen(Listener listener) {
  listener_ = std::move(listener);
  ListenTo(0);
}

void FallbackSource::ListenTo(std::size_t server) {
  servers_[server].source->Listen([this, server](Event event) { On(server, std::move(event)); });
}

void FallbackSource::Know(const FindHeld& find_held) {
  find_held_ = find_held;
  Current().Know(find_held_);
}

// ---- What is wanted.

bool FallbackSource::CanAsk(std::string_view type_url) const {
  return Current().CanAsk(type_url);
}

void FallbackSource::Want(std::string_view type_url, const protocol::InterestChange& change) {
  change.ApplyTo(&wanted_[std::string(type_url)]);
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i].tries || i + 1 == servers_.size()) servers_[i].source->Want(type_url, change);
  }
}

absl::StatusOr<protocol::Changes> FallbackSource::Answer(const Waiter& waiter, const protocol::Verdict& verdict) {
  if (waiter.place.server >= servers_.size()) {
    return base::Error(absl::StatusCode::kNotFound, "nobody waits for this answer");
  }
  return servers_[waiter.place.server].source->Answer(waiter, verdict);
}

bool FallbackSource::IsOpen(std::string_view type_url) const {
  return Current().IsOpen(type_url);
}

bool FallbackSource::IsBusy() const {
  return Current().IsBusy();
}

void FallbackSource::SetNode(const std::string& node) {
  node_ = node;
  for (const Server& server : servers_) server.source->SetNode(node);
}

void FallbackSource::Open() {
  opened_ = true;
  Current().Open();
}

session::Session* FallbackSource::SessionOf(std::string_view type_url) {
  return Current().SessionOf(type_url);
}

void FallbackSource::Finish() {
  finishing_ = true;
  for (const Server& server : servers_) server.source->Finish();
}

// ---- What happens.

// Of those before the last it is told what they say; that their streams come and go once more is nothing new.
void FallbackSource::On(std::size_t server, Event event) {
  if (server >= servers_.size()) return;  // it has given its place back
  SetPlace(&event, [server](session::Place& place) { place.server = static_cast<std::uint32_t>(server); });
  if (std::holds_alternative<Update>(event)) TakeOver(server);
  if (const auto* connected = std::get_if<session::Connected>(&event)) {
    servers_[server].streams.insert(connected->stream);
    if (server + 1 < servers_.size()) return;
  }
  const auto* closed = std::get_if<session::Closed>(&event);
  if (closed != nullptr && !OnClosed(server, *closed)) return;
  listener_(std::move(event));
}

void FallbackSource::TakeOver(std::size_t server) {
  served_ = true;
  if (server + 1 == servers_.size()) return;
  while (servers_.size() > server + 1) {
    servers_.back().source->Finish();
    left_.push_back(std::move(servers_.back().source));
    servers_.pop_back();
  }
  const session::Place place{.server = static_cast<std::uint32_t>(server)};
  for (const std::string& stream : servers_[server].streams) listener_(session::Connected{stream, place});
}

// Returns whether the end is to be told.
bool FallbackSource::OnClosed(std::size_t server, const session::Closed& closed) {
  servers_[server].streams.erase(closed.stream);
  if (!closed.reopens_in) servers_[server].tries = false;
  if (server + 1 < servers_.size()) return false;
  if (served_ || finishing_ || closed.had_response || servers_.size() == most_) return true;
  MoveOn({.stream = closed.stream, .status = closed.status, .place = closed.place});
  return false;
}

// Asks the next server for all that is wanted.
void FallbackSource::MoveOn(Moved moved) {
  const std::size_t next = servers_.size();
  servers_.push_back({.source = make_(next)});
  ListenTo(next);
  if (find_held_) Current().Know(find_held_);
  if (node_) Current().SetNode(*node_);
  listener_(std::move(moved));
  if (opened_) Current().Open();
  for (const auto& [type_url, interest] : wanted_) Current().Want(type_url, {interest});
}

}  // namespace xdscope::source
