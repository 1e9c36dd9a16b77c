// One source out of servers that stand in for one another: the next is asked when one cannot be had, as gRPC does it
// (gRFC A71). A server that ended its stream before it ever gave a response cannot be had; one that did keeps its
// place, and what becomes of its streams later is its own business. Those that open their streams again by themselves
// go on trying: when one of them gives a response, it takes its place back from those behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/source/source.h"

namespace xdscope::source {

class FallbackSource final : public Source {
 public:
  // Makes the source of a server by its place in the list.
  using Make = std::function<std::unique_ptr<Source>(std::size_t server)>;

  // Demands at least one server. Makes the source of the first at once, those of the others when they are needed.
  FallbackSource(std::size_t servers, Make make);

  // Each event tells in its place which server it comes from. The end of a server's stream is told as Moved where
  // another follows; from then on nothing is told of that server's streams unless it takes its place back, which is
  // told as Connected for each that is open.
  void Listen(Listener listener) override;
  void Know(const FindHeld& find_held) override;
  bool CanAsk(std::string_view type_url) const override;
  void Want(std::string_view type_url, const protocol::InterestChange& change) override;
  absl::StatusOr<protocol::Changes> Answer(const Waiter& waiter, const protocol::Verdict& verdict) override;
  bool IsOpen(std::string_view type_url) const override;
  bool IsBusy() const override;
  void SetNode(const std::string& node) override;
  // Opens the server that was asked last.
  void Open() override;
  session::Session* SessionOf(std::string_view type_url) override;
  void Finish() override;

 private:
  struct Server {
    std::unique_ptr<Source> source;
    bool tries = true;                // it is being asked, or opens its streams again by itself
    std::set<std::string> streams{};  // that are open
  };

  Source& Current() const { return *servers_.back().source; }
  void ListenTo(std::size_t server);
  void On(std::size_t server, Event event);
  bool OnClosed(std::size_t server, const session::Closed& closed);
  void TakeOver(std::size_t server);
  void MoveOn(Moved moved);

  const std::size_t most_;
  Make make_;
  Listener listener_;
  std::vector<Server> servers_;                // that were asked so far; the last one is in its place
  std::vector<std::unique_ptr<Source>> left_;  // that gave their place back; they say goodbye
  std::map<std::string, protocol::Interest, std::less<>> wanted_;  // by type URL
  FindHeld find_held_;
  std::optional<std::string> node_;
  bool opened_ = false;
  bool served_ = false;  // the last one gave a response
  bool finishing_ = false;
};

}  // namespace xdscope::source
